// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a set's counts of patterns from /dev/nfac, and adding up those of all CPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "device.h"
#include "message.h"
#include "pattern_counts.h"
#include "set_file.h"

/* A set that is loaded anew while it is read is read again, so often. */
#define ATTEMPTS	10

static int add(struct pattern_counts *counts, const struct nfac_pattern_count *one)
{
	struct pattern_count *larger;

	/* doubles at each power of two */
	if (!(counts->count & (counts->count - 1))) {
		larger = realloc(counts->items, (counts->count * 2 + 1) * sizeof(*larger));
		if (!larger)
			return complain("out of memory");
		counts->items = larger;
	}
	counts->items[counts->count++] = (struct pattern_count){ one->id, one->hits, one->seen };
	return 0;
}

/* Return: 0, or an errno; -1 after saying why. */
static int read_all(int device, struct pattern_counts *counts)
{
	struct nfac_ioc_counts answer = { .size = sizeof(answer), .version = NFAC_VERSION };
	uint32_t i;

	memcpy(answer.name, counts->set, sizeof(answer.name));
	counts->count = 0;
	do {
		if (ioctl(device, NFAC_IOC_GET_COUNTS, &answer))
			return errno;
		for (i = 0; i < answer.count; i++)
			if (add(counts, &answer.entry[i]))
				return -1;
	} while (answer.count == NFAC_COUNTS_ROOM);
	counts->generation = answer.generation;
	counts->slots = answer.slots;
	counts->uncounted = answer.uncounted;
	counts->checksum = answer.checksum;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct pattern_count *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int by_hits(const void *a, const void *b)
{
	const struct pattern_count *x = a, *y = b;

	if (x->hits != y->hits)
		return x->hits > y->hits ? -1 : 1;
	return by_id(a, b);
}

/* An id has an entry for each CPU. */
static void merge(struct pattern_counts *counts)
{
	struct pattern_count *to = counts->items;
	size_t i;

	if (!counts->count)
		return;
	qsort(counts->items, counts->count, sizeof(*counts->items), by_id);
	counts->hits = to->hits;
	for (i = 1; i < counts->count; i++) {
		const struct pattern_count *from = &counts->items[i];

		counts->hits += from->hits;
		if (from->id != to->id) {
			*++to = *from;
			continue;
		}
		to->hits += from->hits;
		if (from->seen > to->seen)
			to->seen = from->seen;
	}
	counts->count = to - counts->items + 1;
	qsort(counts->items, counts->count, sizeof(*counts->items), by_hits);
}

static void find_texts(struct pattern_counts *counts, struct pattern_counts *before)
{
	if (before && before->texts && before->checksum == counts->checksum) {
		counts->source = before->source;
		counts->texts = before->texts;
		memset(&before->source, 0, sizeof(before->source));
		before->texts = NULL;
		return;
	}
	if (!set_file_open(&counts->source, counts->set, counts->checksum))
		counts->texts = pattern_texts_new(counts->source.image);
}

int pattern_counts_read(int device, const struct nfac_ioc_set *set, struct pattern_counts *counts,
			struct pattern_counts *before)
{
	int err, i;

	memset(counts, 0, sizeof(*counts));
	memcpy(counts->set, set->name, sizeof(counts->set));
	counts->patterns = set->patterns;
	for (i = 0; i < ATTEMPTS; i++) {
		err = read_all(device, counts);
		if (err != ESTALE)
			break;
	}
	if (err) {
		pattern_counts_free(counts);
		if (err == ENOENT)
			return 0;
		if (err == ENOTTY)
			return complain_at(DEVICE_PATH, 0,
					   "the module counts no patterns: it is older than this nfac");
		return err < 0 ? -1 : complain("cannot read the counts of '%s': %s", set->name,
					       device_strerror(err));
	}
	merge(counts);
	find_texts(counts, before);
	return 1;
}

void pattern_counts_free(struct pattern_counts *counts)
{
	pattern_texts_free(counts->texts);
	set_source_close(&counts->source);
	free(counts->items);
	counts->texts = NULL;
	counts->items = NULL;
	counts->count = 0;
}

const char *pattern_counts_name(const struct pattern_counts *counts, uint32_t id,
				const struct pattern_text **text)
{
	const struct pattern_text *found = pattern_text(counts->texts, id);

	if (text)
		*text = found;
	return found->label ? found->label : found->plain;
}
