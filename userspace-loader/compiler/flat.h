/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flat: states become slots of a double array (its form is in nfac_blob.h).
 */
#ifndef _NFAC_FLAT_H
#define _NFAC_FLAT_H

#include "layout.h"

/**
 * flat_build() - write the double array
 * @layout: filled as layout_build() does, and its matches
 * @trie: linked
 *
 * Return: 0, -ENOMEM; -E2BIG when NFAC_FLAT_SLOTS_MAX slots have no room for all transitions
 *	or bases, or the trie has more than twice as many states.
 */
int flat_build(struct layout *layout, const struct trie *trie);

#endif /* _NFAC_FLAT_H */
