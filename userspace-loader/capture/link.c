// SPDX-License-Identifier: GPL-2.0
#include <pcap/pcap.h>
#include <string.h>

#include "link.h"

/* LINKTYPE_RAW of files, where libpcap does not turn it into DLT_RAW. */
#define LINKTYPE_RAW	101

/* Ethernet's types that something stands behind before IP does. */
#define TYPE_IPV4	0x0800
#define TYPE_IPV6	0x86dd
#define TYPE_MPLS	0x8847
#define TYPE_MPLS_MULTI	0x8848
#define TYPE_PPPOE	0x8864

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

static uint16_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static bool is_ip(uint16_t type)
{
	return type == TYPE_IPV4 || type == TYPE_IPV6;
}

/* 802.1Q, 802.1ad, and what was used before there was 802.1ad */
static bool is_tag(uint16_t type)
{
	return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200;
}

/*
 * Past a PPP header; as of each of these: 0: something else than IP, @there or more: what was
 * captured ends before. Address and control (RFC 1662) may have been left out, and so may the
 * first byte of the protocol, which is 0 (RFC 1661, 6.5).
 */
static size_t past_ppp(const uint8_t *frame, size_t there, size_t at)
{
	uint8_t protocol;

	if (there == at + 1 && frame[at] == 0xff)
		return there;
	if (there >= at + 2 && frame[at] == 0xff && frame[at + 1] == 3)
		at += 2;
	if (there > at && !frame[at])
		at++;
	if (there <= at)
		return there;
	protocol = frame[at];
	return protocol == 0x21 || protocol == 0x57 ? at + 1 : 0;
}

/* Past the labels, the last of which says so. What follows they do not tell. */
static size_t past_mpls(const uint8_t *frame, size_t there, size_t at)
{
	while (there >= at + 4) {
		at += 4;
		if (frame[at - 2] & 1)
			return at;
	}
	return there;
}

/* Past what a type of Ethernet's says that begins at @at; VLAN tags, as many as there are. */
static size_t past_type(const uint8_t *frame, size_t there, uint16_t type, size_t at)
{
	for (;;) {
		if (is_ip(type))
			return at;
		if (type == TYPE_PPPOE)
			return past_ppp(frame, there, at + 6);
		if (type == TYPE_MPLS || type == TYPE_MPLS_MULTI)
			return past_mpls(frame, there, at);
		if (!is_tag(type))
			return 0;
		if (there < at + 4)
			return there;
		type = get16(frame + at + 2);
		at += 4;
	}
}

/* Past a header that ends with such a type, at @at. */
static size_t past_header(const uint8_t *frame, size_t there, size_t at)
{
	return there < at + 2 ? there : past_type(frame, there, get16(frame + at), at + 2);
}

/* Here the type comes first, and what it speaks of behind the rest of the header. */
static size_t past_sll2(const uint8_t *frame, size_t there)
{
	return there < 20 ? there : past_type(frame, there, get16(frame), 20);
}

/* Logical link control: SNAP with a type of Ethernet's (RFC 1042). */
static size_t past_llc(const uint8_t *frame, size_t there, size_t at)
{
	static const uint8_t snap[] = { 0xaa, 0xaa, 3, 0, 0, 0 };
	size_t length = sizeof(snap);

	if (there < at + length)
		length = there > at ? there - at : 0;
	return memcmp(frame + at, snap, length) ? 0 : past_header(frame, there, at + sizeof(snap));
}

/* LINK_ENCRYPTED, too. 802.11: frame control, addresses, QoS and HT control. */
static ssize_t past_wifi(const uint8_t *frame, size_t there, size_t start, bool padded)
{
	uint8_t type, flags;
	size_t head = 24;

	if (there < start + 2)
		return there;
	type = frame[start];
	flags = frame[start + 1];
	/* version 0, data, and not one of the subtypes without a body */
	if ((type & 0x4f) != 8)
		return 0;
	if (flags & WIFI_PROTECTED)
		return LINK_ENCRYPTED;
	if ((flags & WIFI_BRIDGED) == WIFI_BRIDGED)
		head += 6;
	if (type & WIFI_QOS) {
		/* aggregated: frames with headers of their own */
		if (there > start + head && frame[start + head] & WIFI_AMSDU)
			return 0;
		head += flags & WIFI_ORDER ? 6 : 2;
	}
	if (padded)
		head = (head + 3) & ~(size_t)3;
	/* a later fragment has no header behind this one */
	if (there > start + 22 && frame[start + 22] & 0xf)
		return 0;
	return past_llc(frame, there, start + head);
}

/* Of radiotap's fields only the flags matter here, which follow the 8-byte time stamp. */
static ssize_t past_radiotap(const uint8_t *frame, size_t there)
{
	size_t length, at = 4;
	bool padded = false;
	uint8_t present;

	if (there < 8)
		return there;
	length = frame[2] | frame[3] << 8;
	if (frame[0] || length < 8)
		return 0;
	present = frame[4];
	while (at + 4 <= there && at + 4 <= length && frame[at + 3] & 0x80)
		at += 4;
	at += 4;
	if (present & RADIOTAP_TIME)
		at = ((at + 7) & ~(size_t)7) + 8;
	if (present & RADIOTAP_FLAGS && at < there && at < length)
		padded = frame[at] & RADIOTAP_PADDED;
	return past_wifi(frame, there, length, padded);
}

/*
 * netfilter's log: attributes in the byte order of the host that captured. Types are below 256,
 * so a type tells the order. Return: where the packet begins.
 */
static size_t past_nflog(const uint8_t *frame, size_t there)
{
	size_t at = 4, length;
	bool big;

	while (there >= at + 4) {
		big = frame[at + 3];
		length = big ? get16(frame + at) : frame[at] | frame[at + 1] << 8;
		if (length < 4)
			return 0;
		if (frame[at + 2 + big] == NFLOG_PAYLOAD)
			return at + 4;
		at += (length + 3) & ~(size_t)3;
	}
	return there;
}

static bool begins_ip(const uint8_t *header)
{
	return header[0] >> 4 == 4 || header[0] >> 4 == 6;
}

ssize_t link_header(int link, const uint8_t *frame, size_t there)
{
	ssize_t at = 0;

	switch (link) {
	case DLT_EN10MB:
		at = past_header(frame, there, 12);
		break;
	case DLT_LINUX_SLL:
		at = past_header(frame, there, 14);
		break;
	case DLT_LINUX_SLL2:
		at = past_sll2(frame, there);
		break;
	case DLT_NULL:
	case DLT_LOOP:
		/* an address family of the host that captured, in its byte order */
		at = 4;
		break;
	case DLT_PPP:
	case DLT_PPP_SERIAL:
		at = past_ppp(frame, there, 0);
		break;
	case DLT_PPP_ETHER:
		at = past_ppp(frame, there, 6);
		break;
	case DLT_IEEE802_11:
		at = past_wifi(frame, there, 0, false);
		break;
	case DLT_IEEE802_11_RADIO:
		at = past_radiotap(frame, there);
		break;
	case DLT_NFLOG:
		at = past_nflog(frame, there);
		break;
	default:	/* raw IP */
		if (there && begins_ip(frame))
			return 0;
		break;
	}
	if (at < 0)
		return at;
	if (there <= (size_t)at)
		return LINK_CUT;
	return at && begins_ip(frame + at) ? at : LINK_OTHER;
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
