// SPDX-License-Identifier: GPL-2.0
/*
 * nfac scan on captures: each packet's payload by itself, or the TCP streams, or a set's rules.
 */
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>

#include "capture/capture_stream.h"
#include "capture/rule_scan.h"
#include "common/confirm.h"
#include "common/message.h"
#include "scan.h"

static bool on_hit(void *context, const struct nfac_hit *hit)
{
	struct scan *scan = context;
	const struct payload *p = scan->payload;

	if (!hit->limits || nfac_hit_allowed(hit, 0, p->protocol, p->sport, p->dport))
		scan_found(scan, hit, hit->end - hit->length);
	return true;
}

static void scan_packet(struct scan *scan, const struct payload *payload)
{
	struct nfac_cursor cursor;

	nfac_cursor_init(&cursor);
	scan->origin = 0;
	nfac_match_block(scan->automaton, &cursor, payload->bytes, payload->captured,
			 scan->options->path, on_hit, scan);
	scan->bytes += payload->captured;
}

/* A segment's scan, and whose it is. */
struct segment_scan {
	struct nfac_scan scan;
	struct scan *whose;
};

static bool on_segment_hit(struct nfac_scan *s, const struct nfac_hit *hit, s64 offset)
{
	/* the scan is its first member */
	struct scan *scan = ((struct segment_scan *)s)->whose;

	scan->origin = s->origin;
	scan_found(scan, hit, offset);
	return true;
}

static void scan_segment(struct scan *scan, const struct capture_packet *packet,
			 const struct payload *payload)
{
	struct segment_scan segment = { .whose = scan };

	nfac_scan_init(&segment.scan, scan->automaton, on_segment_hit);
	segment.scan.protocol = payload->protocol;
	segment.scan.sport = payload->sport;
	segment.scan.dport = payload->dport;
	scan->bytes += capture_stream_scan(scan->streams, packet, payload, scan->options->path,
					   &segment.scan);
}

static void on_packet(void *context, const struct capture_packet *packet,
		      const struct payload *payload)
{
	struct scan *scan = context;

	scan->packet = packet->number;
	scan->payload = payload;
	if (scan->streams && payload->protocol == IPPROTO_TCP)
		scan_segment(scan, packet, payload);
	else
		scan_packet(scan, payload);
	scan->payload = NULL;
	scan->packet = 0;
}

static void report_rules(const struct rule_counts *counts, const char *name)
{
	name = file_shown_name(name);
	if (counts->budget)
		complain_at(name, 0, "%" PRIu64 " rules not evaluated to the end: budget",
			    counts->budget);
	if (counts->overflow)
		complain_at(name, 0, "%" PRIu64 " packets with more than %u anchors: not all rules were evaluated",
			    counts->overflow, NFAC_PENDING_MAX);
	if (counts->gaps)
		complain_at(name, 0, "%" PRIu64 " gaps in streams", counts->gaps);
}

static bool on_rule(void *context, const struct rule_match *match)
{
	struct scan *scan = context;
	const struct nfac_hit hit = { .id = match->id, .length = match->length };

	scan->packet = match->packet;
	scan->payload = match->payload;
	scan->origin = match->stream_offset - match->offset;
	scan->inexact = match->inexact;
	scan_found(scan, &hit, match->offset);
	scan->inexact = false;
	return true;
}

static void on_rules_packet(void *context, const struct capture_packet *packet,
			    const struct payload *payload)
{
	struct scan *scan = context;

	scan->bytes += rule_scan_packet(scan->rules, payload, packet);
}

/* A capture, and a set that has programs. */
static int scan_capture_rules(struct scan *scan, const char *name, struct input *in,
			      struct capture_counts *counts)
{
	int err;

	scan->rules = rule_scan_new(scan->automaton, scan->options->path, scan->options->stream,
				    on_rule, scan);
	if (!scan->rules)
		return -1;
	rule_scan_confirm(scan->rules, scan->confirm);
	err = capture_read(name, in, true, on_rules_packet, scan, counts);
	rule_scan_end(scan->rules);
	report_rules(rule_scan_counts(scan->rules), name);
	rule_scan_free(scan->rules);
	scan->rules = NULL;
	scan->payload = NULL;
	scan->packet = 0;
	return err;
}

static void report_skipped(const char *name, const struct capture_counts *counts)
{
	int i;

	if (counts->cut)
		complain_at(name, 0, "%" PRIu64 " packets are in the capture in part only",
			    counts->cut);
	for (i = 0; i < NFAC_SKIP_MAX; i++)
		if (counts->skipped[i] && i != NFAC_SKIP_PROTOCOL)
			complain_at(name, 0, "%" PRIu64 " packets not inspected: %s",
				    counts->skipped[i], skip_name(i));
	if (counts->skipped[NFAC_SKIP_PROTOCOL])
		complain_at(name, 0, "%" PRIu64 " packets not inspected: neither TCP nor UDP",
			    counts->skipped[NFAC_SKIP_PROTOCOL]);
	if (counts->encrypted)
		complain_at(name, 0, "%" PRIu64 " packets not inspected: encrypted (802.11)",
			    counts->encrypted);
	if (counts->other)
		complain_at(name, 0, "%" PRIu64 " packets not inspected: neither IPv4 nor IPv6",
			    counts->other);
}

/* A capture, and a set without programs. */
static int scan_capture_patterns(struct scan *scan, const char *name, struct input *in,
				 struct capture_counts *counts)
{
	struct capture_streams streams;
	int err;

	/* each capture by itself: what it has in common with another is not known */
	if (scan->options->stream) {
		if (capture_streams_open(&streams, &scan->options->table))
			return -1;
		scan->streams = &streams;
	}
	err = capture_read(name, in, false, on_packet, scan, counts);
	if (scan->streams) {
		fflush(stdout);
		capture_streams_report(&streams, file_shown_name(name));
		capture_streams_close(&streams);
		scan->streams = NULL;
	}
	return err;
}

int scan_capture(struct scan *scan, const char *name, struct input *in)
{
	const uint64_t before = scan->matches;
	struct capture_counts counts = { 0 };
	int err;

	if (scan->options->invert || scan->options->word)
		return complain_at(file_shown_name(name), 0, "a capture has no lines: -v and -w are for text");
	if (scan->automaton->programs)
		err = scan_capture_rules(scan, name, in, &counts);
	else
		err = scan_capture_patterns(scan, name, in, &counts);
	fflush(stdout);
	report_skipped(file_shown_name(name), &counts);
	scan->selected += scan->matches - before;
	scan_print_input(scan, scan->matches - before);
	return err;
}
