/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Repeat detection: runs of one byte (floods) and periodic text, such as padding or overflow
 * filler.
 *
 * If the walk returns to a state, and the text repeats what was read in between, the walk repeats
 * itself. Then the text is compared with itself, eight bytes at a time, instead of being read, and
 * the matches of one period are replayed. Both walks call nfac_flood_state().
 */
#ifndef _NFAC_MATCH_FLOOD_H
#define _NFAC_MATCH_FLOOD_H

#include "run.h"

/* Longest period that is detected, bytes. Text with a longer period is read byte by byte. */
#define NFAC_PERIOD_MAX		64

/* Identifies the state of the entry @ref. A failure reference identifies its state by itself. */
#define NFAC_FLOOD_ENTRY(ref)	((u64)1 << 32 | (ref))

/* neither a failure reference nor a record */
#define NFAC_FLOOD_NONE	(~0u)

static inline void nfac_flood_init(struct nfac_flood *flood)
{
	flood->state = NFAC_FLOOD_NONE;
	flood->at = ~(size_t)0;
	flood->case_bytes = 0;
	flood->aperiodic = 0;
	flood->fn = NULL;
}

/* XOR of the eight bytes at @pos with those @period before. */
static __always_inline u64 nfac_flood_differ(const u8 *text, size_t pos, size_t period)
{
	return nfac_eight_at(text + pos) ^ nfac_eight_at(text + pos - period);
}

/**
 * nfac_flood_end() - find the end of periodic text
 * @text: the text
 * @pos: first byte to compare; @period bytes are before it
 * @len: end of the text
 * @period: bytes, at least one
 * / Return: the first byte from @pos on that differs from the one @period before, or @len.
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

/* Are its four bytes equal? */
static __always_inline bool nfac_gram_is_flood(u32 gram)
{
	return gram == (gram << 8 | gram >> 24);
}

/**
 * nfac_flood_state() - the walk entered a state or an entry again
 * @run: the call
 * @state: identifies the state
 * @pos: position of the text
 * @lookahead: bytes behind @pos that decided that it is this state, and where the candidates before
 *	it led
 * / Return: a position behind @pos at which the walk enters the state in the same way, with all
 * matches up to it reported; or @pos.
 */
size_t nfac_flood_state(struct nfac_run *run, u64 state, size_t pos, u32 lookahead);

#endif /* _NFAC_MATCH_FLOOD_H */
