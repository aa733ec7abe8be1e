/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler: patterns in, blob out.
 *
 * It is independent of files, formats and terminals: the readers in formats/ make the patterns, the
 * commands print errors.
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
 * @source_port: the range is of source ports, not destination ports
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

/* Layout of the automaton's states (see blob.h); a set without long patterns has none. */
enum nfac_layout {
	NFAC_LAYOUT_ANY,	/* the one that suits the set */
	NFAC_LAYOUT_RECORDS,
	NFAC_LAYOUT_SUFFIX,	/* records, always with a suffix filter */
	NFAC_LAYOUT_DARRAY,	/* a double array; -E2BIG if the set is too large for it */
	NFAC_LAYOUT_DARRAY32,	/* a double array with slots of 32 bits, for larger sets */
};

/**
 * struct nfac_compile_options - all may be zero
 * @progress: called now and then with the percentage done, 0 .. 100
 * @context: for @progress
 * @culprit: set to the index of the pattern that caused -ERANGE
 * @layout: of the states; all give the same matches
 * @decode_url: the set is also searched for in the decoded view (kmod/engine/decoded_view.h)
 */
struct nfac_compile_options {
	void (*progress)(void *context, unsigned int percent);
	void *context;
	size_t *culprit;
	enum nfac_layout layout;
	bool decode_url;
};

/**
 * nfac_compile() - compile patterns into a blob
 * @patterns: at least one
 * @count: 1 .. NFAC_PATTERNS_MAX
 * @options: or NULL
 * @blob: set to the blob, from malloc(), 64-byte aligned; the caller frees it
 * @size: set to its size in bytes
 * / Return: 0; -EINVAL (no pattern, or one that is empty or too long), -E2BIG (too many patterns or
 * states), -ERANGE (rejecting all patterns that end at one byte would cost more than
 * NFAC_OUTPUT_COMPARES_MAX), -ENOMEM.
 */
int nfac_compile(const struct nfac_pattern *patterns, size_t count,
		 const struct nfac_compile_options *options,
		 void **blob, size_t *size);

/**
 * struct nfac_image - a blob bound to a matcher in user space
 * / Owned by the caller of nfac_image_open(); constant until nfac_image_close().
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
 * struct nfac_image_figures - figures in the header of a verified blob
 * @patterns: number of patterns, duplicates counted
 * @states: nodes of the trie with its root
 * @node_bytes: the automaton's nodes
 * @total_bytes: kernel memory of the set: nodes, outputs, filter, tables, tile directory
 */
struct nfac_image_figures {
	uint64_t patterns;
	uint64_t states;
	uint64_t node_bytes;
	uint64_t total_bytes;
};

void nfac_image_figures(const struct nfac_image *image,
			struct nfac_image_figures *figures);

/* Is this byte in any pattern? True, too, if the patterns are not known. */
bool nfac_image_has_byte(const struct nfac_image *image, uint8_t byte);

/**
 * nfac_image_pattern() - find the pattern with an id
 * @image: open image; the first call lists its names, so one thread at a time
 * @id: as in struct nfac_hit
 * @pattern: filled with the first pattern of that id (bytes, length, nocase, label point into the
 *	blob; limits is NULL)
 * / Return: false if the blob has no such id or no names.
 */
bool nfac_image_pattern(struct nfac_image *image, uint32_t id,
			struct nfac_pattern *pattern);

#endif /* _NFAC_COMPILER_H */
