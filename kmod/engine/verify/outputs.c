// SPDX-License-Identifier: GPL-2.0
/*
 * Verifying output lists: what they cost, and NFAC_OUT_SAME.
 *
 * An output that is reported counts against the packet's cap on matches, so a list of such outputs
 * may be of any length. An output with case bits or limits may be rejected instead, which does not
 * count. So the cost of rejecting a whole list needs a bound of its own (NFAC_OUTPUT_COMPARES_MAX).
 */
#include "checks.h"

/* The extra of the output @pair. */
static const __le32 *extra_of(const struct nfac_check *c, const __le32 *pair)
{
	return (const __le32 *)(c->tables + le32_to_cpu(c->head->extras_at)) +
	       le32_to_cpu(pair[0]);
}

/* Cost of rejecting output @i. *@next: the next output of its list + 1, or 0. */
static u32 comparisons_of(const struct nfac_check *c, u32 i, u32 *next)
{
	const __le32 *pair = c->output + 2 * (size_t)i;
	u32 word = le32_to_cpu(pair[1]), back = word >> NFAC_OUT_BACK_SHIFT;
	const __le32 *extra;
	u64 comparisons = 0;

	if (!(word & NFAC_OUT_EXTRA)) {
		*next = back ? i - back + 1 : 0;
		return 0;
	}
	extra = extra_of(c, pair);
	*next = le32_to_cpu(extra[0]) & ~NFAC_OUT_SAME;
	if (word & NFAC_OUT_CASE)
		comparisons += NFAC_CASE_COMPARES(word & 0xffff);
	if (word & NFAC_OUT_LIMITS)
		comparisons += word & NFAC_OUT_MANY ? le32_to_cpu(extra[1]) : 1;
	return comparisons <= NFAC_OUTPUT_COMPARES_MAX ? comparisons : NFAC_OUTPUT_COMPARES_MAX + 1;
}

/* Case bits of output @i, or NULL. *@word: its second word. */
static const __le32 *case_of(const struct nfac_check *c, u32 i, u32 *word)
{
	const __le32 *pair = c->output + 2 * (size_t)i;

	*word = le32_to_cpu(pair[1]);
	if (!(*word & NFAC_OUT_EXTRA) || !(*word & NFAC_OUT_CASE))
		return NULL;
	return extra_of(c, pair) + (*word & NFAC_OUT_MANY ? 2 : 1);
}

/*
 * If output @i has NFAC_OUT_SAME: do its case bits imply those of the next output? The matcher then
 * skips the comparison. An id follows the case bits, so one more word is readable.
 */
static bool same_case_is_right(const struct nfac_check *c, u32 i)
{
	const __le32 *pair = c->output + 2 * (size_t)i, *mine, *its = NULL;
	u32 next, word, length, at, k;
	u64 bits;

	if (!(le32_to_cpu(pair[1]) & NFAC_OUT_EXTRA))
		return true;
	next = le32_to_cpu(extra_of(c, pair)[0]);
	if (!(next & NFAC_OUT_SAME))
		return true;
	next &= ~NFAC_OUT_SAME;
	mine = case_of(c, i, &word);
	at = word & 0xffff;
	if (next)
		its = case_of(c, next - 1, &word);
	length = word & 0xffff;
	if (!mine || !its || length >= at)
		return false;
	for (at -= length, k = 0; k < length; at += 32, k += 32) {
		bits = le32_to_cpu(mine[at / 32]) | (u64)le32_to_cpu(mine[at / 32 + 1]) << 32;
		bits = bits >> at % 32 ^ le32_to_cpu(its[k / 32]);
		if (length - k < 32)
			bits &= (1u << (length - k)) - 1;
		if ((u32)bits)
			return false;
	}
	return true;
}

/*
 * Follow each list up to an output whose sum is known, and once more to store the sums: each output
 * is visited twice.
 */
int nfac_check_outputs(struct nfac_check *c, u16 *sums)
{
	u32 i, at, next, relax = 0;
	u64 total;

	for (i = 0; i < c->outputs; i++) {
		if (!same_case_is_right(c, i))
			return nfac_check_fail(c, c->output + 2 * (size_t)i - c->words,
					       "case bits that the next output does not have");
		for (next = i + 1, total = 0; next && !sums[next - 1];) {
			total += comparisons_of(c, next - 1, &next);
			if (!(++relax & 0xfff))
				nfac_relax();
		}
		if (next)
			total += sums[next - 1] - 1;
		if (total > NFAC_OUTPUT_COMPARES_MAX)
			return nfac_check_fail(c, c->output + 2 * (size_t)i - c->words,
					       "list of outputs that costs too much to reject");
		for (next = i + 1; next && !sums[next - 1];) {
			at = next - 1;
			sums[at] = total + 1;
			total -= comparisons_of(c, at, &next);
		}
	}
	return 0;
}
