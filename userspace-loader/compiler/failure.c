// SPDX-License-Identifier: GPL-2.0
/*
 * Failure links: breadth first (Aho and Corasick), then the strong failure links of Knuth, Morris
 * and Pratt (SIAM J. Comput. 6/2, 1977) over sets of bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trie.h"
#include "../../kmod/engine/blob.h"

/* number of children from which on they are also indexed by byte */
#define WIDE_STATE	16

/*
 * Children by byte, for states with many: without it, a set of random bytes would search lists of
 * 256 children for each state. Freed when the links are found.
 */
struct wide {
	uint32_t *row;		/* for each state its row + 1, or 0 */
	uint32_t (*rows)[256];
	uint32_t count;
};

static int wide_init(struct wide *w, const struct trie *t)
{
	uint32_t s, c, n, room = 0;

	memset(w, 0, sizeof(*w));
	w->row = calloc(t->states, sizeof(*w->row));
	if (!w->row)
		return -ENOMEM;
	for (s = 0; s < t->states; s++) {
		for (n = 0, c = trie_first(t, s); c; c = t->sibling[c])
			n++;
		if (n < WIDE_STATE)
			continue;
		if (w->count == room) {
			void *p;

			room = room ? 2 * room : 64;
			p = realloc(w->rows, room * sizeof(*w->rows));
			if (!p)
				return -ENOMEM;
			w->rows = p;
		}
		memset(w->rows[w->count], 0, sizeof(*w->rows));
		for (c = trie_first(t, s); c; c = t->sibling[c])
			w->rows[w->count][t->label[c]] = c;
		w->row[s] = ++w->count;
	}
	return 0;
}

static void wide_free(struct wide *w)
{
	free(w->row);
	free(w->rows);
}

/* Child of @s by @c, or 0. */
static uint32_t child(const struct trie *t, const struct wide *w, uint32_t s, uint8_t c)
{
	uint32_t k;

	if (w->row[s])
		return w->rows[w->row[s] - 1][c];
	for (k = trie_first(t, s); k; k = t->sibling[k])
		if (t->label[k] >= c)
			return t->label[k] == c ? k : 0;
	return 0;
}

uint32_t *trie_by_depth(const struct trie *t)
{
	uint32_t *order = calloc(t->states, sizeof(*order));
	uint32_t *count, s, d, deepest = 0;

	for (s = 0; s < t->states; s++)
		deepest = t->depth[s] > deepest ? t->depth[s] : deepest;
	count = calloc(deepest + 2, sizeof(*count));
	if (!order || !count) {
		free(order);
		order = NULL;
		goto out;
	}
	for (s = 0; s < t->states; s++)
		count[t->depth[s] + 1]++;
	for (d = 1; d <= deepest; d++)
		count[d] += count[d - 1];
	for (s = 0; s < t->states; s++)
		order[count[t->depth[s]]++] = s;
out:
	free(count);
	return order;
}

/* Has @a a transition for each byte that @b has one for? */
static bool covers(const struct trie *t, const struct wide *w, uint32_t a, uint32_t b)
{
	uint32_t k;

	for (k = trie_first(t, b); k; k = t->sibling[k])
		if (!child(t, w, a, t->label[k]))
			return false;
	return true;
}

static void link_children(struct trie *t, const struct wide *w, uint32_t s)
{
	uint32_t k;

	for (k = trie_first(t, s); k; k = t->sibling[k]) {
		uint32_t f = s, to = 0;

		while (f && !to) {
			f = t->fail[f];
			to = child(t, w, f, t->label[k]);
		}
		t->fail[k] = to;
	}
}

int trie_link(struct trie *t,
	      void (*inherit)(void *context, uint32_t output, uint32_t suffix),
	      void *context)
{
	uint32_t *order, i;
	struct wide w;
	int err = wide_init(&w, t);

	order = trie_by_depth(t);
	t->fail = calloc(t->states, sizeof(*t->fail));
	t->strong = calloc(t->states, sizeof(*t->strong));
	t->back = calloc(t->states, 1);
	if (!order || !t->fail || !t->strong || !t->back)
		err = -ENOMEM;
	if (err)
		goto out;

	for (i = 0; i < t->states; i++) {
		uint32_t s = order[i], f = t->fail[s], suffix = t->output[f];

		link_children(t, &w, s);
		if (!s)
			suffix = TRIE_NONE;
		if (t->output[s] == TRIE_NONE)
			t->output[s] = suffix;
		else
			inherit(context, t->output[s], suffix);

		t->back[s] = t->depth[f] < NFAC_GRAM ? t->depth[f] : t->back[f];
		/* f is before s in order: its strong link is known */
		while (t->depth[f] >= NFAC_GRAM && covers(t, &w, s, f)) {
			f = t->strong[f];
			if (f == TRIE_NONE)
				break;
		}
		t->strong[s] = f != TRIE_NONE && t->depth[f] >= NFAC_GRAM ? f : TRIE_NONE;
	}
out:
	free(order);
	wide_free(&w);
	return err;
}
