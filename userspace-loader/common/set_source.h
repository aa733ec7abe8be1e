/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set sources: where a command gets its compiled set from, either a blob in a file or pattern
 * files, which are compiled first.
 */
#ifndef _NFAC_SET_SOURCE_H
#define _NFAC_SET_SOURCE_H

#include <argp.h>

#include "file.h"
#include "formats/formats.h"

/**
 * struct set_source - a blob, verified or not, and its origin
 * @blob: owned by this struct until set_source_close()
 * @size: bytes
 * @mapped: @blob is a mapping of a file that another process may change: only the kernel may rely
 *	on it, because it verifies a copy. The tool reads @checksum in place of it
 * @checksum: of a mapped blob
 * @file: absolute path of the regular file that has the blob; NULL: no file has it
 * @image: the blob bound to a matcher; NULL unless set_source_bind() was called
 * @rules: rules_json() of what was compiled with that option, or NULL
 * @compile_seconds: time the compiler took; 0 for a blob from a file
 */
struct set_source {
	void *blob;
	size_t size;
	bool mapped;
	uint64_t checksum;
	char *file;
	struct nfac_image *image;
	double compile_seconds;
	json_t *rules;
};

/* Options --format, --nocase, --quiet; its input is a struct format_options. */
extern const struct argp format_argp;

struct nearest;

/* One of these options by its long name, or NULL; @nearest: as for option_find(). */
const struct argp_option *format_option_find(const char *name, struct nearest *nearest);

/*
 * As if it had been given on the command line; @value must stay valid.
 * Return: 0; -1 after saying what is wrong.
 */
int format_option_give(struct format_options *options, const struct argp_option *option,
		       const char *value);

/* Read a blob from a file, unverified. Return: 0; -1 after saying why. */
int set_source_blob(struct set_source *source, const char *file);

/* Compile files of patterns. Return: 0; -1 after saying why. */
int set_source_compile(struct set_source *source, const struct format_options *options,
		       char *const *files, size_t count);

/* Verify the blob, called @name in messages. Return: 0; -1 after saying why. */
int set_source_bind(struct set_source *source, const char *name);

/* A set may not overwrite a file of another kind. Return: 0; -1 after saying so. */
int set_source_may_replace(const char *file);

/* Refuse options that do not apply to a compiled set. Return: 0; -1 after saying so. */
int set_source_no_format(const struct format_options *options, const char *file);

/* One compiled set, or files of patterns. Return: 0; -1 after saying why. */
int set_source_any(struct set_source *source, const struct format_options *options,
		   char *const *files, size_t count);

/*
 * The same for a command that only sends the set to the kernel: a compiled set in a regular file is
 * mapped, so that it takes no memory but the page cache's.
 */
int set_source_to_send(struct set_source *source, const struct format_options *options,
		       char *const *files, size_t count);

/* The checksum in the blob's header. */
uint64_t set_source_checksum(const struct set_source *source);

void set_source_close(struct set_source *source);

#endif /* _NFAC_SET_SOURCE_H */
