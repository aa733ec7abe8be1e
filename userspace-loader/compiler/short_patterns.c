// SPDX-License-Identifier: GPL-2.0
/*
 * Outputs of the short patterns, of less than NFAC_GRAM bytes.
 *
 * Where a longer pattern ends, its list has the short patterns, with case bits as all outputs in a
 * set that folds. Elsewhere a short pattern is found by its bytes as they are spelled: each
 * spelling has an output of its own without case bits.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "outputs.h"
#include "../../kmod/engine/fold.h"
#include "../../kmod/engine/blob.h"

#define SPELLINGS_MAX	(1 << (NFAC_GRAM - 1))

static int by_key(const void *a, const void *b)
{
	const struct table_pair *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int has_key(const void *key, const void *pair)
{
	uint32_t x = *(const uint32_t *)key, y = ((const struct table_pair *)pair)->key;

	return x < y ? -1 : x > y;
}

uint32_t short_key(const uint8_t *text, uint32_t length)
{
	uint32_t key = length << 24, i;

	for (i = 0; i < length; i++)
		key |= (uint32_t)text[i] << 8 * i;
	return key;
}

static uint32_t find(const struct table_pair *pairs, size_t count, uint32_t key)
{
	const struct table_pair *found = bsearch(&key, pairs, count, sizeof(*pairs), has_key);

	return found ? found->value : TRIE_NONE;
}

/* Output of the longest of @pairs that is a proper suffix of @text, or TRIE_NONE. */
static uint32_t find_suffix(const struct table_pair *pairs, size_t count, const uint8_t *text,
			    uint32_t length)
{
	uint32_t n = length < NFAC_GRAM ? length - 1 : NFAC_GRAM - 1, output = TRIE_NONE;

	for (; n && output == TRIE_NONE; n--)
		output = find(pairs, count, short_key(text + length - n, n));
	return output;
}

uint32_t short_suffix(const struct outputs *o, const uint8_t *text, uint32_t length)
{
	return find_suffix(o->short_patterns, o->short_count, text, length);
}

/* List all spellings of the short pattern @number. Return: number of spellings. */
static size_t list_spellings(const struct outputs *o, uint32_t number, struct table_pair *to)
{
	const struct nfac_pattern *p = &o->patterns[number];
	uint32_t spellings = p->nocase ? 1u << p->length : 1, upper, i;
	size_t count = 0;

	for (upper = 0; upper < spellings; upper++) {
		uint8_t text[NFAC_GRAM];

		for (i = 0; i < p->length; i++) {
			text[i] = p->nocase ? nfac_fold1(p->bytes[i]) : p->bytes[i];
			if (!(upper >> i & 1))
				continue;
			/* not a letter: that spelling is listed already */
			if (toupper(text[i]) == text[i])
				break;
			text[i] = toupper(text[i]);
		}
		if (i == p->length)
			to[count++] = (struct table_pair){ short_key(text, i), number };
	}
	return count;
}

static bool has_case(const struct outputs *o, uint32_t output)
{
	while (!o->list[output].cased && o->list[output].next)
		output = o->list[output].next - 1;
	return o->list[output].cased;
}

/*
 * Give the spelling @key, which @members match, an output: that of the folded text if no output in
 * its list has case bits. The shorter spellings have theirs already.
 */
static int add_spelling(struct outputs *o, uint32_t key, const uint32_t *members, size_t count)
{
	uint8_t text[NFAC_GRAM] = { key, key >> 8, key >> 16 };
	uint32_t length = key >> 24, number, next;

	number = find(o->short_patterns, o->short_count, o->fold ? nfac_fold4(key) : key);
	if (has_case(o, number)) {
		next = find_suffix(o->spellings, o->spellings_count, text, length);
		number = outputs_add(o, length, false, members, count);
		if (number == TRIE_NONE)
			return -ENOMEM;
		o->list[number].next = next == TRIE_NONE ? 0 : next + 1;
	}
	o->spellings[o->spellings_count++] = (struct table_pair){ key, number };
	return 0;
}

int short_patterns_build(struct outputs *o)
{
	size_t room = o->patterns_count * SPELLINGS_MAX + 1, count = 0, i, j;
	struct table_pair *all = malloc(room * sizeof(*all));
	uint32_t *members = malloc(room * sizeof(*members));
	int err = -ENOMEM;

	qsort(o->short_patterns, o->short_count, sizeof(*o->short_patterns), by_key);
	for (i = 0; i < o->short_count; i++)
		outputs_inherit(o, o->short_patterns[i].value, TRIE_NONE);
	if (!all || !members)
		goto out;
	for (i = 0; i < o->patterns_count; i++)
		if (o->patterns[i].length < NFAC_GRAM)
			count += list_spellings(o, i, all + count);
	qsort(all, count, sizeof(*all), by_key);
	o->spellings = calloc(count + 1, sizeof(*o->spellings));
	if (!o->spellings)
		goto out;
	for (i = 0, err = 0; !err && i < count; i = j) {
		for (j = i; j < count && all[j].key == all[i].key; j++)
			members[j - i] = all[j].value;
		err = add_spelling(o, all[i].key, members, j - i);
	}
out:
	free(all);
	free(members);
	return err;
}
