/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that repeats itself: padding, rules of one character, what fills an overflow.
 *
 * An automaton that comes back to a state reads on as it did from there for as long as the
 * text repeats what was read meanwhile. So it is compared with itself, eight bytes at once,
 * instead of being read, and what matched meanwhile is told again.
 */
#ifndef _NFAC_MATCH_FLOOD_H
#define _NFAC_MATCH_FLOOD_H

#include "run.h"

/*
 * A state is remembered over so many bytes. What repeats itself with a longer period is read
 * byte by byte.
 */
#define NFAC_PERIOD_MAX		64

/* As a state's name: the start that @ref leads to. A failure's word is one as it is. */
#define NFAC_FLOOD_ENTRY(ref)	((u64)1 << 32 | (ref))

/* No failure's word, and no record. */
#define NFAC_FLOOD_NONE	(~0u)

static inline void nfac_flood_init(struct nfac_flood *flood)
{
	flood->state = NFAC_FLOOD_NONE;
	flood->at = ~(size_t)0;
	flood->case_bytes = 0;
	flood->aperiodic = 0;
	flood->fn = NULL;
}

/* Where eight bytes at @pos differ from those @period before: bits of the bytes that do. */
static __always_inline u64 nfac_flood_differ(const u8 *text, size_t pos, size_t period)
{
	return nfac_eight_at(text + pos) ^ nfac_eight_at(text + pos - period);
}

/**
 * nfac_flood_end() - where a text stops to repeat itself
 * @text: the text
 * @pos: where it begins to; @period bytes lie before
 * @len: its end
 * @period: bytes, at least one
 *
 * Return: the first byte from @pos on that is not the one @period before, or @len.
 */
static inline size_t nfac_flood_end(const u8 *text, size_t pos, size_t len, size_t period)
{
	u64 x;

	for (; len - pos >= 32; pos += 32)
		if (nfac_flood_differ(text, pos, period) |
		    nfac_flood_differ(text, pos + 8, period) |
		    nfac_flood_differ(text, pos + 16, period) |
		    nfac_flood_differ(text, pos + 24, period))
			break;
	for (; len - pos >= 8; pos += 8) {
		x = nfac_flood_differ(text, pos, period);
		if (x)
			return pos + (nfac_ctz64(x) >> 3);
	}
	while (pos < len && text[pos] == text[pos - period])
		pos++;
	return pos;
}

/* Is it of one byte? */
static __always_inline bool nfac_gram_is_flood(u32 gram)
{
	return gram == (gram << 8 | gram >> 24);
}

/**
 * nfac_flood_state() - a state or a start was come to again
 * @run: the call
 * @state: which, told from all others by any number
 * @pos: where
 * @lookahead: no more bytes than these from there on decide that it is this one, and where the
 *	starts before it led to
 *
 * Return: a place behind @pos where it is come to in the same way, and all that matches until
 * then has been told; or @pos.
 */
size_t nfac_flood_state(struct nfac_run *run, u64 state, size_t pos, u32 lookahead);

#endif /* _NFAC_MATCH_FLOOD_H */
