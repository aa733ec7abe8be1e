/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots of the flow table, and the order in which their directions are evicted.
 *
 * A keyed hash of addresses and ports chooses the one bucket of a direction, so a sender
 * cannot fill a bucket on purpose, and a search reads at most fifteen tags in one cache
 * line. See nfac_flow_take() for the eviction order.
 *
 * Freestanding: takes no lock, allocates nothing, reads no clock.
 */
#ifndef _NFAC_FLOW_SLOTS_H
#define _NFAC_FLOW_SLOTS_H

#include "../match/matcher.h"

#define NFAC_FLOW_SLOTS	15

/*
 * Slots of a full bucket that one client may keep when another one needs a slot: half. By
 * chance alone a client with an eighth of all directions has that many in one bucket of
 * 20,000.
 */
#define NFAC_FLOW_SHARE	8

/* Values of struct nfac_flow.flags. */
#define NFAC_FLOW_SYN		BIT(0)  /* followed from its SYN */
#define NFAC_FLOW_DATA		BIT(1)  /* carried data */
#define NFAC_FLOW_CONFIRMED	BIT(2)  /* ... in order, after a SYN or other data */
#define NFAC_FLOW_ENDED		BIT(3)  /* FIN or RST in order */
#define NFAC_FLOW_BLIND		BIT(4)  /* not scanned any more since a gap */
#define NFAC_FLOW_SYN_DATA	BIT(5)  /* the SYN's data may count, or come again */
#define NFAC_FLOW_MATCHED	BIT(6)  /* @match_from and @match_to are valid */
#define NFAC_FLOW_URGENT	BIT(7)  /* @urgent is valid */
#define NFAC_FLOW_ANSWERED	BIT(8)  /* the other side's SYN-ACK passed */
#define NFAC_FLOW_ASSURED	BIT(9)  /* both sides have agreed to the connection */
#define NFAC_FLOW_WINDOW	BIT(10) /* @window_end is valid */
#define NFAC_FLOW_TRACKED	BIT(11) /* conntrack had an entry for an earlier segment */
#define NFAC_FLOW_HOLE		BIT(12) /* @hole_next and @hole_cursor are valid */
#define NFAC_FLOW_REOPENED	BIT(13) /* @reopened is valid */
#define NFAC_FLOW_STAMPED	BIT(14) /* both sides use timestamps; @recent is valid */
#define NFAC_FLOW_ACKED		BIT(15) /* the other side acknowledged all before @next */

/* Values of struct nfac_flow.offers. */
#define NFAC_OFFERS_STAMPS	BIT(0)  /* its SYN had timestamps */
#define NFAC_OFFERS_REOPENED	BIT(1)  /* the SYN of @reopened had */
#define NFAC_OFFERS_TO_SERVER	BIT(2)  /* its SYN had no ACK: it leads to the server */
#define NFAC_OFFERS_TO_CLIENT	BIT(3)  /* its SYN had ACK: it leads to the client */

/* Values of struct nfac_flow.verdicts. */
#define NFAC_FLOW_ACTED		BIT(0)  /* the attachment acted on a match */
#define NFAC_FLOW_CANDIDATE	BIT(1)  /* it set the candidate mark */

struct nfac_flow_window;

/* No window scale option (RFC 7323). */
#define NFAC_SCALE_NONE		0xff
/*
 * The direction found its bucket full: it may be one that lost its slot. So its SYN begins a
 * connection only when the other side's SYN-ACK agrees; see nfac_flow_unproven().
 */
#define NFAC_SCALE_UNPROVEN	0xfe
#define NFAC_SCALE_MAX		14

/**
 * struct nfac_flow - one direction of a TCP connection, at one attachment
 *
 * Owned by its bucket, whose lock guards all of it. Two cache lines: a segment in order
 * uses the first one only. Sequence numbers are in host order.
 *
 * @cursor: the scan state behind the byte before @next
 * @next: sequence number of the first byte not scanned yet
 * @generation: of the load that @cursor belongs to
 * @key: lower half of the hash; the upper one is the bucket's tag
 * @start: sequence number where the direction began to be followed
 * @scanned_from: from here to @next all bytes were scanned; @start, or behind the last gap
 * @window_end: right edge of the window that the other side has advertised
 * @seen: when it last carried data in order, or began; ticks of struct nfac_flow_clock
 * @recent: a bound of TS.Recent, the timestamp that the receiver compares others with (stamps.c)
 * @peer_next: one past the last byte that the other side has sent; valid with @peer_scale
 * @flags: NFAC_FLOW_*
 * @wraps: times that @next has gone past @start + 2^32, 255 at most
 * @peer_scale: scale of the windows that the other side advertises to it; NFAC_SCALE_NONE or
 *	NFAC_SCALE_UNPROVEN: the handshake was not seen
 * @match_from: first byte of the segments with a match; what is retransmitted from here on
 *	gets the attachment's verdict again
 * @match_to: one past the last such byte; @match_from: none, but from there on the
 *	receiver may be desynchronised (desync.h)
 * @urgent: sequence number of the urgent byte that is not scanned yet; not with "drop"
 * @acked: with "drop": the highest acknowledgment of the other side
 * @client: hash of the address that began the connection
 * @attachment: id
 * @reopened: first byte's sequence number of a SYN that passed within the connection
 * @hole_next: first byte of the earliest gap, where segments fill it in order
 * @reopened_scale: window scale that the SYN of @reopened offered
 * @scale: window scale that its own SYN offered, or NFAC_SCALE_NONE
 * @offers: NFAC_OFFERS_*
 * @verdicts: NFAC_FLOW_ACTED, NFAC_FLOW_CANDIDATE: on the segments of @match_from
 * @hole_cursor: the scan state behind the byte before @hole_next
 * @window: for rules; owned by the slot, whatever its direction; NULL: no set has any
 */
struct nfac_flow {
	struct nfac_cursor cursor;
	u32 next;
	u32 generation;
	u32 key;
	u32 start;
	u32 scanned_from;
	u32 window_end;
	u32 seen;
	u32 recent;
	u32 peer_next;
	u16 flags;
	u8 wraps;
	u8 peer_scale;
	/* the second cache line */
	u32 match_from __aligned(64);
	u32 match_to;
	union {
		u32 urgent;
		u32 acked;
	};
	u32 client;
	u32 attachment;
	u32 reopened;
	u32 hole_next;
	u8 reopened_scale;
	u8 scale;
	u8 offers;
	u8 verdicts;
	struct nfac_cursor hole_cursor;
	struct nfac_flow_window *window;
} __aligned(64);

static_assert(sizeof(struct nfac_flow) == 128, "two cache lines");
static_assert(offsetof(struct nfac_flow, match_from) == 64, "in order: one cache line");

/**
 * struct nfac_flow_bucket - fifteen slots
 *
 * Owned by the table; in the kernel an object of the nfac_flow cache.
 *
 * @lock: in the kernel: guards all that follows, also while a segment is scanned, so that
 *	two segments of one direction on two CPUs are scanned one after the other
 * @tag: upper half of the hash of the slot's direction, never 0; 0: free
 * @flow: the slots
 */
struct nfac_flow_bucket {
	nfac_lock_t lock;	/* @tag and @flow */
	u32 tag[NFAC_FLOW_SLOTS];
	struct nfac_flow flow[NFAC_FLOW_SLOTS];
};

/**
 * struct nfac_flow_clock - the time, and how long a silence is idleness
 *
 * A tick is the caller's: a jiffy in the kernel, a millisecond in user space. Finer than a
 * second, because the eviction order among a flood's directions is their age.
 *
 * @now: ticks, modulo 2^32
 * @idle: ticks of silence after which an assured direction may be evicted, at most 2^31
 * @second: ticks, at most 2,000; 0: no timestamp is too old to be compared
 */
struct nfac_flow_clock {
	u32 now;
	u32 idle;
	u32 second;
};

/* Seconds. */
#define NFAC_FLOW_IDLE_MAX	32767u
#define NFAC_FLOW_IDLE_DEFAULT	120u

/*
 * Slots of a table: 32,768 are four megabytes; the module's default is fewer on a machine with
 * less than 2 GB of memory. More than 2^24, two gigabytes, is a mistake about the unit.
 */
#define NFAC_FLOWS_DEFAULT	32768u
#define NFAC_FLOWS_LIMIT	16777216u

/* @seen may be later than @clock: another CPU reads its clock a moment later. */
static inline u32 nfac_flow_silent(const struct nfac_flow *flow,
				   struct nfac_flow_clock clock)
{
	u32 silent = clock.now - flow->seen;

	return silent > 0xffff0000 ? 0 : silent;
}

static inline bool nfac_flow_idle(const struct nfac_flow *flow,
				  struct nfac_flow_clock clock)
{
	return nfac_flow_silent(flow, clock) >= clock.idle;
}

/* Followed from mid-stream, because of one segment that any host may have sent. */
static inline bool nfac_flow_guessed(const struct nfac_flow *flow)
{
	return !(flow->flags & (NFAC_FLOW_SYN | NFAC_FLOW_CONFIRMED));
}

/* Which of @count buckets a direction can be in. */
static inline u32 nfac_flow_bucket_of(u64 hash, u32 count)
{
	return reciprocal_scale(lower_32_bits(hash), count);
}

/* 0 marks a free slot. */
static inline u32 nfac_flow_tag(u64 hash)
{
	u32 tag = upper_32_bits(hash);

	return tag ? tag : 1;
}

/* The slot of a direction unless it was taken. The tag's highest bit may be the direction. */
static inline u32 nfac_flow_first_slot(u32 tag)
{
	return reciprocal_scale(tag << 1, NFAC_FLOW_SLOTS);
}

/* The other side's SYN-ACK was seen, or the direction began with one that answers a SYN. */
static inline bool nfac_flow_handshaken(const struct nfac_flow *flow)
{
	return flow->peer_scale <= NFAC_SCALE_MAX;
}

struct nfac_flow *nfac_flow_search(struct nfac_flow_bucket *bucket, u64 hash);
struct nfac_flow *nfac_flow_take(struct nfac_flow_bucket *bucket, u64 hash,
				 u32 attachment, u32 client, struct nfac_flow_clock clock,
				 bool *evicted);

/**
 * nfac_flow_find() - find the slot of a direction
 * @bucket: where it can be, locked
 * @hash: of the direction
 *
 * Return: the slot, or NULL when it has none.
 */
static inline struct nfac_flow *nfac_flow_find(struct nfac_flow_bucket *bucket, u64 hash)
{
	u32 tag = nfac_flow_tag(hash);
	u32 i = nfac_flow_first_slot(tag);

	if (likely(bucket->tag[i] == tag && bucket->flow[i].key == lower_32_bits(hash)))
		return &bucket->flow[i];
	return nfac_flow_search(bucket, hash);
}

#endif /* _NFAC_FLOW_SLOTS_H */
