/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A row: what the start filter has looked at and has not been asked for yet.
 *
 * One probe in fifty passes, and which ones no predictor foresees; a branch for each would
 * cost more than the probes. So the filter looks at a long row and only notes what passes,
 * and the first who asks for a start has all that was noted tested in a loop that depends
 * on nothing but their number.
 */
#ifndef _NFAC_MATCHER_ROW_H
#define _NFAC_MATCHER_ROW_H

#include "run.h"
#include "../popcount.h"

/* Starts in a row: a packet's. */
#define NFAC_CANDIDATES_STARTS		2048

/* Words in a row, with a bit for each of 64 groups of up to NFAC_GRAM starts. */
#define NFAC_CANDIDATES_WORDS		16

/* A row's last look may begin so many starts before the row: what a word speaks of. */
#define NFAC_CANDIDATES_BACK		(64 * NFAC_GRAM)

/*
 * Walks go past most groups of a word that has more than so many. They are tested one by
 * one, when they are come to.
 */
#define NFAC_CANDIDATES_SPARSE		12

/* Groups tested at once, and what nfac_candidates_unpack() may write behind them. */
#define NFAC_CANDIDATES_LIST		96
#define NFAC_CANDIDATES_SPARE		3

/*
 * On the stack of nfac_match_block(), nobody else's. @to is 0 as long as there was none in
 * this block, and then the rest is not valid.
 *
 * The starts before @to have been looked at. A bit of @groups[@word .. @words - 1] is a group
 * of @starts that passed and was not tested yet, each @stride behind the one before; the first
 * it could speak of is at @base + @at[]. No such word is 0. The groups before those that have a
 * start in the map are @list[@next .. @count - 1], from @base on. @dense: @groups[@word] is not
 * going to be listed. @ended: it has the starts of patterns that may end (see matcher_ends.h);
 * valid always.
 */
struct nfac_candidates {
	size_t base, to;
	u32 stride;
	u32 word, words;
	u32 next, count;
	bool dense;
	bool ended;
	u8 starts;
	u64 groups[NFAC_CANDIDATES_WORDS];
	u16 at[NFAC_CANDIDATES_WORDS];
	u16 list[NFAC_CANDIDATES_LIST + NFAC_CANDIDATES_SPARE];
};

/**
 * nfac_candidates_next() - the first start from a position on in the row
 * @run: the call; there is a row
 * @from: the position
 *
 * Return: its position; or the row's end, and the row is used up.
 */
size_t nfac_candidates_next(const struct nfac_run *run, size_t from);

/* Begin a row at @from; @before: its groups speak of one start more than lie between them. */
static __always_inline void nfac_candidates_begin(struct nfac_candidates *row, size_t from,
						  u32 stride,
						  u32 before)
{
	row->base = from < NFAC_CANDIDATES_BACK ? 0 : from - NFAC_CANDIDATES_BACK;
	row->to = from;
	row->stride = stride;
	row->starts = stride + before;
	row->word = 0;
	row->words = 0;
	row->next = 0;
	row->count = 0;
	row->dense = false;
	row->ended = false;
}

/*
 * A row's first word that has more than so many makes the row end there: starts come often, and
 * where the double array's lanes take over from them, a long row was in vain. Ordinary text has
 * one or two.
 */
#define NFAC_CANDIDATES_FEW		5

/* Where a row ends that begins at @from, at @last at most, and has @groups in its first word. */
static __always_inline size_t nfac_candidates_end(size_t from, size_t last, u64 groups)
{
	if (nfac_weight64(groups) > NFAC_CANDIDATES_FEW)
		return from;
	return last - from < NFAC_CANDIDATES_STARTS ? last : from + NFAC_CANDIDATES_STARTS;
}

/* Note what passed, a bit for each group, of the starts @at .. @to - 1. */
static __always_inline void nfac_candidates_add(struct nfac_candidates *row, size_t at, size_t to,
						u64 groups)
{
	row->groups[row->words] = groups;
	row->at[row->words] = at - row->base;
	row->words += groups != 0;
	row->to = to;
}

/* Of the @groups from @at on, those that the row has not: a block's last look overlaps. */
static __always_inline u64 nfac_candidates_new(const struct nfac_candidates *row, size_t at,
					       u64 groups,
					       const u32 stride)
{
	return groups & ~0ull << (row->to - at) / stride;
}

/* Where the lowest of @bits is, which is cleared; anything if there is none. */
static __always_inline u32 nfac_candidates_take(u64 *bits)
{
	u32 n = nfac_ctz64(*bits | 1ull << 63);

	*bits &= *bits - 1;
	return n;
}

/* List where each of @groups begins, the first that there could be at @base. */
static __always_inline void nfac_candidates_unpack(u16 *list, u64 groups, u32 base,
						   const u32 stride)
{
	/* four at a time, needed or not, for nobody foresees how many there are */
	do {
		list[0] = base + nfac_candidates_take(&groups) * stride;
		list[1] = base + nfac_candidates_take(&groups) * stride;
		list[2] = base + nfac_candidates_take(&groups) * stride;
		list[3] = base + nfac_candidates_take(&groups) * stride;
		list += 4;
	} while (groups);
}

/*
 * List the groups of the next words that are sparse, and keep those with a start in the map.
 * Return: how many were tested; 0: the next word is dense.
 */
static __always_inline u32 nfac_candidates_test(const struct nfac_run *run, const u32 stride,
						const u32 starts)
{
	struct nfac_candidates *row = run->row;
	const u8 *text = run->text + row->base;
	u32 i, weight, count = 0, kept = 0;

	for (; row->word < row->words; row->word++) {
		weight = nfac_weight64(row->groups[row->word]);
		if ((weight > NFAC_CANDIDATES_SPARSE && !row->ended) ||
		    count + weight > NFAC_CANDIDATES_LIST)
			break;
		nfac_candidates_unpack(row->list + count, row->groups[row->word],
				       row->at[row->word], stride);
		count += weight;
	}
	for (i = 0; i < count; i++) {
		u32 at = row->list[i];

		row->list[kept] = at;
		kept += nfac_candidates_confirm(run->a, nfac_keys_at(run->a, text + at, starts),
						starts,
						false);
	}
	row->next = 0;
	row->count = kept;
	return count;
}

/*
 * The first start from @from on in the group of @n at @at, or the row's end: a last group's that
 * is there, one that a probe before it found, is the next row's to look at.
 */
static __always_inline size_t nfac_candidates_group(const struct nfac_run *run, size_t at,
						    size_t from,
						    const u32 n)
{
	u64 keys = nfac_keys_at(run->a, run->text + at, n);
	u32 starts = nfac_candidates_confirm(run->a, keys, n, true);

	if (at < from)
		starts &= ~0u << (from - at);
	return unlikely(starts) ? at + nfac_ctz64(starts) : run->row->to;
}

/* The first one in the listed groups, or the row's end. */
static __always_inline size_t nfac_candidates_listed(const struct nfac_run *run, size_t from,
						     const u32 starts)
{
	struct nfac_candidates *row = run->row;
	size_t found, at;

	for (; row->next < row->count; row->next++) {
		at = row->base + row->list[row->next];
		if (at + starts <= from)
			continue;
		found = nfac_candidates_group(run, at, from, starts);
		if (found < row->to)
			return found;
	}
	return row->to;
}

/* The first one in the dense word, or the row's end. */
static __always_inline size_t nfac_candidates_dense(const struct nfac_run *run, size_t from,
						    const u32 stride, const u32 starts)
{
	struct nfac_candidates *row = run->row;
	size_t found, base = row->base + row->at[row->word];
	u64 *groups = &row->groups[row->word];
	const u32 before = starts - stride;
	u32 skip = from > base + before ? (from - base - before) / stride : 0;

	*groups = skip < 64 ? *groups & ~0ull << skip : 0;
	for (; *groups; *groups &= *groups - 1) {
		found = nfac_candidates_group(run, base + nfac_ctz64(*groups) * stride, from,
					      starts);
		if (found < row->to)
			return found;
	}
	return row->to;
}

/* nfac_candidates_next() for this stride, with @starts candidates in a group. */
static __always_inline size_t nfac_candidates_find(const struct nfac_run *run, size_t from,
						   const u32 stride, const u32 starts)
{
	struct nfac_candidates *row = run->row;
	size_t found;

	for (;;) {
		found = row->dense ? nfac_candidates_dense(run, from, stride, starts) :
				     nfac_candidates_listed(run, from, starts);
		if (found < row->to)
			return found;
		row->word += row->dense;
		row->dense = false;
		if (row->word == row->words)
			return row->to;
		row->dense = !nfac_candidates_test(run, stride, starts);
	}
}

/*
 * May a pattern start where a row is to begin? With @before the probe that could tell is not in
 * the row.
 */
static __always_inline bool nfac_candidates_first(const struct nfac_automaton *a, const u8 *text,
						  const u32 before)
{
	return before && nfac_candidates_confirm(a, nfac_keys_at(a, text, 1), 1, false);
}

#endif /* _NFAC_MATCHER_ROW_H */
