// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/human.h"
#include "stats_format.h"

#define SKIPPED		"skipped_"
#define NAME_WIDTH	16	/* at least */

static const struct sysfs_dir *subdir_or_empty(const struct sysfs_dir *in, const char *name)
{
	static const struct sysfs_dir empty;
	const struct sysfs_dir *found = sysfs_subdir(in, name);

	return found ? found : &empty;
}

static bool wanted(const struct sysfs_dir *set, const char *name)
{
	return !name || !strcmp(set->name, name);
}

static bool is_skipped(const struct sysfs_value *value)
{
	return !strncmp(value->name, SKIPPED, strlen(SKIPPED));
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

		if (is_skipped(&a->values[i]) && count)
			printf("     not inspected, %s: %s\n",
			       a->values[i].name + strlen(SKIPPED), human_count(&n, count));
	}
}

/* Columns for the names of the sets that are shown. */
static int name_width(const struct sysfs_dir *sets, const char *name)
{
	int width = NAME_WIDTH, length;
	size_t i;

	for (i = 0; i < sets->dir_count; i++) {
		length = strlen(sets->dirs[i].name);
		if (wanted(&sets->dirs[i], name) && length > width)
			width = length;
	}
	return width;
}

void stats_table(const struct sysfs_dir *root, const char *name)
{
	const struct sysfs_dir *sets = subdir_or_empty(root, "sets");
	const int width = name_width(sets, name);
	size_t i, j;

	printf("%-*s %9s %9s %9s %11s %10s %10s %9s\n", width, "SET", "PATTERNS", "PACKETS",
	       "MATCHES", "MATCHES/S", "SCANNED", "SCAN RATE", "SLAB");
	for (i = 0; i < sets->dir_count; i++) {
		const struct sysfs_dir *set = &sets->dirs[i], *attachments;
		struct human patterns, packets, matches, rate, bytes, scan, slab;
		uint64_t lost = sysfs_number(set, "dropped_events");

		if (!wanted(set, name))
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
		attachments = subdir_or_empty(set, "attachments");
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
	const struct sysfs_dir *sets = subdir_or_empty(root, "sets");
	size_t i, j;

	for (i = 0; i < sets->dir_count; i++) {
		const struct sysfs_dir *attachments;
		json_t *object, *list;

		if (!wanted(&sets->dirs[i], name))
			continue;
		object = json_object();
		list = json_array();
		json_object_set_new(object, "set", json_string(sets->dirs[i].name));
		add_values(object, &sets->dirs[i]);
		attachments = subdir_or_empty(&sets->dirs[i], "attachments");
		for (j = 0; j < attachments->dir_count; j++) {
			json_t *one = json_object();

			json_object_set_new(one, "id", json_value(attachments->dirs[j].name));
			add_values(one, &attachments->dirs[j]);
			json_array_append_new(list, one);
		}
		json_object_set_new(object, "attachments", list);
		json_dumpf(object, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(object);
	}
}

/**
 * struct metric - a file of sysfs as a metric of Prometheus
 * @file: its name
 * @metric: the metric's name, without its prefix
 * @counter: a counter; else a gauge
 */
struct metric {
	const char *file;
	const char *metric;
	bool counter;
	const char *help;
};

static const struct metric set_metrics[] = {
	{ "patterns", "patterns", false, "Patterns in the set" },
	{ "states", "states", false, "Nodes of the patterns' trie" },
	{ "node_bytes", "node_bytes", false, "Bytes of the automaton's nodes" },
	{ "total_bytes", "total_bytes", false, "Bytes that the kernel needs to match" },
	{ "slab_bytes", "slab_bytes", false, "Bytes of slab pages that the set pins" },
	{ "generation", "generation", false, "Loads under this name" },
	{ "references", "references", false, "Rules that hold the set" },
	{ "packets", "packets_total", true, "Packets inspected" },
	{ "bytes", "scanned_bytes_total", true, "Payload bytes inspected" },
	{ "matches", "matches_total", true, "Matches" },
	{ "dropped_events", "lost_events_total", true, "Match events that readers lost" },
	{ "rule_skipped", "rule_skipped_total", true, "Packets of rules, not inspected" },
	{ "damaged", "damaged", false, "1: the memory is damaged, nothing is matched" },
};

static const struct metric attachment_metrics[] = {
	{ "packets", "packets_total", true, "Packets inspected" },
	{ "bytes", "scanned_bytes_total", true, "Payload bytes inspected" },
	{ "matches", "matches_total", true, "Matches" },
	{ "matched_packets", "matched_packets_total", true, "Packets with a match" },
	{ "dropped_packets", "dropped_packets_total", true, "Packets dropped" },
	{ "flows", "flows", false, "Directions of TCP connections that are followed" },
	{ "flow_evictions", "flow_evictions_total", true, "Flows given up for others" },
	{ "flow_restarts", "flow_restarts_total", true, "Flows begun anew by load or late SYN" },
	{ "retransmitted_bytes", "retransmitted_bytes_total", true, "Bytes not scanned again" },
};

static const struct metric module_metrics[] = {
	{ "tiles", "tiles", false, "Objects of nfac_node in use" },
	{ "slab_bytes", "slab_bytes", false, "Bytes of nfac_node slab pages" },
	{ "memory_limit", "memory_limit_bytes", false, "Limit of a namespace's sets" },
};

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static void metric_head(const char *prefix, const struct metric *m)
{
	printf("# HELP %s%s %s\n# TYPE %s%s %s\n", prefix, m->metric, m->help, prefix, m->metric,
	       m->counter ? "counter" : "gauge");
}

/* A set's name may contain quotes and backslashes, but no newline. */
static void print_label(const char *label, const char *text)
{
	printf("%s=\"", label);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void attachment_labels(const struct sysfs_dir *set, const struct sysfs_dir *a)
{
	const char *hook = sysfs_text(a, "hook"), *device = sysfs_text(a, "device");
	const char *family = sysfs_text(a, "family");

	print_label("set", set->name);
	printf(",id=\"%s\",", a->name);
	print_label("hook", hook ? hook : "?");
	if (device && *device) {
		putchar(',');
		print_label("device", device);
	}
	if (family) {
		putchar(',');
		print_label("family", family);
	}
}

static void set_lines(const struct sysfs_dir *sets, const char *name)
{
	size_t i, j;

	for (i = 0; i < COUNT(set_metrics); i++) {
		metric_head("nfac_set_", &set_metrics[i]);
		for (j = 0; j < sets->dir_count; j++) {
			const struct sysfs_dir *set = &sets->dirs[j];
			const char *text = sysfs_text(set, set_metrics[i].file);

			if (!wanted(set, name) || !text)
				continue;
			printf("nfac_set_%s{", set_metrics[i].metric);
			print_label("set", set->name);
			printf("} %s\n", text);
		}
	}
}

/* Call @print for each attachment of the sets that are wanted. */
static void each_attachment(const struct sysfs_dir *sets, const char *name,
			    void (*print)(const struct sysfs_dir *set,
					  const struct sysfs_dir *attachment,
					  const struct metric *metric),
			    const struct metric *metric)
{
	size_t i, j;

	for (i = 0; i < sets->dir_count; i++) {
		const struct sysfs_dir *list = subdir_or_empty(&sets->dirs[i], "attachments");

		if (!wanted(&sets->dirs[i], name))
			continue;
		for (j = 0; j < list->dir_count; j++)
			print(&sets->dirs[i], &list->dirs[j], metric);
	}
}

static void attachment_line(const struct sysfs_dir *set, const struct sysfs_dir *a,
			    const struct metric *metric)
{
	const char *text = sysfs_text(a, metric->file);

	if (!text)
		return;
	printf("nfac_attachment_%s{", metric->metric);
	attachment_labels(set, a);
	printf("} %s\n", text);
}

static void skipped_lines(const struct sysfs_dir *set, const struct sysfs_dir *a,
			  const struct metric *metric)
{
	size_t i;

	for (i = 0; i < a->value_count; i++) {
		if (!is_skipped(&a->values[i]))
			continue;
		printf("nfac_attachment_%s{", metric->metric);
		attachment_labels(set, a);
		printf(",reason=\"%s\"} %s\n", a->values[i].name + strlen(SKIPPED),
		       a->values[i].text);
	}
}

void stats_prometheus(const struct sysfs_dir *root, const char *name)
{
	static const struct metric skipped = {
		NULL, "skipped_packets_total", true, "Packets not inspected, or in part only"
	};
	const struct sysfs_dir *sets = subdir_or_empty(root, "sets");
	size_t i;

	for (i = 0; i < COUNT(module_metrics); i++) {
		const char *text = sysfs_text(root, module_metrics[i].file);

		if (!text)
			continue;
		metric_head("nfac_", &module_metrics[i]);
		printf("nfac_%s %s\n", module_metrics[i].metric, text);
	}
	set_lines(sets, name);
	for (i = 0; i < COUNT(attachment_metrics); i++) {
		metric_head("nfac_attachment_", &attachment_metrics[i]);
		each_attachment(sets, name, attachment_line, &attachment_metrics[i]);
	}
	metric_head("nfac_attachment_", &skipped);
	each_attachment(sets, name, skipped_lines, &skipped);
}
