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
#include "http.h"

#define FOLDED		BIT(31)	/* a line of @header_at is in decoded memory */

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

static bool is_cookie(const struct nfac_rules_scratch *s, const struct nfac_span *name)
{
	return s->request ? nfac_name_is(name, "cookie", 6) :
			    nfac_name_is(name, "set-cookie", 10);
}

/* A value behind those of the same header: "first, second". */
static void join_own(struct nfac_rules_scratch *s, u8 buffer, const struct nfac_span *value)
{
	const struct nfac_slice first = s->slice[buffer];
	const u32 from = s->used;

	if (!nfac_decoded_add(s, first.at, first.length) ||
	    !nfac_decoded_add(s, (const u8 *)", ", 2) ||
	    !nfac_decoded_add(s, value->at, value->length)) {
		s->used = from;
		return;
	}
	s->changed |= 1ull << buffer;
	nfac_slice_set(s, buffer, s->decoded + from, s->used - from, NFAC_SLICE_WHOLE);
}

static void set_own(struct nfac_rules_scratch *s, const struct nfac_span *name,
		    const struct nfac_span *value)
{
	u32 i;

	for (i = 0; i < OWN_BUFFERS; i++) {
		const u8 buffer = own_buffers[i].buffer;

		if (!nfac_name_is(name, own_buffers[i].name, own_buffers[i].length))
			continue;
		if (buffer == NFAC_BUFFER_HTTP_COOKIE && !is_cookie(s, name))
			continue;
		if (s->slice[buffer].state == NFAC_SLICE_ABSENT)
			nfac_slice_set(s, buffer, value->at, value->length, NFAC_SLICE_WHOLE);
		else if (!nfac_name_is_length(name))
			join_own(s, buffer, value);
	}
}

/*
 * Split a line at its colon. A line without one is a value without a name; in a request also one
 * with a zero byte before the colon.
 */
static void split_header(const struct nfac_rules_scratch *s, const struct nfac_span *line,
			 struct nfac_span *name, struct nfac_span *value)
{
	const u8 *colon = memchr(line->at, ':', line->length);

	if (colon && s->request && memchr(line->at, 0, colon - line->at))
		colon = NULL;
	*name = nfac_trim(line->at, colon ? colon - line->at : 0);
	if (colon)
		*value = nfac_trim(colon + 1, line->at + line->length - colon - 1);
	else
		*value = nfac_trim(line->at, line->length);
}

static u8 name_hash(const struct nfac_span *name)
{
	u32 hash = name->length, i;

	for (i = 0; i < name->length; i++)
		hash = hash * 31 + nfac_lower(name->at[i]);
	return hash ^ hash >> 8;
}

/* The header of line @i. */
static void header_at(struct nfac_rules_scratch *s, u32 i, struct nfac_span *name,
		      struct nfac_span *value)
{
	const u32 at = s->header_at[i];
	struct nfac_span line;
	const u8 *end;

	if (at & FOLDED) {
		line.at = s->decoded + (at & ~FOLDED);
		end = memchr(line.at, '\n', s->used - (at & ~FOLDED));
		line.length = end ? end - line.at : 0;
	} else {
		nfac_http_line(s, at, &line);
	}
	split_header(s, &line, name, value);
}

/* Is the name of line @i, which is @name, that of line @k? */
static bool is_repeated(struct nfac_rules_scratch *s, u32 i, u32 k, const struct nfac_span *name,
			struct nfac_span *value)
{
	struct nfac_span other;
	u32 n;

	if (s->header_hash[i] != s->header_hash[k])
		return false;
	header_at(s, k, &other, value);
	if (other.length != name->length)
		return false;
	for (n = 0; n < name->length; n++)
		if (nfac_lower(name->at[n]) != nfac_lower(other.at[n]))
			return false;
	return true;
}

static bool is_first(struct nfac_rules_scratch *s, u32 i, const struct nfac_span *name)
{
	struct nfac_span value;
	u32 k;

	for (k = 0; k < i; k++)
		if (is_repeated(s, i, k, name, &value))
			return false;
	return true;
}

/* One header of the block, with the values of those of its name behind it: "name: a, b". */
static bool put_header(struct nfac_rules_scratch *s, u32 i)
{
	struct nfac_span name, value, more;
	u32 k;

	header_at(s, i, &name, &value);
	if (is_cookie(s, &name) || !is_first(s, i, &name))
		return true;
	if (value.at != name.at + name.length + 2 || name.at[name.length + 1] != ' ' ||
	    s->header_at[i] & FOLDED || memcmp(value.at + value.length, "\r\n", 2))
		s->changed |= 1ull << NFAC_BUFFER_HTTP_HEADER;
	if (!nfac_decoded_add(s, name.at, name.length) ||
	    !nfac_decoded_add(s, (const u8 *)": ", 2) ||
	    !nfac_decoded_add(s, value.at, value.length))
		return false;
	for (k = i + 1; k < s->headers && !nfac_name_is_length(&name); k++) {
		if (!is_repeated(s, i, k, &name, &more))
			continue;
		s->changed |= 1ull << NFAC_BUFFER_HTTP_HEADER;
		if (!nfac_decoded_add(s, (const u8 *)", ", 2) ||
		    !nfac_decoded_add(s, more.at, more.length))
			return false;
	}
	return nfac_decoded_add(s, (const u8 *)"\r\n", 2);
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
 * Put a line and those that continue it (obs-fold) in decoded memory. @next: behind the line; then
 * behind them, 0: they have not ended. Return: what header_at has of it; 0: no room.
 */
static u32 unfold(struct nfac_rules_scratch *s, struct nfac_span *line, u32 *next)
{
	const struct nfac_window *w = s->window;
	const u32 from = s->used;
	bool room = nfac_decoded_add(s, line->at, line->length);
	struct nfac_span more;

	while (*next && *next < w->length && nfac_is_blank(w->bytes[*next])) {
		*next = nfac_http_line(s, *next, &more);
		room = room && nfac_decoded_add(s, more.at, more.length);
	}
	if (!room || !nfac_decoded_add(s, (const u8 *)"\n", 1))
		return 0;
	s->changed |= 1ull << NFAC_BUFFER_HTTP_HEADER;
	*line = (struct nfac_span) { s->decoded + from, s->used - from - 1 };
	return from | FOLDED;
}

/*
 * The headers from @at on: http.header, http.header_names, those with buffers of their own. Return:
 * offset of the body; 0: the head has not ended, and nothing of it is a buffer yet.
 */
static u32 headers(struct nfac_rules_scratch *s, u32 at, struct nfac_http_framing *framing)
{
	const struct nfac_window *w = s->window;
	struct nfac_span line, name, value;
	u32 next = at, last = at, from, i;

	s->headers = 0;
	while ((next = nfac_http_line(s, next, &line)) && line.length) {
		u32 begin = last, folded;

		if (next < w->length && nfac_is_blank(w->bytes[next])) {
			folded = unfold(s, &line, &next);
			begin = folded ? folded : begin;
			if (!next)
				break;
		}
		last = next;
		split_header(s, &line, &name, &value);
		if (s->headers < NFAC_HTTP_HEADERS_MAX) {
			s->header_at[s->headers] = begin;
			s->header_hash[s->headers++] = name_hash(&name);
		} else {
			s->full = true;
		}
		set_own(s, &name, &value);
		nfac_http_set_framing(framing, &name, &value);
	}
	if (!next) {
		headers_open(s);
		return 0;
	}
	/* with the line that ends them */
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER_RAW, w->bytes + at, next - at, NFAC_SLICE_WHOLE);
	from = s->used;
	for (i = 0; i < s->headers && put_header(s, i); i++)
		;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER, s->decoded + from, s->used - from,
		       s->used > from ? NFAC_SLICE_WHOLE : NFAC_SLICE_ABSENT);
	return next;
}

static void header_names(struct nfac_rules_scratch *s)
{
	struct nfac_span name, value;
	u32 from = s->used, i;

	if (!s->headers)
		return;
	nfac_decoded_add(s, (const u8 *)"\r\n", 2);
	for (i = 0; i < s->headers; i++) {
		header_at(s, i, &name, &value);
		if (!is_first(s, i, &name))
			continue;
		if (!nfac_decoded_add(s, name.at, name.length) ||
		    !nfac_decoded_add(s, (const u8 *)"\r\n", 2))
			break;
	}
	nfac_decoded_add(s, (const u8 *)"\r\n", 2);
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HEADER_NAMES, s->decoded + from, s->used - from,
		       NFAC_SLICE_WHOLE);
}

/* Host in lower case, without its port: the URI's, if it has one, else the header's. */
static void host(struct nfac_rules_scratch *s)
{
	const struct nfac_slice raw = s->slice[NFAC_BUFFER_HTTP_HOST_RAW];
	const bool in_uri = s->request && s->uri_host_length;
	const u8 *at = in_uri ? s->uri_host : raw.at;
	const u32 length = in_uri ? s->uri_host_length : raw.length;
	u32 from = s->used, i;

	if ((!in_uri && raw.state == NFAC_SLICE_ABSENT) || !length || !nfac_rules_spend(s, length))
		return;
	for (i = 0; i < length; i++) {
		/* an IPv6 address ends with its bracket */
		if (at[0] == '[' ? i && at[i - 1] == ']' : at[i] == ':')
			break;
		if (!nfac_decoded_put(s, nfac_lower(at[i])))
			break;
	}
	nfac_slice_set(s, NFAC_BUFFER_HTTP_HOST, s->decoded + from, s->used - from,
		       NFAC_SLICE_WHOLE);
	if (in_uri)
		s->slice[NFAC_BUFFER_HTTP_HOST_RAW] = s->slice[NFAC_BUFFER_HTTP_HOST];
}

/* Empty lines before a message. Return: offset behind them. */
static u32 skip_lines(const struct nfac_rules_scratch *s)
{
	const struct nfac_window *w = s->window;
	u32 at = s->begin;

	while (at < w->length && (w->bytes[at] == '\r' || w->bytes[at] == '\n'))
		at++;
	return at;
}

/*
 * Is the message that begins at @at a request? Where the protocol is known, the direction says so,
 * and any line is one. Return: false: no message begins there.
 */
static bool message_kind(struct nfac_rules_scratch *s, u32 at)
{
	const struct nfac_window *w = s->window;
	const u8 *bytes = w->bytes + at;
	const u32 length = w->length - at;
	const bool known = w->app == NFAC_APP_HTTP && !w->cut && w->direction;

	s->request = known ? w->direction == NFAC_DIRECTION_TO_SERVER :
			     !nfac_http_is_status(bytes, length);
	if (!length)
		return false;
	if (!known)
		return nfac_http_begins(bytes, length);
	return s->request || nfac_http_is_status(bytes, length);
}

bool nfac_http_parse(struct nfac_rules_scratch *s)
{
	const u32 at = skip_lines(s);
	struct nfac_http_framing framing = { 0 };
	struct nfac_span line;
	u32 next, code = 0;

	if (!message_kind(s, at))
		return false;
	next = nfac_http_line(s, at, &line);
	if (!s->request)
		code = nfac_http_status_line(s, line, next ? NFAC_SLICE_WHOLE : NFAC_SLICE_PART);
	else if (!nfac_http_request_line(s, line, next ? NFAC_SLICE_WHOLE : NFAC_SLICE_PART))
		return false;
	s->more = true;
	s->end = s->window->length;
	if (next)
		next = headers(s, next, &framing);
	if (!next)
		return true;
	/* not the answer yet, whose buffers take the place of these */
	if (code == 100) {
		if (next < s->window->length) {
			memset(s->slice, 0, sizeof(s->slice));
			s->changed = 0;
		}
		s->more = false;
		s->end = next;
		return true;
	}
	header_names(s);
	host(s);
	/* behind another protocol's beginning there is no HTTP */
	if (code == 101)
		return true;
	nfac_http_body(s, next, &framing, code);
	return true;
}
