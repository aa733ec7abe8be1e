/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Building a double array of a trie's states (its form is in blob.h).
 */
#ifndef _NFAC_COMPILER_DARRAY_H
#define _NFAC_COMPILER_DARRAY_H

#include "records.h"

/**
 * darray_build() - write the double array
 * @layout: filled as layout_build() does, and its matches
 * @trie: linked
 * @wide: slots are 32 bits (NFAC_SET_DARRAY32)
 * @bytes_max: most that they may take
 *
 * Return: 0, -ENOMEM; -E2BIG if @bytes_max, or the most slots that the form allows, have no room
 *	for all transitions or bases.
 */
int darray_build(struct layout *layout, const struct trie *trie, bool wide, size_t bytes_max);

#endif /* _NFAC_COMPILER_DARRAY_H */
