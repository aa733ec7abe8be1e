// SPDX-License-Identifier: GPL-2.0
/*
 * Connections of a capture: which end is the client, and each side's bytes in order.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/message.h"
#include "connections.h"
#include "siphash.h"

/* GCC 12's analyzer loses sight of a pointer that is stored in the middle of a list. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

#define BUCKETS		16384u

#define TCP_FIN		0x01
#define TCP_SYN		0x02
#define TCP_RST		0x04
#define TCP_ACK		0x10

/* A segment that waits for the bytes before it. */
struct early {
	struct early *next;
	uint32_t seq;
	size_t length;
	uint8_t bytes[];
};

/*
 * @buckets: chains of connections with one hash
 * @oldest: the one silent for longest; @newest: the one seen last
 */
struct connections {
	struct connection *buckets[BUCKETS];
	struct connection *oldest, *newest;
	size_t count;
	uint64_t secret[2];
	void (*forget)(void *context, struct connection *c);
	void *context;
	bool out_of_memory;
};

struct connections *connections_new(void)
{
	struct connections *table = calloc(1, sizeof(*table));

	if (!table || getrandom(table->secret, sizeof(table->secret), 0) < 0) {
		free(table);
		complain("out of memory");
		return NULL;
	}
	return table;
}

/* Sequence numbers are compared over half their range. */
static bool before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static void side_free(struct side *side)
{
	struct early *e, *next;

	for (e = side->early; e; e = next) {
		next = e->next;
		free(e);
	}
	free(side->bytes);
	free(side->pending);
}

static void unlink_age(struct connections *table, struct connection *c)
{
	*(c->older ? &c->older->newer : &table->oldest) = c->newer;
	*(c->newer ? &c->newer->older : &table->newest) = c->older;
}

static void link_newest(struct connections *table, struct connection *c)
{
	c->older = table->newest;
	c->newer = NULL;
	*(c->older ? &c->older->newer : &table->oldest) = c;
	table->newest = c;
}

static struct connection **bucket_of(struct connections *table, const uint64_t key[5])
{
	return &table->buckets[siphash(key, 5, table->secret) % BUCKETS];
}

static void forget(struct connections *table, struct connection *c)
{
	struct connection **at = bucket_of(table, c->key);

	if (table->forget)
		table->forget(table->context, c);
	while (*at != c)
		at = &(*at)->chain;
	*at = c->chain;
	unlink_age(table, c);
	side_free(&c->sides[0]);
	side_free(&c->sides[1]);
	free(c);
	table->count--;
}

void connections_free(struct connections *table)
{
	if (!table)
		return;
	table->forget = NULL;
	while (table->oldest)
		forget(table, table->oldest);
	free(table);
}

void connections_on_forget(struct connections *table,
			   void (*fn)(void *context, struct connection *c), void *context)
{
	table->forget = fn;
	table->context = context;
}

void connections_each(struct connections *table, void (*fn)(void *context, struct connection *c),
		      void *context)
{
	struct connection *c, *next;

	for (c = table->oldest; c; c = next) {
		next = c->newer;
		fn(context, c);
	}
}

/* The key of both directions. Return: the sender's side. */
static unsigned int key_of(const struct payload *p, uint64_t key[5])
{
	int order = memcmp(p->saddr, p->daddr, sizeof(p->saddr));
	unsigned int side = order ? order > 0 : p->sport > p->dport;

	memcpy(key, side ? p->daddr : p->saddr, 16);
	memcpy(key + 2, side ? p->saddr : p->daddr, 16);
	key[4] = (uint64_t)p->family << 48 | (uint64_t)p->protocol << 32 |
		 (uint32_t)(side ? p->dport : p->sport) << 16 | (side ? p->sport : p->dport);
	return side;
}

struct connection *connections_find(struct connections *table, const struct payload *payload,
				    unsigned int *side)
{
	struct connection **bucket, *c;
	uint64_t key[5];

	*side = key_of(payload, key);
	bucket = bucket_of(table, key);
	for (c = *bucket; c && memcmp(c->key, key, sizeof(key)); c = c->chain)
		;
	if (c) {
		unlink_age(table, c);
		link_newest(table, c);
		return c;
	}
	if (table->count == CONNECTIONS_MAX)
		forget(table, table->oldest);
	c = calloc(1, sizeof(*c));
	if (!c) {
		if (!table->out_of_memory)
			complain("out of memory: not all connections are followed");
		table->out_of_memory = true;
		return NULL;
	}
	memcpy(c->key, key, sizeof(key));
	c->chain = *bucket;
	*bucket = c;
	link_newest(table, c);
	table->count++;
	return c;
}

/* A SYN opens the connection anew: neither side's bytes continue those before it. */
static void reopen(struct connection *c)
{
	side_free(&c->sides[0]);
	side_free(&c->sides[1]);
	memset(c->sides, 0, sizeof(c->sides));
	c->syn = false;
	c->syn_ack = false;
	c->established = false;
	c->client_known = false;
	c->talked[0] = false;
	c->talked[1] = false;
	c->app = NFAC_APP_ANY;
	c->flowbits = (struct nfac_flowbits) { 0 };
}

static void place(struct side *side, uint32_t next)
{
	side->next = next;
	side->synced = true;
}

void connection_handshake(struct connection *c, unsigned int side, const struct payload *payload)
{
	uint8_t flags = payload->tcp_flags;
	struct side *s = &c->sides[side];

	if (flags & TCP_SYN && !(flags & TCP_ACK)) {
		/* the same SYN again changes nothing */
		if (c->syn && s->synced && s->next == payload->tcp_seq && !s->length)
			return;
		if (c->syn || s->synced)
			reopen(c);
		c->client = side;
		c->client_known = true;
		c->syn = true;
		place(s, payload->tcp_seq);
	} else if (flags & TCP_SYN) {
		if (s->synced)
			return;
		c->client = !side;
		c->client_known = true;
		c->syn_ack = true;
		place(s, payload->tcp_seq);
	} else {
		if (!c->client_known) {
			c->client = side;
			c->client_known = true;
		}
		if (flags & TCP_ACK && c->syn_ack && side == c->client)
			c->established = true;
	}
	if (flags & TCP_RST) {
		c->sides[0].ended = true;
		c->sides[1].ended = true;
	}
}

bool side_append(struct side *side, const uint8_t *bytes, size_t length)
{
	size_t room = side->room ? side->room : 2048;
	uint8_t *more;

	while (room < side->length + length)
		room *= 2;
	if (room != side->room) {
		more = realloc(side->bytes, room);
		if (!more)
			return false;
		side->bytes = more;
		side->room = room;
	}
	memcpy(side->bytes + side->length, bytes, length);
	side->length += length;
	return true;
}

void side_restart(struct side *side, size_t keep)
{
	if (keep > side->length)
		keep = side->length;
	side->origin += side->length - keep;
	if (keep)
		memmove(side->bytes, side->bytes + side->length - keep, keep);
	side->length = keep;
	if (side->pending)
		nfac_pending_init(side->pending);
	memset(side->done, 0, sizeof(side->done));
}

/* Keep a copy of a segment until the bytes before it have come. */
static bool keep_early(struct side *side, uint32_t seq, const uint8_t *bytes, size_t length)
{
	struct early *last = NULL, *next = side->early, *e;

	for (; next && before(next->seq, seq); next = next->next)
		last = next;
	if (next && next->seq == seq && next->length >= length)
		return false;
	e = malloc(sizeof(*e) + length);
	if (!e)
		return false;
	e->next = next;
	e->seq = seq;
	e->length = length;
	memcpy(e->bytes, bytes, length);
	side->early_bytes += length;
	if (last)
		last->next = e;
	else
		side->early = e;
	return true;
}

/* Pass on what of a segment at or before the place is new. */
static bool pass_on(struct side *side, uint32_t seq, const uint8_t *bytes, size_t length, bool gap,
		    void (*fn)(void *context, const uint8_t *bytes, size_t length, bool gap),
		    void *context)
{
	uint32_t old = side->next - seq;

	if (old >= length)
		return false;
	side->next += length - old;
	fn(context, bytes + old, length - old, gap);
	return true;
}

/* Pass on the segments that no longer wait. */
static void pass_early(struct side *side,
		       void (*fn)(void *context, const uint8_t *bytes, size_t length, bool gap),
		       void *context)
{
	struct early *e;

	while (side->early && !before(side->next, side->early->seq)) {
		e = side->early;
		side->early = e->next;
		side->early_bytes -= e->length;
		pass_on(side, e->seq, e->bytes, e->length, false, fn, context);
		free(e);
	}
}

void side_flush(struct side *side,
		void (*fn)(void *context, const uint8_t *bytes, size_t length, bool gap),
		void *context)
{
	struct early *e = side->early;

	if (!e)
		return;
	side->early = e->next;
	side->early_bytes -= e->length;
	side->next = e->seq;
	pass_on(side, e->seq, e->bytes, e->length, true, fn, context);
	free(e);
	pass_early(side, fn, context);
}

bool side_feed(struct side *side, uint32_t seq, const uint8_t *bytes, size_t length,
	       void (*fn)(void *context, const uint8_t *bytes, size_t length, bool gap),
	       void *context)
{
	bool new;

	if (!side->synced) {
		side->next = seq;
		side->synced = true;
	}
	if (before(side->next, seq)) {
		new = keep_early(side, seq, bytes, length);
		while (side->early_bytes > EARLY_BYTES)
			side_flush(side, fn, context);
		return new;
	}
	new = pass_on(side, seq, bytes, length, false, fn, context);
	pass_early(side, fn, context);
	return new;
}
