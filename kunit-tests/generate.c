// SPDX-License-Identifier: GPL-2.0
/*
 * Generates the sets that the suites use: compiles each list of patterns with the tool's
 * compiler and prints blob and patterns as C, which help_set.c includes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kmod/engine/blob.h"
#include "../userspace-loader/compiler/compiler.h"

#define PATTERNS_MAX	2048

static struct nfac_pattern list[PATTERNS_MAX];
static uint32_t lists;

static struct nfac_pattern *add(const void *bytes, uint32_t length)
{
	struct nfac_pattern *p = &list[lists++];
	uint8_t *copy = malloc(length);

	if (lists > PATTERNS_MAX || !copy)
		exit(1);
	memcpy(copy, bytes, length);
	*p = (struct nfac_pattern){ .bytes = copy, .length = length, .id = lists };
	return p;
}

#define ADD(text)	add(text, sizeof(text) - 1)

/* A generator of pseudo-random numbers: the same sets on every machine. */
static uint32_t seed = 1;

static uint32_t number(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint64_t)seed * below >> 32;
}

static void nested(void)
{
	ADD("abcdefghij");
	ADD("bcdefghi");
	ADD("cdefgh");
	ADD("defg");
	ADD("def");
	ADD("ef");
	ADD("e");
	ADD("abcd");
	ADD("ghij");
}

static void classic(void)
{
	ADD("he");
	ADD("she");
	ADD("his");
	ADD("hers");
	ADD("ushers");
	ADD("usher");
}

static void overlapping(void)
{
	ADD("aaaa");
	ADD("aaaaaa");
	ADD("aaaaaaaaaaa");
	ADD("abab");
	ADD("baba");
	ADD("ababab");
	ADD("aabaab");
	ADD("aa");
}

static void duplicates(void)
{
	ADD("pattern");
	ADD("pattern");
	ADD("pattern");
	ADD("tern");
	ADD("tern");
	ADD("PATTERN")->nocase = true;
	ADD("pattern")->nocase = true;
	ADD("rn");
	ADD("rn");
	ADD("same id")->id = 77;
	ADD("other, same id")->id = 77;
}

static void zeros(void)
{
	ADD("\0");
	ADD("\0\0");
	ADD("a\0b");
	ADD("\0abc\0");
	ADD("\0\0\0\0\0");
	ADD("abc\0\0def");
	ADD("\xff\0\xff\0");
}

static void single(void)
{
	ADD("x");
	ADD("\xff");
	ADD("\0");
	ADD("Y")->nocase = true;
}

static void alphabet(void)
{
	uint8_t text[8];
	int i;

	for (i = 0; i < 256; i++) {
		text[0] = i;
		add(text, 1);
	}
	for (i = 0; i < 256; i++) {
		memcpy(text, "root", 4);
		text[4] = i;
		text[5] = 255 - i;
		add(text, 6);
	}
}

/* A fork of each width, so that every kind of record is made; at some a pattern ends. */
static void wide(void)
{
	uint8_t text[16];
	int width, i;

	for (width = 1; width <= 40; width++) {
		int n = sprintf((char *)text, "fork%c%c", 'a' + width / 26,
				'a' + width % 26);

		if (width % 3 == 0)
			add(text, n);
		for (i = 0; i < width; i++) {
			/* keys close together, and far apart */
			text[n] = width & 1 ? 'A' + i : i * 255 / width;
			text[n + 1] = '!';
			add(text, n + 2);
		}
	}
}

static void mixed(void)
{
	ADD("Select")->nocase = true;
	ADD("SELECT");
	ADD("select");
	ADD("union")->nocase = true;
	ADD("UNION");
	ADD("Un")->nocase = true;
	ADD("uN");
	ADD("[\\]^_`{|}~@")->nocase = true;
	ADD("[\\]^_`");
	ADD("on sel")->nocase = true;
	ADD("\xc0\xe0Zz\xda\xfa")->nocase = true;
}

static void exact(void)
{
	ADD("GET /");
	ADD("get /");
	ADD("Host: ");
	ADD("HoSt: evil");
}

static void longs(void)
{
	uint8_t text[700];
	uint32_t i;

	for (i = 0; i < sizeof(text); i++)
		text[i] = 'a' + i * i % 23;
	add(text, 700);
	add(text + 100, 300);
	add(text + 399, 5);
	add(text + 500, 200);
	for (i = 0; i < 130; i++)
		text[i] = i & 1 ? 'Q' : 'q';
	add(text, 120);
	add(text, 90)->nocase = true;
}

static void limits(void)
{
	static const struct nfac_pattern_limits at4 = { .offset = 4 };
	static const struct nfac_pattern_limits to12 = { .end = 12 };
	static const struct nfac_pattern_limits tcp80 = {
		.protocol = 6, .port_low = 80, .port_high = 81,
	};
	static const struct nfac_pattern_limits udp_from = {
		.protocol = 17, .port_low = 53, .port_high = 53, .source_port = true,
	};

	uint8_t text[NFAC_GRAM + NFAC_LABELS_MAX];

	/* as many labels as a record can have */
	memset(text, '-', sizeof(text));
	text[0] = '>';
	add(text, sizeof(text));
	ADD("limit")->limits = &at4;
	ADD("limit")->limits = &to12;
	ADD("limit")->limits = &tcp80;
	ADD("limit")->limits = &udp_from;
	ADD("free");
	ADD("it")->limits = &tcp80;
}

/* Small, with every kind of record: it is corrupted word by word. */
static void small(void)
{
	static const struct nfac_pattern_limits head = { .end = 100, .protocol = 6 };

	ADD("attack")->nocase = true;
	ADD("Attack");
	ADD("tackle");
	ADD("tack");
	ADD("ta");
	ADD("ta");
	ADD("acid rain")->limits = &head;
	ADD("acid test");
	ADD("acid jazz");
	ADD("\0\1\2\3");
}

/* The same without folding, and without patterns that need it. */
static void plain(void)
{
	uint8_t text[] = "rows", longest[] = "rows and columns ";
	int i;

	ADD("attack");
	ADD("tackle");
	ADD("acid rain");
	ADD("rain coat");
	/* fail in their middle, and where a record begins */
	ADD("acid rain storm");
	ADD("a grope");
	ADD("a grown");
	ADD("grops");
	/* a path that ends where a record of another kind begins */
	for (i = 0; i < 12; i++) {
		longest[16] = 'a' + i;
		add(longest, 17);
	}
	/* more children than a FORK can have, with keys close together and far apart */
	for (i = 0; i < 12; i++) {
		text[4] = 'a' + i;
		add(text, 5);
	}
	text[0] = 'R';
	for (i = 0; i < 12; i++) {
		text[4] = i * 21;
		add(text, 5);
	}
}

/* The outputs of one text cost NFAC_OUTPUT_COMPARES_MAX to refuse: two looks each. */
static void spellings(void)
{
	uint8_t text[10];
	int i, k;

	for (i = 0; i < NFAC_OUTPUT_COMPARES_MAX / 2; i++) {
		for (k = 0; k < 10; k++)
			text[k] = 'a' + k - (i >> k & 1) * 32;
		add(text, 10);
	}
	ADD("wxyz");
	ADD("fold")->nocase = true;
}

static void short_patterns(void)
{
	ADD("ab");
	ADD("abc");
	ADD("c");
	ADD("xyz");
}

/* Failures that lead deep, an end that goes on as another pattern, ends that do not. */
static void classic_long(void)
{
	ADD("ushers");
	ADD("sherry");
	ADD("herring");
	ADD("hers");
	ADD("ring");
	ADD("wherringbone");
}

/* What padding is full of, and what it almost is. */
static void padded(void)
{
	ADD("aaaaaaaaaaaa");
	ADD("aaaaaaaaaaaaaaaab")->nocase = true;
	ADD("aaaac");
	ADD("abcabcabcabd");
	ADD("bcabcabca")->nocase = true;
	ADD("        x");
	ADD("    ");
	ADD("--------");
	ADD("-----");
	ADD("-");
	ADD("../../../../etc");
	ADD("../..");
	ADD("./.");
	ADD("xyzzy");
	/* refused for its case, where the next one reads on */
	ADD("KLMNO");
	ADD("klmnop")->nocase = true;
}

/* What is refused at its start in each period of a text, but in the last one. */
static void ahead_starts(void)
{
	ADD("abcdefgX");
	ADD("bcdeg");
	ADD("bcded");
}

/* The same where each period fails to the same state. */
static void ahead_failures(void)
{
	ADD("abcdefgX");
	ADD("bcdeff");
	ADD("bcdefe");
	ADD("cdefx");
	ADD("ghabb");
	ADD("ghaba");
}

/* Two of four bytes, and longer ones, enough of them for a stride of three. */
static void before(void)
{
	uint8_t text[24];
	int i, n, j;

	ADD("1234");
	ADD("wxyz");
	for (i = 0; i < 100; i++) {
		n = 8 + number(8);
		for (j = 0; j < n; j++)
			text[j] = 'a' + number(26);
		add(text, n);
	}
}

/* Many tiles. */
static void words(void)
{
	uint8_t text[24];
	int i, n, j;

	for (i = 0; i < 1500; i++) {
		n = 4 + number(16);
		for (j = 0; j < n; j++)
			text[j] = 'a' + number(j < 4 ? 26 : 6);
		add(text, n);
	}
}

static const struct {
	const char *name;
	void (*make)(void);
	enum nfac_layout layout;	/* NFAC_LAYOUT_ANY: records */
} sets[] = {
	{ "nested", nested },
	{ "classic", classic },
	{ "overlapping", overlapping },
	{ "duplicates", duplicates },
	{ "zeros", zeros },
	{ "single", single },
	{ "alphabet", alphabet },
	{ "wide", wide },
	{ "mixed", mixed },
	{ "exact", exact },
	{ "longs", longs },
	{ "limits", limits },
	{ "small", small },
	{ "plain", plain },
	{ "spellings", spellings },
	{ "short_patterns", short_patterns },
	{ "padded", padded },
	{ "ahead_starts", ahead_starts },
	{ "ahead_failures", ahead_failures },
	{ "words", words },
	{ "before", before },
	{ "flat_before", before, NFAC_LAYOUT_DARRAY },
	{ "ends", classic_long, NFAC_LAYOUT_SUFFIX },
	{ "ends_mixed", mixed, NFAC_LAYOUT_SUFFIX },
	{ "ends_padded", padded, NFAC_LAYOUT_SUFFIX },
	{ "ends_words", words, NFAC_LAYOUT_SUFFIX },
	{ "flat", classic_long, NFAC_LAYOUT_DARRAY },
	{ "flat_mixed", mixed, NFAC_LAYOUT_DARRAY },
	{ "flat_padded", padded, NFAC_LAYOUT_DARRAY },
	{ "flat_words", words, NFAC_LAYOUT_DARRAY },
	{ "flat32", classic_long, NFAC_LAYOUT_DARRAY32 },
	{ "flat32_mixed", mixed, NFAC_LAYOUT_DARRAY32 },
	{ "flat32_padded", padded, NFAC_LAYOUT_DARRAY32 },
	{ "flat32_words", words, NFAC_LAYOUT_DARRAY32 },
};

static void bytes(const uint8_t *at, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		printf("%u,%s", at[i], i % 24 == 23 ? "\n" : "");
	printf("\n");
}

static int emit(const char *name, enum nfac_layout layout)
{
	const struct nfac_compile_options options = {
		.layout = layout ? layout : NFAC_LAYOUT_RECORDS,
	};
	void *blob;
	size_t size;
	uint32_t i;
	int err = nfac_compile(list, lists, &options, &blob, &size);

	if (err) {
		fprintf(stderr, "generate: %s: %s\n", name, strerror(-err));
		return 1;
	}
	printf("static const u8 %s_blob[] __aligned(64) = {\n", name);
	bytes(blob, size);
	printf("};\n\nstatic const u8 %s_text[] = {\n", name);
	for (i = 0; i < lists; i++)
		bytes(list[i].bytes, list[i].length);
	printf("};\n\nstatic const struct help_pattern %s_patterns[] = {\n", name);
	for (i = 0; i < lists; i++)
		printf("{ %u, %u, %d, %d },\n", list[i].id, list[i].length,
		       list[i].nocase, !!list[i].limits);
	printf("};\n\n");
	free(blob);
	return 0;
}

int main(void)
{
	size_t i;

	printf("/* made by generate.c */\n\n");
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		lists = 0;
		sets[i].make();
		if (emit(sets[i].name, sets[i].layout))
			return 1;
	}
	printf("const struct help_set help_sets[] = {\n");
	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		printf("HELP_SET(%s),\n", sets[i].name);
	printf("};\n");
	return 0;
}
