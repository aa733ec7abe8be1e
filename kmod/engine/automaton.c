// SPDX-License-Identifier: GPL-2.0
/*
 * Binding an automaton: the parts of a verified blob become pointers, shifts and masks that the
 * matcher uses as they are.
 *
 * Called once for each load, by the module and by the tool. The verifier has checked each offset
 * and size in the header.
 */
#include "automaton.h"
#include "darray.h"
#include "suffix_maps.h"

/* Return the map at *@map, of 1 << @log2 bits, and move *@map behind it. NULL: there is none. */
static const __le64 *bind_map(const u8 **map, __le32 log2, u32 hash_bits, u8 *shift)
{
	const __le64 *at = (const __le64 *)*map;
	u32 bits = le32_to_cpu(log2);

	if (!bits)
		return NULL;
	*shift = hash_bits - (bits - 6);
	*map += 1ull << bits >> 3;
	return at;
}

/* Do the nibble masks pass any upper nibble? */
static bool nibble_masks_lower(const u8 *nibble_masks)
{
	u8 all = 0xff;
	u32 k, i;

	for (k = 0; k < NFAC_GRAM; k++)
		for (i = 0; i < 16; i++)
			all &= nibble_masks[NFAC_NIBBLE_MASK_BYTES * k + 16 + i];
	return all == 0xff;
}

void nfac_automaton_bind(struct nfac_automaton *a, const struct nfac_blob *head,
			 const __le32 *const *tiles, const void *tables)
{
	const struct nfac_blob_filter *f = &head->filter;
	const u32 slots = nfac_darray_slots(head), flags = le32_to_cpu(head->flags);
	const u32 longest = le32_to_cpu(head->longest);
	const u8 *map = tables;

	memset(a, 0, sizeof(*a));
	a->tiles = tiles;
	a->nodes = head->tiles ? tiles[0] : NULL;
	nfac_table_bind(&a->entries, &head->entries, tables);
	nfac_table_bind(&a->short_patterns, &head->short_patterns, tables);
	nfac_table_bind(&a->matches, &head->matches, tables);
	if (slots && !(flags & NFAC_SET_DARRAY32)) {
		a->word_tiles = tiles + slots / NFAC_TILE_BYTES;
		a->words = a->nodes + slots / sizeof(*a->nodes);
	}
	a->flags = flags;
	a->longest = longest < NFAC_PATTERN_MAX ? longest : NFAC_PATTERN_MAX;
	a->outputs = (const __le32 *)(map + le32_to_cpu(head->outputs_at));
	a->extras = (const __le32 *)(map + le32_to_cpu(head->extras_at));
	if (head->program_words)
		a->programs = (const __le32 *)(map + le32_to_cpu(head->programs_at));
	a->spaces = map + le32_to_cpu(head->programs_at) + 4 * le32_to_cpu(head->program_words);
	a->short_lengths = le32_to_cpu(head->short_lengths);
	if (a->short_lengths)
		a->short_map = map + le32_to_cpu(head->short_at);
	if (head->byte_patterns) {
		a->byte_patterns = a->short_map + NFAC_SHORT_BYTES;
		a->byte_pattern_outputs = (const __le32 *)(a->byte_patterns + NFAC_BYTE_PATTERNS);
	}
	a->stride = le32_to_cpu(f->stride);
	a->before = le32_to_cpu(f->before);
	a->bloom_mask = (1ull << 8 * le32_to_cpu(f->bloom_bytes)) - 1;
	a->fold = le32_to_cpu(f->fold) * 0x0101010101010101ull;
	a->bloom = bind_map(&map, f->bloom, 64, &a->bloom_shift);
	a->grams = bind_map(&map, f->grams, 32, &a->gram_shift);
	a->gram_bytes = le32_to_cpu(f->gram_bytes);
	if (f->nibble_masks) {
		a->nibble_masks = map;
		a->nibble_masks_lower = nibble_masks_lower(map);
		map += NFAC_NIBBLE_MASKS_BYTES;
	}
	a->suffixes = (const u8 *)bind_map(&map, f->suffixes, 32 - NFAC_SUFFIX_SHIFT,
					    &a->suffix_shift);
	if (a->suffixes) {
		a->suffix_lengths = (const __le64 *)map;
		a->suffix_reach = longest < NFAC_SUFFIX_REACH ? longest : NFAC_SUFFIX_REACH;
		/* the suffix filter keeps candidates whose q-gram is the end of their reach */
		if (a->suffix_reach <= NFAC_GRAM)
			a->suffix_reach = NFAC_GRAM + 1;
	}
}
