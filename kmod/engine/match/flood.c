// SPDX-License-Identifier: GPL-2.0
/*
 * Text that repeats itself, where the automaton has come back to a state.
 */
#include "flood.h"

/* So many bytes are worth to be skipped. */
#define WORTH		32

/* Matches are no longer heard of here. */
static void leave(struct nfac_run *run)
{
	struct nfac_flood *last = run->repeat;

	if (!last->fn)
		return;
	run->fn = last->fn;
	run->ctx = last->ctx;
	last->fn = NULL;
}

/* As an nfac_hit_fn(): what the caller is told, while a period's matches are noted. */
static bool hear(void *ctx, const struct nfac_hit *hit)
{
	struct nfac_run *run = ctx;
	struct nfac_flood *last = run->repeat;
	nfac_hit_fn fn = last->fn;
	void *caller = last->ctx;

	if (last->hits < NFAC_FLOOD_HITS)
		last->hit[last->hits] = *hit;
	else
		leave(run);
	last->hits++;
	return fn(caller, hit);
}

/* Note what matches from here on. */
static void listen(struct nfac_run *run)
{
	struct nfac_flood *last = run->repeat;

	last->hits = 0;
	last->fn = run->fn;
	last->ctx = run->ctx;
	run->fn = hear;
	run->ctx = run;
}

/* Does the text repeat itself from @pos on, for so long that it is worth while? */
static bool worth(const struct nfac_run *run, size_t pos, size_t period)
{
	const size_t to = pos + period + WORTH;

	return to <= run->len && nfac_flood_end(run->text, pos, to, period) == to;
}

/* Tell of what was heard in a period, so many @times more. */
static void tell_again(struct nfac_run *run, size_t period, size_t times)
{
	struct nfac_flood *last = run->repeat;
	u32 i;

	for (; times && last->hits; times--)
		for (i = 0; i < last->hits; i++) {
			if (run->stopped)
				return;
			last->hit[i].end += period;
			run->calls++;
			run->stopped = !run->fn(run->ctx, &last->hit[i]);
		}
}

/*
 * If the last @period bytes before @pos came again, would the same be told? They and those
 * before them decide that, as far as what was told goes back.
 */
static bool same_again(struct nfac_run *run, size_t pos, size_t period)
{
	struct nfac_flood *last = run->repeat;
	const size_t told = run->short_done - last->done;
	size_t before = last->asked;

	/* all was told up to the same place in each period, or nothing had to be */
	if (told != period && told)
		return false;
	if (last->calls != run->calls && !(last->fn && told))
		return false;
	if (before < NFAC_GRAM && run->a->short_lengths)
		before = NFAC_GRAM;
	if (!told || !before)
		return true;
	if (pos > run->short_done)
		before += pos - run->short_done;
	if (pos < last->broken + before || pos < period + before)
		return false;
	last->broken = nfac_flood_end(run->text, pos - before, pos, period) + 1;
	return last->broken > pos;
}

/*
 * How many times the last @period bytes come again from @pos on, with @ahead more. A local sender
 * may have changed since worth() what is read here again.
 */
static size_t times_again(const struct nfac_run *run, size_t pos, size_t period, u32 ahead)
{
	size_t same = nfac_flood_end(run->text, pos, run->len, period) - pos;

	return same < ahead ? 0 : (same - ahead) / period;
}

/*
 * Work a byte: a look at what comes is WORTH bytes and a period at most, and what is compared
 * beyond is skipped. Of those before, each is compared once.
 */
size_t nfac_flood_state(struct nfac_run *run, u64 state, size_t pos, u32 ahead)
{
	struct nfac_flood *last = run->repeat;
	const size_t period = pos - last->at;
	const bool near = pos > last->at && period <= NFAC_PERIOD_MAX;
	const u64 calls = run->calls;
	size_t times = 0;

	if (near && last->state != state)
		return pos;
	if (near && worth(run, pos, period)) {
		if (same_again(run, pos, period))
			times = times_again(run, pos, period, ahead);
		leave(run);
		if (times && calls != last->calls)
			tell_again(run, period, times);
		else if (calls != last->calls && last->hits <= NFAC_FLOOD_HITS)
			listen(run);
		pos += times * period;
		run->short_done += times * (run->short_done - last->done);
	} else {
		leave(run);
		last->hits = 0;
	}
	last->state = state;
	last->at = pos;
	last->calls = run->calls;
	last->done = run->short_done;
	last->asked = 0;
	return pos;
}
