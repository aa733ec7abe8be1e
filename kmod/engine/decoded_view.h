/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decoded view: a payload as a web server reads it, searched beside the payload itself.
 *
 * Servers decode escapes before they act, so that "%2e%2e%2fetc%2fpasswd" passes a filter of
 * bytes. A set with NFAC_SET_DECODE_URL is also searched behind one reading of the escapes, and
 * behind a second one where the first leaves some: percent-encoding, %uXXXX (with the full-width
 * forms of ASCII that IIS accepts), overlong UTF-8, and "+" for a space. A match of the view has a
 * byte that the reading changed, so none is reported twice.
 *
 * stream/window.c and `nfac scan` call it behind the scan of the payload. Freestanding; the caller
 * lends the memory.
 *
 * Cost: each byte is compared with "%" and "+". Bytes that a match with a changed byte can have are
 * decoded twice and scanned twice, and so are NFAC_DECODED_BEFORE bytes before each piece.
 */
#ifndef _NFAC_DECODED_VIEW_H
#define _NFAC_DECODED_VIEW_H

#include "match/memory.h"

/* New bytes in one call: with those before them, all offsets fit in 16 bits. */
#define NFAC_DECODED_PIECE	8192u

/*
 * Bytes before a piece in which a match may begin. Written as overlong UTF-8 of four bytes, each by
 * three %uXXXX, a character takes 72 bytes, so patterns of 14 bytes are found however they are
 * encoded and cut; percent-encoded twice, which takes 5, those of 200 bytes are.
 */
#define NFAC_DECODED_BEFORE	1024u
#define NFAC_DECODED_CHARACTER	72u

#define NFAC_DECODED_ESCAPE	6u	/* bytes of an escape, at most: %uXXXX */

/*
 * Decoded bytes beside an escape that a match may have: one long pattern does not make all that is
 * near an escape be scanned twice. A longer pattern is found where no gap between its escapes, nor
 * before the first or behind the last one, is longer.
 */
#define NFAC_DECODED_REACH	256u

#define NFAC_DECODED_BYTES	(NFAC_DECODED_BEFORE + NFAC_DECODED_PIECE)

/**
 * typedef nfac_view_fn - called for each match of the view
 * @ctx: as given to nfac_decoded_scan()
 * @hit: the match; its end counts from a byte of the decoded text
 * @begin: offset in the piece of the byte or escape that the match begins with
 * @end: offset in the piece of what is behind the match
 *
 * Return: false: no more are wanted.
 */
typedef bool (*nfac_view_fn)(void *ctx, const struct nfac_hit *hit, u32 begin, u32 end);

/**
 * struct nfac_view - the search of one piece
 *
 * Part of struct nfac_decoded; filled by nfac_decoded_scan(), and of no use to its caller.
 *
 * @a: the set
 * @before: offset in the piece of its first new byte
 * @path: as for nfac_match_block()
 * @fn: called for each match
 * @ctx: for @fn
 * @ignored: matches that are not new
 * @most: of them, after which the search ends
 * @stopped: @fn wants no more, or too many were ignored
 * @cursor: the scan state in the reading that is searched
 */
struct nfac_view {
	const struct nfac_automaton *a;
	u32 before;
	enum nfac_path path;
	nfac_view_fn fn;
	void *ctx;
	u32 ignored;
	u32 most;
	bool stopped;
	struct nfac_cursor cursor;
};

/**
 * struct nfac_decoded - memory of the decoded view
 *
 * Owned by the caller: per CPU in the kernel, with softirqs disabled. Contents are meaningless
 * between calls, but the caller may gather a piece in @raw.
 *
 * @at: offset in the piece of each byte of @text, and of the byte behind its last one
 * @changed: for each byte of @text, the number of bytes up to the last changed one; 0: none
 * @text: decoded bytes
 * @raw: the piece, where it is not in one place
 * @view: of the search
 * @match: of the matcher
 */
struct nfac_decoded {
	u16 at[NFAC_DECODED_BYTES + 1];
	u16 changed[NFAC_DECODED_BYTES];
	u8 text[NFAC_DECODED_BYTES];
	u8 raw[NFAC_DECODED_BYTES];
	struct nfac_view view;
	struct nfac_match_memory match;
};

/*
 * Is there an escape among the bytes that a match can have? Also true where one may begin whose end
 * is behind the bytes.
 */
bool nfac_decoded_wanted(const struct nfac_automaton *a, const u8 *bytes, u32 length,
			 enum nfac_path path);

/* Bytes before a piece on which the view of the piece depends, at most. */
static inline u32 nfac_decoded_before(const struct nfac_automaton *a)
{
	u64 before = (u64)NFAC_DECODED_CHARACTER * a->longest;

	return before < NFAC_DECODED_BEFORE ? before : NFAC_DECODED_BEFORE;
}

/*
 * Matches in a piece that are not new: without a changed byte, or of an earlier piece. Two for each
 * byte of each reading; more are those of a set whose lists of matches are long.
 */
#define NFAC_DECODED_IGNORED	(4 * NFAC_DECODED_BYTES)

/**
 * nfac_decoded_scan() - search the decoded view of a piece
 * @a: the set
 * @memory: to work in
 * @raw: the piece, @before bytes that were searched earlier and @length more; it may be in
 *	@memory->raw
 * @before: at most NFAC_DECODED_BEFORE
 * @length: at most NFAC_DECODED_PIECE
 * @path: as for nfac_match_block()
 * @most: ignored matches after which it ends: NFAC_DECODED_IGNORED for traffic
 * @fn: called for each match that ends in the new bytes and has a byte that was changed. They come
 *	in order for each reading of a region, not altogether
 * @ctx: for @fn
 *
 * Context: any; the caller holds the automaton.
 * Return: false: it was not searched to its end, because of more than @most matches that are
 *	not new.
 */
bool nfac_decoded_scan(const struct nfac_automaton *a, struct nfac_decoded *memory, const u8 *raw,
		       u32 before, u32 length, enum nfac_path path, u32 most, nfac_view_fn fn,
		       void *ctx);

#endif /* _NFAC_DECODED_VIEW_H */
