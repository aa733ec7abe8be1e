// SPDX-License-Identifier: GPL-2.0
/*
 * The starts of patterns that may end, as a row.
 *
 * Work a byte: a probe for the end there, which is made again at most once, for rows
 * overlap by as much as a pattern may reach back; and each start is taken at most once.
 */
#include "matcher_ends.h"

/* Starts in vain that cost so many bytes' probes, beyond what there was of text, make a row. */
#define VAIN_MOST	160

/* Starts of a match of less than NFAC_ENDS_BYTES, among the NFAC_ENDS_WITHIN before its end. */
#define BRIEF_STARTS	(((1ull << (NFAC_ENDS_BYTES - NFAC_GRAM)) - 1) << \
			 (NFAC_ENDS_WITHIN - (NFAC_ENDS_BYTES - 1)))

static __always_inline u64 end_at(const struct nfac_automaton *a, const u8 *end)
{
	return nfac_eight_at(end - NFAC_ENDS_BYTES) | a->fold;
}

/* Probe the ends from @end on, @n of them, up to 64. */
static __always_inline struct nfac_ends probe(const struct nfac_automaton *a, const u8 *end,
					      const u32 n)
{
	struct nfac_ends found = { 0, 0 };
	u32 hash, i;
	u64 last;
	u8 bits;

	for (i = n; i--;) {
		last = end_at(a, end + i);
		hash = nfac_end_hash(last >> 32);
		bits = a->ends[hash >> a->ends_shift];
		found.whole = nfac_append_bit(found.whole, bits, nfac_end_bit(hash, last));
		found.brief = found.brief << 1 | bits >> NFAC_END_BIT_BRIEF;
	}
	return found;
}

static __always_inline struct nfac_ends probe64(const struct nfac_run *run, const u8 *end)
{
#ifdef NFAC_HAVE_AVX2
	if (run->path >= NFAC_PATH_AVX2)
		return nfac_ends_avx2(run->a, end);
#endif
	return probe(run->a, end, 64);
}

/* All ones if bit @i of @bits is set, or 0. */
static __always_inline u64 all_if(u64 bits, u32 i)
{
	return 0 - (bits >> i & 1);
}

/* Starts that a pattern may have that ends so: of the places before, the farthest lowest. */
static __always_inline u64 starts_of(const struct nfac_automaton *a, u64 end)
{
	u64 product = nfac_end_product(end);

	return le64_to_cpu(a->end_lengths[nfac_end_word(product, a->ends_shift, 0)] &
			   a->end_lengths[nfac_end_word(product, a->ends_shift, 1)]);
}

/* The same for @end, number @i of @found. No branch: nobody foresees which kind it is. */
static __always_inline u64 starts_before(const struct nfac_automaton *a, const u8 *end,
					 const struct nfac_ends *found, u32 i)
{
	u64 last = end_at(a, end);

	return (starts_of(a, last) & all_if(found->whole, i)) |
	       (starts_of(a, last & NFAC_END_BRIEF) & BRIEF_STARTS & all_if(found->brief, i));
}

/* Add the starts @at .. @at + 63, as far as @to, to the row. */
static __always_inline void add(struct nfac_row *row, size_t at, size_t to, u64 starts)
{
	if (to - at < 64)
		nfac_row_add(row, at, to, starts & ((1ull << (to - at)) - 1));
	else
		nfac_row_add(row, at, at + 64, starts);
}

/* Make the row, from @from on. Return: false: there is too little text for one. */
static bool make_row(struct nfac_run *run, size_t from)
{
	const struct nfac_automaton *a = run->a;
	struct nfac_row *row = run->row;
	u64 ready, next = 0, starts, bits;
	struct nfac_ends found;
	size_t at, to, end;
	const u8 *text;
	u32 i;

	if (from < NFAC_ENDS_BYTES || run->len - from < 2 * NFAC_ENDS_WITHIN)
		return false;
	/* behind each start there is all that a pattern may reach */
	to = run->len - a->end_within + 1;
	if (to - from > NFAC_ROW_STARTS)
		to = from + NFAC_ROW_STARTS;
	end = to + a->end_within - 1;
	nfac_row_begin(row, from, 1, 0);
	row->ended = true;
	for (at = from; row->to < to && row->words < NFAC_ROW_WORDS; at += 64) {
		/* with the ends behind @at all of the 64 starts before it are known */
		text = run->text + at + 1;
		if (at + 64 <= end)
			found = probe64(run, text);
		else
			found = probe(a, text, at < end ? end - at : 0);
		ready = next;
		next = 0;
		for (bits = found.whole | found.brief; bits; bits &= bits - 1) {
			i = nfac_ctz64(bits);
			starts = starts_before(a, text + i, &found, i);
			ready |= starts << i << 1;
			next |= starts >> (63 - i);
		}
		if (at > from)
			add(row, at - 64, to, ready);
	}
	return true;
}

size_t nfac_ends_again(struct nfac_run *run, size_t pos, size_t near, bool told)
{
	struct nfac_row *row = run->row;

	if (pos >= run->len)
		return near;
	if (row->ended && pos < row->to)
		return 0;
	if (told)
		return near;
	nfac_ends_vain(run, pos);
	if (run->vain < VAIN_MOST || !make_row(run, pos))
		return near;
	/* where it ends, one more will do */
	run->vain = VAIN_MOST - NFAC_ENDS_VAIN;
	run->vain_at = row->to;
	return 0;
}
