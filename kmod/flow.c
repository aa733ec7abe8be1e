// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: a pattern that is cut over TCP segments is found where it was sent in order.
 */
#include "flow.h"
#include "flow_elsewhere.h"

/*
 * What lies further back than a window can be (RFC 7323: 2^30) is let go of before it could
 * look like the future.
 */
#define NFAC_FLOW_REACH		BIT(30)

/* With these of an attachment's flags a packet with a match may not get through. */
#define NFAC_FLOW_JUDGES	(NFAC_ATTACH_DROP | NFAC_ATTACH_MARK | \
				 NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL)

/* Not all new bytes of it were scanned; @why. */
static void nfac_segment_unseen(struct nfac_segment *seg, enum nfac_skip why)
{
	seg->skip = why;
	seg->unseen = true;
}

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
static bool nfac_flow_live(const struct nfac_flow *flow,
			   const struct nfac_segment *seg)
{
	bool over = !(flow->flags & NFAC_FLOW_DATA) || (flow->flags & NFAC_FLOW_ENDED);

	if (nfac_flow_idle(flow, seg->clock))
		return false;
	if (nfac_flow_guessed(flow))
		return false;
	/* the same SYN again, before any data */
	if ((flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA)) == NFAC_FLOW_SYN &&
	    (flow->next == seg->seq ||
	     (nfac_flow_split(flow) && flow->match_from == seg->seq)))
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
static void nfac_flow_anew(struct nfac_flow *flow, struct nfac_segment *seg)
{
	bool forget = nfac_flow_idle(flow, seg->clock) || (flow->flags & NFAC_FLOW_SYN_DATA) ||
		      nfac_flow_guessed(flow);
	u8 data = flow->flags & NFAC_FLOW_DATA;
	u8 stays;

	if (!forget && !data && (flow->flags & NFAC_FLOW_SYN) &&
	    (seg->policy & NFAC_ATTACH_GAP_DROP)) {
		if (nfac_seq_before(seg->seq, flow->next)) {
			nfac_flow_split_at(flow, seg->seq);
			return;
		}
		if (flow->next != seg->seq)
			nfac_flow_split_here(flow);
	}
	/* what has passed behind it does not pass again */
	if (data && nfac_flow_split(flow))
		flow->match_to++;
	stays = forget ? 0 : flow->flags & NFAC_FLOW_MATCHED;
	/* an end that perhaps only we saw is none */
	seg->restarted = data && (!(flow->flags & NFAC_FLOW_ENDED) ||
				  (forget && (flow->flags & NFAC_FLOW_MATCHED)));
	nfac_flow_begin(flow, seg);
	flow->flags |= stays;
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

static struct nfac_flow *nfac_flow_enter(struct nfac_flow_bucket *bucket, u64 hash,
					 struct nfac_segment *seg)
{
	struct nfac_flow *flow;

	flow = nfac_flow_take(bucket, hash, seg->attachment, seg->clock,
			      &seg->evicted);
	if (flow)
		nfac_flow_begin(flow, seg);
	return flow;
}

/* Where the payload's first byte lies in the stream. */
static s64 nfac_flow_origin(const struct nfac_flow *flow, u32 seq)
{
	u64 next = (u64)flow->wraps << 32 | (flow->next - flow->start);

	return (s64)next + (s32)(seq - flow->next);
}

static void nfac_flow_advance(struct nfac_flow *flow, u32 end)
{
	if (end - flow->start < flow->next - flow->start)
		flow->wraps++;
	flow->next = end;
	if (end - flow->scanned_from > NFAC_FLOW_REACH)
		flow->scanned_from = end - NFAC_FLOW_REACH;
	if ((flow->flags & NFAC_FLOW_URGENT) && nfac_seq_before(flow->urgent, end))
		flow->flags &= ~NFAC_FLOW_URGENT;
	/* only the way that data have come: a SYN leads anywhere */
	if (!(flow->flags & NFAC_FLOW_MATCHED) ||
	    (!flow->wraps && end - flow->start <= NFAC_FLOW_REACH))
		return;
	if (end - flow->match_to > NFAC_FLOW_REACH)
		flow->flags &= ~NFAC_FLOW_MATCHED;
	else if (end - flow->match_from > NFAC_FLOW_REACH)
		flow->match_from = end - NFAC_FLOW_REACH;
}

/*
 * The segment is judged, by this attachment or by whoever reads its mark, and may not
 * reach the receiver: none of what it brought, from its byte @old on, is a first copy
 * that others could be told by.
 */
static void nfac_flow_matched(struct nfac_flow *flow, const struct nfac_segment *seg,
			      u32 old)
{
	if (seg->policy & NFAC_FLOW_JUDGES)
		nfac_flow_judge(flow, seg->seq + old, seg->seq + seg->bytes);
}

/* @bytes from the segment's first on have passed before. */
static void nfac_flow_retransmitted(const struct nfac_flow *flow,
				    struct nfac_segment *seg, u32 bytes)
{
	if (!bytes)
		return;
	seg->resent += bytes;
	seg->again = nfac_flow_judged(flow, seg->seq, bytes);
}

/*
 * Scan the payload from its byte @old on. An urgent byte is left out of what Linux's
 * receivers read, unless they ask for it in line (SO_OOBINLINE): then a match may
 * contain it, which a second look finds, over this segment alone. What that refuses lies
 * before the byte or behind it, so the first look has told of it: it is no more than
 * NFAC_MATCHES_MAX, or the scan is stopped by now.
 */
static u32 nfac_flow_read(const struct nfac_flow *flow,
			  const struct nfac_segment *seg, struct nfac_scan *scan,
			  struct nfac_cursor *cursor, u32 old)
{
	u32 urgent = flow->urgent - seg->seq;
	struct nfac_cursor inline_cursor;
	u32 bytes;

	scan->cursor = cursor;
	scan->base = old;
	scan->origin = nfac_flow_origin(flow, seg->seq);
	if (likely(!(flow->flags & NFAC_FLOW_URGENT)) || urgent < old ||
	    urgent >= seg->bytes)
		return nfac_scan_source(scan, seg->source, old, seg->bytes);

	inline_cursor = *cursor;
	bytes = nfac_scan_source(scan, seg->source, old, urgent);
	scan->base = urgent + 1;
	bytes += nfac_scan_source(scan, seg->source, urgent + 1, seg->bytes);

	scan->cursor = &inline_cursor;
	scan->base = old;
	scan->only = urgent + 1;
	nfac_scan_source(scan, seg->source, old, seg->bytes);
	scan->only = 0;
	return bytes + 1;
}

/**
 * nfac_flow_alone() - scan a segment by itself
 * @seg: nfac_segment_sound() does not hold for it, or its checksum is wrong, or
 *	nfac_flow_data() has said so
 * @scan: initialised
 *
 * Nothing is known of what came before, nor kept for what comes.
 *
 * Context: any; no lock is needed.
 */
void nfac_flow_alone(struct nfac_segment *seg, struct nfac_scan *scan)
{
	seg->scanned = nfac_scan_source(scan, seg->source, 0, seg->bytes);
	if (seg->scanned < seg->bytes)
		nfac_segment_unseen(seg, NFAC_SKIP_UNREADABLE);
}

/**
 * nfac_flow_doubtful() - scan a segment that only some receivers take
 * @seg: its payload is not empty
 * @scan: initialised
 *
 * By itself: it is no first copy that others could be told by, and what comes behind it
 * may go on from it.
 *
 * Context: any; no lock is needed.
 */
void nfac_flow_doubtful(struct nfac_segment *seg, struct nfac_scan *scan)
{
	nfac_flow_alone(seg, scan);
	nfac_segment_unseen(seg, NFAC_SKIP_GAP);
}

/*
 * The segment continues the stream behind its first @old bytes. What cannot be read
 * does not move the direction on: it comes again, or the next one is behind a gap.
 */
static void nfac_flow_continue(struct nfac_flow *flow, struct nfac_segment *seg,
			       struct nfac_scan *scan, u32 old)
{
	u32 bytes = seg->bytes;
	struct nfac_cursor cursor = flow->cursor;

	nfac_flow_retransmitted(flow, seg, old);
	seg->scanned = nfac_flow_read(flow, seg, scan, &cursor, old);
	if (seg->scanned < bytes - old) {
		nfac_segment_unseen(seg, NFAC_SKIP_UNREADABLE);
		return;
	}
	flow->cursor = cursor;
	if (scan->matches || seg->again)
		nfac_flow_matched(flow, seg, old);
	nfac_flow_advance(flow, seg->seq + bytes);

	flow->seen = seg->clock.now;
	flow->flags &= ~NFAC_FLOW_ENDED;
	if (flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA))
		flow->flags |= NFAC_FLOW_CONFIRMED;
	flow->flags |= NFAC_FLOW_DATA;
}

/*
 * A segment that is not where it should be, and a policy that does not have it
 * scanned. With "drop" one that lies before all that was scanned is no part of a stream
 * seen from its beginning: nothing behind a gap has passed.
 */
static bool nfac_flow_refused(struct nfac_flow *flow, struct nfac_segment *seg, bool late)
{
	if (seg->policy & NFAC_ATTACH_GAP_PASS)
		flow->flags |= NFAC_FLOW_BLIND;
	else if (!(seg->policy & NFAC_ATTACH_GAP_DROP) ||
		 (late && !(flow->flags & NFAC_FLOW_SYN)))
		return false;
	seg->unseen = true;
	return true;
}

/* Bytes between @flow->next and the segment are missing. */
static void nfac_flow_gap(struct nfac_flow *flow, struct nfac_segment *seg,
			  struct nfac_scan *scan)
{
	seg->skip = NFAC_SKIP_GAP;
	if (nfac_flow_refused(flow, seg, false))
		return;
	nfac_cursor_init(&flow->cursor);
	nfac_flow_advance(flow, seg->seq);
	flow->scanned_from = flow->next;
	nfac_flow_continue(flow, seg, scan, 0);
}

/*
 * The segment begins before anything that is known to have been scanned: it fills a
 * gap, or lies before where we began to follow. It is scanned from its first byte on,
 * be it that some are scanned twice; where it reaches what comes next, the stream goes
 * on from it.
 */
static void nfac_flow_late(struct nfac_flow *flow, struct nfac_segment *seg,
			   struct nfac_scan *scan)
{
	u32 seq = seg->seq, bytes = seg->bytes;
	u32 end = seq + bytes;
	struct nfac_cursor cursor;
	/*
	 * The byte before the first one keeps a connection alive. But perhaps the SYN was
	 * not the receiver's, and this is its first byte: what comes may go on from it.
	 */
	bool alive = (flow->flags & NFAC_FLOW_SYN) && bytes == 1 &&
		     end == flow->start && end == flow->next;

	if (!alive) {
		seg->skip = NFAC_SKIP_GAP;
		if (nfac_flow_refused(flow, seg, true))
			return;
	}

	seg->again = nfac_flow_judged(flow, seq, bytes < flow->next - seq ?
				      bytes : flow->next - seq);
	nfac_cursor_init(&cursor);
	seg->scanned = nfac_flow_read(flow, seg, scan, &cursor, 0);
	if (seg->scanned < bytes) {
		nfac_segment_unseen(seg, NFAC_SKIP_UNREADABLE);
		return;
	}
	/* what does not reach our stream is scanned each time, and spans no range with it */
	if (nfac_seq_before(end, flow->scanned_from))
		return;
	if (scan->matches || seg->again)
		nfac_flow_matched(flow, seg, 0);
	flow->scanned_from = seq;
	if (nfac_seq_before(end, flow->next))
		return;
	flow->cursor = cursor;
	nfac_flow_advance(flow, end);
	flow->flags |= NFAC_FLOW_DATA;
	flow->seen = seg->clock.now;
}

/*
 * Linux's reading of the urgent pointer: behind the urgent byte. A receiver that leaves it
 * out of the stream takes it back in when a later one comes before it has read so far; and
 * where it is read in line a match may go on behind the segment. So it is a gap, and with
 * "drop" it does not pass.
 */
static void nfac_flow_urgent(struct nfac_flow *flow, struct nfac_segment *seg)
{
	u32 urgent = seg->seq + (seg->urgent ? seg->urgent - 1 : 0) -
		     !!(seg->tcp_flags & NFAC_TCP_SYN);

	if (!(seg->tcp_flags & NFAC_TCP_URG))
		return;
	seg->skip = NFAC_SKIP_GAP;
	seg->unseen = seg->policy & NFAC_ATTACH_GAP_DROP;
	if (seg->unseen || nfac_seq_before(urgent, flow->next))
		return;
	flow->urgent = urgent;
	flow->flags |= NFAC_FLOW_URGENT;
}

/* A new load cannot go on where the old one stood. */
static void nfac_flow_load(struct nfac_flow *flow, struct nfac_segment *seg)
{
	if (flow->generation == seg->generation)
		return;
	nfac_cursor_init(&flow->cursor);
	flow->generation = seg->generation;
	seg->restarted = flow->flags & NFAC_FLOW_DATA;
}

/* The first that comes behind a SYN with data begins as if the SYN carried none. */
static void nfac_flow_behind_syn(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if (seg->seq != flow->start || flow->next != flow->scanned_from)
		return;
	nfac_cursor_init(&flow->cursor);
	flow->next = flow->start;
	flow->scanned_from = flow->start;
	flow->flags &= ~(NFAC_FLOW_SYN_DATA | NFAC_FLOW_MATCHED);
}

/*
 * The first data come where the first SYN led, and not the last one: nothing has passed at
 * either place, so the stream begins there.
 */
static void nfac_flow_other(struct nfac_flow *flow, const struct nfac_segment *seg)
{
	if ((flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_DATA)) != NFAC_FLOW_SYN ||
	    !nfac_flow_split(flow) || seg->seq != flow->match_from)
		return;
	flow->next = seg->seq;
	flow->start = seg->seq;
	flow->scanned_from = seg->seq;
}

static void nfac_flow_segment(struct nfac_flow *flow, struct nfac_segment *seg,
			      struct nfac_scan *scan)
{
	u32 bytes = seg->bytes;
	u32 old;

	if (flow->flags & NFAC_FLOW_BLIND) {
		nfac_segment_unseen(seg, NFAC_SKIP_GAP);
		return;
	}
	nfac_flow_load(flow, seg);
	nfac_flow_other(flow, seg);
	if (unlikely(flow->flags & NFAC_FLOW_SYN_DATA))
		nfac_flow_behind_syn(flow, seg);
	nfac_flow_urgent(flow, seg);
	if (seg->unseen)
		return;

	old = flow->next - seg->seq;
	if (nfac_seq_before(flow->next, seg->seq))
		nfac_flow_gap(flow, seg, scan);
	else if (nfac_seq_before(seg->seq, flow->scanned_from))
		nfac_flow_late(flow, seg, scan);
	else if (old >= bytes)
		nfac_flow_retransmitted(flow, seg, bytes);
	else
		nfac_flow_continue(flow, seg, scan, old);

	/* one that is dropped ends nothing */
	if ((seg->tcp_flags & NFAC_TCP_FIN) && !seg->unseen)
		nfac_flow_end(flow, seg->seq + bytes);
}

/*
 * Most receivers ignore a SYN's data, and it comes again behind the SYN; those that
 * take it (TCP Fast Open) get the next bytes. So the stream goes on behind it, but it
 * does not count as scanned. Where nothing may evade the SYN is dropped: it comes
 * again without data.
 */
static void nfac_flow_syn(struct nfac_flow *flow, struct nfac_segment *seg,
			  struct nfac_scan *scan)
{
	if (seg->policy & NFAC_ATTACH_GAP_DROP) {
		nfac_segment_unseen(seg, NFAC_SKIP_GAP);
		return;
	}
	nfac_flow_anew(flow, seg);
	nfac_flow_urgent(flow, seg);
	nfac_flow_continue(flow, seg, scan, 0);
	flow->scanned_from = flow->next;
	/* not confirmed by data that anybody may send to anybody */
	flow->flags &= ~(NFAC_FLOW_DATA | NFAC_FLOW_CONFIRMED);
	flow->flags |= NFAC_FLOW_SYN_DATA;
}

/*
 * A SYN within a live connection. The receiver may have closed on its own, which we do not
 * see, and then it begins anew: what we have scanned is no first copy of what follows. Only
 * ahead of it that comes behind a gap, and not if the SYN has brought some of it; but who
 * knows then where the receiver is?
 */
static void nfac_flow_reopened(struct nfac_flow *flow, struct nfac_segment *seg)
{
	bool drop = seg->policy & NFAC_ATTACH_GAP_DROP;

	if (!seg->bytes && nfac_seq_before(flow->next, seg->seq)) {
		if (drop)
			nfac_flow_split_here(flow);
		return;
	}
	if (drop) {
		nfac_segment_unseen(seg, NFAC_SKIP_GAP);
		return;
	}
	if (seg->bytes)
		seg->skip = NFAC_SKIP_GAP;
	seg->alone = seg->bytes;
	flow->scanned_from = flow->next;
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
	nfac_segment_unseen(seg, NFAC_SKIP_GAP);
	if (flow && (seg->tcp_flags & NFAC_TCP_SYN) && !(seg->policy & NFAC_ATTACH_GAP_DROP))
		flow->scanned_from = flow->next;
}

/**
 * nfac_flow_data() - scan a segment's new bytes, from where its stream stands
 * @bucket: where its direction can be, locked
 * @hash: its direction's name
 * @seg: initialised; its payload is not empty, and receivers take it
 * @scan: initialised
 *
 * When @seg->alone comes out, nothing was scanned, and nfac_flow_alone() is to be
 * called when the lock is given back.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_data(struct nfac_flow_bucket *bucket, u64 hash,
		    struct nfac_segment *seg, struct nfac_scan *scan)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);
	bool syn = seg->tcp_flags & NFAC_TCP_SYN;

	if (unlikely(!flow))
		flow = nfac_flow_enter(bucket, hash, seg);
	if (unlikely(!flow)) {
		seg->skip = NFAC_SKIP_TABLE_FULL;
		seg->alone = true;
	} else if (syn && nfac_flow_live(flow, seg)) {
		nfac_flow_reopened(flow, seg);
	} else if (syn) {
		nfac_flow_syn(flow, seg, scan);
	} else {
		nfac_flow_segment(flow, seg, scan);
	}
}

/**
 * nfac_flow_control() - take note of a segment whose data, if any, does not count
 * @bucket: where its direction can be, locked
 * @hash: its direction's name
 * @seg: initialised; nfac_segment_controls(), and receivers take it
 *
 * When @seg->unseen comes out, it must not pass; when @seg->resets does, it is the other
 * direction's, too.
 *
 * A FIN or an RST counts in its place only, a FIN with an ACK only: others the receiver
 * ignores (RFC 9293, 3.10.7.4), and who sends them may want us to forget the connection. A
 * SYN begins one with a FIN too (3.10.7.2), but not with an RST. An urgent pointer to what
 * comes counts without data, and so does a server's SYN's.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_control(struct nfac_flow_bucket *bucket, u64 hash,
		       struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);
	bool syn = seg->tcp_flags & NFAC_TCP_SYN;

	if ((seg->tcp_flags & NFAC_TCP_URG) && (seg->policy & NFAC_ATTACH_GAP_DROP)) {
		nfac_segment_unseen(seg, NFAC_SKIP_GAP);
		return;
	}
	if (!syn || (seg->tcp_flags & NFAC_TCP_RST)) {
		if (flow && !syn && (seg->tcp_flags & (NFAC_TCP_RST | NFAC_TCP_ACK)) &&
		    (seg->tcp_flags & (NFAC_TCP_RST | NFAC_TCP_FIN))) {
			seg->resets = nfac_flow_resets(flow, seg);
			nfac_flow_end(flow, seg->seq);
		}
	} else if (!flow) {
		flow = nfac_flow_enter(bucket, hash, seg);
	} else if (nfac_flow_live(flow, seg)) {
		nfac_flow_reopened(flow, seg);
	} else {
		nfac_flow_anew(flow, seg);
	}
	if (flow)
		nfac_flow_urgent(flow, seg);
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
	nfac_flow_split_here(flow);
	flow->flags |= NFAC_FLOW_ENDED;
}
