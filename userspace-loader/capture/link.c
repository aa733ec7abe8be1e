// SPDX-License-Identifier: GPL-2.0
/*
 * Link layers: the offset of the IP header in a frame, by the capture's link type.
 *
 * capture.c and tunnel.c call link_header(). VLAN, PPPoE and MPLS are kmod/engine/link_header.h's,
 * as in the module's frames. No byte past the captured ones is read.
 */
#include <pcap/pcap.h>
#include <string.h>

#include "../../kmod/engine/link_header.h"
#include "link.h"

/* LINKTYPE_RAW of files, where libpcap does not turn it into DLT_RAW. */
#define LINKTYPE_RAW	101

/* Frame control of 802.11: of its first byte, of its second; QoS control. */
#define WIFI_QOS	0x80
#define WIFI_BRIDGED	0x03
#define WIFI_PROTECTED	0x40
#define WIFI_ORDER	0x80
#define WIFI_AMSDU	0x80

/* Fields of radiotap; of its flags: the header of 802.11 fills 4 bytes up. */
#define RADIOTAP_TIME	0x01
#define RADIOTAP_FLAGS	0x02
#define RADIOTAP_PADDED	0x20

#define NFLOG_PAYLOAD	9

/* Where the IP header begins, of the version that the headers before it say; or LINK_*. */
static ssize_t placed(const struct nfac_link *link, enum nfac_link_result result)
{
	uint8_t version;

	if (result == NFAC_LINK_CUT || (result == NFAC_LINK_IP && link->there <= link->at))
		return LINK_CUT;
	if (result != NFAC_LINK_IP)
		return LINK_OTHER;
	version = link->bytes[link->at] >> 4;
	if (link->version ? version != link->version : version != 4 && version != 6)
		return LINK_OTHER;
	return link->at;
}

/* Past a header of @bytes that does not say which IP follows. */
static ssize_t past_bytes(struct nfac_link *link, size_t bytes)
{
	link->at = bytes;
	return placed(link, NFAC_LINK_IP);
}

static ssize_t past_ppp(struct nfac_link *link, size_t at)
{
	link->at = at;
	return placed(link, nfac_link_ppp(link));
}

/* Past a header that ends with an Ethernet type, at @at. */
static ssize_t past_header(struct nfac_link *link, size_t at)
{
	if (link->there < at + 2)
		return LINK_CUT;
	link->at = at + 2;
	return placed(link, nfac_link_type(link, nfac_link_get16(link, at)));
}

/* Here the type comes first, and what it speaks of behind the rest of the header. */
static ssize_t past_sll2(struct nfac_link *link)
{
	if (link->there < 20)
		return LINK_CUT;
	link->at = 20;
	return placed(link, nfac_link_type(link, nfac_link_get16(link, 0)));
}

/* Logical link control: SNAP with a type of Ethernet's (RFC 1042). */
static ssize_t past_llc(struct nfac_link *link, size_t at)
{
	static const uint8_t snap[] = { 0xaa, 0xaa, 3, 0, 0, 0 };
	size_t length = sizeof(snap);

	if (link->there < at + length)
		length = link->there > at ? link->there - at : 0;
	if (memcmp(link->bytes + at, snap, length))
		return LINK_OTHER;
	return past_header(link, at + sizeof(snap));
}

/* 802.11: frame control, addresses, QoS and HT control. */
static ssize_t past_wifi(struct nfac_link *link, size_t start, bool padded)
{
	uint8_t type, flags;
	size_t head = 24, there = link->there;
	const uint8_t *frame = link->bytes;

	if (there < start + 2)
		return LINK_CUT;
	type = frame[start];
	flags = frame[start + 1];
	/* version 0, data, and not one of the subtypes without a body */
	if ((type & 0x4f) != 8)
		return LINK_OTHER;
	if (flags & WIFI_PROTECTED)
		return LINK_ENCRYPTED;
	if ((flags & WIFI_BRIDGED) == WIFI_BRIDGED)
		head += 6;
	if (type & WIFI_QOS) {
		/* aggregated: frames with headers of their own */
		if (there > start + head && frame[start + head] & WIFI_AMSDU)
			return LINK_OTHER;
		head += flags & WIFI_ORDER ? 6 : 2;
	}
	if (padded)
		head = (head + 3) & ~(size_t)3;
	/* a later fragment has no header behind this one */
	if (there > start + 22 && frame[start + 22] & 0xf)
		return LINK_OTHER;
	return past_llc(link, start + head);
}

/* Of radiotap's fields only the flags matter here, which follow the 8-byte time stamp. */
static ssize_t past_radiotap(struct nfac_link *link)
{
	size_t length, at = 4, there = link->there;
	const uint8_t *frame = link->bytes;
	bool padded = false;
	uint8_t present;

	if (there < 8)
		return LINK_CUT;
	length = frame[2] | frame[3] << 8;
	if (frame[0] || length < 8)
		return LINK_OTHER;
	present = frame[4];
	while (at + 4 <= there && at + 4 <= length && frame[at + 3] & 0x80)
		at += 4;
	at += 4;
	if (present & RADIOTAP_TIME)
		at = ((at + 7) & ~(size_t)7) + 8;
	if (present & RADIOTAP_FLAGS && at < there && at < length)
		padded = frame[at] & RADIOTAP_PADDED;
	return past_wifi(link, length, padded);
}

/*
 * netfilter's log: attributes in the byte order of the host that captured. Types are below 256,
 * so a type reveals the order.
 */
static ssize_t past_nflog(struct nfac_link *link)
{
	const uint8_t *frame = link->bytes;
	size_t at = 4, length;
	bool big;

	while (link->there >= at + 4) {
		big = frame[at + 3];
		length = big ? nfac_link_get16(link, at) : frame[at] | frame[at + 1] << 8;
		if (length < 4)
			return LINK_OTHER;
		if (frame[at + 2 + big] == NFLOG_PAYLOAD)
			return past_bytes(link, at + 4);
		at += (length + 3) & ~(size_t)3;
	}
	return LINK_CUT;
}

ssize_t link_header(int type, const uint8_t *frame, size_t there)
{
	struct nfac_link link = { .bytes = frame, .there = there };

	switch (type) {
	case DLT_EN10MB:
		return past_header(&link, 12);
	case DLT_LINUX_SLL:
		return past_header(&link, 14);
	case DLT_LINUX_SLL2:
		return past_sll2(&link);
	case DLT_NULL:
	case DLT_LOOP:
		/* an address family of the host that captured, in its byte order */
		return past_bytes(&link, 4);
	case DLT_PPP:
	case DLT_PPP_SERIAL:
		return past_ppp(&link, 0);
	case DLT_PPP_ETHER:
		return past_ppp(&link, 6);
	case DLT_IEEE802_11:
		return past_wifi(&link, 0, false);
	case DLT_IEEE802_11_RADIO:
		return past_radiotap(&link);
	case DLT_NFLOG:
		return past_nflog(&link);
	default:	/* raw IP */
		return past_bytes(&link, 0);
	}
}

bool link_known(int link)
{
	switch (link) {
	case DLT_EN10MB:
	case DLT_LINUX_SLL:
	case DLT_LINUX_SLL2:
	case DLT_NULL:
	case DLT_LOOP:
	case DLT_PPP:
	case DLT_PPP_SERIAL:
	case DLT_PPP_ETHER:
	case DLT_IEEE802_11:
	case DLT_IEEE802_11_RADIO:
	case DLT_NFLOG:
	case DLT_RAW:
	case LINKTYPE_RAW:
	case DLT_IPV4:
	case DLT_IPV6:
		return true;
	}
	return false;
}
