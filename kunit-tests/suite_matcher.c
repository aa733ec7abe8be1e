// SPDX-License-Identifier: GPL-2.0
/*
 * The matcher: what it finds is what a search for each pattern by itself finds, in
 * order, wherever the text is cut and whichever path is taken.
 */

#include <linux/in.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../kmod/compat.h"
#include "../kmod/engine/fold.h"
#include "help.h"
#include "suites.h"

#define MATCHER_HITS_MAX	20000

struct matcher_hit {
	s64 end;
	u32 length;
	u32 id;
};

/* @base: of the block under way; @order: ends never went back */
struct matcher_hits {
	struct matcher_hit *hit;
	u32 count;
	s64 base;
	bool order;
};

static struct nfac_budget *matcher_budget;
static struct matcher_hits matcher_want, matcher_got;
static struct nfac_match_memory matcher_memory;

static int matcher_suite_init(struct kunit_suite *suite)
{
	matcher_budget = nfac_budget_alloc();
	matcher_want.hit = kvcalloc(MATCHER_HITS_MAX, sizeof(*matcher_want.hit), GFP_KERNEL);
	matcher_got.hit = kvcalloc(MATCHER_HITS_MAX, sizeof(*matcher_got.hit), GFP_KERNEL);
	return matcher_budget && matcher_want.hit && matcher_got.hit ? 0 : -ENOMEM;
}

static void matcher_suite_exit(struct kunit_suite *suite)
{
	kvfree(matcher_got.hit);
	kvfree(matcher_want.hit);
	if (matcher_budget)
		nfac_budget_put(matcher_budget);
}

static void matcher_add(struct matcher_hits *hits, s64 end, u32 length, u32 id)
{
	if (hits->count < MATCHER_HITS_MAX)
		hits->hit[hits->count] = (struct matcher_hit){ end, length, id };
	hits->count++;
}

static bool matcher_found(void *ctx, const struct nfac_hit *hit)
{
	struct matcher_hits *hits = ctx;
	s64 end = hits->base + hit->end;

	if (hits->count && hits->count < MATCHER_HITS_MAX) {
		const struct matcher_hit *last = &hits->hit[hits->count - 1];

		/* by their ends, and at one end the longest first */
		if (end < last->end || (end == last->end && hit->length > last->length))
			hits->order = false;
	}
	matcher_add(hits, end, hit->length, hit->id);
	return true;
}

/* At one end and of one length the order is unspecified. */
static int matcher_compare(const void *a, const void *b)
{
	const struct matcher_hit *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->length != y->length)
		return x->length > y->length ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void matcher_sort(struct matcher_hits *hits)
{
	sort(hits->hit, min_t(u32, hits->count, MATCHER_HITS_MAX), sizeof(*hits->hit),
	     matcher_compare, NULL);
}

static bool matcher_equal(const u8 *a, const u8 *b, u32 n, bool nocase)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i] && !(nocase && nfac_fold1(a[i]) == nfac_fold1(b[i])))
			return false;
	return true;
}

/* The oracle: each pattern at each position. */
static void matcher_search(const struct help_set *set, const u8 *text, u32 len)
{
	const u8 *bytes = set->text;
	u32 i, at;

	matcher_want.count = 0;
	for (i = 0; i < set->count; bytes += set->patterns[i++].length) {
		const struct help_pattern *p = &set->patterns[i];

		for (at = 0; at + p->length <= len; at++)
			if (matcher_equal(text + at, bytes, p->length, p->nocase))
				matcher_add(&matcher_want, at + p->length, p->length, p->id);
	}
	matcher_sort(&matcher_want);
}

static void matcher_block(const struct nfac_automaton *a, struct nfac_cursor *cursor,
			  const u8 *text, u32 len, enum nfac_path path)
{
	struct nfac_simd state;
	bool simd = path >= NFAC_PATH_VECTOR && nfac_simd_begin(&state);

	if (path >= NFAC_PATH_VECTOR && !simd)
		path = NFAC_PATH_PORTABLE;
	nfac_match_block(&matcher_memory, a, cursor, text, len, path, matcher_found, &matcher_got);
	if (simd)
		nfac_simd_end(&state);
	matcher_got.base += len;
}

static void matcher_begin(struct nfac_cursor *cursor)
{
	nfac_cursor_init(cursor);
	matcher_got.count = 0;
	matcher_got.base = 0;
	matcher_got.order = true;
}

static bool matcher_same(struct kunit *test, const struct help_set *set, const char *how,
			 u32 cut)
{
	bool same = matcher_got.count == matcher_want.count && matcher_got.order;

	KUNIT_EXPECT_TRUE_MSG(test, matcher_got.order, "set %s, %s %u: out of order", set->name,
			      how, cut);
	KUNIT_EXPECT_LE(test, matcher_want.count, (u32)MATCHER_HITS_MAX);
	matcher_sort(&matcher_got);
	if (same)
		same = !memcmp(matcher_got.hit, matcher_want.hit,
			       matcher_want.count * sizeof(*matcher_want.hit));
	KUNIT_EXPECT_TRUE_MSG(test, same, "set %s, %s %u: %u matches, wanted %u", set->name, how,
			      cut, matcher_got.count, matcher_want.count);
	return same;
}

/* One text, whole and in pieces, on each path. */
static void matcher_text(struct kunit *test, const struct help_set *set,
			 const struct nfac_automaton *a, const u8 *text, u32 len)
{
	static const u32 pieces[] = { 1, 2, 3, 5, 7, 8, 13, 31, 64, 100 };
	struct nfac_cursor cursor;
	u32 cut, cuts = min(len, 200u), i;
	enum nfac_path path;

	matcher_search(set, text, len);
	for (path = 0; path <= nfac_path_best(); path++) {
		matcher_begin(&cursor);
		matcher_block(a, &cursor, text, len, path);
		if (!matcher_same(test, set, nfac_path_names[path], 0))
			return;
		for (cut = 0; cut <= cuts; cut++) {
			matcher_begin(&cursor);
			matcher_block(a, &cursor, text, cut, path);
			matcher_block(a, &cursor, text + cut, len - cut, path);
			if (!matcher_same(test, set, "cut at", cut))
				return;
		}
		for (i = 0; i < ARRAY_SIZE(pieces); i++) {
			matcher_begin(&cursor);
			for (cut = 0; cut < len; cut += pieces[i])
				matcher_block(a, &cursor, text + cut,
					      min(pieces[i], len - cut), path);
			if (!matcher_same(test, set, "pieces of", pieces[i]))
				return;
		}
		cond_resched();
	}
}

/* A text in memory that ends where it ends, at any alignment. */
static void matcher_copy(struct kunit *test, const struct help_set *set,
			 const struct nfac_automaton *a, const u8 *text, u32 len, u32 align)
{
	u8 *copy = kmalloc(len + align, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy + align, text, len);
	matcher_text(test, set, a, copy + align, len);
	kfree(copy);
}

static u32 matcher_number(u32 *seed, u32 below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (u64)*seed * below >> 32;
}

/* Has it another case? */
static bool matcher_letter(u8 c)
{
	return (c | 0x20) - 'a' < 26u;
}

#define MATCHER_TEXT	600u

/*
 * Texts that come from the patterns: themselves, their halves glued together, their
 * bytes at random, and all of it in the other case.
 */
static void matcher_set(struct kunit *test, const char *name)
{
	const struct help_set *set = help_set(test, name);
	struct nfac_load *load = help_load(test, matcher_budget, name);
	const struct nfac_automaton *a = &load->automaton;
	u8 *text = kunit_kmalloc(test, MATCHER_TEXT, GFP_KERNEL);
	u32 i, n, round, seed = 7, longest = 0;

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < set->count; i++)
		longest = max(longest, set->patterns[i].length);
	matcher_text(test, set, a, set->text, min_t(u32, set->text_size, 1500));
	for (round = 0; round < 8; round++) {
		for (n = 0; n < MATCHER_TEXT;) {
			u32 from = matcher_number(&seed, set->text_size);
			u32 len = 1 + matcher_number(&seed, round & 1 ? 12 : 2);

			len = min3(len, MATCHER_TEXT - n, (u32)set->text_size - from);
			memcpy(text + n, set->text + from, len);
			n += len;
		}
		/* past 128 bytes a cut text's letter case is not checked again: see matcher.h */
		if (round & 2 && longest < 128)
			for (n = 0; n < MATCHER_TEXT; n++)
				if (matcher_letter(text[n]) && matcher_number(&seed, 2))
					text[n] ^= 0x20;
		matcher_copy(test, set, a, text, MATCHER_TEXT - round * 3, round);
	}
	nfac_load_free(load);
}

/* Many times what a period may be, and what lanes take at once. */
#define MATCHER_REPEATS	1400u

/*
 * @period bytes again and again: a beginning of a pattern, or one of which a part, @before, is
 * at the period's end. Then the other case, and a byte that is another.
 */
static void matcher_repeat(const struct help_set *set, u8 *text, u32 period, u32 before,
			   u32 *seed)
{
	const u8 *bytes = set->text;
	u32 i, n = matcher_number(seed, set->count), broken;

	for (i = 0; i < n; i++)
		bytes += set->patterns[i].length;
	n = min(set->patterns[n].length, period);
	/* a block's first bytes have no gram: it begins behind them */
	memset(text, '.', NFAC_GRAM - 1 + period);
	for (i = 0; i < n; i++)
		text[NFAC_GRAM - 1 + (period - before + i) % period] = bytes[i];
	for (i = NFAC_GRAM - 1 + period; i < MATCHER_REPEATS; i++)
		text[i] = text[i - period];
	broken = matcher_number(seed, MATCHER_REPEATS);
	if (*seed & 0x10000)
		text[broken] ^= 1;
	if (*seed & 0x20000)
		for (i = 0; i < broken; i++)
			if (matcher_letter(text[i]))
				text[i] ^= 0x20;
}

/*
 * Periods that match but for their letter case, and then the same with a short pattern behind the
 * position up to which all matches were reported.
 */
static void matcher_repeat_short(u8 *text)
{
	u32 i;

	memset(text, 'z', MATCHER_REPEATS);
	for (i = 0; i + 24 <= MATCHER_REPEATS; i += 24) {
		memcpy(text + i, "klmno", 5);
		if (i > 4 * 24)
			text[i + 12] = '-';
	}
}

/* Texts that repeat themselves, with a match in each period, in some, or in none. */
static void matcher_repeats(struct kunit *test, const char *name)
{
	static const u32 periods[] = {
		1, 1, 2, 3, 3, 4, 5, 8, 12, 31, 64, 65, 80, 128, 256, 256, 320, 320, 384, 384,
	};
	const struct help_set *set = help_set(test, name);
	struct nfac_load *load = help_load(test, matcher_budget, name);
	u8 *text = kunit_kmalloc(test, MATCHER_REPEATS, GFP_KERNEL);
	u32 i, seed = 11;

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < 4 * ARRAY_SIZE(periods); i++) {
		u32 period = periods[i / 4];

		matcher_repeat(set, text, period, min(period, i % 4), &seed);
		matcher_copy(test, set, &load->automaton, text, MATCHER_REPEATS - i, i % 8);
	}
	matcher_repeat_short(text);
	matcher_text(test, set, &load->automaton, text, MATCHER_REPEATS);
	nfac_load_free(load);
}

/* A start depends on the bytes ahead: a text repeats itself up to where it becomes one. */
static void matcher_ahead(struct kunit *test, const char *name)
{
	const struct help_set *set = help_set(test, name);
	struct nfac_load *load = help_load(test, matcher_budget, name);
	u8 *text = kunit_kmalloc(test, MATCHER_REPEATS, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < MATCHER_REPEATS; i++)
		text[i] = "abcdefgh"[i % 8];
	for (i = 7; i < 40 * 8; i += 8) {
		text[i] = 'X';
		matcher_text(test, set, &load->automaton, text, i + 13);
		text[i] = 'h';
	}
	nfac_load_free(load);
}

/*
 * Patterns of four bytes at each place of a block, which probes meet from a byte before them on:
 * where a block or a batch begins there is none.
 */
static void matcher_sparse(struct kunit *test, const char *name)
{
	const struct help_set *set = help_set(test, name);
	struct nfac_load *load = help_load(test, matcher_budget, name);
	u8 *text = kunit_kmalloc(test, MATCHER_TEXT, GFP_KERNEL);
	struct nfac_cursor cursor;
	enum nfac_path path;
	u32 at, len;

	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_EQ(test, load->automaton.before, 1);
	for (at = 0; at + 12 <= MATCHER_TEXT; at++) {
		memset(text, '-', MATCHER_TEXT);
		memcpy(text + at, "1234", 4);
		if (at % 3)
			memcpy(text + at + 4 + at % 5, "1234", 4);
		for (len = MATCHER_TEXT; len; len = len > at + 12 ? at + 4 + at % 9 : 0) {
			matcher_search(set, text, len);
			for (path = 0; path <= nfac_path_best(); path++) {
				matcher_begin(&cursor);
				matcher_block(&load->automaton, &cursor, text, len, path);
				if (!matcher_same(test, set, nfac_path_names[path], at))
					goto out;
			}
		}
		cond_resched();
	}
out:
	nfac_load_free(load);
}

#define MATCHER_CASE_OF(texts, name) \
static void matcher_##name(struct kunit *test) \
{ \
	texts(test, #name); \
}

#define MATCHER_CASE(name) MATCHER_CASE_OF(matcher_set, name)

MATCHER_CASE_OF(matcher_ahead, ahead_starts)
MATCHER_CASE_OF(matcher_ahead, ahead_failures)
MATCHER_CASE_OF(matcher_repeats, padded)
MATCHER_CASE_OF(matcher_repeats, flat_padded)
MATCHER_CASE_OF(matcher_repeats, flat32_padded)
MATCHER_CASE(nested)
MATCHER_CASE(classic)
MATCHER_CASE(overlapping)
MATCHER_CASE(duplicates)
MATCHER_CASE(zeros)
MATCHER_CASE(single)
MATCHER_CASE(alphabet)
MATCHER_CASE(wide)
MATCHER_CASE(mixed)
MATCHER_CASE(exact)
MATCHER_CASE(longs)
MATCHER_CASE(limits)
MATCHER_CASE(small)
MATCHER_CASE(plain)
MATCHER_CASE(short_patterns)
MATCHER_CASE(words)
MATCHER_CASE_OF(matcher_sparse, before)
MATCHER_CASE_OF(matcher_sparse, flat_before)
MATCHER_CASE(flat)
MATCHER_CASE(flat_mixed)
MATCHER_CASE(flat_words)
MATCHER_CASE(flat32)
MATCHER_CASE(flat32_mixed)
MATCHER_CASE(flat32_words)

/* A few matches spelled out, so that the oracle is not alone. */
static void matcher_spelled(struct kunit *test)
{
	static const struct matcher_hit want[] = {
		{ 4, 3, 2 }, { 4, 2, 1 }, { 5, 5, 6 }, { 6, 6, 5 }, { 6, 4, 4 },
	};
	struct nfac_load *load = help_load(test, matcher_budget, "classic");
	struct nfac_cursor cursor;

	matcher_begin(&cursor);
	matcher_block(&load->automaton, &cursor, "ushers", 6, NFAC_PATH_PORTABLE);
	KUNIT_EXPECT_EQ(test, matcher_got.count, (u32)ARRAY_SIZE(want));
	matcher_sort(&matcher_got);
	KUNIT_EXPECT_EQ(test, memcmp(matcher_got.hit, want, sizeof(want)), 0);
	nfac_load_free(load);
}

static void matcher_empty(struct kunit *test)
{
	struct nfac_load *load = help_load(test, matcher_budget, "classic");
	struct nfac_cursor cursor;
	enum nfac_path path;

	for (path = 0; path <= NFAC_PATH_PORTABLE; path++) {
		matcher_begin(&cursor);
		matcher_block(&load->automaton, &cursor, "us", 2, path);
		matcher_block(&load->automaton, &cursor, NULL, 0, path);
		matcher_block(&load->automaton, &cursor, "he", 2, path);
		KUNIT_EXPECT_EQ(test, matcher_got.count, 2u);
	}
	nfac_load_free(load);
}

static bool matcher_once(void *ctx, const struct nfac_hit *hit)
{
	++*(u32 *)ctx;
	return false;
}

/* A callback that returned false is not called again, and the cursor moves on even so. */
static void matcher_stop(struct kunit *test)
{
	struct nfac_load *load = help_load(test, matcher_budget, "nested");
	struct nfac_cursor cursor;
	enum nfac_path path;
	u32 calls;

	for (path = 0; path <= NFAC_PATH_PORTABLE; path++) {
		nfac_cursor_init(&cursor);
		calls = 0;
		KUNIT_EXPECT_EQ(test, nfac_match_block(&matcher_memory, &load->automaton, &cursor,
						       "defdefabcdefg", 13, path, matcher_once,
						       &calls), 1ull);
		KUNIT_EXPECT_EQ(test, calls, 1u);
		matcher_got.count = 0;
		matcher_got.base = 13;
		matcher_got.order = true;
		matcher_block(&load->automaton, &cursor, "hij", 3, path);
		/* cdefgh, bcdefghi, abcdefghij, ghij: they began before */
		KUNIT_EXPECT_EQ(test, matcher_got.count, 4u);
	}
	nfac_load_free(load);
}

struct matcher_limit {
	u32 offset, end, protocol, low, high;
	bool source;
	s64 at;			/* of the hit's end, behind the base */
	u8 proto;
	u16 sport, dport;
	bool allowed;
};

static const struct matcher_limit matcher_limit_cases[] = {
	{ .at = 4, .allowed = true },
	{ .offset = 10, .at = 14, .allowed = true },
	{ .offset = 10, .at = 13 },
	{ .end = 14, .at = 14, .allowed = true },
	{ .end = 14, .at = 15 },
	/* a match that began before the payload is before any offset */
	{ .offset = 1, .at = 2 },
	{ .protocol = IPPROTO_TCP, .at = 4, .proto = IPPROTO_TCP, .allowed = true },
	{ .protocol = IPPROTO_TCP, .at = 4, .proto = IPPROTO_UDP },
	{ .protocol = IPPROTO_TCP, .at = 4, .proto = 0, .allowed = true },
	{ .offset = 10, .at = 13, .proto = IPPROTO_UDP },
	{ .end = 14, .at = 15, .proto = IPPROTO_TCP },
	/* an ICMP message's header is before its payload */
	{ .offset = 10, .at = 13, .proto = IPPROTO_ICMP, .allowed = true },
	{ .end = 14, .at = 15, .proto = IPPROTO_ICMP, .allowed = true },
	{ .protocol = IPPROTO_ICMP, .end = 14, .at = 15, .proto = IPPROTO_ICMP },
	{ .low = 80, .high = 90, .at = 4, .proto = 6, .dport = 80, .allowed = true },
	{ .low = 80, .high = 90, .at = 4, .proto = 6, .dport = 90, .allowed = true },
	{ .low = 80, .high = 90, .at = 4, .proto = 6, .dport = 79, .sport = 80 },
	{ .low = 80, .high = 90, .at = 4, .proto = 6, .dport = 91 },
	{ .low = 80, .high = 90, .source = true, .at = 4, .proto = 6, .sport = 85,
	  .allowed = true },
	{ .low = 80, .high = 90, .source = true, .at = 4, .proto = 6, .dport = 85 },
};

static void matcher_allowed(struct kunit *test)
{
	struct nfac_hit hit = { .id = 1, .length = 4, .end = 4 };
	u32 i;

	KUNIT_EXPECT_TRUE(test, nfac_hit_allowed(&hit, 0, 0, 0, 0));
	for (i = 0; i < ARRAY_SIZE(matcher_limit_cases); i++) {
		const struct matcher_limit *c = &matcher_limit_cases[i];
		struct nfac_blob_limits limits = {
			.offset = cpu_to_le32(c->offset),
			.end = cpu_to_le32(c->end),
			.protocol = cpu_to_le32(c->protocol |
						(c->source ? NFAC_LIMIT_SOURCE : 0)),
			.ports = cpu_to_le32(c->low | c->high << 16),
		};

		hit.limits = (const __le32 *)&limits;
		hit.end = c->at;
		KUNIT_EXPECT_EQ_MSG(test, nfac_hit_allowed(&hit, 0, c->proto, c->sport, c->dport),
				    c->allowed, "case %u", i);
		/* the same, 100 bytes further on in a later block */
		hit.end = c->at - 100;
		KUNIT_EXPECT_EQ_MSG(test, nfac_hit_allowed(&hit, 100, c->proto, c->sport, c->dport),
				    c->allowed, "case %u", i);
	}
}

/* Each bit of a word that has all kinds of neighbours, and what stood before it moves up. */
static void matcher_append_bit(struct kunit *test)
{
	const u64 word = 0x8000c0d1b3f70001ull;
	u64 bits = 0x8000000000000001ull;
	u32 n;

	for (n = 0; n < 256; n++) {
		u64 want = bits << 1 | (word >> n % 64 & 1);

		bits = nfac_append_bit(bits, word, n);
		KUNIT_ASSERT_EQ_MSG(test, bits, want, "bit %u", n);
	}
}

static struct kunit_case matcher_cases[] = {
	KUNIT_CASE(matcher_append_bit),
	KUNIT_CASE(matcher_spelled),
	KUNIT_CASE(matcher_nested),
	KUNIT_CASE(matcher_classic),
	KUNIT_CASE(matcher_overlapping),
	KUNIT_CASE(matcher_duplicates),
	KUNIT_CASE(matcher_zeros),
	KUNIT_CASE(matcher_single),
	KUNIT_CASE(matcher_alphabet),
	KUNIT_CASE(matcher_wide),
	KUNIT_CASE(matcher_mixed),
	KUNIT_CASE(matcher_exact),
	KUNIT_CASE(matcher_longs),
	KUNIT_CASE(matcher_limits),
	KUNIT_CASE(matcher_small),
	KUNIT_CASE(matcher_plain),
	KUNIT_CASE(matcher_short_patterns),
	KUNIT_CASE(matcher_padded),
	KUNIT_CASE(matcher_ahead_starts),
	KUNIT_CASE(matcher_ahead_failures),
	KUNIT_CASE(matcher_words),
	KUNIT_CASE(matcher_before),
	KUNIT_CASE(matcher_flat_before),
	KUNIT_CASE(matcher_flat),
	KUNIT_CASE(matcher_flat_mixed),
	KUNIT_CASE(matcher_flat_padded),
	KUNIT_CASE(matcher_flat_words),
	KUNIT_CASE(matcher_flat32),
	KUNIT_CASE(matcher_flat32_mixed),
	KUNIT_CASE(matcher_flat32_padded),
	KUNIT_CASE(matcher_flat32_words),
	KUNIT_CASE(matcher_empty),
	KUNIT_CASE(matcher_stop),
	KUNIT_CASE(matcher_allowed),
	{}
};

struct kunit_suite suite_matcher = {
	.name = "nfac_matcher",
	.suite_init = matcher_suite_init,
	.suite_exit = matcher_suite_exit,
	.test_cases = matcher_cases,
};
