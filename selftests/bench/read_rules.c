// SPDX-License-Identifier: GPL-2.0
/*
 * The content keywords of Suricata rules: enough of the syntax to tell where a
 * keyword ends. Negated contents are left out, because no matcher searches for them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "set.h"

#define CONTENT_MAX	4096

/* A content waits here until the next keyword shows whether it is nocase. */
struct content {
	uint8_t bytes[CONTENT_MAX];
	size_t len;
	bool nocase;
};

static int flush(struct bench_set *set, struct content *c)
{
	int ret = set_add(set, c->bytes, c->len, c->nocase);

	c->len = 0;
	c->nocase = false;
	return ret;
}

/* @text: the bytes between the quotes, @len of them */
static void decode(struct content *c, const char *text, size_t len)
{
	bool hex = false;

	c->len = 0;
	for (size_t i = 0; i < len && c->len < CONTENT_MAX; i++) {
		if (text[i] == '|') {
			hex = !hex;
		} else if (hex) {
			char digits[3];

			if (i + 1 >= len || !isxdigit((unsigned char)text[i]))
				continue;
			digits[0] = text[i];
			digits[1] = text[++i];
			digits[2] = 0;
			c->bytes[c->len++] = strtoul(digits, NULL, 16);
		} else {
			if (text[i] == '\\' && i + 1 < len)
				i++;
			c->bytes[c->len++] = text[i];
		}
	}
}

/* The end of a keyword: the next ';' that is neither quoted nor escaped. */
static const char *keyword_end(const char *at)
{
	bool quoted = false;

	for (; *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (*at == ';' && !quoted)
			break;
	}
	return at;
}

static int read_rule(struct bench_set *set, const char *rule)
{
	const char *at = strchr(rule, '(');
	struct content c = { .len = 0 };
	int ret = 0;

	if (!at)
		return 0;
	for (at++; !ret && *at; ) {
		const char *end = keyword_end(at);

		while (at < end && isspace((unsigned char)*at))
			at++;
		if (!strncasecmp(at, "content:", 8)) {
			const char *open = memchr(at, '"', end - at);
			const char *close = memrchr(at, '"', end - at);

			ret = flush(set, &c);
			if (open && close > open && !memchr(at, '!', open - at))
				decode(&c, open + 1, close - open - 1);
		} else if (end - at >= 6 && !strncasecmp(at, "nocase", 6)) {
			c.nocase = true;
		}
		at = *end ? end + 1 : end;
	}
	return ret ? ret : flush(set, &c);
}

int set_read_rules(struct bench_set *set, const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!f) {
		perror(path);
		return -1;
	}
	while (!ret && getline(&line, &room, f) >= 0)
		if (line[0] != '#')
			ret = read_rule(set, line);
	free(line);
	fclose(f);
	return ret;
}
