// SPDX-License-Identifier: GPL-2.0
/*
 * Building a double array: all transitions of the Aho-Corasick automaton to states deeper than a
 * q-gram, with failures resolved into transitions (CACM 18/6, 1975, algorithm 4). First fit, states
 * with the most transitions first; states with one transition then fill the remaining slots.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "darray.h"
#include "../../kmod/engine/darray.h"
#include "../../kmod/engine/blob.h"

struct edge {
	uint32_t to;
	uint8_t label;
};

/*
 * A slot that did not fit this many states is left to states with one transition. So each slot is
 * tried a few times only, however many states there are.
 */
#define REFUSALS	8

/*
 * State of darray_build(), on its stack. @edges has the transitions of state s from @first[s] on,
 * @count[s] of them; states less deep than a q-gram have none. @base: 0 while a state has none.
 * @used: slots; @taken: bases. @next chains the slots to try, each by its number + 1, from entry 0
 * to @last, where it is 0; used slots leave the chain when they are met. @wide: slots are 32 bits.
 */
struct build {
	const struct trie *trie;
	bool wide;
	size_t slots_max;
	uint32_t *order;
	uint32_t *first;
	uint16_t *count;
	uint32_t *base;
	struct edge *edges;
	size_t edges_count;
	uint8_t *used;
	uint8_t *taken;
	size_t slots;
	uint32_t *next;
	size_t last;
	uint8_t *refused;	/* number of states that did not fit */
};

static bool deep(const struct trie *t, uint32_t s)
{
	return t->depth[s] >= NFAC_GRAM;
}

/* Are there more states than bases? Then nothing needs to be tried. */
static bool too_many(const struct build *b)
{
	size_t deep_states = 0;
	uint32_t s;

	for (s = 0; s < b->trie->states; s++)
		deep_states += deep(b->trie, s);
	return deep_states > b->slots_max;
}

/* List the transitions of @s: its own, and those of its failure that it does not have. */
static int list_edges(struct build *b, uint32_t s)
{
	const struct trie *t = b->trie;
	struct edge *edge = b->edges + b->edges_count;
	bool own[256] = { false };
	uint32_t k, n = 0, fail = t->fail[s];

	/* there is room for any state's transitions */
	if (b->edges_count > b->slots_max)
		return -E2BIG;
	for (k = trie_first(t, s); k; k = t->sibling[k]) {
		own[t->label[k]] = true;
		edge[n++] = (struct edge){ k, t->label[k] };
	}
	for (k = 0; k < b->count[fail]; k++) {
		const struct edge *other = b->edges + b->first[fail] + k;

		if (!own[other->label])
			edge[n++] = *other;
	}
	b->first[s] = b->edges_count;
	b->count[s] = n;
	b->edges_count += n;
	return 0;
}

/* Add one block. Return: 0, -E2BIG. */
static int grow(struct build *b)
{
	size_t end = b->slots + NFAC_DARRAY_BLOCK;

	if (b->slots == b->slots_max)
		return -E2BIG;
	while (b->slots < end) {
		b->next[b->last] = ++b->slots;
		b->last = b->slots;
	}
	return 0;
}

/* Is the base free? */
static bool is_left(const struct build *b, size_t base)
{
	return !b->taken[base] && !nfac_darray_reserved(base);
}

static bool fits(const struct build *b, size_t base, const struct edge *edge, uint32_t n)
{
	uint32_t i;

	if (!is_left(b, base))
		return false;
	for (i = 0; i < n; i++)
		if (b->used[base ^ edge[i].label])
			return false;
	return true;
}

static void occupy(struct build *b, uint32_t s, size_t base)
{
	const struct edge *edge = b->edges + b->first[s];
	uint32_t i;

	b->base[s] = base;
	b->taken[base] = 1;
	for (i = 0; i < b->count[s]; i++)
		b->used[base ^ edge[i].label] = 1;
}

/* Find a base for @s: its first transition in the lowest slot of the chain that fits. */
static int place(struct build *b, uint32_t s)
{
	const struct edge *edge = b->edges + b->first[s];
	size_t at = 0, slot;

	for (;;) {
		if (at == b->last && grow(b))
			return -E2BIG;
		slot = b->next[at] - 1;
		if (!b->used[slot]) {
			if (fits(b, slot ^ edge->label, edge, b->count[s]))
				break;
			if (++b->refused[slot] < REFUSALS) {
				at = slot + 1;
				continue;
			}
		}
		if (b->last == slot + 1)
			b->last = at;
		b->next[at] = b->next[slot + 1];
	}
	occupy(b, s, slot ^ edge->label);
	return 0;
}

/*
 * States with one transition fill the slots in order: each slot takes the first such state without
 * a base whose label leads to a free base. So paths stay together, and hardly a slot remains.
 */
static int place_singles(struct build *b)
{
	const struct trie *t = b->trie;
	uint32_t head[256] = { 0 }, s, label, left = 0, best;
	uint32_t *next = b->order;	/* no longer needed */
	size_t slot;

	for (s = t->states; s-- > 1;) {
		if (b->count[s] != 1)
			continue;
		label = b->edges[b->first[s]].label;
		next[s] = head[label];
		head[label] = s;
		left++;
	}
	for (slot = 0; left; slot++) {
		if (slot == b->slots && grow(b))
			return -E2BIG;
		if (b->used[slot])
			continue;
		for (label = 0, best = 0; label < 256; label++)
			if (head[label] && (!best || head[label] < best) &&
			    is_left(b, slot ^ label))
				best = head[label];
		if (!best)
			continue;
		label = b->edges[b->first[best]].label;
		head[label] = next[best];
		occupy(b, best, slot ^ label);
		left--;
	}
	return 0;
}

/* States without transitions take the remaining bases, which identify them. */
static int place_leaves(struct build *b)
{
	const struct trie *t = b->trie;
	size_t base = 0;
	uint32_t s;

	for (s = 0; s < t->states; s++) {
		if (!deep(t, s) || b->count[s])
			continue;
		for (; base == b->slots || !is_left(b, base); base++)
			if (base == b->slots && grow(b))
				return -E2BIG;
		occupy(b, s, base);
	}
	return 0;
}

/* Place the states with the most transitions first. Return: 0, -E2BIG. */
static int place_all(struct build *b)
{
	const struct trie *t = b->trie;
	uint32_t n, s;

	for (n = 256; n > 1; n--)
		for (s = 0; s < t->states; s++)
			if (b->count[s] == n && place(b, s))
				return -E2BIG;
	return place_singles(b) ?: place_leaves(b);
}

static uint32_t word_of(const struct build *b, uint32_t s)
{
	const bool matches = b->trie->output[s] != TRIE_NONE;

	if (b->wide)
		return b->base[s] << NFAC_DARRAY32_SHIFT | (matches ? NFAC_DARRAY32_MATCH : 0) |
		       b->trie->label[s];
	return b->base[s] << NFAC_DARRAY_SHIFT | (matches ? NFAC_DARRAY_MATCH : 0);
}

/* Write one slot into the layout's words. */
static void write_slot(const struct build *b, struct layout *l, size_t slot, uint8_t label,
		       uint32_t word)
{
	uint8_t *labels = (uint8_t *)l->words;

	if (b->wide) {
		l->words[slot] = cpu_to_le32(label | word);
	} else {
		labels[slot] = label;
		((__le16 *)(labels + b->slots))[slot] = cpu_to_le16(word);
	}
}

/* Return: 0, -ENOMEM. */
static int write_slots(const struct build *b, struct layout *l)
{
	const struct trie *t = b->trie;
	uint32_t s, i;
	size_t slot;

	l->count = b->wide ? b->slots : NFAC_DARRAY_WORDS(b->slots);
	l->words = calloc(l->count + 1, sizeof(*l->words));
	if (!l->words)
		return -ENOMEM;
	for (slot = 0; slot < b->slots; slot++)
		write_slot(b, l, slot, nfac_darray_free_label(slot), 0);
	for (s = 0; s < t->states; s++) {
		const struct edge *edge = b->edges + b->first[s];

		for (i = 0; i < b->count[s]; i++) {
			write_slot(b, l, b->base[s] ^ edge[i].label, edge[i].label,
				   word_of(b, edge[i].to));
		}
	}
	return 0;
}

/* List the entries, and the outputs of bases. Return: 0, -ENOMEM. */
static int list_pairs(const struct build *b, struct layout *l)
{
	const struct trie *t = b->trie;
	uint32_t s, gram = 0;
	size_t entries = 0, matches = 0;

	for (s = 0; s < t->states; s++) {
		entries += t->depth[s] == NFAC_GRAM;
		matches += deep(t, s) && t->output[s] != TRIE_NONE;
	}
	l->entries = calloc(entries + 1, sizeof(*l->entries));
	l->matches = calloc(matches + 1, sizeof(*l->matches));
	if (!l->entries || !l->matches)
		return -ENOMEM;
	for (s = 1; s < t->states; s++) {
		if (t->depth[s] <= NFAC_GRAM)
			gram = trie_gram(t, s, gram);
		if (t->depth[s] == NFAC_GRAM)
			l->entries[l->entries_count++] =
				(struct table_pair){ gram, word_of(b, s) };
		if (deep(t, s) && t->output[s] != TRIE_NONE)
			l->matches[l->matches_count++] =
				(struct table_pair){ b->base[s], t->output[s] };
	}
	return 0;
}

int darray_build(struct layout *l, const struct trie *trie, bool wide, size_t bytes_max)
{
	const size_t room = bytes_max / (wide ? 4 : 3);
	struct build b = { .trie = trie, .wide = wide };
	uint32_t i;
	int err = -ENOMEM;

	memset(l, 0, sizeof(*l));
	l->darray = true;
	l->wide = wide;
	b.slots_max = wide ? NFAC_DARRAY32_SLOTS_MAX : NFAC_DARRAY_SLOTS_MAX;
	if (b.slots_max > room)
		b.slots_max = room / NFAC_DARRAY_BLOCK * NFAC_DARRAY_BLOCK;
	if (too_many(&b))
		return -E2BIG;
	b.order = trie_by_depth(trie);
	b.first = calloc(trie->states, sizeof(*b.first));
	b.count = calloc(trie->states, sizeof(*b.count));
	b.base = calloc(trie->states, sizeof(*b.base));
	b.edges = calloc(b.slots_max + 256, sizeof(*b.edges));
	b.used = calloc(b.slots_max + 1, 1);
	b.taken = calloc(b.slots_max + 1, 1);
	b.next = calloc(b.slots_max + 1, sizeof(*b.next));
	b.refused = calloc(b.slots_max + 1, 1);
	if (!b.order || !b.first || !b.count || !b.base || !b.edges || !b.used || !b.taken ||
	    !b.next || !b.refused)
		goto out;
	err = grow(&b);
	/* by depth: a failure's target is listed before */
	for (i = 0; !err && i < trie->states; i++)
		if (deep(trie, b.order[i]))
			err = list_edges(&b, b.order[i]);
	if (!err)
		err = place_all(&b);
	if (!err)
		err = write_slots(&b, l);
	if (!err)
		err = list_pairs(&b, l);
out:
	free(b.order);
	free(b.first);
	free(b.count);
	free(b.base);
	free(b.edges);
	free(b.used);
	free(b.taken);
	free(b.next);
	free(b.refused);
	if (err)
		layout_free(l);
	return err;
}
