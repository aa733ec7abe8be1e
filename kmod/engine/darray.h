/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The double array: a slot's label and word, and a state's base. Its form is in blob.h (Aoe, IEEE
 * TSE 15/9, 1989).
 */
#ifndef _NFAC_ENGINE_DARRAY_H
#define _NFAC_ENGINE_DARRAY_H

#include "automaton.h"

/*
 * Bases that no state has: 0, and the first of each block, so that free slots have a label that
 * belongs to no state.
 */
static inline bool nfac_darray_reserved(u32 base)
{
	return base % NFAC_DARRAY_BLOCK == 0 || base == 1;
}

/* Label of a free slot. */
static inline u8 nfac_darray_free_label(u32 slot)
{
	return slot < NFAC_DARRAY_BLOCK ? slot ^ 1 : slot;
}

/* Base of a state's word. @wide: slots are 32 bits, as with NFAC_SET_DARRAY32. */
static __always_inline u32 nfac_darray_base(u32 state, const bool wide)
{
	return state >> (wide ? NFAC_DARRAY32_SHIFT : NFAC_DARRAY_SHIFT);
}

/* Does a pattern match in the state? */
static __always_inline bool nfac_darray_matches(u32 state, const bool wide)
{
	return state & (wide ? NFAC_DARRAY32_MATCH : NFAC_DARRAY_MATCH);
}

/* Label of a slot of the double array. */
static __always_inline u8 nfac_darray_label(const struct nfac_automaton *a, u32 slot)
{
	return *(const u8 *)nfac_tile_byte(a->tiles, a->nodes, slot);
}

/* Word of a slot of 16 bits. */
static __always_inline u32 nfac_darray_word(const struct nfac_automaton *a, u32 slot)
{
	return le16_to_cpu(*(const __le16 *)nfac_tile_byte(a->word_tiles, a->words,
							   2 * (size_t)slot));
}

/* Label and word of a slot of 32 bits. */
static __always_inline u32 nfac_darray_word32(const struct nfac_automaton *a, u32 slot)
{
	return le32_to_cpu(*nfac_node(a, slot));
}

/* Number of slots of a set's double array; 0: it has records. */
static inline u32 nfac_darray_slots(const struct nfac_blob *head)
{
	const u32 flags = le32_to_cpu(head->flags), words = le32_to_cpu(head->node_words);

	if (!(flags & NFAC_SET_DARRAY))
		return 0;
	return flags & NFAC_SET_DARRAY32 ? words : words * 4 / 3;
}

#endif /* _NFAC_ENGINE_DARRAY_H */
