/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Streams: passes a packet's TCP segment to its flow. What the module's stream.c does, for
 * packets from a queue; flow.c is the same file.
 */
#ifndef _NFAC_STREAM_H
#define _NFAC_STREAM_H

#include "../../kmod/engine/stream/flow.h"
#include "payload.h"

/**
 * struct streams - a table of directions
 *
 * Owned by the one thread that inspects. Opaque.
 */
struct streams;

/* Where a packet's payload is, and how to scan it. */
struct nfac_source {
	const uint8_t *bytes;
	uint32_t there;		/* bytes; less than the segment has if it was truncated */
	enum nfac_path path;
};

/**
 * streams_new() - allocate a table, all of whose places are free
 * @places: directions that it can follow, from 1; rounded up
 * @idle: seconds of silence after which a direction may be forgotten
 *
 * Return: the table; NULL after saying why.
 */
struct streams *streams_new(uint32_t places, uint32_t idle);
void streams_free(struct streams *streams);

/* Give each place a window of @room bytes, for a set with rules. Return: 0; -1 after saying why. */
int streams_windows(struct streams *streams, uint32_t room);

/* A counter: its name in sysfs and its value. */
struct stream_count {
	const char *name;
	uint64_t value;
};

#define STREAM_COUNTS	4

/* The counters, and the number of directions that are followed, without those that were closed. */
void streams_counts(const struct streams *streams, struct stream_count counts[STREAM_COUNTS]);

/**
 * stream_answer() - let the other direction learn from a segment that is not selected itself
 * @streams: the table
 * @payload: of a TCP segment
 * @whole: its checksum is right, or still to be computed
 * @seg: as for stream_scan()
 */
void stream_answer(struct streams *streams, const struct payload *payload, bool whole,
		   struct nfac_segment *seg);

/**
 * stream_scan() - scan a segment's new bytes, where its stream left off
 * @streams: the table
 * @payload: of a TCP segment, with data or without
 * @whole: its checksum is right, or still to be computed
 * @seg: its source, attachment, policy, generation, clock.now and confirm are filled in
 * @scan: initialised
 */
void stream_scan(struct streams *streams, const struct payload *payload, bool whole,
		 struct nfac_segment *seg, struct nfac_scan *scan);

#endif /* _NFAC_STREAM_H */
