/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link headers: what an Ethernet or PPP frame has in front of its IP header.
 *
 * Freestanding: the module's hooks at devices and bridges, and the tool's captures use this file.
 * The caller gives the bytes that it has; no byte behind them is read. Cost: one step for each
 * VLAN tag or MPLS label, and each is 4 bytes.
 */
#ifndef _NFAC_LINK_HEADER_H
#define _NFAC_LINK_HEADER_H

#include "freestanding.h"

/* Types of Ethernet frames (IEEE 802 numbers). */
#define NFAC_TYPE_IPV4		0x0800
#define NFAC_TYPE_IPV6		0x86dd
#define NFAC_TYPE_MPLS		0x8847
#define NFAC_TYPE_MPLS_MULTI	0x8848
#define NFAC_TYPE_PPPOE		0x8864	/* a session's frames */

/* Protocols of PPP, whose first byte is 0 and may be left out. */
#define NFAC_PPP_IPV4		0x21
#define NFAC_PPP_IPV6		0x57

enum nfac_link_result {
	NFAC_LINK_IP,
	NFAC_LINK_OTHER,	/* neither IPv4 nor IPv6 */
	NFAC_LINK_CUT,		/* the bytes end before an IP header begins */
};

/**
 * struct nfac_link - a frame's way to its IP header
 *
 * On the stack of the caller, which sets @bytes and @there, and all else to 0.
 *
 * @bytes: of the frame
 * @there: how many of them can be read
 * @at: offset of what follows, in the end that of the IP header
 * @id: of the VLANs and the PPPoE session, 0 without: the same addresses on two of them are two
 *	hosts. VLAN 0 is a priority alone. Labels of MPLS have two values for two directions, and
 *	do not count
 * @version: 4 or 6; 0: the frame does not say, as with MPLS
 */
struct nfac_link {
	const u8 *bytes;
	u32 there;
	u32 at;
	u64 id;
	u8 version;
};

static inline void nfac_link_within(struct nfac_link *link, u16 id)
{
	link->id = (link->id << 16 | link->id >> 48) ^ id;
}

static inline u16 nfac_link_get16(const struct nfac_link *link, u32 at)
{
	return link->bytes[at] << 8 | link->bytes[at + 1];
}

/* 802.1Q, 802.1ad, and what was used before there was 802.1ad */
static inline bool nfac_link_is_tag(u16 type)
{
	return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200;
}

static inline enum nfac_link_result nfac_link_ip(struct nfac_link *link, u8 version)
{
	link->version = version;
	return link->at < link->there ? NFAC_LINK_IP : NFAC_LINK_CUT;
}

/**
 * nfac_link_ppp() - go past a PPP header
 * @link: the frame, @link->at where the header begins
 *
 * Address and control (RFC 1662) may have been left out, and so may the first byte of the
 * protocol, which is 0 (RFC 1661, 6.5).
 *
 * Context: any.
 */
static inline enum nfac_link_result nfac_link_ppp(struct nfac_link *link)
{
	u8 protocol;

	if (link->at + 1 < link->there && link->bytes[link->at] == 0xff &&
	    link->bytes[link->at + 1] == 3)
		link->at += 2;
	else if (link->at + 1 == link->there && link->bytes[link->at] == 0xff)
		return NFAC_LINK_CUT;
	if (link->at < link->there && !link->bytes[link->at])
		link->at++;
	if (link->at >= link->there)
		return NFAC_LINK_CUT;
	protocol = link->bytes[link->at++];
	if (protocol == NFAC_PPP_IPV4)
		return nfac_link_ip(link, 4);
	if (protocol == NFAC_PPP_IPV6)
		return nfac_link_ip(link, 6);
	return NFAC_LINK_OTHER;
}

/* Skip the labels; a bit marks the last one. No field names the protocol behind them. */
static inline enum nfac_link_result nfac_link_mpls(struct nfac_link *link)
{
	while (link->there >= link->at + 4) {
		link->at += 4;
		if (link->bytes[link->at - 2] & 1)
			return nfac_link_ip(link, 0);
	}
	return NFAC_LINK_CUT;
}

/**
 * nfac_link_type() - go past all that an Ethernet type announces
 * @link: the frame, @link->at behind the type
 * @type: host order
 *
 * VLAN tags, as many as there are; then IP, PPPoE or MPLS.
 *
 * Context: any.
 */
static inline enum nfac_link_result nfac_link_type(struct nfac_link *link, u16 type)
{
	while (nfac_link_is_tag(type)) {
		if (link->there < link->at + 4)
			return NFAC_LINK_CUT;
		nfac_link_within(link, nfac_link_get16(link, link->at) & 0xfff);
		type = nfac_link_get16(link, link->at + 2);
		link->at += 4;
	}
	switch (type) {
	case NFAC_TYPE_IPV4:
		return nfac_link_ip(link, 4);
	case NFAC_TYPE_IPV6:
		return nfac_link_ip(link, 6);
	case NFAC_TYPE_PPPOE:
		if (link->there < link->at + 6)
			return NFAC_LINK_CUT;
		nfac_link_within(link, nfac_link_get16(link, link->at + 2));
		link->at += 6;
		return nfac_link_ppp(link);
	case NFAC_TYPE_MPLS:
	case NFAC_TYPE_MPLS_MULTI:
		return nfac_link_mpls(link);
	}
	return NFAC_LINK_OTHER;
}

#endif /* _NFAC_LINK_HEADER_H */
