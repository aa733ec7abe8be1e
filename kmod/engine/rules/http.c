// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP/1: the buffers of a request or a response (RFC 9112), as Suricata names them.
 *
 * The interpreter calls nfac_http_parse() for each message of a window in turn; requests that
 * follow each other on a connection are each their own. The URI is normalised as Suricata's
 * parser does it for the "IDS" personality without its folding to lower case: percent decoding
 * once, backslashes, dot segments and repeated slashes in the path.
 *
 * Malformed input ends the parser: the message then has the buffers found so far, and no message
 * follows it.
 *
 * Cost: each byte of the head is read three times at most (find the line, build header and names,
 * a header of its own), each byte of a chunked body once.
 */
#include "buffers.h"

#define METHOD_MAX	32u	/* the longest registered one has 18 bytes */
#define HEADERS_MAX	128u	/* servers take 100 to 128 */

/* A part of the window. */
struct span {
	const u8 *at;
	u32 length;
};

#define OWN_BUFFERS	13u

/* Headers with a buffer of their own. */
static const struct {
	const char *name;
	u8 length;
	u8 buffer;
} own_buffers[OWN_BUFFERS] = {
	{ "host", 4, NFAC_BUFFER_HTTP_HOST_RAW },
	{ "user-agent", 10, NFAC_BUFFER_HTTP_USER_AGENT },
	{ "cookie", 6, NFAC_BUFFER_HTTP_COOKIE },
	{ "set-cookie", 10, NFAC_BUFFER_HTTP_COOKIE },
	{ "referer", 7, NFAC_BUFFER_HTTP_REFERER },
	{ "content-type", 12, NFAC_BUFFER_HTTP_CONTENT_TYPE },
	{ "content-length", 14, NFAC_BUFFER_HTTP_CONTENT_LEN },
	{ "accept", 6, NFAC_BUFFER_HTTP_ACCEPT },
	{ "accept-encoding", 15, NFAC_BUFFER_HTTP_ACCEPT_ENC },
	{ "accept-language", 15, NFAC_BUFFER_HTTP_ACCEPT_LANG },
	{ "connection", 10, NFAC_BUFFER_HTTP_CONNECTION },
	{ "location", 8, NFAC_BUFFER_HTTP_LOCATION },
	{ "server", 6, NFAC_BUFFER_HTTP_SERVER },
};

static bool is_method(u8 c)
{
	return (u8)(c - 'A') < 26 || c == '-' || c == '_';
}

/* Bytes of the method at @at, or 0. */
static u32 method_length(const u8 *at, u32 length)
{
	u32 i;

	for (i = 0; i < length && i <= METHOD_MAX && is_method(at[i]); i++)
		;
	return i >= 3 && i <= METHOD_MAX && i < length && at[i] == ' ' ? i : 0;
}

static bool is_response(const u8 *at, u32 length)
{
	return length >= 9 && !memcmp(at, "HTTP/1.", 7) && at[8] == ' ';
}

/* A request line with a version, or a status line. */
bool nfac_http_begins(const u8 *at, u32 length)
{
	u32 i, n;

	if (is_response(at, length))
		return true;
	n = method_length(at, length);
	if (!n)
		return false;
	for (i = n + 1; i < length && at[i] != '\n'; i++)
		if (at[i] == ' ' && length - i > 6 && !memcmp(at + i + 1, "HTTP/", 5))
			return true;
	/* a URI that has not ended yet */
	return i == length && length - n > 1 && (at[n + 1] == '/' || nfac_lower(at[n + 1]) == 'h');
}

/*
 * The line at @at, without its end. Return: offset behind it, 0: it has not ended; then @line is
 * all that there is.
 */
static u32 line_at(struct nfac_rules_scratch *s, u32 at, struct span *line)
{
	const u8 *bytes = s->window->bytes, *end;
	const u32 length = s->window->length;

	line->at = bytes + at;
	line->length = length - at;
	end = memchr(bytes + at, '\n', length - at);
	if (!nfac_rules_spend(s, end ? end - line->at + 1 : line->length) || !end)
		return 0;
	line->length = end - line->at;
	if (line->length && end[-1] == '\r')
		line->length--;
	return end - bytes + 1;
}

static bool is_blank(u8 c)
{
	return c == ' ' || c == '\t';
}

static struct span trim(const u8 *at, u32 length)
{
	while (length && is_blank(*at)) {
		at++;
		length--;
	}
	while (length && is_blank(at[length - 1]))
		length--;
	return (struct span) { at, length };
}

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

/* The byte at @i of @uri, percent-decoded; %uXXXX in the path alone. @i moves past it. */
static u8 decode_percent(const struct span *uri, u32 *i, bool path)
{
	const u8 *at = uri->at + *i;
	const u32 rest = uri->length - *i;

	if (*at == '%' && rest >= 3 && (nfac_hex(at[1]) | nfac_hex(at[2])) < 16) {
		*i += 3;
		return nfac_hex(at[1]) << 4 | nfac_hex(at[2]);
	}
	if (path && *at == '%' && rest >= 6 && nfac_lower(at[1]) == 'u' &&
	    (nfac_hex(at[2]) | nfac_hex(at[3]) | nfac_hex(at[4]) | nfac_hex(at[5])) < 16) {
		*i += 6;
		return nfac_hex(at[4]) << 4 | nfac_hex(at[5]);
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

static void normalise_uri(struct nfac_rules_scratch *s, struct span uri,
			  enum nfac_slice_state state)
{
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
	nfac_slice_set(s, NFAC_BUFFER_HTTP_URI, s->decoded + from, s->used - from, state);
}

/* A request line: method, URI, protocol. @state: of the line. */
static bool request_line(struct nfac_rules_scratch *s, struct span line,
			 enum nfac_slice_state state)
{
	const u32 method = method_length(line.at, line.length);
	u32 end = line.length, i;
	struct span uri;

	if (!method)
		return false;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_METHOD, line.at, method, NFAC_SLICE_WHOLE);
	nfac_slice_set(s, NFAC_BUFFER_HTTP_REQUEST_LINE, line.at, line.length, state);
	/* the protocol is behind the last blank */
	for (i = line.length; i > method + 1 && line.at[i - 1] != ' '; i--)
		;
	if (i > method + 1 && line.length - i >= 5 && !memcmp(line.at + i, "HTTP/", 5)) {
		nfac_slice_set(s, NFAC_BUFFER_HTTP_PROTOCOL, line.at + i, line.length - i, state);
		end = i - 1;
	}
	uri = trim(line.at + method + 1, end - method - 1);
	nfac_slice_set(s, NFAC_BUFFER_HTTP_URI_RAW, uri.at, uri.length, state);
	normalise_uri(s, uri, state);
	return true;
}

/* A status line: protocol, code, message. */
static void status_line(struct nfac_rules_scratch *s, struct span line, enum nfac_slice_state state)
{
	u32 code = 9, end;

	nfac_slice_set(s, NFAC_BUFFER_HTTP_RESPONSE_LINE, line.at, line.length, state);
	nfac_slice_set(s, NFAC_BUFFER_HTTP_PROTOCOL, line.at, 8, NFAC_SLICE_WHOLE);
	while (code < line.length && line.at[code] == ' ')
		code++;
	for (end = code; end < line.length && line.at[end] != ' '; end++)
		;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_STAT_CODE, line.at + code, end - code, state);
	if (end < line.length)
		nfac_slice_set(s, NFAC_BUFFER_HTTP_STAT_MSG, line.at + end + 1,
			       line.length - end - 1, state);
}

static bool same_name(const struct span *name, const char *other, u32 length)
{
	u32 i;

	if (name->length != length)
		return false;
	for (i = 0; i < length; i++)
		if (nfac_lower(name->at[i]) != (u8)other[i])
			return false;
	return true;
}

static bool is_cookie(const struct span *name)
{
	return same_name(name, "cookie", 6) || same_name(name, "set-cookie", 10);
}

/* The first value of a header is its buffer; repeated headers are not joined. */
static void set_own(struct nfac_rules_scratch *s, const struct span *name, const struct span *value)
{
	u32 i;

	for (i = 0; i < OWN_BUFFERS; i++) {
		const u8 buffer = own_buffers[i].buffer;

		if (s->slice[buffer].state == NFAC_SLICE_ABSENT &&
		    same_name(name, own_buffers[i].name, own_buffers[i].length))
			nfac_slice_set(s, buffer, value->at, value->length, NFAC_SLICE_WHOLE);
	}
}

static bool put_all(struct nfac_rules_scratch *s, const u8 *at, u32 length)
{
	if (!nfac_rules_spend(s, length) || length > NFAC_RULES_DECODED_MAX - s->used)
		return false;
	memcpy(s->decoded + s->used, at, length);
	s->used += length;
	return true;
}

/* What the head says of the body. */
struct framing {
	u64 length;
	bool has_length, chunked, encoded;
};

static void set_framing(struct framing *f, const struct span *name, const struct span *value)
{
	u32 i;

	if (same_name(name, "content-length", 14)) {
		f->has_length = true;
		f->length = 0;
		for (i = 0; i < value->length && i < 18 && (u8)(value->at[i] - '0') < 10; i++)
			f->length = f->length * 10 + value->at[i] - '0';
	} else if (same_name(name, "transfer-encoding", 17)) {
		f->chunked = value->length >= 7 &&
			     nfac_lower(value->at[value->length - 1]) == 'd';
	} else if (same_name(name, "content-encoding", 16)) {
		f->encoded = !same_name(value, "identity", 8);
	}
}

/* One header line. */
static bool header_line(struct nfac_rules_scratch *s, const struct span *line, bool block,
			struct framing *framing)
{
	const u8 *colon = memchr(line->at, ':', line->length);
	struct span name, value;

	if (!colon)
		return false;
	name = trim(line->at, colon - line->at);
	value = trim(colon + 1, line->at + line->length - colon - 1);
	if (!block) {
		set_own(s, &name, &value);
		set_framing(framing, &name, &value);
		return true;
	}
	return is_cookie(&name) ||
	       (put_all(s, name.at, name.length) && put_all(s, (const u8 *)": ", 2) &&
		put_all(s, value.at, value.length) && put_all(s, (const u8 *)"\r\n", 2));
}

/*
 * The headers from @at on: http.header, http.header_names, those with buffers of their own. Return:
 * offset of the body; 0: the head has not ended, and nothing of it is a buffer yet.
 */
static u32 headers(struct nfac_rules_scratch *s, u32 at, struct framing *framing)
{
	u32 next = at, last = at, from, count = 0;
	struct span line;

	while ((next = line_at(s, next, &line)) && line.length) {
		if (++count > HEADERS_MAX)
			return 0;
		header_line(s, &line, false, framing);
		last = next;
	}
	if (!next)
		return 0;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER_RAW, s->window->bytes + at, last - at,
		       NFAC_SLICE_WHOLE);
	from = s->used;
	for (; at < last; at = line_at(s, at, &line)) {
		line_at(s, at, &line);
		header_line(s, &line, true, framing);
	}
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER, s->decoded + from, s->used - from,
		       s->used > from ? NFAC_SLICE_WHOLE : NFAC_SLICE_ABSENT);
	return next;
}

static void header_names(struct nfac_rules_scratch *s)
{
	const struct nfac_slice *raw = &s->slice[NFAC_BUFFER_HTTP_HEADER_RAW];
	const u8 *bytes = s->window->bytes, *colon;
	u32 at = raw->at - bytes, end = at + raw->length, from = s->used;
	struct span line, name;

	put_all(s, (const u8 *)"\r\n", 2);
	while (at && at < end) {
		at = line_at(s, at, &line);
		colon = memchr(line.at, ':', line.length);
		if (!colon)
			continue;
		name = trim(line.at, colon - line.at);
		if (!put_all(s, name.at, name.length) || !put_all(s, (const u8 *)"\r\n", 2))
			break;
	}
	put_all(s, (const u8 *)"\r\n", 2);
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER_NAMES, s->decoded + from, s->used - from,
		       NFAC_SLICE_WHOLE);
}

/* Host in lower case, without its port. */
static void host(struct nfac_rules_scratch *s)
{
	struct nfac_slice raw = s->slice[NFAC_BUFFER_HTTP_HOST_RAW];
	u32 from = s->used, i;

	if (raw.state == NFAC_SLICE_ABSENT || !nfac_rules_spend(s, raw.length))
		return;
	for (i = 0; i < raw.length; i++) {
		if (raw.at[i] == ':' && raw.at[0] != '[')
			break;
		if (!nfac_decoded_put(s, nfac_lower(raw.at[i])))
			break;
	}
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HOST, s->decoded + from, s->used - from,
		       NFAC_SLICE_WHOLE);
}

/* Join the chunks of a body at @at. Return: offset behind it, 0: it has not ended. */
static u32 chunks(struct nfac_rules_scratch *s, u32 at, struct span *body)
{
	const u32 from = s->used;
	u32 length, i, digit;
	struct span line;

	for (;;) {
		body->at = s->decoded + from;
		body->length = s->used - from;
		at = line_at(s, at, &line);
		if (!at)
			return 0;
		for (length = 0, i = 0; i < line.length && i < 7; i++) {
			digit = nfac_hex(line.at[i]);
			if (digit == 16)
				break;
			length = length << 4 | digit;
		}
		if (!length)
			break;
		if (length > s->window->length - at) {
			put_all(s, s->window->bytes + at, s->window->length - at);
			body->length = s->used - from;
			return 0;
		}
		if (!put_all(s, s->window->bytes + at, length))
			return 0;
		at += length;
		at = line_at(s, at, &line);
		if (!at)
			return 0;
	}
	/* trailers, and the line that ends them */
	while (at && line.length)
		at = line_at(s, at, &line);
	return at;
}

static void body(struct nfac_rules_scratch *s, u32 at, const struct framing *f)
{
	const enum nfac_buffer buffer = s->request ? NFAC_BUFFER_HTTP_REQUEST_BODY :
						     NFAC_BUFFER_HTTP_RESPONSE_BODY;
	const u32 rest = s->window->length - at;
	enum nfac_slice_state state = NFAC_SLICE_WHOLE;
	struct span span = { s->window->bytes + at, 0 };
	u32 end = at;

	if (f->chunked) {
		end = chunks(s, at, &span);
		if (!end)
			state = NFAC_SLICE_PART;
	} else if (f->has_length) {
		span.length = f->length < rest ? f->length : rest;
		end = at + span.length;
		if (f->length > rest)
			state = NFAC_SLICE_PART;
	} else if (!s->request) {
		/* it ends with the connection */
		span.length = rest;
		state = NFAC_SLICE_PART;
		end = s->window->length;
	}
	s->more = state == NFAC_SLICE_PART;
	s->end = s->more ? s->window->length : end;
	/* compressed bytes are not searched */
	if (!span.length || f->encoded)
		return;
	nfac_slice_set(s, buffer, span.at, span.length, state);
	nfac_slice_set(s, NFAC_BUFFER_FILE_DATA, span.at, span.length, state);
}

bool nfac_http_parse(struct nfac_rules_scratch *s)
{
	const u8 *at = s->window->bytes + s->begin;
	const u32 length = s->window->length - s->begin;
	struct framing framing = { 0 };
	struct span line;
	u32 next;

	if (!nfac_http_begins(at, length))
		return false;
	s->request = !is_response(at, length);
	next = line_at(s, s->begin, &line);
	if (s->request) {
		if (!request_line(s, line, next ? NFAC_SLICE_WHOLE : NFAC_SLICE_PART))
			return false;
	} else {
		status_line(s, line, next ? NFAC_SLICE_WHOLE : NFAC_SLICE_PART);
	}
	s->more = true;
	s->end = s->window->length;
	if (next)
		next = headers(s, next, &framing);
	if (!next)
		return true;
	header_names(s);
	host(s);
	body(s, next, &framing);
	return true;
}
