/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fault injection: a test makes allocations fail.
 *
 * Included before each of the module's own sources, and only where they are built into the
 * suites, never in nfac.ko. The allocations of the test's task are counted, and the nth
 * one fails.
 */
#ifndef _NFAC_KUNIT_FAULT_H
#define _NFAC_KUNIT_FAULT_H

#undef pr_fmt
/* the same in the module's files, which come after */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gfp.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

bool kunit_fault(void);

#define kunit_may(fails, call)	(kunit_fault() ? (fails) : (call))

/* A macro's own name within it is the function. */
#define kzalloc(...)		kunit_may(NULL, kzalloc(__VA_ARGS__))
#define kvzalloc(...)		kunit_may(NULL, kvzalloc(__VA_ARGS__))
#define kvmalloc_array(...)	kunit_may(NULL, kvmalloc_array(__VA_ARGS__))
#define __vmalloc(...)		kunit_may(NULL, __vmalloc(__VA_ARGS__))
#define alloc_pages_exact(...)	kunit_may(NULL, alloc_pages_exact(__VA_ARGS__))
#define __alloc_percpu_gfp(...)	kunit_may(NULL, __alloc_percpu_gfp(__VA_ARGS__))
#define kmem_cache_alloc(...)	kunit_may(NULL, kmem_cache_alloc(__VA_ARGS__))
#define kmem_cache_zalloc(...)	kunit_may(NULL, kmem_cache_zalloc(__VA_ARGS__))
#define kmem_cache_alloc_bulk(...) kunit_may(0, kmem_cache_alloc_bulk(__VA_ARGS__))
#define kmem_cache_create_usercopy(...) \
	kunit_may(NULL, kmem_cache_create_usercopy(__VA_ARGS__))
#define alloc_workqueue(...)	kunit_may(NULL, alloc_workqueue(__VA_ARGS__))
#define xa_insert(...)		kunit_may(-ENOMEM, xa_insert(__VA_ARGS__))

#endif /* _NFAC_KUNIT_FAULT_H */
