// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP/1: the first line of a request or a response, and whether bytes begin one.
 *
 * The interpreter calls nfac_http_begins() to recognise the protocol; the parser of messages
 * (http.c) calls the rest. Lines are split as libhtp, Suricata's parser, splits them: the method
 * and the protocol end at any blank, the URI at the first space.
 *
 * Cost: each byte of the line is read three times at most.
 */
#include "http.h"

#define METHOD_MIN	3u	/* of a line that has not ended: a shorter word says too little */
#define METHOD_MAX	32u	/* the longest registered one has 18 bytes */

#define STATUS_MIN	4u	/* "HTTP" */

/* Methods by which libhtp and Suricata recognise a request. */
static const char *const methods[] = {
	"GET", "POST", "HEAD", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "PROPFIND",
	"PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "CHECKOUT", "UNCHECKOUT", "CHECKIN",
	"UPDATE", "LABEL", "REPORT", "MKWORKSPACE", "MKACTIVITY", "MERGE", "VERSION-CONTROL",
	"BASELINE-CONTROL",
};

/*
 * Does a known method, which a blank ends, begin at @at? @open: the bytes may also end within it.
 */
static bool is_known_method(const u8 *at, u32 length, bool nocase, bool open)
{
	u32 i, k;

	for (i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		const char *name = methods[i];

		for (k = 0; k < length && name[k]; k++)
			if ((nocase ? at[k] & ~0x20 : at[k]) != (u8)name[k] && at[k] != (u8)name[k])
				break;
		if (k == length ? open : !name[k] && nfac_is_blank(at[k]))
			return true;
	}
	return false;
}

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
	return length >= 9 && !memcmp(at, "HTTP/1.", 7) && nfac_is_blank(at[8]);
}

/* As nfac_http_begins(), from the first NFAC_RULES_FIRST bytes: true where it may be. */
bool nfac_http_may_begin(const u8 *at, u32 length)
{
	return is_response(at, length) || method_length(at, length) ||
	       is_known_method(at, length, true, false);
}

/* A request line with a version or a known method, or a status line. */
bool nfac_http_begins(const u8 *at, u32 length)
{
	u32 i, n;

	if (is_response(at, length) || is_known_method(at, length, true, false))
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

static u32 behind_spaces(const struct nfac_span *line, u32 at)
{
	while (at < line->length && nfac_is_space(line->at[at]))
		at++;
	return at;
}

static u32 behind_word(const struct nfac_span *line, u32 at)
{
	while (at < line->length && !nfac_is_space(line->at[at]))
		at++;
	return at;
}

bool nfac_http_is_status(const u8 *at, u32 length)
{
	const struct nfac_span line = { at, length };
	const u32 i = behind_spaces(&line, 0);

	return length - i >= STATUS_MIN && nfac_lower(at[i]) == 'h' &&
	       nfac_lower(at[i + 1]) == 't' && nfac_lower(at[i + 2]) == 't' &&
	       nfac_lower(at[i + 3]) == 'p';
}

bool nfac_http_is_stray(const struct nfac_span *line, bool request, bool open)
{
	const u32 i = behind_spaces(line, 0), length = line->length - i;

	if (request)
		return !is_known_method(line->at + i, length, false, open);
	return !nfac_http_is_status(line->at, line->length) && !(open && length < STATUS_MIN);
}

bool nfac_http_request_line(struct nfac_rules_scratch *s, struct nfac_span line,
			    enum nfac_slice_state state)
{
	const u32 method = behind_spaces(&line, 0), behind = behind_word(&line, method);
	const u32 uri = behind_spaces(&line, behind);
	const bool connect = behind - method == 7 && !memcmp(line.at + method, "CONNECT", 7);
	bool odd = false;
	u32 end;

	if (behind == method || behind == line.length)
		return false;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_METHOD, line.at + method, behind - method,
		       NFAC_SLICE_WHOLE);
	nfac_slice_set(s, NFAC_BUFFER_HTTP_REQUEST_LINE, line.at, line.length, state);
	for (end = uri; end < line.length && line.at[end] != ' '; end++)
		odd |= nfac_is_space(line.at[end]);
	/* no space ends it: then any blank does */
	if (end == line.length && odd)
		end = behind_word(&line, uri);
	/* of a URI that goes on, what is decoded may change */
	if (end == line.length && state == NFAC_SLICE_PART && s->window->stream &&
	    !s->window->whole)
		return true;
	nfac_slice_set(s, NFAC_BUFFER_HTTP_URI_RAW, line.at + uri, end - uri, state);
	nfac_http_uri(s, line.at + uri, end - uri, connect, state);
	end = behind_spaces(&line, end);
	if (end < line.length)
		nfac_slice_set(s, NFAC_BUFFER_HTTP_PROTOCOL, line.at + end, line.length - end,
			       state);
	return true;
}

u32 nfac_http_status_line(struct nfac_rules_scratch *s, struct nfac_span line,
			  enum nfac_slice_state state)
{
	const u32 protocol = behind_spaces(&line, 0), behind = behind_word(&line, protocol);
	const u32 code = behind_spaces(&line, behind), end = behind_word(&line, code);
	const u32 text = behind_spaces(&line, end);
	u32 number = 0, i;

	nfac_slice_set(s, NFAC_BUFFER_HTTP_RESPONSE_LINE, line.at, line.length, state);
	nfac_slice_set(s, NFAC_BUFFER_HTTP_PROTOCOL, line.at + protocol, behind - protocol, state);
	if (end > code)
		nfac_slice_set(s, NFAC_BUFFER_HTTP_STAT_CODE, line.at + code, end - code, state);
	if (text < line.length)
		nfac_slice_set(s, NFAC_BUFFER_HTTP_STAT_MSG, line.at + text, line.length - text,
			       state);
	for (i = code; i < end && i < code + 4 && (u8)(line.at[i] - '0') < 10; i++)
		number = number * 10 + line.at[i] - '0';
	return number;
}
