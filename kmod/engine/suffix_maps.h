/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes of the suffix filter's two maps: pattern ends, and lengths of the patterns that end so.
 * The compiler fills the maps (userspace-loader/compiler/suffix_filter.c), match/suffix_filter
 * probes them.
 */
#ifndef _NFAC_ENGINE_SUFFIX_MAPS_H
#define _NFAC_ENGINE_SUFFIX_MAPS_H

#include "bloom.h"

/*
 * Byte of the suffix map: selected by a pattern's last NFAC_GRAM bytes. Bit in that byte: selected
 * by these and the NFAC_GRAM bytes before them (@before); patterns of less than NFAC_SUFFIX_BYTES
 * have bit NFAC_SUFFIX_BIT_BRIEF. All of it has 32 bits, so that a vector computes eight at once.
 */
#define NFAC_SUFFIX_BIT_BRIEF	7

/* log2 of the bytes of the suffix map that share a word of the map of lengths */
#define NFAC_SUFFIX_SHIFT	3

static __always_inline u32 nfac_suffix_hash(u32 last)
{
	return last * NFAC_GRAM_FACTOR;
}

static __always_inline u32 nfac_suffix_bit(u32 hash, u32 before)
{
	return ((before * NFAC_GRAM_FACTOR + hash) >> 16) * NFAC_SUFFIX_BIT_BRIEF >> 16;
}

/* Bytes of an end that a pattern of less than NFAC_SUFFIX_BYTES has. */
#define NFAC_SUFFIX_BRIEF	0xffffffff00000000ull

/*
 * Product whose bits select two words of the map of lengths: of all NFAC_SUFFIX_BYTES, or of the
 * last NFAC_GRAM with zeros before them. The pattern lengths with that end are those in both words.
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
