/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tiles: where a set's automaton lives.
 *
 * A tile is one object of the nfac_node cache, NFAC_TILE_BYTES large. A store is a
 * directory of tiles; a reference is (tile << NFAC_TILE_SHIFT | word). Tiles are
 * written once, by nfac_tiles_fill() before the set is published, and never after:
 * readers need no lock, only RCU to keep the store.
 */
#ifndef _NFAC_TILE_STORE_H
#define _NFAC_TILE_STORE_H

#include <linux/list.h>
#include <linux/types.h>

#include "engine/blob.h"

/**
 * struct nfac_tiles - a store
 *
 * Owned by a load (see load.h); constant from fill to free.
 *
 * @tile: the directory
 * @sums: checksum of each tile, from when it was filled
 * @count: tiles
 * @slab_bytes: pages that the tiles pin
 * @link: in the list of all stores, under its lock
 */
struct nfac_tiles {
	const __le32 **tile;
	u64 *sums;
	u32 count;
	u64 slab_bytes;
	struct list_head link;
};

int nfac_tiles_init(void);
void nfac_tiles_exit(void);

u64 nfac_tiles_bytes(u32 count);
int nfac_tiles_fill(struct nfac_tiles *tiles, const void *from, u32 count);
void nfac_tiles_free(struct nfac_tiles *tiles);
u32 nfac_tiles_scrub(const struct nfac_tiles *tiles);

int nfac_tiles_total(u64 *count, u64 *slab_bytes);
void nfac_tiles_shrink(void);

#endif /* _NFAC_TILE_STORE_H */
