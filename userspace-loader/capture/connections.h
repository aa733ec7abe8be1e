/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections of a capture: which end is the client, and each side's bytes in order.
 *
 * `nfac scan` reassembles, because a capture can be read again and memory is at hand; the module
 * does not. Each side has a window: the bytes since the other side last sent data, which for
 * most protocols is one message. The rules' programs are evaluated over it (rule_scan.c).
 *
 * Segments that arrive early wait, within a bound, until the bytes before them have come. Of bytes
 * that arrive twice the first copy counts.
 */
#ifndef _NFAC_CONNECTIONS_H
#define _NFAC_CONNECTIONS_H

#include "../../kmod/engine/scan.h"
#include "payload.h"

/* Bytes of a window: the largest that nfac_rules_begin() takes. */
#define WINDOW_BYTES	65535u

/* A full window begins again with its last bytes, as many as a piece of Suricata's raw streams. */
#define WINDOW_OVERLAP	2560u

/* A window of no known protocol begins again behind these bytes, when the other side has sent. */
#define RAW_BYTES	2560u

/* Early segments that wait in one direction, bytes; behind that the gap is given up. */
#define EARLY_BYTES	(1u << 20)

/* Connections followed at once; the one that was silent for longest makes room. */
#define CONNECTIONS_MAX	65536u

struct early;

/**
 * struct side - one direction of a connection
 * @bytes: the window, of @room bytes
 * @length: bytes in the window
 * @origin: offset in the stream of its first byte
 * @next: sequence number of the next byte in order; valid with @synced
 * @synced: the direction's place is known
 * @ended: no bytes follow: FIN or RST
 * @turned: the other side sent data since
 * @over: then: its messages have ended, and the next byte begins a new window
 * @cut: the window begins within a message
 * @packet: number in the capture of the packet whose bytes came last; @time_ns: its time
 * @early: segments that wait, in order of sequence numbers
 * @early_bytes: of @early
 * @cursor: of the automaton, behind the window's last byte
 * @pending: programs whose anchors are in the window; NULL until there is one
 * @done: a bit for each of @pending that holds or can no longer hold
 */
struct side {
	uint8_t *bytes;
	size_t length, room;
	uint64_t origin;
	uint32_t next;
	bool synced, ended, turned, over, cut;
	uint64_t packet;
	int64_t time_ns;
	struct early *early;
	size_t early_bytes;
	struct nfac_cursor cursor;
	struct nfac_pending *pending;
	uint64_t done[NFAC_PENDING_MAX / 64];
};

/**
 * struct connection - both directions between two ends
 *
 * Owned by its table.
 *
 * @key: addresses and ports, the lower end first
 * @sides: [0] from the lower end, [1] from the higher
 * @client: the side that opened the connection
 * @syn: the client sent a SYN; @syn_ack: and its answer
 * @established: the client has acknowledged the answer, or both sides have sent data
 * @app: enum nfac_app
 * @flowbits: set by rules
 */
struct connection {
	struct connection *chain, *older, *newer;
	uint64_t key[5];
	struct side sides[2];
	uint8_t client;
	bool client_known, syn, syn_ack, established;
	bool talked[2];
	uint8_t app;
	struct nfac_flowbits flowbits;
};

struct connections;

/* Return: the table; NULL after saying why. */
struct connections *connections_new(void);

/* Free the table and its connections. */
void connections_free(struct connections *table);

/**
 * connections_find() - the connection of a packet; made where there is none
 * @side: set to the index of the packet's sender
 *
 * Return: NULL without memory, after saying so once.
 */
struct connection *connections_find(struct connections *table, const struct payload *payload,
				    unsigned int *side);

/* Follow the handshake, from a TCP segment's flags. */
void connection_handshake(struct connection *c, unsigned int side, const struct payload *payload);

/* Calls @fn for each connection, the one silent for longest first. */
void connections_each(struct connections *table, void (*fn)(void *context, struct connection *c),
		      void *context);

/* Called before a connection is forgotten to make room. */
void connections_on_forget(struct connections *table,
			   void (*fn)(void *context, struct connection *c), void *context);

/**
 * side_feed() - put a segment into its place
 * @fn: called for each piece of bytes that is next in order; @gap bytes are missing before it
 *
 * Return: the bytes are in order or wait; false: none of them is new.
 */
bool side_feed(struct side *side, uint32_t seq, const uint8_t *bytes, size_t length,
	       void (*fn)(void *context, const uint8_t *bytes, size_t length, bool gap),
	       void *context);

/* Give up the gap before the segments that wait. */
void side_flush(struct side *side,
		void (*fn)(void *context, const uint8_t *bytes, size_t length, bool gap),
		void *context);

/* Append bytes to the window, which has room for them: at most WINDOW_BYTES - side->length. */
bool side_append(struct side *side, const uint8_t *bytes, size_t length);

/* Begin a new window with the last @keep bytes. */
void side_restart(struct side *side, size_t keep);

#endif /* _NFAC_CONNECTIONS_H */
