// SPDX-License-Identifier: GPL-2.0
/*
 * Rules over a capture: anchors from the automaton, programs over each side's window.
 *
 * The automaton reads each byte once, in order. An anchor makes its program pending in the
 * window. Programs are evaluated when a message may be complete: at a segment with PSH, when
 * the other side sends data, when the window is full, and at the end. A program that may hold
 * later stays pending until the window begins anew.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/confirm.h"
#include "common/message.h"
#include "connections.h"
#include "rule_scan.h"

#define TCP_FIN		0x01
#define TCP_RST		0x04
#define TCP_PSH		0x08

#define ICMP_HEADER	8u

/* A window is evaluated again when it has grown by one part in GROWTH, whatever the flags. */
#define GROWTH		4u

/*
 * @scan: of the bytes that the automaton reads now; its first member
 * @payload: of the packet that is read now, NULL at the end; @packet: its number
 * @time_ns: its time; @now: the same in seconds
 * @ends: addresses and ports of the side that is evaluated, as a packet of it has them
 * @origin: stream offset of what @scan counts from: the window's first byte, or the packet's
 * @connection: that is evaluated, with @side; @sender: of @payload, with @sending
 * @evaluated: the pending programs were evaluated with the side's last byte
 * @packet_at: stream offset of the packet's first byte; 0 where streams are not followed
 */
struct rule_scan {
	struct nfac_scan scan;
	const struct nfac_automaton *automaton;
	enum nfac_path path;
	bool streams;
	rule_match_fn fn;
	rule_watch_fn watch;
	struct confirm *confirm;
	void *context;
	struct connections *connections;
	struct nfac_rules_scratch *scratch;
	struct rule_counts counts;
	const struct payload *payload;
	uint64_t packet;
	int64_t time_ns, now;
	struct payload ends;
	struct connection *connection, *sender;
	unsigned int side, sending;
	int64_t origin, packet_at;
	bool evaluated;
	struct nfac_pending packet_pending;
	uint64_t secret;
};

static uint8_t protocol_of(const struct connection *c)
{
	return c->key[4] >> 32;
}

/* Addresses and ports as packets of this side have them. */
static void describe_side(const struct connection *c, unsigned int side, struct payload *p)
{
	const uint8_t *low = (const uint8_t *)c->key, *high = low + 16;

	memset(p, 0, sizeof(*p));
	p->family = c->key[4] >> 48;
	p->protocol = protocol_of(c);
	p->ports = p->protocol != IPPROTO_ICMP && p->protocol != IPPROTO_ICMPV6;
	p->sport = c->key[4] >> (side ? 0 : 16);
	p->dport = c->key[4] >> (side ? 16 : 0);
	memcpy(p->saddr, side ? high : low, sizeof(p->saddr));
	memcpy(p->daddr, side ? low : high, sizeof(p->daddr));
}

/* @offset: in the stream. */
static struct rule_match match_at(struct rule_scan *rs, uint32_t id, int64_t offset,
				  uint32_t length, bool inexact)
{
	struct rule_match match = {
		.id = id,
		.offset = offset - rs->packet_at,
		.stream_offset = offset,
		.length = length,
		.inexact = inexact,
		.packet = rs->packet,
		.time_ns = rs->time_ns,
		.payload = rs->payload,
	};

	if (rs->streams && rs->connection && protocol_of(rs->connection) == IPPROTO_TCP) {
		describe_side(rs->connection, rs->side, &rs->ends);
		match.payload = &rs->ends;
		match.packet = rs->connection->sides[rs->side].packet;
		match.time_ns = rs->connection->sides[rs->side].time_ns;
	}
	return match;
}

static bool found(struct rule_scan *rs, uint32_t id, int64_t offset, uint32_t length, bool inexact)
{
	struct rule_match match = match_at(rs, id, offset, length, inexact);
	uint8_t source[16], target[16];

	if (rs->confirm) {
		payload_addresses(match.payload, source, target);
		if (confirm_count(rs->confirm, id, source, target, rs->now) > THRESHOLD_REPORTED)
			return true;
	}
	return rs->fn(rs->context, &match);
}

/* A pattern without a program. */
static bool on_pattern(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset)
{
	struct rule_scan *rs = (struct rule_scan *)scan;

	return found(rs, hit->id, rs->origin + offset, hit->length, false);
}

void rule_scan_free(struct rule_scan *rs)
{
	if (!rs)
		return;
	connections_free(rs->connections);
	free(rs->scratch);
	free(rs);
}

const struct rule_counts *rule_scan_counts(const struct rule_scan *rs)
{
	return &rs->counts;
}

/* Is the packet that is read now of the side that is evaluated? */
static bool is_sender(const struct rule_scan *rs)
{
	return rs->payload && rs->connection == rs->sender && rs->side == rs->sending;
}

/* What is known of a packet and its connection, without the bytes. */
static void window_begin(struct nfac_window *w, const struct rule_scan *rs)
{
	const struct connection *c = rs->connection;
	const struct payload *p = rs->payload;

	memset(w, 0, sizeof(*w));
	w->established = -1;
	if (rs->confirm) {
		w->user = confirm_pcre;
		w->unpack = confirm_unpack;
		w->context = rs->confirm;
	}
	if (c) {
		struct payload ends;

		describe_side(c, rs->side, &ends);
		w->protocol = ends.protocol;
		w->ports = ends.ports;
		w->sport = ends.sport;
		w->dport = ends.dport;
		w->addresses = true;
		payload_addresses(&ends, w->saddr, w->daddr);
		if (c->client_known)
			w->direction = rs->side == c->client ? NFAC_DIRECTION_TO_SERVER :
							       NFAC_DIRECTION_TO_CLIENT;
		w->established = c->established || (c->talked[0] && c->talked[1]);
		w->app = c->app;
		w->bits = &rs->connection->flowbits;
	}
	if (is_sender(rs))
		payload_fields(p, w);
}

/*
 * Suricata inspects the bytes of a protocol that it does not know in pieces, or when they have
 * ended: so bits that they set and test change in that order, and not in the segments' order.
 */
static bool waits_for_end(const struct rule_scan *rs, u32 flags, bool whole)
{
	return !whole && rs->streams && rs->connection && rs->connection->app == NFAC_APP_ANY &&
	       protocol_of(rs->connection) == IPPROTO_TCP && !(flags & NFAC_PROGRAM_PACKET) &&
	       flags & (NFAC_PROGRAM_SETS_FLOWBITS | NFAC_PROGRAM_TESTS_FLOWBITS);
}

/* Evaluate the program; report the rule if it holds. Return: it needs not be evaluated again. */
static bool evaluate(struct rule_scan *rs, const struct nfac_pending *pending, u32 i, u64 origin,
		     bool whole)
{
	const struct nfac_program *program =
		(const struct nfac_program *)(rs->automaton->programs + pending->program[i]);
	uint32_t flags = le32_to_cpu(program->flags);
	enum nfac_outcome outcome;
	struct rule_match match;
	uint32_t failed;

	if (waits_for_end(rs, flags, whole))
		return false;
	rs->counts.anchors++;
	outcome = nfac_rules_evaluate(rs->scratch, rs->automaton->programs, pending->program[i],
				      &failed);
	if (rs->watch) {
		match = match_at(rs, le32_to_cpu(program->id), origin + pending->at[i],
				 pending->length[i], outcome == NFAC_RULE_UNCHECKED);
		rs->watch(rs->context, pending->program[i], outcome, failed, &match);
	}
	if (outcome == NFAC_RULE_BUDGET)
		rs->counts.budget++;
	if (outcome == NFAC_RULE_LATER)
		return false;
	if (outcome != NFAC_RULE_HOLDS && outcome != NFAC_RULE_UNCHECKED)
		return outcome == NFAC_RULE_BUDGET || whole;
	rs->counts.holds++;
	if (!(flags & NFAC_PROGRAM_NOALERT))
		found(rs, le32_to_cpu(program->id), origin + pending->at[i], pending->length[i],
		      outcome == NFAC_RULE_UNCHECKED);
	return true;
}

static bool prepare_pending(const struct rule_scan *rs, struct side *s)
{
	if (s->pending)
		return true;
	s->pending = malloc(sizeof(*s->pending));
	if (!s->pending)
		return false;
	nfac_pending_key(s->pending, rs->secret);
	nfac_pending_init(s->pending);
	return true;
}

/* Do bytes of TCP, of which nothing else is known, begin as HTTP does? */
static bool begins_http(const uint8_t *bytes, size_t length)
{
	const struct nfac_window window = {
		.bytes = bytes, .length = length, .protocol = IPPROTO_TCP,
	};

	return nfac_rules_app(&window) == NFAC_APP_HTTP;
}

/* The window of a side. @whole: what is there has ended. */
static void window_of_side(struct rule_scan *rs, struct connection *c, unsigned int side,
			   bool whole, struct nfac_window *window)
{
	const struct side *s = &c->sides[side];

	rs->connection = c;
	rs->side = side;
	window_begin(window, rs);
	window->bytes = s->bytes;
	window->length = s->length;
	window->origin = s->origin;
	window->stream = true;
	window->whole = whole || s->ended;
	window->patient = true;
	window->slid = s->origin;
	window->cut = s->cut && c->app == NFAC_APP_HTTP &&
		      !begins_http(s->bytes, s->length);
	if (is_sender(rs)) {
		window->packet = rs->payload->bytes;
		window->packet_length = rs->payload->captured;
	}
}

/*
 * The other side sends: has this one said all? An HTTP message may go on behind an answer (100
 * Continue); of a protocol that is not known, nothing says where a message ends.
 */
static bool side_is_over(struct rule_scan *rs, struct connection *c, unsigned int side)
{
	struct side *s = &c->sides[side];
	struct nfac_window window;

	if (c->app == NFAC_APP_ANY)
		return s->length >= RAW_BYTES;
	if (c->app != NFAC_APP_HTTP || s->cut || !s->length)
		return true;
	window_of_side(rs, c, side, false, &window);
	nfac_rules_begin(rs->scratch, &window, nfac_rules_budget(s->length));
	return nfac_rules_message(rs->scratch) == s->length;
}

/* Evaluate the pending programs of a side over its window. */
static void evaluate_side(struct rule_scan *rs, struct connection *c, unsigned int side, bool whole)
{
	struct side *s = &c->sides[side];
	struct nfac_window window;
	u32 i, turn;

	rs->evaluated = true;
	if (!s->length || !prepare_pending(rs, s))
		return;
	rs->counts.overflow += s->pending->overflow;
	s->pending->overflow = false;
	window_of_side(rs, c, side, whole, &window);
	nfac_rules_begin(rs->scratch, &window, nfac_rules_budget(s->length));
	if (c->app == NFAC_APP_ANY)
		c->app = nfac_rules_app(&window);
	nfac_scan_init(&rs->scan, rs->automaton, on_pattern);
	rs->scan.pending = s->pending;
	nfac_scan_buffers(&rs->scan, rs->scratch, 0);
	for (i = 0, turn = 0; nfac_scan_next(&rs->scan, &i, &turn); i++) {
		if (s->done[i / 64] >> i % 64 & 1)
			continue;
		if (evaluate(rs, s->pending, i, s->origin, window.whole))
			s->done[i / 64] |= 1ull << i % 64;
	}
}

/* Let the automaton read bytes that follow those before them. */
static void read_bytes(struct rule_scan *rs, struct side *s, const uint8_t *bytes, size_t length)
{
	struct nfac_scan *scan = &rs->scan;

	nfac_scan_init(scan, rs->automaton, on_pattern);
	if (!prepare_pending(rs, s))
		return;
	scan->pending = s->pending;
	scan->cursor = &s->cursor;
	scan->protocol = IPPROTO_TCP;
	scan->sport = rs->payload->sport;
	scan->dport = rs->payload->dport;
	/* anchors count from the window's first byte, patterns from the packet's */
	scan->base = s->length;
	rs->origin = s->origin;
	nfac_scan_text(scan, nfac_rules_match_memory(rs->scratch), bytes, length, rs->path);
}

/* The next bytes of the side that sends. */
static void on_bytes(void *context, const uint8_t *bytes, size_t length, bool gap)
{
	struct rule_scan *rs = context;
	struct connection *c = rs->connection;
	struct side *s = &c->sides[rs->side];
	size_t piece, before, anchors;

	c->talked[rs->side] = true;
	c->sides[!rs->side].turned = true;
	rs->counts.gaps += gap;
	if ((s->turned && s->over) || gap) {
		side_restart(s, 0);
		s->cut = gap;
	}
	s->turned = false;
	if (gap)
		nfac_cursor_init(&s->cursor);
	/* bytes that waited belong to an earlier packet, whose place is not kept */
	rs->packet_at = s->origin + s->length;
	if (bytes >= rs->payload->bytes && bytes <= rs->payload->bytes + rs->payload->captured)
		rs->packet_at -= bytes - rs->payload->bytes;
	while (length) {
		if (s->length == WINDOW_BYTES) {
			evaluate_side(rs, c, rs->side, c->app == NFAC_APP_ANY);
			side_restart(s, WINDOW_OVERLAP);
			s->cut = true;
		}
		piece = WINDOW_BYTES - s->length;
		piece = length < piece ? length : piece;
		before = s->length;
		anchors = s->pending ? s->pending->count : 0;
		read_bytes(rs, s, bytes, piece);
		if (!side_append(s, bytes, piece))
			return;
		rs->evaluated = false;
		bytes += piece;
		length -= piece;
		/* rules about packets hold in this one, or not at all */
		if (s->pending && (s->pending->count != anchors || s->length < 4096 ||
				   s->length - before > before / GROWTH))
			evaluate_side(rs, c, rs->side, false);
	}
}

/* One packet by itself: UDP, ICMP, or TCP where streams are not followed. */
static uint64_t scan_alone(struct rule_scan *rs)
{
	const struct payload *p = rs->payload;
	struct nfac_window window;
	struct nfac_scan *scan = &rs->scan;
	uint32_t header = 0, i = 0, turn;

	window_begin(&window, rs);
	if (p->protocol == IPPROTO_ICMP || p->protocol == IPPROTO_ICMPV6) {
		if (p->captured < ICMP_HEADER)
			return 0;
		header = ICMP_HEADER;
		payload_field(&window, NFAC_FIELD_ICMP_TYPE, p->bytes[0]);
		payload_field(&window, NFAC_FIELD_ICMP_CODE, p->bytes[1]);
		payload_field(&window, NFAC_FIELD_ICMP_ID, payload_get16(p->bytes + 4));
		payload_field(&window, NFAC_FIELD_ICMP_SEQ, payload_get16(p->bytes + 6));
	}
	window.bytes = p->bytes + header;
	window.length = p->captured - header;
	window.whole = true;
	window.packet = window.bytes;
	window.packet_length = window.length;
	nfac_pending_init(&rs->packet_pending);
	nfac_scan_init(scan, rs->automaton, on_pattern);
	scan->pending = &rs->packet_pending;
	scan->protocol = p->protocol;
	scan->sport = p->sport;
	scan->dport = p->dport;
	rs->origin = 0;
	rs->packet_at = 0;
	nfac_scan_text(scan, nfac_rules_match_memory(rs->scratch), p->bytes, p->captured, rs->path);
	rs->counts.overflow += rs->packet_pending.overflow;
	nfac_rules_begin(rs->scratch, &window, nfac_rules_budget(window.length));
	nfac_scan_buffers(scan, rs->scratch, 0);
	if (!rs->packet_pending.count)
		return p->captured;
	if (rs->connection && rs->connection->app == NFAC_APP_ANY)
		rs->connection->app = nfac_rules_app(&window);
	for (turn = 0; nfac_scan_next(scan, &i, &turn); i++)
		evaluate(rs, &rs->packet_pending, i, 0, true);
	return p->captured;
}

/* The first data of this side behind those of the other one, @other. */
static void turn(struct rule_scan *rs, struct connection *c, unsigned int other)
{
	struct side *s = &c->sides[other];

	/* an answer says what the request before it is, even of an unknown method */
	if (c->app == NFAC_APP_ANY && begins_http(rs->payload->bytes, rs->payload->captured))
		c->app = NFAC_APP_HTTP;
	s->over = side_is_over(rs, c, other);
	if (s->pending)
		evaluate_side(rs, c, other, s->over);
}

/* A TCP segment: into its place; then the other side's message is complete. */
static uint64_t scan_segment(struct rule_scan *rs)
{
	const struct payload *p = rs->payload;
	struct connection *c = rs->connection;
	unsigned int side = rs->side;
	struct side *s = &c->sides[side];

	rs->evaluated = false;
	if (p->length) {
		if (!c->sides[!side].turned)
			turn(rs, c, !side);
		rs->connection = c;
		rs->side = side;
		s->packet = rs->packet;
		s->time_ns = rs->time_ns;
		side_feed(s, p->tcp_seq, p->bytes, p->captured, on_bytes, rs);
		if (p->tcp_flags & TCP_PSH && !rs->evaluated)
			evaluate_side(rs, c, side, false);
	}
	if (p->tcp_flags & (TCP_FIN | TCP_RST)) {
		s->ended = true;
		evaluate_side(rs, c, side, true);
		if (p->tcp_flags & TCP_RST)
			evaluate_side(rs, c, !side, true);
	}
	return p->captured;
}

uint64_t rule_scan_packet(struct rule_scan *rs, const struct payload *payload,
			  const struct capture_packet *packet)
{
	rs->packet = packet->number;
	rs->time_ns = packet->time_ns;
	rs->now = capture_seconds(packet);
	rs->payload = payload;
	/* finding it may make room: another connection is evaluated then */
	rs->sender = NULL;
	rs->sender = connections_find(rs->connections, payload, &rs->sending);
	rs->connection = rs->sender;
	rs->side = rs->sending;
	if (!rs->connection)
		return scan_alone(rs);
	if (payload->protocol != IPPROTO_TCP) {
		if (!rs->connection->client_known) {
			rs->connection->client_known = true;
			rs->connection->client = rs->side;
		}
		rs->connection->talked[rs->side] = true;
		return scan_alone(rs);
	}
	connection_handshake(rs->connection, rs->side, payload);
	if (!rs->streams) {
		rs->connection->talked[rs->side] |= payload->length > 0;
		return payload->length ? scan_alone(rs) : 0;
	}
	return scan_segment(rs);
}

/* No more bytes of a connection come, or it makes room: evaluate what waits for them. */
static void end_connection(void *context, struct connection *c)
{
	struct rule_scan *rs = context;
	unsigned int side;

	for (side = 0; side < 2; side++) {
		rs->connection = c;
		rs->side = side;
		while (c->sides[side].early)
			side_flush(&c->sides[side], on_bytes, rs);
		evaluate_side(rs, c, side, true);
	}
}

struct rule_scan *rule_scan_new(const struct nfac_automaton *automaton, enum nfac_path path,
				bool streams, rule_match_fn fn, void *context)
{
	struct rule_scan *rs = calloc(1, sizeof(*rs));

	if (!rs)
		goto no_memory;
	rs->automaton = automaton;
	rs->path = path;
	rs->streams = streams;
	rs->fn = fn;
	rs->context = context;
	if (getrandom(&rs->secret, sizeof(rs->secret), 0) != sizeof(rs->secret))
		goto no_memory;
	nfac_pending_key(&rs->packet_pending, rs->secret);
	rs->scratch = malloc(nfac_rules_scratch_bytes());
	rs->connections = connections_new();
	if (rs->scratch && rs->connections) {
		connections_on_forget(rs->connections, end_connection, rs);
		return rs;
	}
no_memory:
	rule_scan_free(rs);
	complain("out of memory");
	return NULL;
}

void rule_scan_confirm(struct rule_scan *rs, struct confirm *confirm)
{
	rs->confirm = confirm;
}

void rule_scan_watch(struct rule_scan *rs, rule_watch_fn fn)
{
	rs->watch = fn;
}

void rule_scan_end(struct rule_scan *rs)
{
	static const struct payload none;

	rs->payload = &none;
	rs->sender = NULL;
	connections_each(rs->connections, end_connection, rs);
	rs->payload = NULL;
}
