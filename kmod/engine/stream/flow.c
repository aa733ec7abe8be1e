// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: what is scanned of a segment, and where its stream goes on.
 */
#include "advance.h"
#include "connection.h"
#include "policy.h"

/* Do @bytes from the segment's first on, which have passed before, get their verdict again? */
static void nfac_flow_again(const struct nfac_flow *flow, struct nfac_segment *seg, u32 bytes)
{
	if (!nfac_flow_verdict_applied(flow, seg->seq, bytes))
		return;
	seg->again = flow->verdicts & NFAC_FLOW_ACTED;
	seg->candidate = flow->verdicts & NFAC_FLOW_CANDIDATE;
}

/* @bytes from the segment's first on have passed before. */
static void nfac_flow_retransmitted(const struct nfac_flow *flow,
				    struct nfac_segment *seg, u32 bytes)
{
	if (!bytes)
		return;
	seg->resent += bytes;
	nfac_flow_again(flow, seg, bytes);
}

/*
 * Linux's receivers leave an urgent byte out of the stream, unless they set SO_OOBINLINE: then
 * a match may contain it, which a second scan over this segment finds. Matches without the
 * byte were reported by the first scan; their number is at most NFAC_MATCHES_MAX, or the scan
 * is stopped by now.
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
 *	nfac_flow_data() returned that it is to be scanned so
 * @scan: initialised
 *
 * Uses and keeps no state.
 *
 * Context: any; no lock is needed.
 */
void nfac_flow_standalone(struct nfac_segment *seg, struct nfac_scan *scan)
{
	seg->scanned = nfac_scan_source(scan, seg->source, 0, seg->bytes);
	if (seg->scanned < seg->bytes)
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
	else
		nfac_confirm_late(NULL, seg, scan, 0);
}

/**
 * nfac_flow_ambiguous() - scan a segment that only some receivers take
 * @seg: its payload is not empty
 * @scan: initialised
 *
 * By itself, because it is no certain first copy; the stream of some receivers goes on behind
 * it.
 *
 * Context: any; no lock is needed.
 */
void nfac_flow_ambiguous(struct nfac_segment *seg, struct nfac_scan *scan)
{
	nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
	nfac_flow_standalone(seg, scan);
}

/*
 * The segment continues the stream behind its first @old bytes. One that cannot be read does
 * not move the stream: it is retransmitted, or the next one is behind a gap.
 */
static inline void nfac_flow_continue(struct nfac_flow *flow, struct nfac_segment *seg,
				      struct nfac_scan *scan, u32 old)
{
	u32 bytes = seg->bytes;
	struct nfac_cursor was = flow->cursor;

	nfac_flow_retransmitted(flow, seg, old);
	if (unlikely(bytes - old > NFAC_FLOW_HELD)) {
		nfac_flow_defer(flow, seg, old);
		return;
	}
	seg->scanned = nfac_flow_read(flow, seg, scan, &flow->cursor, old);
	if (unlikely(seg->scanned < bytes - old)) {
		flow->cursor = was;
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
		return;
	}
	nfac_flow_append(flow, seg, scan, old);
}

/*
 * Does the policy refuse to scan a segment that is not at the stream's position? With "drop" a
 * @late one, before all that was scanned, is refused in a stream that is followed from its
 * SYN: nothing behind a gap has passed there.
 */
static bool nfac_flow_refused(struct nfac_flow *flow, struct nfac_segment *seg, bool late)
{
	if (seg->policy & NFAC_ATTACH_GAP_PASS)
		flow->flags |= NFAC_FLOW_BLIND;
	else if (!(seg->policy & NFAC_ATTACH_GAP_DROP) ||
		 (late && !(flow->flags & NFAC_FLOW_SYN)))
		return false;
	nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
	return true;
}

/*
 * Bytes between @flow->next and the segment are missing. The stream goes on behind the
 * segment; of several gaps the first one can be filled in order, too.
 */
static void nfac_flow_gap(struct nfac_flow *flow, struct nfac_segment *seg,
			  struct nfac_scan *scan)
{
	nfac_segment_note(seg, NFAC_SKIP_GAP);
	if (nfac_flow_refused(flow, seg, false))
		return;
	if (!(flow->flags & NFAC_FLOW_HOLE)) {
		flow->flags |= NFAC_FLOW_HOLE;
		flow->hole_next = flow->next;
		flow->hole_cursor = flow->cursor;
	}
	nfac_cursor_init(&flow->cursor);
	nfac_flow_advance(flow, seg->seq);
	flow->scanned_from = flow->next;
	nfac_flow_continue(flow, seg, scan, 0);
}

/* The segment, up to @end, was scanned into the first gap; @cursor is behind it. */
static void nfac_flow_filled(struct nfac_flow *flow, const struct nfac_segment *seg,
			     const struct nfac_scan *scan, const struct nfac_cursor *cursor)
{
	u32 end = seg->seq + seg->bytes;

	/* a segment that may be dropped is scanned again when it is retransmitted */
	if (nfac_flow_verdicts(seg, scan))
		return;
	flow->hole_next = end;
	flow->hole_cursor = *cursor;
	if (!nfac_seq_before(end, flow->scanned_from))
		flow->flags &= ~NFAC_FLOW_HOLE;
}

/*
 * The segment begins before the bytes that are known to have been scanned: it fills a gap, or
 * comes from before following began. In order behind the first gap's beginning it continues
 * the scan state from there. Else it is scanned from its first byte, some bytes perhaps for
 * the second time. Where it reaches @flow->next the stream goes on behind it.
 */
static void nfac_flow_late(struct nfac_flow *flow, struct nfac_segment *seg,
			   struct nfac_scan *scan)
{
	u32 seq = seg->seq, bytes = seg->bytes;
	u32 end = seq + bytes;
	struct nfac_cursor cursor;
	u32 old = 0;
	/*
	 * The byte before the first one keeps a connection alive. But perhaps the receiver took
	 * another SYN, and this is its first byte: the next segment may go on from it.
	 */
	bool alive = (flow->flags & NFAC_FLOW_SYN) && bytes == 1 &&
		     end == flow->start && end == flow->next;
	bool fills = (flow->flags & NFAC_FLOW_HOLE) && !nfac_seq_before(flow->hole_next, seq) &&
		     nfac_seq_before(flow->hole_next, end);

	if (!alive) {
		nfac_segment_note(seg, NFAC_SKIP_GAP);
		if (nfac_flow_refused(flow, seg, true))
			return;
	}

	nfac_flow_again(flow, seg, bytes < flow->next - seq ? bytes : flow->next - seq);
	if (unlikely(bytes > NFAC_FLOW_HELD)) {
		seg->alone = true;
		return;
	}
	if (fills) {
		cursor = flow->hole_cursor;
		old = flow->hole_next - seq;
	} else {
		nfac_cursor_init(&cursor);
	}
	seg->scanned = nfac_flow_read(flow, seg, scan, &cursor, old);
	if (seg->scanned < bytes - old) {
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
		return;
	}
	nfac_confirm_late(flow->window, seg, scan, old);
	if (fills)
		nfac_flow_filled(flow, seg, scan, &cursor);
	/* one that does not reach the stream is scanned each time, so it needs no range */
	if (nfac_seq_before(end, flow->scanned_from))
		return;
	nfac_flow_matched(flow, seg, scan, 0);
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
 * As Linux reads it, the urgent pointer points behind the urgent byte. A receiver that leaves
 * the byte out of the stream takes it back in when a later urgent byte arrives before it has
 * read so far; where the byte is read in line, a match may go on behind the segment. So the
 * segment counts as a gap, and with "drop" it does not pass.
 */
static void nfac_flow_urgent(struct nfac_flow *flow, struct nfac_segment *seg)
{
	u32 urgent = seg->seq + (seg->urgent ? seg->urgent - 1 : 0) -
		     !!(seg->tcp_flags & NFAC_TCP_SYN);

	if (!(seg->tcp_flags & NFAC_TCP_URG))
		return;
	nfac_segment_note(seg, NFAC_SKIP_GAP);
	if (seg->policy & NFAC_ATTACH_GAP_DROP) {
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		return;
	}
	if (nfac_seq_before(urgent, flow->next))
		return;
	flow->urgent = urgent;
	flow->flags |= NFAC_FLOW_URGENT;
}

/* The scan state of another load means nothing in this one. */
static void nfac_flow_load(struct nfac_flow *flow, struct nfac_segment *seg)
{
	if (flow->generation == seg->generation)
		return;
	nfac_cursor_init(&flow->cursor);
	flow->generation = seg->generation;
	flow->flags &= ~NFAC_FLOW_HOLE;
	seg->restarted = flow->flags & NFAC_FLOW_DATA;
}

/*
 * Is the segment outside the receiver's window, or does the receiver discard it for another
 * reason? One byte beyond the window's end is inside, as in conntrack: a sender probes a closed
 * window with it, and it may have opened meanwhile.
 *
 * Conntrack has no entry for a segment that it finds invalid. So where it had one for the
 * direction before, the segment is outside. While conntrack knows the window, the flow's own
 * one is not kept up to date.
 */
static bool nfac_flow_outside(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	const struct nfac_track *track = &seg->track;
	u32 end = track->window ? track->window_end : flow->window_end;

	if (nfac_flow_unsent(flow, seg) || nfac_flow_outdated(flow, seg))
		return true;
	if (!track->window) {
		if (flow->flags & NFAC_FLOW_TRACKED)
			return !track->entry && !track->ignored;
		if (!(flow->flags & NFAC_FLOW_WINDOW))
			return false;
	}
	return nfac_seq_before(end, seg->seq) || nfac_seq_before(end + 1, seg->seq + seg->bytes);
}

/* Receivers discard the segment: it is scanned by itself, and the stream does not move. */
static void nfac_flow_discarded(struct nfac_segment *seg)
{
	if (seg->policy & NFAC_ATTACH_GAP_DROP) {
		nfac_segment_uninspected(seg, NFAC_SKIP_WINDOW);
		return;
	}
	nfac_segment_note(seg, NFAC_SKIP_WINDOW);
	seg->alone = true;
}

/* All of its bytes have passed before. */
static void nfac_flow_resent(struct nfac_flow *flow, struct nfac_segment *seg)
{
	nfac_flow_retransmitted(flow, seg, seg->bytes);
	nfac_flow_stamp_old(flow, seg);
}

/*
 * With "drop": has the direction a SYN that the other side did not answer, in a bucket that was
 * full? Perhaps it lost its slot, and the receiver goes on where it was: it ignores this SYN.
 */
static bool nfac_flow_unproven(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	return flow->peer_scale == NFAC_SCALE_UNPROVEN && !nfac_picks_up(seg->policy);
}

/* What rules may know of the connection: by the SYN that the flow began with, and its answer. */
static inline void nfac_flow_describe(const struct nfac_flow *flow, struct nfac_segment *seg)
{
	if (flow->offers & NFAC_OFFERS_TO_SERVER)
		seg->direction = NFAC_DIRECTION_TO_SERVER;
	else if (flow->offers & NFAC_OFFERS_TO_CLIENT)
		seg->direction = NFAC_DIRECTION_TO_CLIENT;
	if (nfac_flow_handshaken(flow) || flow->flags & NFAC_FLOW_ASSURED)
		seg->established = 1;
}

static void nfac_flow_segment(struct nfac_flow *flow, struct nfac_segment *seg,
			      struct nfac_scan *scan)
{
	u32 bytes = seg->bytes;
	u32 old;

	if (unlikely(nfac_flow_outside(flow, seg))) {
		nfac_flow_discarded(seg);
		return;
	}
	nfac_flow_agreed(flow, seg);

	if (unlikely(nfac_flow_unproven(flow, seg)) || (flow->flags & NFAC_FLOW_BLIND)) {
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		return;
	}
	nfac_flow_load(flow, seg);
	/* in the second cache line, which only a set with rules uses */
	if (scan->pending)
		nfac_flow_describe(flow, seg);
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
		nfac_flow_resent(flow, seg);
	else
		nfac_flow_continue(flow, seg, scan, old);

	/* a dropped segment ends nothing, and nfac_flow_commit() sees to a deferred one */
	if ((seg->tcp_flags & NFAC_TCP_FIN) && !seg->unseen && !seg->deferred.there)
		nfac_flow_end(flow, seg->seq + bytes);
}

/*
 * Most receivers ignore a SYN's data, and the sender retransmits them behind the SYN; those
 * that take them (TCP Fast Open) get the next bytes. So the stream goes on behind them, but
 * they do not count as scanned. With "drop" the SYN is dropped: it is retransmitted without
 * data.
 */
static void nfac_flow_syn(struct nfac_flow *flow, struct nfac_segment *seg,
			  struct nfac_scan *scan)
{
	if (seg->policy & NFAC_ATTACH_GAP_DROP) {
		nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		return;
	}
	nfac_flow_anew(flow, seg, seg->seq);
	/* no sender has a SYN segmented */
	if (unlikely(seg->bytes > NFAC_FLOW_HELD)) {
		nfac_segment_note(seg, NFAC_SKIP_GAP);
		seg->alone = true;
		return;
	}
	nfac_flow_urgent(flow, seg);
	nfac_flow_continue(flow, seg, scan, 0);
	flow->scanned_from = flow->next;
	/* any host can send such data, so they confirm nothing */
	flow->flags &= ~(NFAC_FLOW_DATA | NFAC_FLOW_CONFIRMED);
	flow->flags |= NFAC_FLOW_SYN_DATA;
}

/* No slot: the attachment's policy for new connections holds. */
static void nfac_flow_full(struct nfac_segment *seg)
{
	if (nfac_skip_drops(seg->policy, NFAC_SKIP_TABLE_FULL))
		nfac_segment_uninspected(seg, NFAC_SKIP_TABLE_FULL);
	else if (seg->bytes)
		nfac_segment_note(seg, NFAC_SKIP_TABLE_FULL);
	seg->alone = seg->bytes;
}

/**
 * nfac_flow_data() - scan a segment's new bytes, from the position of its stream
 * @bucket: where its direction can be, locked
 * @hash: of its direction
 * @seg: initialised; its payload is not empty, and receivers take it
 * @scan: initialised
 *
 * When @seg->alone comes out, nothing was scanned: call nfac_flow_standalone() after unlocking.
 * When @seg->deferred does, call nfac_flow_rest() then, and nfac_flow_commit().
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_data(struct nfac_flow_bucket *bucket, u64 hash,
		    struct nfac_segment *seg, struct nfac_scan *scan)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);
	bool syn = seg->tcp_flags & NFAC_TCP_SYN;

	if (unlikely(!flow)) {
		if (!syn && !nfac_picks_up(seg->policy)) {
			nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
			return;
		}
		flow = nfac_flow_enter(bucket, hash, seg);
	}
	if (unlikely(!flow))
		nfac_flow_full(seg);
	else if (syn && nfac_flow_live(flow, seg))
		nfac_flow_reopened(flow, seg);
	else if (syn)
		nfac_flow_syn(flow, seg, scan);
	else
		nfac_flow_segment(flow, seg, scan);
}

/* Neither data nor SYN. A receiver compares no timestamp of an RST. */
static void nfac_flow_bare(struct nfac_flow *flow, struct nfac_segment *seg)
{
	bool reset = seg->tcp_flags & NFAC_TCP_RST;

	if (!reset && (nfac_flow_unsent(flow, seg) || nfac_flow_outdated(flow, seg)))
		return;
	nfac_flow_closed(flow, seg);
	if (!reset && (seg->tcp_flags & NFAC_TCP_ACK) && !nfac_seq_before(flow->next, seg->seq))
		nfac_flow_stamp_old(flow, seg);
}

/**
 * nfac_flow_control() - note a segment without data, or whose data do not count
 * @bucket: where its direction can be, locked
 * @hash: of its direction
 * @seg: initialised; receivers take it
 *
 * If @seg->unseen is set on return, the segment must not pass; if @seg->resets is, call
 * nfac_flow_reset() for the other direction.
 *
 * A SYN begins a connection with a FIN too (RFC 9293, 3.10.7.2), but not with an RST. An
 * urgent pointer to later bytes counts without data, and so does a SYN-ACK's.
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
			nfac_flow_bare(flow, seg);
	} else if (!flow) {
		flow = nfac_flow_enter(bucket, hash, seg);
		if (!flow)
			nfac_flow_full(seg);
	} else if (nfac_flow_live(flow, seg)) {
		nfac_flow_reopened(flow, seg);
	} else {
		nfac_flow_anew(flow, seg, seg->seq);
	}
	if (flow) {
		nfac_flow_agreed(flow, seg);
		nfac_flow_urgent(flow, seg);
	}
}
