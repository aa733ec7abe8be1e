// SPDX-License-Identifier: GPL-2.0
/*
 * The suites' sets.
 */

#include <linux/slab.h>

#include "help.h"

#define HELP_SET(n) { \
	.name = #n, \
	.blob = n##_blob, \
	.size = sizeof(n##_blob), \
	.text = n##_text, \
	.text_size = sizeof(n##_text), \
	.patterns = n##_patterns, \
	.count = ARRAY_SIZE(n##_patterns), \
}

#include "sets.inc"
#include "../kmod/engine/checksum.h"

const size_t help_sets_count = ARRAY_SIZE(help_sets);

const struct help_set *help_set(struct kunit *test, const char *name)
{
	size_t i;

	for (i = 0; i < help_sets_count; i++)
		if (!strcmp(help_sets[i].name, name))
			return &help_sets[i];
	KUNIT_FAIL(test, "there is no set \"%s\"", name);
	kunit_try_catch_throw(&test->try_catch);
	return NULL;
}

void *help_blob(struct kunit *test, const char *name, size_t *size)
{
	const struct help_set *set = help_set(test, name);
	void *blob = kunit_kmalloc(test, set->size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, blob);
	memcpy(blob, set->blob, set->size);
	*size = set->size;
	return blob;
}

void help_seal(void *blob, size_t size)
{
	struct nfac_blob *head = blob;

	head->checksum = 0;
	head->checksum = cpu_to_le64(nfac_checksum(blob, size, 0));
}

static u64 help_scratch[40960];	/* of the largest double array of 16-bit words */

int help_verify(const void *blob, size_t size, struct nfac_fault *fault)
{
	int err;

	memset(fault, 0, sizeof(*fault));
	err = nfac_blob_check_header(blob, size, fault);
	if (err)
		return err;
	if (WARN_ON(nfac_blob_scratch_bytes(blob) > sizeof(help_scratch)))
		return -ENOSPC;
	memset(help_scratch, 0, nfac_blob_scratch_bytes(blob));
	return nfac_blob_verify(blob, size, help_scratch, fault);
}

struct nfac_load *help_load(struct kunit *test, struct nfac_budget *budget,
			    const char *name)
{
	const struct help_set *set = help_set(test, name);
	struct nfac_fault fault;
	struct nfac_load *load;
	u64 ns;

	load = nfac_load_create(budget, set->blob, set->size, &fault, &ns);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(load), "set \"%s\": %ld %s", name,
			       PTR_ERR(load), fault.what ?: "");
	return load;
}
