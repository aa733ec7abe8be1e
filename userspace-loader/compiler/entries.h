/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entries of a set with records (their form is struct nfac_blob_entry).
 */
#ifndef _NFAC_ENTRIES_H
#define _NFAC_ENTRIES_H

#include "outputs.h"
#include "perfect_hash.h"

/* Write a table's slots, zeroed; each key is the q-gram of a long text. */
void entries_write(uint8_t *slots, const struct table *t, const struct outputs *o);

#endif /* _NFAC_ENTRIES_H */
