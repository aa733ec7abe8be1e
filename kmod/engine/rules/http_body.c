// SPDX-License-Identifier: GPL-2.0
/*
 * HTTP/1: where a message's body is and how long, by its head (RFC 9112, section 6), as libhtp,
 * Suricata's parser, has it.
 *
 * The parser of messages (http.c) calls nfac_http_set_framing() for each header, then
 * nfac_http_body().
 *
 * Cost: each byte of a chunked body is read once; lines behind a body once each time it is parsed.
 */
#include "http.h"

u32 nfac_http_line(struct nfac_rules_scratch *s, u32 at, struct nfac_span *line)
{
	const u8 *bytes = s->window->bytes, *end;
	const u32 length = s->window->length;

	line->at = bytes + at;
	line->length = length - at;
	end = memchr(bytes + at, '\n', length - at);
	if (!nfac_rules_spend(s, end ? (u32)(end - line->at + 1) : line->length) || !end)
		return 0;
	line->length = end - line->at;
	while (line->length && line->at[line->length - 1] == '\r')
		line->length--;
	return end - bytes + 1;
}

bool nfac_name_is(const struct nfac_span *name, const char *other, u32 length)
{
	u32 i;

	if (name->length != length)
		return false;
	for (i = 0; i < length; i++)
		if (nfac_lower(name->at[i]) != (u8)other[i])
			return false;
	return true;
}

bool nfac_decoded_add(struct nfac_rules_scratch *s, const u8 *at, u32 length)
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

/* Is "chunked" one of the words that commas separate? */
static bool has_chunked(const struct nfac_span *value)
{
	struct nfac_span word;
	u32 i = 0, end;

	while (i < value->length) {
		for (end = i; end < value->length && value->at[end] != ','; end++)
			;
		word = nfac_trim(value->at + i, end - i);
		if (nfac_name_is(&word, "chunked", 7))
			return true;
		i = end + 1;
	}
	return false;
}

void nfac_http_set_framing(struct nfac_http_framing *f, const struct nfac_span *name,
			   const struct nfac_span *value)
{
	u32 i;

	if (nfac_name_is_length(name) && !f->has_length) {
		for (i = 0; i < value->length && (u8)(value->at[i] - '0') > 9; i++)
			;
		f->has_length = i < value->length;
		for (; i < value->length && i < 18 && (u8)(value->at[i] - '0') < 10; i++)
			f->length = f->length * 10 + value->at[i] - '0';
	} else if (nfac_name_is(name, "transfer-encoding", 17)) {
		f->chunked = has_chunked(value);
	} else if (nfac_name_is(name, "content-encoding", 16)) {
		f->encoded = !nfac_name_is(value, "identity", 8);
	}
}

/* Join the chunks of a body at @at. Return: offset behind it, 0: it has not ended. */
static u32 chunks(struct nfac_rules_scratch *s, u32 at, struct nfac_span *body)
{
	const u32 from = s->used;
	u32 length, i, digit;
	struct nfac_span line;

	for (;;) {
		body->at = s->decoded + from;
		body->length = s->used - from;
		at = nfac_http_line(s, at, &line);
		if (!at)
			return 0;
		line = nfac_trim(line.at, line.length);
		for (length = 0, i = 0; i < line.length && i < 7; i++) {
			digit = nfac_hex(line.at[i]);
			if (digit == 16)
				break;
			length = length << 4 | digit;
		}
		if (!length)
			break;
		if (length > s->window->length - at) {
			nfac_decoded_add(s, s->window->bytes + at, s->window->length - at);
			body->length = s->used - from;
			return 0;
		}
		if (!nfac_decoded_add(s, s->window->bytes + at, length))
			return 0;
		at += length;
		at = nfac_http_line(s, at, &line);
		if (!at)
			return 0;
	}
	/* trailers, and the line that ends them */
	while (at && line.length)
		at = nfac_http_line(s, at, &line);
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

/*
 * Lines behind a body that begin no message: they belong to it. Return: where they end. @open: a
 * line has not ended, and may begin a message.
 */
static u32 stray_end(struct nfac_rules_scratch *s, u32 at, bool *open)
{
	const struct nfac_window *w = s->window;
	struct nfac_span line;
	u32 next;

	while (at < w->length) {
		next = nfac_http_line(s, at, &line);
		*open = !next && !w->whole;
		if (s->left < 0 || !nfac_http_is_stray(&line, s->request, *open))
			break;
		*open = false;
		at = next ? next : w->length;
	}
	return at;
}

/* Bytes of the body, as the head says. */
static u64 body_length(const struct nfac_rules_scratch *s, u32 at,
		       const struct nfac_http_framing *f, u32 code)
{
	if (s->request)
		return f->has_length ? f->length : 0;
	/* these have none, nor has the answer to HEAD, behind which the next answer is */
	if (code == 204 || code == 304 ||
	    nfac_http_begins(s->window->bytes + at, s->window->length - at))
		return 0;
	/* without a length it ends with the connection */
	return f->has_length ? f->length : ~0ull;
}

void nfac_http_body(struct nfac_rules_scratch *s, u32 at, const struct nfac_http_framing *f,
		    u32 code)
{
	const enum nfac_buffer buffer = s->request ? NFAC_BUFFER_HTTP_REQUEST_BODY :
						     NFAC_BUFFER_HTTP_RESPONSE_BODY;
	const u64 length = f->chunked ? 0 : body_length(s, at, f, code);
	const u32 rest = s->window->length - at;
	enum nfac_slice_state state = NFAC_SLICE_WHOLE;
	struct nfac_span span = { s->window->bytes + at, 0 };
	bool open = false;
	u32 end = at;

	if (f->chunked) {
		end = chunks(s, at, &span);
		if (!end)
			state = NFAC_SLICE_PART;
	} else if (length > rest) {
		span.length = rest;
		state = NFAC_SLICE_PART;
	} else {
		end = stray_end(s, at + length, &open);
		span.length = end - at;
		if (open)
			state = NFAC_SLICE_PART;
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
