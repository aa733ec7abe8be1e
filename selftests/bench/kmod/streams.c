// SPDX-License-Identifier: GPL-2.0
/*
 * Streams: what it costs to follow them, over the hook's whole path.
 *
 * The same packets go through nfac_hook() at an attachment without --stream and at
 * one with it, as segments of one direction, of a thousand, and of sixteen thousand
 * in turn, all in order. Nothing is ever scanned twice, so that both scan the same
 * bytes. All take turns; each line gives the payload's bytes, the packets, the median,
 * the fastest and the slowest round.
 */
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/netfilter.h>
#include <linux/sched.h>
#include <linux/tcp.h>

#include "attachment.h"
#include "bench.h"
#include "flow_table.h"
#include "hook.h"

#define ROUNDS		41
#define DIRECTIONS	16384
#define PASS_BYTES	(512u << 10)	/* with all that hangs on them, an L2 cache's */
#define FIRST_PORT	1024

static const u32 ways[] = { 0, 1, 1024, DIRECTIONS };

/*
 * Everything here, under the module's lock of measurements.
 *
 * @next: sequence number by way and direction
 * @turn: direction of the next packet, by way
 */
static struct {
	struct nfac_set set;
	struct nfac_attachment att[ARRAY_SIZE(ways)];
	u32 *next[ARRAY_SIZE(ways)];
	u32 turn[ARRAY_SIZE(ways)];
	u64 ns[ARRAY_SIZE(ways)][ROUNDS];
} bench;

/* Make the packets the next segments of this way's directions. */
static void renew(const struct bench_packets *p, u32 n, int way)
{
	u32 i, directions = max(ways[way], 1u);

	for (i = 0; i < n; i++) {
		u32 d = bench.turn[way]++ % directions;
		struct tcphdr *th = tcp_hdr(p->skb[i]);

		th->source = htons(FIRST_PORT + d);
		th->seq = htonl(bench.next[way][d]);
		bench.next[way][d] += p->skb[i]->len - BENCH_HEADERS;
		p->skb[i]->ip_summed = CHECKSUM_UNNECESSARY;
	}
}

static u64 pass(const struct bench_packets *p, u32 n, int way)
{
	struct nf_hook_state state = { .hook = NF_INET_PRE_ROUTING, .pf = NFPROTO_IPV4 };
	u64 start;
	u32 i;

	renew(p, n, way);
	rcu_read_lock();
	start = ktime_get_ns();
	for (i = 0; i < n; i++)
		nfac_hook(&bench.att[way], p->skb[i], &state);
	start = ktime_get_ns() - start;
	rcu_read_unlock();
	return start;
}

static void measure(struct seq_file *m, const char *what, const struct bench_packets *p)
{
	u64 bytes = 0, wrong;
	int way, round;
	u32 n;

	for (n = 0; n < p->count && bytes < PASS_BYTES; n++)
		bytes += p->skb[n]->len - BENCH_HEADERS;
	/* until every direction is known */
	for (way = 0; way < ARRAY_SIZE(ways); way++)
		for (round = 0; round <= ways[way] / n; round++)
			pass(p, n, way);
	for (round = 0; round < ROUNDS; round++)
		for (way = 0; way < ARRAY_SIZE(ways); way++) {
			bench.ns[way][round] = pass(p, n, way);
			cond_resched();
		}
	for (way = 0; way < ARRAY_SIZE(ways); way++) {
		u64 *ns = bench.ns[way];

		bench_sort(ns, ROUNDS);
		wrong = nfac_stats_sum(bench.att[way].stats, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP) +
			  nfac_stats_sum(bench.att[way].stats, NFAC_COUNT_RETRANSMITTED_BYTES);
		/* a few find all their bucket's places taken */
		if (ways[way] && nfac_flows_count(bench.att[way].flows, way + 1) <
				 ways[way] - ways[way] / 64)
			wrong++;
		if (wrong)
			seq_printf(m, "mismatch streams %s %u %llu\n", what, ways[way], wrong);
		seq_printf(m, "streams %s %u %llu %u %llu %llu %llu\n", what, ways[way], bytes, n,
			   ns[ROUNDS / 2], ns[0], ns[ROUNDS - 1]);
	}
}

static int attach(int way, struct nfac_flows *flows)
{
	struct nfac_attachment *att = &bench.att[way];

	att->set = &bench.set;
	att->want.id = way + 1;
	att->flows = ways[way] ? flows : NULL;
	att->stats = nfac_stats_alloc();
	bench.turn[way] = 0;
	bench.next[way] = kvcalloc(DIRECTIONS, sizeof(u32), GFP_KERNEL);
	return att->stats && bench.next[way] ? 0 : -ENOMEM;
}

int bench_streams_show(struct seq_file *m, void *v)
{
	static const u32 sizes[] = { 512, 1448 };
	struct nfac_flows *flows[ARRAY_SIZE(ways)] = {};
	int i, err = -ENOMEM;

	memset(&bench, 0, sizeof(bench));
	RCU_INIT_POINTER(bench.set.load, bench_input.rules[BENCH_SETS - 1].load);
	bench.set.stats = nfac_stats_alloc();
	if (!bench.set.stats)
		goto out;
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		flows[i] = ways[i] ? nfac_flows_create(bench_input.budget) : NULL;
		if (IS_ERR(flows[i])) {
			err = PTR_ERR(flows[i]);
			flows[i] = NULL;
			goto out;
		}
		err = attach(i, flows[i]);
		if (err)
			goto out;
	}
	measure(m, "honest", &bench_input.packets);
	for (i = 0; !err && i < ARRAY_SIZE(sizes); i++) {
		struct bench_packets p = { .count = 0 };
		char what[16];

		err = bench_packets_make(&p, &bench_input.honest, sizes[i], 4096);
		snprintf(what, sizeof(what), "packet-%u", sizes[i]);
		if (!err)
			measure(m, what, &p);
		bench_packets_free(&p);
	}
out:
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		kvfree(bench.next[i]);
		nfac_stats_free(bench.att[i].stats);
		if (flows[i])
			nfac_flows_free_rcu(flows[i]);
	}
	nfac_stats_free(bench.set.stats);
	return err;
}
