/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Streams: a packet's TCP segment, brought to its flow. What the module's file of
 * this name does, for packets that came through a queue: the flows are the same file.
 */
#ifndef _NFAC_STREAM_H
#define _NFAC_STREAM_H

#include "../kmod/flow.h"
#include "payload.h"

/**
 * struct streams - a table of directions
 *
 * Owned by the one thread that inspects. Opaque.
 */
struct streams;

/* Where a packet's payload lies, and how to scan it. */
struct nfac_source {
	const uint8_t *bytes;
	uint32_t there;		/* bytes; a segment that was cut has more */
	enum nfac_path path;
};

/**
 * struct streams_counts - what streams count, as sysfs names it
 */
struct streams_counts {
	uint64_t retransmitted_bytes, flow_restarts, flow_evictions;
};

/**
 * streams_new() - a table with all its places, free
 * @places: directions that it holds, from 1; rounded up
 * @idle: seconds of silence after which a direction may be forgotten
 *
 * Return: the table; NULL after saying why.
 */
struct streams *streams_new(uint32_t places, uint32_t idle);
void streams_free(struct streams *streams);

/* Directions followed now; those that were closed are not among them. */
uint64_t streams_followed(const struct streams *streams);
const struct streams_counts *streams_counted(const struct streams *streams);

/**
 * stream_scan() - scan a segment's new bytes, from where its stream stands
 * @streams: the table
 * @payload: of a TCP segment, with its data or without
 * @whole: its checksum is right, or still to be computed
 * @seg: its source, attachment, policy and generation are filled in
 * @scan: initialised
 */
void stream_scan(struct streams *streams, const struct payload *payload, bool whole,
		 struct nfac_segment *seg, struct nfac_scan *scan);

#endif /* _NFAC_STREAM_H */
