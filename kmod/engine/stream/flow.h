/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows: find a pattern that is split over TCP segments, where the segments pass in order.
 *
 * Keeps no payload, only the scan state. Guarantees, for the order in which segments pass
 * the hook:
 *
 * - In order: a match is found wherever segments split it, and reported once, whatever is
 *   retransmitted.
 * - Retransmitted bytes are not scanned again. nfac keeps no bytes, so it relies on the
 *   receiver to keep the first copy. A segment that no receiver takes (wrong checksum, data
 *   of an RST) is scanned by itself and is no first copy. Nor is one that only some
 *   receivers take: because of its options (header_options.h), without ACK and SYN, or in a
 *   frame to several hosts; it counts as a gap.
 * - Outside the receiver's window: scanned by itself, counted as skipped_window, and the
 *   stream does not move; with "drop" it does not pass. The window's right edge is the one
 *   that the other side advertised, or conntrack's. While it is not known, every segment is
 *   inside.
 * - A timestamp that is too old for the receiver (PAWS), and an acknowledgment of data that
 *   the other side has not sent, count as outside the window (stamps.h).
 * - Not known are acknowledgments that are too old, too low a hop limit, and loss behind the
 *   hook. "ct state invalid drop" before this hook stops most of the first.
 * - A SYN within a connection, after whatever silence, does not begin another one with
 *   "drop" until the other side's SYN-ACK agrees; one behind the stream's position does not
 *   pass. With other policies it counts after flow_idle seconds of silence, and before that
 *   every segment behind the stream's position is scanned by itself and counts as a gap.
 * - An RST of the other direction does not end this one. But then a SYN ahead of the
 *   stream's position begins another connection.
 * - A segment with a match may be dropped. Whatever is retransmitted of it gets the match's
 *   verdict again, and an end that only nfac may have seen does not count.
 * - Behind a gap: "restart" scans each segment, and goes on both behind the last gap and in
 *   the first one, as segments fill it in order; only a match across the end of the first
 *   gap is missed. "pass" scans nothing more of the direction. "drop" lets nothing behind a
 *   gap pass, so that all is scanned in order. Each such segment counts as skipped_gap.
 * - An urgent byte is read both as part of the stream and as none, because receivers differ.
 *   A segment with URG counts as a gap; with "drop" it does not pass.
 * - A segment of more than NFAC_FLOW_HELD bytes that continues the stream is scanned without the
 *   lock. When another CPU has moved the stream meanwhile, it counts as a gap, and does not pass
 *   with "drop". A late one is scanned by itself.
 * - A new load restarts the scan state: flow_restarts, and a match across it is missed.
 * - A direction that is not followed from its SYN (it lost its slot, or was there before the
 *   attachment) is picked up at its next segment. With "drop" its data do not pass, unless
 *   the attachment has NFAC_ATTACH_PICKUP.
 * - A direction that finds its bucket full may be one that lost its slot. With "drop" its data
 *   pass only behind a SYN that the other side's SYN-ACK answers, unless NFAC_ATTACH_PICKUP.
 * - A direction is assured when the other side's SYN-ACK was acknowledged, or when conntrack
 *   says so; see nfac_flow_take() for what that means.
 *
 * Freestanding: module and queue compile the same file; they differ in where a segment's
 * bytes are, in the checksum, and in the owner of the table.
 */
#ifndef _NFAC_FLOW_H
#define _NFAC_FLOW_H

#include "../../../uapi/linux/nfac.h"
#include "slots.h"
#include "../header_options.h"
#include "../scan.h"
#include "window.h"

/* Byte 13 of a TCP header. */
#define NFAC_TCP_FIN	0x01
#define NFAC_TCP_SYN	0x02
#define NFAC_TCP_RST	0x04
#define NFAC_TCP_ACK	0x10
#define NFAC_TCP_URG	0x20

/**
 * struct nfac_track - what conntrack knows of a segment's connection
 * @entry: conntrack has an entry for the segment
 * @ignored: conntrack does not track it, by a rule
 * @assured: both sides have agreed to the connection
 * @window: @window_end is valid
 * @window_end: right edge of the receiver's window, host order
 * @acked: with @window: the highest acknowledgment of the receiver, host order
 */
struct nfac_track {
	bool entry;
	bool ignored;
	bool assured;
	bool window;
	u32 window_end;
	u32 acked;
};

/*
 * Bytes that are scanned under a bucket's lock: 0.1 ms at 140 MB/s, which is the slowest that
 * hostile text was measured to make a matcher. Longer segments, which are GSO packets, are scanned
 * without it.
 */
#define NFAC_FLOW_HELD		16384u

/**
 * struct nfac_deferred - a segment that continues a stream, and is scanned without the lock
 * @there: nfac_flow_data() has left it so
 * @windowed: its direction has a window
 * @old: bytes of the segment that are not new
 * @next: of struct nfac_flow, as @start and @scanned_from: while they are the same, no other
 *	segment has moved the stream
 * @cursor: the scan state, which the stream gets when it has not moved
 * @origin: offset of the payload's first byte in the stream
 */
struct nfac_deferred {
	bool there;
	bool windowed;
	u32 old;
	u32 next;
	u32 start;
	u32 scanned_from;
	struct nfac_cursor cursor;
	s64 origin;
};

/**
 * struct nfac_segment - a TCP segment at an attachment that follows streams
 *
 * On the caller's stack.
 *
 * @source: where its payload is
 * @seq: sequence number of the payload's first byte, host order
 * @bytes: of payload
 * @ack: acknowledgment number, host order; valid with the ACK flag
 * @attachment: id
 * @policy: NFAC_ATTACH_*
 * @generation: of the load that the scan uses
 * @client: hash of the source address, or with SYN and ACK of the destination
 * @window: as in the header, without its scale
 * @urgent: the urgent pointer; valid with the URG flag
 * @scale: SYN: the window scale that it offers, or NFAC_SCALE_NONE
 * @tcp_flags: NFAC_TCP_*
 * @stamps: its timestamps
 * @track: conntrack's view
 * @clock: the time
 * @confirm: how rules are evaluated; valid where the scan has pending ones
 * @skips: out, as all that follows: bits 1 << NFAC_SKIP_* of what could not be done; each is
 *	counted
 * @unseen: those of @skips because of which not all new bytes were scanned
 * @scanned: bytes
 * @resent: bytes that were not scanned again
 * @again: it has bytes that got a verdict before
 * @candidate: it has bytes that got the candidate mark before
 * @alone: it has no place in a followed stream: call nfac_flow_standalone()
 * @restarted: its stream goes on with another load, or began anew without an end
 * @evicted: another direction lost its slot to it
 * @resets: an RST that the other side takes: call nfac_flow_reset() for the other direction
 * @peer_scale: SYN-ACK: scale of the windows advertised to it, NFAC_SCALE_NONE: not known
 * @direction: enum nfac_direction, from the SYN that the flow began with
 * @established: 1: the flow saw the handshake; -1: not known
 * @bits_changed: flowbits that its rules changed: call nfac_flow_share() for the other direction
 * @bits: the connection's flowbits; of a direction that begins, those that the other one has
 * @stamped: SYN-ACK: both sides use timestamps
 * @deferred: call nfac_flow_rest() without the lock, then nfac_flow_commit()
 */
struct nfac_segment {
	const struct nfac_source *source;
	u32 seq;
	u32 bytes;
	u32 ack;
	u32 attachment;
	u32 policy;
	u32 generation;
	u32 client;
	u16 window;
	u16 urgent;
	u8 scale;
	u8 tcp_flags;
	struct nfac_stamps stamps;
	struct nfac_track track;
	struct nfac_flow_clock clock;
	const struct nfac_confirm *confirm;

	u32 skips;
	u32 unseen;
	u32 scanned;
	u32 resent;
	bool again;
	bool candidate;
	bool alone;
	bool restarted;
	bool evicted;
	bool resets;
	bool stamped;
	u8 peer_scale;
	struct nfac_deferred deferred;
	u8 direction;
	s8 established;
	u64 bits_changed;
	struct nfac_flowbits bits;
};

/* Clear what comes out. */
static inline void nfac_segment_init(struct nfac_segment *seg)
{
	seg->skips = 0;
	seg->unseen = 0;
	seg->scanned = 0;
	seg->resent = 0;
	seg->again = false;
	seg->candidate = false;
	seg->alone = false;
	seg->restarted = false;
	seg->evicted = false;
	seg->resets = false;
	seg->stamped = false;
	seg->deferred.there = false;
	seg->peer_scale = NFAC_SCALE_NONE;
	seg->direction = NFAC_DIRECTION_UNKNOWN;
	seg->established = -1;
	seg->bits_changed = 0;
	seg->bits = (struct nfac_flowbits) { 0 };
}

/* All new bytes were scanned, but not as part of the stream; @why. */
static inline void nfac_segment_note(struct nfac_segment *seg, enum nfac_skip why)
{
	seg->skips |= BIT(why);
}

/* Not all new bytes of it were scanned; @why. */
static inline void nfac_segment_uninspected(struct nfac_segment *seg, enum nfac_skip why)
{
	seg->skips |= BIT(why);
	seg->unseen |= BIT(why);
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

/* Has it a control bit that changes a stream? Then nfac_flow_control() needs it. */
static inline bool nfac_segment_controls(const struct nfac_segment *seg)
{
	return seg->tcp_flags & (NFAC_TCP_SYN | NFAC_TCP_FIN | NFAC_TCP_RST | NFAC_TCP_URG);
}

/*
 * Call nfac_flow_answer() for it? Where conntrack knows the window, only a SYN-ACK says more.
 */
static inline bool nfac_segment_answers(const struct nfac_segment *seg)
{
	u8 flags = seg->tcp_flags & (NFAC_TCP_SYN | NFAC_TCP_ACK | NFAC_TCP_RST);

	return flags == (NFAC_TCP_SYN | NFAC_TCP_ACK) ||
	       (flags == NFAC_TCP_ACK && !seg->track.window);
}

void nfac_flow_data(struct nfac_flow_bucket *bucket, u64 hash,
		    struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_rest(struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_commit(struct nfac_flow_bucket *bucket, u64 hash,
		      struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_standalone(struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_ambiguous(struct nfac_segment *seg, struct nfac_scan *scan);
void nfac_flow_control(struct nfac_flow_bucket *bucket, u64 hash,
		       struct nfac_segment *seg);

/* connection.c */
void nfac_flow_stray(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg);
void nfac_flow_reset(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg);
void nfac_flow_answer(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg);
void nfac_flow_share(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg);

#endif /* _NFAC_FLOW_H */
