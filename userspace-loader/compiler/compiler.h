/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler: patterns in, blob out.
 *
 * Knows nothing of files, formats or terminals: the readers in formats/ make the
 * patterns, the commands say what went wrong.
 */
#ifndef _NFAC_COMPILER_H
#define _NFAC_COMPILER_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

/**
 * struct nfac_pattern_limits - where a match of a pattern counts
 * @offset: the match begins at this byte of the payload or later
 * @end: the match ends at this byte or before; 0: anywhere
 * @protocol: IPPROTO_*; 0: any
 * @port_low: lowest port, host order
 * @port_high: highest port; 0: any port
 * @source_port: the range speaks of the source port, not the destination's
 */
struct nfac_pattern_limits {
	uint32_t offset;
	uint32_t end;
	uint8_t protocol;
	bool source_port;
	uint16_t port_low;
	uint16_t port_high;
};

/**
 * struct nfac_pattern - one pattern, as a reader gives it
 * @bytes: the pattern, owned by the caller; any byte values
 * @length: 1 .. NFAC_PATTERN_MAX
 * @id: what a match reports; need not be unique
 * @nocase: ASCII letters match in either case
 * @limits: where it counts, or NULL: everywhere
 * @label: a human's name for it (Suricata's msg), or NULL
 * @details: what its rule says about itself (common/rule_details.h), or NULL
 * @program: the conditions of the rule that the pattern is the anchor of, in host byte order
 *	(kmod/engine/rules/program.h); NULL: the pattern is all of the rule
 * @program_words: words of @program
 */
struct nfac_pattern {
	const uint8_t *bytes;
	uint32_t length;
	uint32_t id;
	bool nocase;
	const struct nfac_pattern_limits *limits;
	const char *label;
	const char *details;
	const uint32_t *program;
	uint32_t program_words;
};

/* What the automaton's states become (see blob.h); a set without long ones has none. */
enum nfac_layout {
	NFAC_LAYOUT_ANY,	/* what suits the set */
	NFAC_LAYOUT_RECORDS,
	NFAC_LAYOUT_SUFFIX,	/* records, and a map of ends whatever it is worth */
	NFAC_LAYOUT_DARRAY,	/* a double array; -E2BIG if the set is too large for one */
	NFAC_LAYOUT_DARRAY32,	/* the same with slots of 32 bits, for larger ones */
};

/**
 * struct nfac_compile_options - all may be zero
 * @progress: called now and then with per cent done, 0 .. 100
 * @context: for @progress
 * @culprit: where to put the index of the pattern that -ERANGE is about
 * @layout: which; all find the same matches
 */
struct nfac_compile_options {
	void (*progress)(void *context, unsigned int percent);
	void *context;
	size_t *culprit;
	enum nfac_layout layout;
};

/**
 * nfac_compile() - compile patterns into a blob
 * @patterns: at least one
 * @count: 1 .. NFAC_PATTERNS_MAX
 * @options: or NULL
 * @blob: set to the blob, from malloc(), 64-byte aligned; the caller frees it
 * @size: set to its size in bytes
 *
 * Return: 0; -EINVAL (no pattern, or one that is empty or too long), -E2BIG (too
 * many patterns or states), -ERANGE (to refuse all patterns that end where one ends
 * would cost more than NFAC_OUTPUT_COMPARES_MAX), -ENOMEM.
 */
int nfac_compile(const struct nfac_pattern *patterns, size_t count,
		 const struct nfac_compile_options *options,
		 void **blob, size_t *size);

/**
 * struct nfac_image - a blob bound to a matcher in user space
 *
 * Owned by whoever called nfac_image_open(); constant until nfac_image_close().
 */
struct nfac_image;
struct nfac_automaton;

/* Words of the set's programs. */
uint32_t nfac_image_program_words(const struct nfac_image *image);

/**
 * nfac_image_open() - verify a blob and make it ready to match
 * @blob: the blob; must stay until nfac_image_close()
 * @size: bytes
 * @why: on failure, a sentence (static storage), else untouched
 * @word: on failure, index of the faulty word
 *
 * Return: the image, or NULL with errno set (EBADMSG, EPROTO, ENOMEM).
 */
struct nfac_image *nfac_image_open(const void *blob, size_t size,
				   const char **why, uint32_t *word);
void nfac_image_close(struct nfac_image *image);
const struct nfac_automaton *nfac_image_automaton(const struct nfac_image *image);

/**
 * struct nfac_image_figures - what the header says of a verified blob
 * @patterns: number of patterns, duplicates counted
 * @states: nodes of the trie with its root
 * @node_bytes: the automaton's nodes
 * @total_bytes: all that the kernel holds to match: nodes, outputs, filter,
 *	tables, tile directory
 */
struct nfac_image_figures {
	uint64_t patterns;
	uint64_t states;
	uint64_t node_bytes;
	uint64_t total_bytes;
};

void nfac_image_figures(const struct nfac_image *image,
			struct nfac_image_figures *figures);

/**
 * nfac_image_pattern() - the pattern that an id stands for
 * @image: open image; the first call lists its names, so one thread at a time
 * @id: as struct nfac_hit gives it
 * @pattern: filled with the first pattern of that id (bytes, length, nocase, label
 *	point into the blob; limits is NULL)
 *
 * Return: false when the blob has no such id or no names.
 */
bool nfac_image_pattern(struct nfac_image *image, uint32_t id,
			struct nfac_pattern *pattern);

#endif /* _NFAC_COMPILER_H */
