/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Elsewhere: where the receiver may be, if it is not where we are.
 *
 * It did not get what was judged; or it has taken another SYN than the one that we went by,
 * and then it is split from us. Both is kept as a range, from which on no byte's place may
 * pass twice: what is a first copy to us would be none to the receiver.
 *
 * Freestanding.
 */
#ifndef _NFAC_FLOW_ELSEWHERE_H
#define _NFAC_FLOW_ELSEWHERE_H

#include "slots.h"

/* @a before @b; sequence numbers are compared over half their range. */
static inline bool nfac_seq_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

/* No byte was judged, but the receiver may be elsewhere. */
static inline bool nfac_flow_desynchronised(const struct nfac_flow *flow)
{
	return (flow->flags & NFAC_FLOW_MATCHED) && flow->match_from == flow->match_to;
}

/* From @seq on it may be. */
static inline void nfac_flow_desync_at(struct nfac_flow *flow, u32 seq)
{
	flow->match_from = seq;
	flow->match_to = seq;
	flow->flags |= NFAC_FLOW_MATCHED;
}

/* From where we stand on, unless it may be elsewhere already. */
static inline void nfac_flow_desync_here(struct nfac_flow *flow)
{
	if (!(flow->flags & NFAC_FLOW_MATCHED))
		nfac_flow_desync_at(flow, flow->next);
}

/*
 * Bytes @from .. @to were judged. Between the first and the last such byte there may be
 * others; who sends those again is judged once too often. The range may be longer than half
 * of all numbers: all of it lies before where we stand, and is told by how far.
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
 * A FIN or an RST at @seq: in its place where we stand, or where a receiver stands that
 * did not get what matched.
 */
static inline void nfac_flow_end(struct nfac_flow *flow, u32 seq)
{
	if (seq == flow->next ||
	    ((flow->flags & NFAC_FLOW_MATCHED) && seq == flow->match_from))
		flow->flags |= NFAC_FLOW_ENDED;
}

/* Is a byte among @bytes from @seq on, before @next, that was judged before? */
static inline bool nfac_flow_verdict_applied(const struct nfac_flow *flow, u32 seq, u32 bytes)
{
	return (flow->flags & NFAC_FLOW_MATCHED) && !nfac_flow_desynchronised(flow) &&
	       flow->next - seq > flow->next - flow->match_to &&
	       flow->next - (seq + bytes) < flow->next - flow->match_from;
}

/*
 * May a connection begin at @seq? It lies ahead of all that has passed since @match_from, and
 * not so far that it leads around to it. A byte stays free in between, which a keepalive
 * could bring.
 */
static inline bool nfac_flow_beyond(const struct nfac_flow *flow, u32 seq)
{
	u32 at = seq - flow->match_from;

	return at && at < BIT(31) && at - 1 > flow->next - flow->match_from;
}

#endif /* _NFAC_FLOW_ELSEWHERE_H */
