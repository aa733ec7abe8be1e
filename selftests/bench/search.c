// SPDX-License-Identifier: GPL-2.0
/*
 * Recipes for hostile text, and the climb to the costliest of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "search.h"

/*
 * Of a candidate: so much that a small set's repetitions do not tell the branch
 * predictor all, and a large set's states do not stay in the L2 cache.
 */
#define TRIAL_BYTES	(96 * 1024)
#define TRIAL_BYTES_BIG	(384 * 1024)
#define STATES_BIG	100000

#define CLIMBS		4

/* The steps a recipe is made of. */
enum step {
	STEP_DOWN,	/* on along the trie */
	STEP_FAIL,	/* a byte that only some failure of this state goes on with */
	STEP_DEEP_FAIL,	/* the same, after as many failures as there are */
	STEP_BYTE,	/* some byte of some pattern */
	STEP_GRAM,	/* the first bytes of some pattern, to excite a filter */
	STEP_PATTERN,	/* a whole pattern */
	STEP_PREFIX,	/* a pattern cut short */
	STEP_FILLER,	/* bytes that no pattern begins with, as far as known */
	STEPS,
};

static const char * const step_names[STEPS] = {
	"down", "fail", "deep-fail", "byte", "gram", "pattern", "prefix", "filler",
};

/**
 * struct recipe - how to make a text
 * @weight: how often each step is taken
 * @down: how many states STEP_DOWN goes at most
 * @gram: bytes of STEP_GRAM
 * @cut: bytes STEP_PREFIX leaves out at most
 * @few: choose only among this many patterns, 0: all; few stay in the cache and
 *	are predicted well, many miss
 */
struct recipe {
	uint8_t weight[STEPS];
	uint8_t down;
	uint8_t gram;
	uint8_t cut;
	uint32_t few;
};

struct maker {
	const struct bench_set *set;
	const struct trie *trie;
	struct bench_text *text;
	struct rng rng;
	uint32_t state;
	uint64_t hops;
	uint8_t filler;
};

static int put(struct maker *m, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		m->state = trie_next(m->trie, m->state, bytes[i], &m->hops);
	return text_stream(m->text, bytes, len);
}

static const struct bench_pattern *some_pattern(struct maker *m, const struct recipe *c)
{
	uint32_t n = m->set->count;

	return &m->set->patterns[rng_below(&m->rng, c->few && c->few < n ? c->few : n)];
}

static int put_fail(struct maker *m, bool deep)
{
	uint32_t state = trie_fail(m->trie, m->state);
	uint8_t byte = 0, kept = 0;
	bool found = false;

	while (state != trie_root()) {
		if (trie_random_child(m->trie, state, rng_next(&m->rng), &byte)) {
			kept = byte;
			found = true;
			if (!deep)
				break;
		}
		state = trie_fail(m->trie, state);
	}
	if (!found)
		trie_random_child(m->trie, trie_root(), rng_next(&m->rng), &kept);
	return put(m, &kept, 1);
}

/* From a leaf, where there is no way down, to one of its failures. */
static int put_down(struct maker *m, const struct recipe *c)
{
	uint8_t byte;
	int ret = 0;

	for (uint32_t n = 1 + rng_below(&m->rng, c->down + 1); !ret && n--; ) {
		if (trie_random_child(m->trie, m->state, rng_next(&m->rng), &byte))
			ret = put(m, &byte, 1);
		else
			ret = put_fail(m, false);
	}
	return ret;
}

static int put_step(struct maker *m, const struct recipe *c, enum step step)
{
	const struct bench_pattern *p = some_pattern(m, c);
	uint32_t cut;
	int ret = 0;

	switch (step) {
	case STEP_DOWN:
		return put_down(m, c);
	case STEP_FAIL:
		return put_fail(m, false);
	case STEP_DEEP_FAIL:
		return put_fail(m, true);
	case STEP_BYTE:
		return put(m, &p->bytes[rng_below(&m->rng, p->len)], 1);
	case STEP_GRAM:
		return put(m, p->bytes, c->gram < p->len ? c->gram : p->len);
	case STEP_PATTERN:
		return put(m, p->bytes, p->len);
	case STEP_PREFIX:
		cut = 1 + rng_below(&m->rng, c->cut + 1);
		return put(m, p->bytes, cut < p->len ? p->len - cut : 1);
	default:
		for (uint32_t n = 1 + rng_below(&m->rng, 8); !ret && n--; )
			ret = put(m, &m->filler, 1);
		return ret;
	}
}

static int make(struct bench_text *text, const struct bench_set *set,
		const struct trie *trie, const struct recipe *c, size_t bytes)
{
	struct maker m = {
		.set = set, .trie = trie, .text = text,
		.rng = { 0x776f7273 }, .state = trie_root(),
	};
	uint32_t total = 0;
	uint64_t hops = 0;
	int ret = 0;

	for (int i = 0; i < STEPS; i++)
		total += c->weight[i];
	if (!total)
		return -1;
	while (trie_next(trie, trie_root(), m.filler, &hops) != trie_root() && m.filler < 255)
		m.filler++;
	bytes -= bytes % BENCH_RECORD;
	while (!ret && text->bytes < bytes) {
		uint32_t dice = rng_below(&m.rng, total);
		int step = 0;

		while (dice >= c->weight[step])
			dice -= c->weight[step++];
		ret = put_step(&m, c, step);
	}
	if (!ret)
		text->bytes = text->ends[text->records - 1];
	return ret || (set->fold && text_fold(text)) ? -1 : 0;
}

static void mutate(struct recipe *c, struct rng *r)
{
	static const uint32_t few[] = { 0, 0, 1, 2, 4, 16, 64, 512, 4096 };

	for (uint32_t n = 1 + rng_below(r, 3); n--; ) {
		switch (rng_below(r, 6)) {
		case 0:
			c->down = rng_below(r, 24);
			break;
		case 1:
			c->gram = 1 + rng_below(r, 8);
			break;
		case 2:
			c->cut = rng_below(r, 12);
			break;
		case 3:
			c->few = few[rng_below(r, ARRAY_SIZE(few))];
			break;
		default:
			c->weight[rng_below(r, STEPS)] =
				rng_below(r, 2) ? 0 : 1 + rng_below(r, 64);
			break;
		}
	}
}

static void describe_recipe(const struct recipe *c, double cost, char *out)
{
	size_t n = 0;

	for (int i = 0; i < STEPS; i++)
		if (c->weight[i])
			n += snprintf(out + n, 160 - n, "%s:%u ", step_names[i], c->weight[i]);
	snprintf(out + n, n < 160 ? 160 - n : 0, "(down %u gram %u cut %u few %u) cost %.2f",
		 c->down, c->gram, c->cut, c->few, cost);
}

static double try_recipe(const struct bench_set *set, const struct trie *trie,
			 const struct recipe *c, search_cost_fn cost, void *ctx)
{
	size_t bytes = trie_states(trie) < STATES_BIG ? TRIAL_BYTES : TRIAL_BYTES_BIG;
	struct bench_text text = { .bytes = 0 };
	double value = -1;

	if (!make(&text, set, trie, c, bytes))
		value = cost(ctx, &text);
	text_free(&text);
	return value;
}

/* Where climbs begin beside the pure kinds: mixtures that were bad once. */
static const struct recipe seeds[] = {
	{ { [STEP_DOWN] = 16, [STEP_DEEP_FAIL] = 16, [STEP_GRAM] = 56 }, 2, 5, 2, 0 },
	{ { [STEP_DOWN] = 16, [STEP_FAIL] = 20 }, 4, 4, 2, 64 },
	{ { [STEP_GRAM] = 16 }, 6, 5, 2, 1 },
	{ { [STEP_GRAM] = 16 }, 6, 7, 2, 0 },
	{ { [STEP_GRAM] = 16, [STEP_FILLER] = 8 }, 6, 4, 2, 0 },
	{ { [STEP_GRAM] = 16, [STEP_BYTE] = 16 }, 6, 3, 2, 64 },
};

struct climb {
	struct recipe recipe;
	double cost;
};

static int by_cost(const void *a, const void *b)
{
	const struct climb *x = a, *y = b;

	return x->cost > y->cost ? -1 : x->cost < y->cost;
}

int search_worst(struct bench_text *text, const struct bench_set *set,
		 const struct trie *trie, size_t bytes, unsigned int steps,
		 search_cost_fn cost, void *ctx, char *describe)
{
	struct climb starts[STEPS + ARRAY_SIZE(seeds)];
	struct rng r = { 0x636c696d };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		struct recipe c = { .down = 6, .gram = 4, .cut = 2 };

		if (i < STEPS) {
			c.weight[i] = 16;
			/* a walk that only falls never gets deep */
			if (i == STEP_FAIL || i == STEP_DEEP_FAIL)
				c.weight[STEP_DOWN] = 16;
		} else {
			c = seeds[i - STEPS];
		}
		starts[i].recipe = c;
		starts[i].cost = try_recipe(set, trie, &c, cost, ctx);
	}
	qsort(starts, ARRAY_SIZE(starts), sizeof(*starts), by_cost);
	/* one climb ends in the nearest top; a few find others */
	for (unsigned int i = 0; i < steps; i++) {
		struct climb *best = &starts[i * CLIMBS / steps];
		struct recipe c = best->recipe;
		double value;

		mutate(&c, &r);
		value = try_recipe(set, trie, &c, cost, ctx);
		if (value > best->cost)
			*best = (struct climb){ c, value };
	}
	qsort(starts, ARRAY_SIZE(starts), sizeof(*starts), by_cost);
	describe_recipe(&starts[0].recipe, starts[0].cost, describe);
	return make(text, set, trie, &starts[0].recipe, bytes);
}
