// SPDX-License-Identifier: GPL-2.0
/*
 * Text that repeats itself, where the automaton has come back to a state.
 */
#include "flood.h"

/* So many bytes are worth to be skipped. */
#define PERIODIC_BYTES_MIN		32

/* Matches are no longer heard of here. */
static void stop_recording(struct nfac_run *run)
{
	struct nfac_flood *flood = run->flood;

	if (!flood->fn)
		return;
	run->fn = flood->fn;
	run->ctx = flood->ctx;
	flood->fn = NULL;
}

/* As an nfac_hit_fn(): what the caller is told, while a period's matches are noted. */
static bool record_hit(void *ctx, const struct nfac_hit *hit)
{
	struct nfac_run *run = ctx;
	struct nfac_flood *flood = run->flood;
	nfac_hit_fn fn = flood->fn;
	void *caller = flood->ctx;

	if (flood->hits < NFAC_FLOOD_HITS)
		flood->hit[flood->hits] = *hit;
	else
		stop_recording(run);
	flood->hits++;
	return fn(caller, hit);
}

/* Note what matches from here on. */
static void start_recording(struct nfac_run *run)
{
	struct nfac_flood *flood = run->flood;

	flood->hits = 0;
	flood->fn = run->fn;
	flood->ctx = run->ctx;
	run->fn = record_hit;
	run->ctx = run;
}

/* Does the text repeat itself from @pos on, for so long that it is worth while? */
static bool is_periodic(const struct nfac_run *run, size_t pos, size_t period)
{
	const size_t to = pos + period + PERIODIC_BYTES_MIN;

	return to <= run->len && nfac_flood_end(run->text, pos, to, period) == to;
}

/* Tell of what was heard in a period, so many @times more. */
static void replay(struct nfac_run *run, size_t period, size_t times)
{
	struct nfac_flood *flood = run->flood;
	u32 i;

	for (; times && flood->hits; times--)
		for (i = 0; i < flood->hits; i++) {
			if (run->stopped)
				return;
			flood->hit[i].end += period;
			run->calls++;
			run->stopped = !run->fn(run->ctx, &flood->hit[i]);
		}
}

/*
 * If the last @period bytes before @pos came again, would the same be told? They and those
 * before them decide that, as far as what was told goes back.
 */
static bool replay_is_exact(struct nfac_run *run, size_t pos, size_t period)
{
	struct nfac_flood *flood = run->flood;
	const size_t reported = run->short_done - flood->done;
	size_t before = flood->case_bytes;

	/* all was told up to the same place in each period, or nothing had to be */
	if (reported != period && reported)
		return false;
	if (flood->calls != run->calls && !(flood->fn && reported))
		return false;
	if (before < NFAC_GRAM && run->a->short_lengths)
		before = NFAC_GRAM;
	if (!reported || !before)
		return true;
	if (pos > run->short_done)
		before += pos - run->short_done;
	if (pos < flood->aperiodic + before || pos < period + before)
		return false;
	flood->aperiodic = nfac_flood_end(run->text, pos - before, pos, period) + 1;
	return flood->aperiodic > pos;
}

/*
 * Number of times that the last @period bytes repeat from @pos on, with @lookahead bytes to spare. The
 * bytes are compared again, because a local sender may have changed them since is_periodic().
 */
static size_t repetitions(const struct nfac_run *run, size_t pos, size_t period, u32 lookahead)
{
	size_t same = nfac_flood_end(run->text, pos, run->len, period) - pos;

	return same < lookahead ? 0 : (same - lookahead) / period;
}

/*
 * Work a byte: a look at what comes is WORTH bytes and a period at most, and what is compared
 * beyond is skipped. Of those before, each is compared once.
 */
size_t nfac_flood_state(struct nfac_run *run, u64 state, size_t pos, u32 lookahead)
{
	struct nfac_flood *flood = run->flood;
	const size_t period = pos - flood->at;
	const bool recent = pos > flood->at && period <= NFAC_PERIOD_MAX;
	const u64 calls = run->calls;
	size_t times = 0;

	if (recent && flood->state != state)
		return pos;
	if (recent && is_periodic(run, pos, period)) {
		if (replay_is_exact(run, pos, period))
			times = repetitions(run, pos, period, lookahead);
		stop_recording(run);
		if (times && calls != flood->calls)
			replay(run, period, times);
		else if (calls != flood->calls && flood->hits <= NFAC_FLOOD_HITS)
			start_recording(run);
		pos += times * period;
		run->short_done += times * (run->short_done - flood->done);
	} else {
		stop_recording(run);
		flood->hits = 0;
	}
	flood->state = state;
	flood->at = pos;
	flood->calls = run->calls;
	flood->done = run->short_done;
	flood->case_bytes = 0;
	return pos;
}
