/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of patterns: from the shared data, or made up from a seed.
 */
#ifndef _NFAC_BENCH_SET_H
#define _NFAC_BENCH_SET_H

#include "bench.h"

/**
 * set_load() - make a set by its name
 * @set: zeroed; to fill
 * @name: words-2358, words-mixed, crs, et, gen-10k, gen-30k, gen-100k, runs
 * @data: folder of the shared data
 *
 * Return: 0, or -1 after a message.
 */
int set_load(struct bench_set *set, const char *name, const char *data);
void set_free(struct bench_set *set);

/**
 * set_add() - copy a pattern into a set
 */
int set_add(struct bench_set *set, const uint8_t *bytes, size_t len, bool nocase);

/* read_rules.c: the contents of the rules in a Suricata file */
int set_read_rules(struct bench_set *set, const char *path);

/* generate.c: @count patterns made up from a seed; @length 0: 4 to 48 bytes */
int set_generate(struct bench_set *set, size_t count, size_t length);

#endif /* _NFAC_BENCH_SET_H */
