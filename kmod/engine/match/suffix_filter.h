/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suffix filter: candidates by pattern ends, for dense text.
 *
 * An attacker with the set can write a text in which a pattern begins every few bytes and none goes
 * on. There the prefilter passes everything, and each false candidate costs cache misses in the
 * nodes. But every match has an end. The suffix filter looks for the last bytes of patterns, which
 * give their lengths, and keeps only candidates at such a distance before an end (as
 * Commentz-Walter, ICALP 1979, and Wu and Manber 1994 search from the end). The walk over records
 * calls nfac_suffix_filter_near() behind each walk.
 */
#ifndef _NFAC_MATCH_SUFFIX_FILTER_H
#define _NFAC_MATCH_SUFFIX_FILTER_H

#include "candidates.h"

/**
 * nfac_suffix_filter_lookahead() - bytes from a candidate on that decide whether it is taken
 * @a: the automaton
 * @bytes: the answer without a suffix filter
 */
static __always_inline u32 nfac_suffix_filter_lookahead(const struct nfac_automaton *a, u32 bytes)
{
	return a->suffixes ? NFAC_SUFFIX_REACH : bytes;
}

/*
 * Cost of a false candidate, in bytes of suffix probes: 60 ns where nodes are in the L2 cache. With
 * fewer than one false candidate for each 48 bytes of text, probes take longer.
 */
#define NFAC_FALSE_CANDIDATE_COST	40

/* Add a false candidate whose walk ended at @pos to the cost. */
static __always_inline void nfac_false_candidate(struct nfac_run *run, size_t pos)
{
	const size_t text = pos - run->false_at;

	run->false_cost = NFAC_FALSE_CANDIDATE_COST + (run->false_cost > text ?
							     run->false_cost - text : 0);
	run->false_at = pos;
}

/*
 * Slow path of nfac_suffix_filter_near(): the batch is from the suffix filter, or the budget for
 * false candidates may be used up.
 */
size_t nfac_suffix_filter_again(struct nfac_run *run, size_t pos, size_t near, bool matched);

/**
 * nfac_suffix_filter_near() - near limit behind a walk
 * @run: the call; its set has a suffix filter
 * @pos: the next candidate position, not before the block
 * @near: the near limit so far
 * @matched: the walk reported a match
 * / If false candidates have cost more than the suffix filter would, builds a batch of the
 * candidates from @pos on that have a fitting end.
 * / Return: @near; or 0 if there is such a batch.
 */
static __always_inline size_t nfac_suffix_filter_near(struct nfac_run *run, size_t pos, size_t near,
						      bool matched)
{
	if (run->batch->suffix || (!matched && pos - run->false_at < run->false_cost))
		return nfac_suffix_filter_again(run, pos, near, matched);
	if (!matched)
		nfac_false_candidate(run, pos);
	return near;
}

#endif /* _NFAC_MATCH_SUFFIX_FILTER_H */
