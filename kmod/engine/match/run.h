/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the matcher's files share: one call's state, and the filter's kernels.
 */
#ifndef _NFAC_MATCH_RUN_H
#define _NFAC_MATCH_RUN_H

#include "matcher.h"

#define NFAC_LETTER_CASE_WORDS	32	/* 2,048 bytes: a packet's */

/*
 * Bit 5 of each byte of the text, as far as patterns asked: word w speaks of the block's
 * bytes from 64 * w on, the first lowest; those before the block have negative w. There
 * are the words @from .. @to - 1, each at its place modulo NFAC_LETTER_CASE_WORDS. Lives and
 * dies with its nfac_run.
 */
struct nfac_letter_case {
	s64 from, to;
	u64 words[NFAC_LETTER_CASE_WORDS];
};

struct nfac_candidates;

/*
 * So many matches are told again without being looked for again. They lie on the stack, of
 * which 32-bit kernels want no more than 1,024 bytes for a function.
 */
#define NFAC_FLOOD_HITS	(sizeof(long) > 4 ? 8u : 4u)

/*
 * A place where the automaton came to the same state as it last did (see matcher_repeat.h),
 * and what was told since then. Lives and dies with its nfac_run.
 */
struct nfac_flood {
	u64 state;		/* its name, as nfac_flood_state() is told */
	size_t at;
	size_t done;		/* short_done and calls of nfac_run at that time */
	u64 calls;
	u32 case_bytes;		/* bytes before an end whose case was asked for, at most */
	size_t aperiodic;		/* up to there the text before does not repeat itself */
	u32 hits;		/* how many were told to @fn; in @hit, if there is room for them */
	nfac_hit_fn fn;		/* nfac_run's, while nfac_flood_state() hears what it does */
	void *ctx;
	struct nfac_hit hit[NFAC_FLOOD_HITS];
};

/*
 * One call of nfac_match_block(). On its stack, nobody else's.
 *
 * The short patterns are looked for lazily: up to @short_done everything has been
 * reported; before a long match is told, the shorts are brought up to it, and those at
 * its own end are in its list. So both kinds run in loops of their own and the matches
 * still come in order. What vectors have found are the bits of @ends, for the ends from
 * @short_from on; they have looked up to @short_to. In the lanes of a double array both kinds
 * are told together.
 */
struct nfac_run {
	const struct nfac_automaton *a;
	struct nfac_cursor *cur;
	const u8 *text;
	size_t len;
	nfac_hit_fn fn;
	void *ctx;
	u64 calls;
	size_t short_done;
	size_t short_from, short_to;
	u64 short_ends;
	u32 failure;		/* the walk's last one */
	/* what false candidates have cost, in bytes of probes, and where the last one led to */
	size_t false_cost, false_at;
	struct nfac_flood *flood;
	struct nfac_letter_case *letter_case;
	struct nfac_candidates *batch;
	enum nfac_path path;
	u8 have;		/* bytes of cur->last that there are */
	bool stopped;		/* fn wants to hear no more */
};

/* Report an output and all that it implies, at @end. */
void nfac_report(struct nfac_run *run, u32 output, size_t end);

/* So many bytes' case is a word. */
#define NFAC_LETTER_CASE_BEFORE	64

/*
 * nfac_report() without branches that nobody foresees, for a set in which some ask for their
 * case. There are NFAC_LETTER_CASE_BEFORE bytes of the block before @end.
 */
void nfac_report_letter_case(struct nfac_run *run, u32 output, size_t end);

/* Report the short patterns that end after run->short_done, up to @upto. */
void nfac_short_patterns(struct nfac_run *run, size_t upto);

/*
 * Which of the @n ends from @end on, 1 .. 64, a short pattern may have: a bit for each. As many
 * bytes as a gram has lie in the block before @end.
 */
u64 nfac_short_ends(const struct nfac_run *run, size_t end, u32 n);

/* Buckets that the last three bytes before @end speak of, where there are so many. */
static __always_inline u8 nfac_short_buckets(const u8 *map, const u8 *end)
{
	return map[end[-1]] & map[256 + end[-2]] & map[512 + end[-3]];
}

/*
 * Output of the longest short pattern in @buckets that the bytes before an end are, of which @last
 * are the last ones. These are not read again: an empty slot must not come to have the key that it
 * is asked for. Return: is there one?
 */
static __always_inline bool nfac_short_output(const struct nfac_automaton *a, u32 last, u8 buckets,
					      u32 *output)
{
	OPTIMIZER_HIDE_VAR(last);
	if (buckets & NFAC_SHORT_OF(3) &&
	    nfac_table_has(&a->short_patterns, last >> 8 | 3 << 24, output))
		return true;
	if (buckets & NFAC_SHORT_OF(2) &&
	    nfac_table_has(&a->short_patterns, last >> 16 | 2 << 24, output))
		return true;
	/* a set without such patterns has no such bit: the verifier has looked */
	if (!(buckets & NFAC_SHORT_OF(1)))
		return false;
	*output = le32_to_cpu(a->byte_pattern_outputs[a->byte_patterns[last >> 24]]);
	return true;
}

/* A long pattern's output, and all that it implies, where the shorts before are told. */
static __always_inline void nfac_report_output(struct nfac_run *run, u32 output, size_t end)
{
	const u32 unforeseen = NFAC_SET_DARRAY | NFAC_SET_LETTER_CASE;

	/* by records the walk has such branches anyway, and long lists are faster the other way */
	if ((run->a->flags & unforeseen) == unforeseen && end >= NFAC_LETTER_CASE_BEFORE)
		nfac_report_letter_case(run, output, end);
	else
		nfac_report(run, output, end);
}

/* A long pattern's match: the shorts that end before it come first, those at its end are told. */
static __always_inline void nfac_report_long(struct nfac_run *run, u32 output, size_t end)
{
	if (run->short_done + 1 < end && run->a->short_lengths && !run->stopped)
		nfac_short_patterns(run, end - 1);
	nfac_report_output(run, output, end);
	run->short_done = end;
}

/* Scan the block for patterns of NFAC_GRAM bytes and more: over records, over a double array. */
void nfac_records_scan(struct nfac_run *run);
void nfac_darray_scan(struct nfac_run *run);

/* Does the text that ends at @end have the case @bits, as an output asks for it? */
bool nfac_letter_case_agrees(struct nfac_run *run, const __le32 *bits, u32 length, size_t end);

/* Case of the NFAC_LETTER_CASE_BEFORE bytes of the block before @end, the first lowest. */
u64 nfac_letter_case_before(const struct nfac_run *run, size_t end);

/* The same of the bytes at @text. */
u64 nfac_letter_case_avx2(const u8 *text);

/* Shift the cases of the block's last bytes into the cursor. */
void nfac_letter_case_save(struct nfac_run *run);

/*
 * Byte at @pos, which may be up to three before the block; the caller knows that
 * there are so many.
 */
static __always_inline u8 nfac_text_at(const struct nfac_run *run, s64 pos)
{
	return pos < 0 ? run->cur->last[NFAC_GRAM - 1 + pos] : run->text[pos];
}

static __always_inline u32 nfac_gram_at(const u8 *text)
{
	return le32_to_cpu((__force __le32)nfac_get32(text));
}

/* Eight bytes of text, or the @room that there are. */
static __always_inline u64 nfac_text8(const u8 *text, size_t room)
{
	u8 last[8] = { 0 };
	size_t i;

	if (likely(room >= 8))
		return nfac_get64(text);
	for (i = 0; i < room; i++)
		last[i] = text[i];
	return nfac_get64(last);
}

/* Eight bytes, the first lowest. */
static __always_inline u64 nfac_eight_at(const u8 *bytes)
{
	return le64_to_cpu((__force __le64)nfac_get64(bytes));
}

/*
 * May a long pattern start with the lowest bytes of @key, which are or-ed with the fold? The
 * answer is the lowest bit.
 */
static __always_inline u64 nfac_key_test(const struct nfac_automaton *a, u64 key)
{
	u64 hash = nfac_candidate_hash(key & a->bloom_mask);
	u64 word = le64_to_cpu(a->bloom[hash >> a->bloom_shift]);

	return word >> (hash >> 26 & 63) & word >> (hash >> 32 & 63);
}

/* The bytes of the keys of @n starts in a row, 1 .. NFAC_GRAM. Reads NFAC_GRAM + @n of them. */
static __always_inline u64 nfac_keys_at(const struct nfac_automaton *a, const u8 *at, const u32 n)
{
	return nfac_gram_at(at) | (u64)nfac_gram_at(at + n) << 8 * n | a->fold;
}

/*
 * Probe the bytes at @at, @five or four of them: may a long pattern have them at one of its
 * first offsets? The answer becomes the lowest bit of @found, whose others move up.
 */
static __always_inline u64 nfac_gram_test(const struct nfac_automaton *a, u64 found, const u8 *at,
					  const bool five, const bool fold)
{
	u32 gram = nfac_gram_at(at);
	u32 last = at[NFAC_GRAM - 1];
	u64 word;

	if (fold) {
		gram |= (u32)a->fold;
		last = gram >> 24;
	}
	word = le64_to_cpu(a->grams[nfac_gram_word(gram, a->gram_shift)]);
	return nfac_append_bit(found, word, nfac_gram_bit(last, five ? at[NFAC_GRAM] : 0));
}

/* Eight probes from @text on: a bit for each that passes, below the bits of @found. */
static __always_inline u64 nfac_probe8(const struct nfac_automaton *a, u64 found, const u8 *text,
				       const u32 stride, const bool five, const bool fold)
{
	found = nfac_gram_test(a, found, text + 7 * stride, five, fold);
	found = nfac_gram_test(a, found, text + 6 * stride, five, fold);
	found = nfac_gram_test(a, found, text + 5 * stride, five, fold);
	found = nfac_gram_test(a, found, text + 4 * stride, five, fold);
	found = nfac_gram_test(a, found, text + 3 * stride, five, fold);
	found = nfac_gram_test(a, found, text + 2 * stride, five, fold);
	found = nfac_gram_test(a, found, text + stride, five, fold);
	return nfac_gram_test(a, found, text, five, fold);
}

/*
 * May a long pattern start at @n places in a row, 1 .. NFAC_GRAM, that have these @keys? With
 * @each a bit for each of them; else 0 or 1, whether it may at any, which takes less.
 */
static __always_inline u32 nfac_candidates_confirm(const struct nfac_automaton *a, u64 keys,
						   const u32 n, const bool each)
{
	u32 found = nfac_key_test(a, keys) & 1;

	if (n > 1)
		found |= (nfac_key_test(a, keys >> 8) & 1) << (each ? 1 : 0);
	if (n > 2)
		found |= (nfac_key_test(a, keys >> 16) & 1) << (each ? 2 : 0);
	if (n > 3)
		found |= (nfac_key_test(a, keys >> 24) & 1) << (each ? 3 : 0);
	return found;
}

/*
 * The filter is faster than the processor's own prefetching: it asks for the text so many
 * bytes ahead, which may lie behind the block, for a prefetch never faults.
 */
#define NFAC_PREFETCH_BYTES	512

/* Ask for @bytes of text, NFAC_PREFETCH_BYTES behind @text. */
static __always_inline void nfac_prefetch_text(const u8 *text, const u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i += 64)
		prefetch(text + NFAC_PREFETCH_BYTES + i);
}

/*
 * nfac_filter_*() - first position from @from on where a long pattern may start
 *
 * Return: the position, at most run->len - NFAC_GRAM; that last one is given untested, where
 * probes speak of a start behind theirs the one before it. @from is less than
 * run->len - NFAC_GRAM, and not within *run->row.
 */
size_t nfac_filter_portable(struct nfac_run *run, size_t from);
#ifdef NFAC_HAVE_AVX2
size_t nfac_filter_avx2(struct nfac_run *run, size_t from);
#else
#define nfac_filter_avx2	nfac_filter_portable
#endif

/*
 * Which of the ends @end .. @end + 31 a short pattern may have: a bit for each.
 * Three bytes before @end can be read, and 31 from it on.
 */
u32 nfac_short_avx2(const struct nfac_automaton *a, const u8 *end);

/* Ends that may be those of patterns, a bit for each: of NFAC_SUFFIX_BYTES and more, of less. */
struct nfac_suffixes {
	u64 whole;
	u64 brief;
};

/* Which of the ends @end .. @end + 63; there are NFAC_SUFFIX_BYTES before @end. */
struct nfac_suffixes nfac_suffixes_avx2(const struct nfac_automaton *a, const u8 *end);

/* Fold @n bytes of @text, as many as vectors reach. Return: how many. */
u32 nfac_fold_avx2(u8 *to, const u8 *text, u32 n);

/* Where something matches in 64 states of a double array, of 16 or 32 bits: a bit for each. */
u64 nfac_matches_avx2(const u16 *states);
u64 nfac_matches32_avx2(const u32 *states);

#endif /* _NFAC_MATCH_RUN_H */
