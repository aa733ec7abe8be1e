// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "common/message.h"
#include "suricata_sid.h"

/* Open addressing, at most half full (Knuth, TAOCP 3, 6.4); a line of 0 is a free slot. */
struct sid_slot {
	uint32_t sid;
	struct place place;
};

static struct sid_slot *slot_of(struct sid_slot *slots, size_t room, uint32_t sid)
{
	size_t at = (sid * 0x9e3779b97f4a7c15ull) >> 20;

	for (;; at++) {
		struct sid_slot *slot = &slots[at & (room - 1)];

		if (!slot->place.line || slot->sid == sid)
			return slot;
	}
}

/* Return: 0, or -1 after saying why. */
static int grow(struct sid_table *table)
{
	size_t i, room = table->room ? 2 * table->room : 1024;
	struct sid_slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return complain("out of memory");
	for (i = 0; i < table->room; i++)
		if (table->slots[i].place.line)
			*slot_of(slots, room, table->slots[i].sid) = table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->room = room;
	return 0;
}

const struct place *sid_table_add(struct sid_table *table, uint32_t sid,
				  const struct place *place, int *err)
{
	struct sid_slot *slot;

	*err = 2 * table->count >= table->room ? grow(table) : 0;
	if (*err)
		return NULL;
	slot = slot_of(table->slots, table->room, sid);
	if (slot->place.line)
		return &slot->place;
	slot->sid = sid;
	slot->place = *place;
	table->count++;
	return NULL;
}
