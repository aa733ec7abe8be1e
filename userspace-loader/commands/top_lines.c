// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of nfac top's screen, from two samples of top_sample.c. top_screen.c draws them, or
 * top.c prints them.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../kmod/version.h"
#include "common/device.h"
#include "common/human.h"
#include "common/message.h"
#include "events/text.h"
#include "stats_format.h"
#include "top_lines.h"

/* gcc 12 loses sight of lines that grow behind two pointers; top_lines_free() does not */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"

#define ROWS_LEAST	3	/* of patterns and of sources, however low the terminal is */
#define NEARLY		0.9	/* part of the memory's limit from which on it is a warning */
#define COLUMNS		"%-27s %9s %11s %9s %9s %9s"	/* 79 columns */

struct page {
	struct top_lines *lines;
	size_t width;
	int err;
};

static void add(struct page *page, enum top_look look, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add(struct page *page, enum top_look look, const char *format, ...)
{
	struct top_lines *lines = page->lines;
	struct top_line *larger, *line;
	size_t length;
	va_list args;

	larger = realloc(lines->line, (lines->count + 1) * sizeof(*larger));
	if (!larger) {
		page->err = page->err ? page->err : complain("out of memory");
		return;
	}
	lines->line = larger;
	line = &larger[lines->count++];
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
	length = strlen(line->text);
	if (length > page->width)
		length = page->width;
	while (length && line->text[length - 1] == ' ')
		length--;
	line->text[length] = 0;
	line->look = look;
}

/* A number a second; a decimal where it is small. */
static const char *rate_text(struct human *to, double rate)
{
	if (rate < 0)
		return strcpy(to->text, "-");
	if (rate && rate < 9.95) {
		snprintf(to->text, sizeof(to->text), "%.1f", rate);
		return to->text;
	}
	return human_count(to, rate + 0.5);
}

static const char *bytes_text(struct human *to, double rate)
{
	return rate < 0 ? strcpy(to->text, "-") : human_rate(to, rate);
}

/**
 * struct flow - what happens a second in a set or an attachment; TOP_UNKNOWN: not known
 */
struct flow {
	double packets, bytes, matches, dropped, skipped;
};

static double file_rate(const struct top *top, const struct sysfs_dir *now,
			const struct sysfs_dir *before, const char *file)
{
	if (!before)
		return TOP_UNKNOWN;
	return top_rate(top, sysfs_number(now, file), sysfs_number(before, file));
}

static void flow_of(const struct top *top, const struct sysfs_dir *now,
		    const struct sysfs_dir *before, struct flow *flow)
{
	flow->packets = file_rate(top, now, before, "packets");
	flow->bytes = file_rate(top, now, before, "bytes");
	flow->matches = file_rate(top, now, before, "matches");
	flow->dropped = file_rate(top, now, before, "dropped_packets");
	flow->skipped = before ? top_rate(top, top_skipped(now), top_skipped(before)) : TOP_UNKNOWN;
}

static void flow_row(struct page *page, const char *name, const struct flow *flow)
{
	struct human packets, bytes, matches, dropped, skipped;
	char cut[28];

	snprintf(cut, sizeof(cut), "%s", name);
	add(page, TOP_PLAIN, COLUMNS, cut, rate_text(&packets, flow->packets),
	    bytes_text(&bytes, flow->bytes), rate_text(&matches, flow->matches),
	    rate_text(&dropped, flow->dropped), rate_text(&skipped, flow->skipped));
}

static void attachment_row(const struct top *top, struct page *page, const struct sysfs_dir *set,
			   const struct sysfs_dir *a)
{
	const char *hook = sysfs_text(a, "hook"), *priority = sysfs_text(a, "priority");
	const char *device = sysfs_text(a, "device"), *family = sysfs_text(a, "family");
	struct flow flow;
	char name[TOP_LINE];

	flow_of(top, a, top_attachment(&top->before, set->name, a->name), &flow);
	snprintf(name, sizeof(name), "%4s %s%s%s%s %s", a->name,
		 family && !strcmp(family, "bridge") ? "bridge " : "", hook ? hook : "?",
		 device && *device ? " of " : "", device ? device : "", priority ? priority : "");
	flow_row(page, name, &flow);
}

/* A set has packets skipped by its rules, and those that its attachments skipped. */
static double skipped_by_set(const struct top *top, const struct sysfs_dir *set,
			     const struct sysfs_dir *before)
{
	const struct sysfs_dir *list = stats_subdir(set, "attachments"), *a;
	double sum = file_rate(top, set, before, "rule_skipped");
	size_t i;

	for (i = 0; i < list->dir_count && sum >= 0; i++) {
		a = top_attachment(&top->before, set->name, list->dirs[i].name);
		if (a)
			sum += top_rate(top, top_skipped(&list->dirs[i]), top_skipped(a));
	}
	return sum;
}

static void set_rows(const struct top *top, struct page *page, const struct sysfs_dir *set)
{
	const struct sysfs_dir *list = stats_subdir(set, "attachments");
	const struct sysfs_dir *before = top_set(&top->before, set->name);
	struct human patterns;
	struct flow flow;
	char name[TOP_LINE];
	size_t i;

	flow_of(top, set, before, &flow);
	flow.skipped = skipped_by_set(top, set, before);
	snprintf(name, sizeof(name), "%s (%s)", set->name,
		 human_count(&patterns, sysfs_number(set, "patterns")));
	flow_row(page, name, &flow);
	if (sysfs_number(set, "damaged"))
		add(page, TOP_WARNING, "     DAMAGED: nothing is matched until it is loaded anew");
	for (i = 0; i < list->dir_count; i++)
		attachment_row(top, page, set, &list->dirs[i]);
}

static void set_table(const struct top *top, struct page *page)
{
	const struct sysfs_dir *sets = stats_subdir(&top->now.root, "sets");
	size_t i;

	add(page, TOP_HEADING, COLUMNS, "SET (PATTERNS), ATTACHMENT", "PACKETS/S", "SCANNED",
	    "MATCHES/S", "DROPPED/S", "SKIPPED/S");
	for (i = 0; i < sets->dir_count; i++)
		set_rows(top, page, &sets->dirs[i]);
	if (!sets->dir_count)
		add(page, TOP_PLAIN, "no set is loaded");
}

static void head(const struct top *top, struct page *page, double period)
{
	const struct sysfs_dir *root = &top->now.root, *sets = stats_subdir(root, "sets");
	uint64_t used = sysfs_number(root, "memory_used");
	uint64_t limit = sysfs_number(root, "memory_limit"), lost = 0;
	size_t i, attachments = 0;
	struct human some, most;
	char clock[16] = "";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	for (i = 0; i < sets->dir_count; i++) {
		attachments += stats_subdir(&sets->dirs[i], "attachments")->dir_count;
		lost += sysfs_number(&sets->dirs[i], "dropped_events");
	}
	add(page, TOP_PLAIN, "nfac %s  %s  every %g s  sets %zu, attachments %zu", NFAC_RELEASE,
	    clock, period, sets->dir_count, attachments);
	add(page, limit && used > limit * NEARLY ? TOP_WARNING : TOP_PLAIN,
	    "memory %s of %s (%.0f %%)  events lost %" PRIu64, human_size(&some, used),
	    human_size(&most, limit), limit ? 100.0 * used / limit : 0.0, lost);
	page->lines->fixed = page->lines->count;
}

/* One reason for not inspecting, over all attachments. */
struct reason {
	const char *name;
	uint64_t count;
	double rate;
};

/* Add what an attachment skipped to the reasons, of which there are @used so far. */
static size_t add_reasons(const struct top *top, const struct sysfs_dir *a,
			  const struct sysfs_dir *before, struct reason *reasons, size_t used)
{
	size_t i, n;

	for (i = 0; i < a->value_count; i++) {
		const char *name = a->values[i].name;
		uint64_t count = sysfs_number(a, name);
		double rate;

		if (!stats_is_skipped(&a->values[i]) || !count)
			continue;
		for (n = 0; n < used && strcmp(reasons[n].name, name); n++)
			;
		if (n == NFAC_SKIP_MAX)
			continue;
		rate = file_rate(top, a, before, name);
		used += n == used;
		reasons[n].name = name;
		reasons[n].count += count;
		reasons[n].rate += rate > 0 ? rate : 0;
	}
	return used;
}

static void skipped_table(const struct top *top, struct page *page)
{
	const struct sysfs_dir *sets = stats_subdir(&top->now.root, "sets");
	struct reason reasons[NFAC_SKIP_MAX] = { 0 };
	struct human count, rate;
	size_t i, j, used = 0;

	for (i = 0; i < sets->dir_count; i++) {
		const struct sysfs_dir *list = stats_subdir(&sets->dirs[i], "attachments");

		for (j = 0; j < list->dir_count; j++)
			used = add_reasons(top, &list->dirs[j],
					   top_attachment(&top->before, sets->dirs[i].name,
							  list->dirs[j].name), reasons, used);
	}
	if (!used)
		return;
	add(page, TOP_PLAIN, "%s", "");
	add(page, TOP_HEADING, "%-27s %9s %11s", "NOT INSPECTED", "PER S", "SO FAR");
	for (i = 0; i < used; i++)
		add(page, TOP_PLAIN, "%-27s %9s %11s", reasons[i].name + strlen(STATS_SKIPPED),
		    rate_text(&rate, reasons[i].rate), human_count(&count, reasons[i].count));
}

struct busy {
	const struct pattern_counts *set;
	const struct pattern_count *one;
	uint64_t fresh;		/* hits since the sample before */
};

static int by_fresh(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	if (x->fresh != y->fresh)
		return x->fresh > y->fresh ? -1 : 1;
	if (x->one->hits != y->one->hits)
		return x->one->hits > y->one->hits ? -1 : 1;
	return x->one->id < y->one->id ? -1 : x->one->id > y->one->id;
}

static size_t busy_patterns(const struct top *top, struct busy **busy)
{
	size_t i, j, all = 0, count = 0;

	for (i = 0; i < top->now.count; i++)
		all += top->now.sets[i].count;
	*busy = malloc((all ? all : 1) * sizeof(**busy));
	if (!*busy)
		return 0;
	for (i = 0; i < top->now.count; i++) {
		const struct pattern_counts *set = &top->now.sets[i];

		for (j = 0; j < set->count; j++) {
			const struct pattern_count *one = &set->items[j];
			uint64_t before = top_hits_before(top, set, one->id);

			(*busy)[count++] = (struct busy){
				.set = set,
				.one = one,
				.fresh = one->hits >= before ? one->hits - before : one->hits,
			};
		}
	}
	qsort(*busy, count, sizeof(**busy), by_fresh);
	return count;
}

static void pattern_row(const struct top *top, struct page *page, const struct busy *busy)
{
	const struct pattern_text *text = pattern_text(busy->set->texts, busy->one->id);
	/* the msg of a rule is of any bytes */
	char *label = text->label ?
		      pattern_escape((const uint8_t *)text->label, strlen(text->label)) : NULL;
	struct human rate, hits;
	char seen[16] = "";
	struct tm tm;

	if (localtime_r(&busy->one->seen, &tm))
		strftime(seen, sizeof(seen), "%H:%M:%S", &tm);
	add(page, TOP_PLAIN, "%-12.12s %10" PRIu32 " %9s %9s %8s  %s", busy->set->set, text->shown,
	    rate_text(&rate, top_rate(top, busy->fresh, 0)), human_count(&hits, busy->one->hits),
	    seen, label ? label : text->plain);
	free(label);
}

static void pattern_table(const struct top *top, struct page *page, size_t rows)
{
	struct busy *busy = NULL;
	uint64_t uncounted = 0;
	size_t i, count;

	add(page, TOP_PLAIN, "%s", "");
	add(page, TOP_HEADING, "%-12s %10s %9s %9s %8s  %s", "SET", "ID", "HITS/S", "HITS", "LAST",
	    "PATTERN");
	if (top->device < 0) {
		add(page, TOP_PLAIN, "not known: %s: %s", DEVICE_PATH, device_strerror(top->why));
		return;
	}
	count = busy_patterns(top, &busy);
	for (i = 0; i < count && i < rows; i++)
		pattern_row(top, page, &busy[i]);
	free(busy);
	for (i = 0; i < top->now.count; i++)
		uncounted += top->now.sets[i].uncounted;
	if (uncounted)
		add(page, TOP_PLAIN, "uncounted hits of further patterns: %" PRIu64, uncounted);
}

static int by_matches(const void *a, const void *b)
{
	const struct top_source *x = *(const struct top_source **)a;
	const struct top_source *y = *(const struct top_source **)b;

	if (x->fresh != y->fresh)
		return x->fresh > y->fresh ? -1 : 1;
	if (x->matches != y->matches)
		return x->matches > y->matches ? -1 : 1;
	return memcmp(x->address, y->address, sizeof(x->address));
}

static void source_table(const struct top *top, struct page *page, size_t rows)
{
	const struct top_source *sorted[TOP_SOURCES];
	size_t i, count = 0;

	for (i = 0; i < TOP_SOURCES; i++)
		if (top->sources[i].matches)
			sorted[count++] = &top->sources[i];
	qsort(sorted, count, sizeof(*sorted), by_matches);
	add(page, TOP_PLAIN, "%s", "");
	add(page, TOP_HEADING, "%-39s %9s %9s", "SOURCE", "MATCHES/S", "MATCHES");
	for (i = 0; i < count && i < rows; i++) {
		struct nfac_event event = { .family = sorted[i]->family };
		char address[EVENT_ADDRESS_ROOM];
		struct human rate, matches;

		event_address(address, &event, sorted[i]->address);
		add(page, TOP_PLAIN, "%-39s %9s %9s", address,
		    rate_text(&rate, top_rate(top, sorted[i]->fresh, 0)),
		    human_count(&matches, sorted[i]->matches));
	}
	if (top->lost)
		add(page, TOP_WARNING, "matches of which no source is known: %" PRIu64, top->lost);
}

int top_lines(const struct top *top, double period, size_t width, size_t height, size_t rows,
	      struct top_lines *lines)
{
	struct page page = { .lines = lines, .width = width };
	bool sources = top->events >= 0;
	size_t left;

	memset(lines, 0, sizeof(*lines));
	head(top, &page, period);
	set_table(top, &page);
	skipped_table(top, &page);
	if (height) {
		/* an empty line and a heading for each table */
		left = lines->count + (sources ? 4 : 2);
		rows = (left < height ? height - left : 0) / (sources ? 2 : 1);
		rows = rows < ROWS_LEAST ? ROWS_LEAST : rows;
	}
	pattern_table(top, &page, rows);
	if (sources)
		source_table(top, &page, rows);
	if (page.err)
		top_lines_free(lines);
	return page.err;
}

void top_lines_free(struct top_lines *lines)
{
	free(lines->line);
	memset(lines, 0, sizeof(*lines));
}
