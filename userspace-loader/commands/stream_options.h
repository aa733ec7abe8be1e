/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of the table of streams. Shared by `nfac queue` and `nfac scan`; the module has
 * parameters for them.
 */
#ifndef _NFAC_STREAM_OPTIONS_H
#define _NFAC_STREAM_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct stream_options - the options that were given
 * @places, @idle: for streams_new(); begin as stream_defaults()
 * @unchecked: checksums of segments are not verified
 * @given: one of @places and @idle was
 * @once: for option_once()
 */
struct stream_options {
	uint32_t places, idle;
	bool unchecked;
	bool given;
	uint32_t once;
};

/* Its input is a struct stream_options. */
extern const struct argp stream_argp;

void stream_defaults(struct stream_options *options);

/* Return: 0; -1 after saying that options were given, but not @stream. */
int stream_check(const struct stream_options *options, bool stream);

#endif /* _NFAC_STREAM_OPTIONS_H */
