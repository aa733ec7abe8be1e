/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Segments that the receiver discards although they are inside its window: for their timestamp
 * (PAWS, RFC 7323) or their acknowledgment (RFC 9293, 3.10.7.4).
 *
 * A receiver discards a segment whose timestamp is older than TS.Recent: that of the last segment
 * that began at or before its last acknowledgment, ended behind it, and was not older itself. Which
 * acknowledgment was its last one, and what is lost behind the hook, is not known here. So
 * @recent of a flow is a bound, by the attachment's policy:
 *
 * - "drop": an upper one. Every segment that passes and may have become TS.Recent counts; what is
 *   older does not pass. Others cannot raise it: a segment before the last acknowledgment that was
 *   seen, ahead of the stream, or outside the window does not count.
 * - else: a lower one. A segment counts that continues the stream when all before it is
 *   acknowledged; what is older is scanned by itself.
 *
 * Freestanding.
 */
#ifndef _NFAC_FLOW_STAMPS_H
#define _NFAC_FLOW_STAMPS_H

#include "desync.h"
#include "flow.h"

/* Days of silence after which a receiver takes any timestamp (RFC 7323, 5.5). */
#define NFAC_STAMP_DAYS		24u

static inline bool nfac_flow_drops(const struct nfac_segment *seg)
{
	return seg->policy & NFAC_ATTACH_GAP_DROP;
}

/* Raise @recent to @value. Linux compares nothing with 0, and others may. */
static inline void nfac_flow_raise(struct nfac_flow *flow, const struct nfac_segment *seg,
				   u32 value)
{
	if (flow->recent && !nfac_seq_before(flow->recent, value))
		return;
	flow->recent = !value && nfac_flow_drops(seg) ? U32_MAX : value;
}

/* The handshake shows that both sides use timestamps, and the first @value of TS.Recent. */
static inline void nfac_flow_stamp(struct nfac_flow *flow, const struct nfac_segment *seg,
				   u32 value)
{
	if (!(flow->flags & NFAC_FLOW_STAMPED)) {
		flow->flags |= NFAC_FLOW_STAMPED;
		flow->recent = value;
	} else if (nfac_flow_drops(seg)) {
		nfac_flow_raise(flow, seg, value);
	}
}

/* A SYN or SYN-ACK is retransmitted. Linux keeps the first one's timestamp, others may not. */
static inline void nfac_flow_restamp(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if ((flow->flags & NFAC_FLOW_STAMPED) && seg->stamps.there && nfac_flow_drops(seg))
		nfac_flow_raise(flow, seg, seg->stamps.value);
}

/* The segment continues the stream; before nfac_flow_advance(). */
static inline void nfac_flow_stamp_next(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	bool acked = seg->track.window ? seg->track.acked == flow->next :
					 flow->flags & NFAC_FLOW_ACKED;

	if ((flow->flags & NFAC_FLOW_STAMPED) && seg->stamps.there &&
	    (acked || nfac_flow_drops(seg)))
		nfac_flow_raise(flow, seg, seg->stamps.value);
}

/* The segment passes, and has nothing new; it is not ahead of the stream. */
static inline void nfac_flow_stamp_old(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if (!(flow->flags & NFAC_FLOW_STAMPED) || !seg->stamps.there || !nfac_flow_drops(seg))
		return;
	if (!nfac_seq_before(seg->seq + seg->bytes,
			     seg->track.window ? seg->track.acked : flow->acked))
		nfac_flow_raise(flow, seg, seg->stamps.value);
}

static inline bool nfac_flow_silent_for_days(const struct nfac_flow *flow,
					     struct nfac_flow_clock clock)
{
	return clock.second &&
	       nfac_flow_silent(flow, clock) >= NFAC_STAMP_DAYS * 24 * 60 * 60 * clock.second;
}

/*
 * Is the segment's timestamp too old, or has it none? Linux takes one that is older by 1, and
 * segments without timestamps, other receivers do not: with "drop" neither passes.
 */
static inline bool nfac_flow_outdated(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	s32 least = nfac_flow_drops(seg) ? 1 : 2;

	if (!(flow->flags & NFAC_FLOW_STAMPED))
		return false;
	if (unlikely(!seg->stamps.there))
		return nfac_flow_drops(seg);
	return unlikely((s32)(flow->recent - seg->stamps.value) >= least) && flow->recent &&
	       !nfac_flow_silent_for_days(flow, seg->clock);
}

/*
 * Does the segment acknowledge what the other side has not sent? Where conntrack has an entry, it
 * has compared the same.
 */
static inline bool nfac_flow_unsent(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	return (seg->tcp_flags & NFAC_TCP_ACK) && nfac_flow_handshaken(flow) &&
	       !seg->track.entry && !(flow->flags & NFAC_FLOW_TRACKED) &&
	       nfac_seq_before(flow->peer_next, seg->ack);
}

/* The other side's segment, with ACK and without SYN: what it has sent and received. */
static inline void nfac_flow_acknowledged(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	u32 end = seg->seq + seg->bytes + !!(seg->tcp_flags & NFAC_TCP_FIN);
	/* of a FIN, too */
	bool sent = seg->ack - flow->start <= flow->next - flow->start + 1;

	if (!nfac_flow_handshaken(flow))
		return;
	if (seg->ack == flow->next)
		flow->flags |= NFAC_FLOW_ACKED;
	if (nfac_flow_drops(seg)) {
		if (!sent)
			return;
		if (nfac_seq_before(flow->acked, seg->ack))
			flow->acked = seg->ack;
	}
	if (nfac_seq_before(flow->peer_next, end))
		flow->peer_next = end;
}

#endif /* _NFAC_FLOW_STAMPS_H */
