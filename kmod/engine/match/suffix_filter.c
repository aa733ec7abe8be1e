// SPDX-License-Identifier: GPL-2.0
/*
 * The suffix filter: a candidate batch from pattern ends.
 *
 * Cost: each end is probed at most twice, because batches overlap by the longest distance from a
 * candidate to its end; each candidate is taken at most once.
 */
#include "suffix_filter.h"
#include "../suffix_maps.h"

/*
 * Budget for false candidates, in bytes of probes, beyond the text read since. Then the suffix
 * filter takes over.
 */
#define FALSE_CANDIDATE_BUDGET	160

/*
 * Candidates of a match of less than NFAC_SUFFIX_BYTES, among the NFAC_SUFFIX_REACH positions
 * before its end.
 */
#define BRIEF_CANDIDATES	(((1ull << (NFAC_SUFFIX_BYTES - NFAC_GRAM)) - 1) << \
			 (NFAC_SUFFIX_REACH - (NFAC_SUFFIX_BYTES - 1)))

static __always_inline u64 suffix_at(const struct nfac_automaton *a, const u8 *end)
{
	return nfac_eight_at(end - NFAC_SUFFIX_BYTES) | a->fold;
}

/* Probe @n ends from @end on, up to 64. */
static __always_inline struct nfac_suffixes probe(const struct nfac_automaton *a, const u8 *end,
						  const u32 n)
{
	struct nfac_suffixes found = { 0, 0 };
	u32 hash, i;
	u64 last;
	u8 bits;

	for (i = n; i--;) {
		last = suffix_at(a, end + i);
		hash = nfac_suffix_hash(last >> 32);
		bits = a->suffixes[hash >> a->suffix_shift];
		found.whole = nfac_append_bit(found.whole, bits, nfac_suffix_bit(hash, last));
		found.brief = found.brief << 1 | bits >> NFAC_SUFFIX_BIT_BRIEF;
	}
	return found;
}

static __always_inline struct nfac_suffixes probe64(const struct nfac_run *run, const u8 *end)
{
#ifdef NFAC_HAVE_VECTOR
	if (run->path >= NFAC_PATH_VECTOR)
		return nfac_suffixes_vector(run->a, end);
#endif
	return probe(run->a, end, 64);
}

/* All ones if bit @i of @bits is set, else 0. */
static __always_inline u64 all_if(u64 bits, u32 i)
{
	return 0 - (bits >> i & 1);
}

/*
 * Candidate positions of patterns with this end: a bit for each position before the end, the
 * farthest lowest.
 */
static __always_inline u64 candidates_of(const struct nfac_automaton *a, u64 end)
{
	u64 product = nfac_suffix_product(end);

	return le64_to_cpu(a->suffix_lengths[nfac_suffix_word(product, a->suffix_shift, 0)] &
			   a->suffix_lengths[nfac_suffix_word(product, a->suffix_shift, 1)]);
}

/* candidates_of() for @end, number @i of @found. No branch: the kind of end is unpredictable. */
static __always_inline u64 candidates_before(const struct nfac_automaton *a, const u8 *end,
					     const struct nfac_suffixes *found, u32 i)
{
	u64 last = suffix_at(a, end);

	return (candidates_of(a, last) & all_if(found->whole, i)) |
	       (candidates_of(a, last & NFAC_SUFFIX_BRIEF) & BRIEF_CANDIDATES &
		all_if(found->brief, i));
}

/* Add the candidates @at .. @at + 63 to the batch, up to @to. */
static __always_inline void add(struct nfac_candidates *batch, size_t at, size_t to, u64 candidates)
{
	if (to - at < 64)
		nfac_candidates_add(batch, at, to, candidates & ((1ull << (to - at)) - 1));
	else
		nfac_candidates_add(batch, at, at + 64, candidates);
}

/* Build the batch from @from on. Return: false: there is too little text. */
static bool make_batch(struct nfac_run *run, size_t from)
{
	const struct nfac_automaton *a = run->a;
	struct nfac_candidates *batch = run->batch;
	u64 ready, next = 0, candidates, bits;
	struct nfac_suffixes found;
	size_t at, to, end;
	const u8 *text;
	u32 i;

	if (from < NFAC_SUFFIX_BYTES || run->len - from < 2 * NFAC_SUFFIX_REACH)
		return false;
	/* behind each candidate the block has all bytes that the suffix filter may need */
	to = run->len - a->suffix_reach + 1;
	if (to - from > NFAC_CANDIDATES_POSITIONS)
		to = from + NFAC_CANDIDATES_POSITIONS;
	end = to + a->suffix_reach - 1;
	nfac_candidates_begin(batch, from, 1, 0);
	batch->suffix = true;
	for (at = from; batch->to < to && batch->words < NFAC_CANDIDATES_WORDS; at += 64) {
		/* with the ends behind @at, all of the 64 candidates before it are known */
		text = run->text + at + 1;
		if (at + 64 <= end)
			found = probe64(run, text);
		else
			found = probe(a, text, at < end ? end - at : 0);
		ready = next;
		next = 0;
		for (bits = found.whole | found.brief; bits; bits &= bits - 1) {
			i = nfac_ctz64(bits);
			candidates = candidates_before(a, text + i, &found, i);
			ready |= candidates << i << 1;
			next |= candidates >> (63 - i);
		}
		if (at > from)
			add(batch, at - 64, to, ready);
	}
	return true;
}

size_t nfac_suffix_filter_again(struct nfac_run *run, size_t pos, size_t near, bool matched)
{
	struct nfac_candidates *batch = run->batch;

	if (pos >= run->len)
		return near;
	if (batch->suffix && pos < batch->to)
		return 0;
	if (matched)
		return near;
	nfac_false_candidate(run, pos);
	if (run->false_cost < FALSE_CANDIDATE_BUDGET || !make_batch(run, pos))
		return near;
	/* at the batch's end one more false candidate uses up the budget */
	run->false_cost = FALSE_CANDIDATE_BUDGET - NFAC_FALSE_CANDIDATE_COST;
	run->false_at = batch->to;
	return 0;
}
