/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The automaton: where the parts of a verified set are in memory. nfac_automaton_bind() fills it
 * from a blob's header; matcher and rules read it.
 */
#ifndef _NFAC_ENGINE_AUTOMATON_H
#define _NFAC_ENGINE_AUTOMATON_H

#include "freestanding.h"
#include "blob.h"
#include "perfect_hash.h"

/**
 * struct nfac_automaton - a bound set
 * / Filled by nfac_automaton_bind(). Owned by the owner of the memory it points to (in the kernel
 * struct nfac_load, protected by RCU); constant while readers see it.
 * / A shift leaves as many upper bits of a hash as the map has index bits.
 * / @tiles: the directory; in user space it has one entry
 * @nodes: first tile
 * @entries: states of depth NFAC_GRAM
 * @bloom: Bloom filter of the patterns' first bytes
 * @bloom_mask: selects those first bytes from a 64-bit key
 * @fold: or-ed to each byte before hashing
 * @bloom_shift: of the Bloom filter's hash, 64 bits
 * @gram_shift: of the q-gram map's hash, 32 bits
 * @stride: bytes from one probe to the next; 0: no prefilter
 * @before: 1: a probe also covers the candidate one byte behind it
 * @nibble_masks_lower: the nibble masks pass any upper nibble
 * @gram_bytes: bytes that the q-gram map uses
 * @suffix_shift: of the suffix map's hash, 32 bits; the map is indexed by bytes
 * @suffixes: suffix map: last bytes of patterns; NULL: no suffix filter
 * @suffix_lengths: lengths of the patterns with such an end
 * @suffix_reach: longest pattern prefix that the suffix filter has, bytes, NFAC_GRAM + 1 ..
 *	NFAC_SUFFIX_REACH
 * @grams: q-gram map
 * @nibble_masks: nibble masks; NULL: none
 * @outputs: two words for each output
 * @extras: of outputs with NFAC_OUT_EXTRA
 * @flags: NFAC_SET_*
 * @short_lengths: bit l: there are patterns of l bytes
 * @short_patterns: patterns of 2 .. NFAC_GRAM - 1 bytes
 * @matches: with NFAC_SET_DARRAY, outputs of the states that match
 * @word_tiles: with NFAC_SET_DARRAY and 16-bit slots, the directory from the double array's words
 *	on
 * @words: the first tile of these words
 * @short_map: NFAC_SHORT_BYTES of maps, if @short_lengths is not 0
 * @byte_patterns: number of each byte pattern, by byte; NULL: none
 * @byte_pattern_outputs: their outputs, by number
 * @programs: of rules, see rules/program.h; NULL: none
 * @spaces: with NFAC_SET_DECODE_URL: pairs of bytes that patterns have around spaces
 * @longest: bytes of the longest pattern
 */
struct nfac_automaton {
	const __le32 *const *tiles;
	const __le32 *nodes;
	struct nfac_table entries;
	const __le64 *bloom;
	u64 bloom_mask;
	u64 fold;
	u8 bloom_shift;
	u8 gram_shift;
	u8 stride;
	u8 before;
	bool nibble_masks_lower;
	u8 gram_bytes;
	u8 suffix_shift;
	const __le64 *grams;
	const u8 *suffixes;
	const __le64 *suffix_lengths;
	u32 suffix_reach;
	const u8 *nibble_masks;
	const __le32 *outputs;
	const __le32 *extras;
	u32 flags;
	u32 short_lengths;
	struct nfac_table short_patterns;
	struct nfac_table matches;
	const __le32 *const *word_tiles;
	const __le32 *words;
	const u8 *short_map;
	const u8 *byte_patterns;
	const __le32 *byte_pattern_outputs;
	const __le32 *programs;
	const u8 *spaces;
	u32 longest;
};

/* Does more follow the scan of a payload: rules to evaluate, or the decoded view? */
static inline bool nfac_automaton_confirms(const struct nfac_automaton *a)
{
	return a->programs || a->flags & NFAC_SET_DECODE_URL;
}

/**
 * nfac_automaton_bind() - set up an automaton from a verified blob
 * @a: filled
 * @head: the blob's header, verified; copied from, need not stay
 * @tiles: directory of head->tiles tiles of NFAC_TILE_BYTES each with the blob's tile section in
 *	order; stays in use. In user space the tiles are contiguous and only the first entry is used
 * @tables: the blob's tables section, 64-byte aligned; stays in use
 * / Context: any.
 */
void nfac_automaton_bind(struct nfac_automaton *a, const struct nfac_blob *head,
			 const __le32 *const *tiles, const void *tables);

/*
 * Address of a reference; valid up to the end of the tile. In user space the tiles are contiguous
 * and the directory has one entry.
 */
static __always_inline const __le32 *nfac_node(const struct nfac_automaton *a,
					       u32 ref)
{
#ifdef __KERNEL__
	return a->tiles[ref >> NFAC_TILE_SHIFT] + (ref & (NFAC_TILE_WORDS - 1));
#else
	return a->nodes + ref;
#endif
}

/*
 * Address of byte @at of the @tiles; valid up to the end of its tile. In user space @first is the
 * first tile.
 */
static __always_inline const void *nfac_tile_byte(const __le32 *const *tiles,
						  const __le32 *first, size_t at)
{
#ifdef __KERNEL__
	return (const u8 *)tiles[at / NFAC_TILE_BYTES] + at % NFAC_TILE_BYTES;
#else
	(void)tiles;
	return (const u8 *)first + at;
#endif
}

#endif /* _NFAC_ENGINE_AUTOMATON_H */
