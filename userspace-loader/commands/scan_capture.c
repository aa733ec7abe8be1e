// SPDX-License-Identifier: GPL-2.0
/*
 * nfac scan on captures: prints the matches of capture_search.c.
 */
#include <stdio.h>

#include "capture/capture_search.h"
#include "common/message.h"
#include "scan.h"

static bool on_match(void *context, const struct rule_match *match)
{
	struct scan *scan = context;
	const struct nfac_hit hit = { .id = match->id, .length = match->length };

	scan->packet = match->packet;
	scan->payload = match->payload;
	scan->origin = match->stream_offset - match->offset;
	scan->inexact = match->inexact;
	scan_found(scan, &hit, match->offset);
	scan->payload = NULL;
	scan->packet = 0;
	scan->inexact = false;
	return true;
}

int scan_capture(struct scan *scan, const char *name, struct input *in)
{
	const struct scan_options *options = scan->options;
	const uint64_t before = scan->matches;
	struct capture_search search = {
		.automaton = scan->automaton,
		.path = options->path,
		.stream = options->stream,
		.table = &options->table,
		.confirm = scan->confirm,
		.on_match = on_match,
		.context = scan,
	};
	int err;

	if (options->invert || options->word)
		return complain_at(file_shown_name(name), 0, "a capture has no lines: -v and -w are for text");
	err = capture_search(&search, name, in);
	scan->bytes += search.bytes;
	scan->selected += scan->matches - before;
	scan_print_input(scan, scan->matches - before);
	return err;
}
