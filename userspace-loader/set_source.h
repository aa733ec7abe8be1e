/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set sources: where a command gets its compiled set from, be it a blob in a file
 * or lists of patterns that are compiled on the way.
 */
#ifndef _NFAC_SET_SOURCE_H
#define _NFAC_SET_SOURCE_H

#include <argp.h>

#include "file.h"
#include "formats/formats.h"

/**
 * struct set_source - a blob, verified or not, and how it came about
 * @blob: owned by this struct until set_source_close()
 * @size: bytes
 * @image: the blob bound to a matcher; NULL unless set_source_bind() was called
 * @compile_seconds: time the compiler took; 0 for a blob from a file
 */
struct set_source {
	void *blob;
	size_t size;
	struct nfac_image *image;
	double compile_seconds;
};

/* Options --format, --nocase, --quiet; its input is a struct format_options. */
extern const struct argp format_argp;

/* Read a blob from a file, unverified. Return: 0; -1 after saying why. */
int set_source_blob(struct set_source *source, const char *file);

/* Compile files of patterns. Return: 0; -1 after saying why. */
int set_source_compile(struct set_source *source, const struct format_options *options,
		       char *const *files, size_t count);

/* Verify the blob. Return: 0; -1 after saying why, with @name as the culprit. */
int set_source_bind(struct set_source *source, const char *name);

/* A set may not be written over a file of anything else. Return: 0; -1 after saying so. */
int set_source_may_replace(const char *file);

/* Options of @options say nothing of a compiled set. Return: 0; -1 after saying so. */
int set_source_no_format(const struct format_options *options, const char *file);

/* One compiled set, or files of patterns. Return: 0; -1 after saying why. */
int set_source_any(struct set_source *source, const struct format_options *options,
		   char *const *files, size_t count);

void set_source_close(struct set_source *source);

#endif /* _NFAC_SET_SOURCE_H */
