/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The automaton as the matcher sees it: where a verified set's parts lie, and how
 * a reference becomes a word.
 */
#ifndef _NFAC_AUTOMATON_H
#define _NFAC_AUTOMATON_H

#include "freestanding.h"
#include "blob.h"

/* A perfect hash table, see struct nfac_blob_table. */
struct nfac_table {
	const __le32 *slots;
	const __le16 *pilots;
	u64 factor;
	u32 slots_count;
	u32 bucket_mask;	/* of a hash's upper 24 bits */
};

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
 * @starts: map of starts
 * @start_mask: the bytes that it speaks of
 * @fold: or-ed to each byte before hashing
 * @start_shift: of the map of starts, a hash of 64 bits
 * @gram_shift: of the map of grams, a hash of 32 bits
 * @stride: positions from one probe to the next; 0: no filter
 * @before: 1: a probe speaks of the start one byte behind its own, too
 * @nibble_masks_kind: NFAC_NIBBLE_MASKS_*
 * @nibble_masks_three: the last byte's maps by nibble let all pass
 * @nibble_masks_ascii: those of the others, or of all, know no byte from 128 on
 * @gram_bytes: bytes that the map of grams speaks of
 * @suffix_shift: of the map of ends, by bytes, a hash of 32 bits
 * @ends: map of ends; NULL: there is none
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
	const __le64 *starts;
	u64 start_mask;
	u64 fold;
	u8 start_shift;
	u8 gram_shift;
	u8 stride;
	u8 before;
	u8 nibble_masks_kind;
	bool nibble_masks_three;
	bool nibble_masks_ascii;
	u8 gram_bytes;
	u8 suffix_shift;
	const __le64 *grams;
	const u8 *ends;
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

/* Bases of no state: 0, and in each block the one that explains the free slots' labels. */
static inline bool nfac_darray_reserved(u32 base)
{
	return base % NFAC_DARRAY_BLOCK == 0 || base == 1;
}

/* Label of a slot that is free. */
static inline u8 nfac_darray_free_label(u32 slot)
{
	return slot < NFAC_DARRAY_BLOCK ? slot ^ 1 : slot;
}

/* Base of a state's word. @wide: slots are 32 bits, as with NFAC_SET_DARRAY32. */
static __always_inline u32 nfac_darray_base(u32 state, const bool wide)
{
	return state >> (wide ? NFAC_DARRAY32_SHIFT : NFAC_DARRAY_SHIFT);
}

/* Does something match in it? */
static __always_inline bool nfac_darray_matches(u32 state, const bool wide)
{
	return state & (wide ? NFAC_DARRAY32_MATCH : NFAC_DARRAY_MATCH);
}

/* Label of a slot of the double array. */
static __always_inline u8 nfac_darray_label(const struct nfac_automaton *a, u32 slot)
{
	return *(const u8 *)nfac_tile_byte(a->tiles, a->nodes, slot);
}

/* Its word. */
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

/*
 * Both maps are Bloom filters with all bits of a key in one word (Bloom 1970; Putze,
 * Sanders and Singler 2007), which the upper bits of a product name (Knuth, TAOCP
 * 3, 6.4). @shift leaves as many of them as there are words. The grams' product has
 * 32 bits, so that a vector computes eight of them at once.
 */
#define NFAC_MAP_FACTOR		0x9e3779b97f4a7c15ull

/* Bits of a start's key: two, from further down the product. */
static __always_inline u64 nfac_candidate_bits(u64 hash)
{
	return 1ull << (hash >> 26 & 63) | 1ull << (hash >> 32 & 63);
}

static __always_inline u64 nfac_candidate_hash(u64 key)
{
	return key * NFAC_MAP_FACTOR;
}

/* Word of a gram: by its first three bytes. */
#define NFAC_GRAM_FACTOR	0x9e3779b1u

static __always_inline u32 nfac_gram_word(u32 gram, u8 shift)
{
	return (gram << 8) * NFAC_GRAM_FACTOR >> shift;
}

/*
 * Bit of a gram in its word, modulo 64: by its last byte and, in a map of five, the byte
 * behind it.
 */
static __always_inline u32 nfac_gram_bit(u32 last, u32 next)
{
	return last ^ next << 3;
}

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

/* Even, so that a table's factor stays odd. */
#define NFAC_SEED_FACTOR	(2 * 0xd6e8feb86659fd93ull)

/*
 * Perfect hash by displacement (Fox, Chen and Heath 1992; Pibiri and Trani 2021):
 * a bucket's pilot was chosen by the compiler so that its keys fall into slots
 * that nobody else has. One probe, whatever the key. The walk waits for it, so it
 * has only two multiplications; keys that these do not separate get another factor.
 */
static inline void nfac_table_bind(struct nfac_table *t, const struct nfac_blob_table *head,
				   const u8 *tables)
{
	u32 buckets = le32_to_cpu(head->buckets);

	t->slots = (const __le32 *)(tables + le32_to_cpu(head->slots_at));
	t->pilots = (const __le16 *)(tables + le32_to_cpu(head->pilots_at));
	t->factor = NFAC_MAP_FACTOR + NFAC_SEED_FACTOR * le32_to_cpu(head->seed);
	t->slots_count = le32_to_cpu(head->slots);
	t->bucket_mask = buckets ? buckets - 1 : 0;
}

static __always_inline u64 nfac_table_mix(const struct nfac_table *t, u32 key)
{
	return key * t->factor;
}

static __always_inline u32 nfac_table_bucket(const struct nfac_table *t, u64 mix)
{
	/* not a shift by a register: three operations on Intel's, where a mask is one (3 %) */
	return mix >> 40 & t->bucket_mask;
}

static __always_inline u32 nfac_table_slot(const struct nfac_table *t, u64 mix, u32 pilot)
{
	return (u64)((u32)mix ^ pilot << 16) * t->slots_count >> 32;
}

/* Slot where @key is, if it is in the table. */
static __always_inline u32 nfac_table_place(const struct nfac_table *t, u32 key)
{
	u64 mix = nfac_table_mix(t, key);

	return nfac_table_slot(t, mix, le16_to_cpu(t->pilots[nfac_table_bucket(t, mix)]));
}

/* Is @key in the table? Then it has @value; else that may be anything. */
static __always_inline bool nfac_table_has(const struct nfac_table *t, u32 key, u32 *value)
{
	const __le32 *pair = t->slots + 2 * (size_t)nfac_table_place(t, key);

	*value = le32_to_cpu(pair[1]);
	return le32_to_cpu(pair[0]) == key;
}

/* Value that @key has in the table, or NFAC_NONE. */
static __always_inline u32 nfac_table_find(const struct nfac_table *t, u32 key)
{
	u32 value;

	return nfac_table_has(t, key, &value) ? value : NFAC_NONE;
}

/* Slot where @gram is, if it is among the entries of a set with records. */
static __always_inline const struct nfac_blob_entry *nfac_entry_slot(const struct nfac_table *t,
								     u32 gram)
{
	return (const struct nfac_blob_entry *)t->slots + nfac_table_place(t, gram);
}

/* Its reference, or NFAC_NONE. */
static __always_inline u32 nfac_entry_find(const struct nfac_table *t, u32 gram)
{
	const struct nfac_blob_entry *entry = nfac_entry_slot(t, gram);

	return le32_to_cpu(entry->gram) == gram ? le32_to_cpu(entry->reference) : NFAC_NONE;
}

/*
 * The same where the bytes behind the gram are known too, above it in @x: NFAC_NONE also if no
 * pattern goes on with them.
 */
static __always_inline u32 nfac_entry_lookahead(const struct nfac_table *t, u64 x)
{
	const struct nfac_blob_entry *entry = nfac_entry_slot(t, x);
	u32 differ = (le32_to_cpu(entry->ahead) ^ x >> 32) & le32_to_cpu(entry->mask);

	/* one branch, which is foreseen as long as no pattern begins */
	differ |= le32_to_cpu(entry->gram) ^ (u32)x;
	return differ ? NFAC_NONE : le32_to_cpu(entry->reference);
}

/* Output of a base of the double array where something matches. */
static __always_inline u32 nfac_table_output(const struct nfac_table *t, u32 base)
{
	return le16_to_cpu(((const __le16 *)t->slots)[nfac_table_place(t, base)]);
}

/* Bytes of a slot of a set's entries. */
static inline u32 nfac_entry_bytes(const struct nfac_blob *head)
{
	return le32_to_cpu(head->flags) & NFAC_SET_DARRAY ? NFAC_TABLE_PAIR :
							 sizeof(struct nfac_blob_entry);
}

/* Bytes of the patterns of one byte: their numbers and @n outputs, as the next table begins. */
static inline u64 nfac_byte_patterns_bytes(u32 n)
{
	return n ? (NFAC_BYTE_PATTERNS + 4ull * n + 7) & ~7ull : 0;
}

/* Slots of a set's double array, or 0. */
static inline u32 nfac_darray_slots(const struct nfac_blob *head)
{
	const u32 flags = le32_to_cpu(head->flags), words = le32_to_cpu(head->node_words);

	if (!(flags & NFAC_SET_DARRAY))
		return 0;
	return flags & NFAC_SET_DARRAY32 ? words : words * 4 / 3;
}

/* A-Z become a-z in four bytes at once; other bytes stay. */
static __always_inline u32 nfac_fold4(u32 x)
{
	u32 low = x & 0x7f7f7f7fu;
	u32 upper = (low + 0x3f3f3f3fu) & ~(low + 0x25252525u) & ~x & 0x80808080u;

	return x | upper >> 2;
}

/* The same in eight. */
static __always_inline u64 nfac_fold8(u64 x)
{
	u64 low = x & 0x7f7f7f7f7f7f7f7full;
	u64 upper = (low + 0x3f3f3f3f3f3f3f3full) & ~(low + 0x2525252525252525ull) &
		    ~x & 0x8080808080808080ull;

	return x | upper >> 2;
}

static __always_inline u8 nfac_fold1(u8 c)
{
	return (u8)(c - 'A') < 26 ? c | 0x20 : c;
}

/* Words of a node's head and the @n bytes that follow it. */
static __always_inline u32 nfac_node_label_words(u32 n)
{
	return (2 + n + 3) / 4;
}

/* Bits set in a map. */
static __always_inline u32 nfac_weight(u32 x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	return x * 0x01010101u >> 24;
}

/* The same of 64 bits. */
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

/* Tag of references to a record that begins with @head. */
static __always_inline u32 nfac_tag(u32 head)
{
	u32 type = head & NFAC_NODE_TYPE, n = head >> 8 & NFAC_LABELS_MASK;

	if (type == NFAC_NODE_FORK && n < NFAC_TAG_LABELS)
		return NFAC_TAG_FORK + n;
	if (type == NFAC_NODE_TAIL && n < NFAC_TAG_LABELS)
		return NFAC_TAG_TAIL + n;
	return NFAC_TAG_OTHER + type;
}

/* A reference without its tag, or its place. */
static __always_inline u32 nfac_untagged(u32 ref)
{
	return ref & (NFAC_NODE_WORDS_MAX - 1);
}

/* Words of a record's failures, of which @first is the first. */
static __always_inline u32 nfac_failure_words(u32 head, u32 first)
{
	if (!(head & NFAC_NODE_FAIL))
		return 0;
	if (first >> NFAC_PLACE_SHIFT != NFAC_PLACE_MAP)
		return 1;
	return 1 + nfac_weight(nfac_untagged(first));
}

/* Words of a record's outputs, of which @first is the first. */
static __always_inline u32 nfac_output_words(u32 head, u32 first)
{
	if (!(head & NFAC_NODE_OUT))
		return 0;
	return first & NFAC_STATE_MAP ? 1 + nfac_weight(nfac_untagged(first)) : 1;
}

/* Words of a TABLE before its references. */
static __always_inline u32 nfac_table_words(u32 head)
{
	return 1 + ((head >> 24) - (head >> 16 & 0xff) + 4) / 4;
}

/* Part of the format, as the checksum is. */
#define NFAC_SUM_FACTOR		0x9e3779b97f4a7c15ull

/**
 * nfac_checksum() - of a blob, or of a tile
 * @p: bytes, a multiple of 8
 * @bytes: how many
 * @seed: 0, or the checksum of what came before
 *
 * Finds accidents, not forgeries: each step is a bijection of the sum so far, so
 * one changed word always changes the result.
 */
static inline u64 nfac_checksum(const void *p, size_t bytes, u64 seed)
{
	const u8 *b = p;
	u64 sum = seed;

	for (; bytes >= 8; bytes -= 8, b += 8) {
		u64 x = nfac_get64(b);

		sum = (sum ^ le64_to_cpu((__force __le64)x)) * NFAC_SUM_FACTOR;
		sum ^= sum >> 29;
	}
	return sum;
}

#endif /* _NFAC_AUTOMATON_H */
