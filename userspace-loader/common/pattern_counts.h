/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pattern counts: how often each pattern of a loaded set matched, from /dev/nfac, with the
 * patterns' texts from the set's file.
 */
#ifndef _NFAC_CLI_PATTERN_COUNTS_H
#define _NFAC_CLI_PATTERN_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "pattern_text.h"
#include "set_source.h"

struct pattern_count {
	uint32_t id;
	uint64_t hits;
	time_t seen;		/* when it matched last, in this second */
};

/**
 * struct pattern_counts - the counts of a set, those that matched most first
 *
 * Owned by the caller of pattern_counts_read() until pattern_counts_free().
 *
 * @set: its name
 * @checksum: of the load's blob
 * @patterns: in the set
 * @generation: of the load; counts begin at 0 with each
 * @slots: patterns that each CPU can count; 0: this load has no counts
 * @hits: sum over @items
 * @uncounted: matches of patterns that found no slot
 * @items: patterns that matched
 * @count: of @items
 * @source: the set's file, where it is known
 * @texts: of its patterns
 */
struct pattern_counts {
	char set[32];
	uint64_t checksum;
	uint32_t patterns;
	uint32_t generation;
	uint32_t slots;
	uint64_t hits;
	uint64_t uncounted;
	struct pattern_count *items;
	size_t count;
	struct set_source source;
	struct pattern_texts *texts;
};

struct nfac_ioc_set;

/**
 * pattern_counts_read() - read a set's counts
 * @device: of device_open()
 * @set: from device_next_set()
 * @counts: filled
 * @before: counts of the same set that were read earlier, whose texts @counts takes over if they
 *	are still right, or NULL: a set's file is read and verified once
 *
 * Return: 1; 0: the set is gone; -1 after saying why.
 */
int pattern_counts_read(int device, const struct nfac_ioc_set *set, struct pattern_counts *counts,
			struct pattern_counts *before);
void pattern_counts_free(struct pattern_counts *counts);

/* The name to show: a rule's msg, else the pattern; "?" when it is not known. */
const char *pattern_counts_name(const struct pattern_counts *counts, uint32_t id,
				const struct pattern_text **text);

#endif /* _NFAC_CLI_PATTERN_COUNTS_H */
