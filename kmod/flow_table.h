/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flow table: where the directions of TCP connections are remembered.
 *
 * A table belongs to a network namespace, from its first --stream attachment to
 * its last. All of its memory is there from the start: a packet takes a place, it
 * never allocates one. Places lie in buckets of fifteen (flow_place.h).
 */
#ifndef _NFAC_FLOW_TABLE_H
#define _NFAC_FLOW_TABLE_H

#include <linux/siphash.h>
#include <linux/workqueue.h>

#include "flow_place.h"
#include "memory.h"
#include "payload.h"

/**
 * struct nfac_flows - a table
 *
 * Owned by its namespace, under whose lock it comes and goes; packets reach it
 * through their attachment. Constant but for the buckets.
 *
 * @bucket: of them
 * @count: of buckets
 * @users: attachments; under the namespace's lock
 * @secret: of the hash, chosen with the table
 * @budget: the namespace's
 * @charged: bytes taken from it
 * @free: gives all back after a grace period
 */
struct nfac_flows {
	struct nfac_flow_bucket **bucket;
	u32 count;
	unsigned int users;
	siphash_key_t secret;
	struct nfac_budget *budget;
	u64 charged;
	struct rcu_work free;
};

int nfac_flows_init(void);
void nfac_flows_exit(void);

struct nfac_flows *nfac_flows_create(struct nfac_budget *budget);
void nfac_flows_free_rcu(struct nfac_flows *flows);
void nfac_flows_forget(struct nfac_flows *flows, u32 attachment);
u64 nfac_flows_count(struct nfac_flows *flows, u32 attachment);

u64 nfac_flow_hash(const struct nfac_flows *flows, const struct sk_buff *skb,
		   const struct nfac_payload *payload, u32 attachment, bool back);
struct nfac_flow_bucket *nfac_flow_bucket(const struct nfac_flows *flows, u64 hash);
struct nfac_flow_clock nfac_flows_clock(void);

#endif /* _NFAC_FLOW_TABLE_H */
