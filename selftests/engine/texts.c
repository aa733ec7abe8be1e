// SPDX-License-Identifier: GPL-2.0
/*
 * Texts that cost little, and a text that changes while it is read. The matcher counts the
 * words that it reads. Prints KTAP.
 *
 *	texts
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/match/memory.h"
#include "../../userspace-loader/compiler/compiler.h"
#include "../fuzz/hostile.h"

static int test;

static struct hostile_set *compile(const char *const spelled[2], enum nfac_layout layout)
{
	const struct nfac_compile_options options = { .layout = layout };
	struct nfac_pattern p[2];
	struct hostile_set *set;
	size_t i, size;
	void *blob;

	for (i = 0; i < 2; i++)
		p[i] = (struct nfac_pattern){
			.bytes = (const uint8_t *)spelled[i], .length = strlen(spelled[i]), .id = i,
		};
	if (nfac_compile(p, 2, &options, &blob, &size))
		return NULL;
	set = hostile_open(blob, size);
	free(blob);
	return set;
}

/*
 * A text that is of @some where its place modulo 20 is below 4, and of @most elsewhere, costs
 * @bound words for a byte at most, in each layout from @layout on, for a caller that wants
 * one match.
 */
static int costs(const char *what, const char *const spelled[2], char some, char most,
		 unsigned int bound, enum nfac_layout layout)
{
	uint8_t text[16384];
	struct hostile_set *set;
	size_t i;
	u64 words;

	for (i = 0; i < sizeof(text); i++)
		text[i] = i % 20 < 4 ? some : most;
	for (; layout <= NFAC_LAYOUT_DARRAY32; layout++) {
		set = compile(spelled, layout);
		if (!set)
			return 2;
		words = hostile_deaf(set, text, sizeof(text));
		hostile_close(set);
		printf("%sok %d %s: %llu words for %zu bytes\n",
		       words > bound * sizeof(text) ? "not " : "", ++test, what,
		       (unsigned long long)words, sizeof(text));
		if (words > bound * sizeof(text))
			return 1;
	}
	return 0;
}

/*
 * A caller that has stopped gets no match, and the matcher looks up none: long and short
 * patterns match all over this text, and it costs the automaton's walk, five words a byte.
 */
static int stopped(void)
{
	static const char *const spelled[] = { "a", "bbbb" };

	return costs("no callback", spelled, 'b', 'a', 6, NFAC_LAYOUT_RECORDS);
}

/*
 * Text that repeats itself is not read but compared, a quarter of a word for a byte, and in the
 * double array after a block; this one would otherwise fail at each byte, or start there, or have
 * a state at some bytes and none at others.
 */
static int repeats(void)
{
	static const char *const deep[] = { "aaaaaaaaaaaaaab", "aaaaaac" };
	static const char *const shallow[] = { "aaaaaaaab", "aaaaaaaac" };
	static const char *const none[] = { "aaab", "baaa" };
	static const char *const some[] = { "aaaaaaaaac", "aaaaaaaaad" };

	if (costs("it comes to a deep state again", deep, 'a', 'a', 1, NFAC_LAYOUT_RECORDS) ||
	    costs("it starts again", shallow, 'a', 'a', 1, NFAC_LAYOUT_RECORDS))
		return 1;
	return costs("it leads nowhere", none, 'a', 'a', 1, NFAC_LAYOUT_RECORDS) ||
	       costs("it leads nowhere for a while", some, 'b', 'a', 1, NFAC_LAYOUT_DARRAY);
}

#define CHANGING	512

/*
 * A local sender may change a packet's pages while they are read. The text of one byte, in which
 * something matches all over, has another byte from some read on, and again the first: each
 * read, and some places. Matches are within the block, and not more than there can be.
 */
static int changes(void)
{
	static const char *const spelled[] = { "aaaaaaaa", "aaaaaaaab" };
	static const size_t places[] = { 0, 8, 10, 11, 12, 400, CHANGING - 1 };
	static uint8_t text[CHANGING];
	enum nfac_layout layout;
	struct hostile_set *set;
	u64 scans;
	size_t i;
	int bad;

	for (layout = NFAC_LAYOUT_RECORDS; layout <= NFAC_LAYOUT_DARRAY32; layout++) {
		set = compile(spelled, layout);
		if (!set)
			return 2;
		memset(text, 'a', CHANGING);
		scans = 0;
		bad = 0;
		for (i = 0; i < sizeof(places) / sizeof(*places); i++)
			bad |= hostile_changing(set, text, CHANGING, places[i], &scans);
		hostile_close(set);
		printf("%sok %d another byte while it is read, in %llu ways\n",
		       bad ? "not " : "", ++test, (unsigned long long)scans);
		if (bad)
			return 1;
	}
	return 0;
}

int main(void)
{
	printf("KTAP version 1\n1..22\n");
	return stopped() || repeats() || changes();
}
