/* SPDX-License-Identifier: GPL-2.0 */
/*
 * NEON's back end of vector.h, which describes the functions: for arm64, little endian. A vector is
 * a pair of registers.
 *
 * NEON has no operation for a bit of each byte. mask_halves() keeps a different bit of each byte
 * and adds neighbours three times, which makes one byte of eight.
 */
#ifndef _NFAC_MATCH_VECTOR_NEON_H
#define _NFAC_MATCH_VECTOR_NEON_H

#ifdef __KERNEL__
#include <asm/neon-intrinsics.h>
#else
#include <arm_neon.h>
#endif

typedef uint8x16x2_t vec;
typedef uint8x8_t vec_eight;

static __always_inline vec vec_load_halves(const void *lower, const void *upper)
{
	return (vec){ { vld1q_u8(lower), vld1q_u8(upper) } };
}

static __always_inline vec vec_load(const void *from)
{
	return vec_load_halves(from, (const u8 *)from + 16);
}

static __always_inline void vec_store(void *to, vec x)
{
	vst1q_u8(to, x.val[0]);
	vst1q_u8((u8 *)to + 16, x.val[1]);
}

static __always_inline vec vec_load_twice(const void *from)
{
	return vec_load_halves(from, from);
}

static __always_inline vec vec_each8(u8 x)
{
	return (vec){ { vdupq_n_u8(x), vdupq_n_u8(x) } };
}

/* A vector of two halves of lanes, and back. */
static __always_inline vec of_lanes(uint32x4_t lower, uint32x4_t upper)
{
	return (vec){ { vreinterpretq_u8_u32(lower), vreinterpretq_u8_u32(upper) } };
}

static __always_inline uint32x4_t lanes(vec x, const int half)
{
	return vreinterpretq_u32_u8(x.val[half]);
}

static __always_inline vec vec_each32(u32 x)
{
	return of_lanes(vdupq_n_u32(x), vdupq_n_u32(x));
}

static __always_inline vec vec_each64(u64 x)
{
	const uint8x16_t each = vreinterpretq_u8_u64(vdupq_n_u64(x));

	return (vec){ { each, each } };
}

static __always_inline vec vec_and(vec a, vec b)
{
	return (vec){ { vandq_u8(a.val[0], b.val[0]), vandq_u8(a.val[1], b.val[1]) } };
}

static __always_inline vec vec_or(vec a, vec b)
{
	return (vec){ { vorrq_u8(a.val[0], b.val[0]), vorrq_u8(a.val[1], b.val[1]) } };
}

static __always_inline vec vec_xor(vec a, vec b)
{
	return (vec){ { veorq_u8(a.val[0], b.val[0]), veorq_u8(a.val[1], b.val[1]) } };
}

static __always_inline vec vec_add32(vec a, vec b)
{
	return of_lanes(vaddq_u32(lanes(a, 0), lanes(b, 0)), vaddq_u32(lanes(a, 1), lanes(b, 1)));
}

static __always_inline vec vec_multiply32(vec a, vec b)
{
	return of_lanes(vmulq_u32(lanes(a, 0), lanes(b, 0)), vmulq_u32(lanes(a, 1), lanes(b, 1)));
}

/* Shift lanes up, or down where @bits is negative. */
static __always_inline vec shift_lanes(vec x, int bits)
{
	const int32x4_t by = vdupq_n_s32(bits);

	return of_lanes(vshlq_u32(lanes(x, 0), by), vshlq_u32(lanes(x, 1), by));
}

static __always_inline vec vec_up32(vec x, const int bits)
{
	return shift_lanes(x, bits);
}

static __always_inline vec vec_down32(vec x, const int bits)
{
	return shift_lanes(x, -bits);
}

static __always_inline vec vec_down32_by(vec x, u32 bits)
{
	return shift_lanes(x, -(int)bits);
}

static __always_inline vec vec_scale32(vec x, const u32 n)
{
	return vec_and(vec_multiply32(vec_down32(x, 16), vec_each32(n)), vec_each32(0xffff0000));
}

static __always_inline vec vec_equal8(vec a, vec b)
{
	return (vec){ { vceqq_u8(a.val[0], b.val[0]), vceqq_u8(a.val[1], b.val[1]) } };
}

static __always_inline vec vec_zero8(vec x)
{
	return (vec){ { vceqzq_u8(x.val[0]), vceqzq_u8(x.val[1]) } };
}

static __always_inline vec vec_between8(vec x, u8 first, u8 last)
{
	const uint8x16_t from = vdupq_n_u8(first), count = vdupq_n_u8(last - first);

	return (vec){ { vcleq_u8(vsubq_u8(x.val[0], from), count),
			vcleq_u8(vsubq_u8(x.val[1], from), count) } };
}

static __always_inline vec vec_lower_nibbles(vec x)
{
	return vec_and(x, vec_each8(15));
}

static __always_inline vec vec_upper_nibbles(vec x)
{
	return (vec){ { vshrq_n_u8(x.val[0], 4), vshrq_n_u8(x.val[1], 4) } };
}

static __always_inline vec vec_lookup(vec table, vec index)
{
	return (vec){ { vqtbl1q_u8(table.val[0], index.val[0]),
			vqtbl1q_u8(table.val[1], index.val[1]) } };
}

/* All bits of each byte that has bit 7. */
static __always_inline uint8x16_t spread_sign(uint8x16_t x)
{
	return vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(x), 7));
}

static __always_inline vec vec_choose(vec x, vec positive, vec negative)
{
	return (vec){ { vbslq_u8(spread_sign(x.val[0]), negative.val[0], positive.val[0]),
			vbslq_u8(spread_sign(x.val[1]), negative.val[1], positive.val[1]) } };
}

/* Bytes that are 0 or 255: a bit for each, of four halves one behind the other. */
static __always_inline u64 mask_halves(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
	const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201ull));
	uint8x16_t front = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
	uint8x16_t back = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));

	front = vpaddq_u8(front, back);
	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(front, front)), 0);
}

static __always_inline u64 vec_mask64(vec front, vec back)
{
	return mask_halves(front.val[0], front.val[1], back.val[0], back.val[1]);
}

static __always_inline u32 vec_mask8(vec x)
{
	return mask_halves(x.val[0], x.val[1], x.val[0], x.val[1]);
}

static __always_inline u64 vec_signs64(vec front, vec back)
{
	return mask_halves(spread_sign(front.val[0]), spread_sign(front.val[1]),
			   spread_sign(back.val[0]), spread_sign(back.val[1]));
}

static __always_inline u64 vec_mask64_mixed(vec even, vec odd)
{
	return mask_halves(vzip1q_u8(even.val[0], odd.val[0]), vzip2q_u8(even.val[0], odd.val[0]),
			   vzip1q_u8(even.val[1], odd.val[1]), vzip2q_u8(even.val[1], odd.val[1]));
}

/* Lanes of which all bits are equal: a bit for each of eight. */
static __always_inline u32 mask_lanes(uint32x4_t lower, uint32x4_t upper)
{
	static const u16 bits[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	uint16x8_t x = vuzp1q_u16(vreinterpretq_u16_u32(lower), vreinterpretq_u16_u32(upper));

	return vaddvq_u16(vandq_u16(x, vld1q_u16(bits)));
}

static __always_inline u32 vec_zeros32(vec x)
{
	return mask_lanes(vceqzq_u32(lanes(x, 0)), vceqzq_u32(lanes(x, 1)));
}

static __always_inline uint32x4_t spread_sign32(uint32x4_t x)
{
	return vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(x), 31));
}

static __always_inline u32 vec_signs32(vec x)
{
	return mask_lanes(spread_sign32(lanes(x, 0)), spread_sign32(lanes(x, 1)));
}

static __always_inline u32 vec_low_bits16(vec a, vec b)
{
	/* the lower byte of each number, of which bit 0 becomes all bits */
	const uint8x16_t one = vdupq_n_u8(1);

	return vec_mask8((vec){ { vtstq_u8(vuzp1q_u8(a.val[0], a.val[1]), one),
				  vtstq_u8(vuzp1q_u8(b.val[0], b.val[1]), one) } });
}

/* Eight lanes, each up to 255, in the even bytes of a half. */
static __always_inline uint8x16_t narrow(vec x)
{
	return vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_u8(x.val[0]),
					       vreinterpretq_u16_u8(x.val[1])));
}

static __always_inline vec vec_pack32(vec v0, vec v1, vec v2, vec v3)
{
	return (vec){ { vuzp1q_u8(narrow(v0), narrow(v1)), vuzp1q_u8(narrow(v2), narrow(v3)) } };
}

static __always_inline vec_eight vec_fetch(const u8 *map, vec at)
{
	const uint64x2_t lower = vreinterpretq_u64_u8(at.val[0]);
	const uint64x2_t upper = vreinterpretq_u64_u8(at.val[1]);
	u64 a = vgetq_lane_u64(lower, 0), b = vgetq_lane_u64(lower, 1);
	u64 c = vgetq_lane_u64(upper, 0), d = vgetq_lane_u64(upper, 1);
	uint8x8_t x = vdup_n_u8(map[(u32)a]);

	x = vld1_lane_u8(map + (a >> 32), x, 1);
	x = vld1_lane_u8(map + (u32)b, x, 2);
	x = vld1_lane_u8(map + (b >> 32), x, 3);
	x = vld1_lane_u8(map + (u32)c, x, 4);
	x = vld1_lane_u8(map + (c >> 32), x, 5);
	x = vld1_lane_u8(map + (u32)d, x, 6);
	return vld1_lane_u8(map + (d >> 32), x, 7);
}

static __always_inline vec vec_join(vec_eight a, vec_eight b, vec_eight c, vec_eight d)
{
	return (vec){ { vcombine_u8(a, b), vcombine_u8(c, d) } };
}

static __always_inline vec vec_interleave(vec_eight a, vec_eight b, vec_eight c, vec_eight d)
{
	const uint8x8x2_t front = vzip_u8(a, b), back = vzip_u8(c, d);
	const uint16x8_t x = vreinterpretq_u16_u8(vcombine_u8(front.val[0], front.val[1]));
	const uint16x8_t y = vreinterpretq_u16_u8(vcombine_u8(back.val[0], back.val[1]));

	return (vec){ { vreinterpretq_u8_u16(vzip1q_u16(x, y)),
			vreinterpretq_u8_u16(vzip2q_u16(x, y)) } };
}

#endif /* _NFAC_MATCH_VECTOR_NEON_H */
