// SPDX-License-Identifier: GPL-2.0
/*
 * The flow table's memory: its size by default, and failing allocations.
 */

#include <linux/mm.h>

#include "../kmod/flow_table.h"
#include "help.h"
#include "suites.h"

static void table_fail(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	unsigned int nth, failed = 0;
	struct nfac_flows *flows;
	bool hit = true;
	char was[32];

	KUNIT_ASSERT_GT(test, help_param_get("flows_max", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("flows_max", "32768"), 0);
	for (nth = 1; hit; nth++) {
		KUNIT_ASSERT_LT(test, nth, 500u);
		help_fault_at(nth);
		flows = nfac_flows_create(budget);
		hit = help_fault_end();
		if (IS_ERR(flows)) {
			failed++;
			KUNIT_EXPECT_EQ(test, PTR_ERR(flows), (long)-ENOMEM);
			KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
			continue;
		}
		nfac_flows_free_rcu(flows);
		nfac_free_flush();
		KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	}
	KUNIT_EXPECT_GT(test, failed, 10u);
	KUNIT_EXPECT_EQ(test, help_param_set("flows_max", was), 0);
	KUNIT_ASSERT_GT(test, help_param_get("netns_memory_limit", was), 0);
	help_param_set("netns_memory_limit", "1000");
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(nfac_flows_create(budget)), -EDQUOT);
	help_param_set("netns_memory_limit", was);
	nfac_budget_put(budget);
}

static struct nfac_flows *table_of(struct kunit *test, struct nfac_budget *budget, const char *max)
{
	struct nfac_flows *flows;

	KUNIT_ASSERT_EQ(test, help_param_set("flows_max", max), 0);
	flows = nfac_flows_create(budget);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, flows);
	return flows;
}

/* flows_max = 0: with its windows the table takes 1/16 of the memory, or has the default size. */
static void table_fit(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	u64 limit = (u64)totalram_pages() << PAGE_SHIFT >> 4;
	struct nfac_flows *flows;
	u32 chunks;
	char was[32];

	KUNIT_ASSERT_GT(test, help_param_get("flows_max", was), 0);
	flows = table_of(test, budget, "0");
	KUNIT_ASSERT_EQ(test, nfac_flows_windows(flows), 0);
	chunks = DIV_ROUND_UP(flows->count, NFAC_CHUNK_BUCKETS);
	if (chunks < DIV_ROUND_UP(NFAC_FLOWS_DEFAULT, NFAC_CHUNK_BUCKETS * NFAC_FLOW_SLOTS)) {
		KUNIT_EXPECT_LE(test, flows->charged, limit);
		/* a chunk more does not fit; each is rounded up to whole pages */
		KUNIT_EXPECT_GT(test, flows->charged + (chunks + 1) * PAGE_SIZE +
				div_u64(flows->charged, chunks), limit);
	} else {
		KUNIT_EXPECT_EQ(test, flows->count,
				DIV_ROUND_UP(NFAC_FLOWS_DEFAULT, NFAC_FLOW_SLOTS));
	}
	nfac_flows_free_rcu(flows);
	flows = table_of(test, budget, "40000");
	KUNIT_EXPECT_EQ(test, flows->count, DIV_ROUND_UP(40000u, NFAC_FLOW_SLOTS));
	nfac_flows_free_rcu(flows);
	nfac_free_flush();
	KUNIT_EXPECT_EQ(test, help_param_set("flows_max", was), 0);
	nfac_budget_put(budget);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_fail),
	KUNIT_CASE(table_fit),
	{}
};

struct kunit_suite suite_flow_table = {
	.name = "nfac_flow_table",
	.test_cases = table_cases,
};
