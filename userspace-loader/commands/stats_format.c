// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of the module as a table and as JSON; stats.c reads them from sysfs.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/human.h"
#include "common/pattern_text.h"
#include "stats_format.h"

#define NAME_WIDTH	16	/* at least */

const struct sysfs_dir *stats_subdir(const struct sysfs_dir *in, const char *name)
{
	static const struct sysfs_dir empty;
	const struct sysfs_dir *found = sysfs_subdir(in, name);

	return found ? found : &empty;
}

bool stats_wanted(const struct sysfs_dir *set, const char *name)
{
	return !name || !strcmp(set->name, name);
}

bool stats_is_skipped(const struct sysfs_value *value)
{
	return !strncmp(value->name, STATS_SKIPPED, strlen(STATS_SKIPPED));
}

static void attachment_row(const struct sysfs_dir *a)
{
	const char *hook = sysfs_text(a, "hook"), *priority = sysfs_text(a, "priority");
	const char *device = sysfs_text(a, "device"), *family = sysfs_text(a, "family");
	bool bridge = family && !strcmp(family, "bridge");
	struct human packets, bytes, matches, matched, dropped;
	size_t i;

	printf("  %s: %s%s%s%s %s: %s packets, %s, %s matches in %s packets, %s dropped\n", a->name,
	       bridge ? "bridge " : "", hook ? hook : "?",
	       device && *device ? " of " : "", device ? device : "", priority ? priority : "?",
	       human_count(&packets, sysfs_number(a, "packets")),
	       human_size(&bytes, sysfs_number(a, "bytes")),
	       human_count(&matches, sysfs_number(a, "matches")),
	       human_count(&matched, sysfs_number(a, "matched_packets")),
	       human_count(&dropped, sysfs_number(a, "dropped_packets")));
	if (sysfs_number(a, "flows")) {
		struct human flows, evicted;

		printf("     following %s flows, %s given up for others\n",
		       human_count(&flows, sysfs_number(a, "flows")),
		       human_count(&evicted, sysfs_number(a, "flow_evictions")));
	}
	for (i = 0; i < a->value_count; i++) {
		uint64_t count = strtoull(a->values[i].text, NULL, 0);
		struct human n;

		if (stats_is_skipped(&a->values[i]) && count)
			printf("     not inspected, %s: %s\n",
			       a->values[i].name + strlen(STATS_SKIPPED), human_count(&n, count));
	}
}

/* Columns for the names of the sets that are shown. */
static int name_width(const struct sysfs_dir *sets, const char *name)
{
	int width = NAME_WIDTH, length;
	size_t i;

	for (i = 0; i < sets->dir_count; i++) {
		length = strlen(sets->dirs[i].name);
		if (stats_wanted(&sets->dirs[i], name) && length > width)
			width = length;
	}
	return width;
}

void stats_table(const struct sysfs_dir *root, const char *name)
{
	const struct sysfs_dir *sets = stats_subdir(root, "sets");
	const int width = name_width(sets, name);
	size_t i, j;

	printf("%-*s %9s %9s %9s %11s %10s %10s %9s\n", width, "SET", "PATTERNS", "PACKETS",
	       "MATCHES", "MATCHES/S", "SCANNED", "SCAN RATE", "SLAB");
	for (i = 0; i < sets->dir_count; i++) {
		const struct sysfs_dir *set = &sets->dirs[i], *attachments;
		struct human patterns, packets, matches, rate, bytes, scan, slab;
		uint64_t lost = sysfs_number(set, "dropped_events");

		if (!stats_wanted(set, name))
			continue;
		printf("%-*s %9s %9s %9s %11s %10s %10s %9s\n", width, set->name,
		       human_count(&patterns, sysfs_number(set, "patterns")),
		       human_count(&packets, sysfs_number(set, "packets")),
		       human_count(&matches, sysfs_number(set, "matches")),
		       human_count(&rate, sysfs_number(set, "match_rate")),
		       human_size(&bytes, sysfs_number(set, "bytes")),
		       human_rate(&scan, sysfs_number(set, "scan_rate")),
		       human_size(&slab, sysfs_number(set, "slab_bytes")));
		if (lost)
			printf("  events lost, no room for them: %" PRIu64 "\n", lost);
		if (sysfs_number(set, "damaged"))
			puts("  DAMAGED: nothing is matched until it is loaded anew");
		attachments = stats_subdir(set, "attachments");
		for (j = 0; j < attachments->dir_count; j++)
			attachment_row(&attachments->dirs[j]);
	}
}

/* A number where the text is one, else the text. */
static json_t *json_value(const char *text)
{
	char *end;
	long long number = strtoll(text, &end, 10);

	return *text && !*end ? json_integer(number) : json_string(text);
}

static void add_values(json_t *object, const struct sysfs_dir *dir)
{
	size_t i;

	for (i = 0; i < dir->value_count; i++) {
		const struct sysfs_value *value = &dir->values[i];

		/* 64 bits: more than many readers of JSON can take as a number */
		json_object_set_new(object, value->name, !strcmp(value->name, "checksum") ?
				    json_string(value->text) : json_value(value->text));
	}
}

void stats_json(const struct sysfs_dir *root, const char *name)
{
	const struct sysfs_dir *sets = stats_subdir(root, "sets");
	size_t i, j;

	for (i = 0; i < sets->dir_count; i++) {
		const struct sysfs_dir *attachments;
		json_t *object, *list;

		if (!stats_wanted(&sets->dirs[i], name))
			continue;
		object = json_object();
		list = json_array();
		json_object_set_new(object, "set", json_string(sets->dirs[i].name));
		add_values(object, &sets->dirs[i]);
		attachments = stats_subdir(&sets->dirs[i], "attachments");
		for (j = 0; j < attachments->dir_count; j++) {
			json_t *one = json_object();

			json_object_set_new(one, "id", json_value(attachments->dirs[j].name));
			add_values(one, &attachments->dirs[j]);
			json_array_append_new(list, one);
		}
		json_object_set_new(object, "attachments", list);
		json_print(stdout, object);
	}
}
