/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries of a set with records: the states of depth NFAC_GRAM, found by a perfect hash table whose
 * key is the q-gram. Their form is in struct nfac_blob_entry.
 */
#ifndef _NFAC_ENGINE_ENTRIES_H
#define _NFAC_ENGINE_ENTRIES_H

#include "perfect_hash.h"

/* Slot of @gram, if it is an entry. */
static __always_inline const struct nfac_blob_entry *nfac_entry_slot(const struct nfac_table *t,
								     u32 gram)
{
	return (const struct nfac_blob_entry *)t->slots + nfac_table_key_slot(t, gram);
}

/* Reference of @gram's entry, or NFAC_NONE. */
static __always_inline u32 nfac_entry_find(const struct nfac_table *t, u32 gram)
{
	const struct nfac_blob_entry *entry = nfac_entry_slot(t, gram);

	return le32_to_cpu(entry->gram) == gram ? le32_to_cpu(entry->reference) : NFAC_NONE;
}

/*
 * nfac_entry_find() with the lookahead mask. @x: the q-gram, and above it the four bytes behind it.
 * Return: NFAC_NONE also if no pattern continues with these bytes.
 */
static __always_inline u32 nfac_entry_lookahead(const struct nfac_table *t, u64 x)
{
	const struct nfac_blob_entry *entry = nfac_entry_slot(t, x);
	u32 differ = (le32_to_cpu(entry->lookahead) ^ x >> 32) & le32_to_cpu(entry->mask);

	/* one branch, predicted well as long as no pattern begins */
	differ |= le32_to_cpu(entry->gram) ^ (u32)x;
	return differ ? NFAC_NONE : le32_to_cpu(entry->reference);
}

/* Bytes of a slot of the entries. */
static inline u32 nfac_entry_bytes(const struct nfac_blob *head)
{
	return le32_to_cpu(head->flags) & NFAC_SET_DARRAY ? NFAC_TABLE_PAIR :
							 sizeof(struct nfac_blob_entry);
}

#endif /* _NFAC_ENGINE_ENTRIES_H */
