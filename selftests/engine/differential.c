// SPDX-License-Identifier: GPL-2.0
/*
 * The matcher against a naive search: random sets, random texts, cut at random
 * places, every path. Prints KTAP; the seed is fixed, or the second argument.
 *
 *	differential [CASES [SEED]]
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz/oracle.h"

#define PATTERNS_MAX	40
#define TEXT_MAX	600
#define LARGE_LENGTH	2600	/* now and then; past what the cases' words hold */
#define LARGE_TEXT	6000
#define HITS_MAX	200000

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 20) % below;
}

static const char *const alphabets[] = { "a", "ab", "abAB", NULL, "aA", "ab/.\\@`[{" };

static uint8_t letter(unsigned int alphabet)
{
	const char *set = alphabets[alphabet];

	return set ? (uint8_t)set[draw(strlen(set))] : draw(256);
}

static void scan(struct matches *m, const struct nfac_automaton *a, const uint8_t *text,
		 size_t len, enum nfac_path path, unsigned int cuts)
{
	struct nfac_cursor cur;
	size_t at = 0, n;

	nfac_cursor_init(&cur);
	m->base = 0;
	while (at < len) {
		n = cuts == 0 ? len : cuts == 1 ? 1 : 1 + draw(cuts);
		if (n > len - at)
			n = len - at;
		match_next(m, a, &cur, text + at, n, path);
		at += n;
	}
}

static int one(uint64_t number, struct matches *want, struct matches *got)
{
	static uint8_t bytes[PATTERNS_MAX][LARGE_LENGTH];
	static uint8_t text[LARGE_TEXT];
	struct nfac_pattern p[PATTERNS_MAX + CROWD_MAX];
	bool large = !draw(64);
	size_t count = 1 + draw(large ? 4 : PATTERNS_MAX);
	size_t len = draw(large ? LARGE_TEXT : TEXT_MAX), i, k;
	unsigned int alphabet = draw(6), cases = draw(3), longest, ways = 4;
	static const unsigned int lengths[] = { 3, 8, 20, 300 }, crowds[] = { 0, 8, 5 };
	unsigned int least = draw(2) ? 1 : 3 + draw(6);
	enum nfac_path path;
	struct nfac_image *image;
	const char *why = "";
	void *blob;
	size_t size;
	int err, bad = 0;

	longest = lengths[draw(4)];
	if (large) {
		longest = LARGE_LENGTH;
		least = 1 + draw(LARGE_LENGTH);
		cases = 2;
	}
	/* a cursor remembers the case of 128 bytes (see its struct): longer ones in one block */
	if (cases == 2 && longest > 128)
		ways = 1;
	if (longest < least)
		longest = least;
	for (i = 0; i < count; i++) {
		p[i] = (struct nfac_pattern){
			.bytes = bytes[i], .id = 1 + i,
			.length = least + draw(longest - least + 1),
			.nocase = cases == 2 ? draw(2) : cases,
		};
		for (k = 0; k < p[i].length; k++)
			bytes[i][k] = letter(alphabet);
		/* share a beginning, or a part, with another one */
		if (i && draw(2)) {
			size_t other = draw(i), from = draw(2) ? 0 : draw(p[other].length);
			size_t n = p[other].length - from;

			memcpy(bytes[i], bytes[other] + from, n < p[i].length ? n : p[i].length);
		}
	}
	k = crowds[draw(3)];
	if (k)
		count = crowd(p, count, k);
	for (i = 0; i < len; i++)
		text[i] = letter(alphabet);
	for (i = draw(20); i; i--) {
		size_t which = draw(count), n = p[which].length, at;

		if (n > len)
			continue;
		at = draw(len - n + 1);
		memcpy(text + at, p[which].bytes, n - draw(2));
		/* in another case at one place */
		k = at + draw(n);
		if (!draw(3) && isalpha(text[k]))
			text[k] ^= 0x20;
	}

	err = nfac_compile(p, count, NULL, &blob, &size);
	if (err) {
		printf("# case %llu: compile: %d\n", (unsigned long long)number, err);
		return 1;
	}
	image = nfac_image_open(blob, size, &why, NULL);
	if (!image) {
		printf("# case %llu: refused: %s\n", (unsigned long long)number, why);
		free(blob);
		return 1;
	}
	want->count = 0;
	naive(want, p, count, text, len);
	if (want->count > HITS_MAX)
		goto out;
	qsort(want->list, want->count, sizeof(*want->list), by_all);
	for (path = 0; path <= nfac_path_best(); path++)
		for (i = 0; i < ways; i++) {
			static const unsigned int cuts[] = { 0, 1, 5, 100 };

			got->count = 0;
			scan(got, nfac_image_automaton(image), text, len, path, cuts[i]);
			if (!in_order(got))
				bad |= 2;
			qsort(got->list, got->count < HITS_MAX ? got->count : HITS_MAX,
			      sizeof(*got->list), by_all);
			if (got->count != want->count ||
			    memcmp(got->list, want->list, got->count * sizeof(*got->list)))
				bad |= 1;
			if (bad) {
				printf("# case %llu: %s, cuts %u: %zu matches, want %zu%s\n",
				       (unsigned long long)number, nfac_path_names[path],
				       cuts[i], got->count, want->count,
				       bad & 2 ? ", out of order" : "");
				goto out;
			}
		}
out:
	nfac_image_close(image);
	free(blob);
	return bad;
}

int main(int argc, char **argv)
{
	uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000, i, bad = 0;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct matches want = { .room = HITS_MAX }, got = { .room = HITS_MAX };

	want.list = calloc(HITS_MAX, sizeof(*want.list));
	got.list = calloc(HITS_MAX, sizeof(*got.list));
	if (!want.list || !got.list)
		return 2;
	for (i = 0; i < cases && bad < 5; i++) {
		seed = (first + i) * 0x9e3779b97f4a7c15ull;
		draw(2);
		bad += !!one(first + i, &want, &got);
	}
	printf("KTAP version 1\n1..1\n%sok 1 - %llu random sets agree with the naive search\n",
	       bad ? "not " : "", (unsigned long long)i);
	free(want.list);
	free(got.list);
	return bad ? 1 : 0;
}
