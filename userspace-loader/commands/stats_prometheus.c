// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of the module as metrics of Prometheus: one table says which file of sysfs is which
 * metric.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/blob.h"
#include "../../kmod/version.h"
#include "stats_format.h"

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
	{ "memory_used", "memory_used_bytes", false, "Bytes that this namespace has of it" },
};

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static void metric_head(const char *prefix, const struct metric *m)
{
	printf("# HELP %s%s %s\n# TYPE %s%s %s\n", prefix, m->metric, m->help, prefix, m->metric,
	       m->counter ? "counter" : "gauge");
}

void stats_label(const char *label, const char *text)
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

	stats_label("set", set->name);
	printf(",id=\"%s\",", a->name);
	stats_label("hook", hook ? hook : "?");
	if (device && *device) {
		putchar(',');
		stats_label("device", device);
	}
	if (family) {
		putchar(',');
		stats_label("family", family);
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

			if (!stats_wanted(set, name) || !text)
				continue;
			printf("nfac_set_%s{", set_metrics[i].metric);
			stats_label("set", set->name);
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
		const struct sysfs_dir *list = stats_subdir(&sets->dirs[i], "attachments");

		if (!stats_wanted(&sets->dirs[i], name))
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
		if (!stats_is_skipped(&a->values[i]))
			continue;
		printf("nfac_attachment_%s{", metric->metric);
		attachment_labels(set, a);
		printf(",reason=\"%s\"} %s\n", a->values[i].name + strlen(STATS_SKIPPED),
		       a->values[i].text);
	}
}

static void build_info(void)
{
	char module[32] = "";
	FILE *in = fopen("/sys/module/nfac/version", "re");

	if (in) {
		if (fgets(module, sizeof(module), in))
			module[strcspn(module, "\n")] = 0;
		fclose(in);
	}
	printf("# HELP nfac_build_info Versions: of the tool, of set files, of the module\n"
	       "# TYPE nfac_build_info gauge\n"
	       "nfac_build_info{version=\"%s\",set_version=\"%u\"", NFAC_RELEASE,
	       NFAC_BLOB_VERSION);
	if (*module) {
		putchar(',');
		stats_label("module", module);
	}
	puts("} 1");
}

void stats_prometheus_up(bool up)
{
	build_info();
	printf("# HELP nfac_up 1: the module is loaded\n# TYPE nfac_up gauge\nnfac_up %d\n", up);
}

void stats_prometheus(const struct sysfs_dir *root, const char *name)
{
	static const struct metric skipped = {
		NULL, "skipped_packets_total", true, "Packets not inspected, or in part only"
	};
	const struct sysfs_dir *sets = stats_subdir(root, "sets");
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
