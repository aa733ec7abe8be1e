// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP's URI, normalised as Suricata's parser does it for the "IDS" personality: percent decoding
 * once, backslashes and repeated slashes, UTF-8, then dot segments, all in the path alone but for
 * the percent decoding.
 *
 * The parser of request lines (http_line.c) calls it. The path is written to the decoded memory
 * and then changed in place, where no step makes it longer.
 *
 * Cost: each byte is read four times at most.
 */
#include "http.h"

#define REPLACEMENT	'?'	/* of what has no byte of its own */

/* Put a byte of the path: a backslash is a slash, and slashes come once. */
static bool put_path(struct nfac_rules_scratch *s, u32 from, u8 c)
{
	if (c == '\\')
		c = '/';
	if (c == '/' && s->used > from && s->decoded[s->used - 1] == '/')
		return true;
	return nfac_decoded_put(s, c);
}

/* Characters that Windows takes for ASCII ones (bestfit1252.txt); full-width forms are apart. */
static const struct {
	u16 code;
	u8 byte;
} best_fits[] = {
	{ 0x2010, '-' }, { 0x2011, '-' }, { 0x2032, '\'' }, { 0x2035, '`' }, { 0x2044, '/' },
	{ 0x2212, '-' }, { 0x2215, '/' }, { 0x2216, '\\' }, { 0x2217, '*' }, { 0x2223, '|' },
	{ 0x2236, ':' }, { 0x223c, '~' }, { 0x2303, '^' }, { 0x2329, '<' }, { 0x232a, '>' },
	{ 0x3008, '<' }, { 0x3009, '>' }, { 0x301a, '[' }, { 0x301b, ']' },
};

/* The byte for a character. */
static u8 best_fit(u32 code)
{
	u32 i;

	if (code < 0x100)
		return code;
	if (code >= 0xff01 && code <= 0xff5e)
		return code - 0xff01 + '!';
	for (i = 0; i < sizeof(best_fits) / sizeof(*best_fits); i++)
		if (best_fits[i].code == code)
			return best_fits[i].byte;
	return REPLACEMENT;
}

/* Bytes of a UTF-8 sequence, overlong ones included, by its first byte; 0: it begins none. */
static u32 utf8_length(u8 first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc0 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Is byte @k of a sequence one that continues it? Surrogates and beyond U+10FFFF there are none. */
static bool continues(const u8 *text, u32 k)
{
	if (k == 1 && text[0] == 0xed && text[1] >= 0xa0)
		return false;
	if (k == 1 && text[0] == 0xf4 && text[1] >= 0x90)
		return false;
	return (text[k] & 0xc0) == 0x80;
}

/* Each character of the path at @from becomes a byte; one that has not ended is left out. */
static void utf8_to_bytes(struct nfac_rules_scratch *s, u32 from)
{
	u8 *text = s->decoded;
	u32 i = from, to = from, length, k, code;

	while (i < s->used) {
		length = utf8_length(text[i]);
		code = length == 1 ? text[i] : text[i] & (0x7f >> length);
		for (k = 1; k < length && i + k < s->used && continues(text + i, k); k++)
			code = code << 6 | (text[i + k] & 0x3f);
		if (length && k < length && i + k == s->used)
			break;
		text[to++] = length && k >= length ? best_fit(code) : REPLACEMENT;
		i += k;
	}
	s->used = to;
}

static bool is_dots(const u8 *text, u32 at, u32 end, u32 dots)
{
	return end - at >= dots && text[at] == '.' && text[at + dots - 1] == '.' &&
	       (end - at == dots || text[at + dots] == '/');
}

/* Remove dot segments (RFC 3986, 5.2.4); those at the end leave no slash, as in libhtp. */
static void remove_dots(struct nfac_rules_scratch *s, u32 from)
{
	u8 *text = s->decoded;
	const u32 end = s->used;
	u32 i = from, to = from, dots;

	/* a path that does not begin with a slash */
	while (i < end && (is_dots(text, i, end, 1) || is_dots(text, i, end, 2)))
		i += is_dots(text, i, end, 1) ? 2 : 3;
	while (i < end) {
		dots = is_dots(text, i + 1, end, 1) ? 1 : is_dots(text, i + 1, end, 2) ? 2 : 0;
		if (text[i] == '/' && dots) {
			while (dots == 2 && to > from && text[--to] != '/')
				;
			i += 1 + dots;
			/* the slash behind them */
			if (i + 1 == end)
				break;
			continue;
		}
		do {
			text[to++] = text[i++];
		} while (i < end && text[i] != '/');
	}
	s->used = to;
}

/*
 * The byte at @i of @uri, percent-decoded; of %uXXXX, in the path alone, the byte for that
 * character. @i moves past it.
 */
static u8 decode_percent(const struct nfac_span *uri, u32 *i, bool path)
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
		return best_fit(code);
	}
	++*i;
	return *at;
}

/* The host of an authority: without user, password and port. */
static void note_host(struct nfac_rules_scratch *s, const u8 *at, u32 length)
{
	u32 i, from = 0, end;

	for (i = 0; i < length; i++)
		if (at[i] == '@')
			from = i + 1;
	for (end = from; end < length && at[end] != ':'; end++)
		if (at[end] == '[')
			while (end + 1 < length && at[end] != ']')
				end++;
	s->uri_host = at + from;
	s->uri_host_length = end - from;
}

/* Bytes of the scheme and the authority of "scheme://host/path". */
static u32 authority_length(struct nfac_rules_scratch *s, const struct nfac_span *uri)
{
	const u8 *colon = uri->length && *uri->at != '/' ? memchr(uri->at, ':', uri->length) : NULL;
	u32 i, host;

	if (!colon)
		return 0;
	i = colon - uri->at + 1;
	if (uri->length - i < 2 || uri->at[i] != '/' || uri->at[i + 1] != '/')
		return i;
	host = i + 2;
	for (i = host; i < uri->length && uri->at[i] != '/' && uri->at[i] != '?' &&
	     uri->at[i] != '#'; i++)
		;
	note_host(s, uri->at + host, i - host);
	return i;
}

static void end_path(struct nfac_rules_scratch *s, u32 from, bool wide)
{
	if (wide)
		utf8_to_bytes(s, from);
	remove_dots(s, from);
}

void nfac_http_uri(struct nfac_rules_scratch *s, const u8 *at, u32 length, bool authority,
		   enum nfac_slice_state state)
{
	const struct nfac_span uri = { at, length };
	const u32 from = s->used;
	bool path = true, room = true, wide = false;
	u32 i = length;
	u8 c;

	s->uri_host_length = 0;
	if (!nfac_rules_spend(s, uri.length))
		return;
	if (authority)
		note_host(s, at, length);
	else
		i = authority_length(s, &uri);
	while (i < uri.length && room) {
		if (path && (uri.at[i] == '?' || uri.at[i] == '#')) {
			end_path(s, from, wide);
			path = false;
			room = nfac_decoded_put(s, uri.at[i++]);
			continue;
		}
		c = decode_percent(&uri, &i, path);
		wide |= c >= 0x80;
		room = path ? put_path(s, from, c) : nfac_decoded_put(s, c);
	}
	if (path)
		end_path(s, from, wide);
	if (s->used - from != uri.length || memcmp(s->decoded + from, uri.at, uri.length))
		s->changed |= 1ull << NFAC_BUFFER_HTTP_URI;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_URI, s->decoded + from, s->used - from, state);
}
