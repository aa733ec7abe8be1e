// SPDX-License-Identifier: GPL-2.0
/*
 * The start filter in plain C, and the search for short patterns.
 *
 * Long patterns: each pattern's grams at offsets 0 .. stride - 1 are in a map, so
 * probing every stride-th position meets one of them (Wu and Manber 1994, with a
 * constant shift). A pattern that has but three bytes left at some offset has
 * all grams there that begin with them. What a probe finds is looked at again at
 * its possible starts before the automaton is asked.
 */
#include "matcher_row.h"

#if defined(NFAC_HAVE_AVX2) && defined(__KERNEL__)
#include "compat.h"
#endif

const char *const nfac_path_names[NFAC_PATH_MAX] = {
	[NFAC_PATH_NOFILTER]	= "nofilter",
	[NFAC_PATH_PORTABLE]	= "portable",
	[NFAC_PATH_AVX2]	= "avx2",
};

static __always_inline size_t filter(struct nfac_run *run, size_t from, const u32 stride,
				     const bool five, const bool fold)
{
	const struct nfac_automaton *a = run->a;
	const size_t last = run->len - NFAC_GRAM;
	const u8 *text = run->text;
	struct nfac_row *row = run->row;
	size_t start = from, end, found, at;
	u64 groups;
	u32 i;

	for (; start < last && last >= 8 * stride; start = row->to) {
		end = last;
		nfac_row_begin(row, start, stride);
		/* 64 probes are independent and hide each other's latency */
		for (at = start; at + 64 * stride <= end && row->words < NFAC_ROW_WORDS;
		     at += 64 * stride) {
			const u8 *t = text + at + stride - 1;

			nfac_ask_ahead(t, 64 * stride);
			groups = 0;
			for (i = 0; i < 64; i += 8)
				groups |= nfac_probe8(a, t + i * stride, stride, five, fold) << i;
			nfac_row_add(row, at, at + 64 * stride, groups);
			if (at == start)
				end = nfac_row_end(start, last, groups);
		}
		for (; at < end && row->words < NFAC_ROW_WORDS; at += 8 * stride) {
			/* the last look overlaps the one before */
			at = at + 8 * stride > last ? last - 8 * stride : at;
			groups = nfac_probe8(a, text + at + stride - 1, stride, five, fold);
			nfac_row_add(row, at, at + 8 * stride, groups);
		}
		found = nfac_row_next(run, from);
		if (found < row->to)
			return found;
	}
	/* too little for a row: the starts one by one */
	for (; start < last; start++)
		if (nfac_start_test(a, text + start))
			return start;
	return last;
}

/* A map of five bytes has a stride above 1. */
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

static __always_inline size_t filter_bytes(struct nfac_run *run, size_t from, const bool fold)
{
	if (run->a->gram_bytes > NFAC_GRAM)
		return filter_stride(run, from, true, fold);
	return filter_stride(run, from, false, fold);
}

static noinline size_t filter_folding(struct nfac_run *run, size_t from)
{
	return filter_bytes(run, from, true);
}

/* By itself: an operation less for each probe, of nine. */
static noinline size_t filter_exact(struct nfac_run *run, size_t from)
{
	return filter_bytes(run, from, false);
}

size_t nfac_filter_portable(struct nfac_run *run, size_t from)
{
	return run->a->fold ? filter_folding(run, from) : filter_exact(run, from);
}

/* Buckets that the last three bytes before @end speak of, where there are so many. */
static __always_inline u8 short_buckets(const u8 *map, const u8 *end)
{
	return map[end[-1]] & map[256 + end[-2]] & map[512 + end[-3]];
}

/* Buckets of the patterns of 1, 2 and 3 bytes. */
static const u8 buckets_of[NFAC_GRAM] = { 0, 0x01, 0x0e, 0xf0 };

/* Report the short pattern that the last @length bytes of @last are. Return: is there one? */
static __always_inline bool short_one(struct nfac_run *run, u32 last, u32 length,
				      size_t end)
{
	u32 key = last >> 8 * (NFAC_GRAM - length) | length << 24;
	u32 output = nfac_table_find(&run->a->shorts, key);

	if (output == NFAC_NONE)
		return false;
	nfac_report(run, output, end);
	return true;
}

/*
 * Report those of @buckets that end at @end: the longest one's list has the others. @last:
 * the bytes before @end.
 */
static __always_inline void short_at(struct nfac_run *run, u32 last, u8 buckets, size_t end)
{
	if (buckets & buckets_of[3] && short_one(run, last, 3, end))
		return;
	if (buckets & buckets_of[2] && short_one(run, last, 2, end))
		return;
	if (buckets & buckets_of[1])
		short_one(run, last, 1, end);
}

/* The same near the block's beginning, where some bytes may lie before it. */
static void short_early(struct nfac_run *run, size_t end)
{
	u32 length = end + run->have >= 3 ? 3 : end + run->have, k, last = 0;
	u8 buckets = 0;

	for (k = 1; k <= length; k++) {
		last |= (u32)nfac_text_at(run, (s64)end - k) << 8 * (NFAC_GRAM - k);
		buckets |= run->a->short_lengths >> k & 1 ? buckets_of[k] : 0;
	}
	short_at(run, last, buckets, end);
}

/* Tell of what ends at @end of @text, if its last bytes are such. */
static __always_inline void short_end(struct nfac_run *run, const u8 *map, const u8 *text,
				      size_t end)
{
	u8 buckets = short_buckets(map, text + end);

	if (buckets)
		short_at(run, nfac_gram_at(text + end - NFAC_GRAM), buckets, end);
}

#ifdef NFAC_HAVE_AVX2
/*
 * From @end to @upto by vectors, as far as they reach: they look at whole rows of ends,
 * which may go past @upto, but not past the block. Return: the next end.
 */
static size_t short_vectors(struct nfac_run *run, size_t end, size_t upto)
{
	const u8 *map = run->a->short_map, *text = run->text;

	while (end <= upto && !run->deaf) {
		u64 now;
		size_t to;

		if (end > run->ends_to) {
			if (run->len < end + 31)
				break;
			run->ends = nfac_short_avx2(run->a, text + end);
			run->ends_from = end;
			run->ends_to = end + 31;
			if (run->len >= end + 63) {
				run->ends |= (u64)nfac_short_avx2(run->a, text + end + 32) << 32;
				run->ends_to = end + 63;
			}
		}
		to = upto < run->ends_to ? upto : run->ends_to;
		now = run->ends & ~0ull << (end - run->ends_from) &
		      ((2ull << (to - run->ends_from)) - 1);
		for (; now && !run->deaf; now &= now - 1)
			short_end(run, map, text, run->ends_from + nfac_ctz64(now));
		end = to + 1;
	}
	return end;
}
#endif

void nfac_shorts(struct nfac_run *run, size_t upto)
{
	const u8 *map = run->a->short_map, *text = run->text;
	size_t end = run->short_done + 1;

	/* ends that have fewer bytes of the block before them than are read */
	for (; end <= upto && end < NFAC_GRAM; end++)
		short_early(run, end);
#ifdef NFAC_HAVE_AVX2
	if (run->path >= NFAC_PATH_AVX2)
		end = short_vectors(run, end, upto);
#endif
	for (; end <= upto && !run->deaf; end++)
		short_end(run, map, text, end);
	if (run->short_done < upto)
		run->short_done = upto;
}

enum nfac_path nfac_path_best(void)
{
#if defined(NFAC_HAVE_AVX2) && !defined(__KERNEL__)
	if (__builtin_cpu_supports("avx2"))
		return NFAC_PATH_AVX2;
#elif defined(NFAC_HAVE_AVX2)
	if (nfac_have_avx2())
		return NFAC_PATH_AVX2;
#endif
	return NFAC_PATH_PORTABLE;
}
