// SPDX-License-Identifier: GPL-2.0
/*
 * The payload of an IP packet, and its checksum.
 *
 * capture.c and inspect.c call payload_locate(). No length in a header is used before it was
 * compared with the bytes that are there. What the module's payload.c decides for an skb is
 * decided the same way here; selftests/t/queue_agree.sh compares them.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "../../kmod/engine/header_options.h"
#include "payload.h"

#define IPV4_HEADER	20
#define IPV6_HEADER	40
#define TCP_HEADER	20
#define UDP_HEADER	8
#define FRAGMENT_HEADER	8

static uint16_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)get16(at) << 16 | get16(at + 2);
}

/* The rest of a packet, as its headers are removed one by one. */
struct rest {
	const uint8_t *at;
	size_t captured;
	size_t length;	/* according to the headers */
};

static void take(struct rest *rest, size_t bytes)
{
	rest->at += bytes;
	rest->captured -= bytes;
	rest->length -= bytes;
}

/* IPv6 extension headers. */
static bool is_extension(uint8_t protocol)
{
	return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_ROUTING ||
	       protocol == IPPROTO_DSTOPTS || protocol == IPPROTO_FRAGMENT ||
	       protocol == IPPROTO_AH;
}

static bool skip(struct payload *payload, enum nfac_skip *why, enum nfac_skip reason)
{
	*why = reason;
	/* not known behind an extension header that was not followed */
	if (payload->family == AF_INET6 && is_extension(payload->protocol))
		payload->protocol = 0;
	return false;
}

/* Protocols that begin with ports as TCP and UDP do, but are not inspected. */
static bool has_ports(uint8_t protocol)
{
	return protocol == IPPROTO_UDPLITE || protocol == IPPROTO_SCTP ||
	       protocol == IPPROTO_DCCP;
}

static void set_ports(const struct rest *rest, struct payload *payload)
{
	payload->sport = get16(rest->at);
	payload->dport = get16(rest->at + 2);
	payload->ports = true;
}

static bool transport(struct rest *rest, unsigned int flags, struct payload *payload,
		      enum nfac_skip *why)
{
	size_t header = 0, length;

	if (payload->protocol == IPPROTO_TCP) {
		if (rest->captured < TCP_HEADER || rest->length < TCP_HEADER)
			return skip(payload, why, NFAC_SKIP_TRUNCATED);
		set_ports(rest, payload);
		header = (rest->at[12] >> 4) * 4;
		if (header < TCP_HEADER || header > rest->captured || header > rest->length)
			return skip(payload, why, NFAC_SKIP_TRUNCATED);
		payload->tcp = rest->at;
		payload->tcp_flags = rest->at[13];
		payload->tcp_urgent = get16(rest->at + 18);
		payload->tcp_seq = get32(rest->at + 4);
		payload->tcp_ack = get32(rest->at + 8);
		payload->tcp_window = get16(rest->at + 14);
		/* a SYN takes a sequence number of its own before the payload */
		if (payload->tcp_flags & 2)
			payload->tcp_seq++;
	} else if (payload->protocol == IPPROTO_UDP) {
		if (rest->captured < UDP_HEADER || rest->length < UDP_HEADER)
			return skip(payload, why, NFAC_SKIP_TRUNCATED);
		set_ports(rest, payload);
		header = UDP_HEADER;
		length = get16(rest->at + 4);
		/* 0 means a jumbogram (RFC 2675); over IPv6 Linux accepts any length */
		if (!length && (payload->family == AF_INET6 || rest->length > UINT16_MAX))
			length = rest->length;
		if (flags & PAYLOAD_GSO)
			length = rest->length;
		if (length < UDP_HEADER || length > rest->length)
			return skip(payload, why, NFAC_SKIP_TRUNCATED);
		rest->length = length;
	} else {
		if (rest->captured >= 4 && rest->length >= 4 && has_ports(payload->protocol))
			set_ports(rest, payload);
		if (!(flags & PAYLOAD_RAW))
			return skip(payload, why, NFAC_SKIP_PROTOCOL);
	}
	take(rest, header);
	payload->bytes = rest->at;
	payload->cut = rest->captured < rest->length;
	payload->length = rest->length;
	payload->captured = payload->cut ? rest->captured : rest->length;
	return true;
}

static bool ipv4(struct rest *rest, unsigned int flags, struct payload *payload,
		 enum nfac_skip *why)
{
	size_t header, total;

	payload->family = AF_INET;
	if (rest->captured < IPV4_HEADER)
		return skip(payload, why, NFAC_SKIP_TRUNCATED);
	header = (rest->at[0] & 15) * 4;
	total = get16(rest->at + 2);
	if (!total && flags & PAYLOAD_OFFLOAD)
		total = rest->length;
	if (header < IPV4_HEADER || header > rest->captured || header > total ||
	    total > rest->length)
		return skip(payload, why, NFAC_SKIP_TRUNCATED);
	memcpy(payload->saddr, rest->at + 12, 4);
	memcpy(payload->daddr, rest->at + 16, 4);
	payload->protocol = rest->at[9];
	if (get16(rest->at + 6) & 0x3fff)
		return skip(payload, why, NFAC_SKIP_FRAGMENT);
	payload->ipv4 = rest->at;
	payload->ambiguous = nfac_ipv4_ambiguous(rest->at + IPV4_HEADER, header - IPV4_HEADER);
	rest->length = total;
	take(rest, header);
	return transport(rest, flags, payload, why);
}

static bool ipv6(struct rest *rest, unsigned int flags, struct payload *payload,
		 enum nfac_skip *why)
{
	unsigned int headers = 0, whole = 0;
	uint8_t hop_limit;
	bool big = false;
	size_t length;

	payload->family = AF_INET6;
	if (rest->captured < IPV6_HEADER)
		return skip(payload, why, NFAC_SKIP_TRUNCATED);
	memcpy(payload->saddr, rest->at + 8, 16);
	memcpy(payload->daddr, rest->at + 24, 16);
	payload->protocol = rest->at[6];
	hop_limit = rest->at[7];
	length = get16(rest->at + 4);
	take(rest, IPV6_HEADER);
	/* a jumbogram has 0 */
	if (!length && (payload->protocol == IPPROTO_HOPOPTS || flags & PAYLOAD_OFFLOAD)) {
		length = rest->length;
		big = flags & PAYLOAD_OFFLOAD && length > UINT16_MAX;
		/* Linux takes it without a jumbogram's option too, others do not (RFC 2675) */
		payload->ambiguous = !big;
	}
	if (length > rest->length)
		return skip(payload, why, NFAC_SKIP_TRUNCATED);
	rest->length = length;
	while (is_extension(payload->protocol)) {
		if (headers++ == NFAC_EXT_HEADERS_MAX)
			return skip(payload, why, NFAC_SKIP_TOO_DEEP);
		if (rest->captured < 8 || rest->length < 8)
			return skip(payload, why, NFAC_SKIP_TRUNCATED);
		if (payload->protocol == IPPROTO_FRAGMENT) {
			length = FRAGMENT_HEADER;
			payload->protocol = rest->at[0];
			/* neither offset nor more fragments: the whole packet (RFC 6946) */
			if (get16(rest->at + 2) & 0xfff9)
				return skip(payload, why, NFAC_SKIP_FRAGMENT);
			payload->ambiguous |= whole++;
		} else {
			payload->ambiguous |= nfac_ipv6_ambiguous(payload->protocol, rest->at,
								  headers - 1, big);
			length = payload->protocol == IPPROTO_AH ?
				 (rest->at[1] + 2) * 4 : (rest->at[1] + 1) * 8;
			payload->protocol = rest->at[0];
		}
		if (length > rest->captured || length > rest->length)
			return skip(payload, why, NFAC_SKIP_TRUNCATED);
		take(rest, length);
	}
	if (transport(rest, flags, payload, why))
		return true;
	payload->neighbour = rest->captured && rest->length &&
			     nfac_neighbour_discovery(payload->protocol, *rest->at, hop_limit);
	return false;
}

bool payload_locate(const uint8_t *packet, size_t there, size_t sent, unsigned int flags,
		    struct payload *payload, enum nfac_skip *why)
{
	struct rest rest = { .at = packet, .captured = there, .length = sent };

	memset(payload, 0, sizeof(*payload));
	if (there && packet[0] >> 4 == 4)
		return ipv4(&rest, flags, payload, why);
	if (there && packet[0] >> 4 == 6)
		return ipv6(&rest, flags, payload, why);
	return skip(payload, why, there ? NFAC_SKIP_PROTOCOL : NFAC_SKIP_TRUNCATED);
}

/* The Internet checksum's sum (RFC 1071), not folded yet. */
static uint64_t add_bytes(uint64_t sum, const uint8_t *at, size_t bytes)
{
	size_t i;

	for (i = 0; i + 1 < bytes; i += 2)
		sum += get16(at + i);
	return bytes & 1 ? sum + (at[bytes - 1] << 8) : sum;
}

static uint16_t folded(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* The sum of the pseudo header in a TCP segment's checksum (RFC 9293, 3.1). */
static uint64_t pseudo_header(const struct payload *payload)
{
	size_t address = payload->family == AF_INET6 ? 16 : 4;
	size_t bytes = payload->bytes + payload->length - payload->tcp;
	uint64_t sum = add_bytes(IPPROTO_TCP + bytes, payload->saddr, address);

	return add_bytes(sum, payload->daddr, address);
}

bool payload_checksum(const struct payload *payload)
{
	size_t bytes = payload->bytes + payload->captured - payload->tcp;

	return !payload->cut &&
	       folded(add_bytes(pseudo_header(payload), payload->tcp, bytes)) == 0xffff;
}

bool payload_header_sound(const struct payload *payload)
{
	const uint8_t *header = payload->ipv4;

	return !header || !get16(header + 10) ||
	       folded(add_bytes(0, header, (header[0] & 15) * 4)) == 0xffff;
}

bool payload_unready(const struct payload *payload)
{
	/* one's complement has two zeros, and NAT may have made the other one */
	return get16(payload->tcp + 16) % 0xffff == folded(pseudo_header(payload)) % 0xffff;
}

void payload_describe(const struct payload *payload, struct nfac_event *event)
{
	event->payload_len = payload->length;
	event->sport = payload->sport;
	event->dport = payload->dport;
	event->family = payload->family;
	event->protocol = payload->protocol;
	memcpy(event->saddr, payload->saddr, sizeof(event->saddr));
	memcpy(event->daddr, payload->daddr, sizeof(event->daddr));
}

const char *skip_name(enum nfac_skip why)
{
	static const char *const names[NFAC_SKIP_MAX] = {
		[NFAC_SKIP_FRAGMENT] = "fragment",
		[NFAC_SKIP_TRUNCATED] = "truncated",
		[NFAC_SKIP_TOO_DEEP] = "too_deep",
		[NFAC_SKIP_PROTOCOL] = "protocol",
		[NFAC_SKIP_UNREADABLE] = "unreadable",
		[NFAC_SKIP_OUTPUT_CAP] = "output_cap",
		[NFAC_SKIP_NO_MEMORY] = "no_memory",
		[NFAC_SKIP_TABLE_FULL] = "table_full",
		[NFAC_SKIP_GAP] = "gap",
		[NFAC_SKIP_CORRUPT] = "corrupt",
		[NFAC_SKIP_BUDGET] = "budget",
		[NFAC_SKIP_WINDOW] = "window",
	};

	return (unsigned int)why < NFAC_SKIP_MAX && names[why] ? names[why] : "other";
}
