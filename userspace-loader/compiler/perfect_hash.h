/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Building perfect hash tables, which kmod/engine/perfect_hash.h reads.
 */
#ifndef _NFAC_COMPILER_PERFECT_HASH_H
#define _NFAC_COMPILER_PERFECT_HASH_H

#include <stddef.h>
#include <stdint.h>

struct table_pair {
	uint32_t key;
	uint32_t value;
};

/**
 * struct table - slots and pilots, owned by the caller of table_build()
 */
struct table {
	struct table_pair *pairs;
	uint16_t *pilots;
	uint32_t slots;
	uint32_t buckets;
	uint32_t seed;
};

/**
 * table_build() - give each pair a slot of its own
 * @pairs: distinct keys
 * / Return: 0 (with @count 0 an empty table), -ENOMEM.
 */
int table_build(struct table *table, const struct table_pair *pairs, size_t count);
void table_free(struct table *table);

#endif /* _NFAC_COMPILER_PERFECT_HASH_H */
