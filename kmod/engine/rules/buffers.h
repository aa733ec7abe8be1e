/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Buffers: the parts of a window that conditions are evaluated in, and the memory that decoded
 * ones take. What the files of this folder share.
 *
 * A parser fills the slices of one message (an HTTP request or response, a DNS query, a TLS
 * handshake) at their first use; they stay until the interpreter moves on to the next message.
 */
#ifndef _NFAC_RULES_BUFFERS_H
#define _NFAC_RULES_BUFFERS_H

#include "../match/memory.h"
#include "../scan.h"
#include "rules.h"

/* What is known of a buffer. */
enum nfac_slice_state {
	NFAC_SLICE_ABSENT,	/* the message has no such part */
	NFAC_SLICE_WHOLE,
	NFAC_SLICE_PART,	/* more of it may come */
};

/**
 * struct nfac_slice - a buffer of the current message
 * @at: in the window, or in decoded memory
 * @length: bytes
 * @state: enum nfac_slice_state
 */
struct nfac_slice {
	const u8 *at;
	u32 length;
	u8 state;
};

/* A content that the interpreter may have to look for again, behind the place where it was. */
struct nfac_retry {
	u32 condition;	/* word offset in the program */
	u32 base;	/* where the match before it ended */
	u32 resume;	/* where the next search begins */
};

#define NFAC_HTTP_HEADERS_MAX	256u	/* of a message: many servers take 100 to 128 */

/**
 * struct nfac_rules_scratch - see rules.h
 * @window: evaluated over
 * @left: bytes that may still be examined
 * @budget: bytes when the window began
 * @granted: @budget has grown by an unpacked body
 * @app: application protocol of the window
 * @message: index of the parsed message + 1; 0: none
 * @present: the first message is one of the protocol
 * @begin: offset in the window of its first byte
 * @end: one past its last byte; of the window where it goes on
 * @more: the message may go on in bytes to come
 * @request: HTTP: a request, else a response
 * @slice: the message's buffers, by enum nfac_buffer
 * @changed: a bit for each buffer (enum nfac_buffer) that has other bytes than the window
 * @uri_host: HTTP: of the host in the request's URI, which is the request's; else empty
 * @uri_host_length: its bytes
 * @headers: lines of the head
 * @header_at: where each begins in the window; with the highest bit set, in @decoded
 * @header_hash: of its name, in lower case
 * @full: a buffer of the message found no room in @decoded, or had too many lines: it is not whole
 * @used: bytes of @decoded that slices, and the transform in use, point into
 * @variable: byte_extract and byte_math results of the program that runs
 * @program: word offset of the program that runs
 * @lost: conditions of it that follow one of user space were not checked
 * @farthest: word of the condition that failed in the attempt that came farthest
 * @retry: stack of the backtracking search
 * @decoded: normalised and joined bytes
 * @own: lent to the inspecting function
 * @scan: of a decoded buffer
 * @match: of the matcher, which reads decoded buffers
 */
struct nfac_rules_scratch {
	const struct nfac_window *window;
	s64 left;
	u64 budget;
	bool granted;
	u8 app;
	u32 message;
	bool present;
	u32 begin;
	u32 end;
	bool more;
	bool request;
	struct nfac_slice slice[NFAC_BUFFER_MAX];
	u64 changed;
	const u8 *uri_host;
	u32 uri_host_length;
	u32 headers;
	u32 header_at[NFAC_HTTP_HEADERS_MAX];
	u8 header_hash[NFAC_HTTP_HEADERS_MAX];
	bool full;
	u32 used;
	u64 variable[NFAC_PROGRAM_VARIABLES];
	u32 program;
	bool lost;
	u32 farthest;
	struct nfac_retry retry[NFAC_PROGRAM_CONDITIONS_MAX];
	u8 decoded[NFAC_RULES_DECODED_MAX];
	struct nfac_window own;
	struct nfac_scan scan;
	struct nfac_match_memory match;
};

/* White space of ASCII: blanks, tabs, line ends, form feeds. */
static __always_inline bool nfac_is_space(u8 c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Take @bytes of the budget. False: it is used up. */
static __always_inline bool nfac_rules_spend(struct nfac_rules_scratch *s, u32 bytes)
{
	s->left -= bytes;
	return s->left >= 0;
}

static inline void nfac_slice_set(struct nfac_rules_scratch *s, enum nfac_buffer buffer,
				  const u8 *at, u32 length, enum nfac_slice_state state)
{
	s->slice[buffer].at = at;
	s->slice[buffer].length = length;
	s->slice[buffer].state = state;
}

/* Append a byte to the decoded memory. False: it is full. */
static __always_inline bool nfac_decoded_put(struct nfac_rules_scratch *s, u8 byte)
{
	if (s->used == NFAC_RULES_DECODED_MAX) {
		s->full = true;
		return false;
	}
	s->decoded[s->used++] = byte;
	return true;
}

/* IPPROTO_TCP and others, which have their header elsewhere in each environment. */
#define IP_TCP		6u
#define IP_UDP		17u
#define IP_ICMP		1u
#define IP_ICMPV6	58u

/* Protocols that have no ports. */
static __always_inline bool nfac_is_icmp(u8 protocol)
{
	return protocol == IP_ICMP || protocol == IP_ICMPV6;
}

static __always_inline u8 nfac_lower(u8 c)
{
	return (u8)(c - 'A') < 26 ? c | 0x20 : c;
}

static __always_inline u32 nfac_be16(const u8 *at)
{
	return (u32)at[0] << 8 | at[1];
}

static __always_inline u32 nfac_be24(const u8 *at)
{
	return (u32)at[0] << 16 | nfac_be16(at + 1);
}

/* Value of a hexadecimal digit, or 16. */
static inline u32 nfac_hex(u8 c)
{
	if ((u8)(c - '0') < 10)
		return c - '0';
	c = nfac_lower(c);
	return (u8)(c - 'a') < 6 ? c - 'a' + 10u : 16;
}

/* The number of two hexadecimal digits; above 0xff: one is no digit. */
static inline u32 nfac_hex2(const u8 *at)
{
	const u32 high = nfac_hex(at[0]), low = nfac_hex(at[1]);

	return (high | low) < 16 ? high << 4 | low : 0x100;
}

/* The byte that "%XX" at @at stands for (RFC 3986, 2.1); above 0xff: @at begins no "%XX". */
static inline u32 nfac_percent(const u8 *at, u32 length)
{
	return length >= 3 && at[0] == '%' ? nfac_hex2(at + 1) : 0x100;
}

/* The character that "%uXXXX" at @at stands for; above 0xffff: @at begins no "%uXXXX". */
static inline u32 nfac_percent_u(const u8 *at, u32 length)
{
	if (length < 6 || at[0] != '%' || nfac_lower(at[1]) != 'u' ||
	    (nfac_hex2(at + 2) | nfac_hex2(at + 4)) > 0xff)
		return 0x10000;
	return nfac_hex2(at + 2) << 8 | nfac_hex2(at + 4);
}

/*
 * The parsers: fill the slices of the message that begins at s->begin, and s->end. Return: false:
 * there is no such message. Each reads a byte at most a constant number of times.
 */
bool nfac_http_parse(struct nfac_rules_scratch *s);
bool nfac_dns_parse(struct nfac_rules_scratch *s);
bool nfac_tls_parse(struct nfac_rules_scratch *s);
bool nfac_ssh_parse(struct nfac_rules_scratch *s);

/* Do the window's bytes begin as this protocol does? */
bool nfac_http_begins(const u8 *at, u32 length);
bool nfac_http_may_begin(const u8 *at, u32 length);
bool nfac_dns_begins(const struct nfac_window *window);
bool nfac_tls_begins(const u8 *at, u32 length);

#endif /* _NFAC_RULES_BUFFERS_H */
