// SPDX-License-Identifier: GPL-2.0
/*
 * The matcher over a double array (see nfac_blob.h for its form).
 *
 * Work a byte: one look for the transition and one for the entry that the last bytes make,
 * whoever wrote them. Where few starts have an entry the filter finds them, and each is
 * followed as far as it leads. Where many have one, no predictor foresees what becomes of
 * them; there every byte is looked at without a branch, in several places of the text at
 * once, so that none waits for the other's loads (as Mytkowicz, Musuvathi and Schulte, ASPLOS
 * 2014, run automata from states that they guess).
 */
#include "matcher_repeat.h"
#include "matcher_start.h"

/*
 * Lanes, and bytes that all of them take at once, with states of 16 or 32 bits: these, and
 * text that has to be folded, lie on the stack, of which 32-bit kernels want no more than
 * 1,024 bytes for a function.
 */
#define LANES		3
#define LANES_BYTES	(sizeof(long) > 4 ? 384u : 256u)
#define LANES_BYTES32	(sizeof(long) > 4 ? 320u : 128u)
static_assert(LANES_BYTES % 64 == 0, "matches64() reads so many states");
static_assert(LANES_BYTES32 % 64 == 0, "and here");

/* Less text is read byte by byte: where lanes meet, they read some of it twice. */
#define LANES_MIN	64

/*
 * So many starts within so many bytes make a text dense: then lanes take no longer. Behind
 * every so many bytes it is looked whether there is a state; more than one look in eight
 * that finds one keep it so.
 */
#define DENSE_STARTS	3
#define DENSE_BYTES	64
#define DENSE_LOOK	8
#define DENSE_STATES(n)	((n) / DENSE_LOOK / 8)

/*
 * Lanes take over from a state that has been followed over so many bytes, too: they see where
 * text repeats itself.
 */
#define FOLLOW_BYTES	256

/* It is looked at whether text repeats itself in one block of so many. */
#define PERIOD_LOOK	8

/* Periods in which it is heard what is told: whether there is anything, and what. */
#define HEARD_PERIODS	2

/* State that the last bytes alone lead to, or 0. No branch: nobody foresees whether. */
static __always_inline u32 entry_state(const struct nfac_automaton *a, u32 gram)
{
	const __le32 *pair = a->entries.slots + 2 * (size_t)nfac_table_place(&a->entries, gram);
	u32 key = le32_to_cpu(pair[0]), state = le32_to_cpu(pair[1]);

	OPTIMIZER_HIDE_VAR(state);
	return key == gram ? state : 0;
}

/*
 * State behind @state by the last byte of @gram, folded as the set is. The text is not read
 * again: an empty slot of the entries must not come to have the key that it is asked for.
 */
static __always_inline u32 next_state(const struct nfac_automaton *a, u32 state, u32 gram,
				      const bool wide)
{
	u32 entry, next, slot;
	u8 label;

	OPTIMIZER_HIDE_VAR(gram);
	entry = entry_state(a, gram);
	slot = nfac_flat_base(state, wide) ^ gram >> 24;
	next = wide ? nfac_flat_word32(a, slot) : nfac_flat_word(a, slot);
	OPTIMIZER_HIDE_VAR(next);
	label = wide ? next : nfac_flat_label(a, slot);
	OPTIMIZER_HIDE_VAR(entry);
	return label == (u8)(gram >> 24) ? next : entry;
}

/* The same for the byte at @at, with NFAC_GRAM - 1 before it. */
static __always_inline u32 step(const struct nfac_automaton *a, u32 state, const u8 *at,
				const bool wide)
{
	return next_state(a, state, nfac_gram_at(at - (NFAC_GRAM - 1)), wide);
}

/* The states of lanes: 16 or 32 bits each. */
static __always_inline u32 get_state(const void *states, u32 i, const bool wide)
{
	return wide ? ((const u32 *)states)[i] : ((const u16 *)states)[i];
}

static __always_inline void put_state(void *states, u32 i, u32 state, const bool wide)
{
	if (wide)
		((u32 *)states)[i] = state;
	else
		((u16 *)states)[i] = state;
}

/*
 * The states behind each of @n bytes from @text on, at least one, after @state. Lanes begin
 * without a state: what they have is true from where the lane before, read on, comes to the
 * same one; and there it does not go on. Return: the last one.
 */
static __always_inline u32 run_lanes(const struct nfac_automaton *a, u32 state, const u8 *text,
				     u32 n, void *states, const bool wide)
{
	const u32 lane = n < LANES_MIN ? 0 : n / LANES;
	u32 first = state, second = 0, third = 0, i, end;

	for (i = 0; i < lane; i++) {
		first = step(a, first, text + i, wide);
		put_state(states, i, first, wide);
		second = step(a, second, text + lane + i, wide);
		put_state(states, lane + i, second, wide);
		third = step(a, third, text + 2 * lane + i, wide);
		put_state(states, 2 * lane + i, third, wide);
	}
	state = lane ? third : state;
	for (i = LANES * lane; i < n; i++) {
		state = step(a, state, text + i, wide);
		put_state(states, i, state, wide);
	}
	for (end = lane; lane && end < LANES * lane; end += lane) {
		state = get_state(states, end - 1, wide);
		for (i = end; i < n; i++) {
			state = step(a, state, text + i, wide);
			if (get_state(states, i, wide) == state)
				break;
			put_state(states, i, state, wide);
		}
	}
	return get_state(states, n - 1, wide);
}

static __always_inline u32 output_of(const struct nfac_run *run, u32 state, const bool wide)
{
	return nfac_table_output(&run->a->matches, nfac_flat_base(state, wide));
}

static __always_inline void report_state(struct nfac_run *run, u32 state, size_t end,
					 const bool wide)
{
	nfac_report_long(run, output_of(run, state, wide), end);
}

/* Four states as a word, the first lowest. */
static __always_inline u64 four_states(const u16 *states)
{
	return states[0] | (u64)states[1] << 16 | (u64)states[2] << 32 | (u64)states[3] << 48;
}

/* Where something matches in 64 states: a bit for each. */
static __always_inline u64 matches64(const u16 *states)
{
	const u64 each = NFAC_FLAT_MATCH * 0x0001000100010001ull;
	u64 found = 0;
	u32 i;

	/* the product's upper bits are those of the four, the first lowest */
	for (i = 0; i < 64; i += 4)
		found |= ((four_states(states + i) & each) * 0x1000200040008000ull >> 60) << i;
	return found;
}

static __always_inline u64 matches64_wide(const u32 *states)
{
	const u64 each = NFAC_FLAT32_MATCH * 0x0000000100000001ull;
	u64 found = 0, two;
	u32 i;

	/* as above, of two; it brings the match's bit to the first of them */
	for (i = 0; i < 64; i += 2) {
		two = states[i] | (u64)states[i + 1] << 32;
		found |= ((two & each) * (0x4000000080000000ull / NFAC_FLAT32_MATCH) >> 62) << i;
	}
	return found;
}

/* The same of the 64 states from @at on, by vectors where there are any. */
static __always_inline u64 matches_from(const struct nfac_run *run, const void *states, u32 at,
					const bool wide)
{
	const u16 *half = (const u16 *)states + at;
	const u32 *whole = (const u32 *)states + at;

	(void)run;
#ifdef NFAC_HAVE_AVX2
	if (run->path >= NFAC_PATH_AVX2)
		return wide ? nfac_matches32_avx2(whole) : nfac_matches_avx2(half);
#endif
	return wide ? matches64_wide(whole) : matches64(half);
}

/*
 * Report what ends in the @n states behind the bytes from @pos on; whole 64 of them are read. The
 * short patterns that end here are told with the long ones, in order.
 */
static __always_inline void report_states(struct nfac_run *run, const void *states, u32 n,
					  size_t pos, const bool wide)
{
	const bool shorts = run->a->short_lengths;
	u64 found, told;
	u32 at, few, i, state;

	if (shorts)
		nfac_shorts(run, pos);
	for (at = 0; at < n && !run->deaf; at += 64) {
		few = n - at < 64 ? n - at : 64;
		found = matches_from(run, states, at, wide) & ~0ull >> (64 - few);
		told = found;
		if (shorts)
			told |= nfac_short_ends(run, pos + at + 1, few);
		for (; told && !run->deaf; told &= told - 1) {
			i = at + nfac_ctz64(told);
			state = get_state(states, i, wide);
			if (nfac_flat_matches(state, wide))
				nfac_report_output(run, output_of(run, state, wide), pos + i + 1);
			else
				nfac_short_at(run, pos + i + 1);
		}
	}
	run->short_done = pos + n;
}

/* Is there a state behind so many of @n bytes that the next ones are dense as well? */
static __always_inline bool still_dense(const void *states, u32 n, const bool wide)
{
	u32 i, seen = 0;

	for (i = 0; i < n; i += DENSE_LOOK)
		seen += !!get_state(states, i, wide);
	return seen > DENSE_STATES(n);
}

/* Fold @n bytes of text. */
static __always_inline void fold_text(const struct nfac_run *run, u8 *to, const u8 *text, u32 n)
{
	u32 i = 0;
	u64 x;

	(void)run;
#ifdef NFAC_HAVE_AVX2
	if (run->path >= NFAC_PATH_AVX2)
		i = nfac_fold_avx2(to, text, n);
#endif
	for (; i + 8 <= n; i += 8) {
		x = nfac_fold8(nfac_get64(text + i));
		memcpy(to + i, &x, 8);
	}
	for (; i < n; i++)
		to[i] = nfac_fold1(text[i]);
}

/*
 * How long ago the last eight bytes before @pos, and the last of the @n states there, stood there
 * before; or 0: not within NFAC_PERIOD_MAX bytes.
 */
static noinline u32 period_of(const struct nfac_run *run, const void *states, u32 n, size_t pos,
			      const bool wide)
{
	const u32 last = get_state(states, n - 1, wide);
	const u32 most = n - 1 < NFAC_PERIOD_MAX ? n - 1 : NFAC_PERIOD_MAX;
	u32 period;

	if (pos < most + 8)
		return 0;
	for (period = 1; period <= most; period++)
		if (!nfac_repeat_differ(run->text, pos - 8, period) &&
		    get_state(states, n - 1 - period, wide) == last)
			return period;
	return 0;
}

/*
 * Of @n states the last @period, doubled as long as there is room, instead of them. Return: how
 * many there are now.
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
 * The last of the @n @states before @pos is the one that stands @period before. As far as the
 * text is what it was @period before, with as many bytes before it as a gram has before its last,
 * the states are the same: report what ends in them. Of the first periods it is heard what is
 * told, for if that is not much it need not be looked for again. There are more bytes before
 * @pos than are compared here: period_of() has asked. Return: the first byte that is another.
 */
static noinline size_t report_again(struct nfac_run *run, void *states, u32 n, u32 period,
				    size_t pos, u32 *state, const bool wide)
{
	const size_t before = NFAC_GRAM - 1;
	const size_t first = pos;
	u32 all, now, heard;
	size_t end, at;

	end = nfac_repeat_end(run->text, pos - before, run->len, period);
	if (end <= pos)
		return pos;
	all = keep_period(states, n, period, wide);
	for (heard = 0;; heard++) {
		at = pos;
		pos = nfac_repeat_state(run, first, at, 0);
		if (pos > at || heard == HEARD_PERIODS || end - pos < period)
			break;
		report_states(run, states, period, pos, wide);
		pos += period;
	}
	for (; pos < end; pos += now) {
		now = end - pos < all ? end - pos : all;
		report_states(run, states, now, pos, wide);
		*state = get_state(states, now - 1, wide);
	}
	return pos;
}

/*
 * From @pos on, where there are as many bytes before as a gram has before its last. There is
 * room for the @states of as many bytes as lanes take, and in @folded for so much text with
 * those before it; NULL: the set does not fold.
 */
static __always_inline size_t scan_dense(struct nfac_run *run, size_t pos, u32 *state,
					 void *states, u8 *folded, const bool wide)
{
	const u32 each = wide ? sizeof(u32) : sizeof(u16);
	const u32 most = wide ? LANES_BYTES32 : LANES_BYTES;
	u32 n, period, blocks = 0;
	bool dense = true;
	const u8 *text;

	while (pos < run->len && dense) {
		n = run->len - pos < most ? run->len - pos : most;
		text = run->text + pos;
		nfac_ask_ahead(text, most);
		if (folded) {
			fold_text(run, folded, text - (NFAC_GRAM - 1), n + NFAC_GRAM - 1);
			text = folded + NFAC_GRAM - 1;
			/* one register for all lanes' places, not one for each */
			OPTIMIZER_HIDE_VAR(text);
		}
		/* mostly so many: where the lanes lie then takes no registers (3 %) */
		if (likely(n == most))
			*state = run_lanes(run->a, *state, text, most, states, wide);
		else
			*state = run_lanes(run->a, *state, text, n, states, wide);
		if (n % 64)
			memset((u8 *)states + n * each, 0, (64 - n % 64) * each);
		report_states(run, states, n, pos, wide);
		pos += n;
		period = blocks++ % PERIOD_LOOK ? 0 : period_of(run, states, n, pos, wide);
		if (period)
			pos = report_again(run, states, n, period, pos, state, wide);
		dense = run->path == NFAC_PATH_NOFILTER || still_dense(states, n, wide);
	}
	return pos;
}

static noinline __aligned(64) size_t dense_folding(struct nfac_run *run, size_t pos, u32 *state)
{
	u8 folded[NFAC_GRAM - 1 + LANES_BYTES] nfac_uninitialized;
	u16 states[LANES_BYTES] nfac_uninitialized;

	return scan_dense(run, pos, state, states, folded, false);
}

static noinline __aligned(64) size_t dense_exact(struct nfac_run *run, size_t pos, u32 *state)
{
	u16 states[LANES_BYTES] nfac_uninitialized;

	return scan_dense(run, pos, state, states, NULL, false);
}

static noinline __aligned(64) size_t dense_folding32(struct nfac_run *run, size_t pos, u32 *state)
{
	u8 folded[NFAC_GRAM - 1 + LANES_BYTES32] nfac_uninitialized;
	u32 states[LANES_BYTES32] nfac_uninitialized;

	return scan_dense(run, pos, state, states, folded, true);
}

static noinline __aligned(64) size_t dense_exact32(struct nfac_run *run, size_t pos, u32 *state)
{
	u32 states[LANES_BYTES32] nfac_uninitialized;

	return scan_dense(run, pos, state, states, NULL, true);
}

static __always_inline size_t scan_lanes(struct nfac_run *run, size_t pos, u32 *state,
					 const bool fold, const bool wide)
{
	if (wide)
		return fold ? dense_folding32(run, pos, state) : dense_exact32(run, pos, state);
	return fold ? dense_folding(run, pos, state) : dense_exact(run, pos, state);
}

/* Bytes at the block's beginning, whose grams began before it. Return: the next one. */
static __always_inline size_t scan_early(struct nfac_run *run, u32 *state, const bool fold,
					 const bool wide)
{
	const size_t end = run->len < NFAC_GRAM - 1 ? run->len : NFAC_GRAM - 1;
	size_t pos;
	u32 gram;

	if (!*state && nfac_none_across(run))
		return end;
	for (pos = 0; pos < end; pos++) {
		/* as many as there are, and this one */
		if (run->have + pos + 1 < NFAC_GRAM)
			continue;
		gram = nfac_gram_across(run, (s64)pos - (NFAC_GRAM - 1));
		*state = next_state(run->a, *state, fold ? nfac_fold4(gram) : gram, wide);
		if (nfac_flat_matches(*state, wide))
			report_state(run, *state, pos + 1, wide);
	}
	return pos;
}

/* Read on from *@state as far as it leads. Return: the first byte that it does not, or @end. */
static __always_inline size_t follow(struct nfac_run *run, size_t pos, size_t end, u32 *state,
				     const bool fold, const bool wide)
{
	const struct nfac_automaton *a = run->a;
	u32 slot, next;
	u8 c;

	for (; pos < end; pos++) {
		c = nfac_byte_at(run->text + pos, fold);
		slot = nfac_flat_base(*state, wide) ^ c;
		next = wide ? nfac_flat_word32(a, slot) : nfac_flat_label(a, slot);
		if ((u8)next != c) {
			*state = 0;
			break;
		}
		*state = wide ? next : nfac_flat_word(a, slot);
		if (unlikely(nfac_flat_matches(*state, wide)))
			report_state(run, *state, pos + 1, wide);
	}
	return pos;
}

static __always_inline void scan(struct nfac_run *run, const bool fold, const bool wide)
{
	bool dense = run->path == NFAC_PATH_NOFILTER;
	size_t near = 0, mark = 0, pos, start, end;
	u32 state = run->cur->node, starts = 0;

	pos = scan_early(run, &state, fold, wide);
	while (pos < run->len) {
		if (dense) {
			pos = scan_lanes(run, pos, &state, fold, wide);
			dense = false;
			mark = pos;
			starts = 0;
			continue;
		}
		if (!state) {
			start = nfac_next_start(run, pos - (NFAC_GRAM - 1), &state, near, fold,
						false);
			pos = start + NFAC_GRAM;
			if (pos > run->len) {
				state = 0;
				break;
			}
			if (nfac_flat_matches(state, wide))
				report_state(run, state, pos, wide);
			if (++starts == DENSE_STARTS) {
				dense = pos - mark < DENSE_BYTES;
				mark = pos;
				starts = 0;
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

/* As those of matcher.c: on cache lines of their own. */
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

void nfac_scan_flat(struct nfac_run *run)
{
	const u32 flags = run->a->flags;

	run->cur->place = 0;
	if (flags & NFAC_SET_FLAT32 && flags & NFAC_SET_FOLD)
		scan_folding32(run);
	else if (flags & NFAC_SET_FLAT32)
		scan_exact32(run);
	else if (flags & NFAC_SET_FOLD)
		scan_folding(run);
	else
		scan_exact(run);
}
