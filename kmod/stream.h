/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Streams: pass a packet's TCP segment to its flow.
 *
 * Called by hook.c; adds what the freestanding flow.h does not have: the checksum, conntrack's
 * view, the table, its locks, the counters.
 */
#ifndef _NFAC_STREAM_H
#define _NFAC_STREAM_H

#include "engine/stream/flow.h"
#include "flow_table.h"
#include "skb_scan.h"
#include "stats.h"

/**
 * struct nfac_stream - a segment, and where it is inspected
 *
 * On the hook's stack.
 *
 * @segment: for flow.h
 * @source: of its payload
 * @flows: the table
 * @payload: found in @source's skb
 * @stats: the attachment's
 * @bucket: where its direction can be, from nfac_stream_begin()
 * @hash: of its direction, likewise
 * @filled: @segment is filled in from the packet
 * @whole: then: the checksum is right
 * @odd: then: a receiver may discard it because of its TCP options
 */
struct nfac_stream {
	struct nfac_segment segment;
	struct nfac_source source;
	struct nfac_flows *flows;
	const struct nfac_payload *payload;
	struct nfac_stats __percpu *stats;
	struct nfac_flow_bucket *bucket;
	u64 hash;
	bool filled;
	bool whole;
	bool odd;
};

void nfac_stream_answer(struct nfac_stream *stream, u32 generation);
void nfac_stream_begin(struct nfac_stream *stream);
void nfac_stream_expect(const struct nfac_stream *stream);
void nfac_stream_scan(struct nfac_stream *stream, struct nfac_scan *scan, u32 generation);
void nfac_stream_bare(struct nfac_stream *stream, u32 generation);

#endif /* _NFAC_STREAM_H */
