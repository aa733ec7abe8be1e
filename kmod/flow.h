/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows: a pattern that is cut over TCP segments is found where it was sent in order.
 *
 * Nothing is put together and nothing is kept but where the automaton stands. What
 * this promises, with the bytes in the order in which they pass the hook:
 *
 * - in order: a match is found wherever the segments cut it, and told once,
 *   whatever is sent again
 * - bytes sent again are not scanned again; that with other bytes at the same place
 *   the receiver takes the first ones is believed, as no bytes are kept. A segment
 *   that no receiver takes (bad checksum, neither ACK nor SYN) is scanned by itself
 *   and does not count as the first. One that only this receiver does not take
 *   (outside its window, too old a timestamp, too few hops to live) is not told apart;
 *   the first two are for conntrack's "ct state invalid drop" before this hook
 * - bytes sent again that completed a match get that match's mark and drop again, so
 *   that whoever drops by them, drops them each time
 * - behind a gap (the policies): "restart" scans each segment, but a match across the
 *   gap's ends is missed; "pass" scans nothing more of the direction; "drop" lets
 *   nothing behind a gap pass, so that all is scanned in order. Each such segment
 *   is counted as skipped_gap
 * - an urgent byte is read in both ways, as a part of the stream and as none; the
 *   stream goes on without it, as Linux's receiver does
 * - a set that is loaded anew restarts the directions' automata: counted, and a
 *   match across that moment is missed
 */
#ifndef _NFAC_FLOW_H
#define _NFAC_FLOW_H

#include "flow_table.h"
#include "scan.h"
#include "stats.h"

/**
 * struct nfac_segment - a TCP segment at an attachment that follows streams
 *
 * On the hook's stack.
 *
 * @flows: the table
 * @skb: the packet
 * @payload: found in it
 * @stats: the attachment's
 * @attachment: id
 * @flags: NFAC_ATTACH_GAP_*
 * @generation: of the load that the scan uses
 * @hook: enum nfac_hook
 * @skip: out: why something about it could not be done, NFAC_SKIP_MAX: nothing
 * @bytes: out: scanned
 * @unseen: out: not all new bytes were scanned
 * @again: out: a byte is among it that completed a match before
 */
struct nfac_segment {
	struct nfac_flows *flows;
	struct sk_buff *skb;
	const struct nfac_payload *payload;
	struct nfac_stats __percpu *stats;
	u32 attachment;
	u32 flags;
	u32 generation;
	u8 hook;
	enum nfac_skip skip;
	u32 bytes;
	bool unseen;
	bool again;
};

void nfac_flow_scan(struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_bare(const struct nfac_segment *seg);

#endif /* _NFAC_FLOW_H */
