// SPDX-License-Identifier: GPL-2.0
/*
 * nfac's own compiler and matcher, the very files that the module and the CLI use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#include "../../kmod/engine/match/memory.h"
#include "../../userspace-loader/compiler/compiler.h"

struct nfac {
	void *blob;
	size_t size;
	struct nfac_image *image;
};

/* @kind of the matchers in matchers.c that are nfac */
static enum nfac_path path_of(unsigned int kind)
{
	switch (kind) {
	case 0:
		return nfac_path_best();
	case 1:
		return NFAC_PATH_PORTABLE;
	case 2:
		return NFAC_PATH_NOFILTER;
	default:
		return NFAC_PATH_VECTOR;
	}
}

void *nfac_build(const struct bench_matcher *m, const struct bench_set *set,
		 const char **why)
{
	struct nfac_pattern *patterns = calloc(set->count, sizeof(*patterns));
	struct nfac *n = calloc(1, sizeof(*n));
	uint32_t word = 0;
	int ret;

	(void)m;
	*why = "out of memory";
	if (!patterns || !n)
		goto fail;
	for (size_t i = 0; i < set->count; i++) {
		patterns[i].bytes = set->patterns[i].bytes;
		patterns[i].length = set->patterns[i].len;
		patterns[i].nocase = set->patterns[i].nocase;
		patterns[i].id = i;
	}
	ret = nfac_compile(patterns, set->count, NULL, &n->blob, &n->size);
	if (ret) {
		*why = strerror(-ret);
		goto fail;
	}
	n->image = nfac_image_open(n->blob, n->size, why, &word);
	if (!n->image)
		goto fail;
	free(patterns);
	return n;
fail:
	if (n)
		free(n->blob);
	free(n);
	free(patterns);
	return NULL;
}

size_t nfac_bytes(const struct bench_matcher *m, void *automaton)
{
	struct nfac_image_figures figures;

	(void)m;
	nfac_image_figures(((struct nfac *)automaton)->image, &figures);
	return figures.total_bytes;
}

size_t nfac_states(void *automaton, size_t *node_bytes)
{
	struct nfac_image_figures figures;

	nfac_image_figures(((struct nfac *)automaton)->image, &figures);
	*node_bytes = figures.node_bytes;
	return figures.states;
}

const void *nfac_blob(void *automaton, size_t *bytes)
{
	struct nfac *n = automaton;

	*bytes = n->size;
	return n->blob;
}

static bool on_hit(void *ctx, const struct nfac_hit *hit)
{
	bench_hit(ctx, hit->id, hit->end);
	return true;
}

struct bench_hits nfac_count(const struct bench_matcher *m, void *automaton,
			     unsigned int variant, const struct bench_text *text)
{
	const struct nfac_automaton *a = nfac_image_automaton(((struct nfac *)automaton)->image);
	enum nfac_path path = path_of(m->kind);
	struct bench_hits hits = { 0 };
	struct nfac_match_memory memory;
	struct nfac_cursor cur;
	uint32_t start = 0;

	(void)variant;
	for (size_t i = 0; i < text->records; i++) {
		nfac_cursor_init(&cur);
		nfac_match_block(&memory, a, &cur, text->raw + start, text->ends[i] - start,
				 path, on_hit, &hits);
		start = text->ends[i];
	}
	return hits;
}

void nfac_free(const struct bench_matcher *m, void *automaton)
{
	struct nfac *n = automaton;

	(void)m;
	nfac_image_close(n->image);
	free(n->blob);
	free(n);
}
