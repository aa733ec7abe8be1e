// SPDX-License-Identifier: GPL-2.0
/*
 * The argp parser of the options that `nfac queue` and `nfac scan` have for streams.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/stream/flow.h"
#include "common/message.h"
#include "common/options.h"
#include "stream_options.h"

enum { OPTION_FLOWS = OPTION_KEYS, OPTION_FLOW_IDLE };

static const struct argp_option option_table[] = {
	{ "flows", OPTION_FLOWS, "N", 0,
	  "With --stream, directions of connections that are followed at once, default 32768", 0 },
	{ "flow-idle", OPTION_FLOW_IDLE, "SECONDS", 0,
	  "With --stream, silence after which a direction may be forgotten when its place is wanted, default 120, at most 32767",
	  0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stream_options *options = state->input;

	if (option_once(option_table, key, &options->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case OPTION_FLOWS:
		options->places = parse_limit(state, "--flows", arg, 1, NFAC_FLOWS_LIMIT);
		break;
	case OPTION_FLOW_IDLE:
		options->idle = parse_limit(state, "--flow-idle", arg, 0, NFAC_FLOW_IDLE_MAX);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	options->given = true;
	return 0;
}

const struct argp stream_argp = { .options = option_table, .parser = parse };

void stream_defaults(struct stream_options *options)
{
	memset(options, 0, sizeof(*options));
	options->places = NFAC_FLOWS_DEFAULT;
	options->idle = NFAC_FLOW_IDLE_DEFAULT;
}

int stream_check(const struct stream_options *options, bool stream)
{
	if (options->given && !stream)
		return complain("--flows and --flow-idle say nothing without --stream");
	if (options->unchecked && !stream)
		return complain("--checksums says nothing without --stream: packets are searched whatever their checksum");
	return 0;
}
