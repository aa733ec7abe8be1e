// SPDX-License-Identifier: GPL-2.0
/*
 * nfac scan: search files and captures for a set's patterns. Needs neither root nor the
 * module: the matcher is the same code.
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../kmod/engine/match/matcher.h"
#include "capture/capture_stream.h"
#include "capture/rule_scan.h"
#include "commands.h"
#include "events/text.h"
#include "common/confirm.h"
#include "common/human.h"
#include "common/message.h"
#include "common/options.h"
#include "common/pattern_text.h"
#include "common/set_source.h"

#define PIPE_BLOCK	(1u << 20)
#define MAP_BLOCK	(1ul << 30)	/* the matcher takes less than 2^31 bytes at once */

enum {
	OPTION_JSON = OPTION_KEYS, OPTION_PATH, OPTION_PCAP, OPTION_STREAM, OPTION_TIME,
	OPTION_CONFIRM,
};

struct arguments {
	struct format_options format;
	struct stream_options table;
	const char *set;
	char **patterns;
	int pattern_count;
	enum nfac_path path;
	bool json, count, pcap, stream, time, confirm;
	uint32_t once;
	char **inputs;
	int input_count;
};

/*
 * One scan: what the matcher's callback needs.
 *
 * @input: the file's name for a line of text
 * @input_json: its name as a member of a JSON object; NULL when there is one input only
 * @streams: of the capture; NULL: its packets are scanned one by one
 * @packet: number of a capture's packet; 0: none
 * @rules: evaluates the set's programs over the capture; NULL: it has none
 * @confirm: checks what the kernel cannot, or NULL
 * @inexact: a condition of the rule that holds was not checked
 * @base: offset of the next block
 * @origin: offset of a packet's payload in its stream
 */
struct scan {
	const struct arguments *args;
	const struct nfac_automaton *automaton;
	struct pattern_texts *texts;
	char *input, *input_json;
	struct capture_streams *streams;
	const struct payload *payload;
	uint64_t packet;
	struct rule_scan *rules;
	struct confirm *confirm;
	bool inexact;
	int64_t base, origin;
	uint64_t matches, bytes;
};

static const struct argp_option options[] = {
	{ "set", 's', "SET.nfac", 0, "Look for the patterns of a compiled set", 0 },
	{ "patterns", 'p', "FILE", 0, "Look for the patterns in this file (may be repeated)", 0 },
	{ "json", OPTION_JSON, NULL, 0, "Print a line of JSON for each match", 0 },
	{ "count", 'c', NULL, 0, "Print the number of matches alone", 0 },
	{ "pcap", OPTION_PCAP, NULL, 0,
	  "All inputs are captures; report any other", 0 },
	{ "stream", OPTION_STREAM, NULL, 0,
	  "Follow the TCP streams of captures", 0 },
	{ "confirm", OPTION_CONFIRM, NULL, 0,
	  "Check what the kernel cannot, too: pcre", 0 },
	{ "path", OPTION_PATH, "PATH", 0,
	  "How to scan: nofilter, portable, avx2 or auto (default)", 0 },
	{ "time", OPTION_TIME, NULL, 0, "Report on stderr how long it took", 0 },
	{ 0 }
};

static enum nfac_path parse_path(struct argp_state *state, const char *name)
{
	enum nfac_path best = nfac_path_best();
	int i;

	if (!strcmp(name, "auto"))
		return best;
	for (i = 0; i < NFAC_PATH_MAX; i++) {
		if (strcmp(nfac_path_names[i], name))
			continue;
		if (i > (int)best)
			argp_error(state, "--path %s: this CPU or this build has no such path",
				   name);
		return i;
	}
	argp_error(state, "unknown path '%s': there are nofilter, portable, avx2 and auto",
		   name);
	return best;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	/* pattern files accumulate */
	if (key != 'p' && option_once(options, key, &args->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->format;
		state->child_inputs[1] = &args->table;
		break;
	case 's':
		args->set = arg;
		break;
	case 'p':
		args->patterns[args->pattern_count++] = arg;
		break;
	case 'c':
		args->count = true;
		break;
	case OPTION_JSON:
		args->json = true;
		break;
	case OPTION_PCAP:
		args->pcap = true;
		break;
	case OPTION_STREAM:
		args->stream = true;
		break;
	case OPTION_CONFIRM:
		args->confirm = true;
		break;
	case OPTION_PATH:
		args->path = parse_path(state, arg);
		break;
	case OPTION_TIME:
		args->time = true;
		break;
	case ARGP_KEY_ARGS:
		args->inputs = state->argv + state->next;
		args->input_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no input given ('-': standard input)");
		break;
	case ARGP_KEY_END:
		if (!args->set == !args->pattern_count)
			argp_error(state, "give either -s SET.nfac or -p FILE");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Where in which stream: the members that an event has. */
static void print_json_stream(const struct scan *scan, int64_t offset)
{
	struct nfac_event event = { 0 };

	payload_describe(scan->payload, &event);
	printf(",\"stream_offset\":%" PRId64 ",\"payload\":%" PRIu32 ",", offset + scan->origin,
	       event.payload_len);
	event_json_ends(&event);
}

static void print_json(const struct scan *scan, const struct nfac_hit *hit, int64_t offset)
{
	const struct pattern_text *text = pattern_text(scan->texts, hit->id);

	printf("{\"id\":%" PRIu32 ",\"offset\":%" PRId64 ",\"length\":%" PRIu32,
	       text->shown, offset, hit->length);
	if (*text->json) {
		putchar_unlocked(',');
		fputs_unlocked(text->json, stdout);
	}
	if (scan->packet)
		printf(",\"packet\":%" PRIu64, scan->packet);
	if (scan->args->stream)
		print_json_stream(scan, offset);
	if (scan->inexact)
		fputs_unlocked(",\"inexact\":true", stdout);
	if (scan->input_json)
		fputs_unlocked(scan->input_json, stdout);
	fputs_unlocked("}\n", stdout);
}

static void print_text(const struct scan *scan, const struct nfac_hit *hit, int64_t offset)
{
	const struct pattern_text *text = pattern_text(scan->texts, hit->id);

	fputs_unlocked(scan->input, stdout);
	if (scan->packet)
		printf(":%" PRIu64, scan->packet);
	printf(":%" PRId64, offset);
	if (scan->args->stream)
		printf(":%" PRId64, offset + scan->origin);
	printf(": %" PRIu32 ": ", text->shown);
	fputs_unlocked(text->plain, stdout);
	putchar_unlocked('\n');
}

static void found(struct scan *scan, const struct nfac_hit *hit, int64_t offset)
{
	scan->matches++;
	if (scan->args->count)
		return;
	if (scan->args->json)
		print_json(scan, hit, offset);
	else
		print_text(scan, hit, offset);
}

static bool on_hit(void *context, const struct nfac_hit *hit)
{
	struct scan *scan = context;
	const struct payload *p = scan->payload;

	if (hit->limits && !nfac_hit_allowed(hit, scan->base, p ? p->protocol : 0,
					     p ? p->sport : 0, p ? p->dport : 0))
		return true;
	found(scan, hit, scan->base + hit->end - hit->length);
	return true;
}

/* Announce an input whose text the search cannot see. Return: 0: it can; -1. */
static int announce_closed(const char *name, const struct input *in)
{
	const struct kind *kind = input_kind(in), *packed = input_packed(in);

	if (!kind || kind->form > KIND_CLOSED)
		return 0;
	if (packed)
		return complain_at(name, 0, "%s, after decompression, and searched as it is; unpack it first: %s",
				   kind->what, packed->reader);
	return complain_at(name, 0, "%s, and searched as it is; its text: %s | nfac scan -",
			   kind->what, kind->reader);
}

static void scan_block(struct scan *scan, struct nfac_cursor *cursor, const uint8_t *bytes,
		       size_t length)
{
	nfac_match_block(scan->automaton, cursor, bytes, length, scan->args->path,
			 on_hit, scan);
	scan->base += length;
	scan->bytes += length;
}

static void scan_packet(struct scan *scan, const struct payload *payload)
{
	struct nfac_cursor cursor;

	nfac_cursor_init(&cursor);
	scan->base = 0;
	scan->origin = 0;
	scan_block(scan, &cursor, payload->bytes, payload->captured);
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
	found(scan, hit, offset);
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
	scan->bytes += capture_stream_scan(scan->streams, packet, payload, scan->args->path,
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
	found(scan, &hit, match->offset);
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

	scan->rules = rule_scan_new(scan->automaton, scan->args->path, scan->args->stream, on_rule,
				    scan);
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

static int scan_capture(struct scan *scan, const char *name, struct input *in)
{
	struct capture_counts counts = { 0 };
	struct capture_streams streams;
	int err;

	if (scan->automaton->programs) {
		err = scan_capture_rules(scan, name, in, &counts);
		fflush(stdout);
		report_skipped(file_shown_name(name), &counts);
		return err;
	}
	/* each capture by itself: what it has in common with another is not known */
	if (scan->args->stream) {
		if (capture_streams_open(&streams, &scan->args->table))
			return -1;
		scan->streams = &streams;
	}
	err = capture_read(name, in, false, on_packet, scan, &counts);
	fflush(stdout);
	report_skipped(file_shown_name(name), &counts);
	if (scan->streams) {
		capture_streams_report(&streams, file_shown_name(name));
		capture_streams_close(&streams);
		scan->streams = NULL;
	}
	return err;
}

static int scan_pieces(struct scan *scan, const char *name, struct input *in)
{
	uint8_t *block = malloc(PIPE_BLOCK);
	struct nfac_cursor cursor;
	ssize_t got;

	if (!block)
		return complain("out of memory");
	nfac_cursor_init(&cursor);
	while ((got = input_read(in, block, PIPE_BLOCK)) > 0) {
		scan_block(scan, &cursor, block, got);
		if (ferror(stdout))
			break;	/* finish_output() says why */
	}
	if (got < 0)
		complain_at(name, 0, "%s", input_error(in));
	free(block);
	return got < 0 ? -1 : 0;
}

/* A mapped file's scan. */
struct file_scan {
	struct scan *scan;
	const struct file *file;
};

static void scan_mapped(void *context)
{
	const struct file_scan *job = context;
	const struct file *file = job->file;
	struct nfac_cursor cursor;
	size_t at, length;

	nfac_cursor_init(&cursor);
	for (at = 0; at < file->size; at += length) {
		length = file->size - at < MAP_BLOCK ? file->size - at : MAP_BLOCK;
		scan_block(job->scan, &cursor, file->bytes + at, length);
	}
}

static int scan_file(struct scan *scan, const char *name, struct input *in)
{
	struct file file;
	struct file_scan job = { scan, &file };
	int err = announce_closed(file_shown_name(name), in);

	scan->base = 0;
	if (input_map(in, &file)) {
		err |= file_walk(&file, scan_mapped, &job);
		file_close(&file);
	} else {
		err |= scan_pieces(scan, file_shown_name(name), in);
	}
	return err;
}

static int name_input(struct scan *scan, const char *name)
{
	char *quoted;

	name = strcmp(name, "-") ? name : "(standard input)";
	scan->input = name_on_line(name);
	if (!scan->input)
		return complain("out of memory");
	if (scan->args->input_count == 1 || !scan->args->json)
		return 0;
	quoted = json_quote_any(name);
	if (!quoted || asprintf(&scan->input_json, ",\"file\":%s", quoted) < 0) {
		scan->input_json = NULL;
		complain("out of memory");
	}
	free(quoted);
	return scan->input_json ? 0 : -1;
}

static int scan_input(struct scan *scan, const char *name)
{
	struct input *in = input_open(name);
	const struct kind *kind;
	int err;

	if (!in)
		return -1;
	err = name_input(scan, name);
	kind = input_kind(in);
	if (!err && (scan->args->pcap || (kind && kind->form == KIND_CAPTURE)))
		err = scan_capture(scan, name, in);
	else if (!err && scan->args->stream)
		err = complain_at(file_shown_name(name), 0,
				  "not a capture, and --stream follows streams in captures; if it is one: --pcap");
	else if (!err)
		err = scan_file(scan, name, in);
	input_close(in);
	free(scan->input);
	free(scan->input_json);
	scan->input = NULL;
	scan->input_json = NULL;
	return err;
}

static void report_time(const struct scan *scan, double seconds)
{
	struct human size, time, rate;

	fflush(stdout);
	complain("%s in %s: %s, %" PRIu64 " matches, path %s",
		 human_size(&size, scan->bytes), human_time(&time, seconds),
		 human_rate(&rate, seconds > 0 ? scan->bytes / seconds : 0), scan->matches,
		 nfac_path_names[scan->args->path]);
}

static int scan_all(struct scan *scan)
{
	const struct arguments *args = scan->args;
	double start = clock_seconds();
	int i, err = 0;

	/* an input that cannot be read does not keep the others from being read */
	for (i = 0; i < args->input_count; i++)
		if (scan_input(scan, args->inputs[i]))
			err = -1;
	if (args->count)
		printf("%" PRIu64 "\n", scan->matches);
	if (args->time)
		report_time(scan, clock_seconds() - start);
	if (err)
		return NFAC_EXIT_ERROR;
	return scan->matches ? NFAC_EXIT_OK : NFAC_EXIT_NOTHING;
}

/* Who reads it second finds nothing in it. */
static bool stdin_is_wanted_twice(const struct arguments *args)
{
	size_t wanted = file_count_stdin(args->patterns, args->pattern_count) +
			file_count_stdin(args->inputs, args->input_count);

	if (args->set && !strcmp(args->set, "-"))
		wanted++;
	if (wanted > 1)
		complain("standard input is named more than once, and can be read but once");
	return wanted > 1;
}

int cmd_scan(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &format_argp, 0, NULL, 0 },
		{ &stream_argp, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "INPUT...",
		.doc = "Look for patterns in files ('-': standard input) and in captures (pcap, pcapng), compressed or not.\v"
		       "A match is printed as INPUT:OFFSET: ID: PATTERN, in captures as INPUT:PACKET:OFFSET: ID: PATTERN with the offset in the packet's TCP or UDP payload, with --stream as INPUT:PACKET:OFFSET:STREAM_OFFSET: ID: PATTERN. Exit status: 0: found, 1: nothing found, 2: error.",
		.children = children,
	};
	struct arguments args = { .path = nfac_path_best() };
	struct scan scan = { .args = &args };
	struct set_source set;
	int status = NFAC_EXIT_ERROR;

	args.patterns = calloc(argc, sizeof(*args.patterns));
	if (!args.patterns) {
		complain("out of memory");
		return status;
	}
	stream_defaults(&args.table);
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (stdin_is_wanted_twice(&args) || stream_check(&args.table, args.stream))
		goto out;
	if (args.set && set_source_no_format(&args.format, args.set))
		goto out;
	if (args.set ? set_source_blob(&set, args.set) :
		       set_source_compile(&set, &args.format, args.patterns, args.pattern_count))
		goto out;
	if (set_source_bind(&set, args.set ? args.set : args.patterns[0]))
		goto out_set;
	scan.automaton = nfac_image_automaton(set.image);
	scan.texts = pattern_texts_new(set.image);
	if (args.confirm)
		scan.confirm = confirm_new(set.image);
	if (!args.confirm || scan.confirm)
		status = scan_all(&scan);
	confirm_free(scan.confirm);
	pattern_texts_free(scan.texts);
out_set:
	set_source_close(&set);
out:
	free(args.patterns);
	return status;
}
