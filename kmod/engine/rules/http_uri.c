// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP's URI, normalised as Suricata's parser does it for the "IDS" personality without its
 * folding to lower case: percent decoding once, backslashes, dot segments and repeated slashes
 * in the path.
 *
 * The parser of requests (http.c) calls it.
 *
 * Cost: each byte is read once.
 */
#include "buffers.h"

/* A part of the window. */
struct span {
	const u8 *at;
	u32 length;
};

/* Remove the last segment of the path that begins at @from in the decoded memory. */
static void drop_segment(struct nfac_rules_scratch *s, u32 from)
{
	while (s->used > from && s->decoded[--s->used] != '/')
		;
}

/*
 * Put a byte of the path: slashes once, and a "." or ".." segment that a slash ends is removed
 * (RFC 3986, 5.2.4). @from: where the path begins.
 */
static bool put_path(struct nfac_rules_scratch *s, u32 from, u8 c)
{
	const u8 *d = s->decoded;
	u32 n = s->used - from;

	if (c == '\\')
		c = '/';
	if (c != '/')
		return nfac_decoded_put(s, c);
	if (n && d[s->used - 1] == '/')
		return true;
	if (n >= 2 && d[s->used - 1] == '.' && d[s->used - 2] == '/') {
		s->used--;
		return true;
	}
	if (n >= 3 && d[s->used - 1] == '.' && d[s->used - 2] == '.' && d[s->used - 3] == '/') {
		s->used -= 3;
		drop_segment(s, from);
	}
	return nfac_decoded_put(s, '/');
}

/* A "." or ".." at the end of the path. */
static void end_path(struct nfac_rules_scratch *s, u32 from)
{
	const u8 *d = s->decoded;
	u32 n = s->used - from;

	if (n >= 2 && d[s->used - 1] == '.' && d[s->used - 2] == '/') {
		s->used--;
	} else if (n >= 3 && d[s->used - 1] == '.' && d[s->used - 2] == '.' &&
		   d[s->used - 3] == '/') {
		s->used -= 3;
		drop_segment(s, from);
		nfac_decoded_put(s, '/');
	}
}

/*
 * The byte at @i of @uri, percent-decoded; of %uXXXX, in the path alone, the low byte. @i moves
 * past it.
 */
static u8 decode_percent(const struct span *uri, u32 *i, bool path)
{
	const u8 *at = uri->at + *i;
	const u32 rest = uri->length - *i;
	u32 code = nfac_percent(at, rest);

	if (code < 0x100) {
		*i += 3;
		return code;
	}
	code = path ? nfac_percent_u(at, rest) : 0x10000;
	if (code < 0x10000) {
		*i += 6;
		return code & 0xff;
	}
	++*i;
	return *at;
}

/* Bytes of the scheme and the authority of "http://host/path". */
static u32 authority_length(const struct span *uri)
{
	u32 i;

	if (uri->length < 8 || nfac_lower(uri->at[0]) != 'h')
		return 0;
	for (i = 1; i < 6 && i < uri->length && uri->at[i] != ':'; i++)
		;
	if (uri->length < i + 3 || memcmp(uri->at + i, "://", 3))
		return 0;
	for (i += 3; i < uri->length && uri->at[i] != '/' && uri->at[i] != '?'; i++)
		;
	return i;
}

void nfac_http_uri(struct nfac_rules_scratch *s, const u8 *at, u32 length,
		   enum nfac_slice_state state)
{
	const struct span uri = { at, length };
	const u32 from = s->used;
	bool path = true, room = true;
	u32 i = authority_length(&uri);
	u8 c;

	if (!nfac_rules_spend(s, uri.length))
		return;
	while (i < uri.length && room) {
		if (path && uri.at[i] == '?') {
			end_path(s, from);
			path = false;
			room = nfac_decoded_put(s, uri.at[i++]);
			continue;
		}
		c = decode_percent(&uri, &i, path);
		room = path ? put_path(s, from, c) : nfac_decoded_put(s, c);
	}
	if (path)
		end_path(s, from);
	if (s->used - from != uri.length || memcmp(s->decoded + from, uri.at, uri.length))
		s->changed |= 1ull << NFAC_BUFFER_HTTP_URI;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_URI, s->decoded + from, s->used - from, state);
}
