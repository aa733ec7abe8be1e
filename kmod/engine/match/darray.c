// SPDX-License-Identifier: GPL-2.0
/*
 * The walk over a double array (its form is in blob.h; records.c has the walk over records).
 *
 * nfac_match_block() calls nfac_darray_scan() for a set with NFAC_SET_DARRAY. There are two ways to
 * read a text. Where candidates are rare, the prefilter finds them and follow() walks each one.
 * Dense text is read by an interleaved walk: each byte takes one transition and one entry lookup
 * without a branch, in several positions of the text at once, so that their loads overlap (as
 * Mytkowicz, Musuvathi and Schulte, ASPLOS 2014, run automata from guessed states). Branches would
 * be mispredicted there.
 *
 * Cost: one slot and one entry for each byte; where lanes meet, twice.
 */
#include "memory.h"
#include "entry.h"
#include "darray_report.h"

#define LANES		3	/* of the interleaved walk */
static_assert(NFAC_LANES_BYTES % 64 == 0, "nfac_darray_report() reads 64 states at a time");
static_assert(NFAC_LANES_BYTES32 % 64 == 0, "as above");

/* Bytes below which the text is read by one lane: where lanes meet, some bytes are read twice. */
#define LANES_MIN	64

/*
 * The text counts as dense when DENSE_CANDIDATES candidates fall within DENSE_BYTES bytes: from
 * that density on, the interleaved walk is at least as fast. It stays dense while more than one in
 * eight sampled bytes has a state; every DENSE_SAMPLE-th byte is sampled.
 */
#define DENSE_CANDIDATES	3
#define DENSE_BYTES	64
#define DENSE_SAMPLE	8
#define DENSE_STATES(n)	((n) / DENSE_SAMPLE / 8)

/* A walk of this many bytes continues as an interleaved walk, which detects periodic text. */
#define FOLLOW_BYTES	256

/* One in this many blocks of the interleaved walk is tested for periodic text. */
#define PERIOD_CHECK_BLOCKS	8

/* Number of periods in which matches are recorded before they are replayed. */
#define RECORDED_PERIODS	2

/*
 * State of depth NFAC_GRAM that the last bytes lead to, or 0. No branch: the result is
 * unpredictable.
 */
static __always_inline u32 entry_state(const struct nfac_automaton *a, u32 gram)
{
	const __le32 *pair = a->entries.slots + 2 * (size_t)nfac_table_key_slot(&a->entries, gram);
	u32 key = le32_to_cpu(pair[0]), state = le32_to_cpu(pair[1]);

	OPTIMIZER_HIDE_VAR(state);
	return key == gram ? state : 0;
}

/*
 * Next state by the last byte of @gram, which is folded if the set folds. The text is not read
 * again: an empty slot of the entries must not get the key that was looked up.
 */
static __always_inline u32 next_state(const struct nfac_automaton *a, u32 state, u32 gram,
				      const bool wide)
{
	u32 entry, next, slot;
	u8 label;

	OPTIMIZER_HIDE_VAR(gram);
	entry = entry_state(a, gram);
	slot = nfac_darray_base(state, wide) ^ gram >> 24;
	next = wide ? nfac_darray_word32(a, slot) : nfac_darray_word(a, slot);
	OPTIMIZER_HIDE_VAR(next);
	label = wide ? next : nfac_darray_label(a, slot);
	OPTIMIZER_HIDE_VAR(entry);
	return label == (u8)(gram >> 24) ? next : entry;
}

/* next_state() for the byte at @at; NFAC_GRAM - 1 bytes are before it. */
static __always_inline u32 step(const struct nfac_automaton *a, u32 state, const u8 *at,
				const bool wide)
{
	return next_state(a, state, nfac_gram_at(at - (NFAC_GRAM - 1)), wide);
}

/*
 * Read @lane bytes in each of LANES lanes. The first lane begins in @state, the others without a
 * state. Return: the last lane's state.
 */
static __always_inline u32 read_lanes(const struct nfac_automaton *a, u32 state, const u8 *text,
				      const u32 lane, void *states, const bool wide)
{
	u32 first = state, second = 0, third = 0, i;

	for (i = 0; i < lane; i++) {
		first = step(a, first, text + i, wide);
		nfac_state_put(states, i, first, wide);
		second = step(a, second, text + lane + i, wide);
		nfac_state_put(states, lane + i, second, wide);
		third = step(a, third, text + 2 * lane + i, wide);
		nfac_state_put(states, 2 * lane + i, third, wide);
	}
	return third;
}

/*
 * Store the states behind each of @n bytes from @text on, at least one, after @state. Lanes that
 * began without a state are right from the byte on where the lane before, continued, has the same
 * state. Return: the last state.
 */
static __always_inline u32 run_lanes(const struct nfac_automaton *a, u32 state, const u8 *text,
				     u32 n, void *states, const bool wide)
{
	const u32 lane = n < LANES_MIN ? 0 : n / LANES;
	u32 i, end;

	if (lane)
		state = read_lanes(a, state, text, lane, states, wide);
	for (i = LANES * lane; i < n; i++) {
		state = step(a, state, text + i, wide);
		nfac_state_put(states, i, state, wide);
	}
	if (!lane)
		return state;
	for (end = lane; end < LANES * lane; end += lane) {
		state = nfac_state_get(states, end - 1, wide);
		for (i = end; i < n; i++) {
			state = step(a, state, text + i, wide);
			if (nfac_state_get(states, i, wide) == state)
				break;
			nfac_state_put(states, i, state, wide);
		}
	}
	return nfac_state_get(states, n - 1, wide);
}

/*
 * Mostly all lanes are full. Then their addresses are constant and take no registers (3 %). As
 * functions of their own no state is spilled to the stack (2 %).
 */
static noinline __aligned(64) u32 run_lanes16(const struct nfac_automaton *a, u32 state,
					      const u8 *text, u16 *states)
{
	return run_lanes(a, state, text, NFAC_LANES_BYTES, states, false);
}

static noinline __aligned(64) u32 run_lanes32(const struct nfac_automaton *a, u32 state,
					      const u8 *text, u32 *states)
{
	return run_lanes(a, state, text, NFAC_LANES_BYTES32, states, true);
}

/* not inlined: it would take registers from scan(), where few states match (3 %) */
static noinline void report_state(struct nfac_run *run, u32 state, size_t end, const bool wide)
{
	nfac_report_long(run, nfac_state_output(run->a, state, wide), end);
}

/* Do enough of @n bytes have a state for the next bytes to count as dense? */
static __always_inline bool still_dense(const void *states, u32 n, const bool wide)
{
	u32 i, seen = 0;

	for (i = 0; i < n; i += DENSE_SAMPLE)
		seen += !!nfac_state_get(states, i, wide);
	return seen > DENSE_STATES(n);
}

/* Fold @n bytes of text. */
static __always_inline void fold_text(const struct nfac_run *run, u8 *to, const u8 *text, u32 n)
{
	u32 i = 0;
	u64 x;

	(void)run;
#ifdef NFAC_HAVE_VECTOR
	if (run->path >= NFAC_PATH_VECTOR)
		i = nfac_fold_vector(to, text, n);
#endif
	for (; i + 8 <= n; i += 8) {
		x = nfac_fold8(nfac_get64(text + i));
		memcpy(to + i, &x, 8);
	}
	for (; i < n; i++)
		to[i] = nfac_fold1(text[i]);
}

/*
 * Distance back to where the last eight bytes before @pos and the last of @n states occurred
 * before; 0: not within NFAC_PERIOD_MAX bytes.
 */
static noinline u32 period_of(const struct nfac_run *run, const void *states, u32 n, size_t pos,
			      const bool wide)
{
	const u32 last = nfac_state_get(states, n - 1, wide);
	const u32 most = n - 1 < NFAC_PERIOD_MAX ? n - 1 : NFAC_PERIOD_MAX;
	u32 period;

	if (pos < most + 8)
		return 0;
	for (period = 1; period <= most; period++)
		if (!nfac_flood_differ(run->text, pos - 8, period) &&
		    nfac_state_get(states, n - 1 - period, wide) == last)
			return period;
	return 0;
}

/*
 * Keep the last @period of @n states, doubled as long as there is room. Return: number of states.
 */
static __always_inline u32 keep_period(void *states, u32 n, u32 period, const bool wide)
{
	const size_t each = wide ? sizeof(u32) : sizeof(u16);
	u32 all;

	memmove(states, (u8 *)states + (n - period) * each, period * each);
	for (all = period; 2 * all <= n; all *= 2)
		memcpy((u8 *)states + all * each, states, all * each);
	return all;
}

/*
 * Periodic text: the last of the @n @states before @pos is also the one @period before. As long as
 * the text repeats with that period, counted from NFAC_GRAM - 1 bytes before @pos on, the states
 * repeat: report their matches. The matches of the first periods are recorded, and replayed if they
 * fit. period_of() has checked that the bytes to compare exist. Return: the first byte that
 * differs.
 */
static noinline size_t report_again(struct nfac_run *run, void *states, u32 n, u32 period,
				    size_t pos, u32 *state, const bool wide)
{
	const size_t before = NFAC_GRAM - 1;
	const size_t first = pos;
	u32 all, now, recorded;
	size_t end, at;

	end = nfac_flood_end(run->text, pos - before, run->len, period);
	if (end <= pos)
		return pos;
	all = keep_period(states, n, period, wide);
	for (recorded = 0;; recorded++) {
		at = pos;
		pos = nfac_flood_state(run, first, at, 0);
		if (pos > at || recorded == RECORDED_PERIODS || end - pos < period)
			break;
		nfac_darray_report(run, states, period, pos, wide);
		pos += period;
	}
	for (; pos < end; pos += now) {
		now = end - pos < all ? end - pos : all;
		nfac_darray_report(run, states, now, pos, wide);
		*state = nfac_state_get(states, now - 1, wide);
	}
	return pos;
}

/*
 * Read dense text from @pos on; NFAC_GRAM - 1 bytes of the block are before it. @fold: the set
 * folds.
 */
static __always_inline size_t scan_dense(struct nfac_run *run, size_t pos, u32 *state,
					 const bool fold, const bool wide)
{
	void *states = run->lanes->states;
	u8 *folded = run->lanes->folded;
	const u32 each = wide ? sizeof(u32) : sizeof(u16);
	const u32 most = wide ? NFAC_LANES_BYTES32 : NFAC_LANES_BYTES;
	u32 n, period, blocks = 0;
	bool dense = true;
	const u8 *text;

	while (pos < run->len && dense) {
		n = run->len - pos < most ? run->len - pos : most;
		text = run->text + pos;
		nfac_prefetch_text(text, most);
		if (fold) {
			fold_text(run, folded, text - (NFAC_GRAM - 1), n + NFAC_GRAM - 1);
			text = folded + NFAC_GRAM - 1;
			/* one register for all lanes' addresses */
			OPTIMIZER_HIDE_VAR(text);
		}
		if (likely(n == most))
			*state = wide ? run_lanes32(run->a, *state, text, states) :
					run_lanes16(run->a, *state, text, states);
		else
			*state = run_lanes(run->a, *state, text, n, states, wide);
		if (n % 64)
			memset((u8 *)states + n * each, 0, (64 - n % 64) * each);
		nfac_darray_report(run, states, n, pos, wide);
		pos += n;
		period = blocks++ % PERIOD_CHECK_BLOCKS ? 0 : period_of(run, states, n, pos, wide);
		if (period)
			pos = report_again(run, states, n, period, pos, state, wide);
		dense = run->path == NFAC_PATH_NOFILTER || still_dense(states, n, wide);
	}
	return pos;
}

static noinline __aligned(64) size_t dense_folding(struct nfac_run *run, size_t pos, u32 *state)
{
	return scan_dense(run, pos, state, true, false);
}

static noinline __aligned(64) size_t dense_exact(struct nfac_run *run, size_t pos, u32 *state)
{
	return scan_dense(run, pos, state, false, false);
}

static noinline __aligned(64) size_t dense_folding32(struct nfac_run *run, size_t pos, u32 *state)
{
	return scan_dense(run, pos, state, true, true);
}

static noinline __aligned(64) size_t dense_exact32(struct nfac_run *run, size_t pos, u32 *state)
{
	return scan_dense(run, pos, state, false, true);
}

static __always_inline size_t scan_lanes(struct nfac_run *run, size_t pos, u32 *state,
					 const bool fold, const bool wide)
{
	if (wide)
		return fold ? dense_folding32(run, pos, state) : dense_exact32(run, pos, state);
	return fold ? dense_folding(run, pos, state) : dense_exact(run, pos, state);
}

/* Read the block's first bytes, whose q-grams began before it. Return: the next byte's position. */
static __always_inline size_t scan_across(struct nfac_run *run, u32 *state, const bool fold,
					  const bool wide)
{
	const size_t end = run->len < NFAC_GRAM - 1 ? run->len : NFAC_GRAM - 1;
	size_t pos;
	u32 gram;

	if (!*state && nfac_no_candidate_across(run))
		return end;
	for (pos = 0; pos < end; pos++) {
		/* with the bytes that there are and this one */
		if (run->have + pos + 1 < NFAC_GRAM)
			continue;
		gram = nfac_gram_across(run, (s64)pos - (NFAC_GRAM - 1));
		*state = next_state(run->a, *state, fold ? nfac_fold4(gram) : gram, wide);
		if (nfac_darray_matches(*state, wide))
			report_state(run, *state, pos + 1, wide);
	}
	return pos;
}

/* Walk from *@state to the end of its transitions. Return: the first byte without one, or @end. */
static __always_inline size_t follow(struct nfac_run *run, size_t pos, size_t end, u32 *state,
				     const bool fold, const bool wide)
{
	const struct nfac_automaton *a = run->a;
	u32 slot, next;
	u8 c;

	for (; pos < end; pos++) {
		c = nfac_byte_at(run->text + pos, fold);
		slot = nfac_darray_base(*state, wide) ^ c;
		next = wide ? nfac_darray_word32(a, slot) : nfac_darray_label(a, slot);
		if ((u8)next != c) {
			*state = 0;
			break;
		}
		*state = wide ? next : nfac_darray_word(a, slot);
		if (unlikely(nfac_darray_matches(*state, wide)))
			report_state(run, *state, pos + 1, wide);
	}
	return pos;
}

static __always_inline void scan(struct nfac_run *run, const bool fold, const bool wide)
{
	bool dense = run->path == NFAC_PATH_NOFILTER;
	size_t near = 0, counted_from = 0, pos, candidate, end;
	u32 state = run->cur->node, candidates = 0;

	pos = scan_across(run, &state, fold, wide);
	while (pos < run->len) {
		if (dense) {
			pos = scan_lanes(run, pos, &state, fold, wide);
			dense = false;
			counted_from = pos;
			candidates = 0;
			continue;
		}
		if (!state) {
			candidate = nfac_next_entry(run, pos - (NFAC_GRAM - 1), &state, near, fold,
						    false);
			pos = candidate + NFAC_GRAM;
			if (pos > run->len) {
				state = 0;
				break;
			}
			if (nfac_darray_matches(state, wide))
				report_state(run, state, pos, wide);
			if (++candidates == DENSE_CANDIDATES) {
				dense = pos - counted_from < DENSE_BYTES;
				counted_from = pos;
				candidates = 0;
				if (dense)
					continue;
			}
		}
		end = run->len - pos < FOLLOW_BYTES ? run->len : pos + FOLLOW_BYTES;
		pos = follow(run, pos, end, &state, fold, wide);
		near = pos + 1;
		dense = state != 0;
	}
	run->cur->node = state;
}

/* On cache lines of their own, as the scan functions of records.c. */
static noinline __aligned(64) void scan_folding(struct nfac_run *run)
{
	scan(run, true, false);
}

static noinline __aligned(64) void scan_exact(struct nfac_run *run)
{
	scan(run, false, false);
}

static noinline __aligned(64) void scan_folding32(struct nfac_run *run)
{
	scan(run, true, true);
}

static noinline __aligned(64) void scan_exact32(struct nfac_run *run)
{
	scan(run, false, true);
}

void nfac_darray_scan(struct nfac_run *run)
{
	const u32 flags = run->a->flags;

	run->cur->position = 0;
	if (flags & NFAC_SET_DARRAY32 && flags & NFAC_SET_FOLD)
		scan_folding32(run);
	else if (flags & NFAC_SET_DARRAY32)
		scan_exact32(run);
	else if (flags & NFAC_SET_FOLD)
		scan_folding(run);
	else
		scan_exact(run);
}
