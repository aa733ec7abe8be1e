// SPDX-License-Identifier: GPL-2.0
/*
 * Grouping patterns into outputs.
 *
 * Patterns of one text share a state. In a set that folds, "Foo" and "foo" are one text, too; each
 * then has an output of its own with case bits, and the outputs of one text form a list.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "outputs.h"
#include "../../kmod/engine/fold.h"
#include "../../kmod/engine/blob.h"

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

uint32_t outputs_add(struct outputs *o, uint32_t length, bool cased, const uint32_t *members,
		     size_t count)
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
	o->letter_case |= cased;
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

/* @sorted: numbers of the patterns, by text. */
static int group(struct outputs *o, const uint32_t *sorted)
{
	size_t count = o->patterns_count, i, j;

	o->keys = calloc(count + 1, sizeof(*o->keys));
	o->short_patterns = calloc(count + 1, sizeof(*o->short_patterns));
	if (!o->keys || !o->short_patterns)
		return -ENOMEM;
	for (i = 0; i < count; i = j) {
		const struct nfac_pattern *p = &o->patterns[sorted[i]];
		const uint8_t *text = o->text[sorted[i]];
		uint32_t number;

		for (j = i + 1; j < count && same_output(o, sorted[i], sorted[j]); j++)
			;
		number = outputs_add(o, p->length, is_cased(o, sorted[i]), sorted + i, j - i);
		if (number == TRIE_NONE)
			return -ENOMEM;
		if (i && same_text(o, sorted[i - 1], sorted[i]))
			o->list[number - 1].next = number + 1;
		else if (p->length < NFAC_GRAM)
			o->short_patterns[o->short_count++] = (struct table_pair){
				short_key(text, p->length), number,
			};
		else
			o->keys[o->keys_count++] = (struct trie_key){ text, p->length, number };
	}
	return 0;
}

int outputs_build(struct outputs *o, const struct nfac_pattern *patterns, size_t count)
{
	uint32_t *sorted = NULL;
	size_t i;
	int err;

	memset(o, 0, sizeof(*o));
	o->patterns = patterns;
	o->patterns_count = count;
	err = read_patterns(o);
	if (err)
		goto out;
	err = -ENOMEM;
	sorted = malloc((count + 1) * sizeof(*sorted));
	if (!sorted)
		goto out;
	for (i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), by_text, o);
	err = group(o, sorted);
	if (!err)
		err = short_patterns_build(o);
out:
	free(sorted);
	if (err)
		outputs_free(o);
	return err;
}

void outputs_inherit(void *outputs, uint32_t output, uint32_t suffix)
{
	struct outputs *o = outputs;
	struct output *last = &o->list[output];

	while (last->next)
		last = &o->list[last->next - 1];
	if (suffix == TRIE_NONE)
		suffix = short_suffix(o, o->text[o->members[last->first]], last->length);
	last->next = suffix == TRIE_NONE ? 0 : suffix + 1;
}

size_t outputs_first_key(const struct outputs *o, const uint8_t *bytes, uint32_t length)
{
	size_t low = 0, high = o->keys_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (memcmp(o->keys[mid].bytes, bytes, length) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool output_limited(const struct outputs *o, const struct output *output)
{
	uint32_t i;

	for (i = 0; i < output->count; i++)
		if (o->patterns[o->members[output->first + i]].limits ||
		    o->patterns[o->members[output->first + i]].program_words)
			return true;
	return false;
}

/* Cost of rejecting an output, see NFAC_OUTPUT_COMPARES_MAX. */
static uint64_t comparisons_of(const struct outputs *o, const struct output *output)
{
	return (output->cased ? NFAC_CASE_COMPARES(output->length) : 0) +
	       (output_limited(o, output) ? output->count : 0);
}

int outputs_check(const struct outputs *o, size_t *culprit)
{
	uint16_t *sums = calloc(o->count, sizeof(*sums));	/* cost + 1; 0: unknown */
	int err = sums ? 0 : -ENOMEM;
	uint32_t at, next;
	uint64_t total;
	size_t i;

	for (i = 0; !err && i < o->count; i++) {
		for (next = i + 1, total = 0; next && !sums[next - 1]; next = o->list[at].next) {
			at = next - 1;
			total += comparisons_of(o, &o->list[at]);
		}
		if (next)
			total += sums[next - 1] - 1;
		if (total > NFAC_OUTPUT_COMPARES_MAX) {
			*culprit = o->members[o->list[i].first];
			err = -ERANGE;
			break;
		}
		for (next = i + 1; next && !sums[next - 1]; next = o->list[at].next) {
			at = next - 1;
			sums[at] = total + 1;
			total -= comparisons_of(o, &o->list[at]);
		}
	}
	free(sums);
	return err;
}

uint32_t output_back(const struct outputs *o, const struct output *output)
{
	size_t number = output - o->list, next = output->next;

	/* the outputs of one text are listed forwards: the next one is a later output */
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
	       (size_t)output->count * (limited ? 1 + NFAC_LIMITS_WORDS : 1);
}

void outputs_free(struct outputs *o)
{
	free(o->text);
	free(o->folded);
	free(o->list);
	free(o->members);
	free(o->keys);
	free(o->short_patterns);
	free(o->spellings);
	memset(o, 0, sizeof(*o));
}
