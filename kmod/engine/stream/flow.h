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
 *   that no receiver takes (bad checksum, an RST's data) is scanned by itself and does
 *   not count as the first. So is one that some receivers take and others do not, for
 *   its options (see header_options.h), as it has neither ACK nor SYN, or because its
 *   frame went to many; it counts as a gap. One that only this receiver does not take
 *   (outside its window, acknowledging what was never sent, too old a timestamp, too few
 *   hops to live) or that is lost behind the hook is not told apart; conntrack's "ct state
 *   invalid drop" before this hook stops most of the first two
 * - a SYN within a connection may be a new one's, if the receiver has closed on its
 *   own: what lies before our place is scanned once more from then on, each segment
 *   by itself, and counts as a gap; with "drop" such a SYN does not pass
 * - an RST of the other direction, where it is seen and in its place, does not end this one.
 *   But then a SYN ahead of it begins another connection
 * - a segment with a match may not get through. Whatever is sent again of it, or in its
 *   stead, gets the match's mark and drop again, so that whoever drops by them, drops
 *   that each time; the connection does not count as ended where only we saw its end
 * - behind a gap (the policies): "restart" scans each segment, but a match across the
 *   gap's ends is missed; "pass" scans nothing more of the direction; "drop" lets
 *   nothing behind a gap pass, so that all is scanned in order. Each such segment
 *   is counted as skipped_gap
 * - an urgent byte is read in both ways, as a part of the stream and as none; the
 *   stream goes on without it, as Linux's receiver does. Which one it leaves out is its
 *   own to say, so a segment with URG counts as a gap; with "drop" it does not pass
 * - a set that is loaded anew restarts the directions' automata, and so does a SYN after
 *   flow_idle seconds of silence, without an end: both are counted as flow_restarts, and
 *   a match across that moment is missed
 * - a direction whose place was taken by another (counted as flow_evictions), or that was
 *   under way when we came, is followed from its next segment on; what then comes late
 *   is counted as skipped_gap and scanned by itself, with "drop" too
 *
 * Freestanding: the module and the queue compile the same file, and differ in where
 * a segment's bytes lie, who looks at its checksum, and what holds the table.
 */
#ifndef _NFAC_FLOW_H
#define _NFAC_FLOW_H

#include "../../../uapi/linux/nfac.h"
#include "slots.h"
#include "../match/scan.h"

/* Byte 13 of a TCP header. */
#define NFAC_TCP_FIN	0x01
#define NFAC_TCP_SYN	0x02
#define NFAC_TCP_RST	0x04
#define NFAC_TCP_ACK	0x10
#define NFAC_TCP_URG	0x20

/**
 * struct nfac_segment - a TCP segment at an attachment that follows streams
 *
 * On the stack of whoever inspects the packet.
 *
 * @source: where its payload lies
 * @seq: sequence number of the payload's first byte, host order
 * @bytes: of payload
 * @attachment: id
 * @policy: of it NFAC_ATTACH_GAP_*
 * @generation: of the load that the scan uses
 * @urgent: the urgent pointer; means something with the URG flag alone
 * @tcp_flags: NFAC_TCP_*
 * @clock: what the time is
 * @skip: out, as all that follows: why something about it could not be done,
 *	NFAC_SKIP_NONE: nothing
 * @scanned: bytes
 * @resent: bytes that were not scanned again
 * @unseen: not all new bytes were scanned
 * @again: a byte is among it that was judged before
 * @alone: it has no place in a stream that we follow: nfac_flow_standalone() is for it
 * @restarted: its stream goes on with another load, or began anew without an end
 * @evicted: another stream had to go for it
 * @resets: an RST that the other side takes: nfac_flow_reset() is for the other direction
 */
struct nfac_segment {
	const struct nfac_source *source;
	u32 seq;
	u32 bytes;
	u32 attachment;
	u32 policy;
	u32 generation;
	u16 urgent;
	u8 tcp_flags;
	struct nfac_flow_clock clock;

	enum nfac_skip skip;
	u32 scanned;
	u32 resent;
	bool unseen;
	bool again;
	bool alone;
	bool restarted;
	bool evicted;
	bool resets;
};

/* Nothing came out yet. */
static inline void nfac_segment_init(struct nfac_segment *seg)
{
	seg->skip = NFAC_SKIP_NONE;
	seg->scanned = 0;
	seg->resent = 0;
	seg->unseen = false;
	seg->again = false;
	seg->alone = false;
	seg->restarted = false;
	seg->evicted = false;
	seg->resets = false;
}

/* Not all new bytes of it were scanned; @why. */
static inline void nfac_segment_uninspected(struct nfac_segment *seg, enum nfac_skip why)
{
	seg->skip = why;
	seg->unseen = true;
}

/* Would a receiver put its bytes into the stream at all, if the checksum is right? */
static inline bool nfac_segment_acceptable(const struct nfac_segment *seg)
{
	return (seg->tcp_flags & (NFAC_TCP_ACK | NFAC_TCP_SYN)) &&
	       !(seg->tcp_flags & NFAC_TCP_RST);
}

/*
 * Of a GSO packet with these flags: may a receiver discard segments of it? Each gets an urgent
 * byte of its own; Linux does not leave those to a card.
 */
static inline bool nfac_gso_ambiguous(u8 tcp_flags)
{
	return tcp_flags & NFAC_TCP_URG;
}

/*
 * With these flags: does one receiver discard what another takes? BSD's TCP queues data without
 * ACK when both sides have sent a SYN; RFC 9293 has it drop them.
 */
static inline bool nfac_flags_ambiguous(u8 tcp_flags)
{
	return !(tcp_flags & (NFAC_TCP_ACK | NFAC_TCP_SYN | NFAC_TCP_RST));
}

/* Has it a control bit that changes a stream? Then it is nfac_flow_control()'s. */
static inline bool nfac_segment_controls(const struct nfac_segment *seg)
{
	return seg->tcp_flags & (NFAC_TCP_SYN | NFAC_TCP_FIN | NFAC_TCP_RST | NFAC_TCP_URG);
}

void nfac_flow_data(struct nfac_flow_bucket *bucket, u64 hash,
		    struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_standalone(struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_ambiguous(struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_control(struct nfac_flow_bucket *bucket, u64 hash,
		       struct nfac_segment *seg);

/* flow_connection.c */
void nfac_flow_stray(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg);
void nfac_flow_reset(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg);

#endif /* _NFAC_FLOW_H */
