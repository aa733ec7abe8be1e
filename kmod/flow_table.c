// SPDX-License-Identifier: GPL-2.0
/*
 * The flow table: the memory of the directions of TCP connections.
 */

#include <linux/err.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "compat.h"
#include "engine/stream/window.h"
#include "flow_table.h"

/* 0: nfac_flows_fit() */
static unsigned int flows_max;
module_param(flows_max, uint, 0644);
MODULE_PARM_DESC(flows_max,
		 "directions of TCP connections that a namespace follows, 132 bytes each, and with rules flow_window; allocated by the first --stream attachment; 0: as many as fit into 1/16 of the memory, at most 32768 (0)");

static unsigned int flow_idle = NFAC_FLOW_IDLE_DEFAULT;
module_param(flow_idle, uint, 0644);
MODULE_PARM_DESC(flow_idle,
		 "seconds of silence after which a followed direction may lose its slot to another, at most 32767 (120)");

static unsigned int flow_window = NFAC_WINDOW_DEFAULT;
module_param(flow_window, uint, 0444);
MODULE_PARM_DESC(flow_window,
		 "bytes that are kept of each followed direction where a set has rules, at most 16384; 0: each segment is by itself (2560)");

static struct kmem_cache *nfac_flow_cache;
static struct kmem_cache *nfac_window_cache;	/* NULL: no windows */

static size_t nfac_window_bytes(void)
{
	return sizeof(struct nfac_flow_window) + min(flow_window, NFAC_WINDOW_LIMIT);
}

/*
 * The default of flows_max: slots with windows for 1/16 of the memory, in whole chunks, because
 * nfac_flows_create() allocates those.
 */
static u32 nfac_flows_fit(void)
{
	const u32 chunk = NFAC_CHUNK_BUCKETS * NFAC_FLOW_SLOTS;
	size_t bytes = NFAC_CHUNK_BUCKETS * sizeof(struct nfac_flow_bucket);
	unsigned long chunks;

	if (flow_window)
		bytes += chunk * nfac_window_bytes();
	chunks = totalram_pages() / 16 / DIV_ROUND_UP(bytes, PAGE_SIZE);
	return min_t(unsigned long, max(chunks, 1ul) * chunk, NFAC_FLOWS_DEFAULT);
}

static u32 nfac_flows_wanted(void)
{
	u32 wanted = READ_ONCE(flows_max);

	return wanted ? min(wanted, NFAC_FLOWS_LIMIT) : nfac_flows_fit();
}

/**
 * nfac_flows_init() - create the caches nfac_flow and nfac_window
 *
 * Sets flows_max to its default if the parameter was not given, so that sysfs shows the number.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_flows_init(void)
{
	nfac_flow_cache = nfac_cache_create("nfac_flow", NFAC_CHUNK_BUCKETS *
					    sizeof(struct nfac_flow_bucket), 64);
	if (!nfac_flow_cache)
		return -ENOMEM;
	flows_max = nfac_flows_wanted();
	if (!flow_window)
		return 0;
	nfac_window_cache = nfac_cache_create("nfac_window", nfac_window_bytes(), 8);
	if (nfac_window_cache)
		return 0;
	kmem_cache_destroy(nfac_flow_cache);
	return -ENOMEM;
}

/* All tables are free, after nfac_free_exit(). */
void nfac_flows_exit(void)
{
	kmem_cache_destroy(nfac_window_cache);
	kmem_cache_destroy(nfac_flow_cache);
}

static u32 nfac_flows_chunks(u32 count)
{
	return DIV_ROUND_UP(count, NFAC_CHUNK_BUCKETS);
}

static u64 nfac_flows_bytes(u32 count)
{
	return sizeof(struct nfac_flows) +
	       (u64)nfac_flows_chunks(count) *
	       (NFAC_CHUNK_BUCKETS * sizeof(struct nfac_flow_bucket) +
		sizeof(struct nfac_flow_bucket *));
}

static void nfac_chunk_free(struct nfac_flow_bucket *chunk)
{
	u32 i, j;

	for (i = 0; i < NFAC_CHUNK_BUCKETS && nfac_window_cache; i++)
		for (j = 0; j < NFAC_FLOW_SLOTS; j++)
			if (chunk[i].flow[j].window)
				kmem_cache_free(nfac_window_cache, chunk[i].flow[j].window);
	kmem_cache_free(nfac_flow_cache, chunk);
}

/* @chunks: number of those that were allocated */
static void nfac_flows_free(struct nfac_flows *flows, u32 chunks)
{
	u32 i;

	for (i = 0; i < chunks; i++) {
		nfac_chunk_free(flows->chunk[i]);
		cond_resched();
	}
	nfac_area_free(flows->chunk,
		       array_size(nfac_flows_chunks(flows->count), sizeof(*flows->chunk)));
	nfac_budget_return(flows->budget, flows->charged);
	nfac_budget_put(flows->budget);
	kfree(flows);
}

static void nfac_flows_free_work(struct work_struct *work)
{
	struct nfac_flows *flows = container_of(to_rcu_work(work),
						struct nfac_flows, free);

	nfac_flows_free(flows, nfac_flows_chunks(flows->count));
}

/**
 * nfac_flows_create() - create a table, with all its slots free
 * @budget: the namespace's
 *
 * Context: process, may sleep.
 * Return: the table or an ERR_PTR: -ENOMEM, -EDQUOT.
 */
struct nfac_flows *nfac_flows_create(struct nfac_budget *budget)
{
	u32 count = DIV_ROUND_UP(nfac_flows_wanted(), NFAC_FLOW_SLOTS);
	u64 bytes = nfac_flows_bytes(count);
	u32 chunks = nfac_flows_chunks(count);
	struct nfac_flows *flows;
	u32 i, done = 0;
	int err;

	err = nfac_budget_take(budget, bytes);
	if (err)
		return ERR_PTR(err);
	flows = kzalloc(sizeof(*flows), GFP_KERNEL_ACCOUNT);
	if (!flows) {
		nfac_budget_return(budget, bytes);
		return ERR_PTR(-ENOMEM);
	}
	flows->budget = nfac_budget_get(budget);
	flows->charged = bytes;
	flows->count = count;
	get_random_bytes(&flows->secret, sizeof(flows->secret));
	INIT_RCU_WORK(&flows->free, nfac_flows_free_work);
	flows->chunk = nfac_area_alloc(array_size(chunks, sizeof(*flows->chunk)));
	if (!flows->chunk)
		goto err_flows;

	for (; done < chunks; done++) {
		flows->chunk[done] = kmem_cache_zalloc(nfac_flow_cache, GFP_KERNEL_ACCOUNT);
		if (!flows->chunk[done])
			goto err_flows;
		for (i = 0; i < NFAC_CHUNK_BUCKETS; i++)
			spin_lock_init(&flows->chunk[done][i].lock);
		cond_resched();
	}
	return flows;

err_flows:
	nfac_flows_free(flows, done);
	return ERR_PTR(-ENOMEM);
}

static int nfac_bucket_windows(struct nfac_flow_bucket *bucket)
{
	struct nfac_flow_window *window;
	u32 i;

	for (i = 0; i < NFAC_FLOW_SLOTS; i++) {
		/* left by an attempt that failed */
		if (bucket->flow[i].window)
			continue;
		window = kmem_cache_zalloc(nfac_window_cache, GFP_KERNEL_ACCOUNT);
		if (!window)
			return -ENOMEM;
		window->room = min(flow_window, NFAC_WINDOW_LIMIT);
		spin_lock_bh(&bucket->lock);
		bucket->flow[i].window = window;
		spin_unlock_bh(&bucket->lock);
	}
	return 0;
}

/**
 * nfac_flows_windows() - give each slot a window, for a set with rules
 * @flows: the table; its namespace is locked
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, -EDQUOT.
 */
int nfac_flows_windows(struct nfac_flows *flows)
{
	u32 buckets = nfac_flows_chunks(flows->count) * NFAC_CHUNK_BUCKETS, i;
	u64 bytes = (u64)buckets * NFAC_FLOW_SLOTS * nfac_window_bytes();
	int err;

	if (!nfac_window_cache || flows->windows)
		return 0;
	err = nfac_budget_take(flows->budget, bytes);
	if (err)
		return err;
	for (i = 0; i < buckets && !err; i++) {
		err = nfac_bucket_windows(nfac_flows_at(flows, i));
		cond_resched();
	}
	if (err) {
		/* windows that are there are freed with the table */
		nfac_budget_return(flows->budget, bytes);
		return err;
	}
	flows->charged += bytes;
	flows->windows = true;
	return 0;
}

/**
 * nfac_flows_free_rcu() - free a table after its last packet
 * @flows: no attachment leads to it any more
 *
 * Context: process.
 */
void nfac_flows_free_rcu(struct nfac_flows *flows)
{
	nfac_free_queue(&flows->free);
}

/**
 * nfac_flows_forget() - free the slots of an attachment
 * @flows: the table
 * @attachment: id. A packet in flight may take a slot after this. Ids are never used twice, so that
 *	slot stays unused until it is evicted
 *
 * Context: process, may sleep.
 */
void nfac_flows_forget(struct nfac_flows *flows, u32 attachment)
{
	u32 i, j;

	for (i = 0; i < flows->count; i++) {
		struct nfac_flow_bucket *bucket = nfac_flows_at(flows, i);

		spin_lock_bh(&bucket->lock);
		for (j = 0; j < NFAC_FLOW_SLOTS; j++)
			if (bucket->flow[j].attachment == attachment)
				bucket->tag[j] = 0;
		spin_unlock_bh(&bucket->lock);
		cond_resched();
	}
}

/**
 * nfac_flows_count() - directions that an attachment follows now
 * @flows: the table
 * @attachment: id
 *
 * Reads every slot, so it is for sysfs and not for packets. Closed directions do not count.
 *
 * Context: process, may sleep.
 */
u64 nfac_flows_count(struct nfac_flows *flows, u32 attachment)
{
	u64 n = 0;
	u32 i, j;

	for (i = 0; i < flows->count; i++) {
		struct nfac_flow_bucket *bucket = nfac_flows_at(flows, i);

		spin_lock_bh(&bucket->lock);
		for (j = 0; j < NFAC_FLOW_SLOTS; j++)
			n += bucket->tag[j] &&
			     bucket->flow[j].attachment == attachment &&
			     !(bucket->flow[j].flags & NFAC_FLOW_ENDED);
		spin_unlock_bh(&bucket->lock);
		cond_resched();
	}
	return n;
}

/* The key of a connection: its ends, by address and then by port. */
struct nfac_flow_id6 {
	struct in6_addr low;
	struct in6_addr high;
	u64 rest;
	u64 link;	/* hashed where it is not 0 */
};

/**
 * nfac_flow_hash() - identify a direction by 64 bits of a keyed hash
 * @flows: the table
 * @skb: an IP packet that @payload was found in
 * @payload: of a TCP segment
 * @attachment: id: each attachment follows for itself
 *
 * The hash is of the addresses, the ports and the VLANs, the lower end first, and its highest bit
 * is the direction: so nfac_flow_back() needs no second hash.
 * Without the secret an attacker cannot make two connections share a hash; by chance 2^16 do with
 * probability 2^-32.
 *
 * Context: any.
 */
u64 nfac_flow_hash(const struct nfac_flows *flows, const struct sk_buff *skb,
		   const struct nfac_payload *payload, u32 attachment)
{
	const u32 bytes = payload->family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(__be32);
	__be32 buf[8];
	const u8 *addr = (const void *)nfac_payload_addresses(skb, payload, buf);
	u16 low = payload->sport, high = payload->dport;
	u64 rest, hash;
	int order;

	/* the header was read before, so that this cannot fail */
	if (!addr)
		return 0;
	order = memcmp(addr, addr + bytes, bytes) ?: low - high;
	if (order > 0)
		swap(low, high);
	rest = (u64)attachment << 32 | (u32)low << 16 | high;
	if (payload->family == AF_INET6) {
		struct nfac_flow_id6 id;

		memcpy(&id.low, order > 0 ? addr + bytes : addr, bytes);
		memcpy(&id.high, order > 0 ? addr : addr + bytes, bytes);
		id.rest = rest;
		id.link = payload->link;
		hash = siphash(&id, id.link ? sizeof(id) : offsetof(struct nfac_flow_id6, link),
			       &flows->secret);
	} else {
		u64 addr4 = (u64)nfac_get32(addr) << 32 | nfac_get32(addr + bytes);

		if (order > 0)
			addr4 = ror64(addr4, 32);
		hash = payload->link ? siphash_3u64(addr4, rest, payload->link, &flows->secret) :
				       siphash_2u64(addr4, rest, &flows->secret);
	}
	return order > 0 ? hash | NFAC_FLOW_BACK : hash & ~NFAC_FLOW_BACK;
}

/**
 * nfac_flows_clock() - the time in jiffies, and flow_idle
 *
 * Context: any; under the lock of the bucket whose slots it is compared with, or another CPU
 * may have left a later time there.
 */
struct nfac_flow_clock nfac_flows_clock(void)
{
	return (struct nfac_flow_clock) {
		.now = jiffies,
		.idle = min(READ_ONCE(flow_idle), NFAC_FLOW_IDLE_MAX) * HZ,
		.second = HZ,
	};
}
