// SPDX-License-Identifier: GPL-2.0
/*
 * The start filter in plain C, and the search for short patterns.
 *
 * Long patterns: each pattern's grams at offsets 0 .. stride - 1 are in the probe
 * map, so probing every stride-th position meets one of them (Wu and Manber 1994,
 * with a constant shift). A pattern too short to have a whole gram at some offset
 * has a 3-byte tail in the tail map instead. What a probe finds is looked at again
 * at its possible starts, in the start map, before the automaton is asked.
 */
#include "matcher_internal.h"

const char *const nfac_path_names[NFAC_PATH_MAX] = {
	[NFAC_PATH_NOFILTER]	= "nofilter",
	[NFAC_PATH_PORTABLE]	= "portable",
	[NFAC_PATH_AVX2]	= "avx2",
	[NFAC_PATH_AVX512]	= "avx512",
};

static __always_inline bool start_test(const struct nfac_automaton *a, const u8 *text)
{
	u32 gram = nfac_gram_at(text) | a->fold;

	return nfac_map_test(a->start_map, nfac_gram_hash(gram, a->start_shift));
}

static __always_inline u64 probe(const struct nfac_automaton *a, const u8 *text,
				 const bool tail)
{
	u32 gram = nfac_gram_at(text) | a->fold;
	u32 bit = nfac_gram_hash(gram, a->gram_shift);
	u64 hit = a->gram_map[bit >> 6] >> (bit & 63);

	if (tail) {
		bit = nfac_gram_hash(gram & 0xffffff, a->tail_shift);
		hit |= a->tail_map[bit >> 6] >> (bit & 63);
	}
	return hit & 1;
}

static __always_inline size_t filter(const struct nfac_automaton *a, const u8 *text,
				     size_t from, size_t len, const u32 stride,
				     const bool tail)
{
	const size_t last = len - NFAC_GRAM;
	size_t pos = from + stride - 1;
	size_t start;

	for (;;) {
		/* eight independent probes hide each other's latency */
		while (pos + 7 * stride <= last) {
			const u8 *t = text + pos;
			u64 hit;

			hit = probe(a, t, tail);
			hit |= probe(a, t + stride, tail) << 1;
			hit |= probe(a, t + 2 * stride, tail) << 2;
			hit |= probe(a, t + 3 * stride, tail) << 3;
			hit |= probe(a, t + 4 * stride, tail) << 4;
			hit |= probe(a, t + 5 * stride, tail) << 5;
			hit |= probe(a, t + 6 * stride, tail) << 6;
			hit |= probe(a, t + 7 * stride, tail) << 7;
			for (; unlikely(hit); hit &= hit - 1) {
				size_t at = pos + nfac_ctz64(hit) * stride;

				for (start = at - (stride - 1); start <= at; start++)
					if (start_test(a, text + start))
						return start;
			}
			pos += 8 * stride;
		}
		for (; pos <= last; pos += stride) {
			if (!probe(a, text + pos, tail))
				continue;
			for (start = pos - (stride - 1); start <= pos; start++)
				if (start_test(a, text + start))
					return start;
		}
		break;
	}
	/* starts that no probe's whole gram covers */
	for (start = pos - (stride - 1); start <= last; start++)
		if (start_test(a, text + start))
			return start;
	return last + 1;
}

size_t nfac_filter_portable(const struct nfac_automaton *a, const u8 *text,
			    size_t from, size_t len)
{
	if (a->tail_shift)
		switch (a->stride) {
		case 2: return filter(a, text, from, len, 2, true);
		case 3: return filter(a, text, from, len, 3, true);
		case 4: return filter(a, text, from, len, 4, true);
		}
	switch (a->stride) {
	case 2: return filter(a, text, from, len, 2, false);
	case 3: return filter(a, text, from, len, 3, false);
	case 4: return filter(a, text, from, len, 4, false);
	default: return filter(a, text, from, len, 1, false);
	}
}

/* Tell of the short patterns that end at @end, longest first. */
static void short_at(struct nfac_run *run, size_t end)
{
	const struct nfac_automaton *a = run->a;
	u32 length = end + run->have >= 3 ? 3 : end + run->have;

	for (; length; length--) {
		u32 k, output, key = length << 24;

		if (!(a->short_lengths >> length & 1))
			continue;
		for (k = 0; k < length; k++)
			key |= (u32)nfac_text_at(run, (s64)end - length + k) << 8 * k;
		output = nfac_table_find(a, &a->shorts, key);
		if (output != NFAC_NONE)
			nfac_report(run, output, end);
	}
}

size_t nfac_short_portable(const struct nfac_automaton *a, const u8 *text,
			   size_t from, size_t upto)
{
	const u8 *map = a->short_map;
	size_t end;

	for (end = from + 1; end <= upto; end++)
		if (map[text[end - 1]] & map[256 + text[end - 2]] &
		    map[512 + text[end - 3]])
			break;
	return end;
}

void nfac_shorts(struct nfac_run *run, size_t upto)
{
	size_t end = run->short_done;

	while (end < upto && !run->deaf) {
		if (end < 2)
			end++;
#ifdef NFAC_HAVE_AVX2
		else if (run->path >= NFAC_PATH_AVX2)
			end = nfac_short_avx2(run->a, run->text, end, upto);
#endif
		else
			end = nfac_short_portable(run->a, run->text, end, upto);
		if (end <= upto)
			short_at(run, end);
	}
	if (run->short_done < upto)
		run->short_done = upto;
}

enum nfac_path nfac_path_best(void)
{
	return NFAC_PATH_PORTABLE;
}
