/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics: per-CPU counters of sets and attachments.
 */
#ifndef _NFAC_STATS_H
#define _NFAC_STATS_H

#include <linux/u64_stats_sync.h>

#include "../uapi/linux/nfac.h"

enum nfac_counter {
	NFAC_COUNT_PACKETS,		/* inspected */
	NFAC_COUNT_BYTES,		/* of payload, inspected */
	NFAC_COUNT_MATCHES,
	NFAC_COUNT_MATCHED_PACKETS,
	NFAC_COUNT_DROPPED_PACKETS,
	NFAC_COUNT_LOST_EVENTS,		/* for each reader that missed one */
	NFAC_COUNT_RETRANSMITTED_BYTES,	/* of streams, not scanned again */
	NFAC_COUNT_FLOW_RESTARTS,	/* of followed streams: a load, a late SYN */
	NFAC_COUNT_FLOW_EVICTIONS,	/* streams that made room for another */
	NFAC_COUNT_SKIPPED,		/* the first of NFAC_SKIP_MAX */
	NFAC_COUNT_MAX = NFAC_COUNT_SKIPPED + NFAC_SKIP_MAX,
};

/* Their names in sysfs. */
extern const char *const nfac_counter_names[NFAC_COUNT_MAX];

/**
 * struct nfac_stats - one CPU's counters of a set or an attachment
 * @count: by enum nfac_counter
 * @sync: protects 32-bit readers from torn values
 *
 * Owned by the set or attachment. Written on its own CPU with softirqs off, read
 * from anywhere.
 */
struct nfac_stats {
	u64_stats_t count[NFAC_COUNT_MAX];
	struct u64_stats_sync sync;
};

/**
 * struct nfac_tally - what one packet adds to the counters
 * @bytes: of payload, scanned
 * @matches: counted
 * @lost_events: for each reader that missed one
 * @dropped: the packet is dropped
 *
 * On the stack of the function that inspects the packet.
 */
struct nfac_tally {
	u32 bytes;
	u32 matches;
	u32 lost_events;
	bool dropped;
};

/**
 * struct nfac_rate - how fast a counter grows
 * @last: value at the last sample
 * @time_ns: of the last sample
 * @per_second: between the last two samples, a second or more apart
 *
 * Owned by a set; written only by its sampler, read with READ_ONCE().
 */
struct nfac_rate {
	u64 last;
	u64 time_ns;
	u64 per_second;
};

struct nfac_stats __percpu *nfac_stats_alloc(void);
void nfac_stats_free(struct nfac_stats __percpu *stats);
void nfac_stats_packet(struct nfac_stats __percpu *stats,
		       const struct nfac_tally *tally);
void nfac_stats_add(struct nfac_stats __percpu *stats, enum nfac_counter counter,
		    u32 n);
u64 nfac_stats_sum(struct nfac_stats __percpu *stats, enum nfac_counter counter);
u64 nfac_stats_skipped(struct nfac_stats __percpu *stats);

void nfac_rate_sample(struct nfac_rate *rate, u64 value, u64 now_ns);

static inline void nfac_stats_skip(struct nfac_stats __percpu *stats,
				   enum nfac_skip why)
{
	nfac_stats_add(stats, NFAC_COUNT_SKIPPED + why, 1);
}

#endif /* _NFAC_STATS_H */
