// SPDX-License-Identifier: GPL-2.0
/*
 * The search for short patterns, of less than NFAC_GRAM bytes.
 *
 * Three maps of buckets, one for each of the last three bytes, give candidate ends. A hash table of
 * the bytes before the end gives the pattern; a byte pattern is looked up by its byte.
 * nfac_report_long() and nfac_match_block() call nfac_short_patterns().
 */
#include "run.h"

/*
 * Report the short patterns in @buckets that end at @end; the longest one's list has the others.
 * Not inlined: most ends have no bucket, and their loop needs the registers (plain C: 10 %).
 */
static noinline void short_at(struct nfac_run *run, u32 last, u8 buckets, size_t end)
{
	u32 output;

	if (nfac_short_output(run->a, last, buckets, &output))
		nfac_report(run, output, end);
}

/* short_at() near the block's beginning, where some bytes may be before the block. */
static void short_across(struct nfac_run *run, size_t end)
{
	u32 length = end + run->have >= 3 ? 3 : end + run->have, k, last = 0;
	u8 buckets = 0;

	for (k = 1; k <= length; k++) {
		last |= (u32)nfac_text_at(run, (s64)end - k) << 8 * (NFAC_GRAM - k);
		buckets |= run->a->short_lengths >> k & 1 ? NFAC_SHORT_OF(k) : 0;
	}
	buckets &= run->a->short_map[last >> 24] | ~NFAC_SHORT_OF(1);
	short_at(run, last, buckets, end);
}

/* Report the short patterns that end at text[@end - 1]. */
static __always_inline void short_end(struct nfac_run *run, const u8 *map, const u8 *text,
				      size_t end)
{
	u8 buckets = nfac_short_buckets(map, text + end);

	if (buckets)
		short_at(run, nfac_gram_at(text + end - NFAC_GRAM), buckets, end);
}

#ifdef NFAC_HAVE_VECTOR
/* nfac_short_vector() for 64 ends. */
static u64 short64(const struct nfac_automaton *a, const u8 *end)
{
	return nfac_short_vector(a, end) | (u64)nfac_short_vector(a, end + 32) << 32;
}

/*
 * Search @end .. @upto by vectors. A vector covers 32 or 64 ends, possibly behind @upto but not
 * behind the block. Return: the next end.
 */
static size_t short_vectors(struct nfac_run *run, size_t end, size_t upto)
{
	const u8 *map = run->a->short_map, *text = run->text;

	while (end <= upto && !run->stopped) {
		u64 now;
		size_t to;

		if (end > run->short_to) {
			if (run->len < end + 31)
				break;
			run->short_from = end;
			if (run->len >= end + 63) {
				run->short_ends = short64(run->a, text + end);
				run->short_to = end + 63;
			} else {
				run->short_ends = nfac_short_vector(run->a, text + end);
				run->short_to = end + 31;
			}
		}
		to = upto < run->short_to ? upto : run->short_to;
		now = run->short_ends & ~0ull << (end - run->short_from) &
		      ((2ull << (to - run->short_from)) - 1);
		for (; now && !run->stopped; now &= now - 1)
			short_end(run, map, text, run->short_from + nfac_ctz64(now));
		end = to + 1;
	}
	return end;
}
#endif

u64 nfac_short_ends(const struct nfac_run *run, size_t end, u32 n)
{
	const u8 *map = run->a->short_map, *text = run->text + end;
	u64 found = 0;
	u32 i;

#ifdef NFAC_HAVE_VECTOR
	if (run->path >= NFAC_PATH_VECTOR && n == 64 && run->len >= end + 63)
		return short64(run->a, text);
#endif
	for (i = 0; i < n; i++)
		found |= (u64)!!nfac_short_buckets(map, text + i) << i;
	return found;
}

void nfac_short_patterns(struct nfac_run *run, size_t upto)
{
	const u8 *map = run->a->short_map, *text = run->text;
	size_t end = run->short_done + 1;

	/* ends with fewer bytes of the block before them than are read */
	for (; end <= upto && end < NFAC_GRAM; end++)
		short_across(run, end);
#ifdef NFAC_HAVE_VECTOR
	if (run->path >= NFAC_PATH_VECTOR)
		end = short_vectors(run, end, upto);
#endif
	for (; end <= upto && !run->stopped; end++)
		short_end(run, map, text, end);
	if (run->short_done < upto)
		run->short_done = upto;
}
