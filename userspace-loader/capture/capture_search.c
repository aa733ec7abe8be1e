// SPDX-License-Identifier: GPL-2.0
/*
 * The search of one capture: by packet (scan.c's matches), by stream (capture_stream.c), or by
 * rule (rule_scan.c).
 */
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture_search.h"
#include "capture_stream.h"
#include "common/message.h"

/* @decoded: a match of the decoded view */
static bool found(struct capture_search *search, const struct nfac_hit *hit, int64_t offset,
		  int64_t origin, bool decoded)
{
	const struct rule_match match = {
		.id = hit->id,
		.offset = offset,
		.stream_offset = offset + origin,
		.length = hit->length,
		.decoded = decoded,
		.packet = search->packet->number,
		.time_ns = search->packet->time_ns,
		.payload = search->payload,
	};

	return search->on_match(search->context, &match);
}

static bool on_hit(void *context, const struct nfac_hit *hit)
{
	struct capture_search *search = context;
	const struct payload *p = search->payload;

	return (hit->limits && !nfac_hit_allowed(hit, 0, p->protocol, p->sport, p->dport)) ||
	       found(search, hit, hit->end - hit->length, 0, false);
}

/* A segment's scan, its first member, and the search that it is part of. */
struct segment_scan {
	struct nfac_scan scan;
	struct capture_search *search;
};

static bool on_segment_hit(struct nfac_scan *s, const struct nfac_hit *hit, s64 offset)
{
	return found(((struct segment_scan *)s)->search, hit, offset, s->origin, s->decoded);
}

static void begin_segment(struct segment_scan *segment, struct capture_search *search)
{
	const struct payload *payload = search->payload;

	nfac_scan_init(&segment->scan, search->automaton, on_segment_hit);
	segment->scan.protocol = payload->protocol;
	segment->scan.sport = payload->sport;
	segment->scan.dport = payload->dport;
	segment->search = search;
}

/* The payload as a web server reads it, for a set that is searched for there. */
static void search_decoded(struct capture_search *search)
{
	const struct payload *payload = search->payload;
	const struct nfac_source source = { payload->bytes, payload->captured, search->path };
	const struct nfac_confirm confirm = { .copy = (uint8_t *)search->decoded };
	struct segment_scan segment;

	begin_segment(&segment, search);
	segment.scan.escapes = true;
	nfac_confirm_decoded(&confirm, &segment.scan, &source, 0, payload->captured);
}

static void search_payload(struct capture_search *search)
{
	const struct payload *payload = search->payload;
	struct nfac_match_memory memory;
	struct nfac_cursor cursor;

	nfac_cursor_init(&cursor);
	nfac_match_block(&memory, search->automaton, &cursor, payload->bytes, payload->captured,
			 search->path, on_hit, search);
	search->bytes += payload->captured;
	if (search->decoded)
		search_decoded(search);
}

static void search_segment(struct capture_search *search)
{
	const struct payload *payload = search->payload;
	struct segment_scan segment;

	begin_segment(&segment, search);
	search->bytes += capture_stream_scan(search->streams, search->packet, payload,
					     search->path, &segment.scan);
}

static void on_packet(void *context, const struct capture_packet *packet,
		      const struct payload *payload)
{
	struct capture_search *search = context;

	search->packet = packet;
	search->payload = payload;
	if (search->on_packet)
		search->on_packet(search->context, packet, payload);
	if (search->rules)
		search->bytes += rule_scan_packet(search->rules, payload, packet);
	else if (search->streams && payload->protocol == IPPROTO_TCP)
		search_segment(search);
	else
		search_payload(search);
	search->packet = NULL;
	search->payload = NULL;
}

/* Rules whose evaluation the end of the capture ends, and what was not evaluated. */
static void end_rules(struct capture_search *search, const char *name)
{
	const struct rule_counts *counts = rule_scan_counts(search->rules);

	rule_scan_end(search->rules);
	if (counts->budget)
		complain_at(name, 0, "%" PRIu64 " rules not evaluated to the end: budget",
			    counts->budget);
	if (counts->overflow)
		complain_at(name, 0, "%" PRIu64 " packets with more than %u anchors: not all rules were evaluated",
			    counts->overflow, NFAC_PENDING_MAX);
	if (counts->gaps)
		complain_at(name, 0, "%" PRIu64 " gaps in streams", counts->gaps);
	search->rule_counts.anchors += counts->anchors;
	search->rule_counts.holds += counts->holds;
	search->rule_counts.budget += counts->budget;
	search->rule_counts.overflow += counts->overflow;
	search->rule_counts.gaps += counts->gaps;
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

static int read_packets(struct capture_search *search, const char *name, struct input *in,
			bool deep, struct capture_counts *counts)
{
	if (in)
		return capture_read(name, in, deep, on_packet, search, counts);
	return capture_live(name, deep, on_packet, search, counts);
}

/* A set that has programs. */
static int search_rules(struct capture_search *search, const char *name, struct input *in,
			struct capture_counts *counts)
{
	int err;

	search->rules = rule_scan_new(search->automaton, search->path, search->stream,
				      search->on_match, search->context);
	if (!search->rules)
		return -1;
	rule_scan_confirm(search->rules, search->confirm);
	err = read_packets(search, name, in, true, counts);
	end_rules(search, file_shown_name(name));
	rule_scan_free(search->rules);
	search->rules = NULL;
	return err;
}

/* A set without programs. */
static int search_patterns(struct capture_search *search, const char *name, struct input *in,
			   struct capture_counts *counts)
{
	const bool stream = search->stream;
	struct capture_streams streams;
	int err, why;

	if (stream) {
		if (capture_streams_open(&streams, search->table, search->decoded))
			return -1;
		search->streams = &streams;
	}
	err = read_packets(search, name, in, false, counts);
	if (stream) {
		fflush(stdout);
		capture_streams_report(&streams, file_shown_name(name));
		for (why = 0; why < NFAC_SKIP_MAX; why++)
			search->skipped[why] += streams.skipped[why];
		capture_streams_close(&streams);
		search->streams = NULL;
	}
	return err;
}

static void add_counts(struct capture_counts *to, const struct capture_counts *counts)
{
	int why;

	to->packets += counts->packets;
	to->bytes += counts->bytes;
	to->other += counts->other;
	to->encrypted += counts->encrypted;
	to->cut += counts->cut;
	for (why = 0; why < NFAC_SKIP_MAX; why++)
		to->skipped[why] += counts->skipped[why];
}

int capture_search(struct capture_search *search, const char *name, struct input *in)
{
	struct capture_counts counts = { 0 };
	int err;

	if (search->automaton->flags & NFAC_SET_DECODE_URL) {
		search->decoded = malloc(sizeof(*search->decoded));
		if (!search->decoded)
			return complain("out of memory");
	}
	if (search->automaton->programs)
		err = search_rules(search, name, in, &counts);
	else
		err = search_patterns(search, name, in, &counts);
	free(search->decoded);
	search->decoded = NULL;
	fflush(stdout);
	report_skipped(file_shown_name(name), &counts);
	add_counts(&search->counts, &counts);
	return err;
}
