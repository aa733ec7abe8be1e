/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of the commands that read events, nfac watch and nfac queue: the events' format, file and
 * limits.
 */
#ifndef _NFAC_READER_OPTIONS_H
#define _NFAC_READER_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "events/text.h"

/**
 * struct reader_options - the options that were given
 * @format: of the events
 * @all_events: print each event, instead of one of each kind in 60 s
 * @threshold_config: a file as Suricata's threshold.config, or NULL
 * @output: the file that events are appended to; NULL: standard output
 * @once: for option_once()
 */
struct reader_options {
	enum event_format format;
	bool all_events;
	const char *threshold_config, *output;
	uint32_t once;
};

/* Its input is a struct reader_options, all zero. */
extern const struct argp reader_argp;

#endif /* _NFAC_READER_OPTIONS_H */
