/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers of streams share: a set, and segments sent past it.
 */
#ifndef _NFAC_FUZZ_SEGMENTS_H
#define _NFAC_FUZZ_SEGMENTS_H

#include "../../userspace-loader/capture/stream.h"

#define SEGMENTS_PATTERNS	8
#define SEGMENTS_TEXT_MAX	96	/* bytes of a stream */
#define SEGMENTS_MAX		64	/* of an input */

/* The set's patterns, by id. */
extern const struct segments_pattern {
	const char *bytes;
	bool nocase;
} segments_patterns[SEGMENTS_PATTERNS];

/* The input as it is read. Past its end there are zeros. */
struct segments_input {
	const uint8_t *at, *end;
};

static inline uint8_t segments_next(struct segments_input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* First sequence numbers worth trying. */
extern const uint32_t segments_firsts[4];

_Noreturn void segments_fail(const char *what);

/* Does pattern @i begin at @at of @text and end before @to? */
bool segments_in_text(size_t i, const uint8_t *text, size_t at, size_t to);

/**
 * struct segments_line - a direction of a connection, at an attachment
 * @policy: NFAC_ATTACH_*
 * @first: sequence number of the stream's first byte
 * @found: called for each match, or NULL
 * @ambiguous: the next segment has IP options
 * @urgent: its urgent pointer
 * @ack: its acknowledgment number
 * @window: its window
 * @stamps: it has timestamps (RFC 7323)
 * @value: TSval
 * @echo: TSecr
 * @back: it is the other direction's
 * @evicted: a direction has lost its slot
 * @now: milliseconds
 * @other: it is another connection's, by its number; 0: ours
 */
struct segments_line {
	struct streams *streams;
	uint32_t policy, first;
	nfac_found_fn found;
	bool ambiguous, stamps, back, evicted;
	uint32_t ack, now, value, echo;
	uint16_t urgent, other, window;
};

/**
 * segments_send() - a segment goes by
 * @at: offset in the stream of its sequence number's byte, which is the SYN's if it has one
 * @flags: NFAC_TCP_*
 * @whole: its checksum is right
 * @seg: what came of it
 *
 * Return: matches.
 */
uint32_t segments_send(const struct segments_line *line, size_t at, const uint8_t *bytes,
		       size_t count, uint8_t flags, bool whole, struct nfac_segment *seg);

#endif /* _NFAC_FUZZ_SEGMENTS_H */
