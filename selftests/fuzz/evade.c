// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: who sends whatever he likes past an attachment with --drop --stream --gap drop
 * must not bring a pattern to the receiver.
 *
 * An input is a first sequence number and segments: any bytes anywhere, with any flags, with
 * urgent pointers and with wrong checksums. The receiver is one that keeps to RFC 9293, as
 * Linux does: it takes the first copy of each byte, an RST in its place alone, and ignores
 * what has no ACK and what has a SYN. It looks at the sender's timestamps and acknowledgments
 * no more than nfac does; its window is as long as its memory, and all numbers go around at
 * 2^32. It listens, or connects and waits for a SYN with an ACK. It may close on its own; once
 * closed it does the same again, and takes a SYN's data (TCP Fast Open), its urgent pointer and
 * a SYN with a FIN. It reads at once. What has IP options it takes or discards. There may be an
 * RST, a SYN-ACK or an acknowledgment from its side that it has not sent, other connections
 * that take all slots, and silence.
 *
 * In the same segments others are tried, each of which differs from it in something.
 */
#include <string.h>

#include "../../kmod/engine/stream/policy.h"
#include "libfuzzer.h"
#include "segments.h"

/* What a receiver does otherwise. */
#define NEWEST	0x1	/* of what it has not read the last copy counts, or it reneges */
#define EITHER	0x2	/* when it connects, a SYN without ACK opens, too */
#define LINGERS	0x4	/* behind a FIN it takes nothing, until it closes */
#define WAITS	0x8	/* behind a FIN it takes a SYN ahead of it alone (TIME-WAIT) */
#define UNACKED	0x10	/* it takes data without ACK, as BSD's does when both sides open */

static const uint8_t receivers[] = { 0, NEWEST, NEWEST | EITHER, LINGERS, WAITS, UNACKED };

#define RECEIVERS	(sizeof(receivers) / sizeof(*receivers))

/*
 * Places are counted from the first byte's sequence number.
 *
 * @bytes: the first copy of each
 * @base: sequence number of the first
 * @next: those before it have been read
 * @urgent: place of the urgent byte, if it @points at one
 * @left: urgent bytes, which a reader without SO_OOBINLINE does not get
 * @ended: by a FIN
 */
struct receiver {
	uint8_t bytes[SEGMENTS_TEXT_MAX];
	bool got[SEGMENTS_TEXT_MAX], left[SEGMENTS_TEXT_MAX];
	uint32_t base, next, urgent;
	uint8_t differs;
	bool points, connects, closed, ended;
};

static void search(const uint8_t *text, size_t bytes)
{
	size_t i, at;

	for (i = 0; i < SEGMENTS_PATTERNS; i++)
		for (at = 0; at < bytes; at++)
			if (segments_in_text(i, text, at, bytes))
				segments_fail("a pattern came through");
}

/*
 * @ends: where the last segments ended
 * @sent: of them
 */
struct sender {
	struct segments_line line;
	uint32_t ends[8];
	unsigned int sent;
};

/* What has been read of a connection, with SO_OOBINLINE and without. */
static void check(const struct receiver *r)
{
	uint8_t text[SEGMENTS_TEXT_MAX];
	size_t i, n = 0;

	search(r->bytes, r->next);
	for (i = 0; i < r->next; i++)
		if (!r->left[i])
			text[n++] = r->bytes[i];
	search(text, n);
}

/* A SYN at a closed receiver. */
static bool opens(struct receiver *r, uint32_t seq, uint8_t flags)
{
	bool connects = r->connects;

	if (!(flags & NFAC_TCP_SYN) || flags & NFAC_TCP_RST)
		return false;
	if ((flags & NFAC_TCP_ACK) != (connects ? NFAC_TCP_ACK : 0) &&
	    !(connects && r->differs & EITHER))
		return false;
	if (r->ended && r->differs & WAITS && (int32_t)(seq - r->base - r->next) <= 0)
		return false;
	check(r);
	*r = (struct receiver) { .base = seq + 1, .connects = connects, .differs = r->differs };
	return true;
}

/* As Linux reads it: behind the urgent byte, and the last of them counts. */
static void point(struct receiver *r, uint32_t seq, uint16_t urgent)
{
	uint32_t at = seq + (urgent ? urgent - 1 : 0) - r->base;

	if ((int32_t)(at - r->next) < 0 || (r->points && (int32_t)(at - r->urgent) <= 0))
		return;
	r->urgent = at;
	r->points = true;
}

static void read_on(struct receiver *r)
{
	for (; r->next < SEGMENTS_TEXT_MAX && r->got[r->next]; r->next++)
		r->left[r->next] = r->points && r->urgent == r->next;
}

static void receive(struct receiver *r, uint32_t seq, const uint8_t *bytes, size_t count,
		    uint8_t flags, uint16_t urgent)
{
	uint32_t at = seq - r->base, i;

	if (r->closed) {
		if (!opens(r, seq, flags))
			return;
		at = 0;
	} else if (flags & NFAC_TCP_RST) {
		r->closed = at == r->next + r->ended;
		return;
	} else if (r->ended) {
		return;
	} else if (flags & NFAC_TCP_SYN ||
		   (!(flags & NFAC_TCP_ACK) && !(r->differs & UNACKED))) {
		return;
	}
	if (flags & NFAC_TCP_URG)
		point(r, seq, urgent);
	for (i = 0; i < count; i++) {
		if (at + i >= SEGMENTS_TEXT_MAX)
			continue;
		if (r->got[at + i] && (at + i < r->next || !(r->differs & NEWEST)))
			continue;
		r->got[at + i] = true;
		r->bytes[at + i] = bytes[i];
	}
	read_on(r);
	if (flags & NFAC_TCP_FIN && (uint32_t)(at + count) == r->next) {
		r->ended = true;
		r->closed = !(r->differs & LINGERS);
	}
}

/* Would the hook let it pass? */
static bool passes(struct segments_line *line, uint32_t seq, const uint8_t *bytes,
		   size_t count, uint8_t flags, bool whole)
{
	struct nfac_segment seg;
	bool found = segments_send(line, seq - line->first, bytes, count, flags, whole, &seg);

	/* perhaps ours, and SECURITY.md promises nothing for a direction without a slot */
	line->evicted |= seg.evicted;
	return !nfac_found_drops(line->policy, found || seg.again, seg.unseen);
}

/* What a segment is besides its flags: the upper half of its first byte. */
enum kind {
	ANSWER = 5, PAUSE, LEAVE, CROWD, FORGED, URGENT, LEAP, DISCARDED, TAKEN, CLOSES, BROKEN
};

/* An RST of the other direction, in its place, which the receiver need not have sent. */
static void forge(struct segments_line *line)
{
	line->back = true;
	passes(line, line->first, NULL, 0, NFAC_TCP_SYN | NFAC_TCP_ACK, true);
	passes(line, line->first + 1, NULL, 0, NFAC_TCP_RST, true);
	line->back = false;
}

/*
 * A segment of the other direction, which the receiver has sent or an attacker: it agrees to a
 * beginning at @ack, and says how much more may come.
 */
static void answer(struct segments_line *line, uint32_t ack, uint8_t flags)
{
	line->back = true;
	line->ack = ack;
	passes(line, line->first, NULL, 0,
	       flags & 1 ? NFAC_TCP_ACK : NFAC_TCP_SYN | NFAC_TCP_ACK, true);
	line->back = false;
	line->ack = flags & 2 ? line->first + 1 : 0;
}

/* Other connections, as many as there are places; or one of them ends. */
static void crowd(struct segments_line *line, bool leave)
{
	uint16_t i, to = leave ? 1 : NFAC_FLOW_SLOTS;

	for (i = 1; i <= to; i++) {
		line->other = i;
		if (leave) {
			passes(line, line->first + 2, NULL, 0, NFAC_TCP_RST, true);
			continue;
		}
		passes(line, line->first, NULL, 0, NFAC_TCP_SYN, true);
		passes(line, line->first + 1, (const uint8_t *)"x", 1, NFAC_TCP_ACK, true);
	}
	line->other = 0;
}

static void segment(struct sender *s, struct receiver *r, struct segments_input *in)
{
	static const uint8_t all[] = {
		NFAC_TCP_ACK, NFAC_TCP_ACK, NFAC_TCP_ACK, NFAC_TCP_ACK, NFAC_TCP_SYN | NFAC_TCP_ACK,
		NFAC_TCP_ACK | NFAC_TCP_FIN, NFAC_TCP_FIN, NFAC_TCP_RST,
		NFAC_TCP_RST | NFAC_TCP_ACK, NFAC_TCP_SYN, NFAC_TCP_SYN,
		NFAC_TCP_SYN | NFAC_TCP_ACK, NFAC_TCP_SYN | NFAC_TCP_FIN,
		NFAC_TCP_SYN | NFAC_TCP_RST, 0, NFAC_TCP_SYN | NFAC_TCP_FIN | NFAC_TCP_ACK,
	};
	uint8_t first = segments_next(in), flags = all[first & 15], bytes[24];
	uint8_t where = segments_next(in), count = segments_next(in) % 25, i;
	struct segments_line *line = &s->line;
	enum kind kind = first >> 4;
	uint32_t seq;

	if (kind == PAUSE)
		line->now += where * 1000;
	/* far away, and what does not go by an earlier place stays there */
	if (kind == LEAP)
		line->first += (uint32_t)segments_next(in) << 24;
	seq = line->first + where;
	if (where & 0x80)
		seq = (where & 8 ? s->ends[where >> 4 & 7] : r->base + r->next) + (where & 7) - 2;
	line->window = count << (flags & 15);
	if (kind == ANSWER)
		answer(line, s->ends[(s->sent - 1) & 7], where);
	s->ends[s->sent++ & 7] = seq + !!(flags & NFAC_TCP_SYN) + count;
	if (kind == URGENT) {
		flags |= NFAC_TCP_URG;
		line->urgent = segments_next(in) % 32;
	} else if (kind == TAKEN && where & 0x40) {
		flags |= NFAC_TCP_URG;
		line->urgent = where % 32;
	}
	for (i = 0; i < count; i++)
		bytes[i] = "xaxbxcxdxxxxabcC"[segments_next(in) % 16];
	/* with options that a receiver may take, or discard */
	line->ambiguous = kind == DISCARDED || kind == TAKEN;
	if (passes(line, seq, bytes, count, flags, kind != BROKEN) && kind != BROKEN &&
	    kind != DISCARDED)
		for (i = 0; i < RECEIVERS; i++)
			receive(&r[i], seq, bytes, count, flags, line->urgent);
	/* as a server does when it has read enough */
	for (i = 0; i < RECEIVERS && kind == CLOSES; i++) {
		r[i].closed = true;
		r[i].ended = false;
	}
	if (kind == FORGED)
		forge(line);
	if (kind == CROWD || kind == LEAVE)
		crowd(line, kind == LEAVE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segments_input in = { data, data + size };
	uint8_t head = segments_next(&in);
	struct sender s = {
		.line.policy = NFAC_ATTACH_STREAM | NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP |
			       NFAC_ATTACH_SKIP_DROP,
		.line.first = segments_firsts[head & 3] - (head >> 3),
	};
	struct receiver r[RECEIVERS];
	size_t i;

	for (i = 0; i < RECEIVERS; i++)
		r[i] = (struct receiver) {
			.connects = head & 4, .closed = true, .differs = receivers[i],
		};

	s.line.streams = streams_new(1, 100);
	for (i = 0; i < SEGMENTS_MAX && in.at < in.end && !s.line.evicted; i++)
		segment(&s, r, &in);
	for (i = 0; i < RECEIVERS; i++)
		check(&r[i]);
	streams_free(s.line.streams);
	return 0;
}
