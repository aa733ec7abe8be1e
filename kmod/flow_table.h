/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flow table: where the directions of TCP connections are remembered.
 *
 * A table belongs to a network namespace, from its first --stream attachment to its last. All of
 * its memory is there from the start: a packet takes a slot, it never allocates one. A bucket has
 * fifteen slots (engine/stream/slots.h), and an object of the cache several buckets.
 */
#ifndef _NFAC_FLOW_TABLE_H
#define _NFAC_FLOW_TABLE_H

#include <linux/prefetch.h>
#include <linux/siphash.h>
#include <linux/workqueue.h>

#include "engine/stream/slots.h"
#include "budget.h"
#include "payload.h"

/*
 * Buckets in a chunk, which is an object of the nfac_flow cache: 32 KB, the most that the page
 * allocator does not call costly. So the pointers to them are few and stay in the CPU's cache: a
 * packet whose bucket has left it waits for memory once, and not for a pointer before that.
 */
#define NFAC_CHUNK_BUCKETS	32u

/**
 * struct nfac_flows - a table
 *
 * Owned by its namespace, and created and freed under that namespace's lock; packets reach it
 * through their attachment. Constant but for the buckets.
 *
 * @chunk: NFAC_CHUNK_BUCKETS buckets each; the last one may have buckets beyond @count
 * @count: of buckets
 * @users: attachments; under the namespace's lock
 * @secret: of the hash, chosen with the table
 * @budget: the namespace's
 * @charged: bytes taken from it
 * @windows: each slot has one; under the namespace's lock
 * @free: frees the table after a grace period
 */
struct nfac_flows {
	struct nfac_flow_bucket **chunk;
	u32 count;
	unsigned int users;
	siphash_key_t secret;
	struct nfac_budget *budget;
	u64 charged;
	bool windows;
	struct rcu_work free;
};

int nfac_flows_init(void);
void nfac_flows_exit(void);

struct nfac_flows *nfac_flows_create(struct nfac_budget *budget);
int nfac_flows_windows(struct nfac_flows *flows);
void nfac_flows_free_rcu(struct nfac_flows *flows);
void nfac_flows_forget(struct nfac_flows *flows, u32 attachment);
u64 nfac_flows_count(struct nfac_flows *flows, u32 attachment);

u64 nfac_flow_hash(const struct nfac_flows *flows, const struct sk_buff *skb,
		   const struct nfac_payload *payload, u32 attachment);
struct nfac_flow_clock nfac_flows_clock(void);

/*
 * The direction, a bit of nfac_flow_hash(). It chooses one of two buckets beside each other: on one
 * page, but no fuller than if each direction had a hash of its own.
 */
#define NFAC_FLOW_BACK		BIT_ULL(63)

/* The hash of the other direction. */
static inline u64 nfac_flow_back(u64 hash)
{
	return hash ^ NFAC_FLOW_BACK;
}

static inline struct nfac_flow_bucket *nfac_flows_at(const struct nfac_flows *flows, u32 i)
{
	return &flows->chunk[i / NFAC_CHUNK_BUCKETS][i % NFAC_CHUNK_BUCKETS];
}

/* The number of a direction's bucket. The last of an odd number of buckets has no neighbour. */
static inline u32 nfac_flows_index(const struct nfac_flows *flows, u64 hash)
{
	u32 i = nfac_flow_bucket_of(hash, flows->count);

	return hash & NFAC_FLOW_BACK && (i ^ 1) < flows->count ? i ^ 1 : i;
}

/**
 * nfac_flow_bucket() - where a direction can be
 * @flows: the table
 * @hash: its name
 *
 * Both cache lines that will be wanted are fetched at once, before the lock.
 *
 * Context: any.
 */
static inline struct nfac_flow_bucket *nfac_flow_bucket(const struct nfac_flows *flows, u64 hash)
{
	struct nfac_flow_bucket *bucket;

	bucket = nfac_flows_at(flows, nfac_flows_index(flows, hash));
	prefetchw(bucket);
	prefetchw(&bucket->flow[nfac_flow_first_slot(nfac_flow_tag(hash))]);
	return bucket;
}

#endif /* _NFAC_FLOW_TABLE_H */
