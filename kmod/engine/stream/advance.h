/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The position of a stream: how a segment whose bytes were scanned moves it.
 *
 * For flow.c, which scans under the bucket's lock, and large.c, which does not.
 *
 * Freestanding. Everything is called under the bucket's lock.
 */
#ifndef _NFAC_FLOW_ADVANCE_H
#define _NFAC_FLOW_ADVANCE_H

#include "desync.h"
#include "flow.h"
#include "policy.h"
#include "stamps.h"

/*
 * Sequence numbers are compared over half their range: a position further back than a window
 * can be (RFC 7323: 2^30) is given up before it could look like one ahead.
 */
#define NFAC_FLOW_REACH		BIT(30)

/* With these of an attachment's flags a packet with a match may not get through. */
#define NFAC_FLOW_VERDICTS	(NFAC_ATTACH_DROP | NFAC_ATTACH_MARKS)

/* Offset of the payload's first byte in the stream. */
static inline s64 nfac_flow_origin(const struct nfac_flow *flow, u32 seq)
{
	u64 next = (u64)flow->wraps << 32 | (flow->next - flow->start);

	return (s64)next + (s32)(seq - flow->next);
}

static inline void nfac_flow_advance(struct nfac_flow *flow, u32 end)
{
	/* saturates: a wrap to 0 would look like the beginning of the text */
	if (end - flow->start < flow->next - flow->start && flow->wraps < 0xff)
		flow->wraps++;
	flow->next = end;
	flow->flags &= ~NFAC_FLOW_ACKED;
	if (end - flow->scanned_from > NFAC_FLOW_REACH)
		flow->scanned_from = end - NFAC_FLOW_REACH;
	if ((flow->flags & NFAC_FLOW_URGENT) && nfac_seq_before(flow->urgent, end))
		flow->flags &= ~NFAC_FLOW_URGENT;
	if ((flow->flags & NFAC_FLOW_HOLE) && end - flow->hole_next > NFAC_FLOW_REACH)
		flow->flags &= ~NFAC_FLOW_HOLE;
	/* only over the way that data took, because a SYN leads anywhere */
	if (!(flow->flags & NFAC_FLOW_MATCHED) ||
	    (!flow->wraps && end - flow->start <= NFAC_FLOW_REACH))
		return;
	if (end - flow->match_to > NFAC_FLOW_REACH)
		flow->flags &= ~NFAC_FLOW_MATCHED;
	else if (end - flow->match_from > NFAC_FLOW_REACH)
		flow->match_from = end - NFAC_FLOW_REACH;
}

/* What the attachment does with the segment: values of struct nfac_flow.verdicts. */
static inline u8 nfac_flow_verdicts(const struct nfac_segment *seg, const struct nfac_scan *scan)
{
	u8 verdicts = 0;

	if (seg->policy & NFAC_FLOW_VERDICTS &&
	    (seg->again || nfac_acting_matches(seg->policy, scan->matches, scan->inexact_matches)))
		verdicts |= NFAC_FLOW_ACTED;
	if (nfac_is_candidate(seg->policy, scan->inexact_matches, seg->candidate))
		verdicts |= NFAC_FLOW_CANDIDATE;
	return verdicts;
}

/*
 * Where the segment has a match, this attachment, or a rule that reads its mark, may drop it. Then
 * none of its bytes from @old on is a first copy that the receiver is known to have.
 */
static inline void nfac_flow_matched(struct nfac_flow *flow, const struct nfac_segment *seg,
				     const struct nfac_scan *scan, u32 old)
{
	u8 verdicts = nfac_flow_verdicts(seg, scan);

	if (!verdicts)
		return;
	if (!(flow->flags & NFAC_FLOW_MATCHED))
		flow->verdicts = 0;
	nfac_flow_apply_verdict(flow, seg->seq + old, seg->seq + seg->bytes);
	flow->verdicts |= verdicts;
}

/* All of the segment was scanned, from its byte @old on: the stream goes on behind it. */
static inline void nfac_flow_append(struct nfac_flow *flow, struct nfac_segment *seg,
				    struct nfac_scan *scan, u32 old)
{
	if (!flow->window)
		nfac_confirm_late(NULL, seg, scan, old);
	else if (nfac_automaton_confirms(scan->automaton))
		nfac_confirm_segment(flow->window, seg, scan, old,
				     (flow->flags & NFAC_FLOW_SYN) && flow->next == flow->start);
	nfac_flow_matched(flow, seg, scan, old);
	nfac_flow_stamp_next(flow, seg);
	nfac_flow_advance(flow, seg->seq + seg->bytes);

	flow->seen = seg->clock.now;
	flow->flags &= ~NFAC_FLOW_ENDED;
	if (flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA))
		flow->flags |= NFAC_FLOW_CONFIRMED;
	flow->flags |= NFAC_FLOW_DATA;
}

void nfac_flow_defer(const struct nfac_flow *flow, struct nfac_segment *seg, u32 old);

#endif /* _NFAC_FLOW_ADVANCE_H */
