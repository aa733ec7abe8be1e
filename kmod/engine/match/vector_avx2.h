/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AVX2's back end of vector.h, which describes the functions.
 */
#ifndef _NFAC_MATCH_VECTOR_AVX2_H
#define _NFAC_MATCH_VECTOR_AVX2_H

#ifdef __KERNEL__
/* the compiler's own header wants a C library */
#define __MM_MALLOC_H
#define _MM_MALLOC_H_INCLUDED
#endif
#include <immintrin.h>

typedef __m256i vec;
typedef __m128i vec_eight;	/* in the lower half */

static __always_inline vec vec_load(const void *from)
{
	return _mm256_loadu_si256((const __m256i *)from);
}

static __always_inline void vec_store(void *to, vec x)
{
	_mm256_storeu_si256((__m256i *)to, x);
}

static __always_inline vec vec_load_halves(const void *lower, const void *upper)
{
	return _mm256_set_m128i(_mm_loadu_si128((const __m128i *)upper),
				_mm_loadu_si128((const __m128i *)lower));
}

static __always_inline vec vec_load_twice(const void *from)
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from));
}

static __always_inline vec vec_each8(u8 x)
{
	return _mm256_set1_epi8((char)x);
}

static __always_inline vec vec_each32(u32 x)
{
	return _mm256_set1_epi32((int)x);
}

static __always_inline vec vec_each64(u64 x)
{
	return _mm256_set1_epi64x((long long)x);
}

static __always_inline vec vec_and(vec a, vec b)
{
	return _mm256_and_si256(a, b);
}

static __always_inline vec vec_or(vec a, vec b)
{
	return _mm256_or_si256(a, b);
}

static __always_inline vec vec_xor(vec a, vec b)
{
	return _mm256_xor_si256(a, b);
}

static __always_inline vec vec_add32(vec a, vec b)
{
	return _mm256_add_epi32(a, b);
}

static __always_inline vec vec_multiply32(vec a, vec b)
{
	return _mm256_mullo_epi32(a, b);
}

static __always_inline vec vec_up32(vec x, const int bits)
{
	return _mm256_slli_epi32(x, bits);
}

static __always_inline vec vec_down32(vec x, const int bits)
{
	return _mm256_srli_epi32(x, bits);
}

static __always_inline vec vec_down32_by(vec x, u32 bits)
{
	return _mm256_srl_epi32(x, _mm_cvtsi32_si128(bits));
}

static __always_inline vec vec_scale32(vec x, const u32 n)
{
	return _mm256_mulhi_epu16(x, _mm256_set1_epi32((int)(n << 16)));
}

static __always_inline vec vec_equal8(vec a, vec b)
{
	return _mm256_cmpeq_epi8(a, b);
}

static __always_inline vec vec_zero8(vec x)
{
	return _mm256_cmpeq_epi8(x, _mm256_setzero_si256());
}

static __always_inline vec vec_between8(vec x, u8 first, u8 last)
{
	/* bytes from 128 on are negative, and so not above */
	return _mm256_and_si256(_mm256_cmpgt_epi8(x, vec_each8(first - 1)),
				_mm256_cmpgt_epi8(vec_each8(last + 1), x));
}

static __always_inline vec vec_lower_nibbles(vec x)
{
	return _mm256_and_si256(x, _mm256_set1_epi8(15));
}

static __always_inline vec vec_upper_nibbles(vec x)
{
	return _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
}

static __always_inline vec vec_lookup(vec table, vec index)
{
	return _mm256_shuffle_epi8(table, index);
}

static __always_inline vec vec_choose(vec x, vec positive, vec negative)
{
	return _mm256_blendv_epi8(positive, negative, x);
}

static __always_inline u32 vec_signs8(vec x)
{
	return _mm256_movemask_epi8(x);
}

static __always_inline u32 vec_mask8(vec x)
{
	return _mm256_movemask_epi8(x);
}

static __always_inline u64 vec_signs64(vec front, vec back)
{
	return (u32)_mm256_movemask_epi8(front) | (u64)(u32)_mm256_movemask_epi8(back) << 32;
}

static __always_inline u64 vec_mask64(vec front, vec back)
{
	return vec_signs64(front, back);
}

static __always_inline u64 vec_mask64_mixed(vec even, vec odd)
{
	/* unpacking works on halves: bits 0 .. 31 and 64 .. 95 of both, then those behind them */
	u64 front = (u32)_mm256_movemask_epi8(_mm256_unpacklo_epi8(even, odd));
	u64 back = (u32)_mm256_movemask_epi8(_mm256_unpackhi_epi8(even, odd));

	return (front & 0xffff) | (back & 0xffff) << 16 | front >> 16 << 32 | back >> 16 << 48;
}

static __always_inline u32 vec_zeros32(vec x)
{
	__m256i none = _mm256_cmpeq_epi32(x, _mm256_setzero_si256());

	return _mm256_movemask_ps(_mm256_castsi256_ps(none));
}

static __always_inline u32 vec_signs32(vec x)
{
	return _mm256_movemask_ps(_mm256_castsi256_ps(x));
}

static __always_inline u32 vec_low_bits16(vec a, vec b)
{
	__m256i both = _mm256_packs_epi16(_mm256_slli_epi16(a, 15), _mm256_slli_epi16(b, 15));

	/* undo the pack's interleaving of the halves */
	return _mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0xd8));
}

static __always_inline vec vec_pack32(vec v0, vec v1, vec v2, vec v3)
{
	/* packing works on halves of the register */
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	__m256i front = _mm256_packus_epi32(v0, v1), back = _mm256_packus_epi32(v2, v3);

	return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(front, back), order);
}

/*
 * Eight loads: a gather is no faster where it is microcode (Zen 4: a batch takes a sixth longer),
 * and much slower with the mitigation of Downfall.
 */
static __always_inline vec_eight vec_fetch(const u8 *map, vec at)
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

static __always_inline vec vec_join(vec_eight a, vec_eight b, vec_eight c, vec_eight d)
{
	return _mm256_set_m128i(_mm_unpacklo_epi64(c, d), _mm_unpacklo_epi64(a, b));
}

static __always_inline vec vec_interleave(vec_eight a, vec_eight b, vec_eight c, vec_eight d)
{
	__m128i front = _mm_unpacklo_epi8(a, b), back = _mm_unpacklo_epi8(c, d);

	return _mm256_set_m128i(_mm_unpackhi_epi16(front, back), _mm_unpacklo_epi16(front, back));
}

#endif /* _NFAC_MATCH_VECTOR_AVX2_H */
