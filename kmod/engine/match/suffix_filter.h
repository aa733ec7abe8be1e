/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a pattern may end: a filter for text that is full of starts.
 *
 * Who knows a set's first bytes can write a text in which a pattern begins at every few bytes
 * and none goes on. There the start filter lets pass what it is asked, and each start costs a
 * look at nodes that lie in no near cache. But a pattern that matches also ends: so the last
 * bytes are asked for, which give its length, and of all starts those are taken that lie so
 * far before (as Commentz-Walter, ICALP 1979, and Wu and Manber begin at the end).
 */
#ifndef _NFAC_MATCH_SUFFIX_FILTER_H
#define _NFAC_MATCH_SUFFIX_FILTER_H

#include "candidates.h"

/**
 * nfac_suffix_filter_lookahead() - bytes from a start on that decide whether it is taken
 * @a: the automaton
 * @bytes: without a map of ends
 */
static __always_inline u32 nfac_suffix_filter_lookahead(const struct nfac_automaton *a, u32 bytes)
{
	return a->suffixes ? NFAC_SUFFIX_REACH : bytes;
}

/*
 * A start in vain costs as much as so many bytes' probes for an end: 60 ns where nodes lie in the
 * second cache. Where there is one for each 48 bytes of text, probes take longer.
 */
#define NFAC_FALSE_CANDIDATE_COST	40

/* Note a start in vain, which led to @pos. */
static __always_inline void nfac_false_candidate(struct nfac_run *run, size_t pos)
{
	const size_t text = pos - run->false_at;

	run->false_cost = NFAC_FALSE_CANDIDATE_COST + (run->false_cost > text ?
							     run->false_cost - text : 0);
	run->false_at = pos;
}

/*
 * nfac_suffix_filter_near() where the candidates may come from the suffix filter, or a false
 * candidate is not the first one.
 */
size_t nfac_suffix_filter_again(struct nfac_run *run, size_t pos, size_t near, bool matched);

/**
 * nfac_suffix_filter_near() - behind a walk, up to where starts are tested one by one
 * @run: the call; its set has a map of ends
 * @pos: the next start, not before the block
 * @near: up to where they were
 * @matched: the walk told of a match
 *
 * Makes a row of the starts from @pos on whose patterns may end, where so many others were in
 * vain that it costs less.
 *
 * Return: @near; or 0, where there is such a row.
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
