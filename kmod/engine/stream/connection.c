// SPDX-License-Identifier: GPL-2.0
/*
 * Connections: how they begin and end in one direction.
 */
#include "connection.h"
#include "desync.h"

/* A direction's first segment, or its first again after it was closed. */
static void nfac_flow_begin(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	nfac_cursor_init(&flow->cursor);
	flow->generation = seg->generation;
	flow->next = seg->seq;
	flow->start = flow->next;
	flow->scanned_from = flow->next;
	flow->wraps = 0;
	flow->flags = seg->tcp_flags & NFAC_TCP_SYN ? NFAC_FLOW_SYN : 0;
	flow->seen = seg->clock.now;
}

/*
 * A SYN within a live connection is no beginning: the receiver keeps to what it has,
 * and who sends it may want us to lose our place. If the connection is dead at the
 * other end an RST follows, or silence, and then the next SYN counts (see also
 * nfac_flow_reopened()).
 *
 * Where a segment was judged, or another SYN has passed, the receiver may be elsewhere than
 * we. So a connection counts as another one only if it begins ahead of what we saw, as
 * RFC 6528 has it.
 */
bool nfac_flow_live(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	bool over = !(flow->flags & NFAC_FLOW_DATA) || (flow->flags & NFAC_FLOW_ENDED);

	if (nfac_flow_idle(flow, seg->clock))
		return false;
	if (nfac_flow_guessed(flow))
		return false;
	/* the same SYN again, before any data */
	if ((flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA)) == NFAC_FLOW_SYN &&
	    (flow->next == seg->seq ||
	     (nfac_flow_desynchronised(flow) && flow->match_from == seg->seq)))
		return false;
	if ((flow->flags & NFAC_FLOW_MATCHED) && !(flow->flags & NFAC_FLOW_SYN_DATA))
		over = over && nfac_flow_beyond(flow, seg->seq);
	return !over;
}

/*
 * A SYN that counts. The receiver may still be where it was before: after a segment that
 * was judged, or when it has answered another SYN. That is kept, so that no later one can
 * lead back there. What was judged of a guess is not kept, as it may lie ahead of where this
 * one begins. Before any data we stand at the SYN that leads furthest, and what comes first
 * may still be at the first one (see nfac_flow_other()).
 */
void nfac_flow_anew(struct nfac_flow *flow, struct nfac_segment *seg)
{
	bool idle = nfac_flow_idle(flow, seg->clock);
	bool forget = idle || (flow->flags & NFAC_FLOW_SYN_DATA) || nfac_flow_guessed(flow);
	u8 data = flow->flags & NFAC_FLOW_DATA;
	bool lost;
	u8 stays;

	if (!forget && !data && (flow->flags & NFAC_FLOW_SYN) &&
	    (seg->policy & NFAC_ATTACH_GAP_DROP)) {
		if (nfac_seq_before(seg->seq, flow->next)) {
			nfac_flow_desync_at(flow, seg->seq);
			return;
		}
		if (flow->next != seg->seq)
			nfac_flow_desync_here(flow);
	}
	/* what has passed behind it does not pass again */
	if (data && nfac_flow_desynchronised(flow))
		flow->match_to++;
	stays = forget ? 0 : flow->flags & NFAC_FLOW_MATCHED;
	/* an end that perhaps only we saw is none */
	lost = !(flow->flags & NFAC_FLOW_ENDED) || (forget && (flow->flags & NFAC_FLOW_MATCHED));
	/* where no data came the receiver may wait all the same, but for the same SYN again */
	seg->restarted = lost && (data || (idle && (flow->next != seg->seq ||
						    (flow->flags & NFAC_FLOW_MATCHED))));
	nfac_flow_begin(flow, seg);
	flow->flags |= stays;
}

/* A direction that was not followed. Its bucket may have no place, then NULL. */
struct nfac_flow *nfac_flow_enter(struct nfac_flow_bucket *bucket, u64 hash,
				  struct nfac_segment *seg)
{
	struct nfac_flow *flow;

	flow = nfac_flow_take(bucket, hash, seg->attachment, seg->clock,
			      &seg->evicted);
	if (flow)
		nfac_flow_begin(flow, seg);
	return flow;
}

/*
 * A SYN within a live connection. The receiver may have closed on its own, which we do not
 * see, and then it begins anew: what we have scanned is no first copy of what follows. Only
 * ahead of it that comes behind a gap, and not if the SYN has brought some of it; but who
 * knows then where the receiver is?
 */
void nfac_flow_reopened(struct nfac_flow *flow, struct nfac_segment *seg)
{
	bool drop = seg->policy & NFAC_ATTACH_GAP_DROP;

	if (!seg->bytes && nfac_seq_before(flow->next, seg->seq)) {
		if (drop)
			nfac_flow_desync_here(flow);
		return;
	}
	if (drop) {
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		return;
	}
	if (seg->bytes)
		seg->skip = NFAC_SKIP_GAP;
	seg->alone = seg->bytes;
	flow->scanned_from = flow->next;
}

/*
 * The first data come where the first SYN led, and not the last one: nothing has passed at
 * either place, so the stream begins there.
 */
void nfac_flow_other(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if ((flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA)) != NFAC_FLOW_SYN ||
	    !nfac_flow_desynchronised(flow) || seg->seq != flow->match_from)
		return;
	flow->next = seg->seq;
	flow->start = seg->seq;
	flow->scanned_from = seg->seq;
}

/* The first that comes behind a SYN with data begins as if the SYN carried none. */
void nfac_flow_behind_syn(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if (seg->seq != flow->start || flow->next != flow->scanned_from)
		return;
	nfac_cursor_init(&flow->cursor);
	flow->next = flow->start;
	flow->scanned_from = flow->start;
	flow->flags &= ~(NFAC_FLOW_SYN_DATA | NFAC_FLOW_MATCHED);
}

/*
 * Does the other side take it? Who does not see the connection cannot make one. Behind a FIN
 * it has a number more.
 */
static bool nfac_flow_resets(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	u32 behind = seg->seq - flow->next;

	return (seg->tcp_flags & NFAC_TCP_RST) && (flow->flags & NFAC_FLOW_SYN) &&
	       (!behind || (behind == 1 && (flow->flags & NFAC_FLOW_ENDED)));
}

/*
 * A FIN or an RST counts in its place only, a FIN with an ACK only: others the receiver
 * ignores (RFC 9293, 3.10.7.4), and who sends them may want us to forget the connection.
 */
void nfac_flow_closed(struct nfac_flow *flow, struct nfac_segment *seg)
{
	if (!(seg->tcp_flags & (NFAC_TCP_RST | NFAC_TCP_ACK)) ||
	    !(seg->tcp_flags & (NFAC_TCP_RST | NFAC_TCP_FIN)))
		return;
	seg->resets = nfac_flow_resets(flow, seg);
	nfac_flow_end(flow, seg->seq);
}

/**
 * nfac_flow_stray() - take note of a segment that only some receivers take
 * @bucket: where its direction can be, locked
 * @hash: its direction's name
 * @seg: initialised
 *
 * A SYN has begun a connection, or it has not: it is a gap, and nothing that was scanned is
 * a first copy any more. An urgent pointer counts without data too, or it does not.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_stray(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);

	if (!(seg->tcp_flags & (NFAC_TCP_SYN | NFAC_TCP_URG)))
		return;
	nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
	if (flow && (seg->tcp_flags & NFAC_TCP_SYN) && !(seg->policy & NFAC_ATTACH_GAP_DROP))
		flow->scanned_from = flow->next;
}

/**
 * nfac_flow_reset() - take note of an RST from the other side
 * @bucket: where the direction can be that the RST ends, locked
 * @hash: its name: the addresses and ports are the RST's, the other way around
 * @seg: the RST, of which nfac_flow_control() has said that it @resets
 *
 * It may be forged, or lost behind us, so that the direction goes on where it stands when its
 * next bytes come. But a SYN ahead of it, as the next connection's is (RFC 6528), begins anew.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_reset(struct nfac_flow_bucket *bucket, u64 hash, struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);

	/* elsewhere than with "drop" what comes then is scanned */
	if (!flow || !(seg->policy & NFAC_ATTACH_GAP_DROP) || !(flow->flags & NFAC_FLOW_DATA))
		return;
	nfac_flow_desync_here(flow);
	flow->flags |= NFAC_FLOW_ENDED;
}
