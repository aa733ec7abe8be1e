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
#include "matcher_internal.h"

#if defined(NFAC_HAVE_AVX2) && defined(__KERNEL__)
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#endif

const char *const nfac_path_names[NFAC_PATH_MAX] = {
	[NFAC_PATH_NOFILTER]	= "nofilter",
	[NFAC_PATH_PORTABLE]	= "portable",
	[NFAC_PATH_AVX2]	= "avx2",
};

/* Eight probes from @text on: a bit for each that passes. */
static __always_inline u64 probe8(const struct nfac_automaton *a, const u8 *text,
				  const u32 stride)
{
	return nfac_gram_test(a, text) |
	       nfac_gram_test(a, text + stride) << 1 |
	       nfac_gram_test(a, text + 2 * stride) << 2 |
	       nfac_gram_test(a, text + 3 * stride) << 3 |
	       nfac_gram_test(a, text + 4 * stride) << 4 |
	       nfac_gram_test(a, text + 5 * stride) << 5 |
	       nfac_gram_test(a, text + 6 * stride) << 6 |
	       nfac_gram_test(a, text + 7 * stride) << 7;
}

/*
 * First start that probes which passed speak of, counted from @text, the first
 * start of the first probe; or @none.
 */
static __always_inline size_t first_start(const struct nfac_automaton *a, const u8 *text,
					  u64 passed, const u32 stride, size_t none)
{
	for (; passed; passed &= passed - 1) {
		size_t first = nfac_ctz64(passed) * stride;
		u32 starts = nfac_starts_test(a, text + first, stride);

		if (unlikely(starts))
			return first + nfac_ctz64(starts);
	}
	return none;
}

static __always_inline size_t filter(const struct nfac_automaton *a, const u8 *text,
				     size_t from, size_t len, const u32 stride)
{
	const size_t last = len - NFAC_GRAM;
	size_t start = from, found;
	u32 i;

	/*
	 * 64 probes to one branch: they are independent and hide each other's
	 * latency, and about one in a hundred passes, which no predictor foresees.
	 */
	for (; start + 64 * stride < last; start += 64 * stride) {
		const u8 *t = text + start + stride - 1;
		u64 passed = 0;

		for (i = 0; i < 64; i += 8)
			passed |= probe8(a, t + i * stride, stride) << i;
		found = first_start(a, text + start, passed, stride, len);
		if (unlikely(found != len))
			return start + found;
	}
	for (; start + 8 * stride < last; start += 8 * stride) {
		u64 passed = probe8(a, text + start + stride - 1, stride);

		found = first_start(a, text + start, passed, stride, len);
		if (unlikely(found != len))
			return start + found;
	}
	/* too little left for probes: the starts one by one */
	for (; start < last; start++)
		if (nfac_start_test(a, text + start))
			return start;
	return last;
}

size_t nfac_filter_portable(const struct nfac_automaton *a, const u8 *text,
			    size_t from, size_t len)
{
	switch (a->stride) {
	case 2: return filter(a, text, from, len, 2);
	case 3: return filter(a, text, from, len, 3);
	case 4: return filter(a, text, from, len, 4);
	default: return filter(a, text, from, len, 1);
	}
}

/* Buckets that the last three bytes before @end speak of, where there are so many. */
static __always_inline u8 short_buckets(const u8 *map, const u8 *end)
{
	return map[end[-1]] & map[256 + end[-2]] & map[512 + end[-3]];
}

/* Buckets of the patterns of 1, 2 and 3 bytes. */
static const u8 buckets_of[NFAC_GRAM] = { 0, 0x01, 0x0e, 0xf0 };

/* Tell of a short pattern with the last @length bytes of @last, if there is one. */
static __always_inline void short_one(struct nfac_run *run, u32 last, u32 length,
				      size_t end)
{
	u32 key = last >> 8 * (NFAC_GRAM - length) | length << 24;
	u32 output = nfac_table_find(&run->a->shorts, key);

	if (output != NFAC_NONE)
		nfac_report(run, output, end);
}

/* Tell of those of @buckets that end at @end, longest first. @last: before @end. */
static __always_inline void short_at(struct nfac_run *run, u32 last, u8 buckets, size_t end)
{
	if (buckets & buckets_of[3])
		short_one(run, last, 3, end);
	if (buckets & buckets_of[2])
		short_one(run, last, 2, end);
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

/* Of 32 ends, so many are looked at one by one. */
#define NFAC_MANY	14

#ifdef NFAC_HAVE_AVX2
/*
 * Those of @ends, counted from @end, that bytes let pass too, are told of. They are
 * picked without a branch first: which of them are, no predictor foresees.
 */
static __always_inline void short_some(struct nfac_run *run, u32 ends, size_t end)
{
	const u8 *map = run->a->short_map, *text = run->text;
	u8 at[32], buckets[32];
	u32 n = 0, i;

	for (; ends; ends &= ends - 1) {
		at[n] = nfac_ctz64(ends);
		buckets[n] = short_buckets(map, text + end + at[n]);
		n += !!buckets[n];
	}
	for (i = 0; i < n && !run->deaf; i++)
		short_at(run, nfac_gram_at(text + end + at[i] - NFAC_GRAM), buckets[i],
			 end + at[i]);
}
#endif

void nfac_shorts(struct nfac_run *run, size_t upto)
{
	const u8 *map = run->a->short_map, *text = run->text;
	size_t end = run->short_done + 1;
	u8 buckets;

	/* ends that have fewer bytes of the block before them than are read */
	for (; end <= upto && end < NFAC_GRAM; end++)
		short_early(run, end);
#ifdef NFAC_HAVE_AVX2
	for (; run->path >= NFAC_PATH_AVX2 && end + 31 <= upto && !run->deaf; end += 32) {
		u32 ends = nfac_short_avx2(run->a, text + end);

		/* nibbles let more pass than bytes; where it is too much, they do not pay */
		if (nfac_weight(ends) > NFAC_MANY)
			break;
		short_some(run, ends, end);
	}
#endif
	for (; end <= upto && !run->deaf; end++) {
		buckets = short_buckets(map, text + end);
		if (buckets)
			short_at(run, nfac_gram_at(text + end - NFAC_GRAM), buckets, end);
	}
	if (run->short_done < upto)
		run->short_done = upto;
}

enum nfac_path nfac_path_best(void)
{
#if defined(NFAC_HAVE_AVX2) && !defined(__KERNEL__)
	if (__builtin_cpu_supports("avx2"))
		return NFAC_PATH_AVX2;
#elif defined(NFAC_HAVE_AVX2)
	/* the processor has it, and the kernel keeps its registers */
	if (boot_cpu_has(X86_FEATURE_AVX2) &&
	    cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL))
		return NFAC_PATH_AVX2;
#endif
	return NFAC_PATH_PORTABLE;
}
