// SPDX-License-Identifier: GPL-2.0
/*
 * The table of rules by group and number, with open addressing; it grows at half full.
 */
#include <stdlib.h>

#include "common/message.h"
#include "suricata_sid.h"

/* Open addressing, at most half full (Knuth, TAOCP 3, 6.4); a line of 0 is a free slot. */
static struct sid_entry *slot_of(struct sid_entry *slots, size_t room, uint32_t gid, uint32_t sid)
{
	size_t at = ((sid ^ (uint64_t)gid << 32) * 0x9e3779b97f4a7c15ull) >> 20;

	for (;; at++) {
		struct sid_entry *slot = &slots[at & (room - 1)];

		if (!slot->place.line || (slot->sid == sid && slot->gid == gid))
			return slot;
	}
}

/* Room for two more. Return: 0, or -1 after saying why. */
static int make_room(struct sid_table *table)
{
	size_t i, room = table->room ? 2 * table->room : 1024;
	struct sid_entry *slots;

	if (2 * (table->count + 2) <= table->room)
		return 0;
	slots = calloc(room, sizeof(*slots));
	if (!slots)
		return complain("out of memory");
	for (i = 0; i < table->room; i++)
		if (table->slots[i].place.line)
			*slot_of(slots, room, table->slots[i].gid, table->slots[i].sid) =
				table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->room = room;
	return 0;
}

/* Take an id for a rule: its sid, or the highest that is free. */
static uint32_t take_id(struct sid_table *table, uint32_t sid)
{
	struct sid_entry *slot = slot_of(table->slots, table->room, SID_ID_GROUP, sid);
	uint32_t id = sid;

	while (slot->place.line) {
		id = UINT32_MAX - table->substitutes++;
		slot = slot_of(table->slots, table->room, SID_ID_GROUP, id);
	}
	*slot = (struct sid_entry) { .gid = SID_ID_GROUP, .sid = id, .place.line = 1 };
	table->count++;
	return id;
}

struct sid_entry *sid_table_get(struct sid_table *table, uint32_t gid, uint32_t sid)
{
	struct sid_entry *slot;
	uint32_t id;

	if (make_room(table))
		return NULL;
	slot = slot_of(table->slots, table->room, gid, sid);
	if (slot->place.line)
		return slot;
	id = take_id(table, sid);
	slot = slot_of(table->slots, table->room, gid, sid);
	*slot = (struct sid_entry) { .gid = gid, .sid = sid, .id = id };
	table->count++;
	return slot;
}
