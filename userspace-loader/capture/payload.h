/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payload: finds a packet's TCP or UDP payload. Shared by captures and the queue; the
 * module's payload.c does the same for an skb.
 */
#ifndef _NFAC_PAYLOAD_H
#define _NFAC_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/nfac.h>

/**
 * struct payload - a packet's payload, and what identifies the packet
 * @bytes: points into the packet
 * @captured: bytes at @bytes
 * @length: bytes of the payload, more than @captured if @cut
 * @cut: the payload was truncated
 * @family: AF_INET or AF_INET6
 * @protocol: IPPROTO_*; 0: not known, because a header before it was not followed
 * @sport: host order, as @dport; 0 where there are none, or they are not known
 * @saddr: network order, an IPv4 address in the first 4 bytes; as @daddr
 * @ports: @sport and @dport are known
 * @tcp_flags: the flags byte of a TCP header
 * @tcp_ack: the acknowledgment number, host order
 * @tcp_window: the window, without its scale, host order
 * @tcp_urgent: the urgent pointer, host order
 * @tcp_seq: sequence number of the payload's first byte, host order
 * @tcp: its header, which ends at @bytes; NULL: it is no TCP segment
 * @ipv4: the IPv4 header with its options; NULL: there is none, or it is a fragment's
 * @ambiguous: it has IP options for which a receiver may discard it
 * @neighbour: skipped for its protocol: it is a message of neighbour discovery
 */
struct payload {
	const uint8_t *bytes;
	size_t captured, length;
	bool cut;
	bool ports;
	uint8_t family;
	uint8_t protocol;
	uint16_t sport, dport;
	uint8_t saddr[16], daddr[16];
	uint8_t tcp_flags;
	uint16_t tcp_urgent;
	uint16_t tcp_window;
	uint32_t tcp_ack;
	uint32_t tcp_seq;
	const uint8_t *tcp;
	const uint8_t *ipv4;
	bool ambiguous;
	bool neighbour;
};

/* How to look. */
#define PAYLOAD_RAW	(1u << 0)	/* take all past the IP headers of other protocols */
#define PAYLOAD_OFFLOAD	(1u << 1)	/* it may be a GSO packet, whose IP header may have */
					/* a length of 0 */
#define PAYLOAD_GSO	(1u << 2)	/* it is one: segmentation rewrites a UDP length */

/**
 * payload_locate() - find the payload of an IP packet
 * @packet: from the IP header on
 * @there: bytes
 * @sent: bytes that the packet had when it was sent, @there or more
 * @flags: PAYLOAD_*
 * @payload: filled as far as the headers were read, also on failure
 * @why: on failure, the reason
 *
 * Bytes past the length in the IP header are padding, and not payload.
 *
 * Return: true if there is a payload, possibly empty.
 */
bool payload_locate(const uint8_t *packet, size_t there, size_t sent, unsigned int flags,
		    struct payload *payload, enum nfac_skip *why);

/* Is a TCP segment's checksum right? False if the segment was truncated. */
bool payload_checksum(const struct payload *payload);

/*
 * May the packet's IP header be as it was sent? Not if IPv4's checksum is wrong; one of 0 is
 * yet to be computed, by a network card.
 */
bool payload_header_sound(const struct payload *payload);

/*
 * Is a TCP segment's checksum yet to be computed? Then its field holds the sum of the
 * addresses, and a network card adds the rest; the kernel writes the same where it has put
 * received segments together (GRO).
 */
bool payload_unready(const struct payload *payload);

struct nfac_window;

/* Its addresses as programs compare them: an IPv4 address is mapped (::ffff:a.b.c.d). */
void payload_addresses(const struct payload *payload, uint8_t source[16], uint8_t target[16]);

/* Its header fields, for the conditions of rules. */
void payload_fields(const struct payload *payload, struct nfac_window *window);
void payload_field(struct nfac_window *window, unsigned int field, uint32_t value);
uint32_t payload_get16(const uint8_t *at);

/* Fill in the members of an event that describe its packet. */
void payload_describe(const struct payload *payload, struct nfac_event *event);

/* Name of a reason, as in sysfs without "skipped_". */
const char *skip_name(enum nfac_skip why);

#endif /* _NFAC_PAYLOAD_H */
