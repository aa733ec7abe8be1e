/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Confirmation: rules whose anchors matched are evaluated over the packet.
 *
 *	nfac_confirm_begin(&scan);		before the scan, if the set has programs
 *	... scan the payload ...
 *	nfac_confirm_end(&scan, &packet, held);	rules that hold become matches
 */
#ifndef _NFAC_CONFIRM_H
#define _NFAC_CONFIRM_H

#include "engine/match/scan.h"
#include "payload.h"

/**
 * struct nfac_confirm_packet - what a packet's rules are evaluated over
 *
 * On the stack of the inspecting function.
 *
 * @skb: the packet
 * @payload: its payload, found by nfac_payload_find()
 */
struct nfac_confirm_packet {
	const struct sk_buff *skb;
	const struct nfac_payload *payload;
};

int nfac_confirm_hold(void);
void nfac_confirm_release(void);

void nfac_confirm_begin(struct nfac_scan *scan);
void nfac_confirm_end(struct nfac_scan *scan, const struct nfac_confirm_packet *packet, bool held);

#endif /* _NFAC_CONFIRM_H */
