// SPDX-License-Identifier: GPL-2.0
/*
 * Writing records, depth first, so that a path is read forwards in memory. Two passes of the same
 * code: the first computes each record's address, the second writes it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "../../kmod/engine/records.h"
#include "../../kmod/engine/blob.h"

/* number of tiles with free words that are kept, to be filled by later records */
#define GAPS	16

/*
 * One pass. @at: next free word. @gap: first free word of tiles before it. @ref: for each state its
 * record, with the label position as in a failure reference. @tag: of the record that begins with
 * the state. @behind: lowest address of that record. On the stack of layout_build().
 */
struct pass {
	const struct trie *trie;
	uint32_t *ref;
	uint32_t *behind;
	uint8_t *tag;
	uint8_t *begins;	/* the state begins a record */
	uint32_t *words;	/* NULL in the first pass */
	size_t at;
	size_t gap[GAPS];
	unsigned int gaps;
};

static unsigned int children(const struct trie *t, uint32_t s, uint32_t *child)
{
	unsigned int n = 0;
	uint32_t k;

	for (k = trie_first(t, s); k; k = t->sibling[k])
		child[n++] = k;
	return n;
}

/* Do @size words fit behind @at in its tile, and are @readable bytes of the tile behind @at? */
static bool has_room(size_t at, size_t size, size_t readable)
{
	size_t room = NFAC_TILE_WORDS - at % NFAC_TILE_WORDS;

	return size <= room && readable <= room * 4;
}

/* Keep the rest of a tile for later records. The oldest gap is dropped. */
static void leave_gap(struct pass *p, size_t at)
{
	if (p->gaps == GAPS)
		memmove(p->gap, p->gap + 1, --p->gaps * sizeof(*p->gap));
	p->gap[p->gaps++] = at;
}

/*
 * Take @size words in one tile, with @readable bytes, not before @behind: in the oldest gap with
 * room, or behind all others. Return: their address.
 */
static size_t take(struct pass *p, size_t size, size_t readable, size_t behind)
{
	unsigned int i;
	size_t at;

	for (i = 0; i < p->gaps; i++) {
		at = p->gap[i];
		if (at < behind || !has_room(at, size, readable))
			continue;
		p->gap[i] += size;
		if (p->gap[i] % NFAC_TILE_WORDS == 0) {
			p->gaps--;
			memmove(p->gap + i, p->gap + i + 1, (p->gaps - i) * sizeof(*p->gap));
		}
		return at;
	}
	at = p->at;
	if (!has_room(at, size, readable)) {
		leave_gap(p, at);
		at += NFAC_TILE_WORDS - at % NFAC_TILE_WORDS;
	}
	p->at = at + size;
	return at;
}

/* Memory of words that were taken; NULL in the first pass. */
static uint32_t *words_at(const struct pass *p, size_t at)
{
	return p->words ? p->words + at : NULL;
}

/* Reference to the record that begins with @s, from a parent or an entry. */
static uint32_t reference(const struct pass *p, uint32_t s)
{
	return p->ref[s] | (uint32_t)p->tag[s] << NFAC_TAG_SHIFT;
}

static void put(uint32_t *to, uint32_t value)
{
	*to = cpu_to_le32(value);
}

/*
 * A record's states @s .. @s + @n. The last @silent of them need no output word. @failures: states
 * with a failure reference; @outputs: states with an output. Set by states_of().
 */
struct states {
	uint32_t s, n;
	uint32_t silent;
	uint32_t failures, outputs;
	bool map_failures;	/* a single failure of the last state needs no map */
	bool map_outputs;
};

static bool fails(const struct trie *t, const struct states *st, uint32_t position)
{
	return t->strong[st->s + position] != TRIE_NONE;
}

static bool has_output(const struct trie *t, const struct states *st, uint32_t position)
{
	return t->output[st->s + position] != TRIE_NONE && position + st->silent <= st->n;
}

static struct states states_of(const struct trie *t, uint32_t s, uint32_t n, uint32_t silent)
{
	struct states st = { .s = s, .n = n, .silent = silent };
	uint32_t i;

	for (i = 0; i <= n; i++) {
		st.failures += fails(t, &st, i);
		st.outputs += has_output(t, &st, i);
	}
	st.map_failures = st.failures > 1 || (st.failures && !fails(t, &st, n));
	st.map_outputs = st.outputs > 1;
	return st;
}

/* Words behind a record's body: failures and outputs. */
static size_t tail_words(const struct states *st)
{
	return st->failures + st->map_failures + st->outputs + st->map_outputs;
}

static uint8_t kind(const struct states *st, uint8_t type)
{
	if (st->failures)
		type |= NFAC_NODE_FAIL;
	if (st->outputs)
		type |= NFAC_NODE_OUT;
	return type;
}

static void put_tail(const struct pass *p, const struct states *st, uint32_t *to)
{
	const struct trie *t = p->trie;
	uint32_t *map = NULL, i;

	if (st->map_failures) {
		map = to++;
		put(map, (uint32_t)NFAC_POSITION_MAP << NFAC_POSITION_SHIFT);
	}
	for (i = 0; i <= st->n; i++) {
		if (!fails(t, st, i))
			continue;
		if (map)
			*map |= cpu_to_le32(1u << i);
		put(to++, p->ref[t->strong[st->s + i]]);
	}
	map = NULL;
	if (st->map_outputs) {
		map = to++;
		put(map, NFAC_STATE_MAP);
	}
	for (i = 0; i <= st->n; i++) {
		if (!has_output(t, st, i))
			continue;
		if (map)
			*map |= cpu_to_le32(1u << i);
		put(to++, t->output[st->s + i] | (map ? 0 : i << NFAC_STATE_SHIFT));
	}
}

static void stop(struct pass *p, uint32_t s)
{
	const struct trie *t = p->trie;
	const struct states st = states_of(t, s, 0, 1);
	uint8_t type = kind(&st, NFAC_NODE_STOP);
	size_t at = take(p, 1 + tail_words(&st), 0, p->behind[s]);
	uint32_t *to = words_at(p, at);

	p->ref[s] = at;
	p->tag[s] = nfac_tag(type);
	if (!to)
		return;
	if (!(type & NFAC_NODE_FAIL))
		type |= t->back[s] << NFAC_NODE_UPPER;
	put(to, type | t->output[s] << 8);
	put_tail(p, &st, to + 1);
}

/* Longest way back in the text after a failure without a reference. */
static uint8_t farthest(const struct trie *t, const struct states *st)
{
	uint8_t back = 0;
	uint32_t i;

	for (i = st->s; i <= st->s + st->n; i++)
		if (t->strong[i] == TRIE_NONE && t->back[i] > back)
			back = t->back[i];
	return back;
}

/* Words of a path's record without those of put_tail(). */
static size_t path_body(uint32_t n, unsigned int fan_out)
{
	return nfac_node_label_words(n + fan_out) + (fan_out ? fan_out : 1);
}

/* Can the path from @s on have @n labels, and then @fan_out children? */
static bool path_fits(const struct trie *t, uint32_t s, uint32_t n, unsigned int fan_out)
{
	const struct states st = states_of(t, s, n, !fan_out);

	return n <= (st.map_failures || st.map_outputs ? NFAC_MAP_LABELS_MAX :
							 NFAC_LABELS_MAX) &&
	       path_body(n, fan_out) + tail_words(&st) <= NFAC_TILE_WORDS;
}

/*
 * Write the path from @s on: @n labels, then the state @s + @n with @fan_out children, which have
 * records of their own.
 */
static void path(struct pass *p, uint32_t s, uint32_t n, const uint32_t *child,
		 unsigned int fan_out)
{
	const struct trie *t = p->trie;
	const struct states st = states_of(t, s, n, !fan_out);
	uint8_t type = kind(&st, fan_out ? NFAC_NODE_FORK : NFAC_NODE_TAIL);
	size_t labels = nfac_node_label_words(n + fan_out), body = path_body(n, fan_out);
	size_t at = take(p, body + tail_words(&st), NFAC_NODE_READ(n), p->behind[s]);
	uint32_t *to = words_at(p, at), i;
	uint8_t *byte;

	if (fan_out == 1)
		p->begins[child[0]] = 1;
	for (i = 0; i <= n; i++)
		p->ref[s + i] = at | i << NFAC_POSITION_SHIFT;
	for (i = 0; i < fan_out; i++)
		p->behind[child[i]] = at + 1;
	p->tag[s] = nfac_tag(type | n << 8);
	if (!to)
		return;
	byte = (uint8_t *)to;
	byte[0] = type | (fan_out ? fan_out - 1 : 0) << NFAC_NODE_UPPER;
	byte[1] = n | farthest(t, &st) << NFAC_BACK_SHIFT;
	for (i = 0; i < n; i++)
		byte[2 + i] = t->label[s + 1 + i];
	for (i = 0; i < fan_out; i++) {
		byte[2 + n + i] = t->label[child[i]];
		put(to + labels + i, reference(p, child[i]));
	}
	if (!fan_out)
		put(to + labels, t->output[s + n]);
	put_tail(p, &st, to + body);
}

/* Return: false if the table does not fit into a tile. */
static bool table(struct pass *p, uint32_t s, const uint32_t *child, unsigned int n)
{
	const struct trie *t = p->trie;
	const struct states st = states_of(t, s, 0, 0);
	uint8_t type = kind(&st, NFAC_NODE_TABLE);
	uint32_t low = t->label[child[0]], high = t->label[child[n - 1]];
	size_t body = 1 + (high - low + 4) / 4 + n, size = body + tail_words(&st);
	uint32_t *to, i;
	size_t at;

	if (size > NFAC_TILE_WORDS)
		return false;
	at = take(p, size, 0, p->behind[s]);
	to = words_at(p, at);
	p->ref[s] = at;
	for (i = 0; i < n; i++)
		p->behind[child[i]] = at + 1;
	p->tag[s] = nfac_tag(type);
	if (!to)
		return true;
	put(to, type | t->back[s] << (8 + NFAC_BACK_SHIFT) | low << 16 | high << 24);
	for (i = 0; i < n; i++) {
		((uint8_t *)to)[4 + t->label[child[i]] - low] = i + 1;
		put(to + body - n + i, reference(p, child[i]));
	}
	put_tail(p, &st, to + body);
	return true;
}

static void wide(struct pass *p, uint32_t s, const uint32_t *child, unsigned int n)
{
	const struct trie *t = p->trie;
	const struct states st = states_of(t, s, 0, 0);
	uint8_t type = kind(&st, NFAC_NODE_WIDE);
	uint32_t upper = 0, groups = 0, lower, i, j, k, *to, *nibble;
	size_t at, half;

	for (i = 0; i < n; i++)
		upper |= 1u << (t->label[child[i]] >> 4);
	for (i = 0; i < 16; i++)
		groups += upper >> i & 1;
	at = take(p, 1 + groups + tail_words(&st), 0, p->behind[s]);
	to = words_at(p, at);
	p->ref[s] = at;
	p->tag[s] = nfac_tag(type);
	if (to) {
		put(to, type | t->back[s] << (8 + NFAC_BACK_SHIFT) | upper << 16);
		put_tail(p, &st, to + 1 + groups);
		to++;
	}
	for (i = 0; i < n; i = j) {
		for (j = i, lower = 0; j < n &&
		     t->label[child[j]] >> 4 == t->label[child[i]] >> 4; j++)
			lower |= 1u << (t->label[child[j]] & 15);
		half = take(p, 1 + j - i, 0, at + 1);
		for (k = i; k < j; k++)
			p->behind[child[k]] = half + 1;
		nibble = words_at(p, half);
		if (!nibble)
			continue;
		put(to++, half | nfac_tag(NFAC_NODE_NIBBLE) << NFAC_TAG_SHIFT);
		put(nibble, NFAC_NODE_NIBBLE | lower << 16);
		for (; i < j; i++)
			put(++nibble, reference(p, child[i]));
	}
}

/* Return: 0, -E2BIG when references run out. */
static int run(struct pass *p)
{
	const struct trie *t = p->trie;
	uint32_t child[256];
	uint32_t s, n;

	for (s = 0; s < t->states; s++) {
		unsigned int fan_out;

		if (t->depth[s] < NFAC_GRAM || !p->begins[s])
			continue;
		/* room for a record, and the end of a tile before it */
		if (p->at > NFAC_NODE_WORDS_MAX - 2 * NFAC_TILE_WORDS)
			return -E2BIG;
		fan_out = children(t, s, child);
		if (!fan_out) {
			stop(p, s);
			continue;
		}
		if (fan_out > NFAC_FORK_MAX) {
			if (!table(p, s, child, fan_out))
				wide(p, s, child, fan_out);
			continue;
		}
		/* up to a state that begins a record, or the end of the room in a tile */
		for (n = 0; fan_out == 1 && !p->begins[child[0]]; n++) {
			uint32_t below[256];
			unsigned int next = children(t, s + n + 1, below);

			if (!path_fits(t, s, n + 1, next))
				break;
			fan_out = next;
			memcpy(child, below, next * sizeof(*child));
		}
		path(p, s, n, child, fan_out);
	}
	return 0;
}

/* Mark the states that begin a record: all but those in the middle of a path. */
static void mark_begins(struct pass *p)
{
	const struct trie *t = p->trie;
	uint32_t child[256];
	uint32_t s;

	for (s = 0; s < t->states; s++) {
		unsigned int fan_out = children(t, s, child), i;

		if (t->depth[s] <= NFAC_GRAM || fan_out > NFAC_FORK_MAX)
			p->begins[s] = 1;
		for (i = 0; fan_out > 1 && i < fan_out; i++)
			p->begins[child[i]] = 1;
	}
}

static int list_entries(struct layout *l, const struct pass *p)
{
	const struct trie *t = p->trie;
	uint32_t s, gram = 0;
	size_t n = 0;

	for (s = 0; s < t->states; s++)
		n += t->depth[s] == NFAC_GRAM;
	l->entries = calloc(n + 1, sizeof(*l->entries));
	if (!l->entries)
		return -ENOMEM;
	for (s = 1; s < t->states; s++) {
		if (t->depth[s] > NFAC_GRAM)
			continue;
		gram = trie_gram(t, s, gram);
		if (t->depth[s] == NFAC_GRAM)
			l->entries[l->entries_count++] =
				(struct table_pair){ gram, reference(p, s) };
	}
	return 0;
}

int layout_build(struct layout *l, const struct trie *trie)
{
	struct pass p = { .trie = trie };
	int err = -ENOMEM;

	memset(l, 0, sizeof(*l));
	p.ref = malloc((size_t)trie->states * sizeof(*p.ref));
	p.behind = calloc(trie->states, sizeof(*p.behind));
	p.tag = calloc(trie->states, 1);
	p.begins = calloc(trie->states, 1);
	if (!p.ref || !p.behind || !p.tag || !p.begins)
		goto out;
	memset(p.ref, 0xff, (size_t)trie->states * sizeof(*p.ref));
	mark_begins(&p);
	err = run(&p);
	if (err)
		goto out;
	l->count = p.at;
	err = -ENOMEM;
	l->words = calloc(l->count + 1, sizeof(*l->words));
	if (!l->words)
		goto out;
	p.words = l->words;
	p.at = 0;
	p.gaps = 0;
	err = run(&p);
	if (!err)
		err = list_entries(l, &p);
out:
	free(p.ref);
	free(p.behind);
	free(p.tag);
	free(p.begins);
	if (err)
		layout_free(l);
	return err;
}

void layout_free(struct layout *l)
{
	free(l->words);
	free(l->entries);
	free(l->matches);
	memset(l, 0, sizeof(*l));
}
