// SPDX-License-Identifier: GPL-2.0
/*
 * Tiles: where a set's automaton lives.
 */

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "../uapi/linux/nfac.h"
#include "engine/automaton.h"
#include "engine/checksum.h"
#include "compat.h"
#include "budget.h"
#include "tile_store.h"

/* Tiles allocated or freed at once, with interrupts off: some microseconds. */
#define NFAC_TILES_BATCH	64u

static bool zero_on_free;
module_param(zero_on_free, bool, 0644);
MODULE_PARM_DESC(zero_on_free, "wipe a set's tiles before they are freed (N)");

static struct kmem_cache *nfac_node_cache;

/*
 * Every filled store, for the module's statistics, and these statistics while they are valid. Any
 * user may read them, at any rate, and loading a set waits for the lock. So the stores' tiles are
 * counted once after each change, not for each reader.
 */
static DEFINE_MUTEX(nfac_stores_lock);	/* guards what follows */
static LIST_HEAD(nfac_stores);
static bool nfac_stores_known;
static u64 nfac_stores_tiles;
static u64 nfac_stores_bytes;

/**
 * nfac_tiles_init() - create the nfac_node cache
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_tiles_init(void)
{
	nfac_node_cache = nfac_cache_create("nfac_node", NFAC_TILE_BYTES,
					    NFAC_BLOB_ALIGN);
	return nfac_node_cache ? 0 : -ENOMEM;
}

/* All stores are free, after nfac_free_exit(). */
void nfac_tiles_exit(void)
{
	WARN_ON(!list_empty(&nfac_stores));
	kmem_cache_destroy(nfac_node_cache);
}

/**
 * nfac_tiles_bytes() - memory that a store takes, without slab overhead
 * @count: tiles
 *
 * Context: any.
 */
u64 nfac_tiles_bytes(u32 count)
{
	return (u64)count * (NFAC_TILE_BYTES + sizeof(__le32 *) + sizeof(u64));
}

/*
 * Add the compound pages of a store's tiles to @seen, and the size of the new ones to @bytes.
 * Return: 0 or -ENOMEM.
 */
static int nfac_tiles_pages(const struct nfac_tiles *tiles, struct xarray *seen,
			    u64 *bytes)
{
	struct page *last = NULL;
	u32 i;

	for (i = 0; i < tiles->count; i++) {
		struct page *page = virt_to_head_page(tiles->tile[i]);
		int err;

		if (i % NFAC_TILES_BATCH == 0)
			cond_resched();
		if (page == last)
			continue;
		last = page;
		err = xa_insert(seen, page_to_pfn(page), xa_mk_value(1), GFP_KERNEL);
		if (err == -EBUSY)
			continue;
		if (err)
			return err;
		*bytes += page_size(page);
	}
	return 0;
}

static int nfac_tiles_measure(struct nfac_tiles *tiles)
{
	struct xarray seen;
	int err;

	xa_init(&seen);
	tiles->slab_bytes = 0;
	err = nfac_tiles_pages(tiles, &seen, &tiles->slab_bytes);
	xa_destroy(&seen);
	return err;
}

static void nfac_tiles_release(struct nfac_tiles *tiles)
{
	u32 i, n;

	for (i = 0; i < tiles->count; i += n) {
		n = min(tiles->count - i, NFAC_TILES_BATCH);
		if (READ_ONCE(zero_on_free)) {
			u32 j;

			for (j = i; j < i + n; j++)
				memzero_explicit((void *)tiles->tile[j],
						 NFAC_TILE_BYTES);
		}
		kmem_cache_free_bulk(nfac_node_cache, n,
				     (void **)&tiles->tile[i]);
		cond_resched();
	}
	tiles->count = 0;
}

/**
 * nfac_tiles_fill() - allocate tiles and copy an automaton into them
 * @tiles: store to fill; owned by the caller until published
 * @from: @count * NFAC_TILE_BYTES bytes, 8-byte aligned
 * @count: tiles, 0 .. 2^26
 *
 * Works in batches and yields between them: a set of 100,000 patterns takes thousands of
 * tiles.
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM or -EINTR (the caller was killed) with @tiles empty again.
 */
int nfac_tiles_fill(struct nfac_tiles *tiles, const void *from, u32 count)
{
	int err = -ENOMEM;
	u32 i, n;

	memset(tiles, 0, sizeof(*tiles));
	INIT_LIST_HEAD(&tiles->link);
	if (!count)
		return 0;
	tiles->tile = nfac_area_alloc(array_size(count, sizeof(*tiles->tile)));
	tiles->sums = nfac_area_alloc(array_size(count, sizeof(*tiles->sums)));
	if (!tiles->tile || !tiles->sums)
		goto err_areas;

	while (tiles->count < count) {
		n = min(count - tiles->count, NFAC_TILES_BATCH);
		if (fatal_signal_pending(current)) {
			err = -EINTR;
			goto err_tiles;
		}
		if (!kmem_cache_alloc_bulk(nfac_node_cache, GFP_KERNEL_ACCOUNT, n,
					   (void **)&tiles->tile[tiles->count]))
			goto err_tiles;
		for (i = tiles->count; i < tiles->count + n; i++) {
			memcpy((void *)tiles->tile[i],
			       from + (size_t)i * NFAC_TILE_BYTES,
			       NFAC_TILE_BYTES);
			tiles->sums[i] = nfac_checksum(tiles->tile[i],
						       NFAC_TILE_BYTES, i);
		}
		tiles->count += n;
		cond_resched();
	}

	err = nfac_tiles_measure(tiles);
	if (err)
		goto err_tiles;
	mutex_lock(&nfac_stores_lock);
	list_add_tail(&tiles->link, &nfac_stores);
	nfac_stores_known = false;
	mutex_unlock(&nfac_stores_lock);
	return 0;

err_tiles:
	nfac_tiles_release(tiles);
err_areas:
	nfac_area_free(tiles->sums, array_size(count, sizeof(*tiles->sums)));
	nfac_area_free(tiles->tile, array_size(count, sizeof(*tiles->tile)));
	memset(tiles, 0, sizeof(*tiles));
	return err;
}

/**
 * nfac_tiles_free() - free a store's memory
 * @tiles: filled, and no longer visible to any packet; empty afterwards
 *
 * Context: process, may sleep; a large set takes long.
 */
void nfac_tiles_free(struct nfac_tiles *tiles)
{
	u32 count = tiles->count;

	if (!count)
		return;
	mutex_lock(&nfac_stores_lock);
	list_del(&tiles->link);
	nfac_stores_known = false;
	mutex_unlock(&nfac_stores_lock);

	nfac_tiles_release(tiles);
	nfac_area_free(tiles->sums, array_size(count, sizeof(*tiles->sums)));
	nfac_area_free(tiles->tile, array_size(count, sizeof(*tiles->tile)));
	memset(tiles, 0, sizeof(*tiles));
}

/**
 * nfac_tiles_scrub() - compare all tiles with their checksums
 * @tiles: filled; held by the caller
 *
 * Context: process, may sleep.
 * Return: index of the first damaged tile, or NFAC_RESULT_SOUND.
 */
u32 nfac_tiles_scrub(const struct nfac_tiles *tiles)
{
	u32 i;

	for (i = 0; i < tiles->count; i++) {
		if (nfac_checksum(tiles->tile[i], NFAC_TILE_BYTES, i) !=
		    tiles->sums[i])
			return i;
		if (i % NFAC_TILES_BATCH == 0)
			cond_resched();
	}
	return NFAC_RESULT_SOUND;
}

static int nfac_stores_measure(void)
{
	struct nfac_tiles *tiles;
	struct xarray seen;
	int err = 0;

	lockdep_assert_held(&nfac_stores_lock);
	nfac_stores_tiles = 0;
	nfac_stores_bytes = 0;
	xa_init(&seen);
	list_for_each_entry(tiles, &nfac_stores, link) {
		nfac_stores_tiles += tiles->count;
		err = nfac_tiles_pages(tiles, &seen, &nfac_stores_bytes);
		if (err)
			break;
	}
	xa_destroy(&seen);
	nfac_stores_known = !err;
	return err;
}

/**
 * nfac_tiles_total() - count tiles of all sets in all namespaces, and the pages they pin
 * @count: filled
 * @slab_bytes: filled; a page that several sets share counts once
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_tiles_total(u64 *count, u64 *slab_bytes)
{
	int err = 0;

	mutex_lock(&nfac_stores_lock);
	if (!nfac_stores_known)
		err = nfac_stores_measure();
	*count = nfac_stores_tiles;
	*slab_bytes = nfac_stores_bytes;
	mutex_unlock(&nfac_stores_lock);
	return err;
}

/**
 * nfac_tiles_shrink() - free slabs that hold no tile
 *
 * SLUB keeps some for later allocations; the next set may be days away.
 *
 * Context: process, may sleep.
 */
void nfac_tiles_shrink(void)
{
	kmem_cache_shrink(nfac_node_cache);
}
