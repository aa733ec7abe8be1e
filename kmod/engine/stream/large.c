// SPDX-License-Identifier: GPL-2.0
/*
 * Large segments, which are GSO packets: scanned without the lock of their bucket, so that other
 * directions of the bucket do not wait for them.
 *
 * flow.c defers a segment that continues its stream with more than NFAC_FLOW_HELD bytes. Its caller
 * scans it, takes the lock again, and commits it: that moves the stream if nothing else has moved
 * it meanwhile.
 */
#include "advance.h"

/* The segment is too long to be scanned under the lock. One with an urgent byte is by itself. */
void nfac_flow_defer(const struct nfac_flow *flow, struct nfac_segment *seg, u32 old)
{
	struct nfac_deferred *d = &seg->deferred;
	u32 urgent = flow->urgent - seg->seq;

	if ((flow->flags & NFAC_FLOW_URGENT) && urgent >= old && urgent < seg->bytes) {
		nfac_segment_note(seg, NFAC_SKIP_GAP);
		seg->alone = true;
		return;
	}
	d->there = true;
	d->windowed = flow->window;
	d->old = old;
	d->next = flow->next;
	d->start = flow->start;
	d->scanned_from = flow->scanned_from;
	d->cursor = flow->cursor;
	d->origin = nfac_flow_origin(flow, seg->seq);
}

/**
 * nfac_flow_rest() - scan a segment that nfac_flow_data() has deferred
 * @seg: with @deferred
 * @scan: initialised
 *
 * Context: any; no lock is needed.
 */
void nfac_flow_rest(struct nfac_segment *seg, struct nfac_scan *scan)
{
	struct nfac_deferred *d = &seg->deferred;

	scan->cursor = &d->cursor;
	scan->base = d->old;
	scan->origin = d->origin;
	seg->scanned = nfac_scan_source(scan, seg->source, d->old, seg->bytes);
	if (seg->scanned == seg->bytes - d->old)
		nfac_confirm_rest(seg, scan);
}

static bool nfac_flow_moved(const struct nfac_flow *flow, const struct nfac_segment *seg)
{
	const struct nfac_deferred *d = &seg->deferred;

	return !flow || flow->next != d->next || flow->start != d->start ||
	       flow->scanned_from != d->scanned_from || flow->generation != seg->generation ||
	       (flow->flags & NFAC_FLOW_BLIND) || d->windowed != !!flow->window;
}

/**
 * nfac_flow_commit() - move the stream behind a segment that was scanned without the lock
 * @bucket: where its direction can be, locked
 * @hash: of its direction
 * @seg: after nfac_flow_rest()
 * @scan: likewise
 *
 * The direction may have lost its slot meanwhile, or another segment may have moved it. Then this
 * one was scanned from the position that the stream had before. It is like one behind a gap: it
 * counts, and with "drop" it does not pass, so that all bytes that pass were scanned in order.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_flow_commit(struct nfac_flow_bucket *bucket, u64 hash,
		      struct nfac_segment *seg, struct nfac_scan *scan)
{
	struct nfac_flow *flow = nfac_flow_find(bucket, hash);
	struct nfac_deferred *d = &seg->deferred;

	if (seg->scanned < seg->bytes - d->old) {
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
		return;
	}
	if (nfac_flow_moved(flow, seg)) {
		nfac_segment_note(seg, NFAC_SKIP_GAP);
		if (seg->policy & NFAC_ATTACH_GAP_DROP)
			nfac_segment_uninspected(seg, NFAC_SKIP_GAP);
		nfac_confirm_late(flow ? flow->window : NULL, seg, scan, d->old);
		return;
	}
	flow->cursor = d->cursor;
	nfac_flow_append(flow, seg, scan, d->old);
	if (seg->tcp_flags & NFAC_TCP_FIN)
		nfac_flow_end(flow, seg->seq + seg->bytes);
}
