/* SPDX-License-Identifier: GPL-2.0 */
/*
 * HTTP/1: what the parsers of lines, of the URI and of messages share.
 */
#ifndef _NFAC_RULES_HTTP_H
#define _NFAC_RULES_HTTP_H

#include "buffers.h"

/* Bytes of the window, or of decoded memory. */
struct nfac_span {
	const u8 *at;
	u32 length;
};

static __always_inline bool nfac_is_blank(u8 c)
{
	return c == ' ' || c == '\t';
}

/* Without the blanks around it. */
static inline struct nfac_span nfac_trim(const u8 *at, u32 length)
{
	while (length && nfac_is_blank(*at)) {
		at++;
		length--;
	}
	while (length && nfac_is_blank(at[length - 1]))
		length--;
	return (struct nfac_span) { at, length };
}

/* Is it this name, which is in lower case? */
bool nfac_name_is(const struct nfac_span *name, const char *other, u32 length);

/* The one header that is not joined: a second length is no part of the first. */
static inline bool nfac_name_is_length(const struct nfac_span *name)
{
	return nfac_name_is(name, "content-length", 14);
}

/*
 * The line at @at, without its end. Return: offset behind it, 0: it has not ended; then @line is
 * all that there is.
 */
u32 nfac_http_line(struct nfac_rules_scratch *s, u32 at, struct nfac_span *line);

/* Append to the decoded memory. Return: false: no room, or the budget is used up. */
bool nfac_decoded_add(struct nfac_rules_scratch *s, const u8 *at, u32 length);

/* What the head says of the body. */
struct nfac_http_framing {
	u64 length;
	bool has_length, chunked, encoded;
};

/* Note what a header says of the body. */
void nfac_http_set_framing(struct nfac_http_framing *f, const struct nfac_span *name,
			   const struct nfac_span *value);

/* Set the buffers of the body at @at, and the message's end. @code: of a response. */
void nfac_http_body(struct nfac_rules_scratch *s, u32 at, const struct nfac_http_framing *f,
		    u32 code);

/*
 * Normalise a URI into the decoded memory, set its slice, and note its host. @authority: it has no
 * path, only host and port (CONNECT).
 */
void nfac_http_uri(struct nfac_rules_scratch *s, const u8 *at, u32 length, bool authority,
		   enum nfac_slice_state state);

/* Do the bytes begin as a status line, behind any blanks? */
bool nfac_http_is_status(const u8 *at, u32 length);

/*
 * Is a line behind a message part of its body, because it begins no other message? libhtp has it
 * so: a Content-Length that is too small, or missing, hides nothing. @open: the line has not ended,
 * and one that may still become a message's first is none.
 */
bool nfac_http_is_stray(const struct nfac_span *line, bool request, bool open);

/* Method, URI, protocol. @state: of the line. Return: it is a request line. */
bool nfac_http_request_line(struct nfac_rules_scratch *s, struct nfac_span line,
			    enum nfac_slice_state state);

/* Protocol, code, message. Return: the code, 0: no number. */
u32 nfac_http_status_line(struct nfac_rules_scratch *s, struct nfac_span line,
			  enum nfac_slice_state state);

#endif /* _NFAC_RULES_HTTP_H */
