// SPDX-License-Identifier: GPL-2.0
/*
 * The prefilter in plain C.
 *
 * nfac_next_entry() calls nfac_filter_portable(), which fills a candidate batch. The q-grams of
 * each pattern at the offsets 0 .. stride - 1 are in the q-gram map, so a probe of every stride-th
 * position meets one of them (Wu and Manber 1994, with a constant shift). Where a pattern has only
 * three bytes left at an offset, all q-grams that begin with them are in the map. With a stride of
 * NFAC_BEFORE_STRIDE a pattern of NFAC_GRAM bytes has offsets from -1 on, there with any first
 * byte. Candidates are confirmed by the Bloom filter before they are looked up in the entries.
 */
#include "candidates.h"

static __always_inline size_t filter(struct nfac_run *run, size_t from, const u32 stride,
				     const bool five, const bool fold)
{
	const struct nfac_automaton *a = run->a;
	const u32 before = stride == NFAC_BEFORE_STRIDE ? a->before : 0;
	const size_t last = run->len - NFAC_GRAM - before;
	const u8 *text = run->text;
	struct nfac_candidates *batch = run->batch;
	size_t start = from, end, found, at;
	u64 groups;
	u32 i;

	for (; start < last && last >= 8 * stride; start = batch->to) {
		if (nfac_candidates_first(a, text + start, before))
			return start;
		end = last;
		nfac_candidates_begin(batch, start, stride, before);
		/* 64 probes are independent and hide each other's latency */
		for (at = start; at + 64 * stride <= end && batch->words < NFAC_CANDIDATES_WORDS;
		     at += 64 * stride) {
			const u8 *t = text + at + stride - 1;

			nfac_prefetch_text(t, 64 * stride);
			groups = 0;
			for (i = 64; i;) {
				i -= 8;
				groups = nfac_probe8(a, groups, t + i * stride, stride, five, fold);
			}
			nfac_candidates_add(batch, at, at + 64 * stride, groups);
			if (at == start)
				end = nfac_candidates_end(start, last, groups);
		}
		for (; at < end && batch->words < NFAC_CANDIDATES_WORDS; at += 8 * stride) {
			/* the last probes overlap those before */
			at = at + 8 * stride > last ? last - 8 * stride : at;
			groups = nfac_probe8(a, 0, text + at + stride - 1, stride, five, fold);
			groups = nfac_candidates_new(batch, at, groups, stride);
			nfac_candidates_add(batch, at, at + 8 * stride, groups);
		}
		found = nfac_candidates_next(run, from);
		if (found < batch->to)
			return found;
	}
	/* too little text for a batch: confirm the positions one by one */
	for (; start < last; start++)
		if (nfac_candidates_confirm(a, nfac_keys_at(a, text + start, 1), 1, false))
			return start;
	return last;
}

/* a map of five bytes has a stride above 1 */
static __always_inline size_t filter_stride(struct nfac_run *run, size_t from, const bool five,
					    const bool fold)
{
	switch (run->a->stride) {
	case 2: return filter(run, from, 2, five, fold);
	case 3: return filter(run, from, 3, five, fold);
	case 4: return filter(run, from, 4, five, fold);
	default: return filter(run, from, 1, false, fold);
	}
}

static __always_inline size_t tables_bytes(struct nfac_run *run, size_t from, const bool fold)
{
	if (run->a->gram_bytes > NFAC_GRAM)
		return filter_stride(run, from, true, fold);
	return filter_stride(run, from, false, fold);
}

static noinline size_t filter_folding(struct nfac_run *run, size_t from)
{
	return tables_bytes(run, from, true);
}

/* Without folding: one operation less for each probe, of nine. */
static noinline size_t filter_exact(struct nfac_run *run, size_t from)
{
	return tables_bytes(run, from, false);
}

size_t nfac_filter_portable(struct nfac_run *run, size_t from)
{
	return run->a->fold ? filter_folding(run, from) : filter_exact(run, from);
}
