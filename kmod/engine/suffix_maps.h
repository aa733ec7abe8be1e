/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes of the suffix filter's two maps: pattern ends, and the lengths of the patterns that end so.
 * The compiler fills the maps (userspace-loader/compiler/suffix_filter.c), match/suffix_filter
 * probes them.
 */
#ifndef _NFAC_ENGINE_SUFFIX_MAPS_H
#define _NFAC_ENGINE_SUFFIX_MAPS_H

#include "bloom.h"

/*
 * Byte of an end in its map: by its last NFAC_GRAM bytes. Its bit in there: by these and those
 * @before them, or the last one for a brief pattern. All of it has 32 bits, so that a vector
 * computes eight of them at once.
 */
#define NFAC_SUFFIX_BIT_BRIEF	7

/* A word of the map of lengths belongs to so many bytes of that of ends, as a logarithm. */
#define NFAC_SUFFIX_SHIFT	3

static __always_inline u32 nfac_suffix_hash(u32 last)
{
	return last * NFAC_GRAM_FACTOR;
}

static __always_inline u32 nfac_suffix_bit(u32 hash, u32 before)
{
	return ((before * NFAC_GRAM_FACTOR + hash) >> 16) * NFAC_SUFFIX_BIT_BRIEF >> 16;
}

/* The bytes of an end that decide in a brief pattern's case. */
#define NFAC_SUFFIX_BRIEF	0xffffffff00000000ull

/*
 * Its two words in the map of lengths, by bits of a product: of all its bytes, or of the last
 * NFAC_GRAM with zeros before them. A length is there if both words have it.
 */
static __always_inline u64 nfac_suffix_product(u64 end)
{
	return end * NFAC_MAP_FACTOR;
}

static __always_inline u32 nfac_suffix_word(u64 product, u8 shift, const u32 which)
{
	return (u32)(product >> (which ? 32 : 12)) >> NFAC_SUFFIX_SHIFT >> shift;
}

#endif /* _NFAC_ENGINE_SUFFIX_MAPS_H */
