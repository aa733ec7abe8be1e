// SPDX-License-Identifier: GPL-2.0
/*
 * The summary of findings as text and as JSON.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/human.h"
#include "common/message.h"
#include "common/pattern_text.h"
#include "summary.h"

/* "2026-11-26T05:40:12.123456Z" */
static void time_text(char *to, size_t room, int64_t time_ns)
{
	time_t seconds = time_ns / 1000000000;
	struct tm tm;
	size_t at;

	gmtime_r(&seconds, &tm);
	at = strftime(to, room, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(to + at, room - at, ".%06dZ", (int)(time_ns % 1000000000 / 1000));
}

/* Texts of a tally may have any bytes: on a line of text they are escaped. */
static void print_name(FILE *to, const char *text)
{
	char *shown = name_on_line(text ? text : "?");

	fputs(shown ? shown : "?", to);
	free(shown);
}

static void print_table(FILE *to, const struct tallies *table, const char *peers, const char *what,
			bool by_pattern)
{
	size_t rows = table->count < SUMMARY_ROWS ? table->count : SUMMARY_ROWS, i;
	uint64_t rest = table->others;

	if (!table->count)
		return;
	fprintf(to, "\n%10s %10s %10s %12s %10s  %s\n", "matches", "inexact", "packets",
		"connections", peers, what);
	for (i = 0; i < rows; i++) {
		const struct tally *t = &table->all[i];

		fprintf(to, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12" PRIu64 " %10" PRIu64 "  ",
			t->matches, t->inexact, t->packets, t->connections, t->peers);
		if (by_pattern)
			fprintf(to, "%" PRIu32 ": ", t->shown);
		print_name(to, t->label ? t->label : t->text);
		putc('\n', to);
	}
	for (; i < table->count; i++)
		rest += table->all[i].matches;
	if (rest)
		fprintf(to, "%10" PRIu64 " %57s %zu more\n", rest, "", table->count - rows);
}

static void print_skipped(FILE *to, const struct capture_counts *counts)
{
	int why;

	for (why = 0; why < NFAC_SKIP_MAX; why++)
		if (counts->skipped[why])
			fprintf(to, "%" PRIu64 " packets not inspected: %s\n",
				counts->skipped[why], skip_name(why));
	if (counts->encrypted)
		fprintf(to, "%" PRIu64 " packets not inspected: encrypted\n", counts->encrypted);
	if (counts->other)
		fprintf(to, "%" PRIu64 " packets not inspected: not IP\n", counts->other);
	if (counts->cut)
		fprintf(to, "%" PRIu64 " packets captured in part\n", counts->cut);
}

void summary_print_text(FILE *to, const struct findings *f, const struct capture_search *search)
{
	const char *least = f->distinct.full ? "at least " : "";
	char first[40], last[40];
	struct human size;

	fprintf(to, "%" PRIu64 " packets, %s, %s%" PRIu64 " connections",
		search->counts.packets, human_size(&size, search->counts.bytes), least,
		f->connections);
	if (f->first) {
		time_text(first, sizeof(first), f->first);
		time_text(last, sizeof(last), f->last);
		fprintf(to, ", %s to %s", first, last);
	}
	fprintf(to, "\n%" PRIu64 " matches, %" PRIu64 " inexact", f->matches, f->inexact);
	fprintf(to, ", in %s%" PRIu64 " packets", least, f->matched_packets);
	fprintf(to, " and %" PRIu64 " connections\n", f->matched_connections);
	print_skipped(to, &search->counts);
	print_table(to, &f->patterns, "sources", "pattern", true);
	print_table(to, &f->sources, "patterns", "source", false);
	print_table(to, &f->destinations, "patterns", "destination", false);
	print_table(to, &f->hours, "sources", "hour (UTC)", false);
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
	json_object_set_new(object, key, json_integer(number));
}

static void set_time(json_t *object, const char *key, int64_t time_ns)
{
	char text[40];

	if (!time_is_known(time_ns))
		return;
	time_text(text, sizeof(text), time_ns);
	json_object_set_new(object, key, json_string(text));
}

/* @what: the key of a tally's text; @peers: of what is counted as such */
static json_t *rows(const struct tallies *table, const char *what, const char *peers,
		    bool by_pattern)
{
	json_t *all = json_array(), *row;
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct tally *t = &table->all[i];

		row = json_object();
		if (by_pattern)
			set_number(row, "id", t->shown);
		json_object_set_new(row, what, json_text(t->text ? t->text : "?"));
		if (t->label)
			json_object_set_new(row, "msg", json_text(t->label));
		set_number(row, "matches", t->matches);
		set_number(row, "inexact", t->inexact);
		set_number(row, "packets", t->packets);
		set_number(row, "connections", t->connections);
		set_number(row, peers, t->peers);
		set_time(row, "first", t->first);
		set_time(row, "last", t->last);
		json_array_append_new(all, row);
	}
	return all;
}

static json_t *skipped(const struct capture_counts *counts)
{
	json_t *reasons = json_object();
	int why;

	for (why = 0; why < NFAC_SKIP_MAX; why++)
		if (counts->skipped[why])
			set_number(reasons, skip_name(why), counts->skipped[why]);
	set_number(reasons, "encrypted", counts->encrypted);
	set_number(reasons, "not_ip", counts->other);
	return reasons;
}

int summary_print_json(FILE *to, const struct findings *f, const struct capture_search *search)
{
	json_t *summary = json_object();
	int err;

	set_number(summary, "packets", search->counts.packets);
	set_number(summary, "bytes", search->counts.bytes);
	set_number(summary, "searched_bytes", search->bytes);
	set_number(summary, "connections", f->connections);
	set_number(summary, "matches", f->matches);
	set_number(summary, "inexact", f->inexact);
	set_number(summary, "matched_packets", f->matched_packets);
	set_number(summary, "matched_connections", f->matched_connections);
	json_object_set_new(summary, "lower_bounds", json_boolean(f->distinct.full));
	set_time(summary, "first", f->first);
	set_time(summary, "last", f->last);
	set_number(summary, "captured_in_part", search->counts.cut);
	json_object_set_new(summary, "not_inspected", skipped(&search->counts));
	json_object_set_new(summary, "patterns", rows(&f->patterns, "pattern", "sources", true));
	json_object_set_new(summary, "sources", rows(&f->sources, "address", "patterns", false));
	json_object_set_new(summary, "destinations",
			    rows(&f->destinations, "address", "patterns", false));
	json_object_set_new(summary, "hours", rows(&f->hours, "hour", "sources", false));
	err = json_dumpf(summary, to, JSON_COMPACT | JSON_PRESERVE_ORDER);
	putc('\n', to);
	json_decref(summary);
	return err ? complain("cannot write the summary") : 0;
}
