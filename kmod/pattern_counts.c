// SPDX-License-Identifier: GPL-2.0
/*
 * Pattern counts: how often each pattern of a load matched; see pattern_counts.h.
 */

#include <linux/cpumask.h>
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "pattern_counts.h"

#define NFAC_COUNTS_SLOTS_MIN	16u
#define NFAC_COUNTS_SLOTS_MAX	BIT(20)

/*
 * The tables of a load take at most 1/64 of the namespace's limit, over all CPUs: those of eight
 * sets leave seven eighths of it to automata.
 */
#define NFAC_COUNTS_SHARE	64

/*
 * 4,096 slots are 64 KiB on each CPU: all patterns of a set of 2,048, or the first 3,000 or so
 * that match of a larger one. With the default limit 64 CPUs have as many; 512 CPUs have 512 each.
 */
static unsigned int pattern_slots = 4096;
module_param(pattern_slots, uint, 0644);
MODULE_PARM_DESC(pattern_slots,
		 "patterns of a set that each CPU can count, 0 .. 1048576, 0: none; of sets that are loaded from now on (4096)");

static size_t nfac_counts_table_bytes(u32 slots)
{
	return slots * sizeof(struct nfac_counts_slot);
}

/**
 * nfac_counts_slots() - choose the size of a CPU's table
 * @patterns: of the load
 * @cpus: that have a table
 * @limit: of the namespace, in bytes
 *
 * Twice the patterns, so that a table is at most half full; no more than the parameter and the
 * share of @limit allow. The share leaves NFAC_COUNTS_SLOTS_MIN slots, so it never decides that
 * there are none.
 *
 * Context: any.
 * Return: slots, a power of two; 0: the load has no counts.
 */
u32 nfac_counts_slots(u32 patterns, u32 cpus, u64 limit)
{
	u32 most = min_t(u32, READ_ONCE(pattern_slots), NFAC_COUNTS_SLOTS_MAX);
	u32 slots;

	if (most < NFAC_COUNTS_BUCKET || !patterns)
		return 0;
	patterns = min_t(u32, patterns, NFAC_COUNTS_SLOTS_MAX);
	slots = min_t(u32, max_t(u32, roundup_pow_of_two(2 * patterns), NFAC_COUNTS_SLOTS_MIN),
		      rounddown_pow_of_two(most));
	while (slots > NFAC_COUNTS_SLOTS_MIN &&
	       (u64)cpus * nfac_counts_table_bytes(slots) > limit / NFAC_COUNTS_SHARE)
		slots /= 2;
	return slots;
}

static void nfac_counts_release(struct nfac_counts *counts)
{
	int cpu;

	for_each_possible_cpu(cpu)
		nfac_area_free(per_cpu_ptr(counts->cpus, cpu)->slots,
			       nfac_counts_table_bytes(counts->slots));
	free_percpu(counts->cpus);
	kfree(counts);
}

static struct nfac_counts *nfac_counts_alloc(u32 slots, u64 bytes)
{
	struct nfac_counts *counts = kzalloc(sizeof(*counts), GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!counts)
		return NULL;
	counts->slots = slots;
	counts->bytes = bytes;
	counts->seed = get_random_u32();
	counts->cpus = alloc_percpu_gfp(struct nfac_counts_cpu, GFP_KERNEL_ACCOUNT);
	if (!counts->cpus) {
		kfree(counts);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		struct nfac_counts_slot *table = nfac_area_alloc(nfac_counts_table_bytes(slots));

		if (!table) {
			nfac_counts_release(counts);
			return NULL;
		}
		per_cpu_ptr(counts->cpus, cpu)->slots = table;
	}
	return counts;
}

/**
 * nfac_counts_create() - create the counts of a load, all zero
 * @budget: the namespace's, charged with @bytes of the answer
 * @patterns: of the load
 *
 * Context: process, may sleep.
 * Return: the counts; NULL: the load has none, because the parameter is 0, or because memory or
 *	budget do not suffice. A set without counts is better than no set.
 */
struct nfac_counts *nfac_counts_create(struct nfac_budget *budget, u32 patterns)
{
	u32 slots = nfac_counts_slots(patterns, num_possible_cpus(), nfac_budget_limit());
	struct nfac_counts *counts;
	u64 bytes;

	if (!slots)
		return NULL;
	bytes = sizeof(*counts) + num_possible_cpus() *
		(sizeof(struct nfac_counts_cpu) + nfac_counts_table_bytes(slots));
	if (nfac_budget_take(budget, bytes))
		return NULL;
	counts = nfac_counts_alloc(slots, bytes);
	if (!counts)
		nfac_budget_return(budget, bytes);
	return counts;
}

/**
 * nfac_counts_free() - free the counts of a load
 * @counts: no packet sees them, or NULL; the caller returns their bytes to the budget
 *
 * Context: process.
 */
void nfac_counts_free(struct nfac_counts *counts)
{
	if (counts)
		nfac_counts_release(counts);
}

/*
 * The id's slot in a bucket, taken if it is free. NULL: others have all four. A softirq may take
 * the free slot between the read and the exchange; then the exchange answers with its tag.
 */
static struct nfac_counts_slot *nfac_counts_slot(struct nfac_counts_slot *bucket, u32 tag)
{
	u32 i, was;

	for (i = 0; i < NFAC_COUNTS_BUCKET; i++) {
		was = READ_ONCE(bucket[i].tag);
		if (!was)
			was = cmpxchg_relaxed(&bucket[i].tag, 0, tag) ?: tag;
		if (was == tag)
			return &bucket[i];
	}
	return NULL;
}

/**
 * nfac_counts_hit() - count a match
 * @counts: of the load
 * @id: the pattern's; 0xffffffff has no tag and stays uncounted
 *
 * A hook of locally generated packets runs in process context: a softirq may interrupt it, and it
 * may move to another CPU. The table is then another CPU's, so counts are atomic. The cache line
 * is this CPU's own in all other cases.
 *
 * Context: any; the caller holds the load.
 */
void nfac_counts_hit(const struct nfac_counts *counts, u32 id)
{
	struct nfac_counts_cpu *cpu = raw_cpu_ptr(counts->cpus);
	u32 mask = counts->slots / NFAC_COUNTS_BUCKET - 1;
	u32 hash = jhash_1word(id, counts->seed), tag = id + 1;
	/* odd: visits each bucket once, as their number is a power of two */
	u32 step = hash >> 20 | 1, i;

	for (i = 0; i < NFAC_COUNTS_PROBES && tag; i++, hash += step) {
		struct nfac_counts_slot *slot;

		slot = nfac_counts_slot(&cpu->slots[(hash & mask) * NFAC_COUNTS_BUCKET], tag);
		if (!slot)
			continue;
		atomic_long_inc(&slot->hits);
		WRITE_ONCE(slot->seen, (u32)ktime_get_real_seconds());
		return;
	}
	atomic_long_inc(&cpu->uncounted);
}

/* Read on in one CPU's table. Return: entries written to @to. */
static u32 nfac_counts_read_cpu(const struct nfac_counts *counts, int cpu, u32 *slot,
				struct nfac_pattern_count *to, u32 room)
{
	const struct nfac_counts_slot *table = per_cpu_ptr(counts->cpus, cpu)->slots;
	u32 got = 0;

	for (; *slot < counts->slots && got < room; ++*slot) {
		const struct nfac_counts_slot *from = &table[*slot];
		u64 hits = (unsigned long)atomic_long_read(&from->hits);

		/* the slot may be taken and not counted yet */
		if (!hits)
			continue;
		to[got].hits = hits;
		to[got].seen = READ_ONCE(from->seen);
		to[got].id = READ_ONCE(from->tag) - 1;
		to[got++].pad = 0;
	}
	return got;
}

/**
 * nfac_counts_read() - read the next counts
 * @counts: of the load
 * @cursor: 0 to begin, else as the last call left it: CPU << 32 | slot
 * @to: entries; an id has one for each CPU that saw it
 * @room: of @to
 *
 * Context: process, may sleep; the caller holds the load.
 * Return: entries written; less than @room: there are no more.
 */
u32 nfac_counts_read(const struct nfac_counts *counts, u64 *cursor,
		     struct nfac_pattern_count *to, u32 room)
{
	u32 cpu = *cursor >> 32, slot = *cursor, got = 0;

	for (; cpu < nr_cpu_ids; cpu++, slot = 0) {
		if (!cpu_possible(cpu))
			continue;
		got += nfac_counts_read_cpu(counts, cpu, &slot, to + got, room - got);
		if (got == room)
			break;
		cond_resched();
	}
	*cursor = (u64)cpu << 32 | slot;
	return got;
}

/**
 * nfac_counts_uncounted() - matches of patterns that found no slot, over all CPUs
 * @counts: of the load
 *
 * Context: process; the caller holds the load.
 */
u64 nfac_counts_uncounted(const struct nfac_counts *counts)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += (unsigned long)atomic_long_read(&per_cpu_ptr(counts->cpus, cpu)->uncounted);
	return sum;
}
