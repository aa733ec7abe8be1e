/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads: a verified blob, copied into slab memory.
 *
 * A set has one load at a time; a commit under the same name publishes a new one, and
 * the old one is freed after a grace period. A load is constant while packets can see it,
 * except for @damaged and what @counts points to.
 */
#ifndef _NFAC_LOAD_H
#define _NFAC_LOAD_H

#include <linux/workqueue.h>

#include "../uapi/linux/nfac.h"
#include "engine/automaton.h"
#include "engine/verify/verify.h"
#include "budget.h"
#include "pattern_counts.h"
#include "tile_store.h"

/**
 * struct nfac_load - what the kernel keeps of one blob
 *
 * Owned by the commit that creates it, then by its set, protected by RCU.
 *
 * @automaton: what the matcher reads; first, as packets read little else
 * @damaged: the scrub found a changed word; packets are no longer inspected
 * @counts: of its patterns' matches; NULL: there are none
 * @generation: number of this load among those of its set, from 1
 * @tiles: the nodes
 * @tables: prefilter, hash tables, outputs, programs; NULL: there are none
 * @tables_bytes: of them
 * @tables_sum: their checksum
 * @patterns: as the blob's header has it, and so the next four
 * @states: see struct nfac_blob
 * @node_bytes: see struct nfac_blob
 * @total_bytes: see struct nfac_blob
 * @checksum: see struct nfac_blob
 * @budget: the namespace's
 * @charged: bytes taken from it
 * @free: frees it after a grace period
 */
struct nfac_load {
	struct nfac_automaton automaton;
	bool damaged;
	struct nfac_counts *counts;
	u32 generation;
	struct nfac_tiles tiles;
	void *tables;
	size_t tables_bytes;
	u64 tables_sum;
	u32 patterns;
	u64 states;
	u64 node_bytes;
	u64 total_bytes;
	u64 checksum;
	struct nfac_budget *budget;
	u64 charged;
	struct rcu_work free;
};

struct nfac_load *nfac_load_create(struct nfac_budget *budget, const void *blob,
				   size_t size, struct nfac_fault *fault,
				   u64 *verify_ns);
void nfac_load_free(struct nfac_load *load);
void nfac_load_free_rcu(struct nfac_load *load);
u32 nfac_load_scrub(struct nfac_load *load);

/* Count a match of the load that @automaton is part of. */
static inline void nfac_load_hit(const struct nfac_automaton *automaton, u32 id)
{
	const struct nfac_load *load = container_of(automaton, struct nfac_load, automaton);

	if (load->counts)
		nfac_counts_hit(load->counts, id);
}

#endif /* _NFAC_LOAD_H */
