/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A row: what the start filter has looked at and has not been asked for yet.
 *
 * One probe in fifty passes, and which ones no predictor foresees; a branch for each would
 * cost more than the probes. So the filter looks at a long row and only notes what passes,
 * and the first who asks for a start has all that was noted tested in a loop that depends
 * on nothing but their number.
 */
#ifndef _NFAC_MATCH_CANDIDATES_H
#define _NFAC_MATCH_CANDIDATES_H

#include "run.h"
#include "../popcount.h"

/* Starts in a row: a packet's. */
#define NFAC_CANDIDATES_POSITIONS		2048

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
 * of @group that passed and was not tested yet, each @stride behind the one before; the first
 * it could speak of is at @base + @at[]. No such word is 0. The groups before those that have a
 * start in the map are @list[@next .. @count - 1], from @base on. @dense: @groups[@word] is not
 * going to be listed. @suffix: it has the starts of patterns that may end (see matcher_ends.h);
 * valid always.
 */
struct nfac_candidates {
	size_t base, to;
	u32 stride;
	u32 word, words;
	u32 next, count;
	bool dense;
	bool suffix;
	u8 group;
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
static __always_inline void nfac_candidates_begin(struct nfac_candidates *batch, size_t from,
						  u32 stride,
						  u32 before)
{
	batch->base = from < NFAC_CANDIDATES_BACK ? 0 : from - NFAC_CANDIDATES_BACK;
	batch->to = from;
	batch->stride = stride;
	batch->group = stride + before;
	batch->word = 0;
	batch->words = 0;
	batch->next = 0;
	batch->count = 0;
	batch->dense = false;
	batch->suffix = false;
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
	return last - from < NFAC_CANDIDATES_POSITIONS ? last : from + NFAC_CANDIDATES_POSITIONS;
}

/* Note what passed, a bit for each group, of the starts @at .. @to - 1. */
static __always_inline void nfac_candidates_add(struct nfac_candidates *batch, size_t at, size_t to,
						u64 groups)
{
	batch->groups[batch->words] = groups;
	batch->at[batch->words] = at - batch->base;
	batch->words += groups != 0;
	batch->to = to;
}

/* Of the @groups from @at on, those that the row has not: a block's last look overlaps. */
static __always_inline u64 nfac_candidates_new(const struct nfac_candidates *batch, size_t at,
					       u64 groups,
					       const u32 stride)
{
	return groups & ~0ull << (batch->to - at) / stride;
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
						const u32 group)
{
	struct nfac_candidates *batch = run->batch;
	const u8 *text = run->text + batch->base;
	u32 i, weight, count = 0, kept = 0;

	for (; batch->word < batch->words; batch->word++) {
		weight = nfac_weight64(batch->groups[batch->word]);
		if ((weight > NFAC_CANDIDATES_SPARSE && !batch->suffix) ||
		    count + weight > NFAC_CANDIDATES_LIST)
			break;
		nfac_candidates_unpack(batch->list + count, batch->groups[batch->word],
				       batch->at[batch->word], stride);
		count += weight;
	}
	for (i = 0; i < count; i++) {
		u32 at = batch->list[i];

		batch->list[kept] = at;
		kept += nfac_candidates_confirm(run->a, nfac_keys_at(run->a, text + at, group),
						group,
						false);
	}
	batch->next = 0;
	batch->count = kept;
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
	u32 found = nfac_candidates_confirm(run->a, keys, n, true);

	if (at < from)
		found &= ~0u << (from - at);
	return unlikely(found) ? at + nfac_ctz64(found) : run->batch->to;
}

/* The first one in the listed groups, or the row's end. */
static __always_inline size_t nfac_candidates_listed(const struct nfac_run *run, size_t from,
						     const u32 group)
{
	struct nfac_candidates *batch = run->batch;
	size_t found, at;

	for (; batch->next < batch->count; batch->next++) {
		at = batch->base + batch->list[batch->next];
		if (at + group <= from)
			continue;
		found = nfac_candidates_group(run, at, from, group);
		if (found < batch->to)
			return found;
	}
	return batch->to;
}

/* The first one in the dense word, or the row's end. */
static __always_inline size_t nfac_candidates_dense(const struct nfac_run *run, size_t from,
						    const u32 stride, const u32 group)
{
	struct nfac_candidates *batch = run->batch;
	size_t found, base = batch->base + batch->at[batch->word];
	u64 *groups = &batch->groups[batch->word];
	const u32 before = group - stride;
	u32 skip = from > base + before ? (from - base - before) / stride : 0;

	*groups = skip < 64 ? *groups & ~0ull << skip : 0;
	for (; *groups; *groups &= *groups - 1) {
		found = nfac_candidates_group(run, base + nfac_ctz64(*groups) * stride, from,
					      group);
		if (found < batch->to)
			return found;
	}
	return batch->to;
}

/* nfac_candidates_next() for this stride, with @group candidates in a group. */
static __always_inline size_t nfac_candidates_find(const struct nfac_run *run, size_t from,
						   const u32 stride, const u32 group)
{
	struct nfac_candidates *batch = run->batch;
	size_t found;

	for (;;) {
		found = batch->dense ? nfac_candidates_dense(run, from, stride, group) :
				     nfac_candidates_listed(run, from, group);
		if (found < batch->to)
			return found;
		batch->word += batch->dense;
		batch->dense = false;
		if (batch->word == batch->words)
			return batch->to;
		batch->dense = !nfac_candidates_test(run, stride, group);
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

#endif /* _NFAC_MATCH_CANDIDATES_H */
