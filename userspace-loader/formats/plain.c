// SPDX-License-Identifier: GPL-2.0
/*
 * plain: a line is a pattern, taken as it is; \xHH \\ \n \t \r \0 are escapes.
 */
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "common/message.h"

static int hex(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that a letter after a backslash means; -1: none. */
static int escape(uint8_t letter)
{
	switch (letter) {
	case '\\':
		return '\\';
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	case '0':
		return 0;
	}
	return -1;
}

static int bad_escape(const struct place *place, const uint8_t *at, size_t left)
{
	if (left < 2)
		return complain_at(place->file, place->line,
				   "a lone \\ at the end of the line: write \\\\ for a backslash");
	if (at[1] == 'x')
		return complain_at(place->file, place->line,
				   "bad escape \\x: two hexadecimal digits must follow");
	if (at[1] < 0x21 || at[1] > 0x7e)
		return complain_at(place->file, place->line,
				   "bad escape: a backslash before byte 0x%02x; write \\\\ for a backslash",
				   at[1]);
	return complain_at(place->file, place->line,
			   "bad escape \\%c: there are \\xHH \\\\ \\n \\t \\r \\0", at[1]);
}

/* Decodes @line into @to, which has room for it; its length goes to @length. */
static int decode(const struct place *place, const uint8_t *line, size_t *length,
		  uint8_t *to)
{
	size_t i, out = 0;

	for (i = 0; i < *length; i++) {
		size_t left = *length - i;
		int value = line[i];

		if (value != '\\') {
			to[out++] = value;
			continue;
		}
		if (left >= 4 && line[i + 1] == 'x') {
			int high = hex(line[i + 2]), low = hex(line[i + 3]);

			value = high < 0 || low < 0 ? -1 : high << 4 | low;
			i += 3;
			if (value < 0)
				return bad_escape(place, line + i - 3, left);
		} else {
			value = left >= 2 ? escape(line[i + 1]) : -1;
			if (value < 0)
				return bad_escape(place, line + i, left);
			i++;
		}
		to[out++] = value;
	}
	*length = out;
	return 0;
}

static bool all_blank(const uint8_t *line, size_t length)
{
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	return !length;
}

int plain_read(struct pattern_list *list, const struct format_options *options,
	       struct line_reader *lines)
{
	uint8_t *decoded = malloc(lines->end - lines->at + 1);
	bool warned = false;
	struct nfac_pattern *pattern;
	const uint8_t *line;
	size_t length;
	int err = -1;

	if (!decoded)
		return complain("out of memory");
	while (line_next(lines, &line, &length)) {
		if (!length)
			continue;
		if (all_blank(line, length))
			complain_at(lines->place.file, lines->place.line,
				    "warning: this pattern is of blanks alone, almost everything matches it");
		if (*line == '#' && !warned) {
			complain_at(lines->place.file, lines->place.line,
				    "warning: a pattern, as every line is, '#' or not; there are comments with --format crs");
			warned = true;
		}
		line_doubt(lines, line, length);
		if (decode(&lines->place, line, &length, decoded))
			goto out;
		pattern = pattern_list_add(list, &lines->place, decoded, length);
		if (!pattern)
			goto out;
		pattern->nocase = options->nocase;
	}
	err = 0;
out:
	free(decoded);
	return err;
}
