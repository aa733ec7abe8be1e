/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Header options for which a receiver may discard a packet that is sound otherwise.
 *
 * A stream's follower cannot know whether the receiver accepts such a segment, so the segment does
 * not count as the first copy of its bytes. Every receiver accepts padding.
 *
 * Freestanding: module and queue use this file.
 */
#ifndef _NFAC_HEADER_OPTIONS_H
#define _NFAC_HEADER_OPTIONS_H

#include "freestanding.h"

/* Kinds of TCP options (RFC 9293, 2385, 5925), the first two also of IPv4 (RFC 791). */
#define NFAC_OPTION_END		0
#define NFAC_OPTION_NOP		1
#define NFAC_OPTION_SCALE	3
#define NFAC_OPTION_STAMPS	8
#define NFAC_OPTION_MD5		19
#define NFAC_OPTION_AO		29

/* And of IPv6 (RFC 8200). Linux takes no more of them than align what follows. */
#define NFAC_OPTION_PAD1	0
#define NFAC_OPTION_PADN	1
#define NFAC_OPTION_JUMBO	194
#define NFAC_IPV6_PADDED	8u	/* bytes of an options header that has nothing else */

/*
 * IPv6 extension headers that are followed. RFC 8200 names seven, each at most
 * once but one; more of them cost time, or hide the payload.
 */
#define NFAC_EXT_HEADERS_MAX	8

/* Types of IPv6 extension headers (RFC 8200). */
#define NFAC_HEADER_HOP		0
#define NFAC_HEADER_OPTIONS	60

/* ICMPv6 (RFC 4443), and its messages of neighbour discovery (RFC 4861). */
#define NFAC_PROTOCOL_ICMPV6	58
#define NFAC_ND_FIRST		133
#define NFAC_ND_LAST		137
#define NFAC_ND_HOP_LIMIT	255

/**
 * nfac_neighbour_discovery() - is an IPv6 packet a message of neighbour discovery?
 * @protocol: IPPROTO_* behind the extension headers
 * @type: the first byte behind them
 * @hop_limit: of the IPv6 header. Receivers discard such a message with another one than 255,
 *	because a router has forwarded it
 *
 * Context: any.
 */
static inline bool nfac_neighbour_discovery(u8 protocol, u8 type, u8 hop_limit)
{
	return protocol == NFAC_PROTOCOL_ICMPV6 && type >= NFAC_ND_FIRST && type <= NFAC_ND_LAST &&
	       hop_limit == NFAC_ND_HOP_LIMIT;
}

/**
 * nfac_ipv4_ambiguous() - is there an option in an IPv4 header?
 * @options: of the header
 * @bytes: of @options, 0 .. 40
 *
 * Linux evaluates source routes, timestamps and labels behind the hook; other receivers may
 * discard the packet.
 *
 * Context: any.
 */
static inline bool nfac_ipv4_ambiguous(const u8 *options, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes && options[i] == NFAC_OPTION_NOP; i++)
		;
	return i < bytes && options[i] != NFAC_OPTION_END;
}

/**
 * nfac_ipv6_ambiguous() - does an IPv6 extension header have more to it than its length?
 * @type: of it, NFAC_HEADER_* or another one's
 * @header: its first NFAC_IPV6_PADDED bytes
 * @before: headers before it
 * @big: of a GSO packet past 64 KiB: Linux says so in its first header, until it is cut
 *
 * Linux may evaluate hop-by-hop options behind the hook: on a bridge, or where it sends the
 * packet. Only the first header has them. A routing header that is at its end is skipped by
 * Linux; OpenBSD takes none of the oldest type.
 *
 * Context: any.
 */
static inline bool nfac_ipv6_ambiguous(u8 type, const u8 *header, u32 before, bool big)
{
	u32 i;

	if (type != NFAC_HEADER_OPTIONS && (type != NFAC_HEADER_HOP || before))
		return true;
	if (header[1])
		return true;
	if (big && type == NFAC_HEADER_HOP && header[2] == NFAC_OPTION_JUMBO)
		return false;
	for (i = 2; i < NFAC_IPV6_PADDED && header[i] == NFAC_OPTION_PAD1; i++)
		;
	if (i == NFAC_IPV6_PADDED)
		return false;
	if (header[i] != NFAC_OPTION_PADN || i + 1 == NFAC_IPV6_PADDED ||
	    i + 2 + header[i + 1] != NFAC_IPV6_PADDED)
		return true;
	for (i += 2; i < NFAC_IPV6_PADDED; i++)
		if (header[i])
			return true;
	return false;
}

/**
 * struct nfac_stamps - the timestamps of a TCP segment (RFC 7323), host order
 * @value: TSval, the sender's clock
 * @echo: TSecr: with ACK the TSval that the sender has remembered of the other side
 * @there: it has them
 */
struct nfac_stamps {
	u32 value;
	u32 echo;
	bool there;
};

/* An option's @at is not aligned. */
static inline u32 nfac_option_word(const u8 *at)
{
	return (u32)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static inline void nfac_stamps_read(const u8 *option, struct nfac_stamps *stamps)
{
	stamps->value = nfac_option_word(option + 2);
	stamps->echo = nfac_option_word(option + 6);
	stamps->there = true;
}

/**
 * nfac_tcp_options() - read a TCP header's options
 * @options: of the header
 * @bytes: of @options, 0 .. 40
 * @stamps: filled in; the last ones if there are several
 *
 * Context: any.
 * Return: true: a receiver may discard the segment because of them: it has a signature, which Linux
 * for one discards without notice where it expects none, or timestamps twice.
 */
static inline bool nfac_tcp_options(const u8 *options, u32 bytes, struct nfac_stamps *stamps)
{
	bool ambiguous = false;
	u32 i = 0;

	stamps->there = false;
	/* nearly all segments of a connection with timestamps (RFC 7323, appendix A) */
	if (likely(bytes == 12 && options[0] == NFAC_OPTION_NOP && options[1] == NFAC_OPTION_NOP &&
		   options[2] == NFAC_OPTION_STAMPS && options[3] == 10)) {
		nfac_stamps_read(options + 2, stamps);
		return false;
	}
	while (i < bytes && options[i] != NFAC_OPTION_END) {
		if (options[i] == NFAC_OPTION_NOP) {
			i++;
			continue;
		}
		if (options[i] == NFAC_OPTION_MD5 || options[i] == NFAC_OPTION_AO)
			return true;
		/* receivers read no further either */
		if (i + 1 == bytes || options[i + 1] < 2 || options[i + 1] > bytes - i)
			break;
		if (options[i] == NFAC_OPTION_STAMPS && options[i + 1] == 10) {
			ambiguous |= stamps->there;
			nfac_stamps_read(options + i, stamps);
		}
		i += options[i + 1];
	}
	return ambiguous;
}

/**
 * nfac_tcp_scale() - the window scale that a SYN offers (RFC 7323)
 * @options: of the header
 * @bytes: of @options, 0 .. 40
 * @none: what to return when it offers none
 *
 * Context: any.
 * Return: 0 .. 14, or @none.
 */
static inline u8 nfac_tcp_scale(const u8 *options, u32 bytes, u8 none)
{
	u32 i = 0;

	while (i < bytes && options[i] != NFAC_OPTION_END) {
		if (options[i] == NFAC_OPTION_NOP) {
			i++;
			continue;
		}
		if (i + 1 == bytes || options[i + 1] < 2 || options[i + 1] > bytes - i)
			break;
		/* larger ones count as the largest */
		if (options[i] == NFAC_OPTION_SCALE && options[i + 1] == 3)
			return options[i + 2] > 14 ? 14 : options[i + 2];
		i += options[i + 1];
	}
	return none;
}

#endif /* _NFAC_HEADER_OPTIONS_H */
