/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conntrack: its mark and its labels, if the kernel has it.
 *
 * nfac.ko does not depend on nf_conntrack.ko: the functions for packets are inline. An attachment
 * that needs the others looks them up, and holds nf_conntrack.ko for its lifetime.
 */
#ifndef _NFAC_CONNTRACK_H
#define _NFAC_CONNTRACK_H

#include <linux/skbuff.h>
#include <net/net_namespace.h>

#include "engine/rules/rules.h"
#include "engine/stream/flow.h"

#define NFAC_CT_LABELS		128	/* XT_CONNLABEL_MAXBIT + 1 */
#define NFAC_CT_NO_LABEL	U32_MAX

void nfac_conntrack_request(bool bridge);
int nfac_conntrack_hold(struct net *net, u8 nfproto, bool mark, u32 label);
void nfac_conntrack_release(struct net *net, u8 nfproto, u32 label);

void nfac_conntrack_mark(struct sk_buff *skb, u32 mark, u32 mask);
void nfac_conntrack_label(struct sk_buff *skb, u32 label);
void nfac_conntrack_track(const struct sk_buff *skb, struct nfac_track *track);
enum nfac_direction nfac_conntrack_direction(const struct sk_buff *skb, s8 *established);

#endif /* _NFAC_CONNTRACK_H */
