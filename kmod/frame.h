/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: the payload of a packet at a hook below IP.
 */
#ifndef _NFAC_FRAME_H
#define _NFAC_FRAME_H

#include <linux/netfilter.h>

#include "payload.h"

bool nfac_frame_find(const struct sk_buff *skb, const struct nf_hook_state *state, bool raw,
		     struct nfac_payload *payload);

#endif /* _NFAC_FRAME_H */
