// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: a sender that sends any segments past an attachment with --drop --stream --gap drop
 * must not bring a pattern to the receiver.
 *
 * An input is a receiver, a first sequence number and segments: any bytes anywhere, with any
 * flags, with urgent pointers, timestamps, acknowledgments and wrong checksums, and silence. The
 * receiver keeps to RFC 9293, as Linux does: it takes the first copy of each byte, an RST in its
 * place alone, and discards what has no ACK, what has a SYN, what lies outside its window, what
 * is too old for its timestamps and what acknowledges more than it sent. Its window is as long as
 * its memory, and all numbers go around at 2^32. It listens, or connects and waits for a SYN with
 * an ACK. It may close on its own; once closed it does the same again, and takes a SYN's data (TCP
 * Fast Open), its urgent pointer and a SYN with a FIN. It reads at once. What has IP options it
 * takes or discards. What receivers do differently is a byte of the input.
 *
 * What the receiver answers passes the attachment, too: its SYN-ACK, and an acknowledgment of each
 * segment. The flow table has one bucket. Other connections fill it, with handshakes and without,
 * so that the sender's direction loses its slot when the table's rules allow it, and may come
 * back.
 *
 * An RST, a SYN-ACK and an acknowledgment may also be forged, until a direction has lost its slot,
 * and where there are no timestamps: SECURITY.md promises nothing about a sender that can send its
 * receiver's segments in these cases. Nor does it about what servers send in a direction that has
 * lost its slot.
 */
#include <string.h>

#include "../../kmod/engine/stream/policy.h"
#include "libfuzzer.h"
#include "segments.h"

/* What receivers do differently. */
#define NEWEST	0x1	/* of what it has not read the last copy counts, or it reneges */
#define EITHER	0x2	/* when it connects, a SYN without ACK opens, too */
#define LINGERS	0x4	/* behind a FIN it takes nothing, until it closes */
#define WAITS	0x8	/* behind a FIN it takes a SYN ahead of it alone (TIME-WAIT) */
#define UNACKED	0x10	/* it takes data without ACK, as BSD's does when both sides open */
#define STAMPS	0x20	/* it uses timestamps if the sender does */
#define STRICT	0x40	/* it discards what is older by 1, or has no timestamp; Linux takes it */
#define DELAYS	0x80	/* it acknowledges every second segment */

/*
 * Places are counted from the first byte's sequence number.
 *
 * @bytes: the first copy of each
 * @base: sequence number of the first
 * @next: those before it have been read
 * @urgent: place of the urgent byte, if it @points at one
 * @left: urgent bytes, which a reader without SO_OOBINLINE does not get
 * @ended: by a FIN
 * @peer: sequence number of the receiver's own SYN
 * @acked: place of its last acknowledgment
 * @recent: TS.Recent; valid if @stamped
 * @late: the last segment was not acknowledged
 */
struct receiver {
	uint8_t bytes[SEGMENTS_TEXT_MAX];
	bool got[SEGMENTS_TEXT_MAX], left[SEGMENTS_TEXT_MAX];
	uint32_t base, next, urgent;
	uint32_t peer, acked, recent;
	uint8_t differs;
	bool points, connects, closed, ended, stamped, late;
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
 * @stamps: segments have timestamps
 */
struct sender {
	struct segments_line line;
	bool stamps;
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
static bool opens(struct receiver *r, const struct segments_line *line, uint32_t seq, uint8_t flags)
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
	*r = (struct receiver) {
		.base = seq + 1, .connects = connects, .differs = r->differs, .peer = r->peer,
		.stamped = line->stamps && r->differs & STAMPS, .recent = line->value,
	};
	return true;
}

/* PAWS (RFC 7323, 5.3), and an acknowledgment of what was never sent. */
static bool discards(const struct receiver *r, const struct segments_line *line, uint8_t flags)
{
	bool strict = r->differs & STRICT;

	if (flags & NFAC_TCP_RST)
		return false;
	if (r->stamped && !line->stamps && strict)
		return true;
	if (r->stamped && line->stamps && r->recent &&
	    (int32_t)(r->recent - line->value) > !strict)
		return true;
	return flags & NFAC_TCP_ACK && (int32_t)(line->ack - r->peer - 1) > 0;
}

/* A segment from @at to @end is not discarded: is its timestamp TS.Recent? */
static void remember(struct receiver *r, const struct segments_line *line, uint32_t at,
		     uint32_t end)
{
	if (r->stamped && line->stamps && (int32_t)(at - r->acked) <= 0 &&
	    (int32_t)(end - r->acked) >= 0 &&
	    (!r->recent || (int32_t)(line->value - r->recent) >= 0))
		r->recent = line->value;
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

/* Return: the receiver answers. */
static bool receive(struct receiver *r, const struct segments_line *line, uint32_t seq,
		    const uint8_t *bytes, size_t count, uint8_t flags)
{
	uint32_t at = seq - r->base, i;

	if (r->closed) {
		if (!opens(r, line, seq, flags))
			return false;
		at = 0;
	} else if (discards(r, line, flags)) {
		return true;
	} else if (flags & NFAC_TCP_RST) {
		r->closed = at == r->next + r->ended;
		return false;
	} else if (r->ended) {
		return true;
	} else if (flags & NFAC_TCP_SYN ||
		   (!(flags & NFAC_TCP_ACK) && !(r->differs & UNACKED))) {
		return true;
	}
	remember(r, line, at, at + count);
	if (flags & NFAC_TCP_URG)
		point(r, seq, line->urgent);
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
	return count || flags & (NFAC_TCP_SYN | NFAC_TCP_FIN);
}

/* Would the hook let it pass? */
static bool passes(struct segments_line *line, uint32_t seq, const uint8_t *bytes,
		   size_t count, uint8_t flags, bool whole)
{
	struct nfac_segment seg;
	bool found = segments_send(line, seq - line->first, bytes, count, flags, whole, &seg);

	line->evicted |= seg.evicted;
	return !nfac_found_drops(line->policy, found || seg.again, seg.unseen);
}

/* What a segment is besides its flags: the upper half of its first byte. */
enum kind {
	ANSWER = 5, PAUSE, LEAVE, CROWD, FORGED, URGENT, LEAP, DISCARDED, TAKEN, CLOSES, BROKEN
};

/* The receiver's answer to a segment with @flags, which has @opened the connection, or not. */
static void respond(struct receiver *r, struct segments_line *line, uint8_t flags, bool opened)
{
	struct segments_line back = *line;

	if (!opened && r->differs & DELAYS) {
		r->late = !r->late;
		if (r->late)
			return;
	}
	r->acked = r->next + r->ended;
	back.back = true;
	back.ambiguous = false;
	back.ack = r->base + r->acked;
	back.window = r->next < SEGMENTS_TEXT_MAX ? SEGMENTS_TEXT_MAX - r->next : 0;
	back.stamps = r->stamped;
	back.value = 1;
	back.echo = r->recent;
	if (opened && !(flags & NFAC_TCP_ACK))
		passes(&back, r->peer, NULL, 0, NFAC_TCP_SYN | NFAC_TCP_ACK, true);
	else
		passes(&back, r->peer + 1, NULL, 0, NFAC_TCP_ACK, true);
	line->evicted |= back.evicted;
}

/* The receiver's own SYN. */
static void connects(const struct receiver *r, const struct segments_line *line)
{
	struct segments_line back = *line;

	back.back = true;
	back.stamps = r->differs & STAMPS;
	back.value = 1;
	passes(&back, r->peer, NULL, 0, NFAC_TCP_SYN, true);
}

/* An RST of the other direction, in its place, which the receiver need not have sent. */
static void forge(struct segments_line *line)
{
	line->back = true;
	passes(line, line->first, NULL, 0, NFAC_TCP_SYN | NFAC_TCP_ACK, true);
	passes(line, line->first + 1, NULL, 0, NFAC_TCP_RST, true);
	line->back = false;
}

/*
 * A segment of the other direction from an attacker: it agrees to a beginning at @ack, and says
 * how much more may come.
 */
static void answer(struct segments_line *line, uint32_t ack, uint8_t flags)
{
	line->back = true;
	line->ack = ack;
	passes(line, line->first, NULL, 0,
	       flags & 1 ? NFAC_TCP_ACK : NFAC_TCP_SYN | NFAC_TCP_ACK, true);
	line->back = false;
}

/*
 * Other connections, as many as there are slots, which their server answers if @assured; or one of
 * them ends.
 */
static void crowd(struct segments_line *line, bool leave, bool assured)
{
	uint16_t i, to = leave ? 1 : NFAC_FLOW_SLOTS;
	struct segments_line other = *line;

	other.stamps = false;
	other.ambiguous = false;
	for (i = 1; i <= to; i++) {
		other.other = i;
		if (leave) {
			passes(&other, line->first + 2, NULL, 0, NFAC_TCP_RST, true);
			continue;
		}
		passes(&other, line->first, NULL, 0, NFAC_TCP_SYN, true);
		other.back = assured;
		other.ack = line->first + 1;
		if (assured)
			passes(&other, line->first, NULL, 0, NFAC_TCP_SYN | NFAC_TCP_ACK, true);
		other.back = false;
		passes(&other, line->first + 1, (const uint8_t *)"x", 1, NFAC_TCP_ACK, true);
	}
	line->evicted |= other.evicted;
}

/* The segment's timestamps: about the sender's clock, which is @line->now. */
static void stamp(struct sender *s, struct segments_input *in)
{
	uint8_t about = s->stamps ? segments_next(in) : 0;

	s->line.stamps = s->stamps && about != 0x80;
	s->line.value = s->line.now + (int8_t)about;
	if (about == 0x7f)
		s->line.value = 0;
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
	bool forges = !line->evicted && !s->stamps, was;
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
	if (kind == ANSWER && forges)
		answer(line, s->ends[(s->sent - 1) & 7], where);
	/* an acknowledgment of the receiver's SYN, or of what it did not send */
	line->ack = r->peer + 1 + (kind == ANSWER && where & 2 ? where : 0);
	stamp(s, in);
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
	was = r->closed;
	if (passes(line, seq, bytes, count, flags, kind != BROKEN) && kind != BROKEN &&
	    kind != DISCARDED && receive(r, line, seq, bytes, count, flags))
		respond(r, line, flags, was);
	/* as a server does when it has read enough */
	if (kind == CLOSES) {
		r->closed = true;
		r->ended = false;
	}
	if (kind == FORGED && forges)
		forge(line);
	if (kind == CROWD || kind == LEAVE)
		crowd(line, kind == LEAVE, where & 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segments_input in = { data, data + size };
	uint8_t head = segments_next(&in);
	struct receiver r = {
		.connects = head & 4, .closed = true, .differs = segments_next(&in),
	};
	struct sender s = {
		.line.policy = NFAC_ATTACH_STREAM | NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP |
			       NFAC_ATTACH_SKIP_DROP,
		.line.first = segments_firsts[head & 3] - (head >> 4),
		.stamps = head & 8,
	};
	size_t i;

	r.peer = s.line.first;
	s.line.streams = streams_new(1, 100);
	if (r.connects)
		connects(&r, &s.line);
	for (i = 0; i < SEGMENTS_MAX && in.at < in.end; i++) {
		segment(&s, &r, &in);
		/* what servers send behind an eviction */
		if (r.connects && s.line.evicted)
			break;
	}
	check(&r);
	streams_free(s.line.streams);
	return 0;
}
