// SPDX-License-Identifier: GPL-2.0
/*
 * Files for kmod/: integers are little-endian, as the machine's own are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "search.h"
#include "set.h"

#define TEXT_BYTES	(3u << 20)

static const size_t counts[] = { 1, 10, 100, 2358 };

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f)
		perror(path);
	return f;
}

static void put_record(FILE *f, const uint8_t *bytes, uint32_t len)
{
	fwrite(&len, sizeof(len), 1, f);
	fwrite(bytes, 1, len, f);
}

/* Evenly spread over the text, whatever its length. */
static int export_text(const char *folder, const char *name, const struct bench_text *text)
{
	size_t step = text->bytes / TEXT_BYTES + 1;
	FILE *f = create(folder, name);

	if (!f)
		return -1;
	for (size_t i = 0; i < text->records; i += step) {
		uint32_t start = i ? text->ends[i - 1] : 0;

		put_record(f, text->raw + start, text->ends[i] - start);
	}
	return fclose(f);
}

/* The same for one that was made. */
static int export_hostile(const char *folder, const struct bench_set *set, const char *kind)
{
	struct bench_text text = { .bytes = 0 };
	int ret = hostile_make(&text, set, kind, TEXT_BYTES / 4);

	ret = ret || export_text(folder, kind, &text);
	text_free(&text);
	return ret;
}

static int export_nodes(const char *folder, const struct bench_set *set)
{
	struct trie *trie = bench_trie_build(set);
	FILE *f = create(folder, "nodes");

	if (!trie || !f) {
		if (f)
			fclose(f);
		bench_trie_free(trie);
		return -1;
	}
	for (uint32_t i = 0; i < trie_states(trie); i++) {
		uint32_t children;
		uint16_t pair[2];

		pair[1] = trie_span(trie, trie_root() + i, &children);
		pair[0] = children;
		fwrite(pair, sizeof(pair), 1, f);
	}
	bench_trie_free(trie);
	return fclose(f);
}

static int export_blob(const char *folder, const char *name, const struct bench_set *set)
{
	const struct bench_matcher *nfac = &bench_matchers[0];
	const char *why = "";
	void *automaton = nfac->build(nfac, set, &why);
	const void *blob;
	size_t bytes;
	FILE *f;

	if (!automaton) {
		fprintf(stderr, "%s: %s\n", name, why);
		return -1;
	}
	f = create(folder, name);
	if (!f)
		return -1;
	blob = nfac_blob(automaton, &bytes);
	fwrite(blob, 1, bytes, f);
	nfac->free(nfac, automaton);
	return fclose(f);
}

static int by_length(const void *a, const void *b)
{
	const struct bench_pattern *x = a, *y = b;

	return x->len < y->len ? -1 : x->len > y->len;
}

/* @count of the list, evenly spread over their lengths; one: of median length. */
static int export_patterns(const char *folder, const struct bench_set *all, size_t count)
{
	struct bench_set set = { .count = 0 };
	char name[64];
	FILE *f;
	int ret;

	for (size_t i = 0; i < count; i++) {
		const struct bench_pattern *p =
			&all->patterns[(2 * i + 1) * all->count / (2 * count)];

		if (set_add(&set, p->bytes, p->len, false))
			return -1;
	}
	snprintf(name, sizeof(name), "words-%zu.patterns", count);
	f = create(folder, name);
	if (!f)
		return -1;
	for (size_t i = 0; i < set.count; i++)
		put_record(f, set.patterns[i].bytes, set.patterns[i].len);
	if (fclose(f))
		return -1;
	snprintf(name, sizeof(name), "words-%zu.nfac", count);
	ret = export_blob(folder, name, &set);
	set_free(&set);
	return ret;
}

int export_all(const char *folder, const char *data, const struct bench_text *honest)
{
	struct bench_set set = { .count = 0 };
	int ret = set_load(&set, "words-2358", data);

	ret = ret || export_text(folder, "honest", honest) || export_nodes(folder, &set);
	for (size_t i = 0; !ret && i < hostile_kinds_count; i++)
		ret = export_hostile(folder, &set, hostile_kinds[i]);
	qsort(set.patterns, set.count, sizeof(*set.patterns), by_length);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(counts); i++)
		ret = export_patterns(folder, &set, counts[i]);
	set_free(&set);
	ret = ret || set_load(&set, "gen-100k", data) ||
	      export_blob(folder, "gen-100k.nfac", &set);
	set_free(&set);
	return ret ? -1 : 0;
}
