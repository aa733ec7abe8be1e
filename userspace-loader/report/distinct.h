/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distinct values: how many different connections, packets or addresses there are of a kind.
 *
 * findings.c counts by it. A value is kept as a hash of 64 bits with a secret key (SipHash), so
 * no sender can make two values count as one; of a million values that happens by chance once
 * in 37 million runs.
 */
#ifndef _NFAC_REPORT_DISTINCT_H
#define _NFAC_REPORT_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct payload;

/* Values that are kept: 64 MB, in a table at most half full. */
#define DISTINCT_MAX	(1u << 22)

/**
 * struct distinct - a set of values
 * @slots: hashes in a table of open addressing; 0: free
 * @full: a value had no place: counts are lower bounds from then on
 */
struct distinct {
	uint64_t key[2];
	uint64_t *slots;
	size_t used, room;
	bool full;
};

/* Return: 0; -1 after saying why. */
int distinct_init(struct distinct *set);
void distinct_free(struct distinct *set);

/* A hash of some words, to be passed to distinct_add() as one. */
uint64_t distinct_hash(const struct distinct *set, const uint64_t *words, size_t count);

/* Add the value that @words are. Return: it is new. */
bool distinct_add(struct distinct *set, const uint64_t *words, size_t count);

/* Is it one of the values? */
bool distinct_has(const struct distinct *set, const uint64_t *words, size_t count);

/* A hash of protocol, addresses and ports, the same for both directions. */
uint64_t distinct_connection(const struct distinct *set, const struct payload *ends);

#endif /* _NFAC_REPORT_DISTINCT_H */
