// SPDX-License-Identifier: GPL-2.0
/*
 * Streams and rules: what they cost, over the hook's whole path.
 *
 * The same packets go through nfac_hook() at an attachment without --stream and at
 * one with it, as segments of one direction, of a thousand, and of sixteen thousand
 * in turn, all in order. Nothing is ever scanned twice, so that both scan the same
 * bytes. Before each pass of a way each of its directions has a segment, so that the caches hold
 * what they hold where this way alone is in use, and not the other ways' directions and sets.
 * The rules' set is measured with its programs, and without them: then each
 * anchor is a match; CRS phrases with the decoded view and without it. All take turns;
 * each line gives the payload's bytes, the packets, the median, the fastest and the
 * slowest round.
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

enum { WORDS, ANCHORS, RULES, RAW, DECODED, SETS };

static const char * const set_names[] = { "words", "anchors", "rules", "raw", "decoded" };

/*
 * A way to attach: which set, and over how many directions the packets are spread; 0: without
 * --stream.
 */
static const struct {
	u8 set;
	u32 directions;
} ways[] = {
	{ WORDS, 0 }, { WORDS, 1 }, { WORDS, 1024 }, { WORDS, DIRECTIONS },
	{ ANCHORS, 0 }, { RULES, 0 }, { ANCHORS, 1024 }, { RULES, 1024 },
	{ RAW, 0 }, { DECODED, 0 }, { RAW, 1024 }, { DECODED, 1024 },
};

/*
 * Everything here, under the module's lock of measurements.
 *
 * @anchors: the rules' load as it would be without programs; its memory is the rules'
 * @raw: the phrases' load as it would be without the decoded view, the same
 * @next: sequence number by way and direction
 * @turn: direction of the next packet, by way
 */
static struct {
	struct nfac_set set[SETS];
	struct nfac_load anchors;
	struct nfac_load raw;
	struct nfac_attachment att[ARRAY_SIZE(ways)];
	u32 *next[ARRAY_SIZE(ways)];
	u32 turn[ARRAY_SIZE(ways)];
	u64 ns[ARRAY_SIZE(ways)][ROUNDS];
} bench;

/* Make the packets the next segments of this way's directions. */
static void renew(const struct bench_packets *p, u32 n, int way)
{
	u32 i, directions = max(ways[way].directions, 1u);

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

/* Each of the way's directions has a segment; without --stream one pass. */
static void settle(const struct bench_packets *p, u32 n, int way)
{
	u32 done;

	for (done = 0; done <= ways[way].directions; done += n)
		pass(p, n, way);
}

static void measure(struct seq_file *m, const char *what, const struct bench_packets *p)
{
	u64 bytes = 0, wrong;
	int way, round;
	u32 n;

	for (n = 0; n < p->count && bytes < PASS_BYTES; n++)
		bytes += p->skb[n]->len - BENCH_HEADERS;
	for (round = 0; round < ROUNDS; round++)
		for (way = 0; way < ARRAY_SIZE(ways); way++) {
			settle(p, n, way);
			bench.ns[way][round] = pass(p, n, way);
			cond_resched();
		}
	for (way = 0; way < ARRAY_SIZE(ways); way++) {
		const char *set = set_names[ways[way].set];
		u32 directions = ways[way].directions;
		u64 *ns = bench.ns[way];

		bench_sort(ns, ROUNDS);
		wrong = nfac_stats_sum(bench.att[way].stats, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP) +
			  nfac_stats_sum(bench.att[way].stats, NFAC_COUNT_RETRANSMITTED_BYTES);
		/* a few find all their bucket's places taken */
		if (directions && nfac_flows_count(bench.att[way].flows, way + 1) <
				  directions - directions / 64)
			wrong++;
		if (wrong)
			seq_printf(m, "mismatch streams %s %s %u %llu\n", what, set, directions,
				   wrong);
		seq_printf(m, "streams %s %s %u %llu %u %llu %llu %llu\n", what, set, directions,
			   bytes, n, ns[ROUNDS / 2], ns[0], ns[ROUNDS - 1]);
	}
}

static int attach(int way, struct nfac_flows *flows)
{
	struct nfac_attachment *att = &bench.att[way];

	att->set = &bench.set[ways[way].set];
	att->want.id = way + 1;
	att->flows = flows;
	att->stats = nfac_stats_alloc();
	bench.turn[way] = 0;
	bench.next[way] = kvcalloc(DIRECTIONS, sizeof(u32), GFP_KERNEL);
	return att->stats && bench.next[way] ? 0 : -ENOMEM;
}

static int sets_make(void)
{
	int i;

	bench.anchors = *bench_input.confirmed;
	bench.anchors.automaton.programs = NULL;
	RCU_INIT_POINTER(bench.set[WORDS].load, bench_input.rules[BENCH_SETS - 1].load);
	RCU_INIT_POINTER(bench.set[ANCHORS].load, &bench.anchors);
	RCU_INIT_POINTER(bench.set[RULES].load, bench_input.confirmed);
	bench.raw = *bench_input.decoded;
	bench.raw.automaton.flags &= ~NFAC_SET_DECODE_URL;
	RCU_INIT_POINTER(bench.set[RAW].load, &bench.raw);
	RCU_INIT_POINTER(bench.set[DECODED].load, bench_input.decoded);
	for (i = 0; i < SETS; i++) {
		bench.set[i].stats = nfac_stats_alloc();
		if (!bench.set[i].stats)
			return -ENOMEM;
	}
	return 0;
}

/* Return: NULL where the way follows no stream, or an ERR_PTR. */
static struct nfac_flows *flows_make(int way)
{
	struct nfac_flows *flows;
	int err;

	if (!ways[way].directions)
		return NULL;
	flows = nfac_flows_create(bench_input.budget);
	if (IS_ERR(flows) || (ways[way].set != RULES && ways[way].set != DECODED))
		return flows;
	err = nfac_flows_windows(flows);
	if (!err)
		return flows;
	nfac_flows_free_rcu(flows);
	return ERR_PTR(err);
}

int bench_streams_show(struct seq_file *m, void *v)
{
	static const u32 sizes[] = { 512, 1448 };
	struct nfac_flows *flows[ARRAY_SIZE(ways)] = {};
	int i, err;

	memset(&bench, 0, sizeof(bench));
	err = sets_make();
	for (i = 0; !err && i < ARRAY_SIZE(ways); i++) {
		flows[i] = flows_make(i);
		if (IS_ERR(flows[i])) {
			err = PTR_ERR(flows[i]);
			flows[i] = NULL;
			goto out;
		}
		err = attach(i, flows[i]);
	}
	if (err)
		goto out;
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
	for (i = 0; i < SETS; i++)
		nfac_stats_free(bench.set[i].stats);
	return err;
}
