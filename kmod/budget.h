/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a namespace: its limit, large flat areas, and freeing what packets may still
 * see.
 */
#ifndef _NFAC_BUDGET_H
#define _NFAC_BUDGET_H

#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/**
 * struct nfac_budget - what one network namespace holds
 *
 * Counts staged blobs, tiles, directories, filters, event rings and flow tables. Outlives its
 * namespace while a set waits for its grace period: each holder has a reference.
 *
 * @refs: the namespace, and each load that has taken from it
 * @used: bytes; atomic, no lock
 */
struct nfac_budget {
	refcount_t refs;
	atomic64_t used;
};

struct nfac_budget *nfac_budget_alloc(void);
struct nfac_budget *nfac_budget_get(struct nfac_budget *budget);
void nfac_budget_put(struct nfac_budget *budget);
int nfac_budget_take(struct nfac_budget *budget, u64 bytes);
void nfac_budget_return(struct nfac_budget *budget, u64 bytes);
u64 nfac_budget_limit(void);

void *nfac_area_alloc(size_t bytes);
void *nfac_area_share(const void *from, size_t bytes);
void nfac_area_free(void *area, size_t bytes);

int nfac_free_init(void);
void nfac_free_exit(void);
void nfac_free_queue(struct rcu_work *work);
void nfac_free_flush(void);

#endif /* _NFAC_BUDGET_H */
