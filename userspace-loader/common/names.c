// SPDX-License-Identifier: GPL-2.0
/*
 * Reading files of lines "NUMBER NAME", as those of iproute2 and conntrack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "nearest.h"
#include "options.h"

/* As of nft(8) and ip(8). */
const char *const mark_names[] = { "/etc/iproute2/rt_marks", "/usr/share/iproute2/rt_marks", NULL };
/* As of nft(8) and of iptables' connlabel match. */
const char *const label_names[] = { "/etc/connlabel.conf", "/etc/xtables/connlabel.conf", NULL };

/* Names stay for the hint: there are few. */
static void try(struct nearest *nearest, const char *name)
{
	static char found[sizeof(nearest->hint)];
	const char *before = nearest->name;

	nearest_try(nearest, name);
	if (nearest->name == before || strlen(name) >= sizeof(found))
		return;
	strcpy(found, name);
	nearest->name = found;
}

int name_value(const char *const files[], const char *name, uint64_t most, uint64_t *value,
	       struct nearest *nearest)
{
	char line[256], *number, *word, *rest;
	bool found = false;
	FILE *in;

	for (; *files && !found; files++) {
		in = fopen(*files, "re");
		while (in && !found && fgets(line, sizeof(line), in)) {
			line[strcspn(line, "#\n")] = 0;
			number = strtok_r(line, " \t", &rest);
			word = strtok_r(NULL, " \t", &rest);
			if (!number || !word || parse_number(number, 0, most, value))
				continue;
			found = !strcmp(word, name);
			try(nearest, word);
		}
		if (in)
			fclose(in);
	}
	return found ? 0 : -1;
}
