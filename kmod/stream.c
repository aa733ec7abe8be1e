// SPDX-License-Identifier: GPL-2.0
/*
 * Streams: pass a packet's TCP segment to its flow.
 */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <net/ip6_checksum.h>
#include <net/tcp.h>

#include "compat.h"
#include "conntrack.h"
#include "engine/header_options.h"
#include "stream.h"

/*
 * Bytes of the payload that are prefetched together with the direction's slot: what the matcher
 * reads before the processor's own prefetcher recognises the access pattern.
 */
#define NFAC_STREAM_PREFETCH	512u

/* The checksum of the segment, and of the addresses, whose own sum is @sum. */
static __sum16 nfac_stream_sum(const struct nfac_stream *stream, __wsum sum)
{
	const struct nfac_payload *p = stream->payload;
	u32 len = p->to - p->header;
	__be32 buf[8];
	const __be32 *addr = nfac_payload_addresses(stream->source.skb, p, buf);
	const struct in6_addr *addr6 = (const void *)addr;

	/* the header was read before, so that this cannot fail */
	if (!addr)
		return (__force __sum16)1;
	if (p->family == AF_INET6)
		return csum_ipv6_magic(addr6, addr6 + 1, len, IPPROTO_TCP, sum);
	return csum_tcpudp_magic(addr[0], addr[1], len, IPPROTO_TCP, sum);
}

/*
 * The checksum is not computed yet. It becomes right if it is requested at its offset, and if
 * the field holds the sum of the addresses: a guest may send something else.
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
 * Is the checksum right for every receiver? The network card's verification is trusted.
 *
 * Other fields of the skb are not: csum_valid outlives a tunnel's outer header, and
 * CHECKSUM_COMPLETE is also set on a packet with a wrong checksum that was verified before
 * this hook; at forward and postrouting netfilter does not verify it again.
 */
static inline bool nfac_stream_checksum(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct sk_buff *skb = stream->source.skb;

	if (skb->ip_summed == CHECKSUM_PARTIAL)
		return nfac_stream_partial(stream);
	/* WireGuard sets the highest level without verifying */
	if (skb->ip_summed == CHECKSUM_UNNECESSARY && skb->csum_level < SKB_MAX_CSUM_LEVEL)
		return true;
	/* unreadable pages are no gap: the scan counts them */
	if (!nfac_frags_readable(skb))
		return true;
	return !nfac_stream_sum(stream, skb_checksum(skb, p->header, p->to - p->header, 0));
}

/*
 * Would segmentation refuse the GSO packet? A guest may claim another protocol, or that all of
 * it fits in one segment; then the kernel drops it behind this hook.
 */
static bool nfac_stream_unsegmentable(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct skb_shared_info *info = skb_shinfo(stream->source.skb);
	u32 type = p->family == AF_INET6 ? SKB_GSO_TCPV6 : SKB_GSO_TCPV4;

	return (info->gso_type & SKB_GSO_DODGY) &&
	       (!(info->gso_type & type) || p->to - p->from <= info->gso_size);
}

/* Read its options. Return: a receiver may discard the segment because of them. */
static inline bool nfac_stream_options(struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	u32 at = p->header + sizeof(struct tcphdr);
	u8 buf[MAX_TCP_OPTION_SPACE];
	const u8 *options;

	stream->segment.stamps.there = false;
	if (p->from <= at)
		return false;
	options = skb_header_pointer(stream->source.skb, at, p->from - at, buf);
	return options && nfac_tcp_options(options, p->from - at, &stream->segment.stamps);
}

/*
 * May a receiver discard the segment though its checksum is right? TCP accepts no broadcast or
 * multicast frame.
 */
static inline bool nfac_stream_ambiguous(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct sk_buff *skb = stream->source.skb;

	if (stream->odd || p->ambiguous || nfac_flags_ambiguous(p->tcp_flags) ||
	    skb->pkt_type == PACKET_BROADCAST || skb->pkt_type == PACKET_MULTICAST)
		return true;
	return skb_is_gso(skb) &&
	       (nfac_gso_ambiguous(p->tcp_flags) || nfac_stream_unsegmentable(stream));
}

/*
 * The segment's checksum is wrong. Does a receiver accept it nevertheless? This host does if the
 * skb says so, and segmentation computes a right one. With IP options it may be right for another
 * address: the last one of a source route, or a mobile node's.
 */
static bool nfac_stream_taken(const struct nfac_stream *stream)
{
	const struct sk_buff *skb = stream->source.skb;

	return stream->payload->ambiguous || skb->ip_summed == CHECKSUM_UNNECESSARY ||
	       skb->ip_summed == CHECKSUM_PARTIAL || skb_is_gso(skb);
}

static u8 nfac_stream_scale(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	u32 at = p->header + sizeof(struct tcphdr);
	u8 buf[MAX_TCP_OPTION_SPACE];
	const u8 *options;

	if (p->from <= at)
		return NFAC_SCALE_NONE;
	options = skb_header_pointer(stream->source.skb, at, p->from - at, buf);
	return options ? nfac_tcp_scale(options, p->from - at, NFAC_SCALE_NONE) :
			 NFAC_SCALE_NONE;
}

/* The client's IPv4 address, or its IPv6 network, on which one client has all addresses. */
static u32 nfac_stream_client(const struct nfac_stream *stream)
{
	u8 answer = TCPHDR_SYN | TCPHDR_ACK;
	bool back = (stream->payload->tcp_flags & answer) == answer;
	__be32 buf[8];
	const __be32 *addr = nfac_payload_addresses(stream->source.skb, stream->payload, buf);

	if (!addr)
		return 0;
	if (stream->payload->family != AF_INET6)
		return (__force u32)addr[back];
	return (__force u32)(addr[4 * back] ^ addr[4 * back + 1]);
}

/* Fill in struct nfac_segment from the packet, and verify its checksum, once. */
static inline void nfac_stream_segment(struct nfac_stream *stream, u32 generation)
{
	const struct nfac_payload *p = stream->payload;
	struct nfac_segment *seg = &stream->segment;

	if (stream->filled)
		return;
	stream->filled = true;
	nfac_segment_init(seg);
	stream->source.at = p->from;
	seg->source = &stream->source;
	seg->seq = p->seq;
	seg->ack = p->ack;
	seg->window = p->window;
	seg->bytes = p->to - p->from;
	seg->urgent = p->urgent;
	seg->tcp_flags = p->tcp_flags;
	seg->generation = generation;
	seg->client = nfac_stream_client(stream);
	seg->scale = p->tcp_flags & TCPHDR_SYN ? nfac_stream_scale(stream) : NFAC_SCALE_NONE;
	nfac_conntrack_track(stream->source.skb, &seg->track);
	stream->odd = nfac_stream_options(stream);
	stream->whole = nfac_stream_checksum(stream);
}

/*
 * The clock is read under the lock. Read before it, it could be behind the time that another CPU
 * stores in the bucket meanwhile; that direction would then count as silent for 2^32 jiffies.
 */
static inline void nfac_stream_lock(struct nfac_stream *stream, struct nfac_flow_bucket *bucket)
{
	spin_lock(&bucket->lock);
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

/* One of flow.h's functions for segments without data in the stream. */
typedef void nfac_flow_note_fn(struct nfac_flow_bucket *bucket, u64 hash,
			       struct nfac_segment *seg);

/* @hash: of the segment's direction or of the other one */
static void nfac_stream_note(struct nfac_stream *stream, u64 hash, nfac_flow_note_fn *note)
{
	struct nfac_flow_bucket *bucket = nfac_flow_bucket(stream->flows, hash);

	nfac_stream_lock(stream, bucket);
	note(bucket, hash, &stream->segment);
	spin_unlock(&bucket->lock);
}

static void nfac_stream_control(struct nfac_stream *stream)
{
	nfac_stream_note(stream, stream->hash, nfac_flow_control);
	/* one lock after the other, so that their order does not matter */
	if (stream->segment.resets)
		nfac_stream_note(stream, nfac_flow_back(stream->hash), nfac_flow_reset);
}

/**
 * nfac_stream_answer() - let the other direction learn from a segment
 * @stream: begun
 * @generation: of the load in force
 *
 * To be called before nfac_stream_scan() or nfac_stream_bare(), and alone for a segment that
 * the attachment does not select but that answers one that it does.
 *
 * Context: softirqs disabled, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_answer(struct nfac_stream *stream, u32 generation)
{
	/* before the checksum is verified */
	if (!(stream->payload->tcp_flags & TCPHDR_ACK))
		return;
	nfac_stream_segment(stream, generation);
	if (!nfac_segment_answers(&stream->segment) || !stream->whole ||
	    nfac_stream_ambiguous(stream))
		return;
	nfac_stream_note(stream, nfac_flow_back(stream->hash), nfac_flow_answer);
	if (stream->segment.restarted)
		nfac_stats_add(stream->stats, NFAC_COUNT_FLOW_RESTARTS, 1);
	stream->segment.restarted = false;
}

/**
 * nfac_stream_begin() - compute which bucket a segment's direction has, and prefetch it
 * @stream: filled in, of @stream->segment its attachment
 *
 * To be called as soon as the ports are known: a bucket that has left the CPU's caches comes from
 * memory, which takes as long as scanning some hundred bytes.
 *
 * Context: any; takes no lock.
 */
void nfac_stream_begin(struct nfac_stream *stream)
{
	stream->filled = false;
	stream->hash = nfac_flow_hash(stream->flows, stream->source.skb, stream->payload,
				      stream->segment.attachment);
	stream->bucket = nfac_flow_bucket(stream->flows, stream->hash);
}

/**
 * nfac_stream_expect() - prefetch the payload's first bytes, which arrive with the bucket
 * @stream: begun; the payload is not empty
 *
 * Context: any; takes no lock.
 */
void nfac_stream_expect(const struct nfac_stream *stream)
{
	const struct sk_buff *skb = stream->source.skb;
	const struct nfac_payload *p = stream->payload;
	u32 to = min3(p->to, p->from + NFAC_STREAM_PREFETCH, skb_headlen(skb));
	u32 at;

	for (at = p->from; at < to; at += L1_CACHE_BYTES)
		prefetch(skb->data + at);
}

/* A GSO packet: other directions of the bucket need not wait until all of it is scanned. */
static noinline_for_stack void nfac_stream_large(struct nfac_stream *stream, struct nfac_scan *scan)
{
	nfac_flow_rest(&stream->segment, scan);
	nfac_stream_lock(stream, stream->bucket);
	nfac_flow_commit(stream->bucket, stream->hash, &stream->segment, scan);
	spin_unlock(&stream->bucket->lock);
}

/**
 * nfac_stream_scan() - scan a segment's new bytes, from the position of its stream
 * @stream: begun, of @stream->segment its policy is filled in; the payload is not empty
 * @scan: initialised
 * @generation: of the load that @scan uses
 *
 * Context: softirqs disabled, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_scan(struct nfac_stream *stream, struct nfac_scan *scan, u32 generation)
{
	struct nfac_segment *seg = &stream->segment;
	struct nfac_flow_bucket *bucket = stream->bucket;
	u64 hash = stream->hash;

	nfac_stream_segment(stream, generation);
	/* the load may have changed since nfac_stream_answer() */
	seg->generation = generation;
	if (unlikely(!stream->whole && !nfac_stream_taken(stream))) {
		nfac_flow_standalone(seg, scan);
		return;
	}
	if (unlikely(!stream->whole || nfac_stream_ambiguous(stream))) {
		nfac_flow_ambiguous(seg, scan);
		nfac_stream_note(stream, hash, nfac_flow_stray);
		return;
	}
	if (unlikely(!nfac_segment_acceptable(seg))) {
		nfac_flow_standalone(seg, scan);
		/* a segment that may be dropped ends nothing */
		if (nfac_segment_controls(seg) && !scan->matches && !seg->unseen)
			nfac_stream_control(stream);
		return;
	}

	nfac_stream_lock(stream, bucket);
	nfac_flow_data(bucket, hash, seg, scan);
	spin_unlock(&bucket->lock);
	if (unlikely(seg->deferred.there))
		nfac_stream_large(stream, scan);
	if (unlikely(seg->bits_changed))
		nfac_stream_note(stream, nfac_flow_back(hash), nfac_flow_share);
	if (unlikely(seg->alone))
		nfac_flow_standalone(seg, scan);
	nfac_stream_count(stream);
}

/**
 * nfac_stream_bare() - note a segment that has no data
 * @stream: begun
 * @generation: of the load in force
 *
 * If @stream->segment.unseen is set on return, the caller applies the attachment's policy for
 * segments that were not inspected.
 *
 * Context: softirqs disabled, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_bare(struct nfac_stream *stream, u32 generation)
{
	nfac_stream_segment(stream, generation);
	if (!stream->whole && !nfac_stream_taken(stream))
		return;
	if (!stream->whole || nfac_stream_ambiguous(stream))
		nfac_stream_note(stream, stream->hash, nfac_flow_stray);
	else
		nfac_stream_control(stream);
	nfac_stream_count(stream);
}
