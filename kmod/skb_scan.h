/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scans in the kernel: over a packet's bytes, wherever the skb has them.
 *
 * What the hook, the xt match and the textsearch algorithm share, apart from scan_text.h:
 * the choice of the matcher's path, and the FPU.
 */
#ifndef _NFAC_SKB_SCAN_H
#define _NFAC_SKB_SCAN_H

#include <linux/skbuff.h>

#include "engine/scan.h"

/**
 * struct nfac_source - the position of a packet's payload
 *
 * On the stack of the function that inspects the packet.
 *
 * @skb: the packet; not changed, not copied
 * @at: offset in @skb of the payload's first byte
 */
struct nfac_source {
	struct sk_buff *skb;
	u32 at;
};

int nfac_scan_setup(void);
void nfac_scan_exit(void);
void nfac_scan_block(struct nfac_scan *scan, const u8 *text, u32 len);
u32 nfac_scan_skb(struct nfac_scan *scan, struct sk_buff *skb, u32 from, u32 to);
u32 nfac_datagram_bytes(const struct sk_buff *skb, u32 bytes);
u32 nfac_scan_datagrams(struct nfac_scan *scan, struct sk_buff *skb, u32 from, u32 to);

#endif /* _NFAC_SKB_SCAN_H */
