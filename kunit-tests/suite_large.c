// SPDX-License-Identifier: GPL-2.0
/*
 * Segments that are scanned without the lock of their bucket: GSO packets. What happens to the
 * direction meanwhile is simulated between the two halves of such a scan.
 */

#include <linux/slab.h>
#include <net/tcp.h>

#include "../kmod/skb_scan.h"
#include "../kmod/engine/stream/flow.h"
#include "help_flow.h"
#include "suites.h"

#define LARGE_BYTES	65536u
#define LARGE_HASH	0x123456789abcdefull
#define LARGE_FIRST	1000u

/* A direction in a bucket of its own. */
static struct {
	struct nfac_flow_bucket *bucket;
	struct nfac_set *set;
	struct sk_buff *skb;
	struct nfac_source source;
	struct nfac_scan scan;
	struct nfac_segment seg;
	u32 policy;
} large;

static int large_init(struct kunit *test)
{
	large.set = help_set_in_force(test, "kunit", "small");
	large.bucket = kunit_kzalloc(test, sizeof(*large.bucket), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, large.bucket);
	spin_lock_init(&large.bucket->lock);
	large.skb = alloc_skb(LARGE_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, large.skb);
	memset(skb_put(large.skb, LARGE_BYTES), '.', LARGE_BYTES);
	large.source = (struct nfac_source){ .skb = large.skb };
	large.policy = NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP;
	return 0;
}

static void large_exit(struct kunit *test)
{
	kfree_skb(large.skb);
	help_set_gone(large.set);
}

/* @bytes of the skb, which are @at bytes behind the first one. */
static void large_segment(struct kunit *test, u32 at, u32 bytes, u8 flags)
{
	const struct nfac_load *load;

	memset(&large.seg, 0, sizeof(large.seg));
	nfac_segment_init(&large.seg);
	large.seg.source = &large.source;
	large.seg.seq = LARGE_FIRST + at;
	large.seg.bytes = bytes;
	large.seg.attachment = 1;
	large.seg.policy = large.policy;
	large.seg.scale = NFAC_SCALE_NONE;
	large.seg.tcp_flags = flags;
	large.seg.generation = 1;
	rcu_read_lock();
	load = nfac_set_load(large.set);
	nfac_scan_init(&large.scan, &load->automaton, NULL);
	rcu_read_unlock();
}

static void large_syn(struct kunit *test)
{
	large_segment(test, 0, 0, TCPHDR_SYN);
	nfac_flow_control(large.bucket, LARGE_HASH, &large.seg);
}

/* The first half: up to where the lock is released. */
static void large_begin(struct kunit *test, u32 at, u32 bytes, u8 flags)
{
	large_segment(test, at, bytes, flags);
	nfac_flow_data(large.bucket, LARGE_HASH, &large.seg, &large.scan);
}

/* The other half. */
static void large_end(struct kunit *test)
{
	KUNIT_ASSERT_TRUE(test, large.seg.deferred.there);
	nfac_flow_rest(&large.seg, &large.scan);
	nfac_flow_commit(large.bucket, LARGE_HASH, &large.seg, &large.scan);
}

static void large_send(struct kunit *test, u32 at, u32 bytes, u8 flags)
{
	large_begin(test, at, bytes, flags);
	KUNIT_EXPECT_EQ(test, large.seg.deferred.there, bytes > NFAC_FLOW_HELD);
	if (large.seg.deferred.there)
		large_end(test);
}

static struct nfac_flow *large_flow(void)
{
	return nfac_flow_find(large.bucket, LARGE_HASH);
}

static void large_write(u32 at, const char *text)
{
	memcpy(large.skb->data + at, text, strlen(text));
}

/* A pattern across each border of 16 KB, and across those of the segments before and behind. */
static void large_found(struct kunit *test)
{
	u32 at;

	large_syn(test);
	for (at = NFAC_FLOW_HELD; at < LARGE_BYTES; at += NFAC_FLOW_HELD)
		large_write(at - 4, "acid jazz");
	large_write(LARGE_BYTES - 4, "acid");
	large_send(test, 0, LARGE_BYTES, TCPHDR_ACK);
	KUNIT_EXPECT_EQ(test, large.scan.matches, 3u);
	KUNIT_EXPECT_EQ(test, large.seg.scanned, LARGE_BYTES);
	KUNIT_EXPECT_EQ(test, large.seg.unseen, 0u);
	KUNIT_EXPECT_EQ(test, large_flow()->next, LARGE_FIRST + LARGE_BYTES);

	large_write(0, " jazz");
	large_write(LARGE_BYTES - 4, "....");
	large_send(test, LARGE_BYTES, 100, TCPHDR_ACK);
	KUNIT_EXPECT_EQ(test, large.scan.matches, 1u);
	/* with bytes that were sent before, and an end */
	large_send(test, LARGE_BYTES + 50, NFAC_FLOW_HELD + 51, TCPHDR_ACK | TCPHDR_FIN);
	KUNIT_EXPECT_EQ(test, large.seg.resent, 50u);
	KUNIT_EXPECT_EQ(test, large.seg.scanned, NFAC_FLOW_HELD + 1);
	KUNIT_EXPECT_TRUE(test, large_flow()->flags & NFAC_FLOW_ENDED);
	large_begin(test, 0, LARGE_BYTES, TCPHDR_ACK);
	KUNIT_EXPECT_FALSE_MSG(test, large.seg.deferred.there, "it has nothing new");
}

/* Another CPU moves the direction while the segment is scanned. */
static void large_raced(struct kunit *test)
{
	static const u32 policies[] = { NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP, NFAC_ATTACH_DROP };
	struct nfac_segment first;
	struct nfac_scan scan;
	u32 i, next;

	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		large.policy = policies[i];
		memset(large.bucket->tag, 0, sizeof(large.bucket->tag));
		large_write(LARGE_BYTES / 2, ".........");
		large_syn(test);
		large_begin(test, 0, LARGE_BYTES, TCPHDR_ACK);
		first = large.seg;
		scan = large.scan;

		large_send(test, 0, 10, TCPHDR_ACK);
		KUNIT_EXPECT_EQ(test, large.seg.unseen, 0u);
		next = large_flow()->next;
		KUNIT_EXPECT_EQ(test, next, LARGE_FIRST + 10);

		large.seg = first;
		large.scan = scan;
		large_write(LARGE_BYTES / 2, "acid jazz");
		large_end(test);
		KUNIT_EXPECT_EQ_MSG(test, large.scan.matches, 1u, "it is scanned all the same");
		KUNIT_EXPECT_EQ(test, large.seg.skips, (u32)BIT(NFAC_SKIP_GAP));
		KUNIT_EXPECT_EQ(test, large.seg.unseen, i ? 0u : (u32)BIT(NFAC_SKIP_GAP));
		KUNIT_EXPECT_EQ_MSG(test, large_flow()->next, next, "the stream did not move");
	}
}

/* Or the direction loses its slot, or gets another load. */
static void large_lost(struct kunit *test)
{
	large_syn(test);
	large_begin(test, 0, LARGE_BYTES, TCPHDR_ACK);
	memset(large.bucket->tag, 0, sizeof(large.bucket->tag));
	large_end(test);
	KUNIT_EXPECT_EQ(test, large.seg.unseen, (u32)BIT(NFAC_SKIP_GAP));
	KUNIT_EXPECT_NULL(test, large_flow());

	large_syn(test);
	large_begin(test, 0, LARGE_BYTES, TCPHDR_ACK);
	large_flow()->generation = 2;
	large_end(test);
	KUNIT_EXPECT_EQ(test, large.seg.unseen, (u32)BIT(NFAC_SKIP_GAP));
	KUNIT_EXPECT_EQ(test, large_flow()->next, LARGE_FIRST);
}

static struct kunit_case large_cases[] = {
	KUNIT_CASE(large_found),
	KUNIT_CASE(large_raced),
	KUNIT_CASE(large_lost),
	{}
};

struct kunit_suite suite_large = {
	.name = "nfac_large",
	.init = large_init,
	.exit = large_exit,
	.test_cases = large_cases,
};
