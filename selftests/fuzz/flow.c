// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: streams against a naive search in the stream put together.
 *
 * An input is a policy, a first sequence number, a text, and segments: pieces of the
 * text anywhere, some with other bytes in them, some that no receiver takes. Up to the
 * first gap, and with "drop" to the end, the events must be those of the search in what
 * a receiver puts together from the first copy of each byte: all, and each once; what
 * came with a match must be dropped again when it comes again. With "pass" nothing more
 * is reported behind a gap. With "restart" nothing is reported that is not in the text, and all
 * that is within one segment and came for the first time.
 */
#include <stdlib.h>
#include <string.h>

#include "libfuzzer.h"
#include "segments.h"

#define TEXT_MAX	SEGMENTS_TEXT_MAX
#define PATTERNS	SEGMENTS_PATTERNS

/* How often a pattern was reported at an offset. */
typedef uint8_t tally[PATTERNS][TEXT_MAX];

static struct {
	tally reported;
	bool recording;
} fuzz;

static bool on_found(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset)
{
	s64 at = offset + scan->origin;

	if (!fuzz.recording)
		return true;
	if (at < 0 || at + hit->length > TEXT_MAX)
		segments_fail("a match outside of the text");
	fuzz.reported[hit->id][at]++;
	return true;
}

static void search(const uint8_t *text, size_t bytes, tally found)
{
	size_t i, at;

	memset(found, 0, sizeof(tally));
	for (i = 0; i < PATTERNS; i++)
		for (at = 0; at < bytes; at++)
			found[i][at] = segments_in_text(i, text, at, bytes);
}

/*
 * @text: what the sender means; @stream: what the receiver has, its first @have bytes
 * @behind: a gap was there, and the policy is not "drop"
 * @pure: no byte was ever another
 * @sent: what was sent, in its place or not
 * @within: restart: reported at least once
 * @matched: came in a segment with a match
 */
struct model {
	uint8_t text[TEXT_MAX];
	uint8_t stream[TEXT_MAX];
	size_t length, have;
	bool behind, pure;
	bool sent[TEXT_MAX];
	bool matched[TEXT_MAX];
	tally within;
	struct segments_line line;
};

/* What is to happen behind a gap: NFAC_ATTACH_GAP_*, or 0. */
static uint32_t gap(const struct model *m)
{
	return m->line.policy & (NFAC_ATTACH_GAP_PASS | NFAC_ATTACH_GAP_DROP);
}

/* What a segment in its place, or before it, must do. */
static void in_place(struct model *m, size_t at, const uint8_t *bytes, size_t count)
{
	size_t end = at + count, old = end < m->have ? end : m->have;
	bool again = memchr(m->matched + at, true, old - at), found;
	struct nfac_segment seg;

	found = segments_send(&m->line, at, bytes, count, NFAC_TCP_ACK, true, &seg);
	if (seg.unseen || seg.skips)
		segments_fail("not inspected, though in its place");
	if (seg.resent != old - at || seg.scanned != count - (old - at))
		segments_fail("other bytes were taken for old");
	if (again && !seg.again)
		segments_fail("what came with a match passes when it comes again");
	if (end > m->have) {
		memset(m->matched + m->have, found || seg.again, end - m->have);
		memcpy(m->stream + m->have, bytes + (m->have - at), end - m->have);
		m->have = end;
	}
}

static void behind_gap(struct model *m, size_t at, const uint8_t *bytes, size_t count)
{
	struct nfac_segment seg;
	size_t i, k;

	if (!gap(m))
		m->behind = true;
	segments_send(&m->line, at, bytes, count, NFAC_TCP_ACK, true, &seg);
	if (gap(m) && (seg.scanned || seg.skips != BIT(NFAC_SKIP_GAP)))
		segments_fail("scanned in spite of the policy");
	if (gap(m) & NFAC_ATTACH_GAP_PASS)
		m->behind = true;
	for (i = 0; i < PATTERNS; i++)
		for (k = at; !gap(m) && k < at + count; k++)
			m->within[i][k] |= segments_in_text(i, m->text, k, at + count) &&
					   !memchr(m->sent + k, true,
						   strlen(segments_patterns[i].bytes));
}

static void segment(struct model *m, struct segments_input *in)
{
	uint8_t kind = segments_next(in), bytes[TEXT_MAX];
	size_t at = segments_next(in) % m->length, count = 1 + segments_next(in) % 24, i;
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
		segments_send(&m->line, at, bytes, count, kind & 4 ? NFAC_TCP_ACK : kind & 8 ? 0 :
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

static void check_model(const struct model *m)
{
	bool weak = m->behind && !gap(m);
	tally want;
	size_t i, at;

	search(weak ? m->text : m->stream, weak ? m->length : m->have, want);
	if (weak && !m->pure)
		return;
	for (i = 0; i < PATTERNS; i++)
		for (at = 0; at < TEXT_MAX; at++) {
			if (!weak && fuzz.reported[i][at] != want[i][at])
				segments_fail(fuzz.reported[i][at] ?
					      "reported, but not there or again" : "missed");
			if (weak && fuzz.reported[i][at] && !want[i][at])
				segments_fail("restart: reported what is not there");
			if (weak && m->within[i][at] && !fuzz.reported[i][at])
				segments_fail("restart: missed within a segment");
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t policies[] = { 0, NFAC_ATTACH_GAP_PASS, NFAC_ATTACH_GAP_DROP };
	struct segments_input in = { data, data + size };
	struct model m = { .pure = true, .line.found = on_found };
	struct nfac_segment seg;
	uint8_t head = segments_next(&in);
	size_t i;

	m.line.policy = policies[head % 3] | NFAC_ATTACH_DROP;
	m.line.first = segments_firsts[head >> 2 & 3];
	m.length = 1 + segments_next(&in) % TEXT_MAX;
	for (i = 0; i < m.length; i++)
		m.text[i] = "abcabcdABCaa"[segments_next(&in) % 12];
	memset(fuzz.reported, 0, sizeof(fuzz.reported));
	fuzz.recording = true;
	m.line.streams = streams_new(1, NFAC_FLOW_IDLE_MAX);
	segments_send(&m.line, -1, m.text, 0, NFAC_TCP_SYN, true, &seg);
	for (i = 0; i < SEGMENTS_MAX && in.at < in.end; i++)
		segment(&m, &in);
	check_model(&m);
	streams_free(m.line.streams);
	return 0;
}
