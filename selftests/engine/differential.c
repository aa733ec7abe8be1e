// SPDX-License-Identifier: GPL-2.0
/*
 * The matcher against a naive search: random sets, random texts, cut at random
 * places, every layout, every path. Prints KTAP; the seed is fixed, or the second argument.
 *
 *	differential [CASES [SEED]]
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz/oracle.h"

#define PATTERNS_MAX	40
#define TEXT_MAX	600
#define LARGE_LENGTH	2600	/* now and then; past what the cases' words hold */
#define PERIODIC_TEXT	1500
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

/* By one path; past the best one, each block by any: a cursor fits all paths. */
static void scan(struct matches *m, const struct nfac_automaton *a, const uint8_t *text,
		 size_t len, unsigned int path, unsigned int cuts)
{
	const unsigned int best = nfac_path_best();
	struct nfac_cursor cur;
	size_t at = 0, n;

	nfac_cursor_init(&cur);
	m->base = 0;
	while (at < len) {
		n = cuts == 0 ? len : cuts == 1 ? 1 : 1 + draw(cuts);
		if (n > len - at)
			n = len - at;
		match_next(m, a, &cur, text + at, n, path <= best ? path : draw(best + 1));
		at += n;
	}
}

/*
 * A set and a text to look for it in.
 *
 * @ways: in how many ways the text may be cut
 */
struct test_case {
	struct nfac_pattern patterns[PATTERNS_MAX + CROWD_MAX];
	uint8_t bytes[PATTERNS_MAX][LARGE_LENGTH];
	uint8_t text[LARGE_TEXT];
	size_t count, length;
	unsigned int alphabet, ways;
};

static const unsigned int cuts[] = { 0, 1, 5, 100 };

/* A part repeats the bytes before it, mostly one or a few. */
static void repeat(uint8_t *bytes, size_t length)
{
	size_t period = 1 + draw(draw(2) ? 4 : 80), from, to;

	if (period >= length)
		return;
	from = period + draw(length - period);
	to = from + draw(length - from + 1);
	for (; from < to; from++)
		bytes[from] = bytes[from - period];
}

static void make_patterns(struct test_case *c, bool large)
{
	static const unsigned int lengths[] = { 3, 8, 20, 300 }, crowds[] = { 0, 8, 5 };
	unsigned int cases = draw(3), least = draw(2) ? 1 : 3 + draw(6), longest = lengths[draw(4)];
	struct nfac_pattern *p = c->patterns;
	size_t i, k;

	if (large) {
		longest = LARGE_LENGTH;
		least = 1 + draw(LARGE_LENGTH);
		cases = 2;
	}
	/* a cursor remembers the case of 128 bytes (see its struct): longer ones in one block */
	c->ways = cases == 2 && longest > 128 ? 1 : sizeof(cuts) / sizeof(*cuts);
	if (longest < least)
		longest = least;
	for (i = 0; i < c->count; i++) {
		p[i] = (struct nfac_pattern){
			.bytes = c->bytes[i], .id = 1 + i,
			.length = least + draw(longest - least + 1),
			.nocase = cases == 2 ? draw(2) : cases,
		};
		for (k = 0; k < p[i].length; k++)
			c->bytes[i][k] = letter(c->alphabet);
		/* share a beginning, or a part, with another one */
		if (i && draw(2)) {
			size_t other = draw(i), from = draw(2) ? 0 : draw(p[other].length);
			size_t n = p[other].length - from;

			memcpy(c->bytes[i], c->bytes[other] + from,
			       n < p[i].length ? n : p[i].length);
		}
		if (!draw(3))
			repeat(c->bytes[i], p[i].length);
	}
	k = crowds[draw(3)];
	if (k)
		c->count = crowd(p, c->count, k);
}

static void make_text(struct test_case *c)
{
	size_t i, k;

	for (i = 0; i < c->length; i++)
		c->text[i] = letter(c->alphabet);
	for (i = draw(20); i; i--) {
		const struct nfac_pattern *p = &c->patterns[draw(c->count)];
		size_t n = p->length, at;

		if (n > c->length)
			continue;
		at = draw(c->length - n + 1);
		memcpy(c->text + at, p->bytes, n - draw(2));
		/* in another case at one place */
		k = at + draw(n);
		if (!draw(3) && isalpha(c->text[k]))
			c->text[k] ^= 0x20;
		if (!draw(6))
			repeat(c->text, c->length);
	}
}

/*
 * A pattern that repeats itself, and a text of it, of some of the blocks that lanes take, but for
 * one byte's case, mostly in the first one: the letter case of a pattern is checked far behind it.
 */
static void make_periodic(struct test_case *c)
{
	size_t period = 1 + draw(draw(2) ? 4 : 80), k = draw(c->count), i;

	/* the bytes of a crowd's patterns are not the case's own */
	if (k >= PATTERNS_MAX || c->patterns[k].bytes != c->bytes[k])
		k = 0;
	for (i = period; i < c->patterns[k].length; i++)
		c->bytes[k][i] = c->bytes[k][i - period];
	if (period > c->patterns[k].length)
		period = c->patterns[k].length;
	for (i = 0; i < c->length; i++)
		c->text[i] = c->bytes[k][i % period];
	i = draw(2) ? draw(c->length) : 200 + draw(200);
	if (i < c->length && isalpha(c->text[i]))
		c->text[i] ^= 0x20;
}

/* By every path, cut in every way. Return: 0, or 1 after saying where it differs. */
static int compare(uint64_t number, const struct test_case *c, const struct nfac_automaton *a,
		   const struct matches *want, struct matches *got)
{
	const unsigned int best = nfac_path_best();
	unsigned int path, i;
	bool order, equal;

	for (path = 0; path <= best + 1; path++)
		for (i = 0; i < c->ways; i++) {
			got->count = 0;
			scan(got, a, c->text, c->length, path, cuts[i]);
			order = in_order(got);
			qsort(got->list, got->count < HITS_MAX ? got->count : HITS_MAX,
			      sizeof(*got->list), by_all);
			equal = got->count == want->count &&
				!memcmp(got->list, want->list, got->count * sizeof(*got->list));
			if (order && equal)
				continue;
			printf("# case %llu: %s, cuts %u: %zu matches, want %zu%s\n",
			       (unsigned long long)number,
			       path <= best ? nfac_path_names[path] : "any path", cuts[i],
			       got->count, want->count, order ? "" : ", out of order");
			return 1;
		}
	return 0;
}

/* Compiled as @layout, if the set is not too large for it. */
static int one_layout(uint64_t number, const struct test_case *c, enum nfac_layout layout,
		      const struct matches *want, struct matches *got)
{
	const struct nfac_compile_options options = { .layout = layout };
	struct nfac_image *image;
	const char *why = "";
	size_t size;
	void *blob;
	int err;

	err = nfac_compile(c->patterns, c->count, &options, &blob, &size);
	if (err == -E2BIG && layout != NFAC_LAYOUT_RECORDS)
		return 0;
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
	err = compare(number, c, nfac_image_automaton(image), want, got);
	if (err)
		printf("# case %llu: layout %d\n", (unsigned long long)number, layout);
	nfac_image_close(image);
	free(blob);
	return err;
}

/* A text in which patterns begin all over, and few go on to their end. */
static void make_vain(struct test_case *c)
{
	size_t at = 0, n;

	c->length = PERIODIC_TEXT / 2 + draw(PERIODIC_TEXT / 2);
	while (at < c->length) {
		const struct nfac_pattern *p = &c->patterns[draw(c->count)];

		n = draw(30) ? draw(p->length) : p->length;
		if (n > c->length - at)
			n = c->length - at;
		memcpy(c->text + at, p->bytes, n);
		at += n;
		if (at < c->length && !draw(8))
			c->text[at++] = letter(c->alphabet);
	}
	if (!draw(3))
		repeat(c->text, c->length);
}

/* In each layout, against the naive search. Return: as compare(). */
static int all_layouts(uint64_t number, const struct test_case *c, struct matches *want,
		       struct matches *got)
{
	enum nfac_layout layout;

	want->count = 0;
	naive(want, c->patterns, c->count, c->text, c->length);
	if (want->count > HITS_MAX)
		return 0;
	qsort(want->list, want->count, sizeof(*want->list), by_all);
	for (layout = NFAC_LAYOUT_RECORDS; layout <= NFAC_LAYOUT_DARRAY32; layout++)
		if (one_layout(number, c, layout, want, got))
			return 1;
	return 0;
}

static int one(uint64_t number, struct matches *want, struct matches *got)
{
	static struct test_case c;
	bool large = !draw(64);

	c.count = 1 + draw(large ? 4 : PATTERNS_MAX);
	c.length = draw(large ? LARGE_TEXT : TEXT_MAX);
	c.alphabet = draw(6);
	make_patterns(&c, large);
	if (!large && !draw(16)) {
		c.length = 1 + draw(PERIODIC_TEXT);
		make_periodic(&c);
	} else if (!large && !draw(8)) {
		make_vain(&c);
	} else {
		make_text(&c);
	}
	return all_layouts(number, &c, want, got);
}

/*
 * Whether a match in periodic text is reported depends on the case of a byte far before, which a
 * period does not show.
 */
static int far_case(struct matches *want, struct matches *got)
{
	static struct test_case c = {
		.count = 2, .length = PERIODIC_TEXT, .ways = sizeof(cuts) / sizeof(*cuts),
	};
	size_t at;

	memset(c.bytes[0], 'a', 40);
	memset(c.bytes[1], 'b', 5);
	c.patterns[0] = (struct nfac_pattern){ .bytes = c.bytes[0], .length = 40, .id = 1 };
	c.patterns[1] = (struct nfac_pattern){
		.bytes = c.bytes[1], .length = 5, .id = 2, .nocase = true,
	};
	for (at = 300; at < 400; at++) {
		memset(c.text, 'a', c.length);
		c.text[at] = 'A';
		if (all_layouts(at, &c, want, got))
			return 1;
	}
	return 0;
}

/*
 * Patterns of a gram alone, refused for their letter case at each position: the false candidates
 * fill the text up to its last gram.
 */
static int shortest_case(struct matches *want, struct matches *got)
{
	static struct test_case c = { .count = 20, .ways = sizeof(cuts) / sizeof(*cuts) };
	size_t i;

	seed = 1;
	for (i = 0; i < c.count; i++) {
		memset(c.bytes[i], 'a' + i, NFAC_GRAM);
		c.patterns[i] = (struct nfac_pattern){
			.bytes = c.bytes[i], .length = NFAC_GRAM, .id = i, .nocase = !i,
		};
	}
	for (i = 0; i < PERIODIC_TEXT; i += NFAC_GRAM)
		memset(c.text + i, 'B' + draw(c.count - 1), NFAC_GRAM);
	for (c.length = PERIODIC_TEXT - 100; c.length < PERIODIC_TEXT; c.length++)
		if (all_layouts(c.length, &c, want, got))
			return 1;
	return 0;
}

/*
 * Behind false candidates, periodic text that goes on as a pattern: its candidate is left
 * out of each period but the last ones, where that of another pattern occurs again and again.
 */
static int left_out_case(struct matches *want, struct matches *got)
{
	/* of the last two the filters know five bytes, and the entry no more than a gram */
	static const char *const spelled[] = {
		"abcdabcdabcdabcdX", "cdab", "wxyz\1\1\1\1\1", "wxyz\376\376\376\376\376",
	};
	static struct test_case c = { .count = 4, .ways = sizeof(cuts) / sizeof(*cuts) };
	size_t i, periods;

	for (i = 0; i < c.count; i++)
		c.patterns[i] = (struct nfac_pattern){
			.bytes = (const uint8_t *)spelled[i], .length = strlen(spelled[i]), .id = i,
		};
	for (periods = 10; periods < 30; periods++) {
		c.length = 0;
		for (i = 0; i < 20; i++)
			c.length += sprintf((char *)c.text + c.length, "wxyz%c%c",
					    i % 2 ? '\1' : '\376', 'A' + (int)i);
		for (i = 0; i < periods; i++)
			c.length += sprintf((char *)c.text + c.length, "abcd");
		c.length += sprintf((char *)c.text + c.length, "X%100s", "");
		if (all_layouts(periods, &c, want, got))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000, i, bad = 0;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct matches want = { .room = HITS_MAX }, got = { .room = HITS_MAX };
	int far, shortest, left_out;

	want.list = calloc(HITS_MAX, sizeof(*want.list));
	got.list = calloc(HITS_MAX, sizeof(*got.list));
	if (!want.list || !got.list)
		return 2;
	for (i = 0; i < cases && bad < 5; i++) {
		seed = (first + i) * 0x9e3779b97f4a7c15ull;
		draw(2);
		bad += !!one(first + i, &want, &got);
	}
	far = far_case(&want, &got);
	shortest = shortest_case(&want, &got);
	left_out = left_out_case(&want, &got);
	printf("KTAP version 1\n1..4\n%sok 1 - %llu random sets agree with the naive search\n",
	       bad ? "not " : "", (unsigned long long)i);
	printf("%sok 2 - a letter case that is checked far before periodic text\n",
	       far ? "not " : "");
	printf("%sok 3 - false candidates up to the last gram\n", shortest ? "not " : "");
	printf("%sok 4 - a start that is left out of text that repeats itself\n",
	       left_out ? "not " : "");
	free(want.list);
	free(got.list);
	return bad || far || shortest || left_out ? 1 : 0;
}
