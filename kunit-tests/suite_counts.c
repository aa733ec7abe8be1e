// SPDX-License-Identifier: GPL-2.0
/*
 * Pattern counts: every match is counted once, under its pattern or as uncounted.
 */

#include <linux/slab.h>
#include <linux/smp.h>

#include "../kmod/search_api.h"
#include "help_hook.h"
#include "suites.h"

#define COUNTS_IDS	600

/* What nfac_counts_read() gave, added up by id, which is below COUNTS_IDS, or U32_MAX - 1. */
struct counts_sums {
	u64 hits[COUNTS_IDS];
	u64 last;
	u64 total;
	u32 ids;
	u64 seen;
};

static struct counts_sums sums;

/* Read all, by @room entries at a time. */
static void counts_sum(struct kunit *test, const struct nfac_counts *counts, u32 room)
{
	struct nfac_pattern_count *to = kunit_kzalloc(test, room * sizeof(*to), GFP_KERNEL);
	u64 cursor = 0;
	u32 got, i;

	KUNIT_ASSERT_NOT_NULL(test, to);
	memset(&sums, 0, sizeof(sums));
	do {
		got = nfac_counts_read(counts, &cursor, to, room);
		KUNIT_ASSERT_LE(test, got, room);
		for (i = 0; i < got; i++) {
			u64 *hits = to[i].id == U32_MAX - 1 ? &sums.last : &sums.hits[to[i].id];

			KUNIT_ASSERT_TRUE(test, to[i].id < COUNTS_IDS || to[i].id == U32_MAX - 1);
			KUNIT_EXPECT_EQ(test, to[i].pad, 0u);
			KUNIT_EXPECT_GT(test, to[i].hits, 0ull);
			sums.ids += !*hits;
			*hits += to[i].hits;
			sums.total += to[i].hits;
			sums.seen = max_t(u64, sums.seen, to[i].seen);
		}
	} while (got == room);
	KUNIT_EXPECT_EQ_MSG(test, nfac_counts_read(counts, &cursor, to, room), 0u, "at the end");
}

/* With this parameter for @patterns patterns; its memory is not charged after all. */
static struct nfac_counts *counts_new(struct kunit *test, const char *slots, u32 patterns)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_counts *counts;
	char was[32];

	KUNIT_ASSERT_NOT_NULL(test, budget);
	KUNIT_ASSERT_GT(test, help_param_get("pattern_slots", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("pattern_slots", slots), 0);
	counts = nfac_counts_create(budget, patterns);
	KUNIT_ASSERT_EQ(test, help_param_set("pattern_slots", was), 0);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&budget->used), counts ? counts->bytes : 0);
	if (counts)
		nfac_budget_return(budget, counts->bytes);
	nfac_budget_put(budget);
	return counts;
}

static void counts_sizes(struct kunit *test)
{
	static const struct {
		const char *param;
		u32 patterns;
		u32 slots;
	} cases[] = {
		{ "4096", 0, 0 }, { "0", 100, 0 }, { "3", 100, 0 }, { "4", 100, 4 },
		{ "4096", 1, 16 }, { "4096", 8, 16 }, { "4096", 9, 32 }, { "4096", 2048, 4096 },
		{ "4096", 2049, 4096 }, { "4095", 1000000, 2048 }, { "4096", 16777216, 4096 },
		{ "65536", 9000, 32768 }, { "4294967295", 10, 32 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nfac_counts *counts;

		counts = counts_new(test, cases[i].param, cases[i].patterns);
		KUNIT_EXPECT_EQ_MSG(test, counts ? counts->slots : 0, cases[i].slots, "case %u", i);
		if (counts)
			KUNIT_EXPECT_GE(test, counts->bytes,
					(u64)sizeof(struct nfac_counts_slot) *
					num_possible_cpus() * cases[i].slots);
		nfac_counts_free(counts);
	}
}

/* A machine with many CPUs has fewer slots on each: all tables take 1/64 of the limit. */
static void counts_share(struct kunit *test)
{
	/* 64 CPUs have 4,096 slots each in a 64th */
	const u64 limit = 64ull * 64 * 4096 * sizeof(struct nfac_counts_slot);
	static const struct {
		u32 cpus;
		u32 slots;
	} cases[] = {
		{ 1, 4096 }, { 64, 4096 }, { 65, 2048 }, { 512, 512 }, { 1024, 256 }, { 8192, 32 },
		{ 65536, 16 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, nfac_counts_slots(1000000, cases[i].cpus, limit),
				    cases[i].slots, "%u CPUs", cases[i].cpus);
	/* a small set has its slots */
	KUNIT_EXPECT_EQ(test, nfac_counts_slots(8, 512, limit), 16u);
	KUNIT_EXPECT_EQ(test, nfac_counts_slots(100, 512, limit), 256u);
	/* another limit, another share */
	KUNIT_EXPECT_EQ(test, nfac_counts_slots(1000000, 512, 16 * limit), 4096u);
	KUNIT_EXPECT_EQ(test, nfac_counts_slots(1000000, 1, 0), 16u);
	KUNIT_EXPECT_EQ(test, nfac_counts_slots(0, 1, limit), 0u);
}

/* As many patterns as the set has: none is uncounted, whatever the ids are. */
static void counts_all(struct kunit *test)
{
	static const u32 rooms[] = { 1, 7, 128, 4096 };
	struct nfac_counts *counts = counts_new(test, "4096", COUNTS_IDS + 1);
	u64 before = ktime_get_real_seconds(), wanted = 0;
	u32 i, j;

	KUNIT_ASSERT_NOT_NULL(test, counts);
	for (i = 0; i < COUNTS_IDS; i++)
		for (j = 0; j <= i; j++, wanted++)
			nfac_counts_hit(counts, i);
	nfac_counts_hit(counts, U32_MAX - 1);
	wanted++;
	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		counts_sum(test, counts, rooms[i]);
		for (j = 0; j < COUNTS_IDS; j++)
			KUNIT_EXPECT_EQ(test, sums.hits[j], j + 1ull);
		KUNIT_EXPECT_EQ(test, sums.last, 1ull);
		KUNIT_EXPECT_EQ(test, sums.total, wanted);
		KUNIT_EXPECT_GE(test, sums.seen, before);
		KUNIT_EXPECT_LE(test, sums.seen, (u64)ktime_get_real_seconds());
	}
	KUNIT_EXPECT_EQ(test, nfac_counts_uncounted(counts), 0ull);
	/* the one id that has no tag */
	nfac_counts_hit(counts, U32_MAX);
	KUNIT_EXPECT_EQ(test, nfac_counts_uncounted(counts), 1ull);
	nfac_counts_free(counts);
}

/* More patterns than slots: the first ones keep theirs, and the sum is right. */
static void counts_full(struct kunit *test)
{
	struct nfac_counts *counts = counts_new(test, "64", 1000000);
	u64 first;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, counts);
	KUNIT_ASSERT_EQ(test, counts->slots, 64u);
	/* in one table */
	preempt_disable();
	for (i = 0; i < 2 * COUNTS_IDS; i++)
		nfac_counts_hit(counts, i % COUNTS_IDS);
	preempt_enable();
	counts_sum(test, counts, 128);
	KUNIT_EXPECT_EQ(test, sums.total + nfac_counts_uncounted(counts), 2ull * COUNTS_IDS);
	KUNIT_EXPECT_GE(test, sums.ids, 60u);
	KUNIT_EXPECT_LE(test, sums.ids, 64u * num_possible_cpus());
	first = sums.hits[0];
	KUNIT_EXPECT_EQ(test, first, 2ull);
	nfac_counts_hit(counts, 0);
	counts_sum(test, counts, 128);
	KUNIT_EXPECT_EQ(test, sums.hits[0], first + 1);
	nfac_counts_free(counts);
}

/* A cursor from user space may be anything. */
static void counts_cursor(struct kunit *test)
{
	const u64 cursors[] = { U64_MAX, U32_MAX, 16, 1ull << 63, (u64)nr_cpu_ids << 32,
		(u64)nr_cpu_ids << 32 | U32_MAX };
	struct nfac_counts *counts = counts_new(test, "4096", 1);
	struct nfac_pattern_count to[2];
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, counts);
	for (i = 0; i < ARRAY_SIZE(cursors); i++) {
		u64 cursor = cursors[i];

		KUNIT_EXPECT_EQ(test, nfac_counts_read(counts, &cursor, to, 2), 0u);
	}
	nfac_counts_free(counts);
}

static void counts_hit_here(void *context)
{
	u32 i;

	for (i = 0; i < 1000; i++)
		nfac_counts_hit(context, i % 10);
}

/* Each CPU counts for itself; all but this one in an interrupt. */
static void counts_cpus(struct kunit *test)
{
	struct nfac_counts *counts = counts_new(test, "4096", 10);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, counts);
	on_each_cpu(counts_hit_here, counts, 1);
	counts_sum(test, counts, 3);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, sums.hits[i], 100ull * num_online_cpus());
	KUNIT_EXPECT_EQ(test, sums.ids, 10u);
	KUNIT_EXPECT_EQ(test, nfac_counts_uncounted(counts), 0ull);
	nfac_counts_free(counts);
}

/* Without memory or budget a load has no counts, and is there all the same. */
static void counts_fail(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	unsigned int nth, failed = 0;
	char was[32];
	bool hit = true;

	KUNIT_ASSERT_NOT_NULL(test, budget);
	for (nth = 1; hit; nth++) {
		struct nfac_counts *counts;

		help_fault_at(nth);
		counts = nfac_counts_create(budget, 8);
		hit = help_fault_end();
		failed += !counts;
		if (counts)
			nfac_budget_return(budget, counts->bytes);
		nfac_counts_free(counts);
		KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	}
	/* the counts, their part of each CPU, and a table */
	KUNIT_EXPECT_GE(test, failed, 3u);
	KUNIT_ASSERT_GT(test, help_param_get("netns_memory_limit", was), 0);
	help_param_set("netns_memory_limit", "64");
	KUNIT_EXPECT_PTR_EQ(test, nfac_counts_create(budget, 3000), NULL);
	help_param_set("netns_memory_limit", was);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	nfac_budget_put(budget);
}

static const struct nfac_counts *counts_of(const struct nfac_set *set)
{
	return rcu_dereference_protected(set->load, true)->counts;
}

/* What hook and search count is what they add to the set's matches; a swap begins at 0. */
static void counts_packets(struct kunit *test)
{
	const struct nfac_ioc_attach want = { .name = "counts", .flags = NFAC_ATTACH_DROP };
	struct nfac_set *set = help_set_in_force(test, "counts", "small");
	struct nfac_attachment *att = help_attach(&want);
	static struct help_packet pkt;
	struct nfac_search search;
	struct sk_buff *skb;
	u32 i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(att));
	help_tcp4(&pkt, "an attack");
	skb = help_skb_of(test, &pkt);
	skb->protocol = htons(ETH_P_IP);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, help_hook(att, skb), (unsigned int)NF_DROP);
	counts_sum(test, counts_of(set), 128);
	/* attack, tack, ta twice */
	KUNIT_EXPECT_EQ(test, sums.total, 12ull);
	KUNIT_EXPECT_EQ(test, sums.total, nfac_stats_sum(set->stats, NFAC_COUNT_MATCHES));
	KUNIT_EXPECT_GE(test, sums.ids, 3u);

	/* a search ends at its first match */
	KUNIT_ASSERT_TRUE(test, nfac_search_begin(&search, set));
	nfac_search_block(&search, "an attack", 9);
	KUNIT_EXPECT_TRUE(test, nfac_search_end(&search));
	counts_sum(test, counts_of(set), 128);
	KUNIT_EXPECT_EQ(test, sums.total, 13ull);
	KUNIT_EXPECT_EQ(test, sums.total, nfac_stats_sum(set->stats, NFAC_COUNT_MATCHES));

	help_set_in_force(test, "counts", "small");
	counts_sum(test, counts_of(set), 128);
	KUNIT_EXPECT_EQ(test, sums.total, 0ull);
	KUNIT_EXPECT_EQ(test, help_hook(att, skb), (unsigned int)NF_DROP);
	counts_sum(test, counts_of(set), 128);
	KUNIT_EXPECT_EQ(test, sums.total, 4ull);
	kfree_skb(skb);
	help_detach(att);
	help_set_gone(set);
}

static struct kunit_case counts_cases[] = {
	KUNIT_CASE(counts_sizes),
	KUNIT_CASE(counts_share),
	KUNIT_CASE(counts_all),
	KUNIT_CASE(counts_full),
	KUNIT_CASE(counts_cursor),
	KUNIT_CASE(counts_cpus),
	KUNIT_CASE(counts_fail),
	KUNIT_CASE(counts_packets),
	{}
};

struct kunit_suite suite_counts = {
	.name = "nfac_counts",
	.test_cases = counts_cases,
};
