// SPDX-License-Identifier: GPL-2.0
/*
 * domains: a list of domain names, which match themselves and all names below them, in a DNS
 * query, in the server name of a TLS handshake, and in an HTTP request's host.
 *
 * A line is a name; a line of a hosts file, with an address and names; or AdGuard's ||name^. Lines
 * that begin with # or ! are comments, and so is what follows a blank and #.
 *
 * Each name becomes two patterns, as it is in TLS and HTTP and as it is in DNS, with one program:
 * the program compares ".name" with the end of the requested name, with a dot put before it.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "../../kmod/engine/rules/program.h"
#include "common/message.h"
#include "formats.h"

#define NAME_MAX_BYTES	253u	/* RFC 1035: 255 on the wire */
#define LABEL_MAX	63u

/* Put the name into lower case, without a last dot. Return: NULL, or what is wrong. */
static const char *read_name(const char *word, size_t length, char *name)
{
	size_t i, label = 0;

	if (length && word[length - 1] == '.')
		length--;
	if (!length || length > NAME_MAX_BYTES)
		return "a name has 1 to 253 bytes";
	for (i = 0; i < length; i++) {
		unsigned char c = tolower((unsigned char)word[i]);

		if (c != '.' && c != '-' && c != '_' && !isalnum(c))
			return "a name has letters, digits, '-', '_' and dots (others: xn--...)";
		if (c == '.' && !label)
			return "a label is empty";
		label = c == '.' ? 0 : label + 1;
		if (label > LABEL_MAX)
			return "a label has more than 63 bytes";
		name[i] = c;
	}
	name[length] = 0;
	return NULL;
}

/* The program that both patterns of a name share; NULL without memory. */
static const uint32_t *name_program(struct pattern_list *list, const char *name, uint32_t id,
				    uint32_t *words)
{
	const size_t head = sizeof(struct nfac_program) / 4, length = strlen(name) + 1;
	const size_t count = head + 5 + (length + 3) / 4;
	uint32_t *p = pattern_list_alloc(list, count * 4);
	size_t i;

	if (!p)
		return NULL;
	memset(p, 0, count * 4);
	p[0] = count;
	p[1] = id;
	p[3] = 1u << 16;
	p[head] = NFAC_CONDITION_CONTENT | (uint32_t)(count - head) << 8 |
		  (uint32_t)NFAC_BUFFER_HOSTNAME << 24;
	p[head + 1] = NFAC_CONDITION_ENDSWITH | NFAC_CONDITION_ANCHOR |
		      (uint32_t)NFAC_TRANSFORM_DOTPREFIX << 16;
	p[head + 2] = length;
	p[head + 5] = '.';
	for (i = 1; i < length; i++)
		p[head + 5 + i / 4] |= (uint32_t)(uint8_t)name[i - 1] << i % 4 * 8;
	*words = count;
	return p;
}

/* As DNS has it: each label behind its length, and the root's at the end. Return: its bytes. */
static size_t wire_name(const char *name, uint8_t *wire)
{
	size_t used = 0, label;

	while (*name) {
		label = strcspn(name, ".");
		wire[used++] = label;
		memcpy(wire + used, name, label);
		used += label;
		name += label + (name[label] == '.');
	}
	wire[used++] = 0;
	return used;
}

static int add_name(struct pattern_list *list, const struct place *place, const char *name)
{
	uint8_t wire[NAME_MAX_BYTES + 2];
	struct nfac_pattern *pattern;
	const uint32_t *program;
	uint32_t id = ++list->names, words = 0;

	program = name_program(list, name, id, &words);
	if (!program)
		return -1;
	pattern = pattern_list_add(list, place, (const uint8_t *)name, strlen(name));
	if (!pattern)
		return -1;
	pattern->id = id;
	pattern->nocase = true;
	pattern->program = program;
	pattern->program_words = words;
	pattern = pattern_list_add(list, place, wire, wire_name(name, wire));
	if (!pattern)
		return -1;
	pattern->id = id;
	pattern->nocase = true;
	pattern->program = program;
	pattern->program_words = words;
	return 0;
}

/* What hosts files have for the machine itself. */
static bool is_local(const char *name)
{
	static const char *const names[] = {
		"localhost", "localhost.localdomain", "local", "broadcasthost", "ip6-localhost",
		"ip6-loopback", "ip6-localnet", "ip6-mcastprefix", "ip6-allnodes",
		"ip6-allrouters", "ip6-allhosts",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static bool is_address(const char *word)
{
	uint8_t bytes[16];

	return inet_pton(AF_INET, word, bytes) == 1 || inet_pton(AF_INET6, word, bytes) == 1;
}

/* ||name^ is the name; other lines of AdGuard's syntax do not mean the same. */
static const char *take_marks(char **word)
{
	size_t length = strlen(*word);

	if (strncmp(*word, "||", 2))
		return strpbrk(*word, "|^@$/*") ? "not a name, nor ||name^" : NULL;
	if (length < 4 || (*word)[length - 1] != '^')
		return "what follows ||name^ is not understood";
	(*word)[length - 1] = 0;
	*word += 2;
	return NULL;
}

/* One line's names, of which an address may come first. */
static int read_line(struct pattern_list *list, const struct place *place, char *text)
{
	char *word, *rest = text, name[NAME_MAX_BYTES + 1] = "";
	bool address = false, some = false;
	const char *what;

	while ((word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		if (*word == '#')
			break;
		if (is_address(word)) {
			address = true;
			continue;
		}
		if (some && !address)
			return complain_at(place->file, place->line,
					   "two names in a line without an address");
		some = true;
		what = take_marks(&word);
		if (!what)
			what = read_name(word, strlen(word), name);
		if (what)
			return complain_at(place->file, place->line, "'%.64s': %s", word, what);
		if (address && is_local(name))
			continue;
		if (add_name(list, place, name))
			return -1;
	}
	return 0;
}

int domains_read(struct pattern_list *list, const struct format_options *options,
		 struct line_reader *lines)
{
	const uint8_t *line;
	char text[4096];
	size_t length;

	if (options->nocase)
		return complain("--nocase is for plain lists: names match in either case");
	while (line_next(lines, &line, &length)) {
		if (!length || *line == '#' || *line == '!')
			continue;
		if (length >= sizeof(text) || memchr(line, 0, length))
			return complain_at(lines->place.file, lines->place.line,
					   "no line of a list of names");
		memcpy(text, line, length);
		text[length] = 0;
		if (read_line(list, &lines->place, text))
			return -1;
	}
	return 0;
}
