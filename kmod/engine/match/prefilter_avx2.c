// SPDX-License-Identifier: GPL-2.0
/*
 * The prefilter and the search for short patterns with AVX2.
 *
 * Patterns that are too short for a stride of NFAC_GRAM would reduce the stride for all others.
 * Here nibble masks find them in 32 positions at once ("Teddy" in Hyperscan; Wang et al., NSDI
 * 2019), and probes, 32 at once, find the others with full stride. A set of few patterns has nibble
 * masks alone.
 */
#include "candidates.h"
#include "../suffix_maps.h"

#if defined(NFAC_HAVE_AVX2) && !defined(__CHECKER__) /* which knows no vectors */

#ifdef __KERNEL__
/* the compiler's own header wants a C library */
#define __MM_MALLOC_H
#define _MM_MALLOC_H_INCLUDED
#endif
#include <immintrin.h>

/* probes made together */
#define PROBES		32u
#define PROBES_SMALL	8u

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

/*
 * Buckets that have the bytes at @text at this offset: one byte for each of 32 positions. @ascii:
 * no bucket has a byte from 128 on. The shuffle then gives 0 for such a byte even though the upper
 * half of the index is not masked.
 */
static __always_inline __m256i nibble_buckets(const struct nibbles *n, const u8 *text,
					      const bool ascii)
{
	const __m256i mask = _mm256_set1_epi8(15);
	__m256i x = _mm256_loadu_si256((const __m256i *)text);
	__m256i low = ascii ? x : _mm256_and_si256(x, mask);
	__m256i high = _mm256_and_si256(_mm256_srli_epi16(x, 4), mask);

	return _mm256_and_si256(_mm256_shuffle_epi8(n->lower, low),
				_mm256_shuffle_epi8(n->upper, high));
}

/* All bits of each byte that is 0. */
static __always_inline __m256i zero(__m256i x)
{
	return _mm256_cmpeq_epi8(x, _mm256_setzero_si256());
}

static __always_inline u32 nonzero(__m256i x)
{
	return ~(u32)_mm256_movemask_epi8(zero(x));
}

/*
 * Load the bytes at @at of @map. Eight loads: a gather is no faster where it is microcode (Zen 4: a
 * batch takes a sixth longer), and much slower with the mitigation of Downfall.
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

/* Eight q-grams; bits 3 .. 5 of each @next are the lowest bits of the byte behind it. */
struct grams {
	__m256i gram, next;
};

/* Three bytes apart: four in each half of the register. */
static __always_inline struct grams load_grams3(const u8 *text)
{
	const __m256i gram = _mm256_setr_epi8(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12,
					      2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11,
					      11, 12, 13, 14);
	const __m256i next = _mm256_setr_epi32(4, 7, 10, 13, 6, 9, 12, 15);
	/* the upper half ends with the last byte that is used, so nothing behind it is read */
	__m256i x = _mm256_set_m128i(_mm_loadu_si128((const __m128i *)(text + 10)),
				     _mm_loadu_si128((const __m128i *)text));

	return (struct grams){
		_mm256_shuffle_epi8(x, gram),
		_mm256_slli_epi32(_mm256_shuffle_epi8(x, next), 3),
	};
}

/* Eight q-grams from @text on, @stride bytes apart: one behind the other, or 3. */
static __always_inline struct grams load_grams(const struct nfac_automaton *a, const u8 *text,
					       const u32 stride)
{
	struct grams g;

	if (stride == 3) {
		g = load_grams3(text);
	} else {
		g.gram = _mm256_loadu_si256((const __m256i *)text);
		g.next = _mm256_loadu_si256((const __m256i *)(text + 1));
		g.next = _mm256_srli_epi32(g.next, 21);
	}
	g.gram = _mm256_or_si256(g.gram, _mm256_set1_epi32((u32)a->fold));
	return g;
}

/* Bit numbers of eight q-grams in their words: nfac_gram_bit(), in 8 bits. */
static __always_inline __m256i gram_bits(struct grams g, const bool five)
{
	__m256i bits = _mm256_srli_epi32(g.gram, 24);

	if (!five)
		return bits;
	return _mm256_xor_si256(bits, _mm256_and_si256(g.next, _mm256_set1_epi32(56)));
}

/* Load the bytes of the map that hold @bits of the eight @grams. */
static __always_inline __m128i fetch_grams(const struct nfac_automaton *a, __m256i grams,
					   __m256i bits)
{
	/* nfac_gram_word(); its shift is part of the factor */
	__m256i hash = _mm256_mullo_epi32(grams, _mm256_set1_epi32(NFAC_GRAM_FACTOR << 8));
	__m256i word = _mm256_srl_epi32(hash, _mm_cvtsi32_si128(a->gram_shift));
	__m256i byte = _mm256_and_si256(_mm256_srli_epi32(bits, 3), _mm256_set1_epi32(7));

	return fetch8((const u8 *)a->grams, _mm256_or_si256(_mm256_slli_epi32(word, 3), byte));
}

/* Four times eight values, up to 255, as bytes in the same order. */
static __always_inline __m256i pack(__m256i v0, __m256i v1, __m256i v2, __m256i v3)
{
	/* packing works on halves of the register */
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	__m256i front = _mm256_packus_epi32(v0, v1), back = _mm256_packus_epi32(v2, v3);

	return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(front, back), order);
}

/*
 * PROBES probes, @stride bytes apart: all bits of a byte for each q-gram that is not in the map
 * (nfac_gram_test() of each).
 */
static __always_inline __m256i no_grams(const struct nfac_automaton *a, const u8 *text,
					const u32 stride, const bool five)
{
	const __m256i one = _mm256_set1_epi64x(0x8040201008040201ull);
	struct grams g0 = load_grams(a, text, stride);
	struct grams g1 = load_grams(a, text + 8 * stride, stride);
	struct grams g2 = load_grams(a, text + 16 * stride, stride);
	struct grams g3 = load_grams(a, text + 24 * stride, stride);
	__m256i b0 = gram_bits(g0, five), b1 = gram_bits(g1, five);
	__m256i b2 = gram_bits(g2, five), b3 = gram_bits(g3, five);
	__m128i front = _mm_unpacklo_epi64(fetch_grams(a, g0.gram, b0),
					   fetch_grams(a, g1.gram, b1));
	__m128i back = _mm_unpacklo_epi64(fetch_grams(a, g2.gram, b2),
					  fetch_grams(a, g3.gram, b3));
	__m256i bit = _mm256_and_si256(pack(b0, b1, b2, b3), _mm256_set1_epi8(7));

	return zero(_mm256_and_si256(_mm256_set_m128i(back, front),
				     _mm256_shuffle_epi8(one, bit)));
}

/* PROBES_SMALL or PROBES probes: a bit for each q-gram that is in the map. */
static __always_inline u32 probe(const struct nfac_automaton *a, const u8 *text,
				 const u32 probes, const u32 stride, const bool five)
{
	if (probes == PROBES)
		return ~(u32)_mm256_movemask_epi8(no_grams(a, text, stride, five));
	return nfac_probe8(a, 0, text, stride, five, true);
}

/* Filter configuration; constant in each of the functions made of it. */
struct filter_config {
	u32 stride;
	u32 before;	/* as nfac_automaton's */
	bool five;	/* a probe reads five bytes */
	u32 nibble_masks;
	bool three;	/* nibble masks of the first three bytes only */
	bool ascii;	/* the nibble masks pass no byte from 128 on */
};

/* Groups of NFAC_GRAM positions among @text .. @text + 31 that pass the nibble masks. */
static __always_inline u32 nibble_groups32(const u8 *text, const struct nibbles *n,
					   const struct filter_config cfg)
{
	__m256i front = _mm256_and_si256(nibble_buckets(&n[0], text, cfg.ascii),
					 nibble_buckets(&n[1], text + 1, cfg.ascii));
	__m256i back = nibble_buckets(&n[2], text + 2, cfg.ascii), none;

	if (!cfg.three)
		back = _mm256_and_si256(back, nibble_buckets(&n[3], text + 3, cfg.ascii));
	none = _mm256_cmpeq_epi32(_mm256_and_si256(front, back), _mm256_setzero_si256());
	return _mm256_movemask_ps(_mm256_castsi256_ps(none)) ^ 0xff;
}

/* Positions in a group: the stride, but NFAC_GRAM with the smallest stride. */
static __always_inline u32 group_of(const struct filter_config cfg)
{
	return cfg.stride == 1 ? NFAC_GRAM : cfg.stride;
}

/* Which of @groups groups at @t pass, PROBES or PROBES_SMALL. Reads NFAC_GRAM bytes more. */
static __always_inline u32 probe_groups(const struct nfac_automaton *a, const u8 *t,
					const struct nibbles *n, const struct filter_config cfg,
					const u32 groups)
{
	const u32 group = group_of(cfg);
	u32 i, found = 0;

	if (groups == PROBES)
		nfac_prefetch_text(t, PROBES * group);
	if (cfg.nibble_masks != NFAC_NIBBLE_MASKS_ALL)
		found = probe(a, t + group - 1, groups, group, cfg.five);
	if (cfg.stride == 1)
		found |= probe(a, t, groups, group, cfg.five) |
			 probe(a, t + 1, groups, group, cfg.five) |
			 probe(a, t + 2, groups, group, cfg.five);
	for (i = 0; cfg.nibble_masks && i < groups * group; i += 32)
		found |= nibble_groups32(t + i, n, cfg) << i / NFAC_GRAM;
	return found;
}

/*
 * Which of the 2 * PROBES groups of two positions at @t pass. Probes made together are a q-gram
 * apart, so there are two vectors: even and odd groups.
 */
static __always_inline u64 probe_pairs(const struct nfac_automaton *a, const u8 *t,
				       const struct filter_config cfg)
{
	__m256i even = no_grams(a, t + 1, NFAC_GRAM, cfg.five);
	__m256i odd = no_grams(a, t + 3, NFAC_GRAM, cfg.five);
	/* unpacking works on halves: groups 0 .. 15 and 32 .. 47, then those behind them */
	u64 front = (u32)_mm256_movemask_epi8(_mm256_unpacklo_epi8(even, odd));
	u64 back = (u32)_mm256_movemask_epi8(_mm256_unpackhi_epi8(even, odd));

	nfac_prefetch_text(t, 2 * PROBES * group_of(cfg));
	return ~((front & 0xffff) | (back & 0xffff) << 16 | front >> 16 << 32 | back >> 16 << 48);
}

/* nfac_candidates_next(), compiled with this processor's bit counting instructions. */
static noinline size_t batch_next(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, NFAC_GRAM, NFAC_GRAM);
}

static noinline size_t batch_next2(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, 2, 2);
}

static noinline size_t batch_next3(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, 3, 3);
}

static noinline size_t batch_next3_before(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, 3, 4);
}

static __always_inline size_t filter(struct nfac_run *run, size_t from,
				     const struct filter_config cfg)
{
	const struct nfac_automaton *a = run->a;
	const size_t last = run->len - NFAC_GRAM - cfg.before;
	const bool pairs = cfg.stride == 2;
	const u32 group = group_of(cfg), small = PROBES_SMALL * group;
	const u32 wide = (pairs ? 2 * PROBES : PROBES) * group;
	const u8 *text = run->text;
	struct nfac_candidates *batch = run->batch;
	struct nibbles n[NFAC_GRAM];
	size_t pos = from, end, found, at;
	u64 groups;

	if (last < small)
		return nfac_filter_portable(run, from);
	if (cfg.nibble_masks) {
		n[0] = load_nibbles(a->nibble_masks);
		n[1] = load_nibbles(a->nibble_masks + 32);
		n[2] = load_nibbles(a->nibble_masks + 64);
		n[3] = load_nibbles(a->nibble_masks + 96);
	}
	for (; pos < last; pos = batch->to) {
		if (nfac_candidates_first(a, text + pos, cfg.before))
			return pos;
		end = last;
		nfac_candidates_begin(batch, pos, group, cfg.before);
		while (batch->to < end && batch->words < NFAC_CANDIDATES_WORDS) {
			at = batch->to;
			/*
			 * the last probes overlap those before; with nibble masks alone small steps
			 * are cheap
			 */
			if (!pairs && at + 2 * wide <= last) {
				groups = probe_groups(a, text + at, n, cfg, PROBES);
				groups |= (u64)probe_groups(a, text + at + wide, n, cfg, PROBES) <<
					  PROBES;
				nfac_candidates_add(batch, at, at + 2 * wide, groups);
			} else if (last >= wide &&
				   (cfg.nibble_masks != NFAC_NIBBLE_MASKS_ALL ||
				    at + wide <= last)) {
				at = at + wide > last ? last - wide : at;
				groups = pairs ? probe_pairs(a, text + at, cfg) :
						 probe_groups(a, text + at, n, cfg, PROBES);
				groups = nfac_candidates_new(batch, at, groups, group);
				nfac_candidates_add(batch, at, at + wide, groups);
			} else {
				at = at + small > last ? last - small : at;
				groups = probe_groups(a, text + at, n, cfg, PROBES_SMALL);
				groups = nfac_candidates_new(batch, at, groups, group);
				nfac_candidates_add(batch, at, at + small, groups);
			}
			if (at == pos)
				end = nfac_candidates_end(pos, last, groups);
		}
		if (group == 2)
			found = batch_next2(run, from);
		else if (group == 3)
			found = cfg.before ? batch_next3_before(run, from) :
					     batch_next3(run, from);
		else
			found = batch_next(run, from);
		if (found < batch->to)
			return found;
	}
	return last;
}

/*
 * One function for each configuration. As one function GCC 12 made the probes three bytes apart
 * slow at the function's start, and web traffic took a quarter longer.
 */
#define VARIANT(name, ...)						\
static noinline __aligned(64) size_t name(struct nfac_run *run, size_t from) \
{									\
	return filter(run, from, (struct filter_config){ __VA_ARGS__ });	\
}

VARIANT(by_nibbles, .stride = NFAC_GRAM, .nibble_masks = NFAC_NIBBLE_MASKS_ALL)
VARIANT(by_nibbles_ascii, .stride = NFAC_GRAM, .nibble_masks = NFAC_NIBBLE_MASKS_ALL, .ascii = true)
VARIANT(beside_nibbles, .stride = NFAC_GRAM, .nibble_masks = NFAC_NIBBLE_MASKS_SHORTER)
VARIANT(beside_nibbles_ascii, .stride = NFAC_GRAM, .nibble_masks = NFAC_NIBBLE_MASKS_SHORTER,
	.ascii = true)
VARIANT(three, .stride = NFAC_GRAM, .nibble_masks = NFAC_NIBBLE_MASKS_SHORTER, .three = true)
VARIANT(three_ascii, .stride = NFAC_GRAM, .nibble_masks = NFAC_NIBBLE_MASKS_SHORTER, .three = true,
	.ascii = true)
VARIANT(stride1, .stride = 1)
VARIANT(stride2, .stride = 2)
VARIANT(stride2_five, .stride = 2, .five = true)
VARIANT(stride3, .stride = 3)
VARIANT(stride3_five, .stride = 3, .five = true)
VARIANT(stride3_before, .stride = 3, .before = 1)
VARIANT(stride3_before_five, .stride = 3, .before = 1, .five = true)
VARIANT(stride4, .stride = NFAC_GRAM)
VARIANT(stride4_five, .stride = NFAC_GRAM, .five = true)

static size_t filter_nibbles(struct nfac_run *run, size_t from)
{
	const struct nfac_automaton *a = run->a;

	if (a->nibble_masks_kind == NFAC_NIBBLE_MASKS_ALL)
		return a->nibble_masks_ascii ? by_nibbles_ascii(run, from) : by_nibbles(run, from);
	if (a->nibble_masks_three)
		return a->nibble_masks_ascii ? three_ascii(run, from) : three(run, from);
	return a->nibble_masks_ascii ? beside_nibbles_ascii(run, from) : beside_nibbles(run, from);
}

size_t nfac_filter_avx2(struct nfac_run *run, size_t from)
{
	const struct nfac_automaton *a = run->a;
	const bool five = a->gram_bytes > NFAC_GRAM;

	if (a->nibble_masks_kind)
		return filter_nibbles(run, from);
	if (a->before)
		return five ? stride3_before_five(run, from) : stride3_before(run, from);
	if (a->stride == 4)
		return five ? stride4_five(run, from) : stride4(run, from);
	if (a->stride == 3)
		return five ? stride3_five(run, from) : stride3(run, from);
	if (a->stride == 2)
		return five ? stride2_five(run, from) : stride2(run, from);
	return stride1(run, from);
}

/* 32 bytes of text, prepared for tests of membership in byte sets. */
struct byte_class {
	__m256i x;
	__m256i lower;	/* lower nibble: index of a byte of the set */
	__m256i bit;	/* bit in that byte: the upper nibble modulo 8 */
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
	/* the set's halves are for upper nibbles below 8, and from 8 on (the byte's sign) */
	__m256i bits = _mm256_blendv_epi8(_mm256_shuffle_epi8(n.lower, c->lower),
					 _mm256_shuffle_epi8(n.upper, c->lower), c->x);

	return _mm256_cmpeq_epi8(_mm256_and_si256(bits, c->bit), c->bit);
}

u32 nfac_short_avx2(const struct nfac_automaton *a, const u8 *end)
{
	const u8 *map = a->short_map + NFAC_SHORT_BUCKETS, *set = map + NFAC_SHORT_NIBBLES;
	const struct nibbles last = load_nibbles(map), second = load_nibbles(map + 32);
	const struct nibbles third = load_nibbles(map + 64);
	const struct byte_class c1 = classify(end - 1), c2 = classify(end - 2);
	const struct byte_class c3 = classify(end - 3);
	__m256i buckets, two, three;

	/* bytes of different patterns seldom share a bucket */
	buckets = _mm256_and_si256(_mm256_and_si256(nibble_buckets(&last, end - 1, false),
						    nibble_buckets(&second, end - 2, false)),
				   nibble_buckets(&third, end - 3, false));
	two = _mm256_and_si256(is_in(&c1, set + 32), is_in(&c2, set + 64));
	three = _mm256_and_si256(_mm256_and_si256(is_in(&c1, set + 96), is_in(&c2, set + 128)),
				 is_in(&c3, set + 160));
	/* the buckets of each length, see NFAC_SHORT_OF() */
	two = _mm256_and_si256(two, _mm256_set1_epi8(0x0e));
	three = _mm256_and_si256(three, _mm256_set1_epi8((char)0xf0));
	buckets = _mm256_and_si256(buckets, _mm256_or_si256(two, three));
	return nonzero(_mm256_or_si256(buckets, is_in(&c1, set)));
}

/* Candidate ends among @end .. @end + 31. */
static __always_inline void suffixes32(const struct nfac_automaton *a, const u8 *end, u32 *whole,
				       u32 *brief)
{
	const __m256i one = _mm256_set1_epi64x(0x8040201008040201ull);
	const __m256i factor = _mm256_set1_epi32(NFAC_GRAM_FACTOR);
	const __m256i few = _mm256_set1_epi32(NFAC_SUFFIX_BIT_BRIEF << 16);
	const __m256i fold = _mm256_set1_epi32((u32)a->fold);
	const __m128i shift = _mm_cvtsi32_si128(a->suffix_shift);
	__m256i last, before, hash, bits = _mm256_setzero_si256();
	__m128i at[4], front, back;
	u32 k;

	/* each of four vectors has eight ends that are four bytes apart */
	for (k = 0; k < 4; k++) {
		last = _mm256_loadu_si256((const __m256i *)(end + k - 4));
		before = _mm256_loadu_si256((const __m256i *)(end + k - 8));
		last = _mm256_or_si256(last, fold);
		before = _mm256_or_si256(before, fold);
		hash = _mm256_mullo_epi32(last, factor);
		at[k] = fetch8(a->suffixes, _mm256_srl_epi32(hash, shift));
		before = _mm256_add_epi32(_mm256_mullo_epi32(before, factor), hash);
		/* nfac_suffix_bit() in the upper half, 0 in the lower */
		before = _mm256_mulhi_epu16(before, few);
		bits = _mm256_or_si256(bits, k < 2 ? _mm256_srli_epi32(before, 16 - 8 * k) :
						     _mm256_slli_epi32(before, 8 * k - 16));
	}
	/* back in the order of the text */
	front = _mm_unpacklo_epi8(at[0], at[1]);
	back = _mm_unpacklo_epi8(at[2], at[3]);
	last = _mm256_set_m128i(_mm_unpackhi_epi16(front, back), _mm_unpacklo_epi16(front, back));
	*whole = nonzero(_mm256_and_si256(last, _mm256_shuffle_epi8(one, bits)));
	*brief = _mm256_movemask_epi8(last);
}

struct nfac_suffixes nfac_suffixes_avx2(const struct nfac_automaton *a, const u8 *end)
{
	u32 whole, brief, whole_upper, brief_upper;

	suffixes32(a, end, &whole, &brief);
	suffixes32(a, end + 32, &whole_upper, &brief_upper);
	return (struct nfac_suffixes){
		.whole = whole | (u64)whole_upper << 32,
		.brief = brief | (u64)brief_upper << 32,
	};
}

u64 nfac_letter_case_avx2(const u8 *text)
{
	__m256i front = _mm256_loadu_si256((const __m256i *)text);
	__m256i back = _mm256_loadu_si256((const __m256i *)(text + 32));

	/* bit 5 becomes the highest */
	return (u32)_mm256_movemask_epi8(_mm256_slli_epi16(front, 2)) |
	       (u64)(u32)_mm256_movemask_epi8(_mm256_slli_epi16(back, 2)) << 32;
}

u32 nfac_next_sign_avx2(const u8 *text, u32 from, u32 end)
{
	const __m256i percent = _mm256_set1_epi8('%'), plus = _mm256_set1_epi8('+');
	u32 found;

	for (; end - from >= 32; from += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(text + from));

		found = _mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpeq_epi8(x, percent),
							     _mm256_cmpeq_epi8(x, plus)));
		if (found)
			return from + nfac_ctz64(found);
	}
	return from;
}

u32 nfac_fold_avx2(u8 *to, const u8 *text, u32 n)
{
	const __m256i below = _mm256_set1_epi8('A' - 1), above = _mm256_set1_epi8('Z' + 1);
	u32 i;

	for (i = 0; i + 32 <= n; i += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(text + i));
		/* bytes from 128 on are negative, and so not above */
		__m256i upper = _mm256_and_si256(_mm256_cmpgt_epi8(x, below),
						 _mm256_cmpgt_epi8(above, x));

		upper = _mm256_and_si256(upper, _mm256_set1_epi8(0x20));
		_mm256_storeu_si256((__m256i *)(to + i), _mm256_or_si256(x, upper));
	}
	return i;
}

/* Bit 0 of 32 words of 16 bits. */
static __always_inline u32 low_bits(const u16 *words)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)words);
	__m256i b = _mm256_loadu_si256((const __m256i *)(words + 16));
	__m256i both = _mm256_packs_epi16(_mm256_slli_epi16(a, 15), _mm256_slli_epi16(b, 15));

	/* undo the pack's interleaving of the halves */
	return _mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xd8));
}

u64 nfac_matches_avx2(const u16 *states)
{
	return low_bits(states) | (u64)low_bits(states + 32) << 32;
}

u64 nfac_matches32_avx2(const u32 *states)
{
	const int up = 31 - nfac_ctz64(NFAC_DARRAY32_MATCH);
	u64 found = 0;
	u32 i;

	for (i = 0; i < 64; i += 8) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(states + i));
		__m256 sign = _mm256_castsi256_ps(_mm256_slli_epi32(x, up));

		found |= (u64)_mm256_movemask_ps(sign) << i;
	}
	return found;
}

#endif
