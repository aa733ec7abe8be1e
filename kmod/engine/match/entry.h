/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entries: the candidates at which the text enters the automaton.
 *
 * Both walks call nfac_next_entry(). It takes candidates from the prefilter and looks each one up
 * in the entries; a candidate with an entry begins a walk.
 */
#ifndef _NFAC_MATCH_ENTRY_H
#define _NFAC_MATCH_ENTRY_H

#include "flood.h"
#include "candidates.h"
#include "../entries.h"
#include "../fold.h"

/*
 * A byte of text, folded if the set folds. Read once: a local sender may change its pages
 * meanwhile.
 */
static __always_inline u8 nfac_byte_at(const u8 *text, const bool fold)
{
	u8 c = fold ? nfac_fold1(*text) : *text;

	OPTIMIZER_HIDE_VAR(c);
	return c;
}

/* The cursor's last bytes, and behind them the block's first bytes. */
static __always_inline u64 nfac_bytes_across(const struct nfac_run *run)
{
	const u8 *last = run->cur->last;
	u32 before = last[0] | (u32)last[1] << 8 | (u32)last[2] << 16;
	u64 first = nfac_text8(run->text, run->len);

	return before | le64_to_cpu((__force __le64)first) << 8 * (NFAC_GRAM - 1);
}

/* The q-gram that begins before the block and ends in it. */
static inline u32 nfac_gram_across(const struct nfac_run *run, s64 pos)
{
	return nfac_bytes_across(run) >> 8 * (pos + NFAC_GRAM - 1);
}

/*
 * Is there no candidate in the last bytes of the block before? Each segment of a stream needs this,
 * and mostly there is none: one confirmation of all three positions together costs as much as
 * prefiltering a few bytes of text.
 */
static __always_inline bool nfac_no_candidate_across(const struct nfac_run *run)
{
	const u32 before = NFAC_GRAM - 1;

	if (!run->a->stride || run->path == NFAC_PATH_NOFILTER || run->have < before ||
	    run->len < NFAC_GRAM)
		return false;
	return !nfac_candidates_confirm(run->a, nfac_bytes_across(run) | run->a->fold, before,
					false);
}

/*
 * Near limit, bytes: after a walk, this many positions are looked up one by one before the
 * prefilter resumes. Where patterns follow one another, the next one begins there, and the walk
 * resumes less than a q-gram back.
 */
#define NFAC_NEAR	NFAC_GRAM

/*
 * Near limit if the last candidate was near, too: there the prefilter mostly finds the next
 * position.
 */
#define NFAC_NEAR_AGAIN	(4 * NFAC_GRAM)

/* Look up a q-gram: with @records the record it leads to, else the state's word; or NFAC_NONE. */
static __always_inline u32 nfac_entry_at(const struct nfac_automaton *a, u32 gram,
					 const bool fold, const bool records)
{
	OPTIMIZER_HIDE_VAR(gram);
	if (fold)
		gram = nfac_fold4(gram);
	return records ? nfac_entry_find(&a->entries, gram) : nfac_table_find(&a->entries, gram);
}

/* Eight bytes of text, folded if the set folds; read once, as in nfac_byte_at(). */
static __always_inline u64 nfac_lookahead_at(const u8 *text, const bool fold)
{
	u64 x = nfac_eight_at(text);

	OPTIMIZER_HIDE_VAR(x);
	return fold ? nfac_fold8(x) : x;
}

/* bytes that decide where a candidate leads */
#define NFAC_LOOKAHEAD_BYTES(records)	((records) ? 2u * NFAC_GRAM : NFAC_GRAM)

/* Look up the candidate at @pos; with the lookahead mask, if the block has enough bytes. */
static __always_inline u32 nfac_entry_in_block(const struct nfac_run *run, size_t pos,
					       const bool fold, const bool records)
{
	const u8 *text = run->text + pos;

	if (records && likely(run->len - pos >= NFAC_LOOKAHEAD_BYTES(true)))
		return nfac_entry_lookahead(&run->a->entries, nfac_lookahead_at(text, fold));
	return nfac_entry_at(run->a, nfac_gram_at(text), fold, records);
}

/*
 * Look up NFAC_GRAM positions from @pos on, in a set that folds: their bytes are read and folded
 * together. Return: the first position with an entry, and *@ref; or the position behind them.
 */
static __always_inline size_t nfac_first_entry_folded(const struct nfac_run *run, size_t pos,
						      u32 *ref, const bool records)
{
	const u8 *text = run->text + pos;
	u64 x = nfac_lookahead_at(text, true);
	u64 ahead = records ? nfac_lookahead_at(text + NFAC_GRAM - 1, true) : 0;
	u32 k;

	for (k = 0; k < NFAC_GRAM; k++, x >>= 8) {
		ahead >>= 8;
		*ref = records ? nfac_entry_lookahead(&run->a->entries, (u32)x | ahead << 32) :
				 nfac_table_find(&run->a->entries, x);
		if (*ref != NFAC_NONE)
			break;
	}
	return pos + k;
}

/* bytes of text that nfac_first_entry_folded() reads */
#define NFAC_FIRST_BYTES(records)	((records) ? NFAC_GRAM + 7 : 8)

/*
 * Next position with an entry, without a prefilter. As the first loop of nfac_next_entry(), with
 * all positions near, it had two thirds of the speed.
 */
static __always_inline size_t nfac_next_unfiltered(const struct nfac_run *run, size_t pos,
						   u32 *ref, const bool fold)
{
	const size_t end = run->len - NFAC_GRAM + 1;

	for (; pos < end; pos++) {
		*ref = nfac_entry_in_block(run, pos, fold, true);
		if (*ref != NFAC_NONE)
			break;
	}
	return pos;
}

/*
 * Next position in the block with an entry. Up to @near the positions are looked up one by one;
 * from there on the prefilter finds candidates. Return: its position and *@ref, or @len - NFAC_GRAM
 * + 1.
 */
static __always_inline size_t nfac_next_entry(struct nfac_run *run, size_t pos, u32 *ref,
					      size_t near, const bool fold, const bool records)
{
	const struct nfac_automaton *a = run->a;
	const u8 *text = run->text;
	const size_t last = run->len - NFAC_GRAM;
	size_t end;

	if (!a->stride || near > last)
		near = last;
	while (fold && pos < near && pos + NFAC_FIRST_BYTES(records) <= run->len) {
		pos = nfac_first_entry_folded(run, pos, ref, records);
		if (*ref != NFAC_NONE)
			return pos;
	}
	for (; pos < near; pos++) {
		*ref = nfac_entry_in_block(run, pos, fold, records);
		if (*ref != NFAC_NONE)
			return pos;
	}
	for (; pos <= last; pos++) {
		/* candidates left in the batch come first */
		if (pos < run->batch->to)
			pos = nfac_candidates_next(run, pos);
		/* a run of one byte is not worth a batch */
		if (pos < last && pos >= run->batch->to &&
		    !nfac_gram_is_flood(nfac_gram_at(text + pos)))
			pos = run->path >= NFAC_PATH_VECTOR ? nfac_filter_vector(run, pos) :
							    nfac_filter_portable(run, pos);
		*ref = nfac_entry_in_block(run, pos, fold, records);
		if (*ref != NFAC_NONE)
			break;
		if (unlikely(nfac_gram_is_flood(nfac_gram_at(text + pos)))) {
			end = nfac_flood_end(text, pos + NFAC_GRAM, run->len, 1);
			if (end - pos > NFAC_LOOKAHEAD_BYTES(records))
				pos = end - NFAC_LOOKAHEAD_BYTES(records);
		}
	}
	return pos;
}

#endif /* _NFAC_MATCH_ENTRY_H */
