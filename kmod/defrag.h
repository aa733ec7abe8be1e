/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defragmentation before the hooks of IP, for attachments with that option.
 *
 * nfac.ko does not depend on the modules that do it: an attachment looks them up and holds them for
 * its lifetime.
 */
#ifndef _NFAC_DEFRAG_H
#define _NFAC_DEFRAG_H

#include <net/net_namespace.h>

void nfac_defrag_request(void);
int nfac_defrag_hold(struct net *net, u8 nfproto);
void nfac_defrag_release(struct net *net, u8 nfproto);

#endif /* _NFAC_DEFRAG_H */
