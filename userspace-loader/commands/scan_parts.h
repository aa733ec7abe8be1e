/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of a large text, which threads of scan_pool.c search at the same time.
 *
 * A part has the lines that begin in its bytes, so a line is in one part. Files whose lines depend
 * on each other are not divided: lines of context, -m and -l, patterns with the end of a line in
 * them, binary files.
 */
#ifndef _NFAC_SCAN_PARTS_H
#define _NFAC_SCAN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

struct scan;
struct scan_parts;

/* Is a text of @size bytes worth it, and may it be divided? */
bool scan_parts_wanted(struct scan *scan, int64_t size);

/* @size: of the file. Return: NULL: it is not divided. */
struct scan_parts *scan_parts_open(struct scan *scan, const char *name, int64_t size);
unsigned int scan_parts_count(const struct scan_parts *parts);

/* Search a part, by its thread. Return: 0; -1 after saying why. */
int scan_part(struct scan *scan, struct scan_parts *parts, unsigned int part);

/* A part could not be read, when its turn to print came. Return: it is the first one. */
bool scan_parts_fails(struct scan_parts *parts);

/* Has a part before the one whose turn it is ended the printing of lines? */
bool scan_parts_stopped(const struct scan_parts *parts);

/*
 * Parts are over one after the other; with the last one the text's numbers are printed and
 * @parts is freed. Return: 0; -1 after saying why.
 */
int scan_parts_done(struct scan_parts *parts, struct scan *scan, unsigned int part,
		    uint64_t selected);

#endif /* _NFAC_SCAN_PARTS_H */
