// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics and the namespace's budget: nothing is lost, nothing is counted twice.
 */

#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/vmalloc.h>

#include "../kmod/stats.h"
#include "help.h"
#include "suites.h"

static void stats_packet(struct kunit *test)
{
	struct nfac_stats __percpu *stats = nfac_stats_alloc();
	struct nfac_tally plain = { .bytes = 100 };
	struct nfac_tally match = { .bytes = 50, .matches = 3, .lost_events = 2, .dropped = true };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, (void __force *)stats);
	for (i = 0; i < NFAC_COUNT_MAX; i++)
		KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, i), 0ull);
	nfac_stats_packet(stats, &plain);
	nfac_stats_packet(stats, &plain);
	nfac_stats_packet(stats, &match);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_PACKETS), 3ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_BYTES), 250ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_MATCHES), 3ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_MATCHED_PACKETS), 1ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_DROPPED_PACKETS), 1ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_LOST_EVENTS), 2ull);
	for (i = NFAC_COUNT_SKIPPED; i < NFAC_COUNT_MAX; i++)
		KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, i), 0ull);
	nfac_stats_free(stats);
}

static void stats_skip(struct kunit *test)
{
	struct nfac_stats __percpu *stats = nfac_stats_alloc();
	int i, j;

	KUNIT_ASSERT_NOT_NULL(test, (void __force *)stats);
	for (i = 0; i < NFAC_SKIP_MAX; i++)
		for (j = 0; j <= i; j++)
			nfac_stats_skip(stats, i);
	for (i = 0; i < NFAC_SKIP_MAX; i++)
		KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_SKIPPED + i), i + 1ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_PACKETS), 0ull);
	nfac_stats_add(stats, NFAC_COUNT_BYTES, U32_MAX);
	nfac_stats_add(stats, NFAC_COUNT_BYTES, U32_MAX);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(stats, NFAC_COUNT_BYTES), 2ull * U32_MAX);
	nfac_stats_free(stats);
	nfac_stats_free(NULL);
}

/* Each counter has a name in sysfs, and no two the same. */
static void stats_names(struct kunit *test)
{
	int i, j;

	for (i = 0; i < NFAC_COUNT_MAX; i++) {
		KUNIT_ASSERT_NOT_NULL(test, nfac_counter_names[i]);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_STRNEQ(test, nfac_counter_names[i], nfac_counter_names[j]);
	}
}

static void stats_rate(struct kunit *test)
{
	const u64 s = NSEC_PER_SEC;
	struct nfac_rate rate = {};

	nfac_rate_sample(&rate, 1000, 5 * s);
	KUNIT_EXPECT_EQ_MSG(test, rate.per_second, 0ull, "one sample is no rate");
	nfac_rate_sample(&rate, 1500, 6 * s);
	KUNIT_EXPECT_EQ(test, rate.per_second, 500ull);
	nfac_rate_sample(&rate, 9999, 6 * s + s / 2);
	KUNIT_EXPECT_EQ_MSG(test, rate.per_second, 500ull, "too early");
	nfac_rate_sample(&rate, 2500, 8 * s);
	KUNIT_EXPECT_EQ_MSG(test, rate.per_second, 500ull, "by the time that has passed");
	nfac_rate_sample(&rate, 2500, 9 * s);
	KUNIT_EXPECT_EQ(test, rate.per_second, 0ull);
	/* 40 Gbit/s for a day without a look */
	nfac_rate_sample(&rate, 2500 + 86400ull * 5000000000, 9 * s + 86400 * s);
	if (IS_ENABLED(CONFIG_64BIT)) {
		KUNIT_EXPECT_EQ(test, rate.per_second, 5000000000ull);
		return;
	}
	/* the kernel's division of 128 bits is not exact there */
	KUNIT_EXPECT_GE(test, rate.per_second, 4999900000ull);
	KUNIT_EXPECT_LE(test, rate.per_second, 5000000000ull);
}

static void stats_fail(struct kunit *test)
{
	help_fault_at(1);
	KUNIT_EXPECT_PTR_EQ(test, (void __force *)nfac_stats_alloc(), NULL);
	KUNIT_EXPECT_TRUE(test, help_fault_end());
}

static void budget_takes(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	char limit[32], again[48];

	KUNIT_ASSERT_NOT_NULL(test, budget);
	KUNIT_ASSERT_GT(test, help_param_get("netns_memory_limit", limit), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("netns_memory_limit", "1000"), 0);
	KUNIT_EXPECT_EQ(test, nfac_budget_limit(), 1000ull);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, 0), 0);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, 600), 0);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, 401), -EDQUOT);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, U64_MAX), -EDQUOT);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, U64_MAX - 599), -EDQUOT);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, 400), 0);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, 1), -EDQUOT);
	/* lowered under what is held */
	KUNIT_EXPECT_EQ(test, help_param_set("netns_memory_limit", "10"), 0);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, 1), -EDQUOT);
	nfac_budget_return(budget, 995);
	KUNIT_EXPECT_EQ(test, nfac_budget_take(budget, 5), 0);
	nfac_budget_return(budget, 10);
	KUNIT_EXPECT_EQ(test, help_param_set("netns_memory_limit", limit), 0);
	KUNIT_EXPECT_GT(test, help_param_get("netns_memory_limit", again), 0);
	KUNIT_EXPECT_STREQ(test, limit, again);
	/* a reference keeps the budget */
	nfac_budget_get(budget);
	nfac_budget_put(budget);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	nfac_budget_put(budget);
	help_fault_at(1);
	KUNIT_EXPECT_PTR_EQ(test, nfac_budget_alloc(), NULL);
	KUNIT_EXPECT_TRUE(test, help_fault_end());
}

static void area_sizes(struct kunit *test)
{
	static const size_t sizes[] = { 1, 8, 63, 64, 65, 1000, PAGE_SIZE / 2,
		PAGE_SIZE / 2 + 1, PAGE_SIZE, PAGE_SIZE + 1, 150000, 1 << 20, 3 << 20 };
	u32 i, fail;

	nfac_area_free(NULL, 100);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (fail = 0; fail < 3; fail++) {
			u8 *area;

			/* 1: no contiguous area, where one is tried; 2: none at all */
			help_fault_at(fail);
			area = nfac_area_alloc(sizes[i]);
			help_fault_end();
			if (!area) {
				KUNIT_EXPECT_GT(test, fail, 0u);
				continue;
			}
			KUNIT_EXPECT_TRUE(test, IS_ALIGNED((uintptr_t)area, 64));
			KUNIT_EXPECT_PTR_EQ(test, memchr_inv(area, 0, sizes[i]), NULL);
			memset(area, 0x5a, sizes[i]);
			nfac_area_free(area, sizes[i]);
		}
	}
}

/* An area has the bytes of a buffer that is freed; small, odd and other memory is not shared. */
static void area_share(struct kunit *test)
{
	const size_t bytes = PAGE_SIZE << (PAGE_ALLOC_COSTLY_ORDER + 5), at = 3 * 64;
	const size_t part = bytes - PAGE_SIZE - at;
	u8 *buffer = vmalloc(bytes), *area;
	u32 bad = 0;
	size_t i;

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	for (i = 0; i < bytes; i++)
		buffer[i] = i % 251;
	KUNIT_EXPECT_PTR_EQ(test, nfac_area_share(buffer, PAGE_SIZE), NULL);
	KUNIT_EXPECT_PTR_EQ(test, nfac_area_share(buffer + 8, part), NULL);
	/* the address of no buffer of vmalloc */
	KUNIT_EXPECT_PTR_EQ(test, nfac_area_share(PTR_ALIGN_DOWN(test, 64), part), NULL);
	/* no array of pages */
	help_fault_at(1);
	KUNIT_EXPECT_PTR_EQ(test, nfac_area_share(buffer + at, part), NULL);
	KUNIT_EXPECT_TRUE(test, help_fault_end());
	area = nfac_area_share(buffer + at, part);
	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED((uintptr_t)area, 64));
	vfree(buffer);
	/* what is allocated now must not be the area's pages */
	buffer = vzalloc(bytes);
	for (i = 0; i < part; i++)
		bad += area[i] != (at + i) % 251;
	KUNIT_EXPECT_EQ(test, bad, 0u);
	nfac_area_free(area, part);
	vfree(buffer);
}

static struct kunit_case stats_cases[] = {
	KUNIT_CASE(stats_packet),
	KUNIT_CASE(stats_skip),
	KUNIT_CASE(stats_names),
	KUNIT_CASE(stats_rate),
	KUNIT_CASE(stats_fail),
	{}
};

struct kunit_suite suite_stats = {
	.name = "nfac_stats",
	.test_cases = stats_cases,
};

static struct kunit_case memory_cases[] = {
	KUNIT_CASE(budget_takes),
	KUNIT_CASE(area_sizes),
	KUNIT_CASE(area_share),
	{}
};

struct kunit_suite suite_memory = {
	.name = "nfac_memory",
	.test_cases = memory_cases,
};
