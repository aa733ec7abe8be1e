// SPDX-License-Identifier: GPL-2.0
/*
 * Loads: complete or not at all, charged, and checked by the scrub.
 */

#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "help.h"
#include "suites.h"

static u64 load_tiles(struct kunit *test)
{
	u64 count, bytes;

	KUNIT_ASSERT_EQ(test, nfac_tiles_total(&count, &bytes), 0);
	return count;
}

static void load_figures(struct kunit *test)
{
	const struct help_set *set = help_set(test, "words");
	const struct nfac_blob *head = (const void *)set->blob;
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_load *load = help_load(test, budget, "words");

	KUNIT_EXPECT_EQ(test, load->patterns, set->count);
	KUNIT_EXPECT_EQ(test, load->states, le64_to_cpu(head->states));
	KUNIT_EXPECT_EQ(test, load->node_bytes, le64_to_cpu(head->node_bytes));
	KUNIT_EXPECT_EQ(test, load->total_bytes, le64_to_cpu(head->total_bytes));
	KUNIT_EXPECT_EQ(test, load->checksum, le64_to_cpu(head->checksum));
	KUNIT_EXPECT_EQ(test, load->tiles.count, le32_to_cpu(head->tiles));
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&budget->used), load->charged);
	KUNIT_EXPECT_GE(test, load->charged, load->total_bytes);
	KUNIT_EXPECT_FALSE(test, load->damaged);
	nfac_load_free(load);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	nfac_budget_put(budget);
}

/* Each allocation of a load fails once: refused, nothing left, nothing charged. */
static void load_fail(struct kunit *test)
{
	const struct help_set *set = help_set(test, "words");
	struct nfac_budget *budget = nfac_budget_alloc();
	u64 before = load_tiles(test), ns;
	unsigned int nth, failed = 0;
	struct nfac_fault fault;
	bool hit = true;

	for (nth = 1; hit; nth++) {
		struct nfac_load *load;

		KUNIT_ASSERT_LT(test, nth, 1000u);
		help_fault_at(nth);
		load = nfac_load_create(budget, set->blob, set->size, &fault, &ns);
		hit = help_fault_end();
		if (!IS_ERR(load)) {
			nfac_load_free(load);
			continue;
		}
		failed++;
		KUNIT_EXPECT_EQ(test, PTR_ERR(load), (long)-ENOMEM);
		KUNIT_EXPECT_PTR_EQ(test, (void *)fault.what, NULL);
		KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
		KUNIT_EXPECT_EQ(test, load_tiles(test), before);
	}
	KUNIT_EXPECT_GT(test, failed, 8u);
	KUNIT_EXPECT_EQ(test, load_tiles(test), before);
	nfac_budget_put(budget);
}

/* Refused at the verifier's scratch, and at the set itself. */
static void load_quota(struct kunit *test)
{
	const struct help_set *set = help_set(test, "words");
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_fault fault;
	struct nfac_load *load;
	char was[32], limit[32];
	u64 ns, scratch = nfac_blob_scratch_bytes(set->blob);

	KUNIT_ASSERT_GT(test, help_param_get("netns_memory_limit", was), 0);
	snprintf(limit, sizeof(limit), "%llu", scratch - 1);
	help_param_set("netns_memory_limit", limit);
	load = nfac_load_create(budget, set->blob, set->size, &fault, &ns);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(load), -EDQUOT);
	snprintf(limit, sizeof(limit), "%llu", max_t(u64, scratch, 4096));
	help_param_set("netns_memory_limit", limit);
	load = nfac_load_create(budget, set->blob, set->size, &fault, &ns);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(load), -EDQUOT);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	help_param_set("netns_memory_limit", was);
	nfac_budget_put(budget);
}

/* A load waits for memory that is freed after a grace period, instead of failing. */
static void load_quota_waits(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_load *load = help_load(test, budget, "words");
	char was[32], limit[32];
	int i;

	KUNIT_ASSERT_GT(test, help_param_get("netns_memory_limit", was), 0);
	/*
	 * Not enough for two loads. A lower limit shrinks the table of pattern counts, and with it
	 * the charge: repeated, until both agree.
	 */
	for (i = 0; i < 4; i++) {
		snprintf(limit, sizeof(limit), "%llu", 2 * load->charged - 1);
		help_param_set("netns_memory_limit", limit);
		nfac_load_free(load);
		load = help_load(test, budget, "words");
	}
	KUNIT_ASSERT_LT(test, nfac_budget_limit(), 2 * load->charged);
	for (i = 0; i < 3; i++) {
		nfac_load_free_rcu(load);
		load = help_load(test, budget, "words");
	}
	help_param_set("netns_memory_limit", was);
	nfac_load_free(load);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	nfac_budget_put(budget);
}

static void load_refused(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_fault fault;
	struct nfac_load *load;
	size_t size;
	__le32 *blob = help_blob(test, "small", &size);
	u64 ns;

	blob[1] = 0;
	load = nfac_load_create(budget, blob, size, &fault, &ns);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(load), -EPROTO);
	KUNIT_EXPECT_EQ(test, fault.word, 1u);
	blob[1] = cpu_to_le32(NFAC_BLOB_VERSION);
	blob[size / 4 - 1] ^= cpu_to_le32(1);
	load = nfac_load_create(budget, blob, size, &fault, &ns);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(load), -EBADMSG);
	KUNIT_EXPECT_NOT_NULL(test, fault.what);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	nfac_budget_put(budget);
}

/* Any word of tiles and tables; once damaged, damaged for good. */
static void load_scrub(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_load *load = help_load(test, budget, "small");
	u8 *tables = load->tables;
	u32 i;

	KUNIT_EXPECT_EQ(test, nfac_load_scrub(load), NFAC_RESULT_SOUND);
	KUNIT_EXPECT_FALSE(test, load->damaged);
	for (i = 0; i < load->tables_bytes; i += 3) {
		tables[i] ^= 1 << i % 8;
		KUNIT_EXPECT_EQ(test, nfac_load_scrub(load), NFAC_RESULT_TABLES);
		tables[i] ^= 1 << i % 8;
	}
	for (i = 0; i < load->tiles.count * NFAC_TILE_BYTES; i++) {
		u8 *byte = (u8 *)load->tiles.tile[i / NFAC_TILE_BYTES] + i % NFAC_TILE_BYTES;

		*byte ^= 1 << i % 8;
		KUNIT_EXPECT_EQ(test, nfac_load_scrub(load), (u32)(i / NFAC_TILE_BYTES));
		*byte ^= 1 << i % 8;
	}
	KUNIT_EXPECT_EQ(test, nfac_load_scrub(load), NFAC_RESULT_SOUND);
	KUNIT_EXPECT_TRUE(test, load->damaged);
	nfac_load_free(load);
	nfac_budget_put(budget);
}

/* Short patterns alone have no tiles. */
static void load_no_tiles(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_load *load = help_load(test, budget, "short_patterns");

	KUNIT_EXPECT_EQ(test, load->tiles.count, 0u);
	KUNIT_EXPECT_EQ(test, nfac_load_scrub(load), NFAC_RESULT_SOUND);
	nfac_load_free(load);
	nfac_budget_put(budget);
}

/* Freed while packets may see it: there until the grace period is over, then gone. */
static void load_later(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	struct nfac_load *load = help_load(test, budget, "small");
	u64 charged = load->charged;

	rcu_read_lock();
	nfac_load_free_rcu(load);
	KUNIT_EXPECT_EQ(test, load->patterns, 10u);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&budget->used), charged);
	rcu_read_unlock();
	nfac_free_flush();
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	KUNIT_EXPECT_EQ_MSG(test, refcount_read(&budget->refs), 1u, "the load put its reference");
	nfac_budget_put(budget);
}

static struct kunit_case load_cases[] = {
	KUNIT_CASE(load_figures),
	KUNIT_CASE(load_fail),
	KUNIT_CASE(load_quota),
	KUNIT_CASE(load_quota_waits),
	KUNIT_CASE(load_refused),
	KUNIT_CASE(load_scrub),
	KUNIT_CASE(load_no_tiles),
	KUNIT_CASE(load_later),
	{}
};

struct kunit_suite suite_load = {
	.name = "nfac_load",
	.test_cases = load_cases,
};
