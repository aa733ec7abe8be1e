// SPDX-License-Identifier: GPL-2.0
/*
 * Speed: nfac's work in the hook beside xt_string's, and one plain pass.
 *
 * nfac: find the payload, scan it in place, count all matches; by the module's
 * path, and by plain C. xt_string:
 * skb_find_text() for each rule, which stops at a rule's first match. The
 * yardstick: csum_partial() over the payload. All take turns; each line gives
 * the payload's bytes, the median and the slowest round.
 */
#include <linux/ktime.h>
#include <linux/netfilter.h>
#include <linux/sched.h>
#include <net/checksum.h>

#include "bench.h"
#include "payload.h"
#include "skb_scan.h"

#define ROUNDS		15
/* So many that it matters little what the job before has put out of the caches. */
#define PASS_BYTES	(2u << 20)

enum how {
	HOW_CSUM,
	HOW_NFAC,
	HOW_PORTABLE,
	HOW_BM,
	HOW_KMP,
	HOWS,
};

static const char * const how_names[HOWS] = {
	"csum_partial", "nfac", "nfac-portable", "xt-bm", "xt-kmp",
};

static u32 sink;	/* so that the checksum is not optimised away */

static u32 scan_nfac(struct sk_buff *skb, const struct bench_rules *r, enum how how)
{
	static struct nfac_match_memory memory;	/* one thread measures */
	struct nfac_payload payload;
	struct nfac_scan scan;

	if (!nfac_payload_find(skb, NFPROTO_IPV4, false, &payload))
		return 0;
	nfac_scan_init(&scan, &r->load->automaton, NULL);
	scan.protocol = payload.protocol;
	scan.sport = payload.sport;
	scan.dport = payload.dport;
	if (how == HOW_PORTABLE)	/* the packets are linear */
		nfac_scan_text(&scan, &memory, skb->data + payload.from, payload.to - payload.from,
			       NFAC_PATH_PORTABLE);
	else
		nfac_scan_skb(&scan, skb, payload.from, payload.to);
	return scan.matches;
}

static u32 scan_rules(struct sk_buff *skb, struct ts_config **rules, u32 count)
{
	u32 i, found = 0;

	for (i = 0; i < count; i++)
		found += skb_find_text(skb, BENCH_HEADERS, skb->len, rules[i]) != UINT_MAX;
	return found;
}

static u32 scan_one(struct sk_buff *skb, const struct bench_rules *r, enum how how)
{
	switch (how) {
	case HOW_NFAC:
	case HOW_PORTABLE:
		return scan_nfac(skb, r, how);
	case HOW_BM:
		return scan_rules(skb, r->bm, r->count);
	case HOW_KMP:
		return scan_rules(skb, r->kmp, r->count);
	default:
		sink += (__force u32)csum_partial(skb->data + BENCH_HEADERS,
						  skb->len - BENCH_HEADERS, 0);
		return 0;
	}
}

/*
 * Packets of a pass: for one rule as many as for a set, so that both see the same ones; and
 * fewer the more rules there are, so that it ends soon.
 */
static u32 packets_for(const struct bench_packets *p, const struct bench_rules *r,
		       enum how how, u64 *bytes)
{
	u64 most = PASS_BYTES;
	u32 n;

	if (how == HOW_BM || how == HOW_KMP)
		most = max(div_u64(most, r->count), 4096ull);
	*bytes = 0;
	for (n = 0; n < p->count && *bytes < most; n++)
		*bytes += p->skb[n]->len - BENCH_HEADERS;
	return n;
}

static u64 pass(const struct bench_packets *p, u32 n, const struct bench_rules *r,
		enum how how, u32 *packets)
{
	u64 start = ktime_get_ns();
	u32 i;

	*packets = 0;
	for (i = 0; i < n; i++)
		*packets += !!scan_one(p->skb[i], r, how);
	return ktime_get_ns() - start;
}

/* One line of the table: the matcher, and its rules. */
struct job {
	enum how how;
	const struct bench_rules *rules;
	u64 ns[ROUNDS];
};

/* All jobs in turn; a line each. Every matcher must name the same packets. */
static void measure(struct seq_file *m, const char *what, const struct bench_packets *p,
		    struct job *jobs, int count)
{
	u32 n, found, nfac_found;
	struct job *j;
	u64 bytes;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		for (j = jobs; j < jobs + count; j++) {
			n = packets_for(p, j->rules, j->how, &bytes);
			j->ns[round] = pass(p, n, j->rules, j->how, &found);
			cond_resched();
		}
	}
	for (j = jobs; j < jobs + count; j++) {
		n = packets_for(p, j->rules, j->how, &bytes);
		pass(p, n, j->rules, j->how, &found);
		pass(p, n, j->rules, HOW_PORTABLE, &nfac_found);
		if (j->how != HOW_CSUM && found != nfac_found) {
			seq_printf(m, "mismatch %s %s %u %u\n", what, how_names[j->how],
				   found, nfac_found);
			continue;
		}
		bench_sort(j->ns, ROUNDS);
		seq_printf(m, "speed %s %u %s %llu %u %llu %llu %u\n", what, j->rules->count,
			   how_names[j->how], bytes, n, j->ns[ROUNDS / 2],
			   j->ns[ROUNDS - 1], found);
	}
}

/* The largest set, and one rule, on what was made against them. */
static int measure_hostile(struct seq_file *m)
{
	const struct bench_rules *all = &bench_input.rules[BENCH_SETS - 1];
	struct job jobs[] = {
		{ HOW_NFAC, all }, { HOW_PORTABLE, all }, { HOW_BM, &bench_input.rules[0] },
	};
	struct bench_packets p = { .count = 0 };
	int i, err = 0;

	for (i = 0; !err && i < BENCH_HOSTILE; i++) {
		err = bench_packets_make(&p, &bench_input.hostile[i], 0, 4096);
		if (!err)
			measure(m, bench_hostile_kinds[i], &p, jobs, ARRAY_SIZE(jobs));
		bench_packets_free(&p);
	}
	return err;
}

int bench_speed_show(struct seq_file *m, void *v)
{
	static struct job jobs[BENCH_SETS * (HOWS - 1) + 1];
	int i, how, n = 0;

	jobs[n++] = (struct job){ HOW_CSUM, &bench_input.rules[0] };
	for (i = 0; i < BENCH_SETS; i++)
		for (how = HOW_NFAC; how < HOWS; how++)
			jobs[n++] = (struct job){ how, &bench_input.rules[i] };
	measure(m, "honest", &bench_input.packets, jobs, n);
	return measure_hostile(m);
}

int bench_packets_show(struct seq_file *m, void *v)
{
	static const u32 sizes[] = { 64, 512, 1448 };
	int i, err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(sizes); i++) {
		const struct bench_rules *one = &bench_input.rules[0];
		struct job jobs[] = {
			{ HOW_CSUM, one }, { HOW_BM, one }, { HOW_KMP, one }, { HOW_NFAC, one },
			{ HOW_NFAC, &bench_input.rules[BENCH_SETS - 1] },
			{ HOW_PORTABLE, &bench_input.rules[BENCH_SETS - 1] },
		};
		struct bench_packets p = { .count = 0 };
		char what[16];

		err = bench_packets_make(&p, &bench_input.honest, sizes[i], 4096);
		snprintf(what, sizeof(what), "packet-%u", sizes[i]);
		if (!err)
			measure(m, what, &p, jobs, ARRAY_SIZE(jobs));
		bench_packets_free(&p);
	}
	return err;
}
