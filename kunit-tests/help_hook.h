/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets and attachments in the first network namespace, and packets for them.
 */
#ifndef _NFAC_KUNIT_HELP_HOOK_H
#define _NFAC_KUNIT_HELP_HOOK_H

#include <linux/if_ether.h>

#include "../kmod/attachment.h"
#include "help.h"

/* A set called @name with the patterns of the suites' set @blob; reloaded if it is there. */
struct nfac_set *help_set_in_force(struct kunit *test, const char *name, const char *blob);
void help_set_gone(struct nfac_set *set);

/* As nfac_attach(). */
struct nfac_attachment *help_attach(const struct nfac_ioc_attach *want);
void help_detach(struct nfac_attachment *att);

/* Pass @skb to the attachment's hook; its protocol determines the family. */
unsigned int help_hook(struct nfac_attachment *att, struct sk_buff *skb);
u64 help_count(const struct nfac_attachment *att, enum nfac_counter counter);

#endif /* _NFAC_KUNIT_HELP_HOOK_H */
