// SPDX-License-Identifier: GPL-2.0
/*
 * Hyperscan in literal mode: blocks, caseless by pattern, every match reported.
 */
#include <stdio.h>
#include <stdlib.h>

#include <hs/hs.h>

#include "bench.h"

struct hyperscan {
	hs_database_t *db;
	hs_scratch_t *scratch;
};

void *hyperscan_build(const struct bench_matcher *m, const struct bench_set *set,
		      const char **why)
{
	struct hyperscan *h = calloc(1, sizeof(*h));
	const char **texts = calloc(set->count, sizeof(*texts));
	unsigned int *flags = calloc(set->count, sizeof(*flags));
	unsigned int *ids = calloc(set->count, sizeof(*ids));
	size_t *lens = calloc(set->count, sizeof(*lens));
	hs_compile_error_t *error = NULL;
	static char message[256];

	(void)m;
	*why = "out of memory";
	if (!h || !texts || !flags || !ids || !lens)
		goto fail;
	for (size_t i = 0; i < set->count; i++) {
		texts[i] = (const char *)set->patterns[i].bytes;
		lens[i] = set->patterns[i].len;
		flags[i] = set->patterns[i].nocase ? HS_FLAG_CASELESS : 0;
		ids[i] = i;
	}
	if (hs_compile_lit_multi(texts, flags, ids, lens, set->count, HS_MODE_BLOCK,
				 NULL, &h->db, &error) != HS_SUCCESS) {
		snprintf(message, sizeof(message), "%s", error->message);
		hs_free_compile_error(error);
		*why = message;
		goto fail;
	}
	if (hs_alloc_scratch(h->db, &h->scratch) != HS_SUCCESS)
		goto fail;
	goto out;
fail:
	if (h)
		hs_free_database(h->db);
	free(h);
	h = NULL;
out:
	free(lens);
	free(ids);
	free(flags);
	free(texts);
	return h;
}

/* The database alone; the scratch (a few tens of KB) is left out in its favour. */
size_t hyperscan_bytes(const struct bench_matcher *m, void *automaton)
{
	struct hyperscan *h = automaton;
	size_t bytes = 0;

	(void)m;
	hs_database_size(h->db, &bytes);
	return bytes;
}

static int on_match(unsigned int id, unsigned long long from, unsigned long long to,
		    unsigned int flags, void *ctx)
{
	(void)from;
	(void)flags;
	bench_hit(ctx, id, to);
	return 0;
}

struct bench_hits hyperscan_count(const struct bench_matcher *m, void *automaton,
				  unsigned int variant, const struct bench_text *text)
{
	struct hyperscan *h = automaton;
	struct bench_hits hits = { 0 };
	uint32_t start = 0;

	(void)m;
	(void)variant;
	for (size_t i = 0; i < text->records; i++) {
		hs_scan(h->db, (const char *)text->raw + start, text->ends[i] - start, 0,
			h->scratch, on_match, &hits);
		start = text->ends[i];
	}
	return hits;
}

void hyperscan_free(const struct bench_matcher *m, void *automaton)
{
	struct hyperscan *h = automaton;

	(void)m;
	hs_free_scratch(h->scratch);
	hs_free_database(h->db);
	free(h);
}
