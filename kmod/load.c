// SPDX-License-Identifier: GPL-2.0
/*
 * Loads: a verified blob. Its automaton is copied into slab memory. Large tables keep the pages
 * that the blob was written into, so that loading a set takes little more memory than the blob.
 */

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "confirm.h"
#include "load.h"
#include "engine/match/matcher.h"
#include "engine/checksum.h"

/* Bytes copied or summed between two calls of cond_resched(). */
#define NFAC_LOAD_PIECE		65536

static int nfac_load_verify(struct nfac_budget *budget, const void *blob,
			    size_t size, struct nfac_fault *fault, u64 *verify_ns)
{
	u64 start = ktime_get_ns();
	size_t bytes;
	void *scratch;
	int err;

	err = nfac_blob_check_header(blob, size, fault);
	if (err)
		return err;
	bytes = nfac_blob_scratch_bytes(blob);
	err = nfac_budget_take(budget, bytes);
	if (err)
		return err;
	scratch = kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	err = scratch ? nfac_blob_verify(blob, size, scratch, fault) : -ENOMEM;
	kvfree(scratch);
	nfac_budget_return(budget, bytes);
	*verify_ns = ktime_get_ns() - start;
	return err;
}

/* The tables may take hundreds of megabytes: they are copied and summed piecewise. */
static void nfac_tables_copy(void *to, const void *from, size_t bytes)
{
	size_t at, part;

	for (at = 0; at < bytes; at += part) {
		part = min_t(size_t, bytes - at, NFAC_LOAD_PIECE);
		memcpy(to + at, from + at, part);
		cond_resched();
	}
}

static u64 nfac_tables_sum(const void *tables, size_t bytes)
{
	size_t at, part;
	u64 sum = 0;

	for (at = 0; at < bytes; at += part) {
		part = min_t(size_t, bytes - at, NFAC_LOAD_PIECE);
		sum = nfac_checksum(tables + at, part, sum);
		cond_resched();
	}
	return sum;
}

static int nfac_load_fill(struct nfac_load *load, const void *blob)
{
	const struct nfac_blob *head = blob;
	const void *tables = blob + le64_to_cpu(head->tables_at);
	int err;

	err = nfac_tiles_fill(&load->tiles, blob + le64_to_cpu(head->tiles_at),
			      le32_to_cpu(head->tiles));
	if (err)
		return err;
	if (load->tables_bytes) {
		load->tables = nfac_area_share(tables, load->tables_bytes);
		if (!load->tables) {
			load->tables = nfac_area_alloc(load->tables_bytes);
			if (!load->tables) {
				nfac_tiles_free(&load->tiles);
				return -ENOMEM;
			}
			nfac_tables_copy(load->tables, tables, load->tables_bytes);
		}
		load->tables_sum = nfac_tables_sum(tables, load->tables_bytes);
	}
	nfac_automaton_bind(&load->automaton, head,
			    (const __le32 *const *)load->tiles.tile, load->tables);
	return 0;
}

/**
 * nfac_load_create() - verify a blob and make a load of it
 * @budget: of the namespace, charged for it
 * @blob: 8-byte aligned. If it is in vmalloc memory, the load may share pages with it: it may be
 *	freed afterwards, but never be written to again
 * @size: bytes of @blob
 * @fault: filled when the blob is faulty, else @fault->what is NULL
 * @verify_ns: time that the verifier took
 *
 * Context: process, may sleep.
 * Return: the load, or an ERR_PTR: -EBADMSG or -EPROTO as in @fault, -EDQUOT, -ENOMEM, -EINTR
 *	(killed).
 */
struct nfac_load *nfac_load_create(struct nfac_budget *budget, const void *blob,
				   size_t size, struct nfac_fault *fault,
				   u64 *verify_ns)
{
	const struct nfac_blob *head = blob;
	struct nfac_load *load;
	int err;

	memset(fault, 0, sizeof(*fault));
	*verify_ns = 0;
	err = nfac_load_verify(budget, blob, size, fault, verify_ns);
	if (err)
		return ERR_PTR(err);

	load = kzalloc(sizeof(*load), GFP_KERNEL_ACCOUNT);
	if (!load)
		return ERR_PTR(-ENOMEM);
	load->tables_bytes = le64_to_cpu(head->tables_bytes);
	load->patterns = le32_to_cpu(head->patterns);
	load->states = le64_to_cpu(head->states);
	load->node_bytes = le64_to_cpu(head->node_bytes);
	load->total_bytes = le64_to_cpu(head->total_bytes);
	load->checksum = le64_to_cpu(head->checksum);
	load->charged = sizeof(*load) + load->tables_bytes +
			nfac_tiles_bytes(le32_to_cpu(head->tiles));

	err = nfac_budget_take(budget, load->charged);
	if (err)
		goto err_load;
	err = nfac_load_fill(load, blob);
	if (err)
		goto err_budget;
	if (nfac_automaton_confirms(&load->automaton))
		err = nfac_confirm_hold();
	if (err)
		goto err_fill;
	load->budget = nfac_budget_get(budget);
	load->counts = nfac_counts_create(budget, load->patterns);
	if (load->counts)
		load->charged += load->counts->bytes;
	return load;

err_fill:
	nfac_area_free(load->tables, load->tables_bytes);
	nfac_tiles_free(&load->tiles);
err_budget:
	nfac_tiles_shrink();
	nfac_budget_return(budget, load->charged);
err_load:
	kfree(load);
	return ERR_PTR(err);
}

/**
 * nfac_load_free() - free a load
 * @load: never published, or no longer visible to any packet
 *
 * Context: process, may sleep.
 */
void nfac_load_free(struct nfac_load *load)
{
	if (nfac_automaton_confirms(&load->automaton))
		nfac_confirm_release();
	nfac_counts_free(load->counts);
	nfac_area_free(load->tables, load->tables_bytes);
	nfac_tiles_free(&load->tiles);
	nfac_tiles_shrink();
	nfac_budget_return(load->budget, load->charged);
	nfac_budget_put(load->budget);
	kfree(load);
}

static void nfac_load_free_work(struct work_struct *work)
{
	nfac_load_free(container_of(to_rcu_work(work), struct nfac_load, free));
}

/**
 * nfac_load_free_rcu() - free a load after a grace period
 * @load: removed from its set, so that no new packet finds it
 *
 * Context: any.
 */
void nfac_load_free_rcu(struct nfac_load *load)
{
	INIT_RCU_WORK(&load->free, nfac_load_free_work);
	nfac_free_queue(&load->free);
}

/**
 * nfac_load_scrub() - compare a load with the checksums from when it was filled
 * @load: held by the caller
 *
 * A damaged load is marked: packets are no longer inspected with it, but skipped with the
 * attachment's policy (NFAC_SKIP_CORRUPT).
 *
 * Context: process, may sleep.
 * Return: NFAC_RESULT_SOUND; NFAC_RESULT_TABLES when the tables are damaged; else the index of the
 *	first damaged tile.
 */
u32 nfac_load_scrub(struct nfac_load *load)
{
	u32 bad = nfac_tiles_scrub(&load->tiles);

	if (bad == NFAC_RESULT_SOUND && load->tables &&
	    nfac_tables_sum(load->tables, load->tables_bytes) != load->tables_sum)
		bad = NFAC_RESULT_TABLES;
	if (bad != NFAC_RESULT_SOUND)
		WRITE_ONCE(load->damaged, true);
	return bad;
}
