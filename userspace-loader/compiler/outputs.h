/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outputs: the patterns of one text, and what a match of it reports.
 */
#ifndef _NFAC_OUTPUTS_H
#define _NFAC_OUTPUTS_H

#include <stdbool.h>

#include "compiler.h"
#include "perfect_hash.h"
#include "trie.h"

/**
 * struct output - patterns that match at the same positions
 * @length: of the pattern
 * @next: output + 1 that also matches wherever this one does; 0: none
 * @first: its patterns, an index into struct outputs.members
 * @count: number of its patterns
 * @cased: the set folds, this pattern does not
 */
struct output {
	uint32_t length;
	uint32_t next;
	uint32_t first;
	uint32_t count;
	bool cased;
};

/**
 * struct outputs - of a whole set; owned by nfac_compile()
 * @patterns: the caller's
 * @text: for each pattern its bytes as the automaton reads them
 * @members: patterns by number, grouped
 * @keys: the distinct long texts, sorted, with their first output
 * @short_patterns: the distinct short texts, by key, with their first output
 * @spellings: all spellings of the short patterns, by key, with their output
 * @fold: some pattern is nocase: the automaton reads folded text
 * @letter_case: some output is cased
 */
struct outputs {
	const struct nfac_pattern *patterns;
	size_t patterns_count;
	const uint8_t **text;
	uint8_t *folded;
	struct output *list;
	size_t count, room;
	uint32_t *members;
	size_t members_count, members_room;
	struct trie_key *keys;
	size_t keys_count;
	struct table_pair *short_patterns;
	size_t short_count;
	struct table_pair *spellings;
	size_t spellings_count;
	bool fold;
	bool letter_case;
};

/**
 * outputs_build() - group the patterns
 * Return: 0, -EINVAL (an empty or too long pattern), -ENOMEM.
 */
int outputs_build(struct outputs *o, const struct nfac_pattern *patterns, size_t count);
void outputs_free(struct outputs *o);

/* Index of the first of @keys that does not sort before these bytes. */
size_t outputs_first_key(const struct outputs *o, const uint8_t *bytes, uint32_t length);

/* Return: the new output's number, or TRIE_NONE without memory. */
uint32_t outputs_add(struct outputs *o, uint32_t length, bool cased, const uint32_t *members,
		     size_t count);

/*
 * Append to the list of a longer text's output that of its suffix; with @suffix TRIE_NONE that of
 * its longest short suffix. Callback of trie_link().
 */
void outputs_inherit(void *outputs, uint32_t output, uint32_t suffix);

/**
 * outputs_check() - is each list within NFAC_OUTPUT_COMPARES_MAX? Called when all are linked.
 * @culprit: set to a pattern whose list is not
 * / Return: 0, -ERANGE, -ENOMEM.
 */
int outputs_check(const struct outputs *o, size_t *culprit);

/* Key of a text of 1 .. NFAC_GRAM - 1 bytes in the table of short patterns (short_patterns.c). */
uint32_t short_key(const uint8_t *text, uint32_t length);

/* Output of the longest short text that is a proper suffix of @text, or TRIE_NONE. */
uint32_t short_suffix(const struct outputs *o, const uint8_t *text, uint32_t length);

/* Link the short texts, and give each spelling its output. Return: 0, -ENOMEM. */
int short_patterns_build(struct outputs *o);

/* Distance back to the next output; 0: there is none, or it is too far. */
uint32_t output_back(const struct outputs *o, const struct output *output);

/* If the text's case agrees with this output, does it agree with the next one? */
bool output_same_case(const struct outputs *o, const struct output *output);

/* Words of an output's extra; 0: it has none. */
size_t output_extra_words(const struct outputs *o, const struct output *output);
bool output_limited(const struct outputs *o, const struct output *output);

#endif /* _NFAC_OUTPUTS_H */
