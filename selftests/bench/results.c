// SPDX-License-Identifier: GPL-2.0
/*
 * The store of results, their table and their JSON.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "results.h"

#define RESULTS_MAX	2048
#define BUILDS_MAX	256

static struct bench_result results[RESULTS_MAX];
static struct bench_build builds[BUILDS_MAX];
static size_t results_count, builds_count;

void results_add(const struct bench_result *r)
{
	if (results_count < RESULTS_MAX)
		results[results_count++] = *r;
}

void builds_add(const struct bench_build *b)
{
	if (builds_count < BUILDS_MAX)
		builds[builds_count++] = *b;
}

const struct bench_result *results_find(const char *set, const char *traffic,
					const char *matcher)
{
	for (size_t i = 0; i < results_count; i++)
		if (!strcmp(results[i].set, set) && !strcmp(results[i].traffic, traffic) &&
		    !strcmp(results[i].matcher, matcher))
			return &results[i];
	return NULL;
}

const struct bench_build *builds_find(const char *set, const char *matcher)
{
	for (size_t i = 0; i < builds_count; i++)
		if (!strcmp(builds[i].set, set) && !strcmp(builds[i].matcher, matcher))
			return &builds[i];
	return NULL;
}

static double mbps_of(const char *set, const char *traffic, const char *matcher)
{
	const struct bench_result *r = results_find(set, traffic, matcher);

	return r ? r->mbps : 0;
}

/* Badness of a kind: nfac's speed as a part of the best peer automaton's. */
static double ratio_of(const char *set, const char *traffic)
{
	double nfac = mbps_of(set, traffic, "nfac");
	double daachorse = mbps_of(set, traffic, "daachorse");
	double nfa = mbps_of(set, traffic, "rust-nfa");
	double best = daachorse > nfa ? daachorse : nfa;

	if (!nfac)
		return best;
	return best ? nfac / best : nfac;
}

void results_worst(const char *set)
{
	const char *worst = NULL;
	size_t count = results_count;
	double least = 0;

	for (size_t i = 0; i < count; i++) {
		double ratio;

		if (strcmp(results[i].set, set) || strncmp(results[i].traffic, "hostile-", 8) ||
		    !strcmp(results[i].traffic, "hostile-ratio"))
			continue;
		ratio = ratio_of(set, results[i].traffic);
		if (!worst || ratio < least) {
			worst = results[i].traffic;
			least = ratio;
		}
	}
	for (size_t i = 0; worst && i < count; i++) {
		struct bench_result r = results[i];

		if (strcmp(r.set, set) || strcmp(r.traffic, worst))
			continue;
		snprintf(r.note, sizeof(r.note), "%s", worst);
		snprintf(r.traffic, sizeof(r.traffic), "hostile");
		results_add(&r);
	}
}

static void print_head(FILE *out, const char *set)
{
	fprintf(out, "\n%-17s", set);
	for (size_t m = 0; m < bench_matchers_count; m++)
		fprintf(out, " %13s", bench_matchers[m].name);
	fprintf(out, "\n%-17s", "bytes");
	for (size_t m = 0; m < bench_matchers_count; m++) {
		const struct bench_build *b = builds_find(set, bench_matchers[m].name);

		if (b && !b->why[0])
			fprintf(out, " %13zu", b->bytes);
		else
			fprintf(out, " %13s", "-");
	}
	fputc('\n', out);
}

static void print_row(FILE *out, const struct bench_result *first)
{
	const char *traffic = first->traffic;

	fprintf(out, "%-17s", traffic);
	for (size_t m = 0; m < bench_matchers_count; m++) {
		const struct bench_result *r = results_find(first->set, traffic,
							    bench_matchers[m].name);
		char cell[48] = "-";

		if (r)
			snprintf(cell, sizeof(cell), "%.0f (%.0f)", r->mbps, r->mbps_min);
		fprintf(out, " %13s", cell);
	}
	fprintf(out, "  %llu matches", (unsigned long long)first->matches);
	if (first->note[0])
		fprintf(out, "; %s", first->note);
	fputc('\n', out);
}

void results_table(FILE *out)
{
	const char *set = "";

	fprintf(out, "MB/s: median of the rounds (slowest round)\n");
	for (size_t b = 0; b < builds_count; b++) {
		if (!strcmp(builds[b].set, set))
			continue;
		set = builds[b].set;
		print_head(out, set);
		for (size_t i = 0; i < results_count; i++)
			if (!strcmp(results[i].set, set) &&
			    &results[i] == results_find(set, results[i].traffic,
							results[i].matcher) &&
			    (!i || strcmp(results[i - 1].set, set) ||
			     strcmp(results[i - 1].traffic, results[i].traffic)))
				print_row(out, &results[i]);
		for (size_t i = 0; i < builds_count; i++)
			if (!strcmp(builds[i].set, set) && builds[i].why[0])
				fprintf(out, "%s not built: %s\n", builds[i].matcher,
					builds[i].why);
	}
}

int results_json(const char *path)
{
	json_t *root = json_object(), *list = json_array(), *sets = json_array();
	int ret;

	for (size_t i = 0; i < results_count; i++) {
		const struct bench_result *r = &results[i];
		json_t *one = json_pack("{s:s,s:s,s:s,s:I,s:f,s:f,s:f,s:f,s:I,s:s}",
					"set", r->set, "traffic", r->traffic,
					"matcher", r->matcher,
					"bytes", (json_int_t)r->bytes,
					"mbps", r->mbps, "mbps_min", r->mbps_min,
					"mbps_max", r->mbps_max,
					"beside", r->beside,
					"matches", (json_int_t)r->matches,
					"note", r->note);

		json_array_append_new(list, one);
	}
	for (size_t i = 0; i < builds_count; i++) {
		const struct bench_build *b = &builds[i];
		json_t *one = json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:f,s:I,s:s}",
					"set", b->set, "matcher", b->matcher,
					"patterns", (json_int_t)b->patterns,
					"states", (json_int_t)b->states,
					"node_bytes", (json_int_t)b->node_bytes,
					"bytes", (json_int_t)b->bytes,
					"seconds", b->seconds,
					"peak_rss", (json_int_t)b->peak,
					"refused", b->why);

		json_array_append_new(sets, one);
	}
	json_object_set_new(root, "results", list);
	json_object_set_new(root, "builds", sets);
	ret = json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	if (ret)
		fprintf(stderr, "%s: cannot write\n", path);
	json_decref(root);
	return ret;
}
