// SPDX-License-Identifier: GPL-2.0
/*
 * nfac report: one page of HTML of what a set would match in captures, or of what has matched,
 * from the events of `nfac watch` and `nfac queue`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture_search.h"
#include "commands.h"
#include "common/confirm.h"
#include "common/file.h"
#include "common/message.h"
#include "common/options.h"
#include "common/pattern_text.h"
#include "common/set_source.h"
#include "report/event_input.h"
#include "report/page.h"

enum { OPTION_STREAM = OPTION_KEYS, OPTION_CONFIRM, OPTION_TITLE, OPTION_ROWS };

#define ROWS_DEFAULT	25u

static const struct argp_option option_table[] = {
	{ "patterns", 'p', "SET.nfac|FILE", 0,
	  "Look for the patterns of a compiled set, or of this file (files may be repeated)", 0 },
	{ "set", 's', NULL, OPTION_ALIAS, NULL, 0 },
	{ "output", 'o', "REPORT.html", 0, "Write the page here ('-': standard output)", 0 },
	{ "title", OPTION_TITLE, "TEXT", 0, "Title of the page (default: the set's name)", 0 },
	{ "rows", OPTION_ROWS, "N", 0, "Rows of a table at most, default 25", 0 },
	{ "stream", OPTION_STREAM, NULL, 0, "Follow the TCP streams of captures", 0 },
	{ "confirm", OPTION_CONFIRM, NULL, 0, "Check what the kernel cannot, too: pcre", 0 },
	{ 0 }
};

/* @sets: point into argv; room for all of its words */
struct arguments {
	struct format_options format;
	struct stream_options table;
	char **sets, **inputs;
	int set_count, input_count;
	const char *output, *title;
	uint32_t rows, once;
	bool stream, confirm;
};

/**
 * struct report - a report that is made
 * @set: where captures are searched
 * @number: numbers of packets before this capture
 * @readable: inputs that were read, to their end or not
 */
struct report {
	const struct arguments *args;
	struct set_source set;
	struct pattern_texts *texts;
	struct capture_search search;
	struct findings findings;
	struct page_input *inputs;
	uint64_t number;
	int readable;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	/* pattern files accumulate */
	if (key != 'p' && key != 's' && option_once(option_table, key, &args->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->format;
		state->child_inputs[1] = &args->table;
		break;
	case 'p':
	case 's':
		args->sets[args->set_count++] = arg;
		break;
	case 'o':
		args->output = arg;
		break;
	case OPTION_TITLE:
		args->title = arg;
		break;
	case OPTION_ROWS:
		args->rows = parse_limit(state, "--rows", arg, 1, INT32_MAX);
		break;
	case OPTION_STREAM:
		args->stream = true;
		break;
	case OPTION_CONFIRM:
		args->confirm = true;
		break;
	case ARGP_KEY_ARGS:
		args->inputs = state->argv + state->next;
		args->input_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no input given: captures, or events in JSON");
		break;
	case ARGP_KEY_END:
		if (!args->output)
			argp_error(state, "where to? -o REPORT.html");
		if (!args->set_count && (args->stream || args->confirm))
			argp_error(state, "--stream and --confirm are for captures: give -p");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static bool on_match(void *context, const struct rule_match *match)
{
	struct report *report = context;

	findings_add_match(&report->findings, pattern_text(report->texts, match->id), match,
			   report->number);
	return true;
}

static void on_packet(void *context, const struct capture_packet *packet,
		      const struct payload *payload)
{
	struct report *report = context;

	findings_packet(&report->findings, report->number + packet->number, packet->time_ns,
			payload);
}

static int read_opened(struct report *report, const char *name, struct input *in,
		       struct page_input *input)
{
	const struct kind *kind = input_kind(in);
	const bool capture = kind && kind->form == KIND_CAPTURE;
	int err;

	name = file_shown_name(name);
	if (!capture && report->args->set_count)
		return complain_at(name, 0, "not a capture: without -p it is read as events");
	if (capture && !report->args->set_count)
		return complain_at(name, 0, "a capture: name the patterns to look for, with -p");
	report->readable++;
	if (!capture)
		return event_input_read(&report->findings, name, in, &input->packets);
	report->number = report->search.counts.packets;
	err = capture_search(&report->search, name, in);
	input->packets = report->search.counts.packets - report->number;
	return err;
}

static int read_inputs(struct report *report)
{
	const struct arguments *args = report->args;
	struct page_input *input;
	uint64_t before;
	struct input *in;
	int i, err = 0;

	for (i = 0; i < args->input_count; i++) {
		input = &report->inputs[i];
		input->name = file_shown_name(args->inputs[i]);
		before = report->findings.matches;
		in = input_open(args->inputs[i]);
		if (!in || read_opened(report, args->inputs[i], in, input))
			err = -1;
		if (in)
			input_close(in);
		input->matches = report->findings.matches - before;
	}
	return err;
}

/* The set's name, without its folder; allocated. */
static char *make_title(const struct arguments *args)
{
	const char *name = args->set_count ? file_shown_name(args->sets[0]) : "events";
	const char *slash = strrchr(name, '/');
	char *title = NULL;

	if (args->title)
		return strdup(args->title);
	name = slash ? slash + 1 : name;
	if (args->set_count < 2)
		return strdup(name);
	if (asprintf(&title, "%s and %d more", name, args->set_count - 1) < 0)
		return NULL;
	return title;
}

/* The page is written as a whole or not at all. */
static int write_page(struct report *report)
{
	const struct arguments *args = report->args;
	struct nfac_image_figures figures = { 0 };
	char *title = make_title(args);
	struct page page = {
		.title = title,
		.findings = &report->findings,
		.search = args->set_count ? &report->search : NULL,
		.inputs = report->inputs,
		.input_count = args->input_count,
		.rows = args->rows,
	};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int err;

	if (!to || !title) {
		if (to)
			fclose(to);
		free(text);
		free(title);
		return complain("out of memory");
	}
	if (args->set_count)
		nfac_image_figures(report->set.image, &figures);
	page.patterns = figures.patterns;
	page_print(to, &page);
	err = fclose(to) ? complain("out of memory") : file_write(args->output, text, size, 0666);
	free(text);
	free(title);
	return err;
}

static int make_report(struct report *report)
{
	const struct arguments *args = report->args;
	int err, failed;

	report->inputs = calloc(args->input_count, sizeof(*report->inputs));
	if (!report->inputs)
		return complain("out of memory");
	if (findings_init(&report->findings)) {
		free(report->inputs);
		return -1;
	}
	report->findings.from_events = !args->set_count;
	failed = read_inputs(report);
	findings_sort(&report->findings);
	err = report->readable ? write_page(report) : -1;
	if (report->findings.failed)
		err = -1;
	findings_free(&report->findings);
	free(report->inputs);
	return failed ? failed : err;
}

static int report_captures(struct report *report)
{
	const struct arguments *args = report->args;
	int err = -1;

	if (set_source_any(&report->set, &args->format, args->sets, args->set_count))
		return -1;
	if (set_source_bind(&report->set, args->sets[0]))
		goto out;
	report->texts = pattern_texts_new(report->set.image);
	report->search = (struct capture_search) {
		.automaton = nfac_image_automaton(report->set.image),
		.path = nfac_path_best(),
		.stream = args->stream,
		.table = &args->table,
		.on_match = on_match,
		.on_packet = on_packet,
		.context = report,
	};
	if (args->confirm)
		report->search.confirm = confirm_new(report->set.image);
	if (!report->texts)
		err = complain("out of memory");
	else if (!args->confirm || report->search.confirm)
		err = make_report(report);
	confirm_free(report->search.confirm);
	pattern_texts_free(report->texts);
out:
	set_source_close(&report->set);
	return err;
}

static const struct argp_child children[] = {
	{ &format_argp, 0, NULL, 0 },
	{ &stream_argp, 0, NULL, 0 },
	{ 0 }
};

int cmd_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "CAPTURE...|EVENTS...",
		.doc = "Write one page of HTML: what a set would match in captures, by pattern, time, source and destination, before it is attached with --drop. Without -p the inputs are events, as nfac watch and nfac queue write them with --json or --eve.",
		.children = children,
	};
	struct arguments args = { .rows = ROWS_DEFAULT };
	struct report report = { .args = &args };
	int err = -1;

	stream_defaults(&args.table);
	args.sets = calloc(argc, sizeof(*args.sets));
	if (!args.sets) {
		complain("out of memory");
		goto out;
	}
	options_parse(&argp, argc, argv, &args);
	if (file_count_stdin(args.inputs, args.input_count) +
	    file_count_stdin(args.sets, args.set_count) > 1)
		complain("standard input is named more than once, and can be read but once");
	else if (!stream_check(&args.table, args.stream))
		err = args.set_count ? report_captures(&report) : make_report(&report);
out:
	free(args.sets);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
