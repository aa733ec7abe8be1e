/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trie of the long patterns, with failure links.
 *
 * States are numbered in depth-first order, children by rising label, so a
 * state's first child, when it has one, is the next number, and a path without
 * branches is a run of numbers.
 */
#ifndef _NFAC_TRIE_H
#define _NFAC_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRIE_NONE	UINT32_MAX

/**
 * struct trie - arrays with an element for each state; state 0 is the root
 * @states: how many
 * @label: byte on the edge from the parent
 * @depth: bytes from the root, 0 .. NFAC_PATTERN_MAX
 * @sibling: next child of the same parent, or 0
 * @fail: longest proper suffix that is a state (Aho and Corasick)
 * @strong: nearest state of depth >= NFAC_GRAM on the failure path that knows a
 *	byte this one does not, or TRIE_NONE
 * @back: depth of the first state less deep than NFAC_GRAM on the failure path
 * @output: of the longest pattern that ends here, or TRIE_NONE
 *
 * Owned by nfac_compile(), freed by trie_free().
 */
struct trie {
	uint32_t states;
	uint32_t room;
	uint8_t *label;
	uint16_t *depth;
	uint32_t *sibling;
	uint32_t *fail;
	uint32_t *strong;
	uint8_t *back;
	uint32_t *output;
};

/* One distinct text, in sorted order. */
struct trie_key {
	const uint8_t *bytes;
	uint32_t length;
	uint32_t output;
};

/**
 * trie_build() - make the trie of sorted, distinct texts
 * Return: 0, -ENOMEM, -E2BIG.
 */
int trie_build(struct trie *trie, const struct trie_key *keys, size_t count);

/**
 * trie_link() - find the failure links, and the outputs of suffixes
 * @trie: built; states without an output of their own inherit that of their failure
 * @inherit: called for each state with an output of its own, with the output of its longest proper
 *	suffix, or TRIE_NONE
 * @context: for @inherit
 * / Return: 0, -ENOMEM.
 */
int trie_link(struct trie *trie,
	      void (*inherit)(void *context, uint32_t output, uint32_t suffix),
	      void *context);

/* All states by rising depth, for the caller to free; NULL without memory. */
uint32_t *trie_by_depth(const struct trie *trie);

void trie_free(struct trie *trie);

static inline uint32_t trie_first(const struct trie *trie, uint32_t state)
{
	uint32_t next = state + 1;

	return next < trie->states && trie->depth[next] == trie->depth[state] + 1u ?
	       next : 0;
}

/* The bytes that lead to @state, at most four. @gram: those of the state before it. */
static inline uint32_t trie_gram(const struct trie *trie, uint32_t state, uint32_t gram)
{
	uint32_t shift = 8 * (trie->depth[state] - 1u);

	return (gram & ((1ull << shift) - 1)) | (uint32_t)trie->label[state] << shift;
}

#endif /* _NFAC_TRIE_H */
