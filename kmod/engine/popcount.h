/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bits set in a word. Plain C: a module is compiled for processors without an instruction for it.
 */
#ifndef _NFAC_ENGINE_POPCOUNT_H
#define _NFAC_ENGINE_POPCOUNT_H

#include "freestanding.h"

/* Bits set in 32 bits. */
static __always_inline u32 nfac_weight(u32 x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	return x * 0x01010101u >> 24;
}

/* Bits set in 64 bits. */
static __always_inline u32 nfac_weight64(u64 x)
{
#ifdef __POPCNT__
	return __builtin_popcountll(x);
#else
	x -= x >> 1 & 0x5555555555555555ull;
	x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return x * 0x0101010101010101ull >> 56;
#endif
}

#endif /* _NFAC_ENGINE_POPCOUNT_H */
