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
#include "header_options.h"
#include "stream.h"

/*
 * Has the network card looked, or did the packet never leave us? Then a receiver takes it.
 *
 * What else the skb says of its checksum is not believed: csum_valid outlives a tunnel's
 * outer header, CHECKSUM_COMPLETE is what a wrong checksum's packet becomes when somebody
 * before us has looked, and at forward and postrouting netfilter asks no further.
 */
static bool nfac_stream_trusted(const struct sk_buff *skb, u32 header)
{
	switch (skb->ip_summed) {
	case CHECKSUM_UNNECESSARY:
		/* the highest level is WireGuard's, of whatever its peer has sent */
		return skb->csum_level < SKB_MAX_CSUM_LEVEL;
	case CHECKSUM_PARTIAL:
		/* or who sent it asks for a checksum elsewhere, and this one stays wrong */
		return skb_checksum_start_offset(skb) == header &&
		       skb->csum_offset == offsetof(struct tcphdr, check);
	}
	return false;
}

static bool nfac_stream_checksum(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct sk_buff *skb = stream->source.skb;
	u32 len = p->to - p->header;
	__wsum sum;

	/* what cannot be read is no gap of its own: the scan counts it */
	if (nfac_stream_trusted(skb, p->header) || !nfac_frags_readable(skb))
		return true;
	sum = skb_checksum(skb, p->header, len, 0);
	if (p->family == AF_INET6)
		return !csum_ipv6_magic(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr, len,
					IPPROTO_TCP, sum);
	return !csum_tcpudp_magic(ip_hdr(skb)->saddr, ip_hdr(skb)->daddr, len, IPPROTO_TCP,
				  sum);
}

/*
 * May a receiver discard the segment though its checksum is right? TCP takes no frame that
 * was sent to many.
 */
static bool nfac_stream_doubtful(const struct nfac_stream *stream)
{
	const struct nfac_payload *p = stream->payload;
	const struct sk_buff *skb = stream->source.skb;
	u32 at = p->header + sizeof(struct tcphdr);
	u8 buf[MAX_TCP_OPTION_SPACE];
	const u8 *options;

	if (p->doubtful || skb->pkt_type == PACKET_BROADCAST ||
	    skb->pkt_type == PACKET_MULTICAST)
		return true;
	/* each of its segments gets an urgent byte; Linux does not leave those to a card */
	if ((p->tcp_flags & NFAC_TCP_URG) && skb_is_gso(skb))
		return true;
	if (p->from == at)
		return false;
	options = skb_header_pointer(skb, at, p->from - at, buf);
	return options && nfac_tcp_doubtful(options, p->from - at);
}

/*
 * A segment with a wrong checksum, by itself. No receiver takes it, or this machine's does
 * because of what the skb says, and one elsewhere does not: then it is no first copy, and
 * has not been looked at in its place.
 */
static void nfac_stream_wrong(struct nfac_stream *stream, struct nfac_scan *scan)
{
	const struct sk_buff *skb = stream->source.skb;
	struct nfac_segment *seg = &stream->segment;

	if (skb->ip_summed == CHECKSUM_UNNECESSARY ||
	    (skb->ip_summed == CHECKSUM_PARTIAL &&
	     skb_checksum_start_offset(skb) >= (int)stream->payload->header))
		nfac_flow_doubtful(seg, scan);
	else
		nfac_flow_alone(seg, scan);
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

static void nfac_stream_control(struct nfac_stream *stream, u64 hash)
{
	struct nfac_flow_bucket *bucket = nfac_flow_bucket(stream->flows, hash);

	spin_lock_bh(&bucket->lock);
	nfac_flow_control(bucket, hash, &stream->segment);
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
		nfac_stream_wrong(stream, scan);
		return;
	}
	if (unlikely(nfac_stream_doubtful(stream))) {
		nfac_flow_doubtful(seg, scan);
		return;
	}
	if (unlikely(!nfac_segment_sound(seg))) {
		nfac_flow_alone(seg, scan);
		/* one that may be dropped ends nothing */
		if (nfac_segment_controls(seg) && !scan->matches && !seg->unseen)
			nfac_stream_control(stream, hash);
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
 * When @stream->segment.unseen comes out, it must not pass, and skip says why.
 *
 * Context: softirq or process, under rcu_read_lock(); takes the bucket's lock.
 */
void nfac_stream_bare(struct nfac_stream *stream)
{
	nfac_stream_segment(stream);
	if (!nfac_segment_controls(&stream->segment) || !nfac_stream_checksum(stream) ||
	    nfac_stream_doubtful(stream))
		return;
	nfac_stream_control(stream, nfac_stream_hash(stream));
	nfac_stream_count(stream);
}
