// SPDX-License-Identifier: GPL-2.0
/*
 * The decoded view beside a plain reference, over a whole text and however it is cut into pieces.
 *
 * The input: a byte, the length of the pieces - 16, and the text.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/decoded_view.h"
#include "../../userspace-loader/compiler/compiler.h"
#include "libfuzzer.h"

#define TEXT_MAX	2048u
#define MATCHES_MAX	(8 * TEXT_MAX)

static const char *const words[] = {
	"/etc/passwd", "<script>", "union sel", "a+b", "%2e", "..", "=", " ",
};

#define WORDS	(sizeof(words) / sizeof(*words))

/* A byte of the text, behind a reading: from where it came, and whether the reading changed it. */
struct cell {
	uint8_t byte;
	uint32_t begin, end;
	bool changed;
};

struct found {
	uint32_t begin, end, id;
};

struct list {
	struct found at[MATCHES_MAX];
	size_t count;
};

static struct nfac_image *image;
static struct list want, got;
static struct cell cells[TEXT_MAX], next[TEXT_MAX];

static void add(struct list *list, uint32_t begin, uint32_t end, uint32_t id)
{
	if (list->count == MATCHES_MAX)
		abort();
	list->at[list->count++] = (struct found){ begin, end, id };
}

static int digit(uint8_t c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;

	return at ? at - digits : -1;
}

static long number(const struct cell *at, int digits)
{
	long value = 0;
	int i;

	for (i = 0; i < digits; i++) {
		if (digit(at[i].byte) < 0)
			return -1;
		value = 16 * value + digit(at[i].byte);
	}
	return value;
}

/* The escape at the first of @count cells. Return: its cells; 0: none. */
static uint32_t escape(const struct cell *at, uint32_t count, long *code)
{
	*code = ' ';
	if (at->byte == '+')
		return 1;
	if (at->byte != '%')
		return 0;
	*code = count >= 3 ? number(at + 1, 2) : -1;
	if (*code >= 0)
		return 3;
	*code = count >= 6 && (at[1].byte | 0x20) == 'u' ? number(at + 2, 4) : -1;
	if (*code >= 0xff01 && *code <= 0xff5e)
		*code -= 0xfee0;
	return *code >= 0 ? 6 : 0;
}

static uint32_t encode(uint8_t *out, long code)
{
	if (code < 0x100) {
		out[0] = code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = 0xc0 | code >> 6;
		out[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	out[0] = 0xe0 | code >> 12;
	out[1] = 0x80 | (code >> 6 & 0x3f);
	out[2] = 0x80 | (code & 0x3f);
	return 3;
}

/* The ASCII character that the last @bytes of @count cells are an overlong form of, or -1. */
static int overlong(const struct cell *to, uint32_t count, uint32_t bytes)
{
	static const uint8_t first[] = { 0, 0, 0, 0xe0, 0xf0 };
	const struct cell *at = to + count - bytes;
	uint32_t i;
	bool changed = false;

	if (count < bytes)
		return -1;
	for (i = 0; i < bytes; i++)
		changed |= at[i].changed;
	if (!changed || (at[bytes - 1].byte & 0xc0) != 0x80)
		return -1;
	if (bytes == 2)
		return (at[0].byte & 0xfe) == 0xc0 ?
			(at[0].byte & 1) << 6 | (at[1].byte & 0x3f) : -1;
	if (at[0].byte != first[bytes] || (bytes == 4 && at[1].byte != 0x80) ||
	    (at[bytes - 2].byte & 0xfe) != 0x80)
		return -1;
	return (at[bytes - 2].byte & 1) << 6 | (at[bytes - 1].byte & 0x3f);
}

/* One reading of @count cells. Return: cells in @to. */
static uint32_t reading(const struct cell *from, uint32_t count, struct cell *to)
{
	uint32_t i, j, took, put, bytes, n = 0;
	uint8_t out[3];
	long code;
	int c;

	for (i = 0; i < count; i += took) {
		took = escape(from + i, count - i, &code);
		put = encode(out, took ? code : from[i].byte);
		for (j = 0; j < put; j++) {
			to[n++] = (struct cell){ out[j], from[i].begin,
						 from[i + (took ? took - 1 : 0)].end, took };
			for (bytes = 2; bytes <= 4; bytes++) {
				c = overlong(to, n, bytes);
				if (c < 0)
					continue;
				to[n - bytes].end = to[n - 1].end;
				to[n - bytes].byte = c;
				to[n - bytes].changed = true;
				n -= bytes - 1;
				break;
			}
		}
		took += !took;
	}
	return n;
}

static void search(const struct cell *text, uint32_t count, uint32_t end)
{
	uint32_t word, at, i, length;
	bool changed;

	for (word = 0; word < WORDS; word++) {
		length = strlen(words[word]);
		for (at = 0; at + length <= count; at++) {
			changed = false;
			for (i = 0; i < length && text[at + i].byte == (uint8_t)words[word][i]; i++)
				changed |= text[at + i].changed;
			if (i == length && changed)
				add(&want, text[at].begin,
				    at + i < count ? text[at + i].begin : end, word + 1);
		}
	}
}

static void find_plainly(const uint8_t *text, uint32_t length)
{
	uint32_t i, count = length;

	for (i = 0; i < length; i++)
		cells[i] = (struct cell){ text[i], i, i + 1, false };
	for (i = 0; i < 2; i++) {
		count = reading(cells, count, next);
		memcpy(cells, next, count * sizeof(*cells));
		search(cells, count, length);
	}
}

static bool on_match(void *context, const struct nfac_hit *hit, u32 begin, u32 end)
{
	const uint32_t *base = context;

	add(&got, *base + begin, *base + end, hit->id);
	return true;
}

static void find(const uint8_t *text, uint32_t length, uint32_t piece, enum nfac_path path)
{
	static struct nfac_decoded memory;
	const struct nfac_automaton *a = nfac_image_automaton(image);
	uint32_t at, before, base, bytes;
	uint8_t *raw;

	for (at = 0; at < length; at += bytes) {
		bytes = length - at < piece ? length - at : piece;
		before = at < nfac_decoded_before(a) ? at : nfac_decoded_before(a);
		base = at - before;
		/* an allocation of its own, so that ASan finds a read behind it */
		raw = malloc(before + bytes);
		if (!raw)
			abort();
		memcpy(raw, text + base, before + bytes);
		nfac_decoded_scan(a, &memory, raw, before, bytes, path, UINT32_MAX, on_match,
				  &base);
		free(raw);
	}
}

static int in_order(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct found));
}

static void compare(const char *how)
{
	qsort(want.at, want.count, sizeof(*want.at), in_order);
	qsort(got.at, got.count, sizeof(*got.at), in_order);
	if (want.count == got.count && !memcmp(want.at, got.at, want.count * sizeof(*want.at)))
		return;
	fprintf(stderr, "%s: wanted %zu matches, got %zu\n", how, want.count, got.count);
	abort();
}

/* In pieces no match is missed. Half an escape at an end is what the bytes so far have. */
static void compare_pieces(uint32_t piece)
{
	size_t i;

	qsort(got.at, got.count, sizeof(*got.at), in_order);
	for (i = 0; i < want.count; i++)
		if (!bsearch(&want.at[i], got.at, got.count, sizeof(*got.at), in_order)) {
			fprintf(stderr, "pieces of %u: missed %u at %u .. %u\n", piece,
				want.at[i].id, want.at[i].begin, want.at[i].end);
			abort();
		}
}

static void build(void)
{
	struct nfac_pattern patterns[WORDS] = { 0 };
	const struct nfac_compile_options how = { .decode_url = true };
	void *blob;
	size_t i, size;

	for (i = 0; i < WORDS; i++) {
		patterns[i].bytes = (const uint8_t *)words[i];
		patterns[i].length = strlen(words[i]);
		patterns[i].id = i + 1;
	}
	if (nfac_compile(patterns, WORDS, &how, &blob, &size))
		abort();
	image = nfac_image_open(blob, size, NULL, NULL);
	if (!image)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!image)
		build();
	if (size < 2 || size > TEXT_MAX)
		return 0;
	want.count = 0;
	got.count = 0;
	find_plainly(data + 1, size - 1);
	find(data + 1, size - 1, NFAC_DECODED_PIECE, NFAC_PATH_PORTABLE);
	compare("whole");
	got.count = 0;
	find(data + 1, size - 1, NFAC_DECODED_PIECE, nfac_path_best());
	compare("whole, vectors");
	got.count = 0;
	find(data + 1, size - 1, data[0] + 16, NFAC_PATH_PORTABLE);
	compare_pieces(data[0] + 16);
	return 0;
}
