// SPDX-License-Identifier: GPL-2.0
/*
 * Building the trie from sorted texts: the prefix that a text shares with the one before it exists
 * already, the rest is a new path.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trie.h"
#include "../../kmod/engine/blob.h"

static int grow(struct trie *t, size_t states)
{
	size_t room = t->room ? t->room : 1024;
	void *p;

	if (states < t->room)
		return 0;
	/* references are 32 bits, and a state takes a byte of nodes at least */
	if (states >= UINT32_MAX / 2)
		return -E2BIG;
	while (room <= states)
		room += room / 2;
	p = realloc(t->label, room);
	if (!p)
		return -ENOMEM;
	t->label = p;
	p = realloc(t->depth, room * sizeof(*t->depth));
	if (!p)
		return -ENOMEM;
	t->depth = p;
	p = realloc(t->sibling, room * sizeof(*t->sibling));
	if (!p)
		return -ENOMEM;
	t->sibling = p;
	p = realloc(t->output, room * sizeof(*t->output));
	if (!p)
		return -ENOMEM;
	t->output = p;
	t->room = room;
	return 0;
}

static void add(struct trie *t, uint8_t label, uint32_t depth)
{
	uint32_t state = t->states++;

	t->label[state] = label;
	t->depth[state] = depth;
	t->sibling[state] = 0;
	t->output[state] = TRIE_NONE;
}

int trie_build(struct trie *t, const struct trie_key *keys, size_t count)
{
	const struct trie_key *before = NULL;
	uint32_t *path, longest = 0;
	size_t i;
	int err;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < count; i++)
		longest = keys[i].length > longest ? keys[i].length : longest;
	path = malloc((longest + 1) * sizeof(*path));
	err = path ? grow(t, 1) : -ENOMEM;
	if (err)
		goto out;
	add(t, 0, 0);
	path[0] = 0;

	for (i = 0; i < count; before = &keys[i++]) {
		const struct trie_key *key = &keys[i];
		uint32_t d = 0;

		err = grow(t, t->states + (size_t)key->length + 1);
		if (err)
			goto out;
		if (before)
			while (d < before->length && d < key->length &&
			       before->bytes[d] == key->bytes[d])
				d++;
		/* the path branches off: a sibling of the old path's next state */
		if (before && d < before->length && d < key->length)
			t->sibling[path[d + 1]] = t->states;
		for (; d < key->length; d++) {
			path[d + 1] = t->states;
			add(t, key->bytes[d], d + 1);
		}
		t->output[path[d]] = key->output;
	}
out:
	free(path);
	if (err)
		trie_free(t);
	return err;
}

void trie_free(struct trie *t)
{
	free(t->label);
	free(t->depth);
	free(t->sibling);
	free(t->fail);
	free(t->strong);
	free(t->back);
	free(t->output);
	memset(t, 0, sizeof(*t));
}
