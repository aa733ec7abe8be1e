/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pool: several threads of nfac scan search files, and parts of large files, at the same time. What
 * they print comes in the order of the files, as from one thread.
 *
 * scan.c adds files; the thread that adds them also writes all output. Threads call scan_lines.c
 * and scan_capture.c with a struct scan of their own. Captures that depend on each other are left
 * to the adding thread.
 */
#ifndef _NFAC_SCAN_POOL_H
#define _NFAC_SCAN_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct scan;
struct scan_pool;

/*
 * @threads: 2 or more
 *
 * Return: NULL after saying why.
 */
struct scan_pool *scan_pool_new(struct scan *scan, unsigned int threads);

/* Is what the options print the output of one input after the other, whose order the pool keeps? */
bool scan_pool_serves(const struct scan *scan);

/* Of a file in a folder that was read, but whose entries were not. */
#define SIZE_UNKNOWN	(-1)

/* Search the regular file @name, of @size bytes; waits while too many files wait. */
void scan_pool_add(struct scan_pool *pool, const char *name, int64_t size);

/* Write all that was added. Return: 0; -1 if any file could not be searched. */
int scan_pool_drain(struct scan_pool *pool);
void scan_pool_free(struct scan_pool *pool);

#endif /* _NFAC_SCAN_POOL_H */
