// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: streams against a naive search in the stream put together.
 *
 * An input is a policy, a first sequence number, a text, and segments: pieces of the
 * text anywhere, some with other bytes in them, some that no receiver takes. Up to the
 * first gap, and with "drop" to the end, the events must be those of the search in what
 * a receiver puts together from the first copy of each byte: all, and each once; what
 * completed a match must be judged again when it comes again. With "pass" nothing more
 * is told behind a gap. With "restart" nothing is told that is not in the text, and all
 * that lies within one segment and came for the first time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace-loader/compiler/compiler.h"
#include "../../userspace-loader/stream.h"
#include "libfuzzer.h"

#define TEXT_MAX	96
#define SEGMENTS_MAX	64
#define TCP		6

static const struct {
	const char *bytes;
	bool nocase;
} patterns[] = {
	{ "ab", false }, { "abcab", false }, { "bcabc", true }, { "d", false },
	{ "aaaa", true }, { "abcabcabcabcabca", false }, { "Bc", false }, { "ca", true },
};

#define PATTERNS	(sizeof(patterns) / sizeof(*patterns))

/* How often a pattern was told at an offset. */
typedef uint8_t tally[PATTERNS][TEXT_MAX];

static struct {
	const struct nfac_automaton *automaton;
	tally told;
	bool recording;
} fuzz;

/* The input as it is read. Past its end there are zeros. */
struct input {
	const uint8_t *at, *end;
};

static uint8_t next(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct nfac_pattern list[PATTERNS] = { 0 };
	struct nfac_image *image;
	const char *why;
	size_t i, size;
	void *blob;

	(void)argc;
	(void)argv;
	for (i = 0; i < PATTERNS; i++) {
		list[i].bytes = (const uint8_t *)patterns[i].bytes;
		list[i].length = strlen(patterns[i].bytes);
		list[i].id = i;
		list[i].nocase = patterns[i].nocase;
	}
	if (nfac_compile(list, PATTERNS, NULL, &blob, &size))
		fail("the compiler refuses");
	image = nfac_image_open(blob, size, &why, NULL);
	if (!image)
		fail(why);
	fuzz.automaton = nfac_image_automaton(image);
	return 0;
}

static bool on_found(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset)
{
	s64 at = offset + scan->origin;

	if (!fuzz.recording)
		return true;
	if (at < 0 || at + hit->length > TEXT_MAX)
		fail("a match outside of the text");
	fuzz.told[hit->id][at]++;
	return true;
}

static uint8_t fold(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static bool is_at(size_t pattern, const uint8_t *text)
{
	const char *bytes = patterns[pattern].bytes;
	size_t i;

	for (i = 0; bytes[i]; i++)
		if (patterns[pattern].nocase ? fold(bytes[i]) != fold(text[i]) :
					       (uint8_t)bytes[i] != text[i])
			return false;
	return true;
}

/* Does pattern @i begin at @at and end before @to? */
static bool in_text(size_t i, const uint8_t *text, size_t at, size_t to)
{
	return at + strlen(patterns[i].bytes) <= to && is_at(i, text + at);
}

static void search(const uint8_t *text, size_t bytes, tally found)
{
	size_t i, at;

	memset(found, 0, sizeof(tally));
	for (i = 0; i < PATTERNS; i++)
		for (at = 0; at < bytes; at++)
			found[i][at] = in_text(i, text, at, bytes);
}

/* Is a byte from @from to @to the last one of a match that was told? */
static bool completed(size_t from, size_t to)
{
	size_t i, at;

	for (i = 0; i < PATTERNS; i++)
		for (at = 0; at < TEXT_MAX; at++) {
			size_t last = at + strlen(patterns[i].bytes) - 1;

			if (fuzz.told[i][at] && last >= from && last < to)
				return true;
		}
	return false;
}

/*
 * @text: what the sender means; @stream: what the receiver has, its first @have bytes
 * @behind: a gap was there, and the policy is not "drop"
 * @pure: no byte was ever another
 * @sent: what was sent, in its place or not
 * @within: restart: told at least once
 */
struct model {
	uint8_t text[TEXT_MAX];
	uint8_t stream[TEXT_MAX];
	size_t length, have;
	uint32_t policy, first;
	bool behind, pure;
	bool sent[TEXT_MAX];
	tally within;
	struct streams *streams;
};

static void send(struct model *m, size_t at, const uint8_t *bytes, size_t count,
		 uint8_t flags, bool whole, struct nfac_segment *seg)
{
	uint8_t *copy = malloc(count + !count);
	struct payload payload = {
		.bytes = copy, .length = count, .told = count, .family = 2, .protocol = TCP,
		.tcp_seq = m->first + at, .tcp_flags = flags,
	};
	struct nfac_source source = { copy, count, NFAC_PATH_PORTABLE };
	struct nfac_scan scan;

	/* so that nothing is read past its end */
	memcpy(copy, bytes, count);
	*seg = (struct nfac_segment) {
		.source = &source, .attachment = 1, .policy = m->policy,
	};
	nfac_scan_init(&scan, fuzz.automaton, on_found);
	stream_scan(m->streams, &payload, whole, seg, &scan);
	free(copy);
}

/* What a segment in its place, or before it, must do. */
static void in_place(struct model *m, size_t at, const uint8_t *bytes, size_t count)
{
	size_t end = at + count, old = end < m->have ? end : m->have;
	bool again = completed(at, old);
	struct nfac_segment seg;

	send(m, at, bytes, count, NFAC_TCP_ACK, true, &seg);
	if (seg.unseen || seg.skip != NFAC_SKIP_MAX)
		fail("not seen, though in its place");
	if (seg.resent != old - at || seg.scanned != count - (old - at))
		fail("other bytes were taken for old");
	if (again && !seg.again)
		fail("what completed a match passes when it comes again");
	if (end > m->have) {
		memcpy(m->stream + m->have, bytes + (m->have - at), end - m->have);
		m->have = end;
	}
}

static void behind_gap(struct model *m, size_t at, const uint8_t *bytes, size_t count)
{
	struct nfac_segment seg;
	size_t i, k;

	if (!m->policy)
		m->behind = true;
	send(m, at, bytes, count, NFAC_TCP_ACK, true, &seg);
	if (m->policy && (seg.scanned || seg.skip != NFAC_SKIP_GAP))
		fail("scanned in spite of the policy");
	if (m->policy & NFAC_ATTACH_GAP_PASS)
		m->behind = true;
	for (i = 0; i < PATTERNS; i++)
		for (k = at; !m->policy && k < at + count; k++)
			m->within[i][k] |= in_text(i, m->text, k, at + count) &&
					   !memchr(m->sent + k, true, strlen(patterns[i].bytes));
}

static void segment(struct model *m, struct input *in)
{
	uint8_t kind = next(in), bytes[TEXT_MAX];
	size_t at = next(in) % m->length, count = 1 + next(in) % 24, i;
	struct nfac_segment seg;

	/* most of them come where they should */
	if (kind & 3)
		at = m->have > at % 8 ? m->have - at % 8 : m->have;
	if (at >= m->length)
		at = m->length - 1;
	if (count > m->length - at)
		count = m->length - at;
	memcpy(bytes, m->text + at, count);
	if ((kind & 0x1c) == 0x1c) {
		m->pure = false;
		for (i = 0; i < count; i++)
			bytes[i] = "abcdABC"[(bytes[i] + kind) % 7];
	}
	if ((kind & 0xe0) == 0xe0) {
		/* what no receiver takes must not move us */
		fuzz.recording = false;
		send(m, at, bytes, count, kind & 4 ? NFAC_TCP_ACK : kind & 8 ? 0 :
		     NFAC_TCP_RST | NFAC_TCP_ACK, !(kind & 4), &seg);
		fuzz.recording = true;
		return;
	}
	if (at <= m->have && !m->behind)
		in_place(m, at, bytes, count);
	else
		behind_gap(m, at, bytes, count);
	memset(m->sent + at, true, count);
}

static void judge(const struct model *m)
{
	bool weak = m->behind && !m->policy;
	tally want;
	size_t i, at;

	search(weak ? m->text : m->stream, weak ? m->length : m->have, want);
	if (weak && !m->pure)
		return;
	for (i = 0; i < PATTERNS; i++)
		for (at = 0; at < TEXT_MAX; at++) {
			if (!weak && fuzz.told[i][at] != want[i][at])
				fail(fuzz.told[i][at] ? "told, but not there or told before" :
				     "missed");
			if (weak && fuzz.told[i][at] && !want[i][at])
				fail("restart: told what is not there");
			if (weak && m->within[i][at] && !fuzz.told[i][at])
				fail("restart: missed within a segment");
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t policies[] = { 0, NFAC_ATTACH_GAP_PASS, NFAC_ATTACH_GAP_DROP };
	static const uint32_t firsts[] = { 1000, -20u, 0x7ffffff0, 0 };
	struct input in = { data, data + size };
	struct model m = { .pure = true };
	struct nfac_segment seg;
	uint8_t head = next(&in);
	size_t i;

	m.policy = policies[head % 3];
	m.first = firsts[head >> 2 & 3];
	m.length = 1 + next(&in) % TEXT_MAX;
	for (i = 0; i < m.length; i++)
		m.text[i] = "abcabcdABCaa"[next(&in) % 12];
	memset(fuzz.told, 0, sizeof(fuzz.told));
	fuzz.recording = true;
	m.streams = streams_new(1, NFAC_FLOW_IDLE_MAX);
	send(&m, 0, m.text, 0, NFAC_TCP_SYN, true, &seg);
	for (i = 0; i < SEGMENTS_MAX && in.at < in.end; i++)
		segment(&m, &in);
	judge(&m);
	streams_free(m.streams);
	return 0;
}
