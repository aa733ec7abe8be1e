/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perfect hash tables, as the matcher and the verifier read them. Their form is in struct
 * nfac_blob_table; the compiler builds them (userspace-loader/compiler/perfect_hash.c).
 *
 * Perfect hashing by displacement (Fox, Chen and Heath 1992; Pibiri and Trani 2021): the compiler
 * chose the pilot of each bucket so that every key has a slot of its own. A lookup is one probe,
 * whatever the key.
 */
#ifndef _NFAC_ENGINE_PERFECT_HASH_H
#define _NFAC_ENGINE_PERFECT_HASH_H

#include "freestanding.h"
#include "blob.h"
#include "bloom.h"

/* A perfect hash table, see struct nfac_blob_table. */
struct nfac_table {
	const __le32 *slots;
	const __le16 *pilots;
	u64 factor;
	u32 slots_count;
	u32 bucket_mask;	/* of a hash's upper 24 bits */
};

/* even, so that a table's factor stays odd */
#define NFAC_SEED_FACTOR	(2 * 0xd6e8feb86659fd93ull)

/*
 * The walk waits for a lookup, so it has only two multiplications. If these do not separate a
 * table's keys, the compiler chooses another factor (seed).
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
	/* a shift by a register takes three operations on Intel processors, a mask one (3 %) */
	return mix >> 40 & t->bucket_mask;
}

static __always_inline u32 nfac_table_slot(const struct nfac_table *t, u64 mix, u32 pilot)
{
	return (u64)((u32)mix ^ pilot << 16) * t->slots_count >> 32;
}

/* Slot of @key, if it is in the table. */
static __always_inline u32 nfac_table_key_slot(const struct nfac_table *t, u32 key)
{
	u64 mix = nfac_table_mix(t, key);

	return nfac_table_slot(t, mix, le16_to_cpu(t->pilots[nfac_table_bucket(t, mix)]));
}

/* Is @key in the table? If so, *@value is its value, else undefined. */
static __always_inline bool nfac_table_has(const struct nfac_table *t, u32 key, u32 *value)
{
	const __le32 *pair = t->slots + 2 * (size_t)nfac_table_key_slot(t, key);

	*value = le32_to_cpu(pair[1]);
	return le32_to_cpu(pair[0]) == key;
}

/* Value of @key, or NFAC_NONE. */
static __always_inline u32 nfac_table_find(const struct nfac_table *t, u32 key)
{
	u32 value;

	return nfac_table_has(t, key, &value) ? value : NFAC_NONE;
}

/* Output of a double array's base that matches. */
static __always_inline u32 nfac_table_output(const struct nfac_table *t, u32 base)
{
	return le16_to_cpu(((const __le16 *)t->slots)[nfac_table_key_slot(t, base)]);
}

#endif /* _NFAC_ENGINE_PERFECT_HASH_H */
