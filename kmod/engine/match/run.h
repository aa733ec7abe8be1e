/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of one nfac_match_block() call, and the helpers that walks, prefilter and reports share.
 *
 * matcher.c creates struct nfac_run; every other file of match/ works on it. Reads of the text are
 * here, too: each byte of text is read once for each decision, because a local sender may change
 * its pages meanwhile.
 */
#ifndef _NFAC_MATCH_RUN_H
#define _NFAC_MATCH_RUN_H

#include "matcher.h"

#define NFAC_LETTER_CASE_WORDS	32	/* 2,048 bytes: a full-size packet */

/*
 * Bit 5 of each byte of the text, gathered where a case check needs it. Word w has the block's
 * bytes from 64 * w on, the first byte lowest; bytes before the block have negative w. Words @from
 * .. @to - 1 are valid, each at its index modulo NFAC_LETTER_CASE_WORDS. Belongs to one nfac_run.
 */
struct nfac_letter_case {
	s64 from, to;
	u64 words[NFAC_LETTER_CASE_WORDS];
};

struct nfac_candidates;
struct nfac_lanes;

/* Matches that can be recorded for a replay. */
#define NFAC_FLOOD_HITS	8u

/*
 * Repeat detection: the position at which the walk last entered the state @state, and the matches
 * since then (see flood.h). Belongs to one nfac_run.
 */
struct nfac_flood {
	u64 state;		/* identifies the state, as for nfac_flood_state() */
	size_t at;
	size_t done;		/* short_done and calls of nfac_run at that position */
	u64 calls;
	u32 case_bytes;		/* bytes before an end that case checks have read, at most */
	size_t aperiodic;		/* text before this position is not periodic */
	u32 hits;		/* matches reported since then; in @hit, if there is room */
	nfac_hit_fn fn;		/* nfac_run's, while record_hit() is in their place */
	void *ctx;
	struct nfac_hit hit[NFAC_FLOOD_HITS];
};

/*
 * One call of nfac_match_block(), in the caller's memory (memory.h).
 *
 * Short patterns are searched lazily. Up to @short_done all matches are reported. Before a long
 * match is reported, the search for short patterns advances to its end; short patterns that end
 * there are in the long pattern's output list. So both searches run in loops of their own and
 * matches come in order. Bits of @short_ends are candidate ends found by vectors, from @short_from
 * up to @short_to. The interleaved walk over a double array reports both kinds together.
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
	u32 failure;		/* the walk's last failure reference */
	/* cost of false candidates, in bytes of probes; where the last one's walk ended */
	size_t false_cost, false_at;
	struct nfac_flood *flood;
	struct nfac_letter_case *letter_case;
	struct nfac_candidates *batch;
	struct nfac_lanes *lanes;
	enum nfac_path path;
	u8 have;		/* number of valid bytes in cur->last */
	bool stopped;		/* fn returned false */
};

/* Report @output and its list, at @end. */
void nfac_report(struct nfac_run *run, u32 output, size_t end);

/* bytes whose case bits are one word */
#define NFAC_LETTER_CASE_BEFORE	64

/*
 * Branch-free nfac_report() for sets with case checks: which outputs are case-sensitive is
 * unpredictable. The block has NFAC_LETTER_CASE_BEFORE bytes before @end.
 */
void nfac_report_letter_case(struct nfac_run *run, u32 output, size_t end);

/* Report the short patterns that end behind run->short_done, up to @upto. */
void nfac_short_patterns(struct nfac_run *run, size_t upto);

/*
 * Candidate ends of short patterns among @end .. @end + @n - 1, 1 .. 64 of them: a bit for each.
 * NFAC_GRAM bytes of the block are before @end.
 */
u64 nfac_short_ends(const struct nfac_run *run, size_t end, u32 n);

/* Buckets that contain the three bytes before @end. */
static __always_inline u8 nfac_short_buckets(const u8 *map, const u8 *end)
{
	return map[end[-1]] & map[256 + end[-2]] & map[512 + end[-3]];
}

/*
 * Find the output of the longest short pattern that ends with @last, the four bytes before the end.
 * @buckets: buckets of these bytes. @last is not read again from the text: an empty slot of the
 * hash table must not get the key that was looked up. Return: true if there is one.
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
	/* the verifier proved: without byte patterns no bucket has such a bit */
	if (!(buckets & NFAC_SHORT_OF(1)))
		return false;
	*output = le32_to_cpu(a->byte_pattern_outputs[a->byte_patterns[last >> 24]]);
	return true;
}

/* Report a long pattern's @output and its list. The short patterns before @end are reported. */
static __always_inline void nfac_report_output(struct nfac_run *run, u32 output, size_t end)
{
	const u32 unpredictable = NFAC_SET_DARRAY | NFAC_SET_LETTER_CASE;

	/* records: the walk branches anyway, and nfac_report() is faster for long lists */
	if ((run->a->flags & unpredictable) == unpredictable && end >= NFAC_LETTER_CASE_BEFORE)
		nfac_report_letter_case(run, output, end);
	else
		nfac_report(run, output, end);
}

/*
 * Report a long match: first the short patterns that end before it; its own list has those at @end.
 */
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

/* Does the text that ends at @end have the letter case @bits? */
bool nfac_letter_case_agrees(struct nfac_run *run, const __le32 *bits, u32 length, size_t end);

/* Case bits of the NFAC_LETTER_CASE_BEFORE bytes before @end, the first byte lowest. */
u64 nfac_letter_case_before(const struct nfac_run *run, size_t end);

/* Case bits of the 64 bytes at @text. */
u64 nfac_letter_case_vector(const u8 *text);

/*
 * The first "%" or "+" from @from on; else where fewer than 32 of the bytes before @end are left.
 */
u32 nfac_next_sign_vector(const u8 *text, u32 from, u32 end);

/* Shift the case bits of the block's last bytes into the cursor. */
void nfac_letter_case_save(struct nfac_run *run);

/*
 * Byte at @pos, which may be up to three bytes before the block. The caller knows that it exists.
 */
static __always_inline u8 nfac_text_at(const struct nfac_run *run, s64 pos)
{
	return pos < 0 ? run->cur->last[NFAC_GRAM - 1 + pos] : run->text[pos];
}

static __always_inline u32 nfac_gram_at(const u8 *text)
{
	return le32_to_cpu((__force __le32)nfac_get32(text));
}

/* Eight bytes of text; the missing ones are 0 if there are only @room. */
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

/* Eight bytes, the first one lowest. */
static __always_inline u64 nfac_eight_at(const u8 *bytes)
{
	return le64_to_cpu((__force __le64)nfac_get64(bytes));
}

/*
 * Is the candidate with the first bytes @key, already folded, in the Bloom filter? The answer is
 * the lowest bit.
 */
static __always_inline u64 nfac_key_test(const struct nfac_automaton *a, u64 key)
{
	u64 hash = nfac_candidate_hash(key & a->bloom_mask);
	u64 word = le64_to_cpu(a->bloom[hash >> a->bloom_shift]);

	return word >> (hash >> 26 & 63) & word >> (hash >> 32 & 63);
}

/*
 * The first bytes of @n adjacent candidates, 1 .. NFAC_GRAM, as one word. Reads NFAC_GRAM + @n
 * bytes.
 */
static __always_inline u64 nfac_keys_at(const struct nfac_automaton *a, const u8 *at, const u32 n)
{
	return nfac_gram_at(at) | (u64)nfac_gram_at(at + n) << 8 * n | a->fold;
}

/*
 * Probe the q-gram map with the bytes at @at: @five bytes or four. The answer becomes the lowest
 * bit of @found, whose other bits move up.
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
 * Confirm @n adjacent candidates, 1 .. NFAC_GRAM, with these @keys. With @each a bit for each
 * candidate; else 1 if any is confirmed, which is cheaper.
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
 * Prefetch distance, bytes. The prefilter is faster than the processor's own prefetcher. The
 * address may be behind the block: a prefetch never faults.
 */
#define NFAC_PREFETCH_BYTES	512

/* Prefetch @bytes of text, NFAC_PREFETCH_BYTES behind @text. */
static __always_inline void nfac_prefetch_text(const u8 *text, const u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i += 64)
		prefetch(text + NFAC_PREFETCH_BYTES + i);
}

/*
 * nfac_filter_*() - find the first candidate from @from on
 *
 * Return: its position, at most run->len - NFAC_GRAM. That last position is returned unprobed, and
 * so is the one before it if probes also cover the byte behind them. @from is less than run->len -
 * NFAC_GRAM and not within *run->batch.
 */
size_t nfac_filter_portable(struct nfac_run *run, size_t from);
#ifdef NFAC_HAVE_VECTOR
size_t nfac_filter_vector(struct nfac_run *run, size_t from);
#else
#define nfac_filter_vector	nfac_filter_portable
#endif

/*
 * Candidate ends of short patterns among @end .. @end + 31: a bit for each. Three bytes before @end
 * and 31 from it on are readable.
 */
u32 nfac_short_vector(const struct nfac_automaton *a, const u8 *end);

/*
 * Candidate ends: a bit for each end of a pattern of at least NFAC_SUFFIX_BYTES, and of a shorter
 * one.
 */
struct nfac_suffixes {
	u64 whole;
	u64 brief;
};

/* Candidate ends among @end .. @end + 63; NFAC_SUFFIX_BYTES before @end are readable. */
struct nfac_suffixes nfac_suffixes_vector(const struct nfac_automaton *a, const u8 *end);

/* Fold @n bytes of @text, rounded down to whole vectors. Return: number of bytes folded. */
u32 nfac_fold_vector(u8 *to, const u8 *text, u32 n);

/* Which of 64 states of a double array, of 16 or 32 bits, match: a bit for each. */
u64 nfac_matches_vector(const u16 *states);
u64 nfac_matches32_vector(const u32 *states);

#endif /* _NFAC_MATCH_RUN_H */
