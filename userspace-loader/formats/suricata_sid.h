/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules by their group and number (gid, sid): the two identify a rule, and a higher revision of it
 * replaces a lower one.
 */
#ifndef _NFAC_SURICATA_SID_H
#define _NFAC_SURICATA_SID_H

#include "formats.h"

/* The group of entries that only say that an id is taken; no rule can have it. */
#define SID_ID_GROUP	UINT32_MAX

/**
 * struct sid_entry - a rule in the table
 * @gid: its group
 * @sid: its number
 * @rev: its revision
 * @id: what a match of it reports: its sid, unless a rule of another group has that one
 * @index: of its pattern in the list
 * @notes: its conditions that are not checked, a line each; NULL: it is exact
 * @confirmed: user space checks all of these
 * @flowbits_tested: the connections' bits that it tests
 * @place: file and line; a line of 0: the slot is free
 */
struct sid_entry {
	uint32_t gid, sid, rev, id;
	size_t index;
	const char *notes;
	bool confirmed;
	uint64_t flowbits_tested;
	struct place place;
};

/**
 * sid_table_get() - the entry of a rule
 *
 * A new one has the line 0 in its place: the caller fills it in before the next call.
 *
 * Return: the entry, valid until the next call; NULL after saying why.
 */
struct sid_entry *sid_table_get(struct sid_table *table, uint32_t gid, uint32_t sid);

#endif /* _NFAC_SURICATA_SID_H */
