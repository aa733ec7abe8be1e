/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traffic: records of payload, as a hook would see them packet by packet.
 */
#ifndef _NFAC_BENCH_TEXT_H
#define _NFAC_BENCH_TEXT_H

#include "bench.h"

/* The two ways to fill a text; -1 when out of memory. */
int text_append(struct bench_text *text, const void *bytes, size_t len);
int text_end_record(struct bench_text *text);
/* Appends and ends a record wherever BENCH_RECORD bytes are full. */
int text_stream(struct bench_text *text, const void *bytes, size_t len);
int text_fold(struct bench_text *text);
void text_free(struct bench_text *text);

/**
 * honest_load() - captures from @data, and a generated mix up to @bytes
 *
 * Every @thin-th packet of the captures is kept (1: all).
 */
int honest_load(struct bench_text *text, const char *data, size_t bytes, size_t thin);
/* honest_mix.c: like web, mail and file traffic, in the words of @sample */
int honest_mix(struct bench_text *text, const struct bench_text *sample, size_t bytes);

/* hostile.c: kinds of traffic that are made from the set itself */
extern const char * const hostile_kinds[];
extern const size_t hostile_kinds_count;
int hostile_make(struct bench_text *text, const struct bench_set *set, const char *kind,
		 size_t bytes);

#endif /* _NFAC_BENCH_TEXT_H */
