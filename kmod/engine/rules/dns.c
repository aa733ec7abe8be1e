// SPDX-License-Identifier: GPL-2.0
/*
 * DNS: the names of a query, over UDP or TCP (RFC 1035).
 *
 * One message of the interpreter is one question of a DNS request: dns.query holds for one name.
 *
 * Cost: a name follows at most POINTERS_MAX compression pointers and has at most NAME_MAX bytes,
 * and a request QUESTIONS_MAX questions.
 */
#include "buffers.h"

#define DNS_HEADER	12u
#define NAME_MAX_BYTES	255u	/* RFC 1035, 3.1 */
#define POINTERS_MAX	16u	/* a resolver's own queries have none */
#define QUESTIONS_MAX	16u	/* resolvers send one */

/* The header's flags: a response; the operation, 0 for a query. */
#define DNS_RESPONSE	0x8000u
#define DNS_OPCODE	0x7800u
#define DNS_RESERVED	0x0040u

/* Where the DNS header is: behind the length over TCP. */
static u32 header_at(const struct nfac_window *window)
{
	return window->protocol == IP_TCP ? 2 : 0;
}

/* Is there a header with questions at @at, and room for one of them? */
static bool is_message(const struct nfac_window *window, u32 at)
{
	const u32 header = at + header_at(window);
	const u8 *h = window->bytes + header;
	u32 flags, questions;

	if (window->length < header + DNS_HEADER + 5)
		return false;
	if (header > at && nfac_be16(window->bytes + at) < DNS_HEADER + 5)
		return false;
	flags = nfac_be16(h + 2);
	questions = nfac_be16(h + 4);
	return (flags & DNS_OPCODE) <= 0x2800 && questions && questions <= QUESTIONS_MAX;
}

/* Over TCP, where only its form says what it is: messages behind each other, and no more. */
bool nfac_dns_begins(const struct nfac_window *window)
{
	u32 at = 0;

	if (window->protocol != IP_TCP)
		return is_message(window, 0) &&
		       (!(nfac_be16(window->bytes + 2) & DNS_RESERVED) ||
			(window->ports && (window->sport == 53 || window->dport == 53)));
	while (is_message(window, at)) {
		at += 2 + nfac_be16(window->bytes + at);
		if (at == window->length)
			return true;
	}
	return false;
}

/*
 * Decode the name at @at of the message @m of @length bytes, dotted and in lower case. Return:
 * offset behind it, 0: malformed.
 */
static u32 decode_name(struct nfac_rules_scratch *s, const u8 *m, u32 length, u32 at)
{
	u32 behind = 0, pointers = 0, used = 0, n;

	for (;;) {
		if (at >= length || !nfac_rules_spend(s, 1))
			return 0;
		n = m[at];
		if (n >= 0xc0) {
			if (at + 2 > length || ++pointers > POINTERS_MAX)
				return 0;
			behind = behind ? behind : at + 2;
			at = nfac_be16(m + at) & 0x3fff;
			continue;
		}
		at++;
		if (!n)
			return behind ? behind : at;
		if (n > 63 || n > length - at || used + n + 1 > NAME_MAX_BYTES)
			return 0;
		if (used && !nfac_decoded_put(s, '.'))
			return 0;
		used += n + 1;
		for (; n; n--)
			if (!nfac_rules_spend(s, 1) || !nfac_decoded_put(s, nfac_lower(m[at++])))
				return 0;
	}
}

/* Offset of the message that @at is in. */
static u32 message_at(const struct nfac_window *window, u32 at)
{
	u32 begin = 0, length;

	while (window->protocol == IP_TCP && begin + 2 <= window->length) {
		length = 2 + nfac_be16(window->bytes + begin);
		if (at < begin + length)
			break;
		begin += length;
	}
	return begin;
}

/* Offset behind the question at @at of the message @m of @length bytes, 0: it is cut off. */
static u32 behind_question(const u8 *m, u32 length, u32 at)
{
	while (at < length && m[at] && m[at] < 0xc0)
		at += 1 + m[at];
	if (at >= length)
		return 0;
	at += (m[at] ? 2 : 1) + 4;
	return at <= length ? at : 0;
}

/*
 * The next question: s->begin is its offset in the window, or that of the message whose first one
 * it is.
 */
bool nfac_dns_parse(struct nfac_rules_scratch *s)
{
	const struct nfac_window *window = s->window;
	const u32 begin = message_at(window, s->begin), first = begin + header_at(window);
	const u8 *m = window->bytes + first;
	u32 length, at = DNS_HEADER, from = s->used, left;

	if (!is_message(window, begin) || nfac_be16(m + 2) & DNS_RESPONSE)
		return false;
	length = window->length - first;
	if (first > begin && length > nfac_be16(window->bytes + begin))
		length = nfac_be16(window->bytes + begin);
	for (left = nfac_be16(m + 4) - 1; left && first + at < s->begin; left--) {
		at = behind_question(m, length, at);
		if (!at || !nfac_rules_spend(s, at))
			return false;
	}
	at = decode_name(s, m, length, at);
	if (!at || length - at < 4)
		return false;
	nfac_slice_set(s, NFAC_BUFFER_DNS_QUERY, s->decoded + from, s->used - from,
		       NFAC_SLICE_WHOLE);
	s->end = left ? first + at + 4 : first > begin ? first + length : window->length;
	s->more = false;
	return true;
}
