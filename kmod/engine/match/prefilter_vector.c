// SPDX-License-Identifier: GPL-2.0
/*
 * The prefilter and the search for short patterns with vectors.
 *
 * nfac_next_entry() calls nfac_filter_vector(), which fills a candidate batch as prefilter.c does,
 * with 32 probes at once. A set of few patterns is searched without probes: nibble masks find its
 * patterns in 32 positions at once ("Teddy" in Hyperscan; Wang et al., NSDI 2019). For up to some
 * thirty patterns their lower nibbles are enough: in text they say more than the upper ones.
 */
#include "candidates.h"
#include "../suffix_maps.h"

#if defined(NFAC_HAVE_VECTOR) && !defined(__CHECKER__) /* which knows no vectors */

#include "vector.h"

/* probes made together */
#define PROBES		32u
#define PROBES_SMALL	8u

/* Masks of one byte of a pattern, by lower and by upper nibble. */
struct nibbles {
	vec lower, upper;
};

static __always_inline struct nibbles load_nibbles(const u8 *map)
{
	return (struct nibbles){ vec_load_twice(map), vec_load_twice(map + 16) };
}

/*
 * Buckets that have the bytes at @text at this offset: one byte for each of 32 positions. @upper:
 * compare upper nibbles, too.
 */
static __always_inline vec nibble_buckets(const struct nibbles *n, const u8 *text, const bool upper)
{
	vec x = vec_load(text);
	vec found = vec_lookup(n->lower, vec_lower_nibbles(x));

	return upper ? vec_and(found, vec_lookup(n->upper, vec_upper_nibbles(x))) : found;
}

/* Eight q-grams; bits 3 .. 5 of each @next are the lowest bits of the byte behind it. */
struct grams {
	vec gram, next;
};

/* Three bytes apart: four in each half of the vector. */
static __always_inline struct grams load_grams3(const u8 *text)
{
	static const u8 gram[32] = {
		0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12,
		2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14,
	};
	/* of each lane only the lowest byte is used */
	static const u8 next[32] = {
		4, 0, 0, 0, 7, 0, 0, 0, 10, 0, 0, 0, 13, 0, 0, 0,
		6, 0, 0, 0, 9, 0, 0, 0, 12, 0, 0, 0, 15, 0, 0, 0,
	};
	/* the upper half ends with the last byte that is used, so nothing behind it is read */
	vec x = vec_load_halves(text, text + 10);

	return (struct grams){
		vec_lookup(x, vec_load(gram)),
		vec_up32(vec_lookup(x, vec_load(next)), 3),
	};
}

/* Eight q-grams from @text on, @stride bytes apart: one behind the other, or 3. */
static __always_inline struct grams load_grams(const struct nfac_automaton *a, const u8 *text,
					       const u32 stride)
{
	struct grams g;

	if (stride == 3) {
		g = load_grams3(text);
	} else {
		g.gram = vec_load(text);
		g.next = vec_down32(vec_load(text + 1), 21);
	}
	g.gram = vec_or(g.gram, vec_each32((u32)a->fold));
	return g;
}

/* Bit numbers of eight q-grams in their words: nfac_gram_bit(), in 8 bits. */
static __always_inline vec gram_bits(struct grams g, const bool five)
{
	vec bits = vec_down32(g.gram, 24);

	if (!five)
		return bits;
	return vec_xor(bits, vec_and(g.next, vec_each32(56)));
}

/* Load the bytes of the map that hold @bits of the eight @grams. */
static __always_inline vec_eight fetch_grams(const struct nfac_automaton *a, vec grams, vec bits)
{
	/* nfac_gram_word(); its shift is part of the factor */
	vec hash = vec_multiply32(grams, vec_each32(NFAC_GRAM_FACTOR << 8));
	vec word = vec_down32_by(hash, a->gram_shift);
	vec byte = vec_and(vec_down32(bits, 3), vec_each32(7));

	return vec_fetch((const u8 *)a->grams, vec_or(vec_up32(word, 3), byte));
}

/*
 * PROBES probes, @stride bytes apart: all bits of a byte for each q-gram that is not in the map
 * (nfac_gram_test() of each).
 */
static __always_inline vec no_grams(const struct nfac_automaton *a, const u8 *text,
				    const u32 stride, const bool five)
{
	const vec one = vec_each64(0x8040201008040201ull);
	struct grams g0 = load_grams(a, text, stride);
	struct grams g1 = load_grams(a, text + 8 * stride, stride);
	struct grams g2 = load_grams(a, text + 16 * stride, stride);
	struct grams g3 = load_grams(a, text + 24 * stride, stride);
	vec b0 = gram_bits(g0, five), b1 = gram_bits(g1, five);
	vec b2 = gram_bits(g2, five), b3 = gram_bits(g3, five);
	vec bytes = vec_join(fetch_grams(a, g0.gram, b0), fetch_grams(a, g1.gram, b1),
			     fetch_grams(a, g2.gram, b2), fetch_grams(a, g3.gram, b3));
	vec bit = vec_and(vec_pack32(b0, b1, b2, b3), vec_each8(7));

	return vec_zero8(vec_and(bytes, vec_lookup(one, bit)));
}

/* PROBES_SMALL or PROBES probes: a bit for each q-gram that is in the map. */
static __always_inline u32 probe(const struct nfac_automaton *a, const u8 *text,
				 const u32 probes, const u32 stride, const bool five)
{
	if (probes == PROBES)
		return ~vec_mask8(no_grams(a, text, stride, five));
	return nfac_probe8(a, 0, text, stride, five, true);
}

/* Filter configuration; constant in each of the functions made of it. */
struct filter_config {
	u32 stride;
	u32 before;	/* as nfac_automaton's */
	bool five;	/* a probe reads five bytes */
	bool nibble_masks;	/* instead of probes */
	bool upper;	/* compare upper nibbles, too */
};

/* Groups of NFAC_GRAM positions among @text .. @text + 31 that pass the nibble masks. */
static __always_inline u32 nibble_groups32(const u8 *text, const struct nibbles *n,
					   const struct filter_config cfg)
{
	vec front = vec_and(nibble_buckets(&n[0], text, cfg.upper),
			    nibble_buckets(&n[1], text + 1, cfg.upper));
	vec back = vec_and(nibble_buckets(&n[2], text + 2, cfg.upper),
			   nibble_buckets(&n[3], text + 3, cfg.upper));

	return vec_zeros32(vec_and(front, back)) ^ 0xff;
}

/* Positions in a group: the stride, but NFAC_GRAM with the smallest stride. */
static __always_inline u32 group_of(const struct filter_config cfg)
{
	return cfg.stride == 1 ? NFAC_GRAM : cfg.stride;
}

/* Which of @groups groups at @t pass, PROBES or PROBES_SMALL. Reads NFAC_GRAM bytes more. */
static __always_inline u32 probe_groups(const struct nfac_automaton *a, const u8 *t,
					const struct nibbles *n, const struct filter_config cfg,
					const u32 groups)
{
	const u32 group = group_of(cfg);
	u32 i, found = 0;

	if (groups == PROBES)
		nfac_prefetch_text(t, PROBES * group);
	if (cfg.nibble_masks) {
		for (i = 0; i < groups; i += 8)
			found |= nibble_groups32(t + NFAC_GRAM * i, n, cfg) << i;
		return found;
	}
	found = probe(a, t + group - 1, groups, group, cfg.five);
	if (cfg.stride == 1)
		found |= probe(a, t, groups, group, cfg.five) |
			 probe(a, t + 1, groups, group, cfg.five) |
			 probe(a, t + 2, groups, group, cfg.five);
	return found;
}

/*
 * Which of the 2 * PROBES groups of two positions at @t pass. Probes made together are a q-gram
 * apart, so there are two vectors: even and odd groups.
 */
static __always_inline u64 probe_pairs(const struct nfac_automaton *a, const u8 *t,
				       const struct filter_config cfg)
{
	vec even = no_grams(a, t + 1, NFAC_GRAM, cfg.five);
	vec odd = no_grams(a, t + 3, NFAC_GRAM, cfg.five);

	nfac_prefetch_text(t, 2 * PROBES * group_of(cfg));
	return ~vec_mask64_mixed(even, odd);
}

/* nfac_candidates_next(), compiled with this processor's bit counting instructions. */
static noinline size_t batch_next(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, NFAC_GRAM, NFAC_GRAM);
}

static noinline size_t batch_next2(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, 2, 2);
}

static noinline size_t batch_next3(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, 3, 3);
}

static noinline size_t batch_next3_before(const struct nfac_run *run, size_t from)
{
	return nfac_candidates_find(run, from, 3, 4);
}

static __always_inline size_t filter(struct nfac_run *run, size_t from,
				     const struct filter_config cfg)
{
	const struct nfac_automaton *a = run->a;
	const size_t last = run->len - NFAC_GRAM - cfg.before;
	const bool pairs = cfg.stride == 2;
	const u32 group = group_of(cfg), small = PROBES_SMALL * group;
	const u32 wide = (pairs ? 2 * PROBES : PROBES) * group;
	const u8 *text = run->text;
	struct nfac_candidates *batch = run->batch;
	struct nibbles n[NFAC_GRAM];
	size_t pos = from, end, found, at;
	u64 groups;

	if (last < small)
		return nfac_filter_portable(run, from);
	if (cfg.nibble_masks) {
		n[0] = load_nibbles(a->nibble_masks);
		n[1] = load_nibbles(a->nibble_masks + 32);
		n[2] = load_nibbles(a->nibble_masks + 64);
		n[3] = load_nibbles(a->nibble_masks + 96);
	}
	for (; pos < last; pos = batch->to) {
		if (nfac_candidates_first(a, text + pos, cfg.before))
			return pos;
		end = last;
		nfac_candidates_begin(batch, pos, group, cfg.before);
		while (batch->to < end && batch->words < NFAC_CANDIDATES_WORDS) {
			at = batch->to;
			/*
			 * the last probes overlap those before; with nibble masks alone small steps
			 * are cheap
			 */
			if (!pairs && at + 2 * wide <= last) {
				groups = probe_groups(a, text + at, n, cfg, PROBES);
				groups |= (u64)probe_groups(a, text + at + wide, n, cfg, PROBES) <<
					  PROBES;
				nfac_candidates_add(batch, at, at + 2 * wide, groups);
			} else if (last >= wide &&
				   (!cfg.nibble_masks || at + wide <= last)) {
				at = at + wide > last ? last - wide : at;
				groups = pairs ? probe_pairs(a, text + at, cfg) :
						 probe_groups(a, text + at, n, cfg, PROBES);
				groups = nfac_candidates_new(batch, at, groups, group);
				nfac_candidates_add(batch, at, at + wide, groups);
			} else {
				at = at + small > last ? last - small : at;
				groups = probe_groups(a, text + at, n, cfg, PROBES_SMALL);
				groups = nfac_candidates_new(batch, at, groups, group);
				nfac_candidates_add(batch, at, at + small, groups);
			}
			if (at == pos)
				end = nfac_candidates_end(pos, last, groups);
		}
		if (group == 2)
			found = batch_next2(run, from);
		else if (group == 3)
			found = cfg.before ? batch_next3_before(run, from) :
					     batch_next3(run, from);
		else
			found = batch_next(run, from);
		if (found < batch->to)
			return found;
	}
	return last;
}

/*
 * One function for each configuration. As one function GCC 12 made the probes three bytes apart
 * slow at the function's start, and web traffic took a quarter longer.
 */
#define VARIANT(name, ...)						\
static noinline __aligned(64) size_t name(struct nfac_run *run, size_t from) \
{									\
	return filter(run, from, (struct filter_config){ __VA_ARGS__ });	\
}

VARIANT(nibbles, .stride = NFAC_GRAM, .nibble_masks = true, .upper = true)
VARIANT(lower_nibbles, .stride = NFAC_GRAM, .nibble_masks = true)
VARIANT(stride1, .stride = 1)
VARIANT(stride2, .stride = 2)
VARIANT(stride2_five, .stride = 2, .five = true)
VARIANT(stride3, .stride = 3)
VARIANT(stride3_five, .stride = 3, .five = true)
VARIANT(stride3_before, .stride = 3, .before = 1)
VARIANT(stride3_before_five, .stride = 3, .before = 1, .five = true)
VARIANT(stride4, .stride = NFAC_GRAM)
VARIANT(stride4_five, .stride = NFAC_GRAM, .five = true)

size_t nfac_filter_vector(struct nfac_run *run, size_t from)
{
	const struct nfac_automaton *a = run->a;
	const bool five = a->gram_bytes > NFAC_GRAM;

	if (a->nibble_masks)
		return a->nibble_masks_lower ? lower_nibbles(run, from) : nibbles(run, from);
	if (a->before)
		return five ? stride3_before_five(run, from) : stride3_before(run, from);
	if (a->stride == 4)
		return five ? stride4_five(run, from) : stride4(run, from);
	if (a->stride == 3)
		return five ? stride3_five(run, from) : stride3(run, from);
	if (a->stride == 2)
		return five ? stride2_five(run, from) : stride2(run, from);
	return stride1(run, from);
}

/* 32 bytes of text, prepared for tests of membership in byte sets. */
struct byte_class {
	vec x;
	vec lower;	/* lower nibble: index of a byte of the set */
	vec bit;	/* bit in that byte: the upper nibble modulo 8 */
};

static __always_inline struct byte_class classify(const u8 *text)
{
	vec x = vec_load(text);

	return (struct byte_class){
		.x = x,
		.lower = vec_lower_nibbles(x),
		.bit = vec_lookup(vec_each64(0x8040201008040201ull), vec_upper_nibbles(x)),
	};
}

/* Which of them are in @set: all bits of each such byte. */
static __always_inline vec is_in(const struct byte_class *c, const u8 *set)
{
	const struct nibbles n = load_nibbles(set);
	/* the set's halves are for upper nibbles below 8, and from 8 on (the byte's sign) */
	vec bits = vec_choose(c->x, vec_lookup(n.lower, c->lower), vec_lookup(n.upper, c->lower));

	return vec_equal8(vec_and(bits, c->bit), c->bit);
}

u32 nfac_short_vector(const struct nfac_automaton *a, const u8 *end)
{
	const u8 *map = a->short_map + NFAC_SHORT_BUCKETS, *set = map + NFAC_SHORT_NIBBLES;
	const struct nibbles last = load_nibbles(map), second = load_nibbles(map + 32);
	const struct nibbles third = load_nibbles(map + 64);
	const struct byte_class c1 = classify(end - 1), c2 = classify(end - 2);
	const struct byte_class c3 = classify(end - 3);
	vec buckets, two, three;

	/* bytes of different patterns seldom share a bucket */
	buckets = vec_and(vec_and(nibble_buckets(&last, end - 1, true),
				  nibble_buckets(&second, end - 2, true)),
			  nibble_buckets(&third, end - 3, true));
	two = vec_and(is_in(&c1, set + 32), is_in(&c2, set + 64));
	three = vec_and(vec_and(is_in(&c1, set + 96), is_in(&c2, set + 128)),
			is_in(&c3, set + 160));
	/* the buckets of each length, see NFAC_SHORT_OF() */
	two = vec_and(two, vec_each8(0x0e));
	three = vec_and(three, vec_each8(0xf0));
	buckets = vec_and(buckets, vec_or(two, three));
	return ~vec_mask8(vec_zero8(vec_or(buckets, is_in(&c1, set))));
}

/*
 * Candidate ends among @end .. @end + 31: @whole has bits in the bytes of those of whole suffixes,
 * and @brief has bit 7 in the bytes of those of shorter ones.
 */
static __always_inline void suffixes32(const struct nfac_automaton *a, const u8 *end, vec *whole,
				       vec *brief)
{
	const vec one = vec_each64(0x8040201008040201ull);
	const vec factor = vec_each32(NFAC_GRAM_FACTOR);
	const vec fold = vec_each32((u32)a->fold);
	vec last, before, hash, bits = vec_each8(0);
	vec_eight at[4];
	u32 k;

	/* each of four vectors has eight ends that are four bytes apart */
	for (k = 0; k < 4; k++) {
		last = vec_or(vec_load(end + k - 4), fold);
		before = vec_or(vec_load(end + k - 8), fold);
		hash = vec_multiply32(last, factor);
		at[k] = vec_fetch(a->suffixes, vec_down32_by(hash, a->suffix_shift));
		before = vec_add32(vec_multiply32(before, factor), hash);
		/* nfac_suffix_bit() in the upper half, 0 in the lower */
		before = vec_scale32(before, NFAC_SUFFIX_BIT_BRIEF);
		bits = vec_or(bits, k < 2 ? vec_down32(before, 16 - 8 * k) :
					    vec_up32(before, 8 * k - 16));
	}
	/* back in the order of the text */
	last = vec_interleave(at[0], at[1], at[2], at[3]);
	*whole = vec_and(last, vec_lookup(one, bits));
	*brief = last;
}

struct nfac_suffixes nfac_suffixes_vector(const struct nfac_automaton *a, const u8 *end)
{
	vec whole, brief, whole_upper, brief_upper;

	suffixes32(a, end, &whole, &brief);
	suffixes32(a, end + 32, &whole_upper, &brief_upper);
	return (struct nfac_suffixes){
		.whole = ~vec_mask64(vec_zero8(whole), vec_zero8(whole_upper)),
		.brief = vec_signs64(brief, brief_upper),
	};
}

u64 nfac_letter_case_vector(const u8 *text)
{
	/* bit 5 becomes the highest */
	return vec_signs64(vec_up32(vec_load(text), 2), vec_up32(vec_load(text + 32), 2));
}

u32 nfac_next_sign_vector(const u8 *text, u32 from, u32 end)
{
	const vec percent = vec_each8('%'), plus = vec_each8('+');
	u32 found;

	for (; end - from >= 32; from += 32) {
		vec x = vec_load(text + from);

		found = vec_mask8(vec_or(vec_equal8(x, percent), vec_equal8(x, plus)));
		if (found)
			return from + nfac_ctz64(found);
	}
	return from;
}

u32 nfac_fold_vector(u8 *to, const u8 *text, u32 n)
{
	u32 i;

	for (i = 0; i + 32 <= n; i += 32) {
		vec x = vec_load(text + i);
		vec upper = vec_between8(x, 'A', 'Z');

		vec_store(to + i, vec_or(x, vec_and(upper, vec_each8(0x20))));
	}
	return i;
}

u64 nfac_matches_vector(const u16 *states)
{
	return vec_low_bits16(vec_load(states), vec_load(states + 16)) |
	       (u64)vec_low_bits16(vec_load(states + 32), vec_load(states + 48)) << 32;
}

u64 nfac_matches32_vector(const u32 *states)
{
	const int up = 31 - nfac_ctz64(NFAC_DARRAY32_MATCH);
	u64 found = 0;
	u32 i;

	for (i = 0; i < 64; i += 8)
		found |= (u64)vec_signs32(vec_up32(vec_load(states + i), up)) << i;
	return found;
}

#endif
