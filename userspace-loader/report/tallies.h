/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tallies: matches by what they have in common, a pattern, an address or an hour.
 */
#ifndef _NFAC_REPORT_TALLIES_H
#define _NFAC_REPORT_TALLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tallies of a table: an attacker chooses addresses. Matches of more are counted as others. */
#define TALLIES_MAX	65536u

/* What the matches have in common, in 64-bit words: compared, hashed and ordered as such. */
#define TALLY_KEY_WORDS	5

/**
 * struct tally - matches that have a key in common
 * @text: the pattern, address or hour
 * @label: a rule's msg, or NULL
 * @set: of events: the name of the pattern's set; else empty
 * @shown: the pattern's id, or the rule's sid
 * @matches: all of them; @inexact: of these
 * @packets, @connections: in which they are
 * @peers: of a pattern its sources; of an address its patterns
 * @first, @last: their time; 0: not known
 * @series: matches by period; NULL: not kept
 */
struct tally {
	uint64_t key[TALLY_KEY_WORDS];
	char *text, *label, *set;
	uint32_t shown;
	uint64_t matches, inexact, packets, connections, peers;
	int64_t first, last;
	uint64_t *series;
};

/**
 * struct tallies - a table of them
 * @all: in the order of their first match, or as they were sorted
 * @slots: indices plus one into @all, by the hash of the key; 0: free
 * @others: matches whose tally had no place
 */
struct tallies {
	struct tally *all;
	uint32_t *slots;
	size_t count, room;
	uint64_t others;
};

/* Return: the key's tally, whose @text is NULL if it is new; NULL: there is no place for it. */
struct tally *tallies_get(struct tallies *table, const uint64_t key[TALLY_KEY_WORDS],
			  uint64_t hash);

/* Order by matches, the most first, or by key; no tally is found from then on. */
void tallies_sort(struct tallies *table);
void tallies_sort_by_key(struct tallies *table);
void tallies_free(struct tallies *table);

#endif /* _NFAC_REPORT_TALLIES_H */
