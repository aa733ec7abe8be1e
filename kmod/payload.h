/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The payload: which bytes of a packet are inspected.
 */
#ifndef _NFAC_PAYLOAD_H
#define _NFAC_PAYLOAD_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/socket.h>

#include "../uapi/linux/nfac.h"

/**
 * struct nfac_payload - what was found
 *
 * Filled by nfac_payload_find(), on the stack of the function that inspects the packet.
 *
 * @ip: offset in the skb of the IP header
 * @from: offset in the skb of the payload's first byte
 * @to: one past its last byte; equal to @from when there is none
 * @header: TCP: offset in the skb of its header
 * @seq: TCP: sequence number of the payload's first byte, host order
 * @ack: TCP: acknowledgment number, host order
 * @link: distinguishes hosts with the same addresses: struct nfac_link.id of the frame; 0 at the
 *	hooks of IP
 * @skip: why there is nothing to inspect, when nfac_payload_find() was false
 * @sport: host order, when @ports
 * @dport: host order, when @ports
 * @urgent: TCP: the urgent pointer; valid only with the URG flag
 * @window: TCP: as in the header, without its scale
 * @protocol: IPPROTO_* past the extension headers; 0: it is not known, for the walk stopped at one
 *	of them
 * @family: AF_INET or AF_INET6; AF_UNSPEC: a frame without an IP header
 * @tcp_flags: TCP: byte 13 of the header
 * @ports: @sport and @dport are known
 * @ambiguous: it has IP options for which a receiver may discard it, or it is a frame that no
 *	receiver may have accepted yet
 */
struct nfac_payload {
	u64 link;
	u32 ip;
	u32 from;
	u32 to;
	u32 header;
	u32 seq;
	u32 ack;
	enum nfac_skip skip;
	u16 sport;
	u16 dport;
	u16 urgent;
	u16 window;
	u8 protocol;
	u8 family;
	u8 tcp_flags;
	bool ports;
	bool ambiguous;
};

bool nfac_payload_find(const struct sk_buff *skb, u8 nfproto, bool raw,
		       struct nfac_payload *payload);
bool nfac_payload_find_ip(const struct sk_buff *skb, bool raw, struct nfac_payload *payload);
bool nfac_payload_neighbour(const struct sk_buff *skb, const struct nfac_payload *payload);

/**
 * nfac_payload_addresses() - source and destination address of a packet, one after the other
 * @skb: the packet
 * @payload: found in it
 * @buf: for both, where they are not linear
 *
 * Context: any.
 * Return: the addresses, two of 4 or 16 bytes; NULL: they cannot be read.
 */
static inline const __be32 *nfac_payload_addresses(const struct sk_buff *skb,
						   const struct nfac_payload *payload,
						   __be32 buf[8])
{
	if (payload->family == AF_INET6)
		return skb_header_pointer(skb, payload->ip + offsetof(struct ipv6hdr, saddr),
					  2 * sizeof(struct in6_addr), buf);
	return skb_header_pointer(skb, payload->ip + offsetof(struct iphdr, saddr),
				  2 * sizeof(struct in_addr), buf);
}

#endif /* _NFAC_PAYLOAD_H */
