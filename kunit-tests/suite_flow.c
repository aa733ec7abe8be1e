// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: matches across segments are found, once; what is missing is counted; and no live
 * direction loses its place in the table.
 */

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/in.h>
#include <linux/tcp.h>
#include <linux/workqueue.h>
#include <net/tcp.h>

#include "../kmod/stream.h"
#include "help_flow.h"
#include "suites.h"

/* Cut in two and in three, everywhere: each match once, in the segment that ends it. */
static void flow_cuts(struct kunit *test)
{
	static const char text[] = "an acid test, acid jazz";
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	u32 len = sizeof(text) - 1, a, b;
	u16 sport = 1;
	u64 before;

	for (a = 0; a <= len; a++)
		for (b = a; b <= len; b += 3) {
			before = flow_matches(att);
			flow_syn(test, att, ++sport);
			flow_send(test, att, sport, TCPHDR_ACK, 0, text, a);
			flow_send(test, att, sport, TCPHDR_ACK, a, text + a, b - a);
			flow_send(test, att, sport, TCPHDR_ACK, b, text + b, len - b);
			KUNIT_EXPECT_EQ_MSG(test, flow_matches(att) - before, 2ull,
					    "cut at %u and %u", a, b);
			flow_send(test, att, sport, TCPHDR_ACK | TCPHDR_FIN, len, "", 0);
		}
	/* without its beginning too */
	before = flow_matches(att);
	flow_text(test, att, 60001, 500, "acid j");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 60001, 506, "azz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att) - before, 1ull);
	/* the other direction, and another connection, are others */
	flow_text(test, att, 60002, 0, "acid j");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 60003, 6, "azz"), PASSED);
	help_detach(att);
}

/* Sent again: not scanned again, but the verdict is applied again. */
static void flow_again(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 1ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid jazz"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_matches(att), 1ull, "reported once");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_RETRANSMITTED_BYTES), 4ull + 5 + 9);
	/* half of it new */
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz acid t"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "acid test"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 2ull);
	help_detach(att);
}

/* Bytes are missing: three policies, each counted. */
static void flow_gaps(struct kunit *test)
{
	struct nfac_attachment *att;

	att = flow_attach(test, NFAC_ATTACH_DROP);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "aci");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 10, "an acid test"),
			    DROPPED, "restart: scanned by itself");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 1ull);
	/* what fills the gap is scanned as well */
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 3, " tack  "), DROPPED);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_PASS);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "aci");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "acid test"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 19, "acid test"), PASSED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 2ull);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 0ull);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "aci"), PASSED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 10, "harmless"), DROPPED,
			    "nothing behind a gap passes");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 3, "d ja"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 7, "zz."), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "harmless"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 1ull);
	/* a SYN with data comes again without */
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 2, TCPHDR_SYN, -1, "data", 4),
			DROPPED);
	help_detach(att);
}

/* The byte before the first keeps a connection alive, or the SYN was not the receiver's. */
static void flow_alive(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);

	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, -1, "a"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, -1, "x"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "cid jazz"), DROPPED);
	flow_syn(test, att, 2);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 0, "cid jazz"), PASSED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 2, -1, "a"), DROPPED,
			    "it comes too late");
	help_detach(att);
}

/* A SYN after long silence counts, and so do the bytes it may make us miss. */
static void flow_silence(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	char was[32];

	KUNIT_ASSERT_GT(test, help_param_get("flow_idle", was), 0);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 0ull);
	KUNIT_ASSERT_EQ(test, help_param_set("flow_idle", "0"), 0);
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, help_param_set("flow_idle", was), 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 1ull);
	/* an end that perhaps only we saw */
	flow_syn(test, att, 2);
	flow_text(test, att, 2, 0, "attack");
	flow_send(test, att, 2, TCPHDR_RST, 6, "", 0);
	KUNIT_ASSERT_EQ(test, help_param_set("flow_idle", "0"), 0);
	flow_syn(test, att, 2);
	KUNIT_EXPECT_EQ(test, help_param_set("flow_idle", was), 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 2ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), PASSED);
	help_detach(att);
}

/* A SYN's data, passed over by what comes next, and then filled in: a gap. */
static void flow_syn_data(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_send(test, att, 1, TCPHDR_SYN, -1, "xxxxx", 5);
	flow_text(test, att, 1, 5, "jazz");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 0ull);
	flow_text(test, att, 1, 0, "acid ");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 1ull);
	help_detach(att);
}

/* The numbers run over, and the offsets do not. */
static void flow_wraps(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	u32 at = -FLOW_START - 4;

	flow_send(test, att, 1, TCPHDR_SYN, at - 1, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, at, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, at + 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 0ull);
	help_detach(att);
}

/* An urgent byte is read both ways: within the text, and left out. */
static void flow_urgent(struct kunit *test)
{
	static const char *const texts[] = { "acid jazz", "acidX jazz" };
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	u32 i;

	for (i = 0; i < 2; i++) {
		flow_syn(test, att, 10 + i);
		KUNIT_EXPECT_EQ_MSG(test, flow_point(test, att, 10 + i, TCPHDR_ACK, 0, 5, texts[i]),
				    DROPPED, "%s", texts[i]);
		/* a server's SYN points too, and is a byte of its own */
		flow_point(test, att, 20 + i, TCPHDR_SYN | TCPHDR_ACK, -1, 6, "");
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 20 + i, 0, texts[i]), DROPPED,
				    "%s", texts[i]);
		flow_point(test, att, 30 + i, TCPHDR_SYN | TCPHDR_ACK, -1, 6, "acid");
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 30 + i, 0, texts[i]), DROPPED,
				    "%s", texts[i]);
		flow_point(test, att, 40 + i, TCPHDR_SYN | TCPHDR_ACK, -1, 6, "acid");
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 40 + i, 4, texts[i] + 4), DROPPED,
				    "%s", texts[i]);
	}
	help_detach(att);
}

/* A new load cannot go on where the old one was: counted. */
static void flow_loads(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	help_set_in_force(test, "kunit", "plain");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "rain"), PASSED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 1ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 9, "acid rain"), DROPPED);
	help_detach(att);
}

/* One bucket: a flood of SYNs evicts its own, an assured direction keeps its slot. */
static void flow_table(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach_small(test, NFAC_ATTACH_DROP);
	u16 i;

	for (i = 1; i <= NFAC_FLOW_SLOTS; i++)
		flow_syn(test, att, i);
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id),
			(u64)NFAC_FLOW_SLOTS);
	for (i = 100; i < 200; i++)
		flow_syn(test, att, i);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_EVICTIONS), 100ull);
	for (i = 1; i <= NFAC_FLOW_SLOTS; i++) {
		flow_open(test, att, i);
		flow_text(test, att, i, 0, "acid ");
	}
	/* no slot: scanned by itself, and counted */
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 300, 0, "acid jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_TABLE_FULL), 1ull);
	for (i = 1; i <= NFAC_FLOW_SLOTS; i++)
		KUNIT_EXPECT_EQ(test, flow_text(test, att, i, 5, "jazz"), DROPPED);
	/* one that was closed yields */
	flow_send(test, att, 3, TCPHDR_ACK | TCPHDR_FIN, 9, "", 0);
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id),
			(u64)NFAC_FLOW_SLOTS - 1);
	flow_text(test, att, 301, 0, "acid ");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 301, 5, "jazz"), DROPPED);
	nfac_flows_forget(att->flows, att->want.id);
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id), 0ull);
	help_detach(att);
}

/* A connection without data, a flood of SYNs, and then a pattern in two segments. */
static void flow_flood(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach_small(test, NFAC_ATTACH_DROP |
							NFAC_ATTACH_GAP_DROP |
							NFAC_ATTACH_SKIP_DROP);
	u16 i;

	flow_open(test, att, 1);
	for (i = 100; i < 1000; i++)
		flow_syn(test, att, i);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_matches(att), 1ull, "its slot was kept");
	/* one that lost its slot all the same */
	flow_open(test, att, 2);
	nfac_flows_forget(att->flows, att->want.id);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 2, 0, "acid "), DROPPED,
			    "not followed from its SYN any more");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 5, "jazz"), DROPPED);
	help_detach(att);

	/* in mid-stream with data, which is no agreement either */
	att = flow_attach_small(test, NFAC_ATTACH_DROP);
	flow_open(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	for (i = 100; i < 1000; i++) {
		flow_text(test, att, i, 0, "x");
		flow_text(test, att, i, 1, "x");
	}
	for (i = 2; i < 12; i++) {
		flow_open(test, att, i);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, i, 0, "acid "), PASSED);
	}
	for (i = 1; i < 12; i++)
		KUNIT_EXPECT_EQ(test, flow_text(test, att, i, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_TABLE_FULL), 0ull);
	help_detach(att);
}

/* What the flow table does when it is full of assured directions is the attachment's. */
static void flow_full(struct kunit *test)
{
	static const struct {
		u32 flags;
		unsigned int verdict;
	} policies[] = {
		{ NFAC_ATTACH_DROP, PASSED },
		{ NFAC_ATTACH_DROP | NFAC_ATTACH_FULL_DROP, DROPPED },
		{ NFAC_ATTACH_DROP | NFAC_ATTACH_SKIP_DROP, DROPPED },
		{ NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP, DROPPED },
		{ NFAC_ATTACH_DROP | NFAC_ATTACH_SKIP_DROP | NFAC_ATTACH_FULL_PASS, PASSED },
	};
	struct nfac_net *nn = nfac_net(&init_net);
	struct nfac_attachment *att;
	u64 logged;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		att = flow_attach_small(test, policies[i].flags);
		for (k = 1; k <= NFAC_FLOW_SLOTS; k++)
			flow_open(test, att, k);
		KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 100, TCPHDR_SYN, -1, "", 0),
				    policies[i].verdict, "policy %u", i);
		/* data of it are scanned by themselves */
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 100, 0, "x"), policies[i].verdict,
				    "policy %u", i);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 100, 1, "attack"), DROPPED);

		logged = help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_TABLE_FULL);
		KUNIT_EXPECT_GT(test, logged, 0ull);
		mutex_lock(&nn->lock);
		KUNIT_EXPECT_EQ(test, nfac_attachments_log_full(nn), logged);
		KUNIT_EXPECT_EQ(test, nfac_attachments_log_full(nn), 0ull);
		mutex_unlock(&nn->lock);
		help_detach(att);
	}
}

/* Outside the window that the receiver advertised the stream does not move. */
static void flow_windows(struct kunit *test)
{
	static const u32 gaps[] = { 0, NFAC_ATTACH_GAP_PASS, NFAC_ATTACH_GAP_DROP };
	struct nfac_attachment *att;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		bool drop = gaps[i] & NFAC_ATTACH_GAP_DROP;

		att = flow_attach(test, NFAC_ATTACH_DROP | gaps[i]);
		flow_open(test, att, 1);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0x30000000, "far away"),
				drop ? DROPPED : PASSED);
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 0x30000000, "attack"), DROPPED,
				    "scanned by itself, or not passed");
		KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_WINDOW),
				2ull);
		KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 0ull);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
		help_detach(att);
	}

	/* a byte beyond a closed window is a probe; the window opens, and never closes */
	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_open(test, att, 1);
	flow_window(test, att, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
	help_detach(att);
}

/* Behind a gap the stream goes on, and where segments fill the gap in order, too. */
static void flow_fills(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "an ");
	flow_text(test, att, 1, 1000, "acid ");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 3, "acid "), PASSED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 8, "jazz"), DROPPED, "in the gap");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 8, "jazz"), DROPPED, "and again");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 1005, "jazz"), DROPPED, "behind it");
	help_detach(att);
}

/* With "drop" data pass only in a connection that is followed from its SYN. */
static void flow_pickup(struct kunit *test)
{
	struct nfac_attachment *att;

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 500, "acid "), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 1ull);
	KUNIT_EXPECT_EQ_MSG(test, nfac_flows_count(att->flows, att->want.id), 0ull,
			    "it takes no slot");
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_PICKUP);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 500, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 505, "jazz"), DROPPED);
	help_detach(att);
}

/* One client that has half of a full bucket's slots yields to another client. */
static void flow_share(struct kunit *test)
{
	struct nfac_flow_bucket *bucket = kunit_kzalloc(test, sizeof(*bucket), GFP_KERNEL);
	struct nfac_flow_clock clock = { .idle = 100 };
	struct nfac_flow *flow;
	bool evicted;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, bucket);
	for (i = 0; i < NFAC_FLOW_SLOTS; i++) {
		clock.now++;
		flow = nfac_flow_take(bucket, (u64)(i + 1) << 32, 1,
				      i < NFAC_FLOW_SHARE ? 7 : 100 + i, clock, &evicted);
		KUNIT_ASSERT_NOT_NULL(test, flow);
		flow->flags = NFAC_FLOW_SYN | NFAC_FLOW_ASSURED;
	}
	KUNIT_EXPECT_NULL(test, nfac_flow_take(bucket, 99ull << 32, 1, 7, clock, &evicted));
	flow = nfac_flow_take(bucket, 99ull << 32, 1, 8, clock, &evicted);
	KUNIT_ASSERT_NOT_NULL(test, flow);
	KUNIT_EXPECT_TRUE(test, evicted);
	KUNIT_EXPECT_NULL_MSG(test, nfac_flow_find(bucket, 1ull << 32), "its oldest one");
	flow->flags = NFAC_FLOW_SYN | NFAC_FLOW_ASSURED;
	KUNIT_EXPECT_NULL_MSG(test, nfac_flow_take(bucket, 98ull << 32, 1, 9, clock, &evicted),
			      "less than half");
}

struct flow_waiter {
	struct work_struct work;
	struct kunit *test;
	struct nfac_attachment *att;
	struct completion begun;
	bool locked;
};

static void flow_wait(struct work_struct *work)
{
	struct flow_waiter *waiter = container_of(work, struct flow_waiter, work);

	complete(&waiter->begun);
	while (!READ_ONCE(waiter->locked))
		cond_resched();
	flow_syn(waiter->test, waiter->att, 100);
}

/*
 * Two seconds begin while a SYN waits for the bucket: directions with data since then are not idle
 * to it. The waiter begins before the test takes the lock, so that no holder of a lock waits for
 * it; if it is not at the lock by then, the case shows nothing. Its packet is shared with the
 * test, which meanwhile sends none.
 */
static void flow_clock(struct kunit *test)
{
	struct flow_waiter waiter = { .test = test };
	struct nfac_flow_bucket *bucket;
	time64_t then;
	u16 i;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	waiter.att = flow_attach_small(test, NFAC_ATTACH_DROP);
	for (i = 1; i <= NFAC_FLOW_SLOTS; i++) {
		flow_syn(test, waiter.att, i);
		flow_text(test, waiter.att, i, 0, "acid ");
	}
	init_completion(&waiter.begun);
	INIT_WORK_ONSTACK(&waiter.work, flow_wait);
	bucket = nfac_flows_at(waiter.att->flows, 0);
	/* else the scheduler may wake this task on the waiter's CPU */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	schedule_work_on(cpumask_any_but(cpu_online_mask, smp_processor_id()), &waiter.work);
	wait_for_completion(&waiter.begun);
	spin_lock_bh(&bucket->lock);
	WRITE_ONCE(waiter.locked, true);
	mdelay(100);
	/* one is what the clock itself may go back */
	then = ktime_get_seconds();
	while (ktime_get_seconds() < then + 2)
		cpu_relax();
	for (i = 0; i < NFAC_FLOW_SLOTS; i++)
		bucket->flow[i].seen = ktime_get_seconds();
	spin_unlock_bh(&bucket->lock);
	flush_work(&waiter.work);
	destroy_work_on_stack(&waiter.work);
	KUNIT_EXPECT_EQ(test, help_count(waiter.att, NFAC_COUNT_FLOW_EVICTIONS), 0ull);
	for (i = 1; i <= NFAC_FLOW_SLOTS; i++)
		KUNIT_EXPECT_EQ(test, flow_text(test, waiter.att, i, 5, "jazz"), DROPPED);
	help_detach(waiter.att);
}

/* Data behind an end that only we saw: it goes on, wherever their segment begins. */
static void flow_goes_on(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, 0);
	u16 i;

	for (i = 1; i <= 3; i++) {
		flow_text(test, att, i, 10, "xx");
		flow_send(test, att, i, TCPHDR_ACK | TCPHDR_FIN, 12, "", 0);
	}
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id), 0ull);
	flow_text(test, att, 1, 12, "xx");
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id), 1ull);
	/* from before what we saw */
	flow_text(test, att, 2, 5, "xxxxxxxx");
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id), 2ull);
	/* up to the end */
	flow_text(test, att, 3, 5, "xxxxxxx");
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id), 2ull);
	help_detach(att);
}

/* What an event says of its packet is what becomes of it, also where no match decides that. */
static void flow_events(struct kunit *test)
{
	struct nfac_net *nn = nfac_net(&init_net);
	char name[NFAC_NAME_LEN] = "";
	struct nfac_attachment *att;
	struct nfac_reader *reader;
	u16 i;

	reader = nfac_reader_create(&nn->events, name, nfac_reader_bytes());
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, reader);
	att = flow_attach(test, NFAC_ATTACH_REPORT | NFAC_ATTACH_GAP_DROP);
	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid jazz"), PASSED);
	KUNIT_EXPECT_EQ(test, reader->slots[0].event.verdict, (u8)NFAC_VERDICT_ACCEPT);
	/* neither ACK nor SYN: only some take it */
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_PSH, 9, "acid jazz", 9), DROPPED);
	KUNIT_EXPECT_EQ(test, reader->slots[1].event.verdict, (u8)NFAC_VERDICT_DROP);
	help_detach(att);

	/* no place for it */
	att = flow_attach_small(test, NFAC_ATTACH_REPORT | NFAC_ATTACH_SKIP_DROP);
	for (i = 1; i <= NFAC_FLOW_SLOTS; i++)
		flow_open(test, att, i);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 100, 0, "acid jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, reader->slots[2].event.verdict, (u8)NFAC_VERDICT_DROP);
	help_detach(att);
	nfac_reader_destroy(&nn->events, reader);
}

static struct kunit_case flow_cases[] = {
	KUNIT_CASE(flow_cuts),
	KUNIT_CASE(flow_again),
	KUNIT_CASE(flow_gaps),
	KUNIT_CASE(flow_alive),
	KUNIT_CASE(flow_silence),
	KUNIT_CASE(flow_syn_data),
	KUNIT_CASE(flow_wraps),
	KUNIT_CASE(flow_urgent),
	KUNIT_CASE(flow_loads),
	KUNIT_CASE(flow_table),
	KUNIT_CASE(flow_flood),
	KUNIT_CASE(flow_full),
	KUNIT_CASE(flow_windows),
	KUNIT_CASE(flow_fills),
	KUNIT_CASE(flow_pickup),
	KUNIT_CASE(flow_share),
	KUNIT_CASE(flow_clock),
	KUNIT_CASE(flow_goes_on),
	KUNIT_CASE(flow_events),
	{}
};

struct kunit_suite suite_flow = {
	.name = "nfac_flow",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = flow_cases,
};
