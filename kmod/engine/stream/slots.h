/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places: who lies where in a bucket of the flow table, and who must go for whom.
 *
 * A direction may lie in one bucket alone, which a keyed hash of its addresses and
 * ports chooses, so that nobody can fill a bucket on purpose and no look takes longer
 * than fifteen tags in one cache line.
 *
 * When the fifteen are taken, one goes that was closed, else the longest silent one
 * of those that were never seen to carry data in order (a flood of SYNs pushes out
 * nothing but its own), else the longest silent one that was silent for as long as
 * the table's owner says, or was closed where a match had been. If there is none of
 * these the new direction is not followed: a live one is never forgotten for it.
 *
 * Freestanding: takes no lock, allocates nothing, knows no clock.
 */
#ifndef _NFAC_FLOW_PLACE_H
#define _NFAC_FLOW_PLACE_H

#include "../match/matcher.h"

#define NFAC_FLOW_SLOTS	15

/* Values of struct nfac_flow.flags. */
#define NFAC_FLOW_SYN		BIT(0)  /* seen from its beginning */
#define NFAC_FLOW_DATA		BIT(1)  /* carried data */
#define NFAC_FLOW_CONFIRMED	BIT(2)  /* ... in order, after a SYN or other data */
#define NFAC_FLOW_ENDED		BIT(3)  /* FIN or RST in order */
#define NFAC_FLOW_BLIND		BIT(4)  /* left unscanned since a gap */
#define NFAC_FLOW_SYN_DATA	BIT(5)  /* the SYN's data may count, or come again */
#define NFAC_FLOW_MATCHED	BIT(6)  /* judged: @match_from and @match_to are valid */
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
 * @scanned_from: from here to @next all bytes were scanned; @start, or behind the last gap
 * @urgent: sequence number of the urgent byte that is not scanned yet
 * @match_from: the first byte that came in a segment with a match: what is sent again
 *	from here on must not get past the attachment's verdict
 * @match_to: one past the last such byte; @match_from: none, but from there on the
 *	receiver may be where another SYN led (flow_elsewhere.h)
 * @seen: when it last carried data in order, or began; seconds, modulo 2^16
 * @flags: NFAC_FLOW_*
 * @wraps: times that @next has gone past @start + 2^32, 255 at most
 */
struct nfac_flow {
	struct nfac_cursor cursor;
	u32 next;
	u32 generation;
	u32 key;
	u32 attachment;
	u32 start;
	u32 scanned_from;
	u32 urgent;
	u32 match_from;
	u32 match_to;
	u16 seen;
	u8 flags;
	u8 wraps;
} __aligned(64);

static_assert(sizeof(struct nfac_flow) == 64, "one cache line");
static_assert(offsetof(struct nfac_flow, key) == 32, "what a stream takes");

/**
 * struct nfac_flow_bucket - fifteen places
 *
 * Owned by the table; in the kernel an object of the nfac_flow cache.
 *
 * @lock: in the kernel: guards all that follows, while a segment is scanned too: two
 *	segments of one direction on two CPUs come one after the other
 * @tag: upper half of the hash of who has the place, never 0; 0: free
 * @flow: the places
 */
struct nfac_flow_bucket {
	nfac_lock_t lock;	/* @tag and @flow */
	u32 tag[NFAC_FLOW_SLOTS];
	struct nfac_flow flow[NFAC_FLOW_SLOTS];
};

/**
 * struct nfac_flow_clock - what the time is, and how long is long
 * @now: seconds, modulo 2^16
 * @idle: seconds of silence after which a direction may be forgotten when its place
 *	is wanted, at most NFAC_FLOW_IDLE_MAX
 */
struct nfac_flow_clock {
	u16 now;
	u16 idle;
};

#define NFAC_FLOW_IDLE_MAX	32767u
#define NFAC_FLOW_IDLE_DEFAULT	120u

/*
 * Places in a table: two megabytes. Past 2^24 of them, a gigabyte, somebody mistook
 * the unit.
 */
#define NFAC_FLOWS_DEFAULT	32768u
#define NFAC_FLOWS_LIMIT	BIT(24)

/* Seconds. The kernel's clock may go back by one, when its frequency is adjusted. */
static inline u16 nfac_flow_silent(const struct nfac_flow *flow,
				   struct nfac_flow_clock clock)
{
	u16 silent = clock.now - flow->seen;

	return silent == 0xffff ? 0 : silent;
}

static inline bool nfac_flow_idle(const struct nfac_flow *flow,
				  struct nfac_flow_clock clock)
{
	return nfac_flow_silent(flow, clock) >= clock.idle;
}

/* Joined under way, by one segment that anybody may have sent. */
static inline bool nfac_flow_guessed(const struct nfac_flow *flow)
{
	return !(flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_CONFIRMED));
}

/* Which of @count buckets a direction can be in. */
static inline u32 nfac_flow_bucket_of(u64 hash, u32 count)
{
	return reciprocal_scale(lower_32_bits(hash), count);
}

/* 0 says that a place is free. */
static inline u32 nfac_flow_tag(u64 hash)
{
	u32 tag = upper_32_bits(hash);

	return tag ? tag : 1;
}

/* The place where a direction lies unless another came first. */
static inline u32 nfac_flow_first_slot(u32 tag)
{
	return reciprocal_scale(tag, NFAC_FLOW_SLOTS);
}

struct nfac_flow *nfac_flow_search(struct nfac_flow_bucket *bucket, u64 hash);
struct nfac_flow *nfac_flow_take(struct nfac_flow_bucket *bucket, u64 hash,
				 u32 attachment, struct nfac_flow_clock clock,
				 bool *evicted);

/**
 * nfac_flow_find() - a direction's place
 * @bucket: where it can be, locked
 * @hash: its name
 *
 * Return: the place, or NULL when it has none.
 */
static inline struct nfac_flow *nfac_flow_find(struct nfac_flow_bucket *bucket, u64 hash)
{
	u32 tag = nfac_flow_tag(hash);
	u32 i = nfac_flow_first_slot(tag);

	if (likely(bucket->tag[i] == tag && bucket->flow[i].key == lower_32_bits(hash)))
		return &bucket->flow[i];
	return nfac_flow_search(bucket, hash);
}

#endif /* _NFAC_FLOW_PLACE_H */
