// SPDX-License-Identifier: GPL-2.0
/*
 * Repeat detection: compare the text with itself, and replay the matches of one period.
 */
#include "flood.h"

/* bytes of periodic text below which reading is as fast */
#define PERIODIC_BYTES_MIN		32

/* Stop recording matches: restore the caller's callback. */
static void stop_recording(struct nfac_run *run)
{
	struct nfac_flood *flood = run->flood;

	if (!flood->fn)
		return;
	run->fn = flood->fn;
	run->ctx = flood->ctx;
	flood->fn = NULL;
}

/* Callback while recording: record the match, then call the caller's callback. */
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

/* Record the matches from here on. */
static void start_recording(struct nfac_run *run)
{
	struct nfac_flood *flood = run->flood;

	flood->hits = 0;
	flood->fn = run->fn;
	flood->ctx = run->ctx;
	run->fn = record_hit;
	run->ctx = run;
}

/* Does the text repeat with this period for at least PERIODIC_BYTES_MIN bytes behind the first? */
static bool is_periodic(const struct nfac_run *run, size_t pos, size_t period)
{
	const size_t to = pos + period + PERIODIC_BYTES_MIN;

	return to <= run->len && nfac_flood_end(run->text, pos, to, period) == to;
}

/* Report the recorded matches of a period again, @times times. */
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
 * Would the last @period bytes before @pos, read again, give the same matches? The bytes that
 * matches depend on must repeat, too: those of short patterns and of case checks.
 */
static bool replay_is_exact(struct nfac_run *run, size_t pos, size_t period)
{
	struct nfac_flood *flood = run->flood;
	const size_t reported = run->short_done - flood->done;
	size_t before = flood->case_bytes;

	/* each period reports up to the same offset, or has nothing to report */
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
 * Number of times that the last @period bytes repeat from @pos on, with @lookahead bytes to spare.
 * They are compared again, because a local sender may have changed them since is_periodic().
 */
static size_t repetitions(const struct nfac_run *run, size_t pos, size_t period, u32 lookahead)
{
	size_t same = nfac_flood_end(run->text, pos, run->len, period) - pos;

	return same < lookahead ? 0 : (same - lookahead) / period;
}

/*
 * Cost: a comparison reads one period and PERIODIC_BYTES_MIN bytes at most; what it compares beyond
 * is skipped. Bytes before @pos are compared once.
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
