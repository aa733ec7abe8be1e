// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a namespace: its limit, large flat areas, and freeing what packets may still
 * see.
 */

#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "budget.h"

/*
 * 256 MiB hold sets of some ten million pattern bytes, twice over for a swap, and
 * are little enough that a namespace cannot starve a machine.
 */
static unsigned long netns_memory_limit = 256ul << 20;
module_param(netns_memory_limit, ulong, 0644);
MODULE_PARM_DESC(netns_memory_limit,
		 "bytes that sets, staged blobs, event rings and flow tables of one network namespace may take (268435456)");

/**
 * nfac_budget_limit() - bytes that a namespace may hold
 *
 * Context: any.
 */
u64 nfac_budget_limit(void)
{
	return READ_ONCE(netns_memory_limit);
}

/**
 * nfac_budget_alloc() - allocate a namespace's budget
 *
 * Context: process, may sleep.
 * Return: the budget with one reference, or NULL.
 */
struct nfac_budget *nfac_budget_alloc(void)
{
	struct nfac_budget *budget = kzalloc(sizeof(*budget), GFP_KERNEL_ACCOUNT);

	if (budget)
		refcount_set(&budget->refs, 1);
	return budget;
}

struct nfac_budget *nfac_budget_get(struct nfac_budget *budget)
{
	refcount_inc(&budget->refs);
	return budget;
}

void nfac_budget_put(struct nfac_budget *budget)
{
	if (refcount_dec_and_test(&budget->refs))
		kfree(budget);
}

static int nfac_budget_try(struct nfac_budget *budget, u64 bytes)
{
	u64 limit = min_t(u64, nfac_budget_limit(), S64_MAX);
	s64 used = atomic64_read(&budget->used);

	do {
		if (used > limit || bytes > limit - used)
			return -EDQUOT;
	} while (!atomic64_try_cmpxchg(&budget->used, &used, used + bytes));
	return 0;
}

/**
 * nfac_budget_take() - charge memory before it is allocated
 * @budget: the namespace's
 * @bytes: any; a charge that does not fit is refused, overflow too
 *
 * When the limit was lowered below what is held, everything is refused.
 *
 * Memory that is no longer used is charged until it is freed. Before a charge is refused, the
 * function waits for such memory: otherwise frequent reloads of a set would be refused, because
 * grace periods are slower than they.
 *
 * Context: process, may sleep for a grace period.
 * Return: 0 or -EDQUOT.
 */
int nfac_budget_take(struct nfac_budget *budget, u64 bytes)
{
	int err = nfac_budget_try(budget, bytes);

	if (!err || bytes > nfac_budget_limit())
		return err;
	nfac_free_flush();
	return nfac_budget_try(budget, bytes);
}

/**
 * nfac_budget_return() - undo nfac_budget_take()
 * @budget: the namespace's
 * @bytes: taken before, and not returned yet
 *
 * Context: any.
 */
void nfac_budget_return(struct nfac_budget *budget, u64 bytes)
{
	WARN_ON_ONCE(atomic64_sub_return(bytes, &budget->used) < 0);
}

/* A larger physically contiguous area is hardly ever free. */
#define NFAC_AREA_CONTIGUOUS_MAX	(PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER << 4)

/**
 * nfac_area_alloc() - allocate a flat area that packets will read
 * @bytes: 1 .. SIZE_MAX / 2
 *
 * In the direct map where possible, without kmalloc's rounding to the next power of two; from
 * vmalloc, a TLB entry a page, only when memory is fragmented. Aligned to 64 bytes or more. A
 * failure is reported by the caller, not in the log.
 *
 * Context: process, may sleep.
 * Return: the area, zeroed, or NULL.
 */
void *nfac_area_alloc(size_t bytes)
{
	void *area = NULL;

	if (bytes <= PAGE_SIZE / 2)
		return kzalloc(roundup_pow_of_two(max_t(size_t, bytes, 64)),
			       GFP_KERNEL_ACCOUNT);
	if (bytes <= NFAC_AREA_CONTIGUOUS_MAX)
		area = alloc_pages_exact(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO |
					 __GFP_NOWARN | __GFP_NORETRY);
	if (!area)
		area = __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	return area;
}

/**
 * nfac_area_share() - make an area of a part of a buffer, without a copy
 * @from: the part
 * @bytes: of it
 *
 * The area has the buffer's pages, and keeps them when the buffer is freed. It costs as much to
 * read as one of nfac_area_alloc(): a part that fits into the direct map is not shared. On Linux
 * 5.10 freeing the area lowers VmallocUsed by its size, which allocating did not raise.
 *
 * Context: process, may sleep.
 * Return: the area; NULL: @from is not of vmalloc, not 64-byte aligned or too small, or there is no
 *	memory.
 */
void *nfac_area_share(const void *from, size_t bytes)
{
	size_t count = DIV_ROUND_UP(offset_in_page(from) + bytes, PAGE_SIZE), i;
	const void *first = from - offset_in_page(from);
	struct page **page;
	void *area;

	if (bytes <= NFAC_AREA_CONTIGUOUS_MAX || !is_vmalloc_addr(from) ||
	    !IS_ALIGNED((uintptr_t)from, 64))
		return NULL;
	page = kvmalloc_array(count, sizeof(*page), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!page)
		return NULL;
	for (i = 0; i < count; i++) {
		page[i] = vmalloc_to_page(first + i * PAGE_SIZE);
		get_page(page[i]);
	}
	/* vfree() of the area drops the references and frees the array */
	area = vmap(page, count, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (area)
		return area + offset_in_page(from);
	while (i--)
		put_page(page[i]);
	kvfree(page);
	return NULL;
}

/**
 * nfac_area_free() - free an area
 * @area: from nfac_area_alloc() or nfac_area_share(), or NULL
 * @bytes: as for these
 *
 * Context: process.
 */
void nfac_area_free(void *area, size_t bytes)
{
	if (!area)
		return;
	if (bytes <= PAGE_SIZE / 2)
		kfree(area);
	else if (is_vmalloc_addr(area))
		vfree(PTR_ALIGN_DOWN(area, PAGE_SIZE));
	else
		free_pages_exact(area, bytes);
}

/* Freeing a set or a flow table takes long, and may sleep: an RCU callback may not. */
static struct workqueue_struct *nfac_free_wq;

/**
 * nfac_free_init() - create the workqueue for deferred freeing
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_free_init(void)
{
	nfac_free_wq = alloc_workqueue("nfac_free", WQ_UNBOUND, 0);
	return nfac_free_wq ? 0 : -ENOMEM;
}

/* No caller of nfac_free_queue() is left. */
void nfac_free_exit(void)
{
	nfac_free_flush();
	destroy_workqueue(nfac_free_wq);
}

/**
 * nfac_free_queue() - run a work that frees, after a grace period
 * @work: initialised; of an object that no new packet finds
 *
 * Context: any.
 */
void nfac_free_queue(struct rcu_work *work)
{
	queue_rcu_work(nfac_free_wq, work);
}

/**
 * nfac_free_flush() - wait for all that was queued
 *
 * Context: process; sleeps for a grace period.
 */
void nfac_free_flush(void)
{
	/* first the callbacks that queue the work, then the work */
	rcu_barrier();
	flush_workqueue(nfac_free_wq);
}
