// SPDX-License-Identifier: GPL-2.0
/*
 * Objects: what it costs to take one for a new direction and to give it back.
 *
 * nfac takes a place in the table's buckets, which are there from the start; beside it
 * stand kmem_cache_alloc() from a cache of that size, and kmalloc(), as a packet would have
 * to ask. Hot: one, again and again. Cold: as many as a table has, each written to, then
 * all given back. Each line gives the objects and the medians in ns for all of them.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "bench.h"
#include "compat.h"
#include "flow_table.h"

#define ROUNDS		11
#define OBJECTS		NFAC_FLOWS_DEFAULT

/* Under the module's lock of measurements. */
static struct {
	struct nfac_flows *flows;
	struct kmem_cache *cache;
	void **object;
} bench;

enum source { PLACE, CACHE, KMALLOC, SOURCES };

static const char * const names[SOURCES] = {
	[PLACE] = "nfac-place", [CACHE] = "kmem_cache", [KMALLOC] = "kmalloc",
};

static void *take(enum source from, u64 hash)
{
	const struct nfac_flow_clock clock = { .idle = NFAC_FLOW_IDLE_DEFAULT };
	struct nfac_flow_bucket *bucket;
	struct nfac_flow *flow;
	bool evicted;

	switch (from) {
	case PLACE:
		bucket = nfac_flow_bucket(bench.flows, hash);
		spin_lock(&bucket->lock);
		flow = nfac_flow_take(bucket, hash, 1, 0, clock, &evicted);
		spin_unlock(&bucket->lock);
		return flow;
	case CACHE:
		return kmem_cache_zalloc(bench.cache, GFP_ATOMIC);
	default:
		return kzalloc(sizeof(struct nfac_flow), GFP_ATOMIC);
	}
}

static void give_back(enum source from, u64 hash, struct nfac_flow *flow)
{
	struct nfac_flow_bucket *bucket;

	if (!flow)
		return;
	switch (from) {
	case PLACE:
		bucket = nfac_flow_bucket(bench.flows, hash);
		spin_lock(&bucket->lock);
		bucket->tag[flow - bucket->flow] = 0;
		spin_unlock(&bucket->lock);
		break;
	case CACHE:
		kmem_cache_free(bench.cache, flow);
		break;
	default:
		kfree(flow);
	}
}

/* As scattered as the hash of a connection. */
static u64 hash_of(u32 i)
{
	return (i + 1) * 0x9e3779b97f4a7c15ull;
}

static u64 hot(enum source from)
{
	u64 start = ktime_get_ns();
	u32 i;

	for (i = 0; i < OBJECTS; i++)
		give_back(from, hash_of(0), take(from, hash_of(0)));
	return ktime_get_ns() - start;
}

static u64 cold(enum source from)
{
	u64 start = ktime_get_ns(), ns;
	u32 i;

	for (i = 0; i < OBJECTS; i++)
		bench.object[i] = take(from, hash_of(i));
	for (i = 0; i < OBJECTS; i++)
		give_back(from, hash_of(i), bench.object[i]);
	ns = ktime_get_ns() - start;
	/* back to the page allocator: the next round shall not find them warm */
	kmem_cache_shrink(bench.cache);
	return ns;
}

int bench_objects_show(struct seq_file *m, void *v)
{
	u64 warm[SOURCES][ROUNDS], fresh[SOURCES][ROUNDS];
	int round, from, err = -ENOMEM;

	bench.object = kvcalloc(OBJECTS, sizeof(*bench.object), GFP_KERNEL);
	bench.cache = nfac_cache_create("nfac_bench_flow", sizeof(struct nfac_flow), 64);
	bench.flows = nfac_flows_create(bench_input.budget);
	if (!bench.object || !bench.cache || IS_ERR(bench.flows))
		goto out;
	for (round = 0; round < ROUNDS; round++)
		for (from = 0; from < SOURCES; from++) {
			fresh[from][round] = cold(from);
			warm[from][round] = hot(from);
		}
	for (from = 0; from < SOURCES; from++) {
		bench_sort(warm[from], ROUNDS);
		bench_sort(fresh[from], ROUNDS);
		seq_printf(m, "objects %s %u %llu %llu\n", names[from], OBJECTS,
			   warm[from][ROUNDS / 2], fresh[from][ROUNDS / 2]);
	}
	err = 0;
out:
	if (!IS_ERR_OR_NULL(bench.flows))
		nfac_flows_free_rcu(bench.flows);
	kmem_cache_destroy(bench.cache);
	kvfree(bench.object);
	return err;
}
