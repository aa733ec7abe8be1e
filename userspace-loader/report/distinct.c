// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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

bool distinct_add(struct distinct *set, const uint64_t *words, size_t count)
{
	uint64_t hash = distinct_hash(set, words, count), *slot;

	/* 0 is a free slot */
	hash += !hash;
	slot = slot_of(set, hash);
	if (*slot)
		return false;
	if (!make_room(set)) {
		set->full = true;
		return false;
	}
	*slot_of(set, hash) = hash;
	set->used++;
	return true;
}
