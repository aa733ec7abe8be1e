// SPDX-License-Identifier: GPL-2.0
/*
 * The argp parser of the options that `nfac watch` and `nfac queue` share.
 */
#include <stdlib.h>

#include "common/message.h"
#include "common/options.h"
#include "reader_options.h"

enum {
	OPTION_JSON = OPTION_KEYS, OPTION_EVE, OPTION_JOURNAL, OPTION_ALL_EVENTS,
	OPTION_THRESHOLD_CONFIG, OPTION_OUTPUT = 'o',
};

static const struct argp_option option_table[] = {
	{ "json", OPTION_JSON, NULL, 0,
	  "Print lines of JSON; of nfac queue also the statistics", 0 },
	{ "eve", OPTION_EVE, NULL, 0, "Print alert events as in Suricata's EVE JSON", 0 },
	{ "journal", OPTION_JOURNAL, NULL, 0,
	  "Send entries to systemd's journal, each figure a field (NFAC_SET, ...)", 0 },
	{ "all-events", OPTION_ALL_EVENTS, NULL, 0,
	  "Print each event; default: one in 60 s for each connection and pattern, with the number of the others",
	  0 },
	{ "threshold-config", OPTION_THRESHOLD_CONFIG, "FILE", 0,
	  "Rules that are suppressed, or reported seldom, as in Suricata's threshold.config", 0 },
	{ "output", OPTION_OUTPUT, "FILE", 0,
	  "Append to this file; SIGHUP opens it again, and reads the other files of the command line again",
	  0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reader_options *options = state->input;
	int err = option_once(option_table, key, &options->once);

	if (err)
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case OPTION_JSON:
		err = event_format_choose(&options->format, EVENT_JSON);
		break;
	case OPTION_EVE:
		err = event_format_choose(&options->format, EVENT_EVE);
		break;
	case OPTION_JOURNAL:
		err = event_format_choose(&options->format, EVENT_JOURNAL);
		break;
	case OPTION_ALL_EVENTS:
		options->all_events = true;
		break;
	case OPTION_THRESHOLD_CONFIG:
		options->threshold_config = arg;
		break;
	case OPTION_OUTPUT:
		options->output = arg;
		break;
	case ARGP_KEY_END:
		if (options->output && options->format == EVENT_JOURNAL)
			argp_error(state, "--output says nothing with --journal");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (err)
		exit(NFAC_EXIT_ERROR);
	return 0;
}

const struct argp reader_argp = { .options = option_table, .parser = parse };
