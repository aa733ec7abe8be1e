// SPDX-License-Identifier: GPL-2.0
/*
 * Reporting: from an output to its matches (the form of outputs is in blob.h).
 *
 * The walks call nfac_report() at each end. An output's list has an element for each pattern that
 * is a suffix of what was read. An element is either reported, and the caller's cap counts it; or
 * rejected by its letter case, and the verifier has bounded the cost of rejecting a whole list
 * (NFAC_OUTPUT_COMPARES_MAX).
 */
#include <linux/in.h>

#include "run.h"

/* Report the ids at @at of an output with several ids or with limits. Not inlined: it is rare. */
static noinline void nfac_report_ids(struct nfac_run *run, const __le32 *at, u32 word, u32 ids,
				     struct nfac_hit *hit)
{
	for (; ids && !run->stopped; ids--) {
		hit->id = le32_to_cpu(*at++);
		if (word & NFAC_OUT_LIMITS) {
			hit->limits = at;
			at += NFAC_LIMITS_WORDS;
		}
		run->calls++;
		run->stopped = !run->fn(run->ctx, hit);
	}
	hit->limits = NULL;
}

/*
 * Report an output with an extra at @at, if its letter case agrees with the text. @same: the output
 * before it in the list agreed, and so does this one's case. Return: the next output + 1, with
 * NFAC_OUT_SAME if the same holds for it.
 */
static __always_inline u32 report_extra(struct nfac_run *run, const __le32 *at, u32 word,
					u32 same, struct nfac_hit *hit)
{
	u32 next = le32_to_cpu(*at++), ids = 1;

	if (word & NFAC_OUT_MANY)
		ids = le32_to_cpu(*at++);
	if (word & NFAC_OUT_CASE) {
		if (!same && !nfac_letter_case_agrees(run, at, hit->length, hit->end))
			return next & ~NFAC_OUT_SAME;
		at += (hit->length + 31) / 32;
	}
	if (word & (NFAC_OUT_MANY | NFAC_OUT_LIMITS)) {
		nfac_report_ids(run, at, word, ids, hit);
		return next;
	}
	hit->id = le32_to_cpu(*at);
	run->calls++;
	run->stopped = !run->fn(run->ctx, hit);
	return next;
}

/* Report @output and its list. */
static noinline void report_list(struct nfac_run *run, u32 output, size_t end)
{
	const struct nfac_automaton *a = run->a;
	struct nfac_hit hit;
	u32 same = 0;

	hit.end = end;
	hit.limits = NULL;
	/* the verifier proved that the list ends */
	while (!run->stopped) {
		const __le32 *pair = a->outputs + 2 * (size_t)output;
		u32 word = le32_to_cpu(pair[1]);

		hit.length = word & 0xffff;
		if (word & NFAC_OUT_EXTRA) {
			u32 next = report_extra(run, a->extras + le32_to_cpu(pair[0]), word, same,
						&hit);

			same = next & NFAC_OUT_SAME;
			next &= ~NFAC_OUT_SAME;
			if (!next)
				return;
			output = next - 1;
			continue;
		}
		hit.id = le32_to_cpu(pair[0]);
		run->calls++;
		run->stopped = !run->fn(run->ctx, &hit);
		same = 0;
		word >>= NFAC_OUT_BACK_SHIFT;
		if (!word)
			return;
		/*
		 * Mostly the next output is the one before. A predicted branch hides the load's
		 * latency; a subtraction would make the next load wait for this one.
		 */
		if (likely(word == 1)) {
			output--;
			OPTIMIZER_HIDE_VAR(output);
		} else {
			output -= word;
		}
	}
}

/* Most outputs are a single id, or are followed by one output: these take no loop. */
void nfac_report(struct nfac_run *run, u32 output, size_t end)
{
	const __le32 *pair = run->a->outputs + 2 * (size_t)output;
	const u32 word = le32_to_cpu(pair[1]), back = word >> NFAC_OUT_BACK_SHIFT;
	struct nfac_hit hit;

	if (unlikely(run->stopped))
		return;
	if (word & NFAC_OUT_EXTRA) {
		report_list(run, output, end);
		return;
	}
	hit.id = le32_to_cpu(pair[0]);
	hit.length = word & 0xffff;
	hit.end = end;
	hit.limits = NULL;
	run->calls++;
	run->stopped = !run->fn(run->ctx, &hit);
	if (back)
		report_list(run, output - back, end);
}

/* @which ? @yes : @no, without a branch. @which is 0 or 1. */
static __always_inline unsigned long choose(unsigned long which, unsigned long yes,
					    unsigned long no)
{
	which = -which;
	OPTIMIZER_HIDE_VAR(which);
	return (yes & which) | (no & ~which);
}

/*
 * Whether an output is case-sensitive is unpredictable, so the comparison is branch-free and masks
 * outputs that are not. An output with more than an id and one word of case bits, and the rest of
 * its list, is left to nfac_report().
 */
void nfac_report_letter_case(struct nfac_run *run, u32 output, size_t end)
{
	const struct nfac_automaton *a = run->a;
	struct nfac_hit hit;
	u64 bits;
	u32 next;

	if (run->stopped)
		return;
	bits = nfac_letter_case_before(run, end);
	hit.end = end;
	hit.limits = NULL;
	for (next = output + 1; next && !run->stopped;) {
		const __le32 *pair = a->outputs + 2 * (size_t)(next - 1);
		const u32 word = le32_to_cpu(pair[1]), back = word >> NFAC_OUT_BACK_SHIFT;
		const u32 extra = word / NFAC_OUT_EXTRA & 1, cased = word / NFAC_OUT_CASE & extra;
		const __le32 *at = a->extras + (le32_to_cpu(pair[0]) & -extra);
		u32 more = word & (NFAC_OUT_LIMITS | NFAC_OUT_MANY);
		u64 differ;

		hit.length = word & 0xffff;
		more |= hit.length > NFAC_LETTER_CASE_BEFORE;
		if (unlikely(more & -extra)) {
			nfac_report(run, next - 1, end);
			return;
		}
		at = (const __le32 *)choose(extra, (unsigned long)at, (unsigned long)pair);
		next = choose(extra, le32_to_cpu(at[0]) & ~NFAC_OUT_SAME,
			      choose(!!back, next - back, 0));
		/* an extra has at least two words, and an id follows its case bits */
		differ = nfac_eight_at((const u8 *)(at + cased)) ^ bits >> (-hit.length & 63);
		if (differ & ~0ull >> (-hit.length & 63) & -(u64)cased)
			continue;
		hit.id = le32_to_cpu(at[extra + cased + (cased & (hit.length > 32))]);
		run->calls++;
		run->stopped = !run->fn(run->ctx, &hit);
	}
}

/* Is the match within the pattern's offset and depth? */
static bool nfac_hit_in_limits(const struct nfac_hit *hit, s64 base)
{
	u32 end = le32_to_cpu(hit->limits[1]);

	if (base + hit->end - (s64)hit->length < (s64)le32_to_cpu(hit->limits[0]))
		return false;
	return !end || base + hit->end <= (s64)end;
}

bool nfac_hit_allowed(const struct nfac_hit *hit, s64 base, u8 protocol,
		      u16 sport, u16 dport)
{
	bool behind = !protocol || protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
	u32 word, ports;
	u16 port;

	if (!hit->limits)
		return true;
	word = le32_to_cpu(hit->limits[2]);
	/*
	 * another protocol's text begins with its header, where offsets of other patterns do not
	 * apply
	 */
	if ((behind || (word & 0xff)) && !nfac_hit_in_limits(hit, base))
		return false;
	if (!protocol)
		return true;
	if ((word & 0xff) && (word & 0xff) != protocol)
		return false;
	ports = le32_to_cpu(hit->limits[3]);
	port = word & NFAC_LIMIT_SOURCE ? sport : dport;
	return !ports || (port >= (ports & 0xffff) && port <= ports >> 16);
}
