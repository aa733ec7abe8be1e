/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Desynchronisation: the range of sequence numbers in which the receiver's stream may differ
 * from the one that was scanned.
 *
 * The receiver did not get a segment with a match that was dropped, or it accepted another SYN
 * than the flow did (Ptacek and Newsham 1998). Both is kept as a range: from its beginning on
 * retransmitted bytes may differ from those scanned, so no position may pass twice.
 *
 * Freestanding.
 */
#ifndef _NFAC_FLOW_DESYNC_H
#define _NFAC_FLOW_DESYNC_H

#include "slots.h"

/* @a before @b; sequence numbers are compared over half their range. */
static inline bool nfac_seq_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/* No segment had a match, but the receiver may be at another position. */
static inline bool nfac_flow_desynchronised(const struct nfac_flow *flow)
{
	return (flow->flags & NFAC_FLOW_MATCHED) && flow->match_from == flow->match_to;
}

/* From @seq on it may be. Any range before it is given up. */
static inline void nfac_flow_desync_at(struct nfac_flow *flow, u32 seq)
{
	flow->match_from = seq;
	flow->match_to = seq;
	flow->flags |= NFAC_FLOW_MATCHED;
}

/* From the stream's position on, unless there is a range already. */
static inline void nfac_flow_desync_here(struct nfac_flow *flow)
{
	if (!(flow->flags & NFAC_FLOW_MATCHED))
		nfac_flow_desync_at(flow, flow->next);
}

/*
 * Bytes @from .. @to came in a segment with a match. One range has all of them, and the bytes
 * between them get the verdict too when they are retransmitted. The range may be longer than
 * half of all sequence numbers, so its ends are compared by their distance to the end.
 */
static inline void nfac_flow_apply_verdict(struct nfac_flow *flow, u32 from, u32 to)
{
	u32 end = nfac_seq_before(flow->next, to) ? to : flow->next;

	if (!(flow->flags & NFAC_FLOW_MATCHED))
		nfac_flow_desync_at(flow, from);
	if (end - from > end - flow->match_from)
		flow->match_from = from;
	if (end - to < end - flow->match_to)
		flow->match_to = to;
}

/*
 * A FIN or an RST at @seq counts at the stream's position, or at that of a receiver that did
 * not get the segments with a match.
 */
static inline void nfac_flow_end(struct nfac_flow *flow, u32 seq)
{
	if (seq == flow->next ||
	    ((flow->flags & NFAC_FLOW_MATCHED) && seq == flow->match_from))
		flow->flags |= NFAC_FLOW_ENDED;
}

/* Has one of @bytes from @seq on, before @next, got a verdict before? */
static inline bool nfac_flow_verdict_applied(const struct nfac_flow *flow, u32 seq, u32 bytes)
{
	return (flow->flags & NFAC_FLOW_MATCHED) && !nfac_flow_desynchronised(flow) &&
	       flow->next - seq > flow->next - flow->match_to &&
	       flow->next - (seq + bytes) < flow->next - flow->match_from;
}

/*
 * May a connection begin at @seq? It must be ahead of all that has passed since @match_from,
 * and not so far that sequence numbers wrap around to it. The byte in between stays free,
 * because a keepalive may send it.
 */
static inline bool nfac_flow_beyond(const struct nfac_flow *flow, u32 seq)
{
	u32 at = seq - flow->match_from;

	return at && at < BIT(31) && at - 1 > flow->next - flow->match_from;
}

#endif /* _NFAC_FLOW_DESYNC_H */
