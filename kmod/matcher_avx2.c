// SPDX-License-Identifier: GPL-2.0
/*
 * The start filter and the search for short patterns with AVX2.
 *
 * Patterns that are too short for a stride of NFAC_GRAM would make all others be
 * probed for more often. Here their bytes are looked up by nibbles, 32 positions at
 * once ("Teddy" in Hyperscan; Wang et al., NSDI 2019), and probes, 32 at once, go
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
 * The bytes at @at of @map. Eight loads, for a gather is no faster where it is microcode
 * (Zen 4: row by row a sixth slower), and much slower where Downfall is mitigated.
 */
static __always_inline __m128i fetch8(const u8 *map, __m256i at)
{
	__m128i lower = _mm256_castsi256_si128(at), upper = _mm256_extracti128_si256(at, 1);
	u64 a = _mm_cvtsi128_si64(lower), b = _mm_extract_epi64(lower, 1);
	u64 c = _mm_cvtsi128_si64(upper), d = _mm_extract_epi64(upper, 1);
	__m128i x = _mm_cvtsi32_si128(map[(u32)a]);

	x = _mm_insert_epi8(x, map[a >> 32], 1);
	x = _mm_insert_epi8(x, map[(u32)b], 2);
	x = _mm_insert_epi8(x, map[b >> 32], 3);
	x = _mm_insert_epi8(x, map[(u32)c], 4);
	x = _mm_insert_epi8(x, map[c >> 32], 5);
	x = _mm_insert_epi8(x, map[(u32)d], 6);
	return _mm_insert_epi8(x, map[d >> 32], 7);
}

/* Eight grams, four bytes apart. */
static __always_inline __m256i load_grams(const struct nfac_automaton *a, const u8 *text)
{
	return _mm256_or_si256(_mm256_loadu_si256((const __m256i *)text),
			       _mm256_set1_epi32((u32)a->fold));
}

/* Bytes of the map that hold the bits of the eight @grams. */
static __always_inline __m128i fetch_grams(const struct nfac_automaton *a, __m256i grams)
{
	__m256i word = _mm256_srl_epi32(_mm256_mullo_epi32(_mm256_slli_epi32(grams, 8),
							   _mm256_set1_epi32(NFAC_GRAM_FACTOR)),
					_mm_cvtsi32_si128(a->gram_shift));
	__m256i byte = _mm256_and_si256(_mm256_srli_epi32(grams, 27), _mm256_set1_epi32(7));

	return fetch8((const u8 *)a->grams, _mm256_or_si256(_mm256_slli_epi32(word, 3), byte));
}

/* The last bytes of 32 grams, in the text's order. */
static __always_inline __m256i last_bytes(__m256i g0, __m256i g1, __m256i g2, __m256i g3)
{
	/* packing goes by halves */
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	__m256i front = _mm256_packus_epi32(_mm256_srli_epi32(g0, 24), _mm256_srli_epi32(g1, 24));
	__m256i back = _mm256_packus_epi32(_mm256_srli_epi32(g2, 24), _mm256_srli_epi32(g3, 24));

	return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(front, back), order);
}

/*
 * 32 probes, four bytes apart: a bit for each whose gram is in the map (nfac_gram_test()
 * of each).
 */
static __always_inline u32 probe32(const struct nfac_automaton *a, const u8 *text)
{
	const __m256i bits = _mm256_set1_epi64x(0x8040201008040201ull);
	__m256i g0 = load_grams(a, text), g1 = load_grams(a, text + 32);
	__m256i g2 = load_grams(a, text + 64), g3 = load_grams(a, text + 96);
	__m128i front = _mm_unpacklo_epi64(fetch_grams(a, g0), fetch_grams(a, g1));
	__m128i back = _mm_unpacklo_epi64(fetch_grams(a, g2), fetch_grams(a, g3));
	__m256i bit = _mm256_and_si256(last_bytes(g0, g1, g2, g3), _mm256_set1_epi8(7));

	return nonzero(_mm256_and_si256(_mm256_set_m128i(back, front),
					_mm256_shuffle_epi8(bits, bit)));
}

/* The same for a row of @starts: 32, or all 128. */
static __always_inline u32 probe(const struct nfac_automaton *a, const u8 *text,
				 const u32 starts)
{
	u32 probes = 0, i;

	if (starts == 128)
		return probe32(a, text);
	for (i = 0; i < starts / 4; i++)
		probes |= nfac_gram_test(a, text + 4 * i) << i;
	return probes;
}

/* Starts @text .. @text + 31 whose bytes short patterns may have. */
static __always_inline u32 mids32(const u8 *text, const struct nibbles *n)
{
	__m256i front = _mm256_and_si256(look_up(&n[0], text), look_up(&n[1], text + 1));
	__m256i back = _mm256_and_si256(look_up(&n[2], text + 2), look_up(&n[3], text + 3));

	return nonzero(_mm256_and_si256(front, back));
}

/*
 * Look at the row's starts, 32 or 128 of them, by probes at least every @stride positions
 * and by the maps by nibble. Reads NFAC_GRAM - 1 bytes more.
 */
static __always_inline void look(const struct nfac_run *run, struct nfac_row *row,
				 const struct nibbles *n, const u32 stride, const u32 mids,
				 const u32 starts)
{
	const struct nfac_automaton *a = run->a;
	const u8 *t = run->text + row->from;

	row->to = row->from + starts;
	if (mids != NFAC_MIDS_ALL) {
		row->groups = probe(a, t + 3, starts);
		if (stride <= 2)
			row->groups |= probe(a, t + 1, starts);
		if (stride == 1)
			row->groups |= probe(a, t, starts) | probe(a, t + 2, starts);
	}
	if (mids)
		row->low = mids32(t, n);
	if (mids && starts == 128) {
		row->low |= (u64)mids32(t + 32, n) << 32;
		row->high = mids32(t + 64, n) | (u64)mids32(t + 96, n) << 32;
	}
}

static __always_inline size_t filter(struct nfac_run *run, size_t from, const u32 stride,
				     const u32 mids)
{
	const struct nfac_automaton *a = run->a;
	const size_t last = run->len - NFAC_GRAM;
	struct nibbles n[NFAC_GRAM];
	size_t pos = from, found;

	if (last < 32)
		return nfac_filter_portable(run, from);
	if (mids) {
		n[0] = load_nibbles(a->mids);
		n[1] = load_nibbles(a->mids + 32);
		n[2] = load_nibbles(a->mids + 64);
		n[3] = load_nibbles(a->mids + 96);
	}
	/* one branch to 128 starts, for what passes is foreseen by no predictor */
	while (pos < last) {
		struct nfac_row row = { .stride = NFAC_GRAM };

		/* the last row overlaps the one before; by nibbles alone small ones are cheap */
		if (last >= 128 && (mids != NFAC_MIDS_ALL || pos + 128 <= last)) {
			row.from = pos + 128 > last ? last - 128 : pos;
			look(run, &row, n, stride, mids, 128);
		} else {
			row.from = pos + 32 > last ? last - 32 : pos;
			look(run, &row, n, stride, mids, 32);
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
