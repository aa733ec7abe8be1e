/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The flow table: where the directions of TCP connections are remembered.
 *
 * A table belongs to a network namespace, from its first --stream attachment to
 * its last. All of its memory is there from the start: a packet takes a place, it
 * never allocates one. Places lie in buckets of fifteen; a direction may lie in one
 * bucket alone, which a secret chooses, so that nobody can fill a bucket on purpose
 * and no look takes longer than fifteen tags in one cache line.
 *
 * When the fifteen are taken, one goes that was closed, else the longest silent one
 * of those that were never seen to carry data in order (a flood of SYNs pushes out
 * nothing but its own), else the longest silent one that was silent for flow_idle
 * seconds. If there is none of these the new direction is not followed: a live one
 * is never forgotten for it.
 */
#ifndef _NFAC_FLOW_TABLE_H
#define _NFAC_FLOW_TABLE_H

#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "matcher.h"
#include "memory.h"
#include "payload.h"

#define NFAC_FLOW_WAYS	15

/* Values of struct nfac_flow.flags. */
#define NFAC_FLOW_SYN		BIT(0)  /* seen from its beginning */
#define NFAC_FLOW_DATA		BIT(1)  /* carried data */
#define NFAC_FLOW_CONFIRMED	BIT(2)  /* ... in order, after a SYN or other data */
#define NFAC_FLOW_ENDED		BIT(3)  /* FIN or RST in order */
#define NFAC_FLOW_BLIND		BIT(4)  /* left unscanned since a gap */
#define NFAC_FLOW_SYN_DATA	BIT(5)  /* the SYN's data may count, or come again */
#define NFAC_FLOW_MATCHED	BIT(6)  /* @match_from and @match_to are valid */
#define NFAC_FLOW_URGENT	BIT(7)  /* @urgent is valid */

/**
 * struct nfac_flow - one direction of a TCP connection, at one attachment
 *
 * Owned by its bucket, whose lock guards all of it. One cache line; the first 32
 * bytes are what following a stream takes, the rest is what the table and the odd
 * cases need. Sequence numbers are in host order.
 *
 * @cursor: where the automaton stands behind the byte before @next
 * @next: sequence number of the first byte not scanned yet
 * @generation: of the load that @cursor belongs to
 * @key: lower half of the hash; the upper one is the bucket's tag
 * @attachment: id
 * @start: sequence number where the direction began to be followed
 * @low: from here to @next all bytes were scanned; @start, or behind the last gap
 * @urgent: sequence number of the urgent byte that is not scanned yet
 * @match_from: the last byte of the first match that a retransmission must not get
 *	past the attachment's verdict
 * @match_to: one past the last byte of the last such match
 * @seen: when it last carried data in order, or began; seconds, modulo 2^16
 * @flags: NFAC_FLOW_*
 * @wraps: times that @next has gone past @start + 2^32
 */
struct nfac_flow {
	struct nfac_cursor cursor;
	u32 next;
	u32 generation;
	u32 key;
	u32 attachment;
	u32 start;
	u32 low;
	u32 urgent;
	u32 match_from;
	u32 match_to;
	u16 seen;
	u8 flags;
	u8 wraps;
} __aligned(64);

static_assert(sizeof(struct nfac_flow) == 64);
static_assert(offsetofend(struct nfac_flow, generation) == 32);

/**
 * struct nfac_flow_bucket - fifteen places; an object of the nfac_flow cache
 *
 * Owned by the table.
 *
 * @lock: guards all that follows, while a segment is scanned too: two segments of
 *	one direction on two CPUs come one after the other
 * @tag: upper half of the hash of who has the place, never 0; 0: free
 * @flow: the places
 */
struct nfac_flow_bucket {
	spinlock_t lock;	/* @tag and @flow */
	u32 tag[NFAC_FLOW_WAYS];
	struct nfac_flow flow[NFAC_FLOW_WAYS];
};

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
		   const struct nfac_payload *payload, u32 attachment);
struct nfac_flow_bucket *nfac_flow_bucket(const struct nfac_flows *flows, u64 hash);
struct nfac_flow *nfac_flow_find(struct nfac_flow_bucket *bucket, u64 hash);
struct nfac_flow *nfac_flow_take(struct nfac_flow_bucket *bucket, u64 hash,
				 u32 attachment, bool *evicted);
bool nfac_flow_idle(const struct nfac_flow *flow);
u16 nfac_flow_now(void);

#endif /* _NFAC_FLOW_TABLE_H */
