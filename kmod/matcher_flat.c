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
#include "matcher_start.h"

/*
 * Lanes, and bytes that all of them take at once: their states, and text that has to be folded,
 * lie on the stack, of which 32-bit kernels want no more than 1,024 bytes for a function.
 */
#define LANES		3
#define LANES_BYTES	(sizeof(long) > 4 ? 384u : 256u)
static_assert(LANES_BYTES % 64 == 0, "matches64() reads so many states");

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
static __always_inline u32 next_state(const struct nfac_automaton *a, u32 state, u32 gram)
{
	u32 entry, next, slot;
	u8 label;

	OPTIMIZER_HIDE_VAR(gram);
	entry = entry_state(a, gram);
	slot = state >> NFAC_FLAT_SHIFT ^ gram >> 24;
	next = nfac_flat_word(a, slot);
	label = nfac_flat_label(a, slot);
	OPTIMIZER_HIDE_VAR(next);
	OPTIMIZER_HIDE_VAR(entry);
	return label == (u8)(gram >> 24) ? next : entry;
}

/* The same for the byte at @at, with NFAC_GRAM - 1 before it. */
static __always_inline u32 step(const struct nfac_automaton *a, u32 state, const u8 *at)
{
	return next_state(a, state, nfac_gram_at(at - (NFAC_GRAM - 1)));
}

/*
 * The states behind each of @n bytes from @text on, at least one, after @state. Lanes begin
 * without a state: what they have is true from where the lane before, read on, comes to the
 * same one; and there it does not go on. Return: the last one.
 */
static __always_inline u32 run_lanes(const struct nfac_automaton *a, u32 state, const u8 *text,
				     u32 n, u16 *states)
{
	const u32 lane = n < LANES_MIN ? 0 : n / LANES;
	u32 first = state, second = 0, third = 0, i, end;

	for (i = 0; i < lane; i++) {
		first = step(a, first, text + i);
		states[i] = first;
		second = step(a, second, text + lane + i);
		states[lane + i] = second;
		third = step(a, third, text + 2 * lane + i);
		states[2 * lane + i] = third;
	}
	state = lane ? third : state;
	for (i = LANES * lane; i < n; i++) {
		state = step(a, state, text + i);
		states[i] = state;
	}
	for (end = lane; lane && end < LANES * lane; end += lane) {
		state = states[end - 1];
		for (i = end; i < n; i++) {
			state = step(a, state, text + i);
			if (states[i] == state)
				break;
			states[i] = state;
		}
	}
	return states[n - 1];
}

static __always_inline void report_state(struct nfac_run *run, u32 state, size_t end)
{
	nfac_report_long(run, nfac_table_output(&run->a->matches, state >> NFAC_FLAT_SHIFT),
			 end);
}

/* Four states as a word, the first lowest. */
static __always_inline u64 four_states(const u16 *states)
{
	return states[0] | (u64)states[1] << 16 | (u64)states[2] << 32 | (u64)states[3] << 48;
}

/* Where something matches in 64 states: a bit for each. Four states lie in a word. */
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

/* Report what ends in the @n states behind the bytes from @pos on; zeros fill the last 64. */
static __always_inline void report_states(struct nfac_run *run, const u16 *states, u32 n,
					  size_t pos)
{
	u64 found;
	u32 at, i;

	for (at = 0; at < n; at += 64) {
		for (found = matches64(states + at); found; found &= found - 1) {
			i = at + nfac_ctz64(found);
			report_state(run, states[i], pos + i + 1);
		}
	}
}

/* Is there a state behind so many of @n bytes that the next ones are dense as well? */
static __always_inline bool still_dense(const u16 *states, u32 n)
{
	u32 i, seen = 0;

	for (i = 0; i < n; i += DENSE_LOOK)
		seen += !!states[i];
	return seen > DENSE_STATES(n);
}

/* Fold @n bytes of text. */
static __always_inline void fold_text(u8 *to, const u8 *text, u32 n)
{
	u32 i = 0;
	u64 x;

	for (; i + 8 <= n; i += 8) {
		x = nfac_fold8(nfac_get64(text + i));
		memcpy(to + i, &x, 8);
	}
	for (; i < n; i++)
		to[i] = nfac_fold1(text[i]);
}

/*
 * From @pos on, where there are as many bytes before as a gram has before its last. There is
 * room for LANES_BYTES @states, and in @folded for so much text with those before it; NULL:
 * the set does not fold.
 */
static __always_inline size_t scan_dense(struct nfac_run *run, size_t pos, u32 *state,
					 u16 *states, u8 *folded)
{
	bool dense = true;
	const u8 *text;
	u32 n;

	while (pos < run->len && dense) {
		n = run->len - pos < LANES_BYTES ? run->len - pos : LANES_BYTES;
		text = run->text + pos;
		nfac_ask_ahead(text, LANES_BYTES);
		if (folded) {
			fold_text(folded, text - (NFAC_GRAM - 1), n + NFAC_GRAM - 1);
			text = folded + NFAC_GRAM - 1;
		}
		/* mostly so many: where the lanes lie then takes no registers (3 %) */
		if (likely(n == LANES_BYTES))
			*state = run_lanes(run->a, *state, text, LANES_BYTES, states);
		else
			*state = run_lanes(run->a, *state, text, n, states);
		if (n % 64)
			memset(states + n, 0, (64 - n % 64) * sizeof(*states));
		report_states(run, states, n, pos);
		pos += n;
		dense = run->path == NFAC_PATH_NOFILTER || still_dense(states, n);
	}
	return pos;
}

static noinline __aligned(64) size_t dense_folding(struct nfac_run *run, size_t pos, u32 *state)
{
	u8 folded[NFAC_GRAM - 1 + LANES_BYTES];
	u16 states[LANES_BYTES];

	return scan_dense(run, pos, state, states, folded);
}

static noinline __aligned(64) size_t dense_exact(struct nfac_run *run, size_t pos, u32 *state)
{
	u16 states[LANES_BYTES];

	return scan_dense(run, pos, state, states, NULL);
}

/* Bytes at the block's beginning, whose grams began before it. Return: the next one. */
static __always_inline size_t scan_early(struct nfac_run *run, u32 *state, const bool fold)
{
	const size_t end = run->len < NFAC_GRAM - 1 ? run->len : NFAC_GRAM - 1;
	size_t pos;
	u32 gram;

	for (pos = 0; pos < end; pos++) {
		/* as many as there are, and this one */
		if (run->have + pos + 1 < NFAC_GRAM)
			continue;
		gram = nfac_gram_across(run, (s64)pos - (NFAC_GRAM - 1));
		*state = next_state(run->a, *state, fold ? nfac_fold4(gram) : gram);
		if (*state & NFAC_FLAT_MATCH)
			report_state(run, *state, pos + 1);
	}
	return pos;
}

/* Read on from *@state as far as it leads. Return: the first byte that it does not. */
static __always_inline size_t follow(struct nfac_run *run, size_t pos, u32 *state,
				     const bool fold)
{
	const struct nfac_automaton *a = run->a;
	u32 slot;
	u8 c;

	for (; pos < run->len; pos++) {
		c = nfac_byte_at(run->text + pos, fold);
		slot = *state >> NFAC_FLAT_SHIFT ^ c;
		if (nfac_flat_label(a, slot) != c) {
			*state = 0;
			break;
		}
		*state = nfac_flat_word(a, slot);
		if (unlikely(*state & NFAC_FLAT_MATCH))
			report_state(run, *state, pos + 1);
	}
	return pos;
}

static __always_inline void scan(struct nfac_run *run, const bool fold)
{
	bool dense = run->path == NFAC_PATH_NOFILTER;
	size_t near = 0, mark = 0, pos, start;
	u32 state = run->cur->node, starts = 0;

	pos = scan_early(run, &state, fold);
	while (pos < run->len) {
		if (dense) {
			pos = fold ? dense_folding(run, pos, &state) :
				     dense_exact(run, pos, &state);
			dense = false;
			mark = pos;
			starts = 0;
			continue;
		}
		if (!state) {
			start = nfac_next_start(run, pos - (NFAC_GRAM - 1), &state, fold, near);
			pos = start + NFAC_GRAM;
			if (pos > run->len) {
				state = 0;
				break;
			}
			if (state & NFAC_FLAT_MATCH)
				report_state(run, state, pos);
			if (++starts == DENSE_STARTS) {
				dense = pos - mark < DENSE_BYTES;
				mark = pos;
				starts = 0;
				if (dense)
					continue;
			}
		}
		pos = follow(run, pos, &state, fold);
		near = pos + 1;
	}
	run->cur->node = state;
}

/* As those of matcher.c: on cache lines of their own. */
static noinline __aligned(64) void scan_folding(struct nfac_run *run)
{
	scan(run, true);
}

static noinline __aligned(64) void scan_exact(struct nfac_run *run)
{
	scan(run, false);
}

void nfac_scan_flat(struct nfac_run *run)
{
	run->cur->place = 0;
	if (run->a->flags & NFAC_SET_FOLD)
		scan_folding(run);
	else
		scan_exact(run);
}
