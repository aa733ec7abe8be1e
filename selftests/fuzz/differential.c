// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: the matcher against a naive search.
 *
 * An input is a little program: an alphabet, patterns, a text made of letters and of
 * the patterns, and where it is cut. Whatever the bytes are, it is a valid one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libfuzzer.h"
#include "oracle.h"
#include "random.h"

#define PATTERNS_MAX	32
#define BYTES_MAX	4096
#define TEXT_MAX	700
#define HITS_MAX	40000

/* The input as it is read. Past its end there are zeros. */
struct input {
	const uint8_t *at, *end;
};

static struct match wanted[HITS_MAX], gotten[HITS_MAX];
static struct matches want = { .list = wanted, .room = HITS_MAX };
static struct matches got = { .list = gotten, .room = HITS_MAX };

static uint8_t next(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static uint8_t letter(uint8_t alphabet, uint8_t c)
{
	static const char *const alphabets[] = {
		NULL, "a", "ab", "abAB", "aA", "ab/.\\@`[{", "aAbBcCzZ{[", "\x01\x81\xe1\xc1",
	};
	const char *letters = alphabets[alphabet & 7];

	return letters ? (uint8_t)letters[c % strlen(letters)] : c;
}

static void scan(const struct nfac_automaton *a, const uint8_t *text, size_t len,
		 enum nfac_path path, uint32_t cuts, uint8_t seed)
{
	struct dice d = dice_new(seed);
	struct nfac_cursor cur;
	size_t at, n;

	got.count = 0;
	nfac_cursor_init(&cur);
	got.base = 0;
	for (at = 0; at < len; at += n) {
		n = !cuts ? len : 1 + dice_throw(&d, cuts);
		if (n > len - at)
			n = len - at;
		match_next(&got, a, &cur, text + at, n, path);
	}
}

static size_t read_patterns(struct input *in, uint8_t alphabet, struct nfac_pattern *p,
			    struct nfac_pattern_limits *limits)
{
	static uint8_t bytes[BYTES_MAX];
	size_t count = 1 + next(in) % PATTERNS_MAX, used = 0, i, k;

	for (i = 0; i < count; i++) {
		uint8_t length = next(in), flags = next(in), other;

		/* a cursor remembers the case of 128 bytes: see struct nfac_cursor */
		length = flags & 1 ? 1 + length % 12 : 1 + length % 120;
		if (used + length > BYTES_MAX)
			break;
		p[i] = (struct nfac_pattern){
			.bytes = bytes + used, .length = length,
			.id = flags & 2 ? i + 1 : 1 + length % 4,
			.nocase = flags & 4,
		};
		for (k = 0; k < length; k++)
			bytes[used + k] = letter(alphabet, next(in));
		if (i && flags & 8) {
			/* begins as another one, or as a part of it */
			other = next(in);
			k = flags & 16 ? 0 : (other >> 4) % p[other % i].length;
			memcpy(bytes + used, p[other % i].bytes + k,
			       length < p[other % i].length - k ? length :
			       p[other % i].length - k);
		}
		if ((flags & 0x60) == 0x60) {
			limits[i] = (struct nfac_pattern_limits){
				.offset = next(in) % 16, .end = next(in),
				.protocol = flags & 0x80 ? 6 : next(in) % 18,
				.port_low = next(in) % 100,
				.source_port = next(in) & 1,
			};
			limits[i].port_high = limits[i].port_low ? limits[i].port_low + 19 : 0;
			p[i].limits = &limits[i];
		}
		used += length;
	}
	return i;
}

static size_t read_text(struct input *in, uint8_t alphabet, const struct nfac_pattern *p,
			size_t count, uint8_t *text)
{
	size_t len = 0;

	while (in->at < in->end && len < TEXT_MAX) {
		uint8_t c = next(in);

		if (c >= 0xc0) {
			/* a pattern, or all but its last byte */
			const struct nfac_pattern *q = &p[(c & 31) % count];
			size_t n = q->length - (c >> 5 & 1);

			if (n > TEXT_MAX - len)
				break;
			memcpy(text + len, q->bytes, n);
			len += n;
		} else {
			text[len++] = letter(alphabet, c >= 0xb8 ? next(in) : c);
		}
	}
	return len;
}

static void wrong(const char *what, enum nfac_path path, uint32_t cuts)
{
	fprintf(stderr, "%s: path %s, cuts %u: %zu matches, want %zu\n", what,
		nfac_path_names[path], cuts, got.count, want.count);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t cuts[] = { 0, 1, 5, 100 };
	struct nfac_pattern_limits limits[PATTERNS_MAX];
	struct nfac_pattern p[PATTERNS_MAX + CROWD_MAX];
	struct input in = { data, data + size };
	uint8_t alphabet = next(&in), seed = next(&in);
	/* a set of this size fits into a double array */
	const struct nfac_compile_options options = {
		.layout = NFAC_LAYOUT_RECORDS + seed % 4,
	};
	size_t count = read_patterns(&in, alphabet, p, limits), len, bytes, i;
	struct nfac_image *image;
	uint8_t text[TEXT_MAX];
	const char *why = "?";
	enum nfac_path path;
	void *blob;

	len = read_text(&in, alphabet, p, count, text);
	if (alphabet >> 6)
		count = crowd(p, count, alphabet & 0x80 ? 8 : 5);
	want.count = 0;
	naive(&want, p, count, text, len);
	if (want.count > HITS_MAX)
		return 0;
	qsort(want.list, want.count, sizeof(*want.list), by_all);
	if (nfac_compile(p, count, &options, &blob, &bytes)) {
		fprintf(stderr, "the compiler refuses %zu patterns\n", count);
		abort();
	}
	image = nfac_image_open(blob, bytes, &why, NULL);
	if (!image) {
		fprintf(stderr, "the verifier refuses what the compiler made: %s\n", why);
		abort();
	}
	for (path = 0; path <= nfac_path_best(); path++)
		for (i = 0; i < 4; i++) {
			scan(nfac_image_automaton(image), text, len, path, cuts[i], seed);
			if (got.count != want.count)
				wrong("another number of matches", path, cuts[i]);
			if (!in_order(&got))
				wrong("out of order", path, cuts[i]);
			qsort(got.list, got.count, sizeof(*got.list), by_all);
			for (size_t k = 0; k < got.count; k++)
				if (by_all(&got.list[k], &want.list[k]))
					wrong("other matches", path, cuts[i]);
		}
	nfac_image_close(image);
	free(blob);
	return 0;
}
