// SPDX-License-Identifier: GPL-2.0
/*
 * The start filter and the search for short patterns with AVX2.
 *
 * Patterns that are too short for a stride of NFAC_GRAM would make all others be
 * probed for more often. Here their bytes are looked up by nibbles, 32 positions at once
 * (Mula's and Langdale's "Teddy" in Hyperscan; Wang et al., NSDI 2019), and the
 * probes, which stay scalar because a gather costs more than its loads, go at
 * full stride for the others.
 */
#include "matcher_internal.h"

#ifdef NFAC_HAVE_AVX2

#ifdef __KERNEL__
/* the compiler's own header wants a C library */
#define __MM_MALLOC_H
#define _MM_MALLOC_H_INCLUDED
#endif
#include <immintrin.h>

/* Masks of one byte of a pattern, by lower and by upper nibble. */
struct nibbles {
	__m256i lower, upper;
};

static __always_inline struct nibbles load_nibbles(const u8 *map)
{
	return (struct nibbles){
		_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)map)),
		_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(map + 16))),
	};
}

/* Buckets that have the bytes at @text at this place: one byte for each of 32. */
static __always_inline __m256i look_up(const struct nibbles *n, const u8 *text)
{
	const __m256i low = _mm256_set1_epi8(15);
	__m256i x = _mm256_loadu_si256((const __m256i *)text);

	return _mm256_and_si256(
		_mm256_shuffle_epi8(n->lower, _mm256_and_si256(x, low)),
		_mm256_shuffle_epi8(n->upper, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
}

static __always_inline u32 nonzero(__m256i x)
{
	return ~(u32)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256()));
}

/*
 * Starts @text .. @text + 31 that probes or nibbles speak of: a bit for each. Reads
 * 35 bytes.
 */
static __always_inline u64 starts32(const struct nfac_automaton *a, const u8 *text,
				    const struct nibbles *n)
{
	const u8 *t = text + 3;
	u64 passed;
	u32 mids;

	passed = nfac_gram_test(a, t) |
		 nfac_gram_test(a, t + 4) << 4 |
		 nfac_gram_test(a, t + 8) << 8 |
		 nfac_gram_test(a, t + 12) << 12 |
		 nfac_gram_test(a, t + 16) << 16 |
		 nfac_gram_test(a, t + 20) << 20 |
		 nfac_gram_test(a, t + 24) << 24 |
		 nfac_gram_test(a, t + 28) << 28;
	mids = nonzero(_mm256_and_si256(
		_mm256_and_si256(look_up(&n[0], text), look_up(&n[1], text + 1)),
		_mm256_and_si256(look_up(&n[2], text + 2), look_up(&n[3], text + 3))));
	/* each probe that passed speaks of four starts */
	return passed * 15 | mids;
}

/* First of the @starts from @text on that may be one, or 64. */
static __always_inline u32 first_start(const struct nfac_automaton *a, const u8 *text,
				       u64 starts)
{
	for (; starts; starts &= starts - 1) {
		u32 start = nfac_ctz64(starts);

		if (unlikely(nfac_start_test(a, text + start)))
			return start;
	}
	return 64;
}

size_t nfac_filter_avx2(const struct nfac_automaton *a, const u8 *text,
			size_t from, size_t len)
{
	const size_t last = len - NFAC_GRAM;
	struct nibbles n[NFAC_GRAM];
	size_t pos = from;
	u32 found;
	int i;

	if (!a->mids || from + 64 >= last)
		return nfac_filter_portable(a, text, from, len);
	for (i = 0; i < NFAC_GRAM; i++)
		n[i] = load_nibbles(a->mids + 32 * i);

	for (; pos + 128 < last; pos += 128) {
		u64 low = starts32(a, text + pos, n) | starts32(a, text + pos + 32, n) << 32;
		u64 high = starts32(a, text + pos + 64, n) |
			   starts32(a, text + pos + 96, n) << 32;

		found = first_start(a, text + pos, low);
		if (unlikely(found < 64))
			return pos + found;
		found = first_start(a, text + pos + 64, high);
		if (unlikely(found < 64))
			return pos + 64 + found;
	}
	for (; pos + 32 < last; pos += 32) {
		found = first_start(a, text + pos, starts32(a, text + pos, n));
		if (unlikely(found < 64))
			return pos + found;
	}
	return nfac_filter_portable(a, text, pos, len);
}

size_t nfac_short_avx2(const struct nfac_automaton *a, const u8 *text,
		       size_t from, size_t upto)
{
	const u8 *map = a->short_map + 3 * 256;
	struct nibbles last = load_nibbles(map);
	struct nibbles second = load_nibbles(map + 32);
	struct nibbles third = load_nibbles(map + 64);
	size_t end = from + 1;

	for (; end + 31 <= upto; end += 32) {
		u32 hit = nonzero(_mm256_and_si256(
			_mm256_and_si256(look_up(&last, text + end - 1),
					 look_up(&second, text + end - 2)),
			look_up(&third, text + end - 3)));

		if (hit)
			return end + __builtin_ctz(hit);
	}
	return nfac_short_portable(a, text, end - 1, upto);
}

#endif /* NFAC_HAVE_AVX2 */
