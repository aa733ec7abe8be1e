// SPDX-License-Identifier: GPL-2.0
/*
 * Reporting the matches of double array states.
 *
 * In text made of short patterns one match ends every three bytes, and reporting takes as long as
 * searching. So it has a loop of its own, with the common kind of output inlined.
 */
#include "darray_report.h"

/* Four states as a word, the first lowest. */
static __always_inline u64 four_states(const u16 *states)
{
	return states[0] | (u64)states[1] << 16 | (u64)states[2] << 32 | (u64)states[3] << 48;
}

/* Which of 64 states match: a bit for each. */
static __always_inline u64 matches64(const u16 *states)
{
	const u64 each = NFAC_DARRAY_MATCH * 0x0001000100010001ull;
	u64 found = 0;
	u32 i;

	/* the product's upper bits are those of the four states, the first lowest */
	for (i = 0; i < 64; i += 4)
		found |= ((four_states(states + i) & each) * 0x1000200040008000ull >> 60) << i;
	return found;
}

static __always_inline u64 matches64_wide(const u32 *states)
{
	const u64 each = NFAC_DARRAY32_MATCH * 0x0000000100000001ull;
	u64 found = 0, two;
	u32 i;

	/* as above, for two states; the factor also moves the match bit to the lowest position */
	for (i = 0; i < 64; i += 2) {
		two = states[i] | (u64)states[i + 1] << 32;
		found |= ((two & each) * (0x4000000080000000ull / NFAC_DARRAY32_MATCH) >> 62) << i;
	}
	return found;
}

/* matches64(), by vectors where the path has them. */
static __always_inline u64 matches_in(const struct nfac_run *run, const void *states,
				      const bool wide)
{
	(void)run;
#ifdef NFAC_HAVE_VECTOR
	if (run->path >= NFAC_PATH_VECTOR)
		return wide ? nfac_matches32_vector(states) : nfac_matches_vector(states);
#endif
	return wide ? matches64_wide(states) : matches64(states);
}

/* Report an output at @hit's end. Return: false if the callback stopped. */
static __always_inline bool report_output(struct nfac_run *run, u32 output, struct nfac_hit *hit)
{
	const __le32 *pair = run->a->outputs + 2 * (size_t)output;
	const u32 word = le32_to_cpu(pair[1]);

	/* mostly an id alone: no NFAC_OUT_EXTRA, no further output */
	if (likely(!(word >> 16))) {
		hit->id = le32_to_cpu(pair[0]);
		hit->length = word;
		run->calls++;
		run->stopped = !run->fn(run->ctx, hit);
	} else {
		nfac_report(run, output, hit->end);
	}
	return !run->stopped;
}

/*
 * Report the matches at @ends: a bit for each of 64 ends from @end on, with their @states. Where
 * the state does not match, a short pattern may end.
 */
static __always_inline void report_ends(struct nfac_run *run, const void *states, u64 ends,
					size_t end, const bool wide)
{
	const struct nfac_automaton *a = run->a;
	const u8 *text = run->text + end;
	const bool letter_case = a->flags & NFAC_SET_LETTER_CASE;
	struct nfac_hit hit;

	hit.limits = NULL;
	for (; ends; ends &= ends - 1) {
		const u32 i = nfac_ctz64(ends), state = nfac_state_get(states, i, wide);
		u32 output;

		hit.end = end + i;
		if (nfac_darray_matches(state, wide)) {
			output = nfac_state_output(a, state, wide);
			if (letter_case) {
				nfac_report_output(run, output, end + i);
				if (run->stopped)
					return;
				continue;
			}
		} else {
			u8 buckets = nfac_short_buckets(a->short_map, text + i);
			u32 last = nfac_gram_at(text + i - NFAC_GRAM);

			if (!nfac_short_output(a, last, buckets, &output))
				continue;
		}
		if (unlikely(!report_output(run, output, &hit)))
			return;
	}
}

static noinline void report16(struct nfac_run *run, const u16 *states, u64 ends, size_t end)
{
	report_ends(run, states, ends, end, false);
}

static noinline void report32(struct nfac_run *run, const u32 *states, u64 ends, size_t end)
{
	report_ends(run, states, ends, end, true);
}

void nfac_darray_report(struct nfac_run *run, const void *states, u32 n, size_t pos, bool wide)
{
	const bool short_patterns = run->a->short_lengths;
	u32 at, few;
	u64 ends;

	if (short_patterns)
		nfac_short_patterns(run, pos);
	for (at = 0; at < n && !run->stopped; at += 64) {
		few = n - at < 64 ? n - at : 64;
		ends = wide ? matches_in(run, (const u32 *)states + at, true) :
			      matches_in(run, (const u16 *)states + at, false);
		ends &= ~0ull >> (64 - few);
		if (short_patterns)
			ends |= nfac_short_ends(run, pos + at + 1, few);
		if (!ends)
			continue;
		if (wide)
			report32(run, (const u32 *)states + at, ends, pos + at + 1);
		else
			report16(run, (const u16 *)states + at, ends, pos + at + 1);
	}
	run->short_done = pos + n;
}
