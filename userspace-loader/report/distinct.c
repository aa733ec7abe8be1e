// SPDX-License-Identifier: GPL-2.0
/*
 * Counting distinct values in hash tables with a bound on their number (DISTINCT_MAX).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "capture/payload.h"
#include "capture/siphash.h"
#include "common/message.h"
#include "distinct.h"

#define ROOM_FIRST	1024u

int distinct_init(struct distinct *set)
{
	memset(set, 0, sizeof(*set));
	if (getrandom(set->key, sizeof(set->key), 0) != sizeof(set->key))
		return complain("no random numbers: %s", strerror(errno));
	set->room = ROOM_FIRST;
	set->slots = calloc(set->room, sizeof(*set->slots));
	return set->slots ? 0 : complain("out of memory");
}

void distinct_free(struct distinct *set)
{
	free(set->slots);
}

uint64_t distinct_hash(const struct distinct *set, const uint64_t *words, size_t count)
{
	return siphash(words, count, set->key);
}

/* Return: the slot that has @hash, or the free one where it belongs. */
static uint64_t *slot_of(const struct distinct *set, uint64_t hash)
{
	size_t at = hash & (set->room - 1);

	while (set->slots[at] && set->slots[at] != hash)
		at = (at + 1) & (set->room - 1);
	return &set->slots[at];
}

static bool make_room(struct distinct *set)
{
	struct distinct larger = *set;
	size_t i;

	if (set->used < set->room / 2)
		return true;
	larger.room = set->room * 2;
	larger.slots = set->used < DISTINCT_MAX ? calloc(larger.room, sizeof(*set->slots)) : NULL;
	if (!larger.slots)
		return false;
	for (i = 0; i < set->room; i++)
		if (set->slots[i])
			*slot_of(&larger, set->slots[i]) = set->slots[i];
	free(set->slots);
	*set = larger;
	return true;
}

/* 0 is a free slot. */
static uint64_t hash_of(const struct distinct *set, const uint64_t *words, size_t count)
{
	uint64_t hash = distinct_hash(set, words, count);

	return hash ? hash : 1;
}

bool distinct_has(const struct distinct *set, const uint64_t *words, size_t count)
{
	return *slot_of(set, hash_of(set, words, count));
}

static uint64_t end_hash(const struct distinct *set, const uint8_t address[16], uint16_t port)
{
	uint64_t words[3] = { 0, 0, port };

	memcpy(words, address, 16);
	return distinct_hash(set, words, 3);
}

uint64_t distinct_connection(const struct distinct *set, const struct payload *ends)
{
	const uint64_t source = end_hash(set, ends->saddr, ends->sport);
	const uint64_t target = end_hash(set, ends->daddr, ends->dport);
	const uint64_t words[] = {
		source < target ? source : target, source < target ? target : source,
		(uint64_t)ends->family << 8 | ends->protocol,
	};

	return distinct_hash(set, words, 3);
}

bool distinct_add(struct distinct *set, const uint64_t *words, size_t count)
{
	const uint64_t hash = hash_of(set, words, count);

	if (*slot_of(set, hash))
		return false;
	if (!make_room(set)) {
		set->full = true;
		return false;
	}
	*slot_of(set, hash) = hash;
	set->used++;
	return true;
}
