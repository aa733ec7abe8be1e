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
 *
 * Filled by nfac_automaton_bind(). Owned by whoever owns the memory it points to
 * (in the kernel struct nfac_load, protected by RCU); constant while readers see
 * it.
 *
 * The shifts leave as many upper bits of a hash as name a word of the map.
 *
 * @tiles: the directory; in user space of one entry
 * @nodes: first tile
 * @entries: states of depth NFAC_GRAM
 * @bloom: map of starts
 * @bloom_mask: the bytes that it speaks of
 * @fold: or-ed to each byte before hashing
 * @bloom_shift: of the map of starts, a hash of 64 bits
 * @gram_shift: of the map of grams, a hash of 32 bits
 * @stride: positions from one probe to the next; 0: no filter
 * @before: 1: a probe speaks of the start one byte behind its own, too
 * @nibble_masks_kind: NFAC_NIBBLE_MASKS_*
 * @nibble_masks_three: the last byte's maps by nibble let all pass
 * @nibble_masks_ascii: those of the others, or of all, know no byte from 128 on
 * @gram_bytes: bytes that the map of grams speaks of
 * @suffix_shift: of the map of ends, by bytes, a hash of 32 bits
 * @suffixes: map of ends; NULL: there is none
 * @suffix_lengths: map of lengths
 * @suffix_reach: bytes from a start on that they know of, NFAC_GRAM + 1 .. NFAC_SUFFIX_REACH
 * @grams: map of grams
 * @nibble_masks: maps by nibble; NULL: there are none
 * @outputs: two words for each
 * @extras: of outputs that have more to say
 * @flags: NFAC_SET_*
 * @short_lengths: bit l: there are patterns of l bytes
 * @short_patterns: patterns of 2 .. NFAC_GRAM - 1 bytes
 * @matches: outputs of the states where something matches, with NFAC_SET_DARRAY
 * @word_tiles: then, without NFAC_SET_DARRAY32, the directory from the double array's words on
 * @words: and their first tile
 * @short_map: NFAC_SHORT_BYTES of maps, where @short_lengths is not 0
 * @byte_patterns: numbers of the patterns of one byte; NULL: there are none
 * @byte_pattern_outputs: their outputs
 * @programs: of rules, see rules/program.h; NULL: there are none
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
	u8 nibble_masks_kind;
	bool nibble_masks_three;
	bool nibble_masks_ascii;
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
};

/**
 * nfac_automaton_bind() - make an automaton out of a verified blob's parts
 * @a: to fill
 * @head: the blob's header, verified; copied from, need not stay
 * @tiles: directory of head->tiles tiles of NFAC_TILE_BYTES each, holding the
 *	blob's tile section in order; stays in use. In user space they are one
 *	piece and only the first entry is looked at
 * @tables: the blob's tables section, 64-byte aligned; stays in use
 *
 * Context: any.
 */
void nfac_automaton_bind(struct nfac_automaton *a, const struct nfac_blob *head,
			 const __le32 *const *tiles, const void *tables);

/*
 * Where a reference points; valid up to the end of the tile. In user space the
 * tiles lie one after the other and the directory has one entry.
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
 * Byte @at of the @tiles, of which in user space @first is the first one; valid up to the end of
 * its tile.
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
