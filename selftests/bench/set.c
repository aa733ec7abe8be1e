// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of patterns by name. Every set is left without duplicates (same bytes,
 * same case), in the order of the first of each.
 */
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set.h"

#define FEW	10	/* patterns of the reference list in the set words-10 */
#define RUNS	32	/* the set runs: a, aa, ... of at most this length */

int set_add(struct bench_set *set, const uint8_t *bytes, size_t len, bool nocase)
{
	struct bench_pattern *p;
	uint8_t *copy;

	if (!len)
		return 0;
	if (set->count == set->room) {
		size_t room = set->room ? set->room * 2 : 4096;

		p = realloc(set->patterns, room * sizeof(*p));
		if (!p)
			return -1;
		set->patterns = p;
		set->room = room;
	}
	copy = malloc(len);
	if (!copy)
		return -1;
	memcpy(copy, bytes, len);
	if (nocase)
		for (size_t i = 0; i < len; i++)
			copy[i] = tolower(copy[i]);
	p = &set->patterns[set->count++];
	p->bytes = copy;
	p->len = len;
	p->nocase = nocase;
	set->fold |= nocase;
	return 0;
}

static uint64_t pattern_hash(const struct bench_pattern *p)
{
	uint64_t h = 0xcbf29ce484222325ull ^ p->nocase;

	for (uint32_t i = 0; i < p->len; i++)
		h = (h ^ p->bytes[i]) * 0x100000001b3ull;
	return h ^ (h >> 29);
}

static bool pattern_same(const struct bench_pattern *a, const struct bench_pattern *b)
{
	return a->len == b->len && a->nocase == b->nocase &&
	       !memcmp(a->bytes, b->bytes, a->len);
}

static int set_unique(struct bench_set *set)
{
	size_t slots = 1, kept = 0;
	uint32_t *table;

	while (slots < set->count * 2)
		slots *= 2;
	table = calloc(slots, sizeof(*table));
	if (!table)
		return -1;
	for (size_t i = 0; i < set->count; i++) {
		struct bench_pattern *p = &set->patterns[i];
		size_t at = pattern_hash(p) & (slots - 1);

		while (table[at] && !pattern_same(&set->patterns[table[at] - 1], p))
			at = (at + 1) & (slots - 1);
		if (table[at]) {
			free((void *)p->bytes);
			continue;
		}
		set->patterns[kept++] = *p;
		table[at] = kept;
	}
	set->count = kept;
	free(table);
	return 0;
}

/* One phrase a line; for CRS files '#' opens a comment line. */
static int read_lines(struct bench_set *set, const char *path, bool crs)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int ret = 0;

	if (!f) {
		perror(path);
		return -1;
	}
	while (!ret && (len = getline(&line, &room, f)) >= 0) {
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			len--;
		if (!len || (crs && line[0] == '#'))
			continue;
		ret = set_add(set, (uint8_t *)line, len, crs);
	}
	free(line);
	fclose(f);
	return ret;
}

static int read_all(struct bench_set *set, const char *pattern, bool rules)
{
	glob_t g;
	int ret = 0;

	if (glob(pattern, 0, NULL, &g)) {
		fprintf(stderr, "%s: no such files\n", pattern);
		return -1;
	}
	for (size_t i = 0; !ret && i < g.gl_pathc; i++)
		ret = rules ? set_read_rules(set, g.gl_pathv[i]) :
			      read_lines(set, g.gl_pathv[i], true);
	globfree(&g);
	return ret;
}

/* Every second pattern without case, to be held against the exact set. */
static int make_mixed(struct bench_set *set, const char *path)
{
	struct bench_set exact = { 0 };
	int ret = read_lines(&exact, path, false);

	for (size_t i = 0; !ret && i < exact.count; i++)
		ret = set_add(set, exact.patterns[i].bytes, exact.patterns[i].len, i & 1);
	set_free(&exact);
	return ret;
}

/* A few of the list, spread over all of it: what a small machine's rules ask for. */
static int make_few(struct bench_set *set, const char *path)
{
	struct bench_set all = { 0 };
	int ret = read_lines(&all, path, false);

	for (size_t i = 0; !ret && i < FEW; i++) {
		const struct bench_pattern *p = &all.patterns[i * all.count / FEW];

		ret = set_add(set, p->bytes, p->len, false);
	}
	set_free(&all);
	return ret;
}

static int make_runs(struct bench_set *set)
{
	uint8_t run[RUNS];
	int ret = 0;

	memset(run, 'a', sizeof(run));
	for (size_t i = 1; !ret && i <= RUNS; i++)
		ret = set_add(set, run, i, false);
	return ret;
}

int set_load(struct bench_set *set, const char *name, const char *data)
{
	char path[4096];
	int ret;

	snprintf(set->name, sizeof(set->name), "%s", name);
	snprintf(path, sizeof(path), "%s/words-2358.txt", data);
	if (!strcmp(name, "words-2358")) {
		ret = read_lines(set, path, false);
	} else if (!strcmp(name, "words-10")) {
		ret = make_few(set, path);
	} else if (!strcmp(name, "words-mixed")) {
		ret = make_mixed(set, path);
	} else if (!strcmp(name, "crs")) {
		snprintf(path, sizeof(path), "%s/crs/*.data", data);
		ret = read_all(set, path, false);
	} else if (!strcmp(name, "et")) {
		snprintf(path, sizeof(path), "%s/et/*.rules", data);
		ret = read_all(set, path, true);
	} else if (!strcmp(name, "gen-10k")) {
		ret = set_generate(set, 10000, 0);
	} else if (!strcmp(name, "gen-30k")) {
		ret = set_generate(set, 30000, 0);
	} else if (!strcmp(name, "gen-100k")) {
		ret = set_generate(set, 100000, 20);
	} else if (!strcmp(name, "runs")) {
		ret = make_runs(set);
	} else {
		fprintf(stderr, "%s: no such set\n", name);
		return -1;
	}
	if (ret || set_unique(set)) {
		fprintf(stderr, "%s: cannot load\n", name);
		return -1;
	}
	return 0;
}

void set_free(struct bench_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free((void *)set->patterns[i].bytes);
	free(set->patterns);
	memset(set, 0, sizeof(*set));
}
