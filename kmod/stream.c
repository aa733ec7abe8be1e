// SPDX-License-Identifier: GPL-2.0
/*
 * Streams: a packet's TCP segment, brought to its flow.
 */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <net/ip6_checksum.h>
#include <net/tcp.h>

#include "compat.h"
#include "engine/header_options.h"
#include "stream.h"

/*
 * Of the payload, bytes that are fetched together with its direction's place: what the matcher
 * reads before the processor sees where it is going.
 */
#define NFAC_STREAM_AHEAD	512u

/* The checksum of the segment, and of the addresses, whose own sum is @sum. */
static __sum16 nfac_stream_sum(const struct nfac_stream *stream, __wsum sum)
{
	const struct nfac_payload *p = stream->payload;
	const struct sk_buff *skb = stream->source.skb;
	u32 len = p->to - p->header;

	if (p->family == AF_INET6)
		return csum_ipv6_magic(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr, len,
				       IPPROTO_TCP, sum);
	return csum_tcpudp_magic(ip_hdr(skb)->saddr, ip_hdr(skb)->daddr, len, IPPROTO_TCP, sum);
}

/*
 * The checksum is still to be made. It becomes right if it is asked for at its place, and
 * what is there now is the addresses' sum: a guest may say otherwise.
 */
static bool nfac_stream_partial(const struct nfac_stream *stream)
{
	const struct sk_buff *skb = stream->source.skb;
	u32 at = stream->payload->header + offsetof(struct tcphdr, check);
	const __sum16 *check;
	__sum16 buf;
	u16 sum;

	if (skb_checksum_start_offset(skb) != stream->payload->header ||
	    skb->csum_offset != offsetof(struct tcphdr, check))
		return false;
	check = skb_header_pointer(skb, at, sizeof(buf), &buf);
	if (!check)
		return false;
	/* one's complement has two zeros, and NAT may have made the other one */
	sum = ~(__force u16)nfac_stream_sum(stream, 0);
	return (__force u16)*check % U16_MAX == sum % U16_MAX;
}

/*
 * Is the checksum right, wherever the segment comes to? A network card's word is taken for
 * it.
 *
 * What else the skb says of its checksum is not believed: csum_valid outlives a tunnel's
 * outer header, CHECKSUM_COMPLETE is what a wrong checksum's packet becomes when somebody
 * before us has looked, and at forward and postrouting netfilter asks no further.
 */
static inline bool nfac_stream_checksum(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct sk_buff *skb = stream->source.skb;

	if (skb->ip_summed == CHECKSUM_PARTIAL)
		return nfac_stream_partial(stream);
	/* the highest level is WireGuard's, of whatever its peer has sent */
	if (skb->ip_summed == CHECKSUM_UNNECESSARY && skb->csum_level < SKB_MAX_CSUM_LEVEL)
		return true;
	/* what cannot be read is no gap of its own: the scan counts it */
	if (!nfac_frags_readable(skb))
		return true;
	return !nfac_stream_sum(stream, skb_checksum(skb, p->header, p->to - p->header, 0));
}

/*
 * Would segmentation refuse the GSO packet? A guest may say that it is another protocol's, or
 * that all of it fits in one segment; then it does not get further than us.
 */
static bool nfac_stream_unsegmentable(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct skb_shared_info *info = skb_shinfo(stream->source.skb);
	u32 type = p->family == AF_INET6 ? SKB_GSO_TCPV6 : SKB_GSO_TCPV4;

	return (info->gso_type & SKB_GSO_DODGY) &&
	       (!(info->gso_type & type) || p->to - p->from <= info->gso_size);
}

static bool nfac_stream_options(const struct nfac_stream *stream, u32 at, u32 bytes)
{
	u8 buf[MAX_TCP_OPTION_SPACE];
	const u8 *options;

	options = skb_header_pointer(stream->source.skb, at, bytes, buf);
	return options && nfac_tcp_ambiguous(options, bytes);
}

/*
 * May a receiver discard the segment though its checksum is right? TCP takes no frame that
 * was sent to many.
 */
static inline bool nfac_stream_doubtful(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct sk_buff *skb = stream->source.skb;
	u32 at = p->header + sizeof(struct tcphdr);

	if (p->ambiguous || nfac_flags_ambiguous(p->tcp_flags) ||
	    skb->pkt_type == PACKET_BROADCAST || skb->pkt_type == PACKET_MULTICAST)
		return true;
	if (skb_is_gso(skb) &&
	    (nfac_gso_ambiguous(p->tcp_flags) || nfac_stream_unsegmentable(stream)))
		return true;
	return p->from > at && nfac_stream_options(stream, at, p->from - at);
}

/*
 * A segment's checksum is wrong. Does somebody take it all the same? This machine does where
 * the skb says so, and segmentation makes a right one. Where IP options say more, it may be
 * right for an address that is among them: a source route's last one, or a mobile node's.
 */
static bool nfac_stream_taken(const struct nfac_stream *stream)
{
	const struct sk_buff *skb = stream->source.skb;

	return stream->payload->ambiguous || skb->ip_summed == CHECKSUM_UNNECESSARY ||
	       skb->ip_summed == CHECKSUM_PARTIAL || skb_is_gso(skb);
}

/* What flow.h asks of the packet. */
static inline void nfac_stream_segment(struct nfac_stream *stream, u32 generation)
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
	seg->generation = generation;
}

/*
 * The clock is looked at under the lock. Before it, it may be a second behind what another CPU
 * leaves in the bucket meanwhile; and who was seen in the future has been silent for as long as
 * it can be told, so that a live direction would be forgotten.
 */
static inline void nfac_stream_lock(struct nfac_stream *stream, struct nfac_flow_bucket *bucket)
{
	spin_lock_bh(&bucket->lock);
	stream->segment.clock = nfac_flows_clock();
}

static inline void nfac_stream_count(const struct nfac_stream *stream)
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

static u64 nfac_stream_hash(const struct nfac_stream *stream, bool back)
{
	return nfac_flow_hash(stream->flows, stream->source.skb, stream->payload,
			      stream->segment.attachment, back);
}

/* One of flow.h's functions that take note of a segment. */
typedef void nfac_flow_note_fn(struct nfac_flow_bucket *bucket, u64 hash,
			       struct nfac_segment *seg);

static void nfac_stream_note(struct nfac_stream *stream, u64 hash, nfac_flow_note_fn *note)
{
	struct nfac_flow_bucket *bucket = nfac_flow_bucket(stream->flows, hash);

	nfac_stream_lock(stream, bucket);
	note(bucket, hash, &stream->segment);
	spin_unlock_bh(&bucket->lock);
}

static void nfac_stream_control(struct nfac_stream *stream, u64 hash)
{
	nfac_stream_note(stream, hash, nfac_flow_control);
	/* one lock after the other: their order is nobody's */
	if (stream->segment.resets)
		nfac_stream_note(stream, nfac_stream_hash(stream, true), nfac_flow_reset);
}

/**
 * nfac_stream_expect() - find out where a segment's direction is, and have it fetched
 * @stream: filled in, of @stream->segment its attachment; the payload is not empty
 *
 * To be called as soon as the ports are known: a place that has left the CPU's caches comes from
 * memory, which takes as long as scanning some hundred bytes. The payload's first bytes are asked
 * for as well, so that they come while the place does, and not after it.
 *
 * Context: any; takes no lock.
 */
void nfac_stream_expect(struct nfac_stream *stream)
{
	const struct sk_buff *skb = stream->source.skb;
	const struct nfac_payload *p = stream->payload;
	u32 to = min3(p->to, p->from + NFAC_STREAM_AHEAD, skb_headlen(skb));
	u32 at;

	stream->hash = nfac_stream_hash(stream, false);
	stream->bucket = nfac_flow_bucket(stream->flows, stream->hash);
	for (at = p->from; at < to; at += L1_CACHE_BYTES)
		prefetch(skb->data + at);
}

/**
 * nfac_stream_scan() - scan a segment's new bytes, from where its stream stands
 * @stream: filled in, of @stream->segment its attachment and policy; the payload is not
 *	empty, and expected
 * @scan: initialised
 * @generation: of the load that @scan uses
 *
 * Context: softirq or process, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_scan(struct nfac_stream *stream, struct nfac_scan *scan, u32 generation)
{
	struct nfac_segment *seg = &stream->segment;
	struct nfac_flow_bucket *bucket = stream->bucket;
	u64 hash = stream->hash;
	bool whole;

	nfac_stream_segment(stream, generation);
	whole = nfac_stream_checksum(stream);
	if (unlikely(!whole && !nfac_stream_taken(stream))) {
		nfac_flow_standalone(seg, scan);
		return;
	}
	if (unlikely(!whole || nfac_stream_doubtful(stream))) {
		nfac_flow_ambiguous(seg, scan);
		nfac_stream_note(stream, hash, nfac_flow_stray);
		return;
	}
	if (unlikely(!nfac_segment_acceptable(seg))) {
		nfac_flow_standalone(seg, scan);
		/* one that may be dropped ends nothing */
		if (nfac_segment_controls(seg) && !scan->matches && !seg->unseen)
			nfac_stream_control(stream, hash);
		return;
	}

	nfac_stream_lock(stream, bucket);
	nfac_flow_data(bucket, hash, seg, scan);
	spin_unlock_bh(&bucket->lock);
	if (unlikely(seg->alone))
		nfac_flow_standalone(seg, scan);
	nfac_stream_count(stream);
}

/**
 * nfac_stream_bare() - take note of a segment that has no data
 * @stream: as for nfac_stream_scan(), but not expected
 * @generation: of the load in force
 *
 * When @stream->segment.unseen comes out, it must not pass; its skip says why, and may
 * say something of one that passes.
 *
 * Context: softirq or process, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_bare(struct nfac_stream *stream, u32 generation)
{
	bool whole;
	u64 hash;

	nfac_stream_segment(stream, generation);
	if (!nfac_segment_controls(&stream->segment))
		return;
	whole = nfac_stream_checksum(stream);
	if (!whole && !nfac_stream_taken(stream))
		return;
	hash = nfac_stream_hash(stream, false);
	if (!whole || nfac_stream_doubtful(stream))
		nfac_stream_note(stream, hash, nfac_flow_stray);
	else
		nfac_stream_control(stream, hash);
	nfac_stream_count(stream);
}
