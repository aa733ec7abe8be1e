// SPDX-License-Identifier: GPL-2.0
/*
 * Hostile traffic that needs no search: the set's own patterns in random order,
 * the same cut one byte short, and runs of one byte.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "text.h"

const char * const hostile_kinds[] = {
	"hostile-patterns", "hostile-prefixes", "hostile-runs",
};

const size_t hostile_kinds_count = ARRAY_SIZE(hostile_kinds);

/* Whole patterns, less @cut bytes each: all in one random order, then in the next. */
static int make_patterns(struct bench_text *text, const struct bench_set *set, size_t cut,
			 size_t bytes, struct rng *r)
{
	uint32_t *order = malloc(set->count * sizeof(*order));
	int ret = order ? 0 : -1;

	for (size_t i = 0; !ret && i < set->count; i++)
		order[i] = i;
	while (!ret && text->bytes < bytes) {
		size_t before = text->bytes;

		for (size_t i = set->count - 1; i; i--) {
			size_t j = rng_below(r, i + 1);
			uint32_t kept = order[i];

			order[i] = order[j];
			order[j] = kept;
		}
		for (size_t i = 0; !ret && i < set->count && text->bytes < bytes; i++) {
			const struct bench_pattern *p = &set->patterns[order[i]];

			if (p->len > cut)
				ret = text_stream(text, p->bytes, p->len - cut);
		}
		if (text->bytes == before)	/* every pattern is of one byte */
			ret = -1;
	}
	free(order);
	return ret;
}

/* Each record a run of one byte, taken from the patterns as often as it is there. */
static int make_runs(struct bench_text *text, const struct bench_set *set, size_t bytes,
		     struct rng *r)
{
	uint8_t run[BENCH_RECORD];
	int ret = 0;

	while (!ret && text->bytes < bytes) {
		const struct bench_pattern *p = &set->patterns[rng_below(r, set->count)];

		memset(run, p->bytes[rng_below(r, p->len)], sizeof(run));
		ret = text_stream(text, run, sizeof(run));
	}
	return ret;
}

int hostile_make(struct bench_text *text, const struct bench_set *set, const char *kind,
		 size_t bytes)
{
	struct rng r = { 0x686f7374 };
	int ret;

	bytes -= bytes % BENCH_RECORD;
	snprintf(text->name, sizeof(text->name), "%s", kind);
	if (!strcmp(kind, "hostile-patterns"))
		ret = make_patterns(text, set, 0, bytes, &r);
	else if (!strcmp(kind, "hostile-prefixes"))
		ret = make_patterns(text, set, 1, bytes, &r);
	else
		ret = make_runs(text, set, bytes, &r);
	/* the tail of the last record, if any, is dropped */
	if (!ret)
		text->bytes = text->ends[text->records - 1];
	return ret;
}
