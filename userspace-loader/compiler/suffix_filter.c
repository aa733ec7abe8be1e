// SPDX-License-Identifier: GPL-2.0
/*
 * Filling the suffix maps: pattern ends, and the lengths of patterns with such an end.
 */
#include "suffix_filter.h"
#include "../../kmod/engine/blob.h"
#include "../../kmod/engine/suffix_maps.h"

/*
 * Bits in the suffix map for each pattern: one in 30 other ends passes. Both maps are read for each
 * byte. Where they left no room in the L2 cache (256 KB), dense text was slower with them than
 * without (100,000 patterns: 0.7). With half the bits dense text is still faster by 5 to 28 %.
 */
#define BITS_AN_END	32
#define BITS_AN_END_MIN	16
#define MOST		20	/* log2 of bits */

unsigned int suffix_maps_log2(const struct outputs *o)
{
	unsigned int log2 = NFAC_MAP_MIN;

	if ((uint64_t)o->keys_count * BITS_AN_END_MIN > 1ull << MOST)
		return 0;
	while (log2 < MOST && 1ull << log2 < (uint64_t)o->keys_count * BITS_AN_END)
		log2++;
	return log2;
}

size_t suffix_maps_bytes(unsigned int log2)
{
	return log2 ? (1ull << log2) / 8 * 2 : 0;
}

/* The last bytes of a pattern's first @length bytes, as the text's are read; 0 before it. */
static uint64_t last_bytes(const uint8_t *bytes, uint32_t length, uint8_t fold)
{
	uint64_t x = 0;
	uint32_t i;

	for (i = length < NFAC_SUFFIX_BYTES ? 0 : length - NFAC_SUFFIX_BYTES; i < length; i++)
		x = x >> 8 | (uint64_t)(bytes[i] | fold) << 56;
	return x;
}

void suffix_maps_fill(uint8_t *map, const struct outputs *o, uint8_t fold, unsigned int log2)
{
	__le64 *lengths = (__le64 *)(map + (1ull << log2) / 8);
	uint8_t shift = 32 - NFAC_SUFFIX_SHIFT - (log2 - 6);
	size_t i;

	for (i = 0; i < o->keys_count; i++) {
		uint32_t length = o->keys[i].length;
		uint32_t within = length < NFAC_SUFFIX_REACH ? length : NFAC_SUFFIX_REACH;
		uint64_t end = last_bytes(o->keys[i].bytes, within, fold), product;
		uint32_t hash = nfac_suffix_hash(end >> 32), bit, k;

		if (within >= NFAC_SUFFIX_BYTES) {
			bit = nfac_suffix_bit(hash, end);
			product = nfac_suffix_product(end);
		} else {
			bit = NFAC_SUFFIX_BIT_BRIEF;
			product = nfac_suffix_product(end & NFAC_SUFFIX_BRIEF);
		}
		map[hash >> shift] |= 1u << bit;
		for (k = 0; k < 2; k++)
			lengths[nfac_suffix_word(product, shift, k)] |=
				cpu_to_le64(1ull << (-within % NFAC_SUFFIX_REACH));
	}
}
