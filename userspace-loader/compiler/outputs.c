// SPDX-License-Identifier: GPL-2.0
/*
 * Grouping patterns into outputs.
 *
 * Patterns of one text share a state. In a set that folds, "Foo" and "foo" are one
 * text too; each then has an output of its own that asks for its case, and the
 * outputs of one text are a list.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "outputs.h"
#include "../../kmod/automaton.h"
#include "../../uapi/linux/nfac_blob.h"

static bool has_letters(const struct nfac_pattern *p)
{
	uint32_t i;

	for (i = 0; i < p->length; i++)
		if ((uint8_t)((p->bytes[i] | 0x20) - 'a') < 26)
			return true;
	return false;
}

static bool is_cased(const struct outputs *o, uint32_t number)
{
	const struct nfac_pattern *p = &o->patterns[number];

	return o->fold && !p->nocase && has_letters(p);
}

static int by_text(const void *a, const void *b, void *context)
{
	const struct outputs *o = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t lx = o->patterns[x].length, ly = o->patterns[y].length;
	int way = memcmp(o->text[x], o->text[y], lx < ly ? lx : ly);

	if (way)
		return way;
	if (lx != ly)
		return lx < ly ? -1 : 1;
	if (is_cased(o, x) != is_cased(o, y))
		return is_cased(o, x) ? 1 : -1;
	if (is_cased(o, x)) {
		way = memcmp(o->patterns[x].bytes, o->patterns[y].bytes, lx);
		if (way)
			return way;
	}
	return x < y ? -1 : 1;
}

static int read_patterns(struct outputs *o)
{
	size_t i, bytes = 0;
	uint8_t *to;

	for (i = 0; i < o->patterns_count; i++) {
		const struct nfac_pattern *p = &o->patterns[i];

		if (!p->length || p->length > NFAC_PATTERN_MAX)
			return -EINVAL;
		o->fold |= p->nocase && has_letters(p);
		bytes += p->length;
	}
	o->text = calloc(o->patterns_count, sizeof(*o->text));
	o->folded = malloc(o->fold ? bytes : 1);
	if (!o->text || !o->folded)
		return -ENOMEM;
	for (i = 0, to = o->folded; i < o->patterns_count; i++) {
		const struct nfac_pattern *p = &o->patterns[i];
		uint32_t k;

		o->text[i] = o->fold ? to : p->bytes;
		for (k = 0; o->fold && k < p->length; k++)
			*to++ = nfac_fold1(p->bytes[k]);
	}
	return 0;
}

/* Return: the new output's number, or TRIE_NONE without memory. */
static uint32_t add_output(struct outputs *o, uint32_t length, bool cased,
			   const uint32_t *members, size_t count)
{
	if (o->count == o->room) {
		size_t room = o->room ? 2 * o->room : 256;
		void *p = realloc(o->list, room * sizeof(*o->list));

		if (!p)
			return TRIE_NONE;
		o->list = p;
		o->room = room;
	}
	if (o->members_count + count > o->members_room) {
		size_t room = 2 * o->members_room + count + 256;
		void *p = realloc(o->members, room * sizeof(*o->members));

		if (!p)
			return TRIE_NONE;
		o->members = p;
		o->members_room = room;
	}
	o->list[o->count] = (struct output){
		.length = length, .first = o->members_count, .count = count,
		.cased = cased,
	};
	memcpy(o->members + o->members_count, members, count * sizeof(*members));
	o->members_count += count;
	o->cases |= cased && length >= NFAC_GRAM;
	return o->count++;
}

static bool same_text(const struct outputs *o, uint32_t x, uint32_t y)
{
	return o->patterns[x].length == o->patterns[y].length &&
	       !memcmp(o->text[x], o->text[y], o->patterns[x].length);
}

static bool same_output(const struct outputs *o, uint32_t x, uint32_t y)
{
	return same_text(o, x, y) && is_cased(o, x) == is_cased(o, y) &&
	       (!is_cased(o, x) || !memcmp(o->patterns[x].bytes, o->patterns[y].bytes,
					   o->patterns[x].length));
}

/* @sorted: numbers of the long patterns, by text. */
static int group_long(struct outputs *o, const uint32_t *sorted, size_t count)
{
	size_t i, j;

	o->keys = calloc(count + 1, sizeof(*o->keys));
	if (!o->keys)
		return -ENOMEM;
	for (i = 0; i < count; i = j) {
		const struct nfac_pattern *p = &o->patterns[sorted[i]];
		uint32_t number;

		for (j = i + 1; j < count && same_output(o, sorted[i], sorted[j]); j++)
			;
		number = add_output(o, p->length, is_cased(o, sorted[i]), sorted + i, j - i);
		if (number == TRIE_NONE)
			return -ENOMEM;
		if (i && same_text(o, sorted[i - 1], sorted[i]))
			o->list[number - 1].next = number + 1;
		else
			o->keys[o->keys_count++] = (struct trie_key){
				o->text[sorted[i]], p->length, number,
			};
	}
	return 0;
}

/* A short pattern in one of its cases. */
struct spelling {
	uint32_t key;
	uint32_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct spelling *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* All spellings of a pattern of up to 3 bytes: at most 8. */
static size_t spell(const struct nfac_pattern *p, uint32_t number, struct spelling *to)
{
	uint32_t upper, bit, count = 0, keys[8];

	for (upper = 0; upper < 1u << p->length; upper++) {
		uint32_t key = p->length << 24;

		for (bit = 0; bit < p->length; bit++) {
			uint8_t c = p->bytes[bit];

			if (p->nocase) {
				c = nfac_fold1(c);
				if (upper >> bit & 1)
					c = toupper(c);
			}
			key |= (uint32_t)c << 8 * bit;
		}
		keys[count++] = key;
	}
	qsort(keys, count, sizeof(*keys), by_value);
	for (bit = upper = 0; bit < count; bit++) {
		if (bit && keys[bit] == keys[bit - 1])
			continue;
		to[upper++] = (struct spelling){ keys[bit], number };
	}
	return upper;
}

static int group_short(struct outputs *o, const struct spelling *all, size_t spellings)
{
	uint32_t *only = malloc(o->patterns_count * sizeof(*only));
	uint32_t *members = malloc((spellings + 1) * sizeof(*members));
	size_t i, j, k;
	int err = -ENOMEM;

	o->shorts = calloc(spellings + 1, sizeof(*o->shorts));
	if (!only || !members || !o->shorts)
		goto out;
	memset(only, 0xff, o->patterns_count * sizeof(*only));
	for (i = 0; i < spellings; i = j) {
		uint32_t number = TRIE_NONE;

		for (j = i; j < spellings && all[j].key == all[i].key; j++)
			;
		/* the spellings of one pattern share its output */
		if (j - i == 1)
			number = only[all[i].number];
		if (number == TRIE_NONE) {
			for (k = i; k < j; k++)
				members[k - i] = all[k].number;
			number = add_output(o, all[i].key >> 24, false, members, j - i);
			if (number == TRIE_NONE)
				goto out;
			if (j - i == 1)
				only[all[i].number] = number;
		}
		o->shorts[o->shorts_count++] = (struct table_pair){ all[i].key, number };
	}
	err = 0;
out:
	free(only);
	free(members);
	return err;
}

int outputs_build(struct outputs *o, const struct nfac_pattern *patterns, size_t count)
{
	struct spelling *spellings = NULL;
	size_t i, longs = 0, shorts = 0;
	uint32_t *sorted = NULL;
	int err;

	memset(o, 0, sizeof(*o));
	o->patterns = patterns;
	o->patterns_count = count;
	err = read_patterns(o);
	if (err)
		goto out;
	err = -ENOMEM;
	for (i = 0; i < count; i++)
		longs += patterns[i].length >= NFAC_GRAM;
	sorted = malloc((longs + 1) * sizeof(*sorted));
	spellings = malloc(((count - longs) * 8 + 1) * sizeof(*spellings));
	if (!sorted || !spellings)
		goto out;
	for (i = 0, longs = 0; i < count; i++) {
		if (patterns[i].length >= NFAC_GRAM)
			sorted[longs++] = i;
		else
			shorts += spell(&patterns[i], i, spellings + shorts);
	}
	qsort_r(sorted, longs, sizeof(*sorted), by_text, o);
	err = group_long(o, sorted, longs);
	if (err)
		goto out;
	qsort(spellings, shorts, sizeof(*spellings), by_key);
	err = group_short(o, spellings, shorts);
out:
	free(sorted);
	free(spellings);
	if (err)
		outputs_free(o);
	return err;
}

void outputs_inherit(void *outputs, uint32_t output, uint32_t suffix)
{
	struct outputs *o = outputs;

	while (o->list[output].next)
		output = o->list[output].next - 1;
	o->list[output].next = suffix == TRIE_NONE ? 0 : suffix + 1;
}

bool output_limited(const struct outputs *o, const struct output *output)
{
	uint32_t i;

	for (i = 0; i < output->count; i++)
		if (o->patterns[o->members[output->first + i]].limits)
			return true;
	return false;
}

/* What it costs to refuse an output: see NFAC_LOOKS_MAX. */
static uint64_t looks_of(const struct outputs *o, const struct output *output)
{
	return (output->cased ? NFAC_CASE_LOOKS(output->length) : 0) +
	       (output_limited(o, output) ? output->count : 0);
}

int outputs_check(const struct outputs *o, size_t *culprit)
{
	uint16_t *sums = calloc(o->count, sizeof(*sums));	/* and one: known */
	int err = sums ? 0 : -ENOMEM;
	uint32_t at, next;
	uint64_t total;
	size_t i;

	for (i = 0; !err && i < o->count; i++) {
		for (next = i + 1, total = 0; next && !sums[next - 1]; next = o->list[at].next) {
			at = next - 1;
			total += looks_of(o, &o->list[at]);
		}
		if (next)
			total += sums[next - 1] - 1;
		if (total > NFAC_LOOKS_MAX) {
			*culprit = o->members[o->list[i].first];
			err = -ERANGE;
			break;
		}
		for (next = i + 1; next && !sums[next - 1]; next = o->list[at].next) {
			at = next - 1;
			sums[at] = total + 1;
			total -= looks_of(o, &o->list[at]);
		}
	}
	free(sums);
	return err;
}

uint32_t output_back(const struct outputs *o, const struct output *output)
{
	size_t number = output - o->list, next = output->next;

	/* a list of one text goes forward, to a later output */
	if (!next || next - 1 >= number || number - (next - 1) > NFAC_OUT_BACK_MAX)
		return 0;
	return number - (next - 1);
}

bool output_same_case(const struct outputs *o, const struct output *output)
{
	const struct output *next = o->list + output->next - 1;
	const uint8_t *mine, *its;
	uint32_t i;

	if (!output->cased || !output->next || !next->cased || next->length >= output->length)
		return false;
	mine = o->patterns[o->members[output->first]].bytes + output->length - next->length;
	its = o->patterns[o->members[next->first]].bytes;
	for (i = 0; i < next->length; i++)
		if ((mine[i] ^ its[i]) & 0x20)
			return false;
	return true;
}

size_t output_extra_words(const struct outputs *o, const struct output *output)
{
	bool limited = output_limited(o, output);

	if (output->count == 1 && !output->cased && !limited &&
	    (!output->next || output_back(o, output)))
		return 0;
	return 1 + (output->count > 1) + (output->cased ? (output->length + 31) / 32 : 0) +
	       (size_t)output->count * (limited ? 5 : 1);
}

void outputs_free(struct outputs *o)
{
	free(o->text);
	free(o->folded);
	free(o->list);
	free(o->members);
	free(o->keys);
	free(o->shorts);
	memset(o, 0, sizeof(*o));
}
