// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: the payload of a packet at a hook below IP.
 *
 * The hooks of devices and bridges call it. There a packet is what came over the wire, or is about
 * to: VLAN tags, PPPoE or MPLS may be in front of the IP header, and IP has verified nothing.
 * What the receiver's IP will discard is marked as ambiguous, so that no stream relies on it.
 *
 * Nothing of the skb is changed or pulled: its headers may be in any fragment.
 */

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <net/checksum.h>

#include "../uapi/linux/nfac.h"
#include "engine/link_header.h"
#include "frame.h"

/*
 * Bytes of link headers that are followed, 16 VLAN tags or MPLS labels. A frame with more of them
 * counts as NFAC_SKIP_TOO_DEEP: real ones have at most four.
 */
#define NFAC_FRAME_HEADERS	64u

static bool nfac_frame_skip(struct nfac_payload *p, enum nfac_skip why)
{
	p->family = AF_UNSPEC;
	p->skip = why;
	return false;
}

static bool nfac_frame_ingress(const struct nf_hook_state *state)
{
	return state->pf == NFPROTO_NETDEV && state->hook == NF_NETDEV_INGRESS;
}

/* Devices whose frames begin with an Ethernet header when they are sent. */
static bool nfac_frame_ethernet(const struct net_device *dev)
{
	return dev->type == ARPHRD_ETHER || dev->type == ARPHRD_LOOPBACK;
}

/*
 * Find the frame's type and the bytes behind it: @at and @type. A received frame's type is in the
 * skb, and Linux chooses the protocol by it. For a frame that is sent, the header on the wire
 * counts. Return: false: the frame ends before.
 */
static bool nfac_frame_begin(const struct sk_buff *skb, const struct nf_hook_state *state, u32 *at,
			     u16 *type)
{
	const __be16 *wire;
	__be16 buf;

	*at = 0;
	*type = ntohs(skb->protocol);
	if (nfac_frame_ingress(state))
		return true;
	if (state->pf == NFPROTO_BRIDGE) {
		*type = ntohs(eth_hdr(skb)->h_proto);
		return true;
	}
	*at = skb_network_offset(skb);
	if (!nfac_frame_ethernet(state->out))
		return *at <= skb->len;
	wire = skb_header_pointer(skb, offsetof(struct ethhdr, h_proto), sizeof(buf), &buf);
	if (!wire)
		return false;
	*at = ETH_HLEN;
	*type = ntohs(*wire);
	return true;
}

/* Follow the link headers from @at on. */
static bool nfac_frame_link(const struct sk_buff *skb, u32 at, u16 type, struct nfac_payload *p)
{
	u32 there = min(skb->len - at, NFAC_FRAME_HEADERS);
	struct nfac_link link = { .there = there };
	u8 buf[NFAC_FRAME_HEADERS];
	u8 version;

	link.bytes = skb_header_pointer(skb, at, there, buf);
	if (!link.bytes)
		return nfac_frame_skip(p, NFAC_SKIP_UNREADABLE);
	if (skb_vlan_tag_present(skb))
		nfac_link_within(&link, skb_vlan_tag_get_id(skb));
	switch (nfac_link_type(&link, type)) {
	case NFAC_LINK_OTHER:
		return nfac_frame_skip(p, NFAC_SKIP_PROTOCOL);
	case NFAC_LINK_CUT:
		return nfac_frame_skip(p, there < skb->len - at ? NFAC_SKIP_TOO_DEEP :
								  NFAC_SKIP_TRUNCATED);
	default:
		break;
	}
	version = link.bytes[link.at] >> 4;
	if (link.version && version != link.version)
		return nfac_frame_skip(p, NFAC_SKIP_TRUNCATED);
	if (version != 4 && version != 6)
		return nfac_frame_skip(p, NFAC_SKIP_PROTOCOL);
	p->link = link.id;
	p->ip = at + link.at;
	p->family = version == 6 ? AF_INET6 : AF_INET;
	return true;
}

/* IPv6 has none. */
static bool nfac_frame_checksum(const struct sk_buff *skb, const struct nfac_payload *p)
{
	const u8 *first;
	u8 buf;

	if (p->family == AF_INET6)
		return true;
	first = skb_header_pointer(skb, p->ip, sizeof(buf), &buf);
	return first && !csum_fold(skb_checksum(skb, p->ip, (*first & 0xf) * 4, 0));
}

/*
 * Is the frame addressed to another host, and is the device neither a bridge's port nor another
 * upper device's, which would take it?
 */
static bool nfac_frame_foreign(const struct sk_buff *skb, const struct nf_hook_state *state)
{
	return nfac_frame_ingress(state) && skb->pkt_type == PACKET_OTHERHOST &&
	       !rcu_access_pointer(skb->dev->rx_handler);
}

/**
 * nfac_frame_find() - find the bytes of a frame to inspect
 * @skb: at a hook of NFPROTO_NETDEV or NFPROTO_BRIDGE
 * @state: of the hook
 * @raw: as nfac_payload_find()
 * @payload: filled; @payload->family is AF_UNSPEC where no IP header was found
 *
 * Context: softirq, or process for locally generated packets; reads the packet only.
 * Return: as nfac_payload_find().
 */
bool nfac_frame_find(const struct sk_buff *skb, const struct nf_hook_state *state, bool raw,
		     struct nfac_payload *payload)
{
	u16 type;
	u32 at;

	*payload = (struct nfac_payload){};
	if (!nfac_frame_begin(skb, state, &at, &type))
		return nfac_frame_skip(payload, NFAC_SKIP_TRUNCATED);
	if (!nfac_frame_link(skb, at, type, payload) ||
	    !nfac_payload_find_ip(skb, raw, payload))
		return false;
	payload->ambiguous |= !nfac_frame_checksum(skb, payload) || nfac_frame_foreign(skb, state);
	return true;
}
