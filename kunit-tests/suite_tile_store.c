// SPDX-License-Identifier: GPL-2.0
/*
 * Tiles: what is filled is there, what fails leaves nothing, what is damaged is found.
 */

#include <linux/slab.h>

#include "../kmod/compat.h"
#include "help.h"
#include "suites.h"

static u8 *tiles_source(struct kunit *test, u32 count)
{
	u8 *from = kunit_kmalloc(test, max(count, 1u) * NFAC_TILE_BYTES, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, from);
	for (i = 0; i < count * NFAC_TILE_BYTES; i++)
		from[i] = i * 7 + i / NFAC_TILE_BYTES;
	return from;
}

static u64 tiles_now(struct kunit *test)
{
	u64 count, bytes;

	KUNIT_ASSERT_EQ(test, nfac_tiles_total(&count, &bytes), 0);
	return count;
}

/* Around the batch, and one that is not a round number of slabs. */
static const u32 tiles_counts[] = { 1, 2, 63, 64, 65, 127, 128, 129, 500 };

static void tiles_fill(struct kunit *test)
{
	struct nfac_tiles tiles;
	u64 before = tiles_now(test);
	u32 c, i;

	for (c = 0; c < ARRAY_SIZE(tiles_counts); c++) {
		u32 count = tiles_counts[c];
		u8 *from = tiles_source(test, count);

		KUNIT_ASSERT_EQ(test, nfac_tiles_fill(&tiles, from, count), 0);
		KUNIT_EXPECT_EQ(test, tiles.count, count);
		for (i = 0; i < count; i++) {
			KUNIT_EXPECT_EQ(test, memcmp(tiles.tile[i], from + i * NFAC_TILE_BYTES,
						     NFAC_TILE_BYTES), 0);
			KUNIT_EXPECT_TRUE(test, IS_ALIGNED((uintptr_t)tiles.tile[i],
							   NFAC_BLOB_ALIGN));
		}
		KUNIT_EXPECT_EQ(test, nfac_tiles_scrub(&tiles), NFAC_RESULT_SOUND);
		KUNIT_EXPECT_GE(test, tiles.slab_bytes, (u64)count * NFAC_TILE_BYTES);
		KUNIT_EXPECT_EQ(test, tiles.slab_bytes % PAGE_SIZE, 0ull);
		KUNIT_EXPECT_EQ(test, tiles_now(test), before + count);
		nfac_tiles_free(&tiles);
		KUNIT_EXPECT_EQ(test, tiles.count, 0u);
		KUNIT_EXPECT_PTR_EQ(test, (void *)tiles.tile, NULL);
		KUNIT_EXPECT_EQ(test, tiles_now(test), before);
		/* twice is harmless */
		nfac_tiles_free(&tiles);
		kunit_kfree(test, from);
	}
}

static void tiles_none(struct kunit *test)
{
	struct nfac_tiles tiles;

	KUNIT_EXPECT_EQ(test, nfac_tiles_fill(&tiles, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, tiles.count, 0u);
	KUNIT_EXPECT_EQ(test, tiles.slab_bytes, 0ull);
	KUNIT_EXPECT_EQ(test, nfac_tiles_scrub(&tiles), NFAC_RESULT_SOUND);
	nfac_tiles_free(&tiles);
}

/* Each allocation of a fill fails once: nothing is left of it. */
static void tiles_fail(struct kunit *test)
{
	u64 before = tiles_now(test);
	unsigned int nth, failed = 0;
	bool hit = true;

	for (nth = 1; hit; nth++) {
		u8 *from = tiles_source(test, 200);
		struct nfac_tiles tiles;
		int err;

		KUNIT_ASSERT_LT(test, nth, 100u);
		help_fault_at(nth);
		err = nfac_tiles_fill(&tiles, from, 200);
		hit = help_fault_end();
		kunit_kfree(test, from);
		if (!err) {
			nfac_tiles_free(&tiles);
			continue;
		}
		failed++;
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		KUNIT_EXPECT_EQ(test, tiles.count, 0u);
		KUNIT_EXPECT_PTR_EQ(test, (void *)tiles.tile, NULL);
		KUNIT_EXPECT_EQ(test, tiles_now(test), before);
		nfac_tiles_free(&tiles);
	}
	/* directory, checksums, four batches, the pages' figure */
	KUNIT_EXPECT_GE(test, failed, 5u);
}

static void tiles_total_fail(struct kunit *test)
{
	u8 *from = tiles_source(test, 10);
	struct nfac_tiles tiles;
	u64 count, bytes;

	KUNIT_ASSERT_EQ(test, nfac_tiles_fill(&tiles, from, 10), 0);
	help_fault_at(1);
	KUNIT_EXPECT_EQ(test, nfac_tiles_total(&count, &bytes), -ENOMEM);
	KUNIT_EXPECT_TRUE(test, help_fault_end());

	/* any user may read it, over and over: it is computed once */
	KUNIT_EXPECT_EQ(test, nfac_tiles_total(&count, &bytes), 0);
	help_fault_at(1);
	KUNIT_EXPECT_EQ(test, nfac_tiles_total(&count, &bytes), 0);
	KUNIT_EXPECT_FALSE_MSG(test, help_fault_end(), "nothing is allocated");
	nfac_tiles_free(&tiles);
}

/* One bit, anywhere: found, and the tile named. */
static void tiles_scrub(struct kunit *test)
{
	u8 *from = tiles_source(test, 130);
	struct nfac_tiles tiles;
	u32 i;

	KUNIT_ASSERT_EQ(test, nfac_tiles_fill(&tiles, from, 130), 0);
	for (i = 0; i < 130; i++) {
		u8 *byte = (u8 *)tiles.tile[i] + i * 37 % NFAC_TILE_BYTES;

		*byte ^= 1 << i % 8;
		KUNIT_EXPECT_EQ(test, nfac_tiles_scrub(&tiles), i);
		*byte ^= 1 << i % 8;
	}
	/* tiles that changed places are damage too */
	swap(tiles.tile[4], tiles.tile[5]);
	KUNIT_EXPECT_EQ(test, nfac_tiles_scrub(&tiles), 4u);
	swap(tiles.tile[4], tiles.tile[5]);
	KUNIT_EXPECT_EQ(test, nfac_tiles_scrub(&tiles), NFAC_RESULT_SOUND);
	nfac_tiles_free(&tiles);
}

static void tiles_total(struct kunit *test)
{
	u8 *from = tiles_source(test, 3);
	u64 count, bytes, count2, bytes2;
	struct nfac_tiles a, b;

	KUNIT_ASSERT_EQ(test, nfac_tiles_fill(&a, from, 3), 0);
	KUNIT_ASSERT_EQ(test, nfac_tiles_total(&count, &bytes), 0);
	KUNIT_ASSERT_EQ(test, nfac_tiles_fill(&b, from, 3), 0);
	KUNIT_ASSERT_EQ(test, nfac_tiles_total(&count2, &bytes2), 0);
	KUNIT_EXPECT_EQ(test, count2, count + 3);
	/* a page that two sets share counts once */
	KUNIT_EXPECT_LE(test, bytes2, bytes + b.slab_bytes);
	KUNIT_EXPECT_GE(test, bytes2, bytes);
	nfac_tiles_free(&a);
	nfac_tiles_free(&b);
	nfac_tiles_shrink();
}

static void tiles_bytes(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, nfac_tiles_bytes(0), 0ull);
	KUNIT_EXPECT_GE(test, nfac_tiles_bytes(1), (u64)NFAC_TILE_BYTES);
	/* no overflow at the format's bound */
	KUNIT_EXPECT_GT(test, nfac_tiles_bytes(1u << 26), (u64)NFAC_TILE_BYTES << 26);
}

/* Two caches of one size are two caches, or nfac_node would vanish in another. */
static void tiles_not_merged(struct kunit *test)
{
	struct kmem_cache *a = nfac_cache_create("nfac_kunit_a", NFAC_TILE_BYTES,
						 NFAC_BLOB_ALIGN);
	struct kmem_cache *b = nfac_cache_create("nfac_kunit_b", NFAC_TILE_BYTES,
						 NFAC_BLOB_ALIGN);

	KUNIT_EXPECT_NOT_NULL(test, a);
	KUNIT_EXPECT_NOT_NULL(test, b);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	KUNIT_EXPECT_EQ(test, kmem_cache_size(a), (unsigned int)NFAC_TILE_BYTES);
	kmem_cache_destroy(b);
	kmem_cache_destroy(a);
}

/* With zero_on_free the wiping must reach the end of each tile, not beyond. */
static void tiles_wiped(struct kunit *test)
{
	u8 *from = tiles_source(test, 70);
	struct nfac_tiles tiles;

	KUNIT_ASSERT_EQ(test, help_param_set("zero_on_free", "Y"), 0);
	KUNIT_EXPECT_EQ(test, nfac_tiles_fill(&tiles, from, 70), 0);
	nfac_tiles_free(&tiles);
	KUNIT_EXPECT_EQ(test, help_param_set("zero_on_free", "N"), 0);
}

static struct kunit_case tiles_cases[] = {
	KUNIT_CASE(tiles_fill),
	KUNIT_CASE(tiles_none),
	KUNIT_CASE(tiles_fail),
	KUNIT_CASE(tiles_total_fail),
	KUNIT_CASE(tiles_scrub),
	KUNIT_CASE(tiles_total),
	KUNIT_CASE(tiles_bytes),
	KUNIT_CASE(tiles_not_merged),
	KUNIT_CASE(tiles_wiped),
	{}
};

struct kunit_suite suite_tile_store = {
	.name = "nfac_tile_store",
	.test_cases = tiles_cases,
};
