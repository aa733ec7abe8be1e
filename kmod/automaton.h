/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The automaton as the matcher sees it: where a verified set's parts lie, and how
 * a reference becomes a word.
 */
#ifndef _NFAC_AUTOMATON_H
#define _NFAC_AUTOMATON_H

#include "freestanding.h"
#include "../uapi/linux/nfac_blob.h"

/* A perfect hash table, see struct nfac_blob_table. */
struct nfac_table {
	u32 slots_at;
	u32 slots;
	u32 pilots_at;
	u32 buckets;
};

/**
 * struct nfac_automaton - a bound set
 *
 * Filled by nfac_automaton_bind(). Owned by whoever owns the memory it points to
 * (in the kernel struct nfac_set, protected by RCU); constant while readers see
 * it.
 */
struct nfac_automaton {
	const __le32 *const *tiles;
	struct nfac_table entries;
	struct nfac_table shorts;
	u32 flags;
	u32 outputs_at;
	u32 extras_at;
	u32 short_lengths;
	/* start filter: maps of bits, indexed by hashed grams */
	const u64 *gram_map;
	const u64 *start_map;
	const u64 *tail_map;
	u32 stride;
	u32 gram_shift;
	u32 start_shift;
	u32 tail_shift;
	u32 fold;
	/* short patterns: NFAC_SHORT_BYTES of maps */
	const u8 *short_map;
};

/* Where a reference points; valid up to the end of the tile. */
static __always_inline const __le32 *nfac_node(const struct nfac_automaton *a,
					       u32 ref)
{
	return a->tiles[ref >> NFAC_TILE_SHIFT] + (ref & (NFAC_TILE_WORDS - 1));
}

static __always_inline u32 nfac_word(const struct nfac_automaton *a, u32 ref)
{
	return le32_to_cpu(*nfac_node(a, ref));
}

/*
 * Hash of the start filter's maps: the upper bits of a product (Knuth, TAOCP 3,
 * 6.4). The bits above @shift name the bit.
 */
static __always_inline u32 nfac_gram_hash(u32 gram, u32 shift)
{
	return (gram * 0x9e3779b1u) >> shift;
}

static __always_inline bool nfac_map_test(const u64 *map, u32 bit)
{
	return map[bit >> 6] >> (bit & 63) & 1;
}

/*
 * Perfect hash by displacement (Fox, Chen and Heath 1992; Pibiri and Trani 2021):
 * a bucket's pilot was chosen by the compiler so that its keys fall into slots
 * that nobody else has. One probe, whatever the key.
 */
static __always_inline u64 nfac_table_mix(u32 key)
{
	u64 x = (key + 1ull) * 0x9e3779b97f4a7c15ull;

	return x ^ x >> 32;
}

static __always_inline u32 nfac_table_bucket(u64 mix, u32 buckets)
{
	return (u64)(u32)mix * buckets >> 32;
}

static __always_inline u32 nfac_table_slot(u64 mix, u32 pilot, u32 slots)
{
	u32 x = ((mix >> 8) ^ pilot * 0xd6e8feb86659fd93ull) *
		0xc2b2ae3d27d4eb4full >> 32;

	return (u64)x * slots >> 32;
}

/* Value that @key has in the table, or NFAC_NONE. */
static __always_inline u32 nfac_table_find(const struct nfac_automaton *a,
					   const struct nfac_table *t, u32 key)
{
	u64 mix = nfac_table_mix(key);
	u32 bucket = nfac_table_bucket(mix, t->buckets);
	u32 pilots = nfac_word(a, t->pilots_at + bucket / 2);
	u32 pilot = pilots >> (bucket & 1) * 16 & 0xffff;
	u32 slot = nfac_table_slot(mix, pilot, t->slots);
	const __le32 *pair = nfac_node(a, t->slots_at + 2 * slot);

	/* pairs stand at even references: never in two tiles */
	return le32_to_cpu(pair[0]) == key ? le32_to_cpu(pair[1]) : NFAC_NONE;
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

/* Words of a node with its output and failure, from its first word. */
static __always_inline u32 nfac_node_labels_words(u32 n)
{
	return (2 + n + 3) / 4;
}

/**
 * nfac_checksum() - of a blob, or of a tile
 * @p: bytes, a multiple of 8
 * @bytes: how many
 * @seed: 0, or the checksum of what stood before
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

		sum = (sum ^ le64_to_cpu((__force __le64)x)) * 0x9e3779b97f4a7c15ull;
		sum ^= sum >> 29;
	}
	return sum;
}

#endif /* _NFAC_AUTOMATON_H */
