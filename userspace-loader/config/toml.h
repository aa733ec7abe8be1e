/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TOML: the reader of configuration files, one table header or key at a time.
 *
 * It reads the part of TOML 1.0 that a configuration needs: tables, arrays of tables, keys with
 * strings of one line, whole numbers, booleans, and arrays of these. Every file that it accepts
 * is TOML; the rest of TOML (floats, dates, inline tables, dotted keys before a value, strings of
 * several lines) is refused by name. What belongs to which table, and repeated keys, are the
 * caller's to check.
 */
#ifndef _NFAC_TOML_H
#define _NFAC_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct file;

enum toml_kind { TOML_STRING, TOML_INTEGER, TOML_BOOLEAN };

/* @text: a string's text, a number's digits, "true" or "false". */
struct toml_scalar {
	enum toml_kind kind;
	char *text;
};

enum toml_what { TOML_TABLE, TOML_ARRAY_TABLE, TOML_KEY };

#define TOML_NAMES	3	/* in one table header */

/**
 * struct toml_entry - a table header, or a key with its value
 * @names: of the table, @name_count of them; of a key one
 * @line: where it begins
 * @array: the value is an array
 * @items: the value, or the array's @count values
 */
struct toml_entry {
	enum toml_what what;
	char *names[TOML_NAMES];
	size_t name_count;
	unsigned int line;
	bool array;
	struct toml_scalar *items;
	size_t count;
};

/* A file that is being read. @line: that of @at. */
struct toml {
	const char *file, *start, *at, *end;
	unsigned int line;
};

void toml_open(struct toml *toml, const struct file *file);

/**
 * toml_next() - the next header or key
 * @entry: zero, or the one before, which is freed
 *
 * Return: 1; 0: the end of the file; -1 after saying what is wrong, with file and line.
 */
int toml_next(struct toml *toml, struct toml_entry *entry);
void toml_entry_free(struct toml_entry *entry);

/* After a mistake: go to the next line that begins with "[", or to the end. */
void toml_skip_table(struct toml *toml);

/* Print a string in quotes. Return: 0; -1 after saying that it is not UTF-8. */
int toml_print_string(FILE *to, const char *text);

/* The same of a name in a table header: without quotes where it needs none. */
int toml_print_name(FILE *to, const char *name);

#endif /* _NFAC_TOML_H */
