/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outputs: which patterns stand for one text, and what a match of it reports.
 */
#ifndef _NFAC_OUTPUTS_H
#define _NFAC_OUTPUTS_H

#include <stdbool.h>

#include "compiler.h"
#include "perfect_hash.h"
#include "trie.h"

/**
 * struct output - patterns that match at the same places
 * @length: of the pattern
 * @next: output + 1 that holds too wherever this one does; 0: none
 * @first: its patterns, an index into struct outputs.members
 * @count: how many
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
 * @spellings: all that the short patterns match, by key, with their output
 * @fold: some pattern is nocase: the automaton reads folded text
 * @cases: some output is cased
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

/* Number of the first of @keys that does not come before these bytes. */
size_t outputs_first_key(const struct outputs *o, const uint8_t *bytes, uint32_t length);

/* Return: the new output's number, or TRIE_NONE without memory. */
uint32_t outputs_add(struct outputs *o, uint32_t length, bool cased, const uint32_t *members,
		     size_t count);

/*
 * A longer text's output is followed by its suffix's, or a short one's where @suffix is
 * TRIE_NONE; for trie_link().
 */
void outputs_inherit(void *outputs, uint32_t output, uint32_t suffix);

/**
 * outputs_check() - does each list keep to NFAC_OUTPUT_COMPARES_MAX? Once all are linked.
 * @culprit: set to a pattern whose list does not
 *
 * Return: 0, -ERANGE, -ENOMEM.
 */
int outputs_check(const struct outputs *o, size_t *culprit);

/* shorts.c: key of a text of 1 .. NFAC_GRAM - 1 bytes in the table of short patterns. */
uint32_t short_key(const uint8_t *text, uint32_t length);

/* Output of the longest short text that is a proper suffix of @text, or TRIE_NONE. */
uint32_t short_suffix(const struct outputs *o, const uint8_t *text, uint32_t length);

/* Link the short texts, and give each spelling its output. Return: 0, -ENOMEM. */
int short_patterns_build(struct outputs *o);

/* How far before this output its next one stands, or 0: nowhere near. */
uint32_t output_back(const struct outputs *o, const struct output *output);

/* Does the text's case agree with the next output whenever it does with this one? */
bool output_same_case(const struct outputs *o, const struct output *output);

/* Extra words that an output takes in a blob; 0: its id stands with it. */
size_t output_extra_words(const struct outputs *o, const struct output *output);
bool output_limited(const struct outputs *o, const struct output *output);

#endif /* _NFAC_OUTPUTS_H */
