// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of patterns as a table, as JSON, and as metrics of Prometheus; common/pattern_counts.c
 * reads them from /dev/nfac.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/device.h"
#include "common/message.h"
#include "common/pattern_counts.h"
#include "stats_format.h"
#include "stats_patterns.h"

#define TIME_ROOM	32
#define LABEL_MAX	80	/* bytes of a pattern in a label of Prometheus */

/* The counts of all sets, so that Prometheus gets each metric's lines together. */
struct all_counts {
	struct pattern_counts *sets;
	size_t count;
};

static size_t shown(const struct pattern_counts *counts, uint64_t top)
{
	return top && top < counts->count ? top : counts->count;
}

static const char *seen_text(char *to, time_t seen, const char *format)
{
	struct tm tm;

	if (!gmtime_r(&seen, &tm) || !strftime(to, TIME_ROOM, format, &tm))
		return "?";
	return to;
}

static void print_table(const struct pattern_counts *counts, uint64_t top)
{
	size_t i, rows = shown(counts, top);

	printf("%s: %zu of %" PRIu32 " patterns matched, %" PRIu64 " times since load %" PRIu32
	       "\n", counts->set, counts->count, counts->patterns, counts->hits + counts->uncounted,
	       counts->generation);
	if (!counts->slots)
		puts("  not counted: pattern_slots is 0, or memory did not suffice when it was loaded");
	if (rows)
		printf("%12s %12s  %-19s  %s\n", "HITS", "ID", "LAST (UTC)", "PATTERN");
	for (i = 0; i < rows; i++) {
		const struct pattern_count *one = &counts->items[i];
		const struct pattern_text *text;
		const char *name = pattern_counts_name(counts, one->id, &text);
		char seen[TIME_ROOM];

		printf("%12" PRIu64 " %12" PRIu32 "  %-19s  %s\n", one->hits, text->shown,
		       seen_text(seen, one->seen, "%Y-%m-%d %H:%M:%S"), name);
	}
	if (counts->uncounted)
		printf("%12" PRIu64 " %12s  of further patterns: see pattern_slots in nfac(8)\n",
		       counts->uncounted, "");
}

static json_t *pattern_json(const struct pattern_counts *counts, const struct pattern_count *one)
{
	const struct pattern_text *text = pattern_text(counts->texts, one->id);
	json_t *object = json_object();
	char seen[TIME_ROOM];

	json_object_set_new(object, "id", json_integer(text->shown));
	json_object_set_new(object, "hits", json_integer(one->hits));
	json_object_set_new(object, "last",
			    json_string(seen_text(seen, one->seen, "%Y-%m-%dT%H:%M:%SZ")));
	json_object_update(object, text->members);
	return object;
}

static void print_json(const struct pattern_counts *counts, uint64_t top)
{
	json_t *object = json_object(), *list = json_array();
	size_t i, rows = shown(counts, top);

	json_object_set_new(object, "set", json_string(counts->set));
	json_object_set_new(object, "generation", json_integer(counts->generation));
	json_object_set_new(object, "patterns", json_integer(counts->patterns));
	json_object_set_new(object, "matched_patterns", json_integer(counts->count));
	json_object_set_new(object, "slots", json_integer(counts->slots));
	json_object_set_new(object, "hits", json_integer(counts->hits));
	json_object_set_new(object, "uncounted", json_integer(counts->uncounted));
	for (i = 0; i < rows; i++)
		json_array_append_new(list, pattern_json(counts, &counts->items[i]));
	json_object_set_new(object, "counts", list);
	json_print(stdout, object);
}

static void pattern_labels(const struct pattern_counts *counts, const struct pattern_count *one)
{
	const struct pattern_text *text = pattern_text(counts->texts, one->id);
	/* a label is UTF-8, which the msg of a rule need not be; @plain is escaped already */
	char *plain = text->label ?
		      pattern_escape((const uint8_t *)text->label, strlen(text->label)) :
		      strdup(text->plain);

	if (plain && strlen(plain) > LABEL_MAX)
		strcpy(plain + LABEL_MAX - 3, "...");
	putchar('{');
	stats_label("set", counts->set);
	printf(",id=\"%" PRIu32 "\",", text->shown);
	stats_label("pattern", plain ? plain : "?");
	putchar('}');
	free(plain);
}

static void print_prometheus(const struct all_counts *all, uint64_t top)
{
	size_t i, j;

	puts("# HELP nfac_pattern_hits_total Matches of the patterns that matched most\n"
	     "# TYPE nfac_pattern_hits_total counter");
	for (i = 0; i < all->count; i++) {
		for (j = 0; j < shown(&all->sets[i], top); j++) {
			fputs("nfac_pattern_hits_total", stdout);
			pattern_labels(&all->sets[i], &all->sets[i].items[j]);
			printf(" %" PRIu64 "\n", all->sets[i].items[j].hits);
		}
	}
	puts("# HELP nfac_pattern_last_match_timestamp_seconds When they matched last\n"
	     "# TYPE nfac_pattern_last_match_timestamp_seconds gauge");
	for (i = 0; i < all->count; i++) {
		for (j = 0; j < shown(&all->sets[i], top); j++) {
			fputs("nfac_pattern_last_match_timestamp_seconds", stdout);
			pattern_labels(&all->sets[i], &all->sets[i].items[j]);
			printf(" %lld\n", (long long)all->sets[i].items[j].seen);
		}
	}
	puts("# HELP nfac_set_uncounted_matches_total Matches of patterns without a count\n"
	     "# TYPE nfac_set_uncounted_matches_total counter");
	for (i = 0; i < all->count; i++) {
		fputs("nfac_set_uncounted_matches_total{", stdout);
		stats_label("set", all->sets[i].set);
		printf("} %" PRIu64 "\n", all->sets[i].uncounted);
	}
}

static int read_sets(int device, const char *name, struct all_counts *all)
{
	struct nfac_ioc_set set = { 0 };
	struct pattern_counts *larger;
	int got;

	while ((got = device_next_set(device, &set)) == 1) {
		if (name && strcmp(name, set.name))
			continue;
		larger = realloc(all->sets, (all->count + 1) * sizeof(*larger));
		if (!larger)
			return complain("out of memory");
		all->sets = larger;
		got = pattern_counts_read(device, &set, &all->sets[all->count], NULL);
		if (got < 0)
			return -1;
		all->count += got;
	}
	if (!got && name && !all->count)
		return device_set_error(name, ENOENT);
	return got;
}

static void print(const struct all_counts *all, uint64_t top, enum stats_form form)
{
	size_t i;

	if (form == STATS_PROMETHEUS) {
		print_prometheus(all, top);
		return;
	}
	for (i = 0; i < all->count; i++) {
		if (form == STATS_JSON) {
			print_json(&all->sets[i], top);
			continue;
		}
		if (i)
			putchar('\n');
		print_table(&all->sets[i], top);
	}
}

int stats_patterns(const char *name, uint64_t top, enum stats_form form)
{
	struct all_counts all = { 0 };
	int device = device_open(), err;

	if (device < 0)
		return -1;
	err = read_sets(device, name, &all);
	close(device);
	if (!err)
		print(&all, top, form);
	while (all.count)
		pattern_counts_free(&all.sets[--all.count]);
	free(all.sets);
	return err;
}
