// SPDX-License-Identifier: GPL-2.0
/*
 * The table of tallies: open addressing, at most half full (Knuth, TAOCP 3, 6.4).
 */
#include <stdlib.h>
#include <string.h>

#include "tallies.h"

/* Places of @slots; at most half are taken. */
#define SLOTS	(2 * TALLIES_MAX)

static bool make_room(struct tallies *table)
{
	size_t room = table->room ? 2 * table->room : 64;
	struct tally *all;

	if (!table->slots)
		table->slots = calloc(SLOTS, sizeof(*table->slots));
	if (!table->slots)
		return false;
	if (table->count < table->room)
		return true;
	if (table->count == TALLIES_MAX)
		return false;
	all = reallocarray(table->all, room, sizeof(*all));
	if (!all)
		return false;
	table->all = all;
	table->room = room;
	return true;
}

struct tally *tallies_get(struct tallies *table, const uint64_t key[TALLY_KEY_WORDS],
			  uint64_t hash)
{
	size_t at = hash & (SLOTS - 1), bytes = TALLY_KEY_WORDS * sizeof(*key);
	struct tally *tally;

	while (table->slots && table->slots[at]) {
		tally = &table->all[table->slots[at] - 1];
		if (!memcmp(tally->key, key, bytes))
			return tally;
		at = (at + 1) & (SLOTS - 1);
	}
	if (!make_room(table))
		return NULL;
	tally = &table->all[table->count++];
	memset(tally, 0, sizeof(*tally));
	memcpy(tally->key, key, bytes);
	table->slots[at] = table->count;
	return tally;
}

static int by_key(const void *left, const void *right)
{
	const struct tally *a = left, *b = right;
	size_t i;

	for (i = 0; i < TALLY_KEY_WORDS; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

static int by_matches(const void *left, const void *right)
{
	const struct tally *a = left, *b = right;

	if (a->matches != b->matches)
		return a->matches < b->matches ? 1 : -1;
	return by_key(left, right);
}

static void sort(struct tallies *table, int (*order)(const void *left, const void *right))
{
	if (table->count)
		qsort(table->all, table->count, sizeof(*table->all), order);
	free(table->slots);
	table->slots = NULL;
}

void tallies_sort(struct tallies *table)
{
	sort(table, by_matches);
}

void tallies_sort_by_key(struct tallies *table)
{
	sort(table, by_key);
}

void tallies_free(struct tallies *table)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		free(table->all[i].text);
		free(table->all[i].label);
		free(table->all[i].set);
	}
	free(table->all);
	free(table->slots);
}
