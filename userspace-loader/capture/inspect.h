/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inspection in user space: what the module's hook does, for packets from a queue. Same
 * selection, same counters, same events.
 */
#ifndef _NFAC_INSPECT_H
#define _NFAC_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/nfac.h>

#include "stream.h"

struct confirm;
struct pattern_texts;
struct payload;
struct threshold_config;

/**
 * struct inspect_packet - a packet from a queue
 * @bytes: from the IP header on
 * @there: bytes of @bytes
 * @sent: bytes of the packet, @there or more
 * @offload: a GSO packet, to be segmented later
 * @unready: its checksum is still to be computed
 * @unchecked: its checksum was not verified, according to the kernel
 * @mark: its mark
 * @in: index of the incoming interface, 0: none
 * @out: of the outgoing one
 * @hook: enum nfac_hook
 * @direction: enum nfac_direction: of its connection, if the queue knows that
 * @established: the other side has answered: 1, 0, or -1: not known
 */
struct inspect_packet {
	const uint8_t *bytes;
	size_t there, sent;
	bool offload, unready, unchecked;
	uint32_t mark;
	uint32_t in, out;
	uint8_t hook, direction;
	int8_t established;
};

/* A match that waits for the packet's verdict; as struct nfac_event. */
struct inspect_hit {
	int64_t offset, stream_offset;
	uint32_t pattern, length, flags;
};

/**
 * struct inspector - one set, and what to do with its matches
 *
 * Owned by the one thread that inspects.
 *
 * @automaton: of the set; the caller that replaces it increments @generation
 * @generation: of the set, from 1; with a new one streams are scanned anew
 * @path: how to scan
 * @want: selection and action; its id goes into events, its name is the set's
 * @streams: with NFAC_ATTACH_STREAM in @want's flags, else NULL
 * @found: called for each match with NFAC_ATTACH_REPORT in @want's flags; @payload is its packet's,
 *	and valid for the call
 * @context: for @found
 * @pending: rules whose anchors matched in the packet
 * @confirm: checks conditions of rules that the kernel cannot, or NULL
 * @limits: rules that are suppressed or reported seldom, or NULL
 * @texts: of the set's patterns, for @limits
 * @scratch: of the rules' interpreter, allocated with inspector_init(); as @copy, which takes a
 *	window and the segment behind it
 * @hit: matches of the packet, to report them after its verdict
 * @hits: of @hit
 * @number: of the last packet that was inspected, for events
 * @packets: counters, named as in sysfs
 */
struct inspector {
	const struct nfac_automaton *automaton;
	uint32_t generation;
	enum nfac_path path;
	struct nfac_ioc_attach want;
	struct streams *streams;
	void (*found)(void *context, const struct nfac_event *event,
		      const struct payload *payload);
	void *context;
	struct nfac_pending pending;
	struct confirm *confirm;
	struct threshold_config *limits;
	struct pattern_texts *texts;
	struct nfac_rules_scratch *scratch;
	uint8_t *copy;
	struct inspect_hit hit[NFAC_MATCHES_MAX];
	uint32_t hits;
	uint64_t number;
	uint64_t packets, bytes, matches, matched_packets, dropped_packets;
	uint64_t skipped[NFAC_SKIP_MAX];
};

/**
 * struct verdict - what to do with a packet
 * @drop: drop it
 * @matched: set marks
 * @candidate: set the packet's mark alone
 * @mark: its new mark
 */
struct verdict {
	bool drop, matched, candidate;
	uint32_t mark;
};

/* Memory for rules. Return: 0; -1 after saying why. */
int inspector_init(struct inspector *inspector);
void inspector_free(struct inspector *inspector);

struct verdict inspect(struct inspector *inspector, const struct inspect_packet *packet);

#endif /* _NFAC_INSPECT_H */
