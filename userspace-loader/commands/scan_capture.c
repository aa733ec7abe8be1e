// SPDX-License-Identifier: GPL-2.0
/*
 * nfac scan on captures: prints, adds up and writes what capture_search.c finds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/packet_writer.h"
#include "common/message.h"
#include "events/text.h"
#include "report/findings.h"
#include "report/summary.h"
#include "scan.h"

/*
 * Is each capture read twice, to write packets that were read before their match? A rule that
 * holds over a stream may be reported with a later packet.
 */
static bool has_two_passes(const struct scan *scan)
{
	return scan->writer && (scan->options->flow ||
				(scan->automaton->programs && scan->options->stream));
}

/* Write the match's packet, or keep it or its connection for the second pass. */
static void write_match(struct scan *scan, const struct rule_match *match)
{
	uint64_t word = match->packet;

	if (!scan->kept) {
		packet_writer_put(scan->writer, scan->search.packet);
		return;
	}
	if (scan->options->flow)
		word = distinct_connection(scan->kept, match->payload);
	distinct_add(scan->kept, &word, 1);
}

/* The file's name without folder and ending, as an event has a set's name. */
static void event_set(struct nfac_event *event, const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t length;

	name = slash ? slash + 1 : name;
	length = strcspn(name, ".");
	if (!length)
		length = strlen(name);
	memcpy(event->set, name, length < NFAC_NAME_LEN ? length : NFAC_NAME_LEN - 1);
}

static void print_eve(const struct scan *scan, const struct rule_match *match)
{
	struct nfac_event event = {
		.time_ns = match->time_ns,
		.offset = match->offset,
		.stream_offset = match->stream_offset,
		.packet = match->packet,
		.pattern = match->id,
		.length = match->length,
		.verdict = NFAC_VERDICT_ACCEPT,
		.flags = (match->inexact ? NFAC_EVENT_INEXACT : 0) |
			 (match->decoded ? NFAC_EVENT_DECODED : 0),
	};

	event_set(&event, scan->set);
	payload_describe(match->payload, &event);
	event_print_eve(scan->out, &event, pattern_text(scan->texts, match->id), 0,
			match->payload);
}

static bool on_match(void *context, const struct rule_match *match)
{
	struct scan *scan = context;
	const struct nfac_hit hit = { .id = match->id, .length = match->length };

	if (scan->findings)
		findings_add_match(scan->findings, pattern_text(scan->texts, match->id), match,
				   scan->before);
	if (scan->writer)
		write_match(scan, match);
	if (scan->options->eve)
		print_eve(scan, match);
	scan->packet = match->packet;
	scan->payload = match->payload;
	scan->origin = match->stream_offset - match->offset;
	scan->inexact = match->inexact;
	scan->in_view = match->decoded;
	scan_found(scan, &hit, match->offset);
	scan->payload = NULL;
	scan->packet = 0;
	scan->inexact = false;
	scan->in_view = false;
	return true;
}

static void on_packet(void *context, const struct capture_packet *packet,
		      const struct payload *payload)
{
	struct scan *scan = context;

	findings_packet(scan->findings, scan->before + packet->number, packet->time_ns, payload);
}

int scan_captures_begin(struct scan *scan)
{
	const struct scan_options *options = scan->options;

	scan->search = (struct capture_search) {
		.automaton = scan->automaton,
		.path = options->path,
		.stream = options->stream,
		.table = &options->table,
		.confirm = scan->confirm,
		.on_match = on_match,
		.on_packet = options->summary ? on_packet : NULL,
		.context = scan,
	};
	if (options->write) {
		scan->writer = packet_writer_open(options->write);
		if (!scan->writer)
			return -1;
	}
	if (!options->summary)
		return 0;
	scan->findings = malloc(sizeof(*scan->findings));
	if (!scan->findings)
		return complain("out of memory");
	if (!findings_init(scan->findings))
		return 0;
	free(scan->findings);
	scan->findings = NULL;
	return -1;
}

static int print_summary(struct scan *scan)
{
	findings_sort(scan->findings);
	if (scan->options->json)
		return summary_print_json(stdout, scan->findings, &scan->search);
	summary_print_text(stdout, scan->findings, &scan->search);
	return 0;
}

int scan_captures_end(struct scan *scan)
{
	int err = 0;

	if (scan->writer)
		err = packet_writer_close(scan->writer);
	scan->writer = NULL;
	if (!scan->findings)
		return err;
	if (scan->captures && print_summary(scan))
		err = -1;
	if (scan->findings->failed)
		err = -1;
	findings_free(scan->findings);
	free(scan->findings);
	scan->findings = NULL;
	return err;
}

/* The second pass: write what was kept. */
static void on_second(void *context, const struct capture_packet *packet,
		      const struct payload *payload)
{
	struct scan *scan = context;
	uint64_t word = packet->number;

	if (scan->options->flow)
		word = distinct_connection(scan->kept, payload);
	if (distinct_has(scan->kept, &word, 1))
		packet_writer_put(scan->writer, packet);
}

static int write_kept(struct scan *scan, const char *name)
{
	struct capture_counts counts = { 0 };
	struct input *in = input_open(name);
	int err;

	if (!in)
		return -1;
	err = capture_read(name, in, scan->automaton->programs, on_second, scan, &counts);
	input_close(in);
	return err;
}

static int scan_twice(struct scan *scan, const char *name, struct input *in)
{
	struct distinct kept;
	int err;

	if (!input_size(in))
		return complain_at(file_shown_name(name), 0, "read twice by --write with --flow, or with rules and --stream: store it in a file first");
	if (distinct_init(&kept))
		return -1;
	scan->kept = &kept;
	err = capture_search(&scan->search, name, in);
	if (kept.full)
		err = complain_at(file_shown_name(name), 0, "more than %u packets or connections match: not all are written",
				  DISTINCT_MAX);
	if (kept.used && write_kept(scan, name))
		err = -1;
	scan->kept = NULL;
	distinct_free(&kept);
	return err;
}

int scan_capture(struct scan *scan, const char *name, struct input *in)
{
	const struct scan_options *options = scan->options;
	const uint64_t before = scan->matches, bytes = scan->search.bytes;
	int err;

	if (options->invert || options->word || options->whole || options->limited)
		return complain_at(file_shown_name(name), 0, "a capture has no lines: -v, -w, -x and -m are for text");
	scan->captures++;
	scan->before = scan->search.counts.packets;
	if (scan->writer)
		packet_writer_next(scan->writer);
	if (in && has_two_passes(scan))
		err = scan_twice(scan, name, in);
	else
		err = capture_search(&scan->search, name, in);
	scan->bytes += scan->search.bytes - bytes;
	scan->selected += scan->matches - before;
	scan_print_input(scan, scan->matches - before);
	return err;
}
