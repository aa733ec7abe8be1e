/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the text may enter the automaton: the starts that have an entry.
 */
#ifndef _NFAC_MATCHER_START_H
#define _NFAC_MATCHER_START_H

#include "matcher_repeat.h"
#include "matcher_row.h"

/* A byte of text as the set reads it; once, for a local sender may change its pages meanwhile. */
static __always_inline u8 nfac_byte_at(const u8 *text, const bool fold)
{
	u8 c = fold ? nfac_fold1(*text) : *text;

	OPTIMIZER_HIDE_VAR(c);
	return c;
}

/* Gram that begins before the block and ends in it. */
static inline u32 nfac_gram_across(const struct nfac_run *run, s64 pos)
{
	u32 k, gram = 0;

	for (k = 0; k < NFAC_GRAM; k++)
		gram |= (u32)nfac_text_at(run, pos + k) << 8 * k;
	return gram;
}

/*
 * So many starts are tested one by one after a walk before the filter is asked: where
 * patterns follow one another, the next one begins there, and less than a gram before
 * it the walk has looked back.
 */
#define NFAC_NEAR	NFAC_GRAM

/* And so many where the start before was near as well: there the filter looks in vain. */
#define NFAC_NEAR_AGAIN	(4 * NFAC_GRAM)

/* Record that a pattern's start at @pos leads to, or NFAC_NONE. */
static __always_inline u32 nfac_entry_at(const struct nfac_automaton *a, u32 gram,
					 const bool fold)
{
	return nfac_table_find(&a->entries, fold ? nfac_fold4(gram) : gram);
}

/*
 * The first of the NFAC_GRAM starts from @pos on that has an entry, and *@ref; or the one
 * behind them. For a set that folds: eight bytes, which can be read there, at once.
 */
static __always_inline size_t nfac_first_folded(const struct nfac_run *run, size_t pos, u32 *ref)
{
	u64 x = nfac_fold8(nfac_eight_at(run->text + pos));
	u32 k;

	for (k = 0; k < NFAC_GRAM; k++, x >>= 8) {
		*ref = nfac_table_find(&run->a->entries, x);
		if (*ref != NFAC_NONE)
			break;
	}
	return pos + k;
}

/*
 * Next start without any map. A loop of its own: as the first one of nfac_next_start(), with
 * all starts near, it was measured at two thirds of the speed.
 */
static __always_inline size_t nfac_next_unfiltered(const struct nfac_run *run, size_t pos,
						   u32 *ref, const bool fold)
{
	const size_t end = run->len - NFAC_GRAM + 1;

	for (; pos < end; pos++) {
		*ref = nfac_entry_at(run->a, nfac_gram_at(run->text + pos), fold);
		if (*ref != NFAC_NONE)
			break;
	}
	return pos;
}

/*
 * Next start in the block that has an entry. Up to @near they are tested one by one;
 * from there on the filter is asked.
 * Return: its position and *@ref, or @len - NFAC_GRAM + 1.
 */
static __always_inline size_t nfac_next_start(struct nfac_run *run, size_t pos,
					      u32 *ref, const bool fold, size_t near)
{
	const struct nfac_automaton *a = run->a;
	const u8 *text = run->text;
	const size_t last = run->len - NFAC_GRAM;
	u32 gram;

	if (!a->stride || near > last)
		near = last;
	while (fold && pos < near && pos + 8 <= run->len) {
		pos = nfac_first_folded(run, pos, ref);
		if (*ref != NFAC_NONE)
			return pos;
	}
	for (; pos < near; pos++) {
		*ref = nfac_entry_at(a, nfac_gram_at(text + pos), fold);
		if (*ref != NFAC_NONE)
			return pos;
	}
	for (; pos <= last; pos++) {
		/* what was looked at before the last start was found comes first */
		if (pos < run->row->to)
			pos = nfac_row_next(run, pos);
		gram = nfac_gram_at(text + pos);
		/* a run of one byte is not worth a row */
		if (pos < last && pos >= run->row->to && !nfac_gram_repeats(gram)) {
			pos = run->path >= NFAC_PATH_AVX2 ? nfac_filter_avx2(run, pos) :
							    nfac_filter_portable(run, pos);
			gram = nfac_gram_at(text + pos);
		}
		*ref = nfac_entry_at(a, gram, fold);
		if (*ref != NFAC_NONE)
			break;
		if (unlikely(nfac_gram_repeats(gram)))
			pos = nfac_repeat_end(text, pos + NFAC_GRAM, run->len, 1) - NFAC_GRAM;
	}
	return pos;
}

#endif /* _NFAC_MATCHER_START_H */
