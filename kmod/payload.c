// SPDX-License-Identifier: GPL-2.0
/*
 * The payload: which bytes of a packet are inspected.
 *
 * No length in a header is used before it was compared with the packet's own length. Headers are
 * read through skb_header_pointer(), so they may be in any fragment of the skb.
 */

#include <linux/export.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/socket.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "engine/header_options.h"
#include "payload.h"

/* Skipping has a single exit, so that no reason is left out. */
static bool nfac_payload_skip(struct nfac_payload *p, enum nfac_skip why)
{
	p->skip = why;
	/* which protocol follows an extension header that was not followed? */
	if (p->family == AF_INET6 && ipv6_ext_hdr(p->protocol) &&
	    p->protocol != NEXTHDR_NONE)
		p->protocol = 0;
	return false;
}

/* @p->from is the offset of the TCP header, @p->to the packet's end. */
static bool nfac_payload_tcp(const struct sk_buff *skb, struct nfac_payload *p)
{
	const struct tcphdr *th;
	struct tcphdr buf;
	u32 header;

	if (p->to - p->from < sizeof(buf))
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	th = skb_header_pointer(skb, p->from, sizeof(buf), &buf);
	if (!th)
		return nfac_payload_skip(p, NFAC_SKIP_UNREADABLE);
	p->sport = ntohs(th->source);
	p->dport = ntohs(th->dest);
	p->ports = true;
	header = th->doff * 4;
	if (header < sizeof(*th) || header > p->to - p->from)
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	p->tcp_flags = tcp_flag_byte(th);
	/* SYN takes a sequence number of its own, before the data */
	p->seq = ntohl(th->seq) + th->syn;
	p->ack = ntohl(th->ack_seq);
	p->window = ntohs(th->window);
	p->urgent = ntohs(th->urg_ptr);
	p->header = p->from;
	p->from += header;
	return true;
}

static bool nfac_payload_udp(const struct sk_buff *skb, struct nfac_payload *p)
{
	const struct udphdr *uh;
	struct udphdr buf;
	u32 length;

	if (p->to - p->from < sizeof(buf))
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	uh = skb_header_pointer(skb, p->from, sizeof(buf), &buf);
	if (!uh)
		return nfac_payload_skip(p, NFAC_SKIP_UNREADABLE);
	p->sport = ntohs(uh->source);
	p->dport = ntohs(uh->dest);
	p->ports = true;
	length = ntohs(uh->len);
	/*
	 * 0 means a jumbogram (RFC 2675): the payload is the rest of the packet. Over IPv6 Linux
	 * takes it for any other datagram too.
	 */
	if (!length && (p->family == AF_INET6 || p->to - p->from > U16_MAX))
		length = p->to - p->from;
	/* segmentation writes a length of its own into each, of all that there is */
	if (skb_is_gso(skb))
		length = p->to - p->from;
	if (length < sizeof(*uh) || length > p->to - p->from)
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	p->to = p->from + length;
	p->from += sizeof(*uh);
	return true;
}

/* Ports of other protocols whose headers begin with ports, as those of TCP and UDP do. */
static void nfac_payload_ports(const struct sk_buff *skb, struct nfac_payload *p)
{
	const __be16 *ports;
	__be16 buf[2];

	switch (p->protocol) {
	case IPPROTO_UDPLITE:
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
		break;
	default:
		return;
	}
	if (p->to - p->from < sizeof(buf))
		return;
	ports = skb_header_pointer(skb, p->from, sizeof(buf), buf);
	if (!ports)
		return;
	p->sport = ntohs(ports[0]);
	p->dport = ntohs(ports[1]);
	p->ports = true;
}

static bool nfac_payload_transport(const struct sk_buff *skb, bool raw,
				   struct nfac_payload *p)
{
	switch (p->protocol) {
	case IPPROTO_TCP:
		return nfac_payload_tcp(skb, p);
	case IPPROTO_UDP:
		return nfac_payload_udp(skb, p);
	}
	nfac_payload_ports(skb, p);
	if (!raw)
		return nfac_payload_skip(p, NFAC_SKIP_PROTOCOL);
	return true;
}

/* An IPv4 header of @header bytes at @at: has it options that not all take? */
static bool nfac_payload_options(const struct sk_buff *skb, u32 at, u32 header)
{
	u32 bytes = header - sizeof(struct iphdr);
	u8 buf[MAX_IPOPTLEN];
	const u8 *options;

	if (likely(!bytes))
		return false;
	options = skb_header_pointer(skb, at + sizeof(struct iphdr), bytes, buf);
	return !options || nfac_ipv4_ambiguous(options, bytes);
}

static bool nfac_payload_ipv4(const struct sk_buff *skb, bool raw,
			      struct nfac_payload *p)
{
	u32 at = p->ip;
	const struct iphdr *iph;
	struct iphdr buf;
	u32 header, total;

	iph = skb_header_pointer(skb, at, sizeof(buf), &buf);
	if (!iph)
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	p->protocol = iph->protocol;
	header = iph->ihl * 4;
	total = ntohs(iph->tot_len);
	/* a GSO packet past 64 KiB has 0 here ("BIG TCP") */
	if (!total && skb_is_gso(skb))
		total = skb->len - at;
	if (iph->version != 4 || header < sizeof(*iph) || header > total ||
	    total > skb->len - at)
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	if (ip_is_fragment(iph))
		return nfac_payload_skip(p, NFAC_SKIP_FRAGMENT);
	p->ambiguous = nfac_payload_options(skb, at, header);
	p->from = at + header;
	p->to = at + total;
	return nfac_payload_transport(skb, raw, p);
}

/*
 * Follow the extension headers from @p->from on, the first of type @p->protocol,
 * until one that is none. @big: it is a GSO packet past 64 KiB.
 */
static bool nfac_payload_extensions(const struct sk_buff *skb, bool big,
				    struct nfac_payload *p)
{
	bool whole = false;	/* such a header was there: Linux takes one */
	unsigned int i;

	for (i = 0; ipv6_ext_hdr(p->protocol); i++) {
		const struct ipv6_opt_hdr *hdr;
		u8 buf[NFAC_IPV6_PADDED] __aligned(4);	/* no header is shorter */
		const u8 *first;
		u32 length;

		if (p->protocol == NEXTHDR_NONE)
			return true;
		if (i == NFAC_EXT_HEADERS_MAX)
			return nfac_payload_skip(p, NFAC_SKIP_TOO_DEEP);
		if (p->to - p->from < sizeof(buf))
			return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
		first = skb_header_pointer(skb, p->from, sizeof(buf), buf);
		if (!first)
			return nfac_payload_skip(p, NFAC_SKIP_UNREADABLE);
		hdr = (const struct ipv6_opt_hdr *)first;

		switch (p->protocol) {
		case NEXTHDR_FRAGMENT:
			length = sizeof(struct frag_hdr);
			/* neither offset nor more to come: whole (RFC 6946) */
			if (((const struct frag_hdr *)first)->frag_off &
			    htons(IP6_OFFSET | IP6_MF)) {
				/*
				 * A fragment behind the first may have a false protocol (RFC 8200,
				 * 4.5); the first one is counted, or dropped.
				 */
				p->protocol = hdr->nexthdr;
				return nfac_payload_skip(p, NFAC_SKIP_FRAGMENT);
			}
			p->ambiguous |= whole;
			whole = true;
			break;
		case NEXTHDR_AUTH:
			length = ipv6_authlen(hdr);
			p->ambiguous = true;
			break;
		default:
			length = ipv6_optlen(hdr);
			p->ambiguous |= nfac_ipv6_ambiguous(p->protocol, first, i, big);
			break;
		}
		if (length > p->to - p->from)
			return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
		p->protocol = hdr->nexthdr;
		p->from += length;
	}
	return true;
}

static bool nfac_payload_ipv6(const struct sk_buff *skb, bool raw,
			      struct nfac_payload *p)
{
	u32 at = p->ip;
	const struct ipv6hdr *ip6h;
	struct ipv6hdr buf;
	bool big = false;
	u32 length;

	ip6h = skb_header_pointer(skb, at, sizeof(buf), &buf);
	if (!ip6h)
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	p->protocol = ip6h->nexthdr;
	p->from = at + sizeof(*ip6h);
	length = ntohs(ip6h->payload_len);
	/* a jumbogram, or a GSO packet past 64 KiB */
	if (!length && (p->protocol == NEXTHDR_HOP || skb_is_gso(skb))) {
		length = skb->len - p->from;
		big = skb_is_gso(skb) && length > IPV6_MAXPLEN;
		/* Linux takes it without a jumbogram's option too, others do not (RFC 2675) */
		p->ambiguous = !big;
	}
	if (ip6h->version != 6 || length > skb->len - p->from)
		return nfac_payload_skip(p, NFAC_SKIP_TRUNCATED);
	p->to = p->from + length;
	if (!nfac_payload_extensions(skb, big, p))
		return false;
	return nfac_payload_transport(skb, raw, p);
}

/**
 * nfac_payload_find_ip() - the same for a packet whose IP header is known
 * @skb: a packet
 * @raw: as nfac_payload_find()
 * @payload: 0 but for @payload->ip and @payload->family; filled
 *
 * Context: any; reads the packet only.
 * Return: as nfac_payload_find().
 */
bool nfac_payload_find_ip(const struct sk_buff *skb, bool raw, struct nfac_payload *payload)
{
	if (payload->family == AF_INET6)
		return nfac_payload_ipv6(skb, raw, payload);
	return nfac_payload_ipv4(skb, raw, payload);
}

/**
 * nfac_payload_neighbour() - is the packet a message of neighbour discovery?
 * @skb: a packet
 * @payload: nfac_payload_find() skipped it: NFAC_SKIP_PROTOCOL
 *
 * Context: any; reads the packet only.
 */
bool nfac_payload_neighbour(const struct sk_buff *skb, const struct nfac_payload *payload)
{
	const u8 *type, *hop_limit;
	u8 buf[2];

	if (payload->family != AF_INET6 || payload->protocol != IPPROTO_ICMPV6 ||
	    payload->from >= payload->to)
		return false;
	type = skb_header_pointer(skb, payload->from, 1, &buf[0]);
	hop_limit = skb_header_pointer(skb, payload->ip + offsetof(struct ipv6hdr, hop_limit), 1,
				       &buf[1]);
	return type && hop_limit &&
	       nfac_neighbour_discovery(payload->protocol, *type, *hop_limit);
}

/**
 * nfac_payload_find() - find the bytes to inspect
 * @skb: an IP packet; its network header is set
 * @nfproto: NFPROTO_IPV4 or NFPROTO_IPV6
 * @raw: take all past the IP headers where the protocol is neither TCP nor UDP
 * @payload: filled
 *
 * A TCP segment without data is found, with no bytes. @payload->protocol, if it is known, and with
 * @payload->ports the ports are set even for a packet that is skipped.
 *
 * Context: any; reads the packet only.
 * Return: true when it was found; false: @payload->skip says why.
 */
bool nfac_payload_find(const struct sk_buff *skb, u8 nfproto, bool raw,
		       struct nfac_payload *payload)
{
	const bool ipv6 = nfproto == NFPROTO_IPV6;

	*payload = (struct nfac_payload){
		.ip = skb_network_offset(skb),
		.family = ipv6 ? AF_INET6 : AF_INET,
	};
	return nfac_payload_find_ip(skb, raw, payload);
}
EXPORT_SYMBOL_GPL(nfac_payload_find);
