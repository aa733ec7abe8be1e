// SPDX-License-Identifier: GPL-2.0
/*
 * What nfac scan prints: matches as JSON or as text, lines as grep prints them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/payload.h"
#include "common/file.h"
#include "common/pattern_text.h"
#include "events/text.h"
#include "scan.h"

/* GNU grep's default colours. */
#define COLOR_NAME	"\33[35m"
#define COLOR_NUMBER	"\33[32m"
#define COLOR_MARK	"\33[36m"
#define COLOR_MATCH	"\33[1;31m"
#define COLOR_END	"\33[m"

/* Where in which stream: the members that an event has. */
static void print_json_stream(const struct scan *scan, int64_t offset)
{
	struct nfac_event event = { 0 };

	payload_describe(scan->payload, &event);
	fprintf(scan->out, ",\"stream_offset\":%" PRId64 ",\"payload\":%" PRIu32 ",",
		offset + scan->origin, event.payload_len);
	event_json_ends(scan->out, &event);
}

/*
 * Without an object of jansson's: a match costs 0.15 us by fprintf(), and 0.73 us by an object
 * and json_dumpb() (AMD EPYC, jansson 2.14). With it, a scan of a log with a match in each line
 * takes more than three times as long.
 */
void scan_print_json(const struct scan *scan, const struct nfac_hit *hit, int64_t offset)
{
	const struct pattern_text *text = pattern_text(scan->texts, hit->id);

	fprintf(scan->out, "{\"id\":%" PRIu32 ",\"offset\":%" PRId64 ",\"length\":%" PRIu32,
		text->shown, offset, hit->length);
	if (*text->json) {
		putc_unlocked(',', scan->out);
		fputs_unlocked(text->json, scan->out);
	}
	if (scan->packet)
		fprintf(scan->out, ",\"packet\":%" PRIu64, scan->packet);
	if (scan->line)
		fprintf(scan->out, ",\"line\":%" PRIu64, scan->line);
	if (scan->payload && scan->options->stream)
		print_json_stream(scan, offset);
	if (scan->inexact)
		fputs_unlocked(",\"inexact\":true", scan->out);
	if (scan->in_view)
		fputs_unlocked(",\"decoded\":true", scan->out);
	if (scan->input_json) {
		putc_unlocked(',', scan->out);
		fputs_unlocked(scan->input_json, scan->out);
	}
	fputs_unlocked("}\n", scan->out);
}

static void print_text(const struct scan *scan, const struct nfac_hit *hit, int64_t offset)
{
	const struct pattern_text *text = pattern_text(scan->texts, hit->id);

	fputs_unlocked(scan->input, scan->out);
	fprintf(scan->out, ":%" PRIu64 ":%" PRId64, scan->packet, offset);
	if (scan->options->stream)
		fprintf(scan->out, ":%" PRId64, offset + scan->origin);
	fprintf(scan->out, ": %" PRIu32 ": ", text->shown);
	fputs_unlocked(text->plain, scan->out);
	putc_unlocked('\n', scan->out);
}

void scan_found(struct scan *scan, const struct nfac_hit *hit, int64_t offset)
{
	const struct scan_options *options = scan->options;

	scan->matches++;
	if (options->count || options->matches || options->list || options->summary ||
	    options->eve || (options->write && file_is_stdout(options->write)))
		return;
	if (options->json)
		scan_print_json(scan, hit, offset);
	else
		print_text(scan, hit, offset);
}

static void print_colored(const struct scan *scan, const char *color, const char *text)
{
	if (scan->options->color)
		fprintf(scan->out, "%s%s" COLOR_END, color, text);
	else
		fputs_unlocked(text, scan->out);
}

static bool names_are_printed(const struct scan_options *options)
{
	if (options->name || options->no_name)
		return options->name;
	return options->input_count > 1 || options->recursive;
}

static void print_mark(const struct scan *scan, char mark)
{
	print_colored(scan, COLOR_MARK, (char[]){ mark, 0 });
}

static void print_name(const struct scan *scan, char mark)
{
	print_colored(scan, COLOR_NAME, scan->input);
	if (scan->options->null)
		putc_unlocked(0, scan->out);
	else if (mark == '\n')
		putc_unlocked('\n', scan->out);
	else
		print_mark(scan, mark);
}

void scan_print_input(const struct scan *scan, uint64_t selected)
{
	const struct scan_options *options = scan->options;

	if (options->list) {
		if (!selected == options->list_without)
			print_name(scan, '\n');
		return;
	}
	if (!options->count)
		return;
	if (names_are_printed(options))
		print_name(scan, ':');
	fprintf(scan->out, "%" PRIu64 "\n", selected);
}

static void print_number(const struct scan *scan, uint64_t number, char mark)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	print_colored(scan, COLOR_NUMBER, text);
	print_mark(scan, mark);
}

static void print_prefix(struct scan *scan, const struct scan_line *line, int64_t offset, char mark)
{
	const struct scan_options *options = scan->options;

	if (names_are_printed(options))
		print_name(scan, mark);
	if (options->number)
		print_number(scan, line->number, mark);
	if (options->byte_offset)
		print_number(scan, offset, mark);
	scan->printed = true;
}

static void print_bytes(const struct scan *scan, const struct scan_line *line, int64_t from,
			int64_t to)
{
	fwrite_unlocked(line->text + (from - line->begin), 1, to - from, scan->out);
}

static void print_match(const struct scan *scan, const struct scan_line *line, int64_t from,
			int64_t to)
{
	if (scan->options->color)
		fputs_unlocked(COLOR_MATCH, scan->out);
	print_bytes(scan, line, from, to);
	if (scan->options->color)
		fputs_unlocked(COLOR_END, scan->out);
}

void scan_print_line(struct scan *scan, const struct scan_line *line, char mark)
{
	int64_t at = line->begin, from, to;
	size_t i;

	print_prefix(scan, line, line->begin, mark);
	for (i = 0; i < line->count; i++) {
		from = line->spans[i].begin > at ? line->spans[i].begin : at;
		to = line->spans[i].end < line->end ? line->spans[i].end : line->end;
		if (from >= to)
			continue;
		print_bytes(scan, line, at, from);
		print_match(scan, line, from, to);
		at = to;
	}
	print_bytes(scan, line, at, line->end);
	putc_unlocked('\n', scan->out);
}

void scan_print_matches(struct scan *scan, const struct scan_line *line)
{
	int64_t at = line->begin, from, to;
	size_t i;

	for (i = 0; i < line->count; i++) {
		/* what begins in an earlier line is printed from this line's beginning on */
		from = line->spans[i].begin > line->begin ? line->spans[i].begin : line->begin;
		to = line->spans[i].end < line->end ? line->spans[i].end : line->end;
		if (from < at || from >= to)
			continue;
		print_prefix(scan, line, from, ':');
		print_match(scan, line, from, to);
		putc_unlocked('\n', scan->out);
		at = to;
	}
}
