// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: who sends whatever he likes past an attachment with --drop --stream --gap drop
 * must not bring a pattern to the receiver.
 *
 * An input is a first sequence number and segments: any bytes anywhere, with any flags and
 * with wrong checksums. The receiver is one that keeps to RFC 9293, as Linux does: it takes
 * the first copy of each byte, an RST in its place alone, and ignores what has no ACK and
 * what has a SYN. It looks at the sender's window, timestamps and acknowledgments no more
 * than nfac does. It may close on its own; once closed it listens again, and takes a SYN's
 * data (TCP Fast Open) and a SYN with a FIN. What has IP options it takes or discards.
 */
#include <string.h>

#include "libfuzzer.h"
#include "segments.h"

/*
 * @bytes: the first copy of each, as far as @got
 * @start: the first of them
 * @next: those before it have been read
 */
struct receiver {
	uint8_t bytes[SEGMENTS_TEXT_MAX];
	bool got[SEGMENTS_TEXT_MAX];
	size_t start, next;
	bool closed;
};

/* What has been read of a connection. */
static void check(const struct receiver *r)
{
	size_t i, at;

	for (i = 0; i < SEGMENTS_PATTERNS; i++)
		for (at = r->start; at < r->next; at++)
			if (segments_in_text(i, r->bytes, at, r->next))
				segments_fail("a pattern came through");
}

static void listen_again(struct receiver *r, size_t at)
{
	check(r);
	memset(r, 0, sizeof(*r));
	r->start = at + 1;
	r->next = at + 1;
}

static void receive(struct receiver *r, size_t at, const uint8_t *bytes, size_t count,
		    uint8_t flags)
{
	size_t i;

	if (r->closed) {
		if ((flags & ~NFAC_TCP_FIN) != NFAC_TCP_SYN || at >= SEGMENTS_TEXT_MAX - 1)
			return;
		listen_again(r, at++);
		if (count > SEGMENTS_TEXT_MAX - at)
			count = SEGMENTS_TEXT_MAX - at;
	} else if (flags & NFAC_TCP_RST) {
		r->closed = at == r->next;
		return;
	} else if (flags & NFAC_TCP_SYN || !(flags & NFAC_TCP_ACK)) {
		return;
	}
	for (i = 0; i < count; i++) {
		if (r->got[at + i] || at + i < r->next)
			continue;
		r->got[at + i] = true;
		r->bytes[at + i] = bytes[i];
	}
	while (r->next < SEGMENTS_TEXT_MAX && r->got[r->next])
		r->next++;
	if (flags & NFAC_TCP_FIN && at + count == r->next)
		r->closed = true;
}

/* Would the hook let it pass? */
static bool passes(const struct segments_line *line, size_t at, const uint8_t *bytes,
		   size_t count, uint8_t flags, bool whole)
{
	struct nfac_segment seg;
	bool found = segments_send(line, at, bytes, count, flags, whole, &seg);

	return !found && !seg.again && !seg.unseen;
}

static void segment(struct segments_line *line, struct receiver *r,
		    struct segments_input *in)
{
	static const uint8_t all[] = {
		NFAC_TCP_ACK, NFAC_TCP_ACK, NFAC_TCP_ACK, NFAC_TCP_ACK, NFAC_TCP_ACK,
		NFAC_TCP_ACK | NFAC_TCP_FIN, NFAC_TCP_FIN, NFAC_TCP_RST,
		NFAC_TCP_RST | NFAC_TCP_ACK, NFAC_TCP_SYN, NFAC_TCP_SYN,
		NFAC_TCP_SYN | NFAC_TCP_ACK, NFAC_TCP_SYN | NFAC_TCP_FIN,
		NFAC_TCP_SYN | NFAC_TCP_RST, 0, NFAC_TCP_SYN | NFAC_TCP_FIN | NFAC_TCP_ACK,
	};
	uint8_t kind = segments_next(in), flags = all[kind & 15], bytes[24];
	size_t at = segments_next(in), count = segments_next(in) % 25, i;
	bool whole = kind >> 4 != 15, discarded = kind >> 4 == 12;

	/* mostly about where the receiver stands */
	if (at & 0x80)
		at = r->next + (at & 0x1f) - (at & 0x60 ? 1 : 8);
	if (at >= SEGMENTS_TEXT_MAX)
		at = 1;
	if (count > SEGMENTS_TEXT_MAX - at)
		count = SEGMENTS_TEXT_MAX - at;
	for (i = 0; i < count; i++)
		bytes[i] = "xaxbxcxdxxxxabcC"[segments_next(in) % 16];
	/* with options that a receiver may take, or discard */
	line->doubtful = kind >> 4 == 13 || discarded;
	if (passes(line, at, bytes, count, flags, whole) && whole && !discarded)
		receive(r, at, bytes, count, flags);
	/* on its own, as a server does when it has read enough */
	r->closed |= kind >> 4 == 14;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segments_input in = { data, data + size };
	struct segments_line line = {
		.policy = NFAC_ATTACH_STREAM | NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP,
		.first = segments_firsts[segments_next(&in) & 3],
	};
	struct receiver r = { .start = 1, .next = 1 };
	size_t i;

	/* the SYN is the byte at 0 */
	line.streams = streams_new(1, NFAC_FLOW_IDLE_MAX);
	passes(&line, 0, data, 0, NFAC_TCP_SYN, true);
	for (i = 0; i < SEGMENTS_MAX && in.at < in.end; i++)
		segment(&line, &r, &in);
	check(&r);
	streams_free(line.streams);
	return 0;
}
