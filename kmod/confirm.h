/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Confirmation: rules whose anchors matched are evaluated over the packet, or its stream.
 *
 *	nfac_confirm_begin(&c, &scan, held);	before the scan, if the set has programs
 *	... scan the payload; where it is of a stream, the flow evaluates with &c.confirm ...
 *	nfac_confirm_skb(&c, &scan, 0, length);	else: rules that hold become matches
 *	nfac_confirm_end(&scan);
 */
#ifndef _NFAC_CONFIRM_H
#define _NFAC_CONFIRM_H

#include "engine/stream/window.h"
#include "payload.h"

/**
 * struct nfac_skb_confirm - how a packet's rules are evaluated
 *
 * On the stack of the inspecting function.
 *
 * @confirm: for the engine
 * @skb: the packet; set by the caller
 * @payload: its payload, found by nfac_payload_find(); set by the caller
 */
struct nfac_skb_confirm {
	struct nfac_confirm confirm;
	const struct sk_buff *skb;
	const struct nfac_payload *payload;
};

int nfac_confirm_hold(void);
void nfac_confirm_release(void);

void nfac_confirm_begin(struct nfac_skb_confirm *c, struct nfac_scan *scan, bool held);
void nfac_confirm_skb(const struct nfac_skb_confirm *c, struct nfac_scan *scan, u32 from, u32 to);
void nfac_confirm_end(struct nfac_scan *scan);

#endif /* _NFAC_CONFIRM_H */
