// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP/1: the buffers of a request or a response (RFC 9112), as Suricata names them.
 *
 * The interpreter calls nfac_http_parse() for each message of a window in turn; requests that
 * follow each other on a connection are each their own. http_uri.c normalises the URI.
 *
 * Malformed input ends the parser: the message then has the buffers found so far, and no message
 * follows it.
 *
 * Repeated headers are joined, as Suricata has them: "name: first, second".
 *
 * Cost: each byte of the head is read four times at most (find the line, build header and names,
 * a header of its own), and once more for each pair of lines whose names have one hash; the budget
 * counts it. Each byte of a chunked body is read once.
 */
#include "buffers.h"

#define METHOD_MIN	3u	/* of a line that has not ended: a shorter word says too little */
#define METHOD_MAX	32u	/* the longest registered one has 18 bytes */

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
	return i && i <= METHOD_MAX && i < length && at[i] == ' ' ? i : 0;
}

static bool is_response(const u8 *at, u32 length)
{
	return length >= 9 && !memcmp(at, "HTTP/1.", 7) && at[8] == ' ';
}

/* As nfac_http_begins(), from the first NFAC_RULES_FIRST bytes: true where it may be. */
bool nfac_http_may_begin(const u8 *at, u32 length)
{
	return is_response(at, length) || method_length(at, length);
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
	return i == length && length - n > 1 && n >= METHOD_MIN &&
	       (at[n + 1] == '/' || nfac_lower(at[n + 1]) == 'h');
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
	if (!nfac_rules_spend(s, end ? (u32)(end - line->at + 1) : line->length) || !end)
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
	nfac_http_uri(s, uri.at, uri.length, state);
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

static bool put_all(struct nfac_rules_scratch *s, const u8 *at, u32 length)
{
	if (!nfac_rules_spend(s, length))
		return false;
	if (length > NFAC_RULES_DECODED_MAX - s->used) {
		s->full = true;
		return false;
	}
	memcpy(s->decoded + s->used, at, length);
	s->used += length;
	return true;
}

/* A value behind those of the same header: "first, second". */
static void join_own(struct nfac_rules_scratch *s, u8 buffer, const struct span *value)
{
	const struct nfac_slice first = s->slice[buffer];
	const u32 from = s->used;

	if (!put_all(s, first.at, first.length) || !put_all(s, (const u8 *)", ", 2) ||
	    !put_all(s, value->at, value->length)) {
		s->used = from;
		return;
	}
	s->changed |= 1ull << buffer;
	nfac_slice_set(s, buffer, s->decoded + from, s->used - from, NFAC_SLICE_WHOLE);
}

static void set_own(struct nfac_rules_scratch *s, const struct span *name, const struct span *value)
{
	u32 i;

	for (i = 0; i < OWN_BUFFERS; i++) {
		const u8 buffer = own_buffers[i].buffer;

		if (!same_name(name, own_buffers[i].name, own_buffers[i].length))
			continue;
		if (s->slice[buffer].state == NFAC_SLICE_ABSENT)
			nfac_slice_set(s, buffer, value->at, value->length, NFAC_SLICE_WHOLE);
		else
			join_own(s, buffer, value);
	}
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

/* Split a line at its colon. Return: false: it has none. */
static bool split_header(const struct span *line, struct span *name, struct span *value)
{
	const u8 *colon = memchr(line->at, ':', line->length);

	if (!colon)
		return false;
	*name = trim(line->at, colon - line->at);
	*value = trim(colon + 1, line->at + line->length - colon - 1);
	return true;
}

static u8 name_hash(const struct span *name)
{
	u32 hash = name->length, i;

	for (i = 0; i < name->length; i++)
		hash = hash * 31 + nfac_lower(name->at[i]);
	return hash ^ hash >> 8;
}

/* The header of line @i. Return: false: the line is none. */
static bool header_at(struct nfac_rules_scratch *s, u32 i, struct span *name, struct span *value)
{
	struct span line;

	u32 next = line_at(s, s->header_at[i], &line);

	if (!split_header(&line, name, value))
		return false;
	/* a value on the next line (obs-fold) */
	if (!value->length && next && next < s->window->length &&
	    is_blank(s->window->bytes[next])) {
		line_at(s, next, &line);
		*value = trim(line.at, line.length);
	}
	return true;
}

/* Is the name of line @i, which is @name, that of line @k? */
static bool is_repeated(struct nfac_rules_scratch *s, u32 i, u32 k, const struct span *name,
			struct span *value)
{
	struct span other;
	u32 n;

	if (s->header_hash[i] != s->header_hash[k] || !header_at(s, k, &other, value) ||
	    other.length != name->length)
		return false;
	for (n = 0; n < name->length; n++)
		if (nfac_lower(name->at[n]) != nfac_lower(other.at[n]))
			return false;
	return true;
}

static bool is_first(struct nfac_rules_scratch *s, u32 i, const struct span *name)
{
	struct span value;
	u32 k;

	for (k = 0; k < i; k++)
		if (is_repeated(s, i, k, name, &value))
			return false;
	return true;
}

/* One header of the block, with the values of those of its name behind it: "name: a, b". */
static bool put_header(struct nfac_rules_scratch *s, u32 i)
{
	struct span name, value, more;
	u32 k;

	if (!header_at(s, i, &name, &value) || is_cookie(&name) || !is_first(s, i, &name))
		return true;
	if (value.at != name.at + name.length + 2 || name.at[name.length + 1] != ' ')
		s->changed |= 1ull << NFAC_BUFFER_HTTP_HEADER;
	if (!put_all(s, name.at, name.length) || !put_all(s, (const u8 *)": ", 2) ||
	    !put_all(s, value.at, value.length))
		return false;
	for (k = i + 1; k < s->headers; k++) {
		if (!is_repeated(s, i, k, &name, &more))
			continue;
		s->changed |= 1ull << NFAC_BUFFER_HTTP_HEADER;
		if (!put_all(s, (const u8 *)", ", 2) || !put_all(s, more.at, more.length))
			return false;
	}
	return put_all(s, (const u8 *)"\r\n", 2);
}

/* The head has not ended: a line to come may have the same name, and is joined then. */
static void headers_open(struct nfac_rules_scratch *s)
{
	u32 buffer;

	for (buffer = NFAC_BUFFER_HTTP_HOST; buffer <= NFAC_BUFFER_HTTP_SERVER; buffer++)
		if (s->slice[buffer].state == NFAC_SLICE_WHOLE)
			s->slice[buffer].state = NFAC_SLICE_PART;
}

/*
 * The headers from @at on: http.header, http.header_names, those with buffers of their own. Return:
 * offset of the body; 0: the head has not ended, and nothing of it is a buffer yet.
 */
static u32 headers(struct nfac_rules_scratch *s, u32 at, struct framing *framing)
{
	u32 next = at, last = at, from, i;
	struct span line, name, value;

	s->headers = 0;
	while ((next = line_at(s, next, &line)) && line.length) {
		const u32 begin = last;

		last = next;
		if (!split_header(&line, &name, &value))
			continue;
		if (s->headers < NFAC_HTTP_HEADERS_MAX) {
			s->header_at[s->headers] = begin;
			s->header_hash[s->headers++] = name_hash(&name);
		} else {
			s->full = true;
		}
		set_own(s, &name, &value);
		set_framing(framing, &name, &value);
	}
	if (!next) {
		headers_open(s);
		return 0;
	}
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER_RAW, s->window->bytes + at, last - at,
		       NFAC_SLICE_WHOLE);
	from = s->used;
	for (i = 0; i < s->headers && put_header(s, i); i++)
		;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER, s->decoded + from, s->used - from,
		       s->used > from ? NFAC_SLICE_WHOLE : NFAC_SLICE_ABSENT);
	return next;
}

static void header_names(struct nfac_rules_scratch *s)
{
	struct span name, value;
	u32 from = s->used, i;

	if (!s->headers)
		return;
	put_all(s, (const u8 *)"\r\n", 2);
	for (i = 0; i < s->headers; i++) {
		if (!header_at(s, i, &name, &value) || !is_first(s, i, &name))
			continue;
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

/* Bytes that were unpacked count like those of the window; once, however often it is parsed. */
static void grant(struct nfac_rules_scratch *s, u32 bytes)
{
	const u64 more = (u64)NFAC_RULES_BUDGET * bytes;

	if (s->granted || s->left < 0)
		return;
	s->granted = true;
	s->budget += more;
	s->left += more;
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
	if (f->chunked)
		s->changed |= 1ull << buffer;
	/* compressed bytes are not searched */
	if (span.length && f->encoded && s->window->unpack) {
		span.length = s->window->unpack(s->window->context, span.at, span.length, &span.at);
		s->changed |= 1ull << buffer;
		grant(s, span.length);
	} else if (f->encoded) {
		return;
	}
	if (!span.length)
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
