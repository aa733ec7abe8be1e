// SPDX-License-Identifier: GPL-2.0
/*
 * Streams in user space: the flow table, its hash and its lookups around
 * kmod/engine/stream/flow.c.
 *
 * inspect.c and capture_stream.c call stream_scan() for each segment. The module's stream.c and
 * flow_table.c do the same for an skb. One thread uses a table, so it has no locks.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../kmod/engine/header_options.h"
#include "common/message.h"
#include "siphash.h"
#include "stream.h"

struct streams {
	struct nfac_flow_bucket *bucket;
	uint32_t count;
	uint16_t idle;
	uint64_t secret[2];
	uint8_t *windows;
	uint64_t retransmitted_bytes, flow_restarts, flow_evictions;
};

u32 nfac_scan_source(struct nfac_scan *scan, const struct nfac_source *source, u32 from, u32 to)
{
	struct nfac_match_memory memory;
	u32 end = to < source->there ? to : source->there;

	if (from > end)
		return 0;
	if (!nfac_scan_over(scan))
		nfac_scan_text(scan, &memory, source->bytes + from, end - from, source->path);
	return end - from;
}

const u8 *nfac_source_bytes(const struct nfac_source *source, u32 from, u32 to, u8 *copy)
{
	(void)copy;
	return to <= source->there ? source->bytes + from : NULL;
}

struct streams *streams_new(uint32_t places, uint32_t idle)
{
	struct streams *s = calloc(1, sizeof(*s));

	if (!s)
		goto err_memory;
	s->count = (places + NFAC_FLOW_SLOTS - 1) / NFAC_FLOW_SLOTS;
	s->idle = idle < NFAC_FLOW_IDLE_MAX ? idle : NFAC_FLOW_IDLE_MAX;
	s->bucket = aligned_alloc(_Alignof(struct nfac_flow_bucket),
				  s->count * sizeof(*s->bucket));
	if (!s->bucket)
		goto err_memory;
	/* touched now, so that no packet allocates, as in the module */
	memset(s->bucket, 0, s->count * sizeof(*s->bucket));
	if (getrandom(s->secret, sizeof(s->secret), 0) == sizeof(s->secret))
		return s;
	complain("no random numbers for the table of streams: %s", strerror(errno));
	streams_free(s);
	return NULL;

err_memory:
	complain("out of memory for a table of %u streams", places);
	streams_free(s);
	return NULL;
}

int streams_windows(struct streams *streams, uint32_t room)
{
	const size_t bytes = (sizeof(struct nfac_flow_window) + room + 7) / 8 * 8;
	size_t i, places = (size_t)streams->count * NFAC_FLOW_SLOTS;

	if (streams->windows || !room)
		return 0;
	streams->windows = calloc(places, bytes);
	if (!streams->windows)
		return complain("out of memory for the windows of %zu streams", places);
	for (i = 0; i < places; i++) {
		struct nfac_flow_window *window = (void *)(streams->windows + i * bytes);

		window->room = room;
		streams->bucket[i / NFAC_FLOW_SLOTS].flow[i % NFAC_FLOW_SLOTS].window = window;
	}
	return 0;
}

void streams_free(struct streams *streams)
{
	if (!streams)
		return;
	free(streams->windows);
	free(streams->bucket);
	free(streams);
}

static uint64_t followed(const struct streams *streams)
{
	uint64_t n = 0;
	uint32_t i, j;

	for (i = 0; i < streams->count; i++)
		for (j = 0; j < NFAC_FLOW_SLOTS; j++)
			n += streams->bucket[i].tag[j] &&
			     !(streams->bucket[i].flow[j].flags & NFAC_FLOW_ENDED);
	return n;
}

void streams_counts(const struct streams *s, struct stream_count counts[STREAM_COUNTS])
{
	counts[0] = (struct stream_count) { "retransmitted_bytes", s->retransmitted_bytes };
	counts[1] = (struct stream_count) { "flow_restarts", s->flow_restarts };
	counts[2] = (struct stream_count) { "flow_evictions", s->flow_evictions };
	counts[3] = (struct stream_count) { "flows", followed(s) };
}

/*
 * Identifies a direction, as in the module: addresses, ports, attachment; @back: the other
 * one of its connection.
 */
static uint64_t hash_of(const struct streams *streams, const struct payload *payload,
			uint32_t attachment, bool back)
{
	uint16_t from = back ? payload->dport : payload->sport;
	uint16_t to = back ? payload->sport : payload->dport;
	uint64_t words[6];

	memcpy(words, back ? payload->daddr : payload->saddr, 16);
	memcpy(words + 2, back ? payload->saddr : payload->daddr, 16);
	words[4] = (uint64_t)attachment << 32 | (uint32_t)from << 16 | to;
	/* 192.0.2.1 is not c000:201:: */
	words[5] = payload->family;
	return siphash(words, 6, streams->secret);
}

/* The client's IPv4 address, or its IPv6 network, on which one client has all addresses. */
static uint32_t client(const struct payload *payload)
{
	const uint8_t answer = NFAC_TCP_SYN | NFAC_TCP_ACK;
	bool back = (payload->tcp_flags & answer) == answer;
	uint32_t words[2] = { 0 };

	memcpy(words, back ? payload->daddr : payload->saddr, sizeof(words));
	return words[0] ^ words[1];
}

static void fill(const struct streams *streams, const struct payload *payload,
		 struct nfac_segment *seg)
{
	nfac_segment_init(seg);
	seg->seq = payload->tcp_seq;
	seg->bytes = payload->length;
	seg->urgent = payload->tcp_urgent;
	seg->tcp_flags = payload->tcp_flags;
	seg->ack = payload->tcp_ack;
	seg->window = payload->tcp_window;
	seg->client = client(payload);
	seg->scale = NFAC_SCALE_NONE;
	if (payload->tcp && (seg->tcp_flags & NFAC_TCP_SYN)) {
		const uint8_t *options = payload->tcp + sizeof(struct tcphdr);

		seg->scale = nfac_tcp_scale(options, payload->bytes - options, NFAC_SCALE_NONE);
	}
	seg->clock.idle = streams->idle * 1000u;
	seg->clock.second = 1000;
}

/* May a receiver discard the segment though its checksum is right, @whole? Reads its timestamps. */
static bool ambiguous(const struct payload *payload, bool whole, struct nfac_segment *seg)
{
	const uint8_t *options;

	seg->stamps.there = false;
	if (payload->ambiguous || !whole)
		return payload->ambiguous;
	if (nfac_flags_ambiguous(payload->tcp_flags))
		return true;
	if (!payload->tcp)
		return false;
	options = payload->tcp + sizeof(struct tcphdr);
	return nfac_tcp_options(options, payload->bytes - options, &seg->stamps);
}

/* Let the other direction learn from the segment, which receivers take. */
static void answer(struct streams *streams, const struct payload *payload,
		   struct nfac_segment *seg)
{
	uint64_t hash;

	if (!nfac_segment_answers(seg))
		return;
	hash = hash_of(streams, payload, seg->attachment, true);
	nfac_flow_answer(&streams->bucket[nfac_flow_bucket_of(hash, streams->count)], hash, seg);
	streams->flow_restarts += seg->restarted;
	seg->restarted = false;
}

void stream_answer(struct streams *streams, const struct payload *payload, bool whole,
		   struct nfac_segment *seg)
{
	fill(streams, payload, seg);
	if (whole && !ambiguous(payload, whole, seg))
		answer(streams, payload, seg);
}

static void control(struct streams *streams, const struct payload *payload,
		    struct nfac_flow_bucket *bucket, uint64_t hash, struct nfac_segment *seg)
{
	nfac_flow_control(bucket, hash, seg);
	if (!seg->resets)
		return;
	hash = hash_of(streams, payload, seg->attachment, true);
	nfac_flow_reset(&streams->bucket[nfac_flow_bucket_of(hash, streams->count)], hash, seg);
}

static void data(struct streams *streams, const struct payload *payload,
		 struct nfac_flow_bucket *bucket, uint64_t hash, struct nfac_segment *seg,
		 struct nfac_scan *scan)
{
	nfac_flow_data(bucket, hash, seg, scan);
	if (seg->deferred.there) {
		nfac_flow_rest(seg, scan);
		nfac_flow_commit(bucket, hash, seg, scan);
	}
	if (!seg->bits_changed)
		return;
	hash = hash_of(streams, payload, seg->attachment, true);
	nfac_flow_share(&streams->bucket[nfac_flow_bucket_of(hash, streams->count)], hash, seg);
}

void stream_scan(struct streams *streams, const struct payload *payload, bool whole,
		 struct nfac_segment *seg, struct nfac_scan *scan)
{
	struct nfac_flow_bucket *bucket;
	uint64_t hash;

	fill(streams, payload, seg);
	hash = hash_of(streams, payload, seg->attachment, false);
	bucket = &streams->bucket[nfac_flow_bucket_of(hash, streams->count)];
	if (ambiguous(payload, whole, seg)) {
		if (seg->bytes)
			nfac_flow_ambiguous(seg, scan);
		nfac_flow_stray(bucket, hash, seg);
		return;
	}
	if (whole)
		answer(streams, payload, seg);
	if (seg->bytes && whole && nfac_segment_acceptable(seg))
		data(streams, payload, bucket, hash, seg, scan);
	else if (seg->bytes)
		seg->alone = true;
	if (seg->alone)
		nfac_flow_standalone(seg, scan);
	/* a segment that may be dropped ends nothing */
	if (whole && !scan->matches && !seg->unseen &&
	    (!seg->bytes || (nfac_segment_controls(seg) && !nfac_segment_acceptable(seg))))
		control(streams, payload, bucket, hash, seg);
	streams->retransmitted_bytes += seg->resent;
	streams->flow_restarts += seg->restarted;
	streams->flow_evictions += seg->evicted;
}
