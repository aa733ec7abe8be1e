// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: a pattern that is cut over TCP segments is found where it was sent in order.
 */
#include "connection.h"
#include "desync.h"

/*
 * What lies further back than a window can be (RFC 7323: 2^30) is let go of before it could
 * look like the future.
 */
#define NFAC_FLOW_REACH		BIT(30)

/* With these of an attachment's flags a packet with a match may not get through. */
#define NFAC_FLOW_VERDICTS	(NFAC_ATTACH_DROP | NFAC_ATTACH_MARK | \
				 NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL)

/* Where the payload's first byte lies in the stream. */
static s64 nfac_flow_origin(const struct nfac_flow *flow, u32 seq)
{
	u64 next = (u64)flow->wraps << 32 | (flow->next - flow->start);

	return (s64)next + (s32)(seq - flow->next);
}

static inline void nfac_flow_advance(struct nfac_flow *flow, u32 end)
{
	/* at the last one it stays: the text's beginning is not there again */
	if (end - flow->start < flow->next - flow->start && flow->wraps < 0xff)
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
	if (seg->policy & NFAC_FLOW_VERDICTS)
		nfac_flow_apply_verdict(flow, seg->seq + old, seg->seq + seg->bytes);
}

/* @bytes from the segment's first on have passed before. */
static void nfac_flow_retransmitted(const struct nfac_flow *flow,
				    struct nfac_segment *seg, u32 bytes)
{
	if (!bytes)
		return;
	seg->resent += bytes;
	seg->again = nfac_flow_verdict_applied(flow, seg->seq, bytes);
}

/*
 * An urgent byte is left out of what Linux's receivers read, unless they ask for it in line
 * (SO_OOBINLINE): then a match may contain it, which a second look finds, over this segment
 * alone. What that refuses lies before the byte or behind it, so the first look has told of it:
 * it is no more than NFAC_MATCHES_MAX, or the scan is stopped by now.
 */
static u32 nfac_flow_read_urgent(const struct nfac_segment *seg, struct nfac_scan *scan,
				 u32 old, u32 urgent)
{
	struct nfac_cursor inline_cursor = *scan->cursor;
	u32 bytes;

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

/* Scan the payload from its byte @old on. */
static inline u32 nfac_flow_read(const struct nfac_flow *flow,
				 const struct nfac_segment *seg, struct nfac_scan *scan,
				 struct nfac_cursor *cursor, u32 old)
{
	u32 urgent = flow->urgent - seg->seq;

	scan->cursor = cursor;
	scan->base = old;
	scan->origin = nfac_flow_origin(flow, seg->seq);
	if (unlikely(flow->flags & NFAC_FLOW_URGENT) && urgent >= old && urgent < seg->bytes)
		return nfac_flow_read_urgent(seg, scan, old, urgent);
	return nfac_scan_source(scan, seg->source, old, seg->bytes);
}

/**
 * nfac_flow_standalone() - scan a segment by itself
 * @seg: nfac_segment_acceptable() does not hold for it, or its checksum is wrong, or
 *	nfac_flow_data() has said so
 * @scan: initialised
 *
 * Nothing is known of what came before, nor kept for what comes.
 *
 * Context: any; no lock is needed.
 */
void nfac_flow_standalone(struct nfac_segment *seg, struct nfac_scan *scan)
{
	seg->scanned = nfac_scan_source(scan, seg->source, 0, seg->bytes);
	if (seg->scanned < seg->bytes)
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
}

/**
 * nfac_flow_ambiguous() - scan a segment that only some receivers take
 * @seg: its payload is not empty
 * @scan: initialised
 *
 * By itself: it is no first copy that others could be told by, and what comes behind it
 * may go on from it.
 *
 * Context: any; no lock is needed.
 */
void nfac_flow_ambiguous(struct nfac_segment *seg, struct nfac_scan *scan)
{
	/* before the first match is told, and whatever of it cannot be read */
	nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
	nfac_flow_standalone(seg, scan);
	nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
}

/*
 * The segment continues the stream behind its first @old bytes. What cannot be read
 * does not move the direction on: it comes again, or the next one is behind a gap.
 */
static inline void nfac_flow_continue(struct nfac_flow *flow, struct nfac_segment *seg,
				      struct nfac_scan *scan, u32 old)
{
	u32 bytes = seg->bytes;
	struct nfac_cursor was = flow->cursor;

	nfac_flow_retransmitted(flow, seg, old);
	seg->scanned = nfac_flow_read(flow, seg, scan, &flow->cursor, old);
	if (unlikely(seg->scanned < bytes - old)) {
		flow->cursor = was;
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
		return;
	}
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

	seg->again = nfac_flow_verdict_applied(flow, seq, bytes < flow->next - seq ?
					       bytes : flow->next - seq);
	nfac_cursor_init(&cursor);
	seg->scanned = nfac_flow_read(flow, seg, scan, &cursor, 0);
	if (seg->scanned < bytes) {
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
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
	if (end != flow->next)
		flow->flags &= ~NFAC_FLOW_ENDED;
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

static void nfac_flow_segment(struct nfac_flow *flow, struct nfac_segment *seg,
			      struct nfac_scan *scan)
{
	u32 bytes = seg->bytes;
	u32 old;

	if (flow->flags & NFAC_FLOW_BLIND) {
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		return;
	}
	nfac_flow_load(flow, seg);
	if (unlikely(!(flow->flags & NFAC_FLOW_DATA)))
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
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
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

/**
 * nfac_flow_data() - scan a segment's new bytes, from where its stream stands
 * @bucket: where its direction can be, locked
 * @hash: its direction's name
 * @seg: initialised; its payload is not empty, and receivers take it
 * @scan: initialised
 *
 * When @seg->alone comes out, nothing was scanned, and nfac_flow_standalone() is to be
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
 * A SYN begins a connection with a FIN too (RFC 9293, 3.10.7.2), but not with an RST. An
 * urgent pointer to what comes counts without data, and so does a server's SYN's. With "drop"
 * a SYN that gets no place counts as skipped.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_control(struct nfac_flow_bucket *bucket, u64 hash,
		       struct nfac_segment *seg)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);
	bool syn = seg->tcp_flags & NFAC_TCP_SYN;

	if ((seg->tcp_flags & NFAC_TCP_URG) && (seg->policy & NFAC_ATTACH_GAP_DROP)) {
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		return;
	}
	if (!syn || (seg->tcp_flags & NFAC_TCP_RST)) {
		if (flow && !syn)
			nfac_flow_closed(flow, seg);
	} else if (!flow) {
		flow = nfac_flow_enter(bucket, hash, seg);
		/* what comes behind it would be joined by a guess */
		if (!flow && (seg->policy & NFAC_ATTACH_GAP_DROP))
			nfac_segment_uninspected(seg, NFAC_SKIP_TABLE_FULL);
	} else if (nfac_flow_live(flow, seg)) {
		nfac_flow_reopened(flow, seg);
	} else {
		nfac_flow_anew(flow, seg);
	}
	if (flow)
		nfac_flow_urgent(flow, seg);
}
