/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A search for the traffic that a set's automaton likes least.
 *
 * A candidate is a recipe (struct recipe): how often to take which kind of step
 * through the patterns' trie. The search starts from the pure kinds and
 * some mixtures, and changes the costliest few at random for a number of steps;
 * seeds are fixed, but the cost is time, so two runs may end in different recipes.
 */
#ifndef _NFAC_BENCH_SEARCH_H
#define _NFAC_BENCH_SEARCH_H

#include "text.h"

/**
 * typedef search_cost_fn - how bad is this text? Higher is worse.
 */
typedef double (*search_cost_fn)(void *ctx, const struct bench_text *text);

struct trie;

struct trie *bench_trie_build(const struct bench_set *set);
void bench_trie_free(struct trie *trie);

/**
 * search_worst() - fill a text with the costliest recipe found
 * @text: empty, its name set
 * @bytes: how long the text is to be
 * @steps: how many candidates to try
 * @describe: gets the recipe in words, at least 160 bytes
 */
int search_worst(struct bench_text *text, const struct bench_set *set,
		 const struct trie *trie, size_t bytes, unsigned int steps,
		 search_cost_fn cost, void *ctx, char *describe);

/* trie.c: what the recipes walk on */
uint32_t trie_root(void);
/* The child of @state by a random choice; 0 when it has none. */
uint32_t trie_random_child(const struct trie *trie, uint32_t state, uint64_t random,
			   uint8_t *byte);
uint32_t trie_fail(const struct trie *trie, uint32_t state);
/* The state after @byte, through failures; adds the failures to @hops. */
uint32_t trie_next(const struct trie *trie, uint32_t state, uint8_t byte, uint64_t *hops);
/* From the least to the greatest byte of its children, both counted; 0: none. */
uint32_t trie_span(const struct trie *trie, uint32_t state, uint32_t *children);
uint32_t trie_states(const struct trie *trie);

#endif /* _NFAC_BENCH_SEARCH_H */
