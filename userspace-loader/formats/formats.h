/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pattern files: their readers, and the list that they fill.
 *
 * A reader takes a file's bytes and adds patterns to a list. It refuses a bad file with a
 * sentence that names file and line; the list must not be used after that.
 */
#ifndef _NFAC_FORMATS_H
#define _NFAC_FORMATS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/compiler.h"

#define PATTERN_FLOWBITS	64	/* a connection has as many bits */

struct chunk;
struct file;
struct sid_entry;

/* A place in a pattern file, for messages. @line counts from 1. */
struct place {
	const char *file;
	unsigned int line;
};

/*
 * Rules by number, see suricata_sid.h. @room: a power of two; @substitutes: ids given to rules
 * whose sid was taken.
 */
struct sid_table {
	size_t count, room;
	uint32_t substitutes;
	struct sid_entry *slots;
};

/* A rule that is left out, and why. */
struct rule_refusal {
	struct place place;
	uint32_t gid, sid;
	const char *why;
};

/**
 * struct pattern_list - patterns of any number of files
 * @items: the patterns, in input order
 * @places: the place of each of them
 * @count: of @items
 * @room: of @items, allocated
 * @chunks: memory of bytes, limits and labels; never moves
 * @rules: rules read, by formats that have rules
 * @refused: rules without a pattern that can be their anchor, listed on stderr
 * @refusals: these, with the reason; @refusal_room: allocated
 * @sids: rules by number, by formats that have such
 * @flowbits: names of the connections' bits, by formats that have such
 * @flowbit_count: of @flowbits
 * @flowbits_lost: those that a refused or inexact rule changes
 * @names: domain names read
 *
 * Owned by the caller that initialised it with zeros, until pattern_list_free().
 */
struct pattern_list {
	struct nfac_pattern *items;
	struct place *places;
	size_t count, room;
	struct chunk *chunks;
	size_t rules, refused, refusal_room;
	struct rule_refusal *refusals;
	struct sid_table sids;
	const char *flowbits[PATTERN_FLOWBITS];
	size_t flowbit_count;
	uint64_t flowbits_lost;
	uint32_t names;
};

/**
 * struct format_options - how to read
 * @format: name, or NULL: plain
 * @nocase: plain: letters match in either case
 * @quiet: rules: do not list what cannot be expressed, only count it
 * @rules: compile keeps the list of all rules with the set
 * @words: patterns of the command line, behind those of files; each line of one is a pattern
 * @set_vars, @vars: values of --set-var and --vars, which have taken effect already
 * @decode: "url" or "none"; NULL: as the format has it
 * @once: for option_once()
 */
#define FORMAT_VARIABLES	64
struct format_options {
	const char *format;
	const char *decode;
	bool nocase;
	bool quiet;
	bool rules;
	char **words;
	size_t word_count;
	const char *set_vars[FORMAT_VARIABLES], *vars[FORMAT_VARIABLES];
	size_t set_var_count, vars_count;
	uint32_t once;
};

/**
 * pattern_list_add() - copy one pattern into the list
 * @place: for the message when the pattern is empty, too long, or one too many
 *
 * Its id is its number in the list; the caller may change all but @bytes.
 *
 * Return: the pattern, valid until the next call; NULL after saying why.
 */
struct nfac_pattern *pattern_list_add(struct pattern_list *list,
				      const struct place *place,
				      const uint8_t *bytes, size_t length);

/* Memory that lives as long as the list, aligned for any type; NULL after saying why. */
void *pattern_list_alloc(struct pattern_list *list, size_t bytes);
void pattern_list_free(struct pattern_list *list);

/**
 * pattern_list_read() - read files in one format
 *
 * Return: 0; -1 after saying why (also when there is no pattern in all the files).
 */
int pattern_list_read(struct pattern_list *list, const struct format_options *options,
		      char *const *files, size_t count);

/* The same of one file that was read already. */
int pattern_list_read_bytes(struct pattern_list *list, const struct format_options *options,
			    const struct file *file);

/* For file_read(): say if a file that begins so is no list. Return: 0: it may be one; or -1. */
int pattern_list_unfit(const struct file *file);

/* Are lists of this format searched for in the decoded view by default? */
bool format_decodes(const char *name);

/* Say on stderr if there is no such format. */
bool format_known(const char *name);

/**
 * struct line_reader - a file's lines
 * @at: the next line's first byte
 * @end: of the file
 * @place: of the line last read
 * @warned: for line_doubt()
 */
struct line_reader {
	const uint8_t *at, *end;
	struct place place;
	unsigned int warned;
};

/* The next line without its '\n' or "\r\n"; false at the end of the file. */
bool line_next(struct line_reader *reader, const uint8_t **line, size_t *length);

/* Warn of a line that is hardly meant as a pattern, of each kind once a file. */
void line_doubt(struct line_reader *reader, const uint8_t *line, size_t length);

/*
 * The readers. Return: 0; -1 after saying why.
 *
 * plain: a line is a pattern, with escapes. crs: a line is a phrase, or a comment, and letters
 * match in either case. suricata: see formats/suricata.c. domains: see formats/domains.c.
 */
int plain_read(struct pattern_list *list, const struct format_options *options,
	       struct line_reader *lines);
int crs_read(struct pattern_list *list, const struct format_options *options,
	     struct line_reader *lines);
int domains_read(struct pattern_list *list, const struct format_options *options,
		 struct line_reader *lines);
int suricata_read(struct pattern_list *list, const struct format_options *options,
		  struct line_reader *lines);

/*
 * Rules that test bits which a refused or inexact rule changes: make them inexact, too. To be
 * called when all rules are read. Return: 0, or -1 after saying why.
 */
int rules_settle(struct pattern_list *list);

/* Say how many rules are exact, inexact and refused, and for which keywords. */
void rules_summary(const struct pattern_list *list);

/* A list of all rules: gid, sid, file, line, state, reasons. */
json_t *rules_json(const struct pattern_list *list);

/* Give a variable of rules its value: "NAME=VALUE". Return: 0; -1 after saying why. */
int rule_variable_set(const char *text);

/* Read the variables of a Suricata configuration (YAML). Return: 0; -1 after saying why. */
int rule_variables_read(const char *name);

/* Forget all variables. */
void rule_variables_clear(void);

/* Does this line, of a list in another format, look like a rule? */
bool suricata_is_rule(const uint8_t *line, size_t length);

#endif /* _NFAC_FORMATS_H */
