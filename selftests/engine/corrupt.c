// SPDX-License-Identifier: GPL-2.0
/*
 * Corruption: real blobs with one word changed, each word to several values, and with
 * many words changed at random, the checksum put right. The verifier refuses each, or
 * the matcher runs on it without reading outside of it (a sanitizer watches; each tile
 * is an object of its own) and within its bound of work. Prints KTAP.
 *
 *	corrupt [WORDS [RANDOM]]
 *
 * WORDS: of the reference list's blob, how many are tried (0: all of them); RANDOM: how
 * many blobs are changed at random. The small sets' words are always all tried.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/automaton.h"
#include "../../kmod/engine/records.h"
#include "../../userspace-loader/compiler/compiler.h"
#include "../fuzz/hostile.h"

#define REFERENCE	"../data/words-2358.txt"
#define LINES_MAX	3000
#define VALUES		10
#define TEXT_MAX	160

static uint64_t refused, accepted;
static int test;

static void try(struct dice *d, const uint8_t *blob, size_t size)
{
	struct hostile_set *set = hostile_open(blob, size);
	uint8_t text[TEXT_MAX];

	if (!set) {
		refused++;
		return;
	}
	accepted++;
	hostile_scan(d, set, text, hostile_text(d, set, text, sizeof(text)));
	hostile_close(set);
}

static uint32_t value(struct dice *d, const uint8_t *blob, size_t size, uint32_t x, int which)
{
	uint32_t other;

	switch (which) {
	case 0:
		return x ^ 1u << dice_throw(d, 32);
	case 1:
		return x + 1;
	case 2:
		return x - 1;
	case 3:
		return 0;
	case 4:
		return 0xffffffff;
	case 5:
		return x ^ 1u << dice_throw(d, 8);
	case 6:
		memcpy(&other, blob + 4 * dice_throw(d, size / 4), 4);
		return other;
	case 7:
	case 8:		/* a reference to another record, with the tag of that one */
		x = nfac_untagged(x) + 1 + dice_throw(d, 16);
		if (sizeof(struct nfac_blob) + 4 * (size_t)x + 4 > size)
			break;
		memcpy(&other, blob + sizeof(struct nfac_blob) + 4 * (size_t)x, 4);
		return x | nfac_tag(le32_to_cpu(other)) << NFAC_TAG_SHIFT;
	}
	return dice_throw(d, size / 4);
}

static void one_word(struct dice *d, const uint8_t *blob, size_t size, size_t word)
{
	uint8_t *copy = malloc(size);
	uint32_t was, now;
	int i;

	memcpy(&was, blob + 4 * word, 4);
	for (i = 0; i < VALUES; i++) {
		memcpy(copy, blob, size);
		now = value(d, blob, size, was, i);
		memcpy(copy + 4 * word, &now, 4);
		if (i % 2)
			hostile_retag(copy, size, word, was);
		hostile_checksum(copy, size);
		try(d, copy, size);
	}
	free(copy);
}

/* @words: how many are tried, evenly spread; 0: all */
static void single(struct dice *d, const uint8_t *blob, size_t size, size_t words)
{
	size_t all = size / 4, i;

	if (!words || words > all)
		words = all;
	for (i = 0; i < words; i++)
		one_word(d, blob, size, i * all / words);
}

static void random_words(struct dice *d, const uint8_t *blob, size_t size, uint64_t count)
{
	uint8_t *copy = malloc(size);
	uint32_t n;

	for (; count; count--) {
		memcpy(copy, blob, size);
		for (n = 2 + dice_throw(d, 14); n; n--)
			hostile_word(d, copy, size);
		if (dice_throw(d, 2))
			hostile_header(copy, size);
		hostile_checksum(copy, size);
		try(d, copy, size);
	}
	free(copy);
}

/*
 * The filter's maps let everything pass: what they spare is lost, but what they cost
 * stays within the bound, because with a set at hand an attacker finds text that its maps let pass.
 */
static void full_maps(struct dice *d, const uint8_t *blob, size_t size)
{
	uint8_t *copy = malloc(size), text[4096];
	struct hostile_set *set;
	struct nfac_blob h;
	size_t i;

	memcpy(&h, blob, sizeof(h));
	memcpy(copy, blob, size);
	memset(copy + le64_to_cpu(h.tables_at), 0xff, le32_to_cpu(h.short_at));
	hostile_checksum(copy, size);
	for (i = 0; i < sizeof(text); i++)
		text[i] = dice_throw(d, 256);
	set = hostile_open(copy, size);
	if (set) {
		accepted++;
		hostile_scan(d, set, text, sizeof(text));
		hostile_close(set);
	} else {
		refused++;
	}
	free(copy);
}

static void result(const char *what)
{
	printf("ok %d %s: %llu refused, %llu accepted and scanned\n", ++test, what,
	       (unsigned long long)refused, (unsigned long long)accepted);
	fflush(stdout);
	refused = 0;
	accepted = 0;
}

static size_t reference(void **blob, enum nfac_layout layout)
{
	const struct nfac_compile_options options = { .layout = layout };
	static char text[1 << 20];
	static struct nfac_pattern p[LINES_MAX];
	FILE *file = fopen(REFERENCE, "r");
	size_t count = 0, size;
	char *at, *end;

	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	for (at = text; count < LINES_MAX && (end = strchr(at, '\n')); at = end + 1)
		if (end > at) {
			p[count] = (struct nfac_pattern){
				.bytes = (uint8_t *)at, .length = end - at, .id = count + 1,
			};
			count++;
		}
	return nfac_compile(p, count, &options, blob, &size) ? 0 : size;
}

/* Sanity: as it is, each blob is accepted; or nothing here would prove anything. */
static void whole(struct dice *d, const uint8_t *blob, size_t size, const char *what)
{
	uint64_t before = accepted;

	try(d, blob, size);
	if (accepted == before) {
		printf("not ok %d %s: refused as the compiler made it\n", ++test, what);
		exit(1);
	}
	accepted = before;
}

static int reference_list(struct dice *d, enum nfac_layout layout, const char *name,
			  size_t words, uint64_t random)
{
	void *blob;
	size_t size = reference(&blob, layout);

	if (!size)
		return 2;
	printf("# the reference list as %s\n", name);
	whole(d, blob, size, "the reference list");
	single(d, blob, size, words);
	result("the reference list, single words to several values");
	random_words(d, blob, size, random / 10);
	result("the reference list, many words at random");
	full_maps(d, blob, size);
	result("the reference list, maps that let everything pass");
	free(blob);
	return 0;
}

static enum nfac_layout layout_of(const struct nfac_blob *head)
{
	const uint32_t flags = le32_to_cpu(head->flags);

	if (!(flags & NFAC_SET_DARRAY))
		return head->filter.suffixes ? NFAC_LAYOUT_SUFFIX : NFAC_LAYOUT_RECORDS;
	return flags & NFAC_SET_DARRAY32 ? NFAC_LAYOUT_DARRAY32 : NFAC_LAYOUT_DARRAY;
}

int main(int argc, char **argv)
{
	size_t words = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
	uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 10) : 3000;
	struct dice d = dice_new(1);
	unsigned int seen = 0;
	size_t size;
	void *blob;
	int i;

	printf("KTAP version 1\n1..15\n");
	for (i = 0; i < (words ? 4 : 40);) {
		size = hostile_real(&d, &blob);
		if (!size)
			return 2;
		/* where there is time for few, one of each layout */
		if (!words || !(seen >> layout_of(blob) & 1)) {
			seen |= 1u << layout_of(blob);
			whole(&d, blob, size, "a small set");
			single(&d, blob, size, 0);
			i++;
		}
		free(blob);
	}
	result("small sets, every word to several values");
	for (i = 0; i < 40; i++) {
		size = hostile_real(&d, &blob);
		full_maps(&d, blob, size);
		free(blob);
	}
	result("small sets, maps that let everything pass");
	for (i = 0; i < 50; i++) {
		size = hostile_real(&d, &blob);
		random_words(&d, blob, size, random / 50);
		free(blob);
	}
	result("small sets, many words at random");

	if (reference_list(&d, NFAC_LAYOUT_RECORDS, "records", words, random) ||
	    reference_list(&d, NFAC_LAYOUT_SUFFIX, "records and ends", words, random) ||
	    reference_list(&d, NFAC_LAYOUT_DARRAY, "double array", words, random) ||
	    reference_list(&d, NFAC_LAYOUT_DARRAY32, "double array of 32 bits", words, random))
		return 2;
	return 0;
}
