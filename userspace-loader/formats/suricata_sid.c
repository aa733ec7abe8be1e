// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "message.h"
#include "suricata_sid.h"

/* Open addressing, at most half full (Knuth, TAOCP 3, 6.4); a line of 0 is a free slot. */
struct sid_table {
	size_t count, room;	/* @room: a power of two */
	struct sid_slot {
		uint32_t sid;
		struct place place;
	} *slots;
};

static struct sid_slot *slot_of(const struct sid_table *table, uint32_t sid)
{
	size_t at = (sid * 0x9e3779b97f4a7c15ull) >> 20;

	for (;; at++) {
		struct sid_slot *slot = &table->slots[at & (table->room - 1)];

		if (!slot->place.line || slot->sid == sid)
			return slot;
	}
}

/* Return: 0, or -1 after saying why. */
static int grow(struct sid_table *table)
{
	struct sid_table old = *table;
	size_t i;

	table->room = old.room ? 2 * old.room : 1024;
	table->slots = calloc(table->room, sizeof(*table->slots));
	if (!table->slots) {
		*table = old;
		return complain("out of memory");
	}
	for (i = 0; i < old.room; i++)
		if (old.slots[i].place.line)
			*slot_of(table, old.slots[i].sid) = old.slots[i];
	free(old.slots);
	return 0;
}

const struct place *sid_table_add(struct sid_table **table, uint32_t sid,
				  const struct place *place, int *err)
{
	struct sid_slot *slot;

	*err = 0;
	if (!*table)
		*table = calloc(1, sizeof(**table));
	if (!*table) {
		*err = complain("out of memory");
		return NULL;
	}
	if (2 * (*table)->count >= (*table)->room) {
		*err = grow(*table);
		if (*err)
			return NULL;
	}
	slot = slot_of(*table, sid);
	if (slot->place.line)
		return &slot->place;
	slot->sid = sid;
	slot->place = *place;
	(*table)->count++;
	return NULL;
}

void sid_table_free(struct sid_table *table)
{
	if (table)
		free(table->slots);
	free(table);
}
