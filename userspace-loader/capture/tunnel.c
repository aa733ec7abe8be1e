// SPDX-License-Identifier: GPL-2.0
/*
 * The inner IP packet of a tunnel's packet; capture.c calls tunnel_inner() for at most TUNNELS_MAX
 * levels.
 */
#include <netinet/in.h>
#include <pcap/pcap.h>

#include "../../kmod/engine/link_header.h"
#include "link.h"
#include "tunnel.h"

/* Ports of UDP, as Suricata's configuration has them. */
#define PORT_VXLAN	4789
#define PORT_GENEVE	6081

#define TYPE_ETHERNET	0x6558
#define TYPE_ERSPAN2	0x88be	/* and the first version, without a header */
#define TYPE_ERSPAN3	0x22eb

#define GRE_CHECKSUM	0x8000
#define GRE_ROUTING	0x4000
#define GRE_KEY		0x2000
#define GRE_SEQUENCE	0x1000
#define GRE_VERSION	0x0007

static uint32_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

/* An Ethernet frame at @at. */
static ssize_t ethernet(const struct payload *p, size_t at)
{
	ssize_t header;

	if (at >= p->captured)
		return -1;
	header = link_header(DLT_EN10MB, p->bytes + at, p->captured - at);
	return header < 0 ? -1 : (ssize_t)at + header;
}

static ssize_t by_type(const struct payload *p, size_t at, uint32_t type)
{
	switch (type) {
	case NFAC_TYPE_IPV4:
	case NFAC_TYPE_IPV6:
		return at;
	case TYPE_ETHERNET:
		return ethernet(p, at);
	case TYPE_ERSPAN3:
		/* 12 bytes, and 8 more where the last bit says so */
		if (p->captured < at + 12)
			return -1;
		return ethernet(p, at + (p->bytes[at + 11] & 1 ? 20 : 12));
	default:
		return -1;
	}
}

/* RFC 2784, 2890 */
static ssize_t gre(const struct payload *p)
{
	uint32_t flags, type;
	size_t at = 4;

	if (p->captured < at)
		return -1;
	flags = get16(p->bytes);
	type = get16(p->bytes + 2);
	if (flags & (GRE_VERSION | GRE_ROUTING))
		return -1;
	at += flags & GRE_CHECKSUM ? 4 : 0;
	at += flags & GRE_KEY ? 4 : 0;
	at += flags & GRE_SEQUENCE ? 4 : 0;
	/* the second version has a header of 8 bytes, and is numbered */
	if (type == TYPE_ERSPAN2)
		return ethernet(p, at + (flags & GRE_SEQUENCE ? 8 : 0));
	return by_type(p, at, type);
}

/* RFC 8926 */
static ssize_t geneve(const struct payload *p)
{
	if (p->captured < 8 || p->bytes[0] >> 6)
		return -1;
	return by_type(p, 8 + (p->bytes[0] & 0x3f) * 4, get16(p->bytes + 2));
}

static ssize_t find(const struct payload *p)
{
	switch (p->protocol) {
	case IPPROTO_IPIP:
	case IPPROTO_IPV6:
		return 0;
	case IPPROTO_GRE:
		return gre(p);
	case IPPROTO_UDP:
		/* RFC 7348: the flag says that there is a network's number */
		if (p->dport == PORT_VXLAN && p->captured > 8 && p->bytes[0] & 8)
			return ethernet(p, 8);
		if (p->dport == PORT_GENEVE)
			return geneve(p);
		return -1;
	default:
		return -1;
	}
}

ssize_t tunnel_inner(const struct payload *payload)
{
	ssize_t at = find(payload);

	return at >= 0 && (size_t)at < payload->captured ? at : -1;
}
