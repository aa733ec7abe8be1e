/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scan: an automaton over a packet's bytes, wherever the skb has them.
 *
 * What the hook, the xt match and the textsearch algorithm have in common: choice
 * of the matcher's path, the FPU, the pattern's own limits, the cap.
 */
#ifndef _NFAC_SCAN_H
#define _NFAC_SCAN_H

#include <linux/skbuff.h>

#include "matcher.h"

/*
 * Matches told of one packet. A packet of 64 KiB may hold millions; whoever wants
 * to know what it is knows it after so many.
 */
#define NFAC_MATCHES_MAX	1024

struct nfac_scan;

/**
 * typedef nfac_found_fn - told of each match that the pattern's limits allow
 * @scan: the scan under way
 * @hit: the match
 * @offset: of its first byte, from the payload's first; negative when it began
 *	in an earlier segment of a stream
 *
 * Return: false to hear no more.
 */
typedef bool (*nfac_found_fn)(struct nfac_scan *scan, const struct nfac_hit *hit,
			      s64 offset);

/**
 * struct nfac_scan - a scan under way
 *
 * On the stack of whoever inspects the packet; embed it to reach one's own state
 * from @found. The fields up to @found are set by nfac_scan_init() or after it.
 *
 * @automaton: kept by RCU or a reference
 * @cursor: where the automaton stands: @own, or a flow's, under the flow's lock
 * @base: offset in the payload of the next block's first byte
 * @origin: added to @base where a pattern's limits are asked: offset of the
 *	payload in its stream, 0 for a packet
 * @protocol: IPPROTO_*, 0 when not known (then limits ask for no protocol)
 * @sport: host order
 * @dport: host order
 * @found: told of matches, or NULL
 * @matches: counted so far
 * @capped: there were more than NFAC_MATCHES_MAX
 * @stopped: nobody wants to hear more
 * @only: not 0: only matches that have the payload's byte @only - 1 in them count
 * @first_end: where the match that ends first ends, offset in the payload; valid
 *	with @matches, and the next too
 * @last_end: the same of the match that ends last
 * @own: cursor of a scan that begins and ends with a packet
 */
struct nfac_scan {
	const struct nfac_automaton *automaton;
	struct nfac_cursor *cursor;
	s64 base;
	s64 origin;
	u16 sport;
	u16 dport;
	u8 protocol;
	nfac_found_fn found;
	u32 matches;
	bool capped;
	bool stopped;
	u32 only;
	s64 first_end;
	s64 last_end;
	struct nfac_cursor own;
};

static inline void nfac_scan_init(struct nfac_scan *scan,
				  const struct nfac_automaton *automaton,
				  nfac_found_fn found)
{
	memset(scan, 0, offsetof(struct nfac_scan, own));
	nfac_cursor_init(&scan->own);
	scan->automaton = automaton;
	scan->cursor = &scan->own;
	scan->found = found;
}

int nfac_scan_setup(void);
void nfac_scan_block(struct nfac_scan *scan, const u8 *text, u32 len);
u32 nfac_scan_skb(struct nfac_scan *scan, struct sk_buff *skb, u32 from, u32 to);

#endif /* _NFAC_SCAN_H */
