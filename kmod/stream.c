// SPDX-License-Identifier: GPL-2.0
/*
 * Streams: a packet's TCP segment, brought to its flow.
 */

#include <linux/netfilter.h>

#include "stream.h"

static bool nfac_stream_checksum(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	struct sk_buff *skb = stream->source.skb;

	/* the common packet: the network card has looked, or it never left us */
	if (skb_csum_unnecessary(skb))
		return true;
	return !nf_checksum(skb, stream->hook, p->header, IPPROTO_TCP, p->family);
}

/* What flow.h asks of the packet. */
static void nfac_stream_segment(struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	struct nfac_segment *seg = &stream->segment;

	nfac_segment_init(seg);
	stream->source.at = p->from;
	seg->source = &stream->source;
	seg->seq = p->seq;
	seg->bytes = p->to - p->from;
	seg->urgent = p->urgent;
	seg->tcp_flags = p->tcp_flags;
	seg->clock = nfac_flows_clock();
}

static void nfac_stream_count(const struct nfac_stream *stream)
{
	const struct nfac_segment *seg = &stream->segment;

	if (seg->resent)
		nfac_stats_add(stream->stats, NFAC_COUNT_RETRANSMITTED_BYTES,
			       seg->resent);
	if (seg->restarted)
		nfac_stats_add(stream->stats, NFAC_COUNT_FLOW_RESTARTS, 1);
	if (seg->evicted)
		nfac_stats_add(stream->stats, NFAC_COUNT_FLOW_EVICTIONS, 1);
}

static u64 nfac_stream_hash(const struct nfac_stream *stream)
{
	return nfac_flow_hash(stream->flows, stream->source.skb, stream->payload,
			      stream->segment.attachment);
}

static void nfac_stream_turn(struct nfac_stream *stream, u64 hash)
{
	struct nfac_flow_bucket *bucket = nfac_flow_bucket(stream->flows, hash);

	spin_lock_bh(&bucket->lock);
	nfac_flow_bare(bucket, hash, &stream->segment);
	spin_unlock_bh(&bucket->lock);
}

/**
 * nfac_stream_scan() - scan a segment's new bytes, from where its stream stands
 * @stream: filled in, of @stream->segment its attachment, policy and generation; the
 *	payload is not empty
 * @scan: initialised
 *
 * Context: softirq or process, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_scan(struct nfac_stream *stream, struct nfac_scan *scan)
{
	struct nfac_segment *seg = &stream->segment;
	struct nfac_flow_bucket *bucket;
	u64 hash;

	nfac_stream_segment(stream);
	hash = nfac_stream_hash(stream);
	/* on its way while the checksum is looked at */
	bucket = nfac_flow_bucket(stream->flows, hash);
	if (unlikely(!nfac_stream_checksum(stream))) {
		nfac_flow_alone(seg, scan);
		return;
	}
	if (unlikely(!nfac_segment_sound(seg))) {
		nfac_flow_alone(seg, scan);
		if (nfac_segment_turns(seg))
			nfac_stream_turn(stream, hash);
		return;
	}

	spin_lock_bh(&bucket->lock);
	nfac_flow_data(bucket, hash, seg, scan);
	spin_unlock_bh(&bucket->lock);
	if (unlikely(seg->alone))
		nfac_flow_alone(seg, scan);
	nfac_stream_count(stream);
}

/**
 * nfac_stream_bare() - take note of a segment that has no data
 * @stream: as for nfac_stream_scan()
 *
 * Context: softirq or process, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_bare(struct nfac_stream *stream)
{
	nfac_stream_segment(stream);
	if (!nfac_segment_turns(&stream->segment) || !nfac_stream_checksum(stream))
		return;
	nfac_stream_turn(stream, nfac_stream_hash(stream));
	nfac_stream_count(stream);
}
