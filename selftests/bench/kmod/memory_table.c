// SPDX-License-Identifier: GPL-2.0
/*
 * Memory: the steps that led from a plain trie to tiles, in slab terms.
 *
 * Each kind of node is built for every state of the 2,358 patterns, as objects of
 * caches of its own, and the pages that they pin are counted. A node whose size
 * varies takes the smallest of the sizes that kmalloc has, too.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "bench.h"
#include "compat.h"

static const u16 sizes[] = {
	8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096,
};

/*
 * A way to keep a node: its bytes, from its children and the span of their bytes;
 * and what one child costs in it, for a pointer that is NULL is of no use.
 */
struct kind {
	const char *name;
	u32 (*bytes)(u32 children, u32 span);
	u32 child;
	u32 header;
	bool exact;	/* always of one size: a cache for that */
};

/* Failure and output pointers beside the children's. */
static u32 full_bytes(u32 children, u32 span)
{
	return (256 + 2) * sizeof(void *);
}

/* The same, and first and last byte; pointers only for the bytes between. */
static u32 range_bytes(u32 children, u32 span)
{
	return (span + 2) * sizeof(void *) + 2;
}

/* Failure, output and the number of children; a byte and a reference for each. */
static u32 packed_bytes(u32 children, u32 span)
{
	return 2 * sizeof(u32) + 1 + children * (1 + sizeof(u32));
}

static const struct kind kinds[] = {
	{ "node-256-pointers", full_bytes, sizeof(void *), 2 * sizeof(void *), true },
	{ "node-range", range_bytes, sizeof(void *), 2 * sizeof(void *) + 2, false },
	{ "node-packed", packed_bytes, 1 + sizeof(u32), 2 * sizeof(u32) + 1, false },
};

struct table {
	struct kmem_cache *cache[ARRAY_SIZE(sizes)];
	u8 *size_of;
	void **object;
	u32 count;
};

static int size_class(u32 bytes)
{
	int i = 0;

	while (i < ARRAY_SIZE(sizes) - 1 && sizes[i] < bytes)
		i++;
	return i;
}

static int build(struct table *t, const struct kind *kind, u64 *useful, u64 *asked)
{
	u32 i;

	for (i = 0; i < bench_input.nodes_count; i++) {
		u32 children = le16_to_cpu(bench_input.nodes[2 * i]);
		u32 bytes = kind->bytes(children, le16_to_cpu(bench_input.nodes[2 * i + 1]));
		int class = kind->exact ? 0 : size_class(bytes);

		if (!t->cache[class]) {
			char name[32];

			snprintf(name, sizeof(name), "nfac_bench_%u",
				 kind->exact ? bytes : sizes[class]);
			t->cache[class] = nfac_cache_create(name,
							    kind->exact ? bytes : sizes[class],
							    8);
			if (!t->cache[class])
				return -ENOMEM;
		}
		t->object[i] = kmem_cache_alloc(t->cache[class], GFP_KERNEL);
		if (!t->object[i])
			return -ENOMEM;
		t->size_of[i] = class;
		t->count++;
		*useful += kind->header + children * kind->child;
		*asked += bytes;
		if (!(i % 1024))
			cond_resched();
	}
	return 0;
}

static int pages_of(const struct table *t, u64 *slab)
{
	struct xarray seen;
	int err = 0;
	u32 i;

	xa_init(&seen);
	for (i = 0; !err && i < t->count; i++) {
		struct page *head = virt_to_head_page(t->object[i]);

		err = xa_insert(&seen, page_to_pfn(head), xa_mk_value(1), GFP_KERNEL);
		if (!err)
			*slab += page_size(head);
		else if (err == -EBUSY)
			err = 0;
	}
	xa_destroy(&seen);
	return err;
}

static void release(struct table *t)
{
	int i;

	while (t->count) {
		t->count--;
		kmem_cache_free(t->cache[t->size_of[t->count]], t->object[t->count]);
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		kmem_cache_destroy(t->cache[i]);
	kvfree(t->object);
	kvfree(t->size_of);
}

static int show_kind(struct seq_file *m, const struct kind *kind)
{
	struct table t = { .count = 0 };
	u64 useful = 0, asked = 0, slab = 0;
	int err = -ENOMEM;

	t.object = kvcalloc(bench_input.nodes_count, sizeof(*t.object), GFP_KERNEL);
	t.size_of = kvcalloc(bench_input.nodes_count, 1, GFP_KERNEL);
	if (t.object && t.size_of)
		err = build(&t, kind, &useful, &asked);
	if (!err)
		err = pages_of(&t, &slab);
	if (!err)
		seq_printf(m, "memory %s %u %llu %llu %llu\n", kind->name, t.count, useful,
			   asked, slab);
	release(&t);
	return err;
}

int bench_memory_show(struct seq_file *m, void *v)
{
	const struct nfac_load *load = bench_input.rules[BENCH_SETS - 1].load;
	int i, err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(kinds); i++)
		err = show_kind(m, &kinds[i]);
	seq_printf(m, "memory nfac-tiles %u %llu %llu %llu\n", load->tiles.count,
		   load->node_bytes, (u64)load->tiles.count * NFAC_TILE_BYTES,
		   load->tiles.slab_bytes);
	return err;
}
