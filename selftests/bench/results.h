/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurements of a run, and their output: table, bars, JSON.
 */
#ifndef _NFAC_BENCH_RESULTS_H
#define _NFAC_BENCH_RESULTS_H

#include <stdio.h>

#include "bench.h"

/**
 * struct bench_result - one matcher on one traffic of one set
 * @bytes: the matcher's memory
 * @mbps: median over the rounds, payload bytes / 1e6 a second
 * @mbps_min: of the slowest round
 * @mbps_max: of the fastest round
 * @beside: median speed of what a bar holds this against, where that is the same matcher on
 *	another text or with another set, in the same rounds; 0: nothing
 * @note: for hostile: the kind it is; for searched traffic: the recipe
 */
struct bench_result {
	char set[BENCH_NAME_MAX];
	char traffic[BENCH_NAME_MAX];
	char matcher[BENCH_NAME_MAX];
	char note[160];
	size_t bytes;
	double mbps;
	double mbps_min;
	double mbps_max;
	double beside;
	uint64_t matches;
};

/**
 * struct bench_build - what one matcher's build of one set took
 * @why: why there is none, empty when there is
 * @peak: peak memory of a process that does nothing but this build, 0: not measured
 */
struct bench_build {
	char set[BENCH_NAME_MAX];
	char matcher[BENCH_NAME_MAX];
	char why[128];
	size_t patterns;
	size_t states;
	size_t node_bytes;
	size_t bytes;
	double seconds;
	size_t peak;
};

void results_add(const struct bench_result *r);
void builds_add(const struct bench_build *b);
const struct bench_result *results_find(const char *set, const char *traffic,
					const char *matcher);
const struct bench_build *builds_find(const char *set, const char *matcher);

/*
 * Adds `hostile` for a set: the kind where nfac does worst against the peers.
 * hostile-ratio, which is searched for in nfac's disfavour (what the peers like
 * best of what nfac likes least), stays under its own name.
 */
void results_worst(const char *set);

void results_table(FILE *out);
/* The bars of the project; returns how many are missed. */
int results_bars(FILE *out);
int results_json(const char *path);

#endif /* _NFAC_BENCH_RESULTS_H */
