// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of TOML, one header or key at a time. It refuses each mistake with file and line.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/message.h"
#include "toml.h"

static int fault(const struct toml *toml, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Report a mistake in the line that is read. Return: -1. */
static int fault(const struct toml *toml, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	complain_at(toml->file, toml->line, "%s", length < 0 ? format : text);
	if (length >= 0)
		free(text);
	return -1;
}

void toml_open(struct toml *toml, const struct file *file)
{
	toml->file = file->name;
	toml->start = (const char *)file->bytes;
	toml->at = toml->start;
	toml->end = toml->at + file->size;
	toml->line = 1;
}

void toml_entry_free(struct toml_entry *entry)
{
	size_t i;

	for (i = 0; i < entry->name_count; i++)
		free(entry->names[i]);
	for (i = 0; i < entry->count; i++)
		free(entry->items[i].text);
	free(entry->items);
	memset(entry, 0, sizeof(*entry));
}

static int peek(const struct toml *toml)
{
	return toml->at < toml->end ? (unsigned char)*toml->at : EOF;
}

static void skip_blanks(struct toml *toml)
{
	while (peek(toml) == ' ' || peek(toml) == '\t')
		toml->at++;
}

static bool control(int byte)
{
	return (byte < ' ' && byte != '\t' && byte != EOF) || byte == 0x7f;
}

/* A line's end, "\n" or "\r\n". Return: 1: it was there, 0: not. */
static int line_end(struct toml *toml)
{
	bool both = toml->end - toml->at > 1 && toml->at[0] == '\r' && toml->at[1] == '\n';

	if (!both && peek(toml) != '\n')
		return 0;
	toml->at += both ? 2 : 1;
	toml->line++;
	return 1;
}

static int skip_comment(struct toml *toml)
{
	const char *end;

	if (peek(toml) != '#')
		return 0;
	end = memchr(toml->at, '\n', toml->end - toml->at);
	end = end ? end : toml->end;
	for (; toml->at < end; toml->at++)
		if (control(peek(toml)) && !(*toml->at == '\r' && toml->at + 1 == end))
			return fault(toml, "a comment has a control byte");
		else if (*toml->at == '\r')
			break;
	return 0;
}

/* Blanks, comments and line ends. */
static int skip_space(struct toml *toml)
{
	do {
		skip_blanks(toml);
		if (skip_comment(toml))
			return -1;
	} while (line_end(toml));
	return 0;
}

/* Nothing but a comment may follow in the line. */
static int end_of_line(struct toml *toml)
{
	const char *end;

	skip_blanks(toml);
	if (skip_comment(toml))
		return -1;
	if (peek(toml) == EOF || line_end(toml))
		return 0;
	for (end = toml->at; end < toml->end && *end != '\r' && *end != '\n'; end++)
		;
	return fault(toml, "'%.*s' is too much in this line", (int)(end - toml->at), toml->at);
}

static bool utf8(const char *text, size_t length)
{
	json_t *string = json_stringn(text, length);

	json_decref(string);
	return string;
}

/* The bytes of a code point. Return: their number, 0: there is no such code point. */
static size_t encode(char *to, unsigned long code)
{
	if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	if (code < 0x80) {
		to[0] = code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = 0xc0 | code >> 6;
		to[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	if (code < 0x10000) {
		to[0] = 0xe0 | code >> 12;
		to[1] = 0x80 | (code >> 6 & 0x3f);
		to[2] = 0x80 | (code & 0x3f);
		return 3;
	}
	to[0] = 0xf0 | code >> 18;
	to[1] = 0x80 | (code >> 12 & 0x3f);
	to[2] = 0x80 | (code >> 6 & 0x3f);
	to[3] = 0x80 | (code & 0x3f);
	return 4;
}

/* What follows a backslash. Return: bytes written, at most 4; -1 after saying why. */
static int escape(struct toml *toml, char *to)
{
	static const char letters[] = "btnfr\"\\", bytes[] = "\b\t\n\f\r\"\\";
	int letter = peek(toml), digits = letter == 'u' ? 4 : 8, i;
	const char *known;
	unsigned long code = 0;
	size_t length;

	known = letter > 0 ? strchr(letters, letter) : NULL;
	if (known) {
		toml->at++;
		*to = bytes[known - letters];
		return 1;
	}
	if (letter != 'u' && letter != 'U')
		return fault(toml, "a backslash in \"...\" is followed by one of b t n f r \" \\ u U; text in '...' takes it as it is");
	toml->at++;
	for (i = 0; i < digits; i++, toml->at++) {
		if (!isxdigit(peek(toml)))
			return fault(toml, "\\%c takes %d hexadecimal digits", letter, digits);
		code = code * 16 + (isdigit(peek(toml)) ? peek(toml) - '0' :
				    (peek(toml) | 0x20) - 'a' + 10);
	}
	length = encode(to, code);
	if (!length)
		return fault(toml, "\\%c%0*lx is no character", letter, digits, code);
	return length;
}

/* A string in quotes of either kind. Return: its text; NULL after saying why not. */
static char *read_string(struct toml *toml)
{
	char quote = *toml->at, *text, *to;
	const char *line = memchr(toml->at, '\n', toml->end - toml->at);
	int got;

	if (toml->end - toml->at > 2 && toml->at[1] == quote && toml->at[2] == quote) {
		fault(toml, "text of several lines (%c%c%c) is not used here", quote, quote, quote);
		return NULL;
	}
	text = malloc((line ? line : toml->end) - toml->at + 1);
	to = text;
	if (!text) {
		complain("out of memory");
		return NULL;
	}
	for (toml->at++; peek(toml) != quote;) {
		if (peek(toml) == EOF || peek(toml) == '\n' || peek(toml) == '\r') {
			fault(toml, "the quote %c is not closed in its line", quote);
			goto bad;
		}
		if (control(peek(toml))) {
			fault(toml, "a string has a control byte: write it as \\uXXXX in \"...\"");
			goto bad;
		}
		if (quote != '"' || *toml->at != '\\') {
			*to++ = *toml->at++;
			continue;
		}
		toml->at++;
		got = escape(toml, to);
		if (got < 0)
			goto bad;
		to += got;
	}
	toml->at++;
	*to = 0;
	if (utf8(text, to - text))
		return text;
	fault(toml, "a string is not UTF-8");
bad:
	free(text);
	return NULL;
}

static bool bare(int byte)
{
	return byte != EOF && (isalnum(byte) || byte == '_' || byte == '-') && byte < 0x80;
}

/* Return: a key, or a part of a table's name; NULL after saying why not. */
static char *read_name(struct toml *toml)
{
	const char *from = toml->at;
	char *name;

	if (peek(toml) == '"' || peek(toml) == '\'')
		return read_string(toml);
	while (bare(peek(toml)))
		toml->at++;
	if (toml->at == from) {
		fault(toml, peek(toml) == EOF || isspace(peek(toml)) ? "a name is missing" :
		      "a name has letters, digits, _ and -; put others in quotes");
		return NULL;
	}
	name = strndup(from, toml->at - from);
	if (!name)
		complain("out of memory");
	return name;
}

static bool whole_number(const char *text)
{
	bool hex = text[0] == '0' && text[1] == 'x';
	const char *digits = hex ? text + 2 : text + (*text == '-' || *text == '+');
	const char *at;

	if (!isxdigit((unsigned char)*digits) || (!hex && *digits == '0' && digits[1]))
		return false;
	for (at = digits; *at; at++)
		if (!(hex ? isxdigit((unsigned char)*at) : isdigit((unsigned char)*at)) &&
		    !(*at == '_' && isxdigit((unsigned char)at[1])))
			return false;
	return true;
}

static void remove_underscores(char *text)
{
	char *to = text;

	for (text += *text == '+'; *text; text++)
		if (*text != '_')
			*to++ = *text;
	*to = 0;
}

static int read_word(struct toml *toml, struct toml_scalar *value)
{
	const char *from = toml->at;

	while (peek(toml) != EOF && !strchr(" \t\r\n,]#\"'={}[", *toml->at))
		toml->at++;
	if (toml->at == from)
		return fault(toml, peek(toml) == '{' ? "inline tables ({ ... }) are not used here" :
			     "a value is missing");
	value->text = strndup(from, toml->at - from);
	if (!value->text)
		return complain("out of memory");
	value->kind = TOML_BOOLEAN;
	if (!strcmp(value->text, "true") || !strcmp(value->text, "false"))
		return 0;
	value->kind = TOML_INTEGER;
	if (whole_number(value->text)) {
		remove_underscores(value->text);
		return 0;
	}
	fault(toml, isalpha((unsigned char)*from) || *from == '/' ?
	      "'%s': put text in quotes" :
	      "'%s' is neither text in quotes, a whole number (decimal, or hexadecimal after 0x), true nor false",
	      value->text);
	free(value->text);
	return -1;
}

/* One more value of the entry's. */
static int read_scalar(struct toml *toml, struct toml_entry *entry)
{
	struct toml_scalar *larger, value = { .kind = TOML_STRING };

	if (peek(toml) == '"' || peek(toml) == '\'') {
		value.text = read_string(toml);
		if (!value.text)
			return -1;
	} else if (read_word(toml, &value)) {
		return -1;
	}
	larger = realloc(entry->items, (entry->count + 1) * sizeof(*larger));
	if (!larger) {
		free(value.text);
		return complain("out of memory");
	}
	entry->items = larger;
	entry->items[entry->count++] = value;
	return 0;
}

static int read_array(struct toml *toml, struct toml_entry *entry)
{
	unsigned int line = toml->line;

	entry->array = true;
	toml->at++;
	for (;;) {
		if (skip_space(toml))
			return -1;
		if (peek(toml) == ']')
			break;
		if (peek(toml) == EOF)
			return complain_at(toml->file, line, "the list is not closed by ']'");
		if (peek(toml) == '[')
			return fault(toml, "lists in lists are not used here");
		if (read_scalar(toml, entry) || skip_space(toml))
			return -1;
		if (peek(toml) == ']')
			break;
		if (peek(toml) != ',')
			return fault(toml, "values of a list are separated by commas");
		toml->at++;
	}
	toml->at++;
	return 0;
}

static int read_header(struct toml *toml, struct toml_entry *entry)
{
	bool array = toml->end - toml->at > 1 && toml->at[1] == '[';

	entry->what = array ? TOML_ARRAY_TABLE : TOML_TABLE;
	toml->at += array ? 2 : 1;
	for (;;) {
		skip_blanks(toml);
		if (entry->name_count == TOML_NAMES)
			return fault(toml, "no table's name has more than %d parts", TOML_NAMES);
		entry->names[entry->name_count] = read_name(toml);
		if (!entry->names[entry->name_count])
			return -1;
		entry->name_count++;
		skip_blanks(toml);
		if (peek(toml) != '.')
			break;
		toml->at++;
	}
	if (peek(toml) != ']' || (array && (toml->end - toml->at < 2 || toml->at[1] != ']')))
		return fault(toml, "the table's name is not closed by '%s'", array ? "]]" : "]");
	toml->at += array ? 2 : 1;
	return end_of_line(toml);
}

static int read_pair(struct toml *toml, struct toml_entry *entry)
{
	entry->what = TOML_KEY;
	entry->names[0] = read_name(toml);
	if (!entry->names[0])
		return -1;
	entry->name_count = 1;
	skip_blanks(toml);
	if (peek(toml) == '.')
		return fault(toml, "keys with dots are not used here: open a table, as [set.%s]",
			     entry->names[0]);
	if (peek(toml) != '=')
		return fault(toml, "'%s' is followed by neither '=' nor a value: a line is KEY = VALUE, or [TABLE]",
			     entry->names[0]);
	toml->at++;
	skip_blanks(toml);
	if (peek(toml) == '[' ? read_array(toml, entry) : read_scalar(toml, entry))
		return -1;
	return end_of_line(toml);
}

int toml_next(struct toml *toml, struct toml_entry *entry)
{
	toml_entry_free(entry);
	if (skip_space(toml))
		return -1;
	if (peek(toml) == EOF)
		return 0;
	entry->line = toml->line;
	return (peek(toml) == '[' ? read_header(toml, entry) : read_pair(toml, entry)) ? -1 : 1;
}

void toml_skip_table(struct toml *toml)
{
	const char *end;

	for (;;) {
		if (toml->at == toml->start || toml->at[-1] == '\n') {
			skip_blanks(toml);
			if (peek(toml) == EOF || peek(toml) == '[')
				return;
		}
		end = memchr(toml->at, '\n', toml->end - toml->at);
		toml->at = end ? end + 1 : toml->end;
		toml->line += !!end;
		if (!end)
			return;
	}
}

int toml_print_string(FILE *to, const char *text)
{
	if (!utf8(text, strlen(text)))
		return complain("'%s' is not UTF-8, which a configuration file is", text);
	putc('"', to);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else if (control((unsigned char)*text) || *text == '\t')
			fprintf(to, "\\u%04x", (unsigned char)*text);
		else
			putc(*text, to);
	}
	putc('"', to);
	return 0;
}

int toml_print_name(FILE *to, const char *name)
{
	const char *at = name;

	while (bare((unsigned char)*at))
		at++;
	if (!*name || *at)
		return toml_print_string(to, name);
	fputs(name, to);
	return 0;
}
