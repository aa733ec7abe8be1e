/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pattern counts: how often each pattern of a load matched, and when it did so last.
 *
 * Hook and search API count every match that counts for the set, by its id: of a rule, when the
 * rule holds. The ioctl NFAC_IOC_GET_COUNTS reads. Counts belong to the load and begin at 0 with
 * each swap, because an id of a plain list names another pattern once the list has changed.
 *
 * Each possible CPU has a table of its own, so no two CPUs write to one cache line. A table is
 * indexed by a hash of the id and holds the patterns that matched on this CPU. Its size is bounded
 * by the module parameter pattern_slots and by the namespace's limit, not by the set: most patterns
 * never match, and a set with a million of them costs no more than one with a few thousand.
 *
 * Cost of a match: at most NFAC_COUNTS_PROBES cache lines, one in all but full tables.
 */
#ifndef _NFAC_PATTERN_COUNTS_H
#define _NFAC_PATTERN_COUNTS_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "../uapi/linux/nfac.h"
#include "budget.h"

/* Slots in a bucket: a cache line of 64 bytes; on 32-bit machines a bucket has 48. */
#define NFAC_COUNTS_BUCKET	4

/*
 * Buckets that an id may be in. A set that the parameter does not limit fills at most half of its
 * slots; then 14 % of the buckets are full, and the chance that all eight of an id are is 10^-7.
 */
#define NFAC_COUNTS_PROBES	8

/**
 * struct nfac_counts_slot - one pattern's count on one CPU
 * @tag: id + 1, 0: free. Set once, by compare-and-exchange
 * @seen: seconds since 1970 of the last match; fits until 2106
 * @hits: matches; on 32-bit machines it wraps at 2^32
 */
struct nfac_counts_slot {
	u32 tag;
	u32 seen;
	atomic_long_t hits;
};

/**
 * struct nfac_counts_cpu - one CPU's table
 * @slots: struct nfac_counts.slots of them, aligned to a cache line
 * @uncounted: matches of patterns that found no slot
 */
struct nfac_counts_cpu {
	struct nfac_counts_slot *slots;
	atomic_long_t uncounted;
};

/**
 * struct nfac_counts - the counts of a load
 *
 * Owned by the load.
 *
 * @cpus: tables
 * @slots: in each table, a power of two
 * @seed: of the hash, so that senders cannot choose patterns that share a bucket
 * @bytes: of memory, charged to the budget
 */
struct nfac_counts {
	struct nfac_counts_cpu __percpu *cpus;
	u32 slots;
	u32 seed;
	u64 bytes;
};

u32 nfac_counts_slots(u32 patterns, u32 cpus, u64 limit);
struct nfac_counts *nfac_counts_create(struct nfac_budget *budget, u32 patterns);
void nfac_counts_free(struct nfac_counts *counts);
void nfac_counts_hit(const struct nfac_counts *counts, u32 id);
u32 nfac_counts_read(const struct nfac_counts *counts, u64 *cursor,
		     struct nfac_pattern_count *to, u32 room);
u64 nfac_counts_uncounted(const struct nfac_counts *counts);

#endif /* _NFAC_PATTERN_COUNTS_H */
