// SPDX-License-Identifier: GPL-2.0
/*
 * The start filter and the search for short patterns with AVX2.
 *
 * Patterns that are too short for a stride of NFAC_GRAM would make all others be
 * probed for more often. Here their bytes are looked up by nibbles, 32 positions at
 * once ("Teddy" in Hyperscan; Wang et al., NSDI 2019), and probes, eight at once, go
 * at full stride for the others. A set of few patterns is looked up by nibbles alone.
 */
#include "matcher_internal.h"

#if defined(NFAC_HAVE_AVX2) && !defined(__CHECKER__) /* which knows no vectors */

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
	const __m256i mask = _mm256_set1_epi8(15);
	__m256i x = _mm256_loadu_si256((const __m256i *)text);
	__m256i low = _mm256_and_si256(x, mask);
	__m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), mask);

	return _mm256_and_si256(_mm256_shuffle_epi8(n->lower, low),
				_mm256_shuffle_epi8(n->upper, high));
}

static __always_inline u32 nonzero(__m256i x)
{
	return ~(u32)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256()));
}

/*
 * Grams of eight probes, four bytes apart: a bit for each that is in the map
 * (nfac_gram_test() of each).
 */
static __always_inline u32 probe8(const struct nfac_automaton *a, const u8 *text)
{
	const __m256i one = _mm256_set1_epi32(1);
	__m256i gram, word, half, hit;

	gram = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)text),
			       _mm256_set1_epi32((u32)a->fold));
	word = _mm256_srl_epi32(_mm256_mullo_epi32(_mm256_slli_epi32(gram, 8),
						   _mm256_set1_epi32(NFAC_GRAM_FACTOR)),
				_mm_cvtsi32_si128(a->gram_shift));
	/* a word of the map is two of what is gathered: the gram's bit 29 says which */
	half = _mm256_or_si256(_mm256_add_epi32(word, word),
			       _mm256_and_si256(_mm256_srli_epi32(gram, 29), one));
	word = _mm256_i32gather_epi32((const int *)a->grams, half, 4);
	hit = _mm256_srlv_epi32(word, _mm256_and_si256(_mm256_srli_epi32(gram, 24),
						       _mm256_set1_epi32(31)));
	return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(hit, 31)));
}

/* Starts @text .. @text + 31 whose bytes short patterns may have. */
static __always_inline u32 mids32(const u8 *text, const struct nibbles *n)
{
	__m256i front = _mm256_and_si256(look_up(&n[0], text), look_up(&n[1], text + 1));
	__m256i back = _mm256_and_si256(look_up(&n[2], text + 2), look_up(&n[3], text + 3));

	return nonzero(_mm256_and_si256(front, back));
}

/*
 * Probes of 32 starts from @text on, at least every @stride positions: a bit for
 * each four starts. Reads 35 bytes.
 */
static __always_inline u32 probes32(const struct nfac_automaton *a, const u8 *text,
				    const u32 stride)
{
	u32 probes = probe8(a, text + 3);

	if (stride <= 2)
		probes |= probe8(a, text + 1);
	if (stride == 1)
		probes |= probe8(a, text) | probe8(a, text + 2);
	return probes;
}

static __always_inline size_t filter(struct nfac_run *run, size_t from, const u32 stride,
				     const u32 mids)
{
	const struct nfac_automaton *a = run->a;
	const size_t last = run->len - NFAC_GRAM;
	struct nibbles n[NFAC_GRAM];
	size_t pos = from, found;
	int i;

	if (last < 32)
		return nfac_filter_portable(run, from);
	for (i = 0; mids && i < NFAC_GRAM; i++)
		n[i] = load_nibbles(a->mids + 32 * i);
	/* one branch to 128 starts, for what passes is foreseen by no predictor */
	while (pos < last) {
		struct nfac_row row = { .from = pos, .to = pos + 128, .stride = NFAC_GRAM };
		const u8 *t = run->text + pos;

		if (row.to < last) {
			if (mids != NFAC_MIDS_ALL)
				row.groups = probes32(a, t, stride) |
					     probes32(a, t + 32, stride) << 8 |
					     probes32(a, t + 64, stride) << 16 |
					     probes32(a, t + 96, stride) << 24;
			if (mids) {
				row.low = mids32(t, n) | (u64)mids32(t + 32, n) << 32;
				row.high = mids32(t + 64, n) | (u64)mids32(t + 96, n) << 32;
			}
		} else {
			/* the last row overlaps the one before */
			row.from = pos + 32 > last ? last - 32 : pos;
			row.to = row.from + 32;
			t = run->text + row.from;
			if (mids != NFAC_MIDS_ALL)
				row.groups = probes32(a, t, stride);
			if (mids)
				row.low = mids32(t, n);
		}
		if (row.groups | row.low | row.high) {
			found = nfac_row_first(run, row, from);
			if (found < row.to)
				return found;
		}
		pos = row.to;
	}
	return last;
}

size_t nfac_filter_avx2(struct nfac_run *run, size_t from)
{
	if (run->a->mids_kind == NFAC_MIDS_ALL)
		return filter(run, from, NFAC_GRAM, NFAC_MIDS_ALL);
	if (run->a->mids_kind == NFAC_MIDS_SHORTER)
		return filter(run, from, NFAC_GRAM, NFAC_MIDS_SHORTER);
	switch (run->a->stride) {
	case 4: return filter(run, from, 4, NFAC_MIDS_NONE);
	case 3: /* a map for three offsets serves two as well */
	case 2: return filter(run, from, 2, NFAC_MIDS_NONE);
	default: return filter(run, from, 1, NFAC_MIDS_NONE);
	}
}

/* 32 bytes of text, made ready to be looked for in sets of bytes. */
struct byte_class {
	__m256i x;
	__m256i lower;	/* nibbles, which name a byte of the set */
	__m256i bit;	/* in that byte, of the upper nibble modulo 8 */
};

static __always_inline struct byte_class classify(const u8 *text)
{
	const __m256i bits = _mm256_set1_epi64x(0x8040201008040201ull);
	__m256i x = _mm256_loadu_si256((const __m256i *)text);

	return (struct byte_class){
		.x = x,
		.lower = _mm256_and_si256(x, _mm256_set1_epi8(15)),
		.bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(x, 4),
								  _mm256_set1_epi8(15))),
	};
}

/* Which of them are in @set: all bits of each such byte. */
static __always_inline __m256i is_in(const struct byte_class *c, const u8 *set)
{
	const struct nibbles n = load_nibbles(set);
	/* the set's halves are for upper nibbles below 8, and from 8 on: the byte's sign */
	__m256i row = _mm256_blendv_epi8(_mm256_shuffle_epi8(n.lower, c->lower),
					 _mm256_shuffle_epi8(n.upper, c->lower), c->x);

	return _mm256_cmpeq_epi8(_mm256_and_si256(row, c->bit), c->bit);
}

u32 nfac_short_avx2(const struct nfac_automaton *a, const u8 *end)
{
	const u8 *map = a->short_map + NFAC_SHORT_BUCKETS, *set = map + NFAC_SHORT_NIBBLES;
	const struct nibbles last = load_nibbles(map), second = load_nibbles(map + 32);
	const struct nibbles third = load_nibbles(map + 64);
	const struct byte_class c1 = classify(end - 1), c2 = classify(end - 2);
	const struct byte_class c3 = classify(end - 3);
	__m256i buckets, two, three;

	/* bytes that are each in a pattern, but not in the same one, seldom share a bucket */
	buckets = _mm256_and_si256(_mm256_and_si256(look_up(&last, end - 1),
						    look_up(&second, end - 2)),
				   look_up(&third, end - 3));
	two = _mm256_and_si256(is_in(&c1, set + 32), is_in(&c2, set + 64));
	three = _mm256_and_si256(_mm256_and_si256(is_in(&c1, set + 96), is_in(&c2, set + 128)),
				 is_in(&c3, set + 160));
	/* the buckets of each length, see buckets_of */
	two = _mm256_and_si256(two, _mm256_set1_epi8(0x0e));
	three = _mm256_and_si256(three, _mm256_set1_epi8((char)0xf0));
	buckets = _mm256_and_si256(buckets, _mm256_or_si256(two, three));
	return nonzero(_mm256_or_si256(buckets, is_in(&c1, set)));
}

#endif
