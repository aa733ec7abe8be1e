// SPDX-License-Identifier: GPL-2.0
/*
 * Variables of rules: addresses and ports that --set-var and --vars give.
 *
 * One table for the process: options are read before any rule. A command that compiles several
 * sets empties it between them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/message.h"
#include "formats.h"
#include "suricata.h"

#define FILE_BYTES_MAX	(16u << 20)	/* a configuration has some 100 KB */
#define VARIABLES_MAX	256	/* Suricata's own configuration has 30 */

static struct {
	char *name, *value;
} variables[VARIABLES_MAX];
static size_t variable_count;

const char *rule_variable_value(const char *name)
{
	size_t i;

	/* the last one given counts */
	for (i = variable_count; i--;)
		if (!strcmp(variables[i].name, name))
			return variables[i].value;
	return NULL;
}

void rule_variables_clear(void)
{
	while (variable_count) {
		variable_count--;
		free(variables[variable_count].name);
		free(variables[variable_count].value);
	}
}

static int add(const char *name, size_t name_length, const char *value, size_t value_length)
{
	if (variable_count == VARIABLES_MAX)
		return complain("more than %d variables", VARIABLES_MAX);
	variables[variable_count].name = strndup(name, name_length);
	variables[variable_count].value = strndup(value, value_length);
	if (!variables[variable_count].name || !variables[variable_count].value)
		return complain("out of memory");
	variable_count++;
	return 0;
}

int rule_variable_set(const char *text)
{
	const char *equals = strchr(text, '=');

	text += *text == '$';
	if (!equals || equals <= text || !equals[1])
		return complain("'%s': give NAME=VALUE", text);
	return add(text, equals - text, equals + 1, strlen(equals + 1));
}

/* A line NAME: "value" of a section; quotes may be left out. */
static int read_entry(const char *at, const char *end)
{
	const char *colon = memchr(at, ':', end - at), *value;

	if (!colon)
		return 0;
	for (value = colon + 1; value < end && isspace((unsigned char)*value); value++)
		;
	while (end > value && isspace((unsigned char)end[-1]))
		end--;
	if (end - value >= 2 && (*value == '"' || *value == '\'') && end[-1] == *value) {
		value++;
		end--;
	}
	return value < end ? add(at, colon - at, value, end - value) : 0;
}

/*
 * The sections address-groups and port-groups of a configuration of Suricata: lines that are
 * indented further than the section's name, up to the first that is not.
 */
int rule_variables_read(const char *name)
{
	size_t section = 0, indent;
	const char *at, *end, *stop;
	struct file file;
	bool in = false;
	int err = 0;

	if (file_read(&file, name, FILE_BYTES_MAX, NULL))
		return -1;
	at = (const char *)file.bytes;
	stop = at + file.size;
	for (; at < stop && !err; at = end + 1) {
		end = memchr(at, '\n', stop - at);
		end = end ? end : stop;
		for (indent = 0; at + indent < end && at[indent] == ' '; indent++)
			;
		if (at + indent == end || at[indent] == '#')
			continue;
		if (in && indent <= section)
			in = false;
		if (in) {
			err = read_entry(at + indent, end);
		} else if (!strncmp(at + indent, "address-groups:", 15) ||
			 !strncmp(at + indent, "port-groups:", 12)) {
			in = true;
			section = indent;
		}
	}
	file_close(&file);
	return err;
}
