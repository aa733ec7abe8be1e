// SPDX-License-Identifier: GPL-2.0
/*
 * A plain trie with plain failure links, for the search alone: it says where in
 * the patterns a text stands, and counts the hops of a textbook automaton.
 */
#include <stdlib.h>
#include <string.h>

#include "search.h"

/* Children are a list in creation order; state 0 is none, 1 the root. */
struct trie_state {
	uint32_t child;
	uint32_t sibling;
	uint32_t fail;
	uint16_t children;
	uint8_t byte;
};

struct trie {
	struct trie_state *states;
	uint32_t count;
};

uint32_t trie_root(void)
{
	return 1;
}

uint32_t trie_states(const struct trie *trie)
{
	return trie->count - 1;
}

static uint32_t child_by(const struct trie *trie, uint32_t state, uint8_t byte)
{
	uint32_t at = trie->states[state].child;

	while (at && trie->states[at].byte != byte)
		at = trie->states[at].sibling;
	return at;
}

static void insert(struct trie *trie, const struct bench_pattern *p)
{
	uint32_t state = trie_root();

	for (uint32_t i = 0; i < p->len; i++) {
		uint32_t next = child_by(trie, state, p->bytes[i]);

		if (!next) {
			next = trie->count++;
			trie->states[next] = (struct trie_state){
				.byte = p->bytes[i],
				.sibling = trie->states[state].child,
			};
			trie->states[state].child = next;
			trie->states[state].children++;
		}
		state = next;
	}
}

/* Breadth first, so that a state's failure is known before its children's. */
static int link_failures(struct trie *trie)
{
	uint32_t *queue = malloc(trie->count * sizeof(*queue));
	size_t head = 0, tail = 0;
	uint64_t hops = 0;

	if (!queue)
		return -1;
	trie->states[trie_root()].fail = trie_root();
	queue[tail++] = trie_root();
	while (head < tail) {
		uint32_t state = queue[head++];

		for (uint32_t at = trie->states[state].child; at; at = trie->states[at].sibling) {
			trie->states[at].fail = state == trie_root() ? trie_root() :
				trie_next(trie, trie->states[state].fail,
					  trie->states[at].byte, &hops);
			queue[tail++] = at;
		}
	}
	free(queue);
	return 0;
}

struct trie *bench_trie_build(const struct bench_set *set)
{
	struct trie *trie = calloc(1, sizeof(*trie));
	size_t most = 2;

	if (!trie)
		return NULL;
	for (size_t i = 0; i < set->count; i++)
		most += set->patterns[i].len;
	trie->states = calloc(most, sizeof(*trie->states));
	if (!trie->states)
		goto fail;
	trie->count = 2;
	for (size_t i = 0; i < set->count; i++)
		insert(trie, &set->patterns[i]);
	if (link_failures(trie))
		goto fail;
	return trie;
fail:
	bench_trie_free(trie);
	return NULL;
}

void bench_trie_free(struct trie *trie)
{
	if (trie)
		free(trie->states);
	free(trie);
}

uint32_t trie_random_child(const struct trie *trie, uint32_t state, uint64_t random,
			   uint8_t *byte)
{
	const struct trie_state *s = &trie->states[state];
	uint32_t at = s->child;

	if (!at)
		return 0;
	for (random %= s->children; random--; )
		at = trie->states[at].sibling;
	*byte = trie->states[at].byte;
	return at;
}

uint32_t trie_span(const struct trie *trie, uint32_t state, uint32_t *children)
{
	uint32_t low = 255, high = 0;

	for (uint32_t at = trie->states[state].child; at; at = trie->states[at].sibling) {
		low = trie->states[at].byte < low ? trie->states[at].byte : low;
		high = trie->states[at].byte > high ? trie->states[at].byte : high;
	}
	*children = trie->states[state].children;
	return *children ? high - low + 1 : 0;
}

uint32_t trie_fail(const struct trie *trie, uint32_t state)
{
	return trie->states[state].fail;
}

uint32_t trie_next(const struct trie *trie, uint32_t state, uint8_t byte, uint64_t *hops)
{
	for (;;) {
		uint32_t next = child_by(trie, state, byte);

		if (next)
			return next;
		if (state == trie_root())
			return state;
		state = trie->states[state].fail;
		++*hops;
	}
}
