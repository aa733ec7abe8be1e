/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Candidate batch: positions that passed the prefilter and still have to be confirmed.
 *
 * One probe in fifty passes, and which one is unpredictable; a branch for each probe would cost
 * more than the probes. So the prefilter (prefilter.c, prefilter_vector.c) probes up to 2,048
 * positions and stores a bit for each group of candidates. The first call of nfac_candidates_next()
 * then confirms the groups in a loop whose only branches depend on their number. The suffix filter
 * fills a batch of the same form.
 */
#ifndef _NFAC_MATCH_CANDIDATES_H
#define _NFAC_MATCH_CANDIDATES_H

#include "run.h"
#include "../popcount.h"

/* positions in a batch: one full-size TCP payload */
#define NFAC_CANDIDATES_POSITIONS		2048

/* words in a batch: a bit for each of 64 groups of up to NFAC_GRAM candidates */
#define NFAC_CANDIDATES_WORDS		16

/* A batch's last probes may begin this many positions before the batch: what one word covers. */
#define NFAC_CANDIDATES_BACK		(64 * NFAC_GRAM)

/*
 * A word with more groups than this is not confirmed as a whole: walks pass over most of its
 * groups. They are confirmed one by one when they are reached.
 */
#define NFAC_CANDIDATES_SPARSE		12

/* Groups confirmed together, and what nfac_candidates_unpack() may write behind them. */
#define NFAC_CANDIDATES_LIST		96
#define NFAC_CANDIDATES_SPARE		3

/*
 * In the call's memory. @to is 0 as long as there was no batch in this block; then
 * only @suffix is valid.
 *
 * All positions before @to were probed. A bit of @groups[@word .. @words - 1] is a group of @group
 * candidates that passed and is not confirmed yet. Groups are @stride bytes apart; bit 0 is the
 * group at @base + @at[]. No such word is 0. Confirmed groups of the words before are in
 * @list[@next .. @count - 1], as offsets from @base. @dense: @groups[@word] is confirmed group by
 * group, without @list. @suffix: the batch is from the suffix filter (suffix_filter.h).
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
 * nfac_candidates_next() - find the first confirmed candidate in the batch
 * @run: the call; there is a batch
 * @from: first position
 * / Return: its position; or the batch's end, and the batch is used up.
 */
size_t nfac_candidates_next(const struct nfac_run *run, size_t from);

/* Begin a batch at @from. @before: 1: a group has one candidate more than the stride. */
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
 * If a batch's first word has more groups than this, the batch ends there: candidates are frequent,
 * and once the text counts as dense, a long batch would be discarded. Ordinary text has one or two.
 */
#define NFAC_CANDIDATES_FEW		5

/* End of a batch that begins at @from and has @groups in its first word; at most @last. */
static __always_inline size_t nfac_candidates_end(size_t from, size_t last, u64 groups)
{
	if (nfac_weight64(groups) > NFAC_CANDIDATES_FEW)
		return from;
	return last - from < NFAC_CANDIDATES_POSITIONS ? last : from + NFAC_CANDIDATES_POSITIONS;
}

/* Add the groups that passed among the positions @at .. @to - 1. */
static __always_inline void nfac_candidates_add(struct nfac_candidates *batch, size_t at, size_t to,
						u64 groups)
{
	batch->groups[batch->words] = groups;
	batch->at[batch->words] = at - batch->base;
	batch->words += groups != 0;
	batch->to = to;
}

/*
 * Drop those of the @groups from @at on that the batch has already: a block's last probes overlap.
 */
static __always_inline u64 nfac_candidates_new(const struct nfac_candidates *batch, size_t at,
					       u64 groups,
					       const u32 stride)
{
	return groups & ~0ull << (batch->to - at) / stride;
}

/* Index of the lowest of @bits, which is cleared; any index if there is none. */
static __always_inline u32 nfac_candidates_take(u64 *bits)
{
	u32 n = nfac_ctz64(*bits | 1ull << 63);

	*bits &= *bits - 1;
	return n;
}

/* List the offsets of @groups; @base is the offset of bit 0. */
static __always_inline void nfac_candidates_unpack(u16 *list, u64 groups, u32 base,
						   const u32 stride)
{
	/* four at a time, needed or not: their number is unpredictable */
	do {
		list[0] = base + nfac_candidates_take(&groups) * stride;
		list[1] = base + nfac_candidates_take(&groups) * stride;
		list[2] = base + nfac_candidates_take(&groups) * stride;
		list[3] = base + nfac_candidates_take(&groups) * stride;
		list += 4;
	} while (groups);
}

/*
 * Confirm the groups of the next sparse words together, and list those with a candidate in the
 * Bloom filter. Return: number of groups confirmed; 0: the next word is dense.
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
 * The first candidate from @from on in the group of @n at @at; or the batch's end. A candidate of
 * the last group may be behind the batch: it belongs to the next batch.
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

/* The first candidate in the listed groups, or the batch's end. */
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

/* The first candidate in the dense word, or the batch's end. */
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

/* nfac_candidates_next() for one stride, with @group candidates in a group. */
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

/* Is the batch's first position a candidate? With @before its probe is not in the batch. */
static __always_inline bool nfac_candidates_first(const struct nfac_automaton *a, const u8 *text,
						  const u32 before)
{
	return before && nfac_candidates_confirm(a, nfac_keys_at(a, text, 1), 1, false);
}

#endif /* _NFAC_MATCH_CANDIDATES_H */
