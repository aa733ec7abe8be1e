/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes of the prefilter's maps: the Bloom filter of patterns' first bytes, and the q-gram map.
 * The compiler fills the maps (userspace-loader/compiler/filter.c), match/prefilter probes them.
 */
#ifndef _NFAC_ENGINE_BLOOM_H
#define _NFAC_ENGINE_BLOOM_H

#include "freestanding.h"

/*
 * Both maps are Bloom filters with all bits of a key in one word (Bloom 1970; Putze, Sanders and
 * Singler 2007). The upper bits of a product select the word (Knuth, TAOCP 3, 6.4); @shift leaves
 * as many bits as the map has index bits. The q-gram's product has 32 bits, so that a vector
 * computes eight of them at once.
 */
#define NFAC_MAP_FACTOR		0x9e3779b97f4a7c15ull

/* Bits of a candidate's key: two, from lower bits of the product. */
static __always_inline u64 nfac_candidate_bits(u64 hash)
{
	return 1ull << (hash >> 26 & 63) | 1ull << (hash >> 32 & 63);
}

static __always_inline u64 nfac_candidate_hash(u64 key)
{
	return key * NFAC_MAP_FACTOR;
}

/* Word of a q-gram: selected by its first three bytes. */
#define NFAC_GRAM_FACTOR	0x9e3779b1u

static __always_inline u32 nfac_gram_word(u32 gram, u8 shift)
{
	return (gram << 8) * NFAC_GRAM_FACTOR >> shift;
}

/*
 * Bit of a q-gram in its word, modulo 64: selected by its last byte and, in a map of five bytes,
 * the byte behind it.
 */
static __always_inline u32 nfac_gram_bit(u32 last, u32 next)
{
	return last ^ next << 3;
}

#endif /* _NFAC_ENGINE_BLOOM_H */
