/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hook: what happens to a packet at an attachment.
 */
#ifndef _NFAC_HOOK_H
#define _NFAC_HOOK_H

#include <linux/netfilter.h>

#include "../uapi/linux/nfac.h"

struct nfac_attachment;

unsigned int nfac_hook(void *priv, struct sk_buff *skb,
		       const struct nf_hook_state *state);
unsigned int nfac_hook_reverse(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state);
int nfac_hook_program(struct nfac_attachment *att, struct sk_buff *skb,
		      const struct nf_hook_state *state, struct nfac_bpf_match *match);

#endif /* _NFAC_HOOK_H */
