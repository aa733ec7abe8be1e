/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout: the states as words in tiles (their form is in blob.h), either records or a double array
 * (darray.h).
 */
#ifndef _NFAC_COMPILER_RECORDS_H
#define _NFAC_COMPILER_RECORDS_H

#include <stdbool.h>

#include "perfect_hash.h"
#include "trie.h"

/**
 * struct layout - the nodes of a set
 * @words: node words, in the blob's byte order
 * @count: number of words, padding at tiles' ends included
 * @entries: states of depth NFAC_GRAM by their q-gram
 * @entries_count: number of entries
 * @darray: it is a double array
 * @wide: with slots of 32 bits
 * @matches: with @darray, outputs by base
 * @matches_count: number of these
 * / Owned by nfac_compile(), freed by layout_free().
 */
struct layout {
	uint32_t *words;
	size_t count;
	struct table_pair *entries;
	size_t entries_count;
	bool darray;
	bool wide;
	struct table_pair *matches;
	size_t matches_count;
};

/**
 * layout_build() - write the records
 * @trie: linked
 *
 * Return: 0, -ENOMEM, -E2BIG.
 */
int layout_build(struct layout *layout, const struct trie *trie);
void layout_free(struct layout *layout);

#endif /* _NFAC_COMPILER_RECORDS_H */
