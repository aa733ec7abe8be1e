// SPDX-License-Identifier: GPL-2.0
/*
 * The set of the stream fuzzers, and segments that a fuzzer's input becomes: see segments.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace-loader/compiler/compiler.h"
#include "libfuzzer.h"
#include "segments.h"

#define TCP	6

/* Bytes of a TCP header, and of timestamps as they are aligned in it. */
#define HEADER	20
#define OPTIONS	12

const struct segments_pattern segments_patterns[SEGMENTS_PATTERNS] = {
	{ "ab", false }, { "abcab", false }, { "bcabc", true }, { "d", false },
	{ "aaaa", true }, { "abcabcabcabcabca", false }, { "Bc", false }, { "ca", true },
};

const uint32_t segments_firsts[4] = { 1000, -20u, 0x7ffffff0, 0 };

static const struct nfac_automaton *automaton;

void segments_fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct nfac_pattern list[SEGMENTS_PATTERNS] = { 0 };
	struct nfac_image *image;
	const char *why;
	size_t i, size;
	void *blob;

	(void)argc;
	(void)argv;
	for (i = 0; i < SEGMENTS_PATTERNS; i++) {
		list[i].bytes = (const uint8_t *)segments_patterns[i].bytes;
		list[i].length = strlen(segments_patterns[i].bytes);
		list[i].id = i;
		list[i].nocase = segments_patterns[i].nocase;
	}
	if (nfac_compile(list, SEGMENTS_PATTERNS, NULL, &blob, &size))
		segments_fail("the compiler refuses");
	image = nfac_image_open(blob, size, &why, NULL);
	if (!image)
		segments_fail(why);
	automaton = nfac_image_automaton(image);
	return 0;
}

static uint8_t fold(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

bool segments_in_text(size_t i, const uint8_t *text, size_t at, size_t to)
{
	const struct segments_pattern *p = &segments_patterns[i];
	size_t k;

	if (at + strlen(p->bytes) > to)
		return false;
	for (k = 0; p->bytes[k]; k++)
		if (p->nocase ? fold(p->bytes[k]) != fold(text[at + k]) :
				(uint8_t)p->bytes[k] != text[at + k])
			return false;
	return true;
}

static void put_word(uint8_t *to, uint32_t word)
{
	to[0] = word >> 24;
	to[1] = word >> 16;
	to[2] = word >> 8;
	to[3] = word;
}

/* The options of a header with timestamps; the rest of it is not read. */
static void put_stamps(uint8_t *options, const struct segments_line *line)
{
	memcpy(options, "\1\1\10\12", 4);
	put_word(options + 4, line->value);
	put_word(options + 8, line->echo);
}

uint32_t segments_send(const struct segments_line *line, size_t at, const uint8_t *bytes,
		       size_t count, uint8_t flags, bool whole, struct nfac_segment *seg)
{
	size_t header = line->stamps ? HEADER + OPTIONS : 0;
	uint8_t *whole_copy = calloc(1, header + count + !count), *copy = whole_copy + header;
	struct payload payload = {
		.tcp = header ? whole_copy : NULL,
		.bytes = copy, .captured = count, .length = count, .family = 2, .protocol = TCP,
		.tcp_seq = line->first + at + !!(flags & NFAC_TCP_SYN), .tcp_flags = flags,
		.ambiguous = line->ambiguous, .tcp_ack = line->ack,
		.tcp_window = line->window, .tcp_urgent = line->urgent,
		.sport = 1 + line->back + 2 * line->other, .dport = 2 - line->back,
	};
	struct nfac_source source = { copy, count, NFAC_PATH_PORTABLE };
	struct nfac_scan scan;

	/* so that nothing is read past its end */
	if (count)
		memcpy(copy, bytes, count);
	if (header)
		put_stamps(whole_copy + HEADER, line);
	*seg = (struct nfac_segment) {
		.source = &source, .attachment = 1, .policy = line->policy,
		.clock.now = line->now,
	};
	nfac_scan_init(&scan, automaton, line->found);
	stream_scan(line->streams, &payload, whole, seg, &scan);
	free(whole_copy);
	return scan.matches;
}
