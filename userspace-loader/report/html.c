// SPDX-License-Identifier: GPL-2.0
/*
 * Writing texts and figures into HTML.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "html.h"
#include "timeline.h"

/* Decode a character of UTF-8 (RFC 3629). Return: its bytes; 0: there is none. */
static size_t decode(const uint8_t *text, uint32_t *character)
{
	static const struct {
		uint8_t mask, lead;
		uint32_t least;
	} forms[] = { { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
	size_t form, i;

	*character = *text;
	if (*text < 0x80)
		return 1;
	for (form = 0; form < 3; form++) {
		if ((*text & forms[form].mask) != forms[form].lead)
			continue;
		*character = *text & ~forms[form].mask & 0xff;
		for (i = 1; i <= form + 1; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			*character = *character << 6 | (text[i] & 0x3f);
		}
		if (*character < forms[form].least || *character > 0x10ffff ||
		    (*character & 0x1ff800) == 0xd800)
			return 0;
		return form + 2;
	}
	return 0;
}

/* Characters without a picture, and those that change how others are shown. */
static bool is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe0fff);
}

void html_text(FILE *to, const char *text)
{
	const uint8_t *at = (const uint8_t *)text;
	uint32_t character;
	size_t length;

	for (; *at; at += length ? length : 1) {
		length = decode(at, &character);
		if (!length || (character < 0x100 && is_hidden(character)))
			fprintf(to, "\\x%02x", length ? character : *at);
		else if (is_hidden(character))
			fprintf(to, "\\u%04" PRIx32, character);
		else if (character == '&')
			fputs("&amp;", to);
		else if (character == '<')
			fputs("&lt;", to);
		else if (character == '>')
			fputs("&gt;", to);
		else if (character == '"')
			fputs("&quot;", to);
		else if (character == '\'')
			fputs("&#39;", to);
		else
			fwrite(at, 1, length, to);
	}
}

void html_number(FILE *to, uint64_t number)
{
	char digits[24];
	const char *at;

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	for (at = digits; *at; at++) {
		if (at > digits && strlen(at) % 3 == 0)
			putc(',', to);
		putc(*at, to);
	}
}

void html_count(FILE *to, uint64_t number, const char *one, const char *many)
{
	html_number(to, number);
	fprintf(to, " %s", number == 1 ? one : many);
}

void html_share(FILE *to, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * part / whole : 0;

	if (!whole)
		return;
	/* few is not none */
	if (part && percent < 0.01)
		fputs("&lt; 0.01 %", to);
	else
		fprintf(to, "%.*f %%", !part || part == whole ? 0 : percent < 1 ? 2 : 1, percent);
}

void html_time(FILE *to, int64_t time_ns)
{
	time_t seconds = time_ns / 1000000000;
	char text[32];
	struct tm tm;

	if (!time_is_known(time_ns)) {
		fputs("–", to);
		return;
	}
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	fputs(text, to);
}
