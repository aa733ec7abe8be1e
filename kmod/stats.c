// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics: per-CPU counters of sets and attachments.
 */

#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/time64.h>

#include "stats.h"

const char *const nfac_counter_names[NFAC_COUNT_MAX] = {
	[NFAC_COUNT_PACKETS]		= "packets",
	[NFAC_COUNT_BYTES]		= "bytes",
	[NFAC_COUNT_MATCHES]		= "matches",
	[NFAC_COUNT_MATCHED_PACKETS]	= "matched_packets",
	[NFAC_COUNT_DROPPED_PACKETS]	= "dropped_packets",
	[NFAC_COUNT_LOST_EVENTS]	= "dropped_events",
	[NFAC_COUNT_RETRANSMITTED_BYTES] = "retransmitted_bytes",
	[NFAC_COUNT_FLOW_RESTARTS]	= "flow_restarts",
	[NFAC_COUNT_FLOW_EVICTIONS]	= "flow_evictions",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_FRAGMENT]   = "skipped_fragment",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_TRUNCATED]  = "skipped_truncated",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_TOO_DEEP]   = "skipped_too_deep",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_PROTOCOL]   = "skipped_protocol",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_UNREADABLE] = "skipped_unreadable",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_OUTPUT_CAP] = "skipped_output_cap",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_NO_MEMORY]  = "skipped_no_memory",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_TABLE_FULL] = "skipped_table_full",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP]	    = "skipped_gap",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_CORRUPT]    = "skipped_corrupt",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_BUDGET]	    = "skipped_budget",
	[NFAC_COUNT_SKIPPED + NFAC_SKIP_WINDOW]	    = "skipped_window",
};

/**
 * nfac_stats_alloc() - allocate per-CPU counters, all zero
 *
 * Context: process, may sleep.
 * Return: the counters, or NULL.
 */
struct nfac_stats __percpu *nfac_stats_alloc(void)
{
	struct nfac_stats __percpu *stats;
	int cpu;

	stats = alloc_percpu_gfp(struct nfac_stats, GFP_KERNEL_ACCOUNT);
	if (!stats)
		return NULL;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(stats, cpu)->sync);
	return stats;
}

void nfac_stats_free(struct nfac_stats __percpu *stats)
{
	free_percpu(stats);
}

/**
 * nfac_stats_packet() - count an inspected packet
 * @stats: of the set or the attachment
 * @tally: what the inspection found
 *
 * With softirqs off: the hooks of locally generated packets run in process context, and a
 * softirq that interrupted them would write the same words.
 *
 * Context: any but hard interrupt.
 */
void nfac_stats_packet(struct nfac_stats __percpu *stats,
		       const struct nfac_tally *tally)
{
	struct nfac_stats *s;

	local_bh_disable();
	s = this_cpu_ptr(stats);
	u64_stats_update_begin(&s->sync);
	u64_stats_inc(&s->count[NFAC_COUNT_PACKETS]);
	u64_stats_add(&s->count[NFAC_COUNT_BYTES], tally->bytes);
	if (tally->matches) {
		u64_stats_add(&s->count[NFAC_COUNT_MATCHES], tally->matches);
		u64_stats_inc(&s->count[NFAC_COUNT_MATCHED_PACKETS]);
		u64_stats_add(&s->count[NFAC_COUNT_LOST_EVENTS],
			      tally->lost_events);
	}
	if (tally->dropped)
		u64_stats_inc(&s->count[NFAC_COUNT_DROPPED_PACKETS]);
	u64_stats_update_end(&s->sync);
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(nfac_stats_packet);

/**
 * nfac_stats_add() - add to one counter
 * @stats: of the set or the attachment
 * @counter: which
 * @n: how much
 *
 * Context: any but hard interrupt.
 */
void nfac_stats_add(struct nfac_stats __percpu *stats, enum nfac_counter counter,
		    u32 n)
{
	struct nfac_stats *s;

	local_bh_disable();
	s = this_cpu_ptr(stats);
	u64_stats_update_begin(&s->sync);
	u64_stats_add(&s->count[counter], n);
	u64_stats_update_end(&s->sync);
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(nfac_stats_add);

/**
 * nfac_stats_sum() - sum a counter over all CPUs
 * @stats: of the set or the attachment
 * @counter: which
 *
 * Context: process.
 */
u64 nfac_stats_sum(struct nfac_stats __percpu *stats, enum nfac_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct nfac_stats *s = per_cpu_ptr(stats, cpu);
		unsigned int start;
		u64 n;

		do {
			start = u64_stats_fetch_begin(&s->sync);
			n = u64_stats_read(&s->count[counter]);
		} while (u64_stats_fetch_retry(&s->sync, start));
		sum += n;
	}
	return sum;
}

/**
 * nfac_stats_skipped() - packets not inspected, for whatever reason, over all CPUs
 * @stats: of the set or the attachment
 *
 * Context: process.
 */
u64 nfac_stats_skipped(struct nfac_stats __percpu *stats)
{
	u64 sum = 0;
	int why;

	for (why = 0; why < NFAC_SKIP_MAX; why++)
		sum += nfac_stats_sum(stats, NFAC_COUNT_SKIPPED + why);
	return sum;
}

/**
 * nfac_rate_sample() - take a sample of a counter
 * @rate: to be updated
 * @value: of the counter now
 * @now_ns: monotonic; a call less than a second after the last sample changes nothing
 *
 * Context: process; one caller at a time.
 */
void nfac_rate_sample(struct nfac_rate *rate, u64 value, u64 now_ns)
{
	u64 passed = now_ns - rate->time_ns;

	if (rate->time_ns && passed < NSEC_PER_SEC)
		return;
	if (rate->time_ns)
		WRITE_ONCE(rate->per_second,
			   mul_u64_u64_div_u64(value - rate->last, NSEC_PER_SEC,
					       passed));
	rate->last = value;
	rate->time_ns = now_ns;
}
