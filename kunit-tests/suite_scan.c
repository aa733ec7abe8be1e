// SPDX-License-Identifier: GPL-2.0
/*
 * Scans: a packet's bytes in whatever pieces the skb has them, the cap, and the path.
 */

#include <linux/hash.h>
#include <linux/slab.h>

#include "../kmod/skb_scan.h"
#include "help.h"
#include "suites.h"

static struct nfac_budget *scan_budget;

static int scan_suite_init(struct kunit_suite *suite)
{
	scan_budget = nfac_budget_alloc();
	return scan_budget ? 0 : -ENOMEM;
}

static void scan_suite_exit(struct kunit_suite *suite)
{
	if (scan_budget)
		nfac_budget_put(scan_budget);
}

/*
 * What a scan found, as one number that depends on each match; at one end and of one
 * length the order is unspecified.
 */
struct scan_sum {
	struct nfac_scan scan;
	u64 sum;
	s64 last;
	u32 stop_after;
};

static bool scan_found(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset)
{
	struct scan_sum *s = container_of(scan, struct scan_sum, scan);

	s->sum += hash_64(offset * 1000003 + hit->id * 257 + hit->length, 64);
	s->last = offset;
	return !s->stop_after || scan->matches < s->stop_after;
}

static u32 scan_skb(struct scan_sum *s, const struct nfac_load *load, struct sk_buff *skb,
		    u32 from, u32 to)
{
	s->sum = 0;
	nfac_scan_init(&s->scan, &load->automaton, scan_found);
	return nfac_scan_skb(&s->scan, skb, from, to);
}

/* The same bytes in every shape, cut everywhere, any part of them: the same matches. */
static void scan_shapes(struct kunit *test)
{
	static const char text[] = "xxattackxtackleATTACKacid jazzacid testtatatack";
	struct nfac_load *load = help_load(test, scan_budget, "small");
	const u32 len = sizeof(text) - 1;
	enum help_shape shape;
	struct scan_sum a, b;
	u32 head, piece, from, found = 0;

	a.stop_after = 0;
	b.stop_after = 0;
	for (shape = 0; shape < HELP_SHAPES; shape++)
		for (head = 0; head < len; head += 1 + head / 8)
			for (piece = 4; piece < len; piece += 5) {
				struct sk_buff *skb = help_skb(test, text, len, shape, head, piece);

				for (from = 0; from < len; from += 7) {
					struct sk_buff *flat = help_skb(test, text, len,
									HELP_LINEAR, len, 1);
					u32 to = max(from, len - from / 3);

					KUNIT_EXPECT_EQ(test, scan_skb(&a, load, flat, from, to),
							to - from);
					KUNIT_EXPECT_EQ(test, scan_skb(&b, load, skb, from, to),
							to - from);
					KUNIT_EXPECT_EQ(test, a.scan.matches, b.scan.matches);
					KUNIT_EXPECT_EQ(test, a.sum, b.sum);
					found += a.scan.matches;
					kfree_skb(flat);
				}
				kfree_skb(skb);
			}
	KUNIT_EXPECT_GT(test, found, 1000u);
	nfac_load_free(load);
}

/* UDP that is left to be segmented: no match across datagrams, each begins at 0. */
static void scan_datagrams(struct kunit *test)
{
	static const char text[] = "acid jazz.....acid jazz";
	struct nfac_load *load = help_load(test, scan_budget, "small");
	const u32 len = sizeof(text) - 1;
	struct scan_sum s = {};
	struct sk_buff *skb;

	skb = help_skb(test, text, len, HELP_LINEAR, len, 1);
	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	KUNIT_EXPECT_EQ(test, nfac_scan_datagrams(&s.scan, skb, 0, len), len);
	KUNIT_EXPECT_EQ(test, s.scan.matches, 2u);
	KUNIT_EXPECT_EQ(test, s.last, 14ll);

	skb_shinfo(skb)->gso_size = 7;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	KUNIT_EXPECT_EQ(test, nfac_scan_datagrams(&s.scan, skb, 0, len), len);
	KUNIT_EXPECT_EQ(test, s.scan.matches, 0u);

	skb_shinfo(skb)->gso_size = 14;
	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	KUNIT_EXPECT_EQ(test, nfac_scan_datagrams(&s.scan, skb, 0, len), len);
	KUNIT_EXPECT_EQ(test, s.scan.matches, 2u);
	KUNIT_EXPECT_EQ_MSG(test, s.last, 0ll, "from its datagram's first byte");

	/* inside a tunnel: not the payload that was found */
	skb_shinfo(skb)->gso_size = 7;
	skb->encapsulation = 1;
	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	KUNIT_EXPECT_EQ(test, nfac_scan_datagrams(&s.scan, skb, 0, len), len);
	KUNIT_EXPECT_EQ(test, s.scan.matches, 2u);
	kfree_skb(skb);
	nfac_load_free(load);
}

/* More matches than are reported. */
static void scan_cap(struct kunit *test)
{
	struct nfac_load *load = help_load(test, scan_budget, "single");
	u8 *text = kunit_kmalloc(test, 40000, GFP_KERNEL);
	struct scan_sum s = {};

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'x', 40000);
	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	nfac_scan_block(&s.scan, text, NFAC_MATCHES_MAX);
	KUNIT_EXPECT_EQ(test, s.scan.matches, (u32)NFAC_MATCHES_MAX);
	KUNIT_EXPECT_FALSE_MSG(test, s.scan.capped, "just as many as there may be");
	nfac_scan_block(&s.scan, text, 1);
	KUNIT_EXPECT_TRUE(test, s.scan.capped);
	KUNIT_EXPECT_EQ(test, s.scan.matches, (u32)NFAC_MATCHES_MAX);

	nfac_scan_init(&s.scan, &load->automaton, NULL);
	nfac_scan_block(&s.scan, text, 40000);
	KUNIT_EXPECT_TRUE_MSG(test, s.scan.capped, "without a callback too");
	nfac_load_free(load);
}

/* Longer than a piece that is scanned in one go. */
static void scan_long(struct kunit *test)
{
	struct nfac_load *load = help_load(test, scan_budget, "small");
	u32 len = 70000, at;
	u8 *text = kvmalloc(len, GFP_KERNEL);
	struct scan_sum s = {};

	KUNIT_ASSERT_NOT_NULL(test, text);
	/* across the borders of the pieces, wherever they may be */
	for (at = 16384 - 8; at < 16384 + 4; at++) {
		memset(text, '.', len);
		memcpy(text + at, "acid test", 9);
		memcpy(text + 2 * 16384 + at - 16384, "acid jazz", 9);
		nfac_scan_init(&s.scan, &load->automaton, scan_found);
		nfac_scan_block(&s.scan, text, len);
		KUNIT_EXPECT_EQ(test, s.scan.matches, 2u);
		KUNIT_EXPECT_EQ(test, s.last, (s64)at + 16384);
	}
	kvfree(text);
	nfac_load_free(load);
}

static void scan_stop(struct kunit *test)
{
	struct nfac_load *load = help_load(test, scan_budget, "small");
	static const char text[] = "attack, attack, attack";
	struct scan_sum s = { .stop_after = 1 };
	struct nfac_cursor flow;
	struct sk_buff *skb;

	/* linear, and where the walk of the pieces is given up */
	skb = help_skb(test, text, sizeof(text) - 1, HELP_FRAGS, 3, 5);
	KUNIT_EXPECT_EQ(test, scan_skb(&s, load, skb, 0, skb->len), skb->len);
	KUNIT_EXPECT_EQ(test, s.scan.matches, 1u);
	kfree_skb(skb);

	/* a stream's cursor moves on when no more matches are wanted */
	nfac_cursor_init(&flow);
	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	s.scan.cursor = &flow;
	nfac_scan_block(&s.scan, "attack acid", 11);
	KUNIT_EXPECT_EQ(test, s.scan.matches, 1u);
	nfac_scan_block(&s.scan, " te", 3);
	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	s.scan.cursor = &flow;
	nfac_scan_block(&s.scan, "st", 2);
	KUNIT_EXPECT_EQ(test, s.scan.matches, 1u);
	KUNIT_EXPECT_EQ_MSG(test, s.last, -7ll, "it began in an earlier segment");
	nfac_load_free(load);
}

static void scan_limits(struct kunit *test)
{
	struct nfac_load *load = help_load(test, scan_budget, "limits");
	struct scan_sum s = {};

	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	s.scan.protocol = 17;
	s.scan.sport = 53;
	nfac_scan_block(&s.scan, "limit", 5);
	/* not from offset 4, but to 12, and from port 53 */
	KUNIT_EXPECT_EQ(test, s.scan.matches, 2u);

	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	s.scan.protocol = 6;
	s.scan.dport = 81;
	nfac_scan_block(&s.scan, "....", 4);
	nfac_scan_block(&s.scan, "limit", 5);
	/* all but UDP's, and "it" */
	KUNIT_EXPECT_EQ(test, s.scan.matches, 4u);

	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	s.scan.protocol = 6;
	s.scan.dport = 1;
	s.scan.origin = 1000;
	nfac_scan_block(&s.scan, "limit", 5);
	KUNIT_EXPECT_EQ_MSG(test, s.scan.matches, 2u, "from 4 in the stream, to 12 in the packet");

	nfac_scan_init(&s.scan, &load->automaton, scan_found);
	s.scan.protocol = 6;
	s.scan.dport = 1;
	s.scan.origin = 1000;
	s.scan.base = 500;
	nfac_scan_block(&s.scan, "limit", 5);
	KUNIT_EXPECT_EQ_MSG(test, s.scan.matches, 1u, "far behind the beginning of both");
	nfac_load_free(load);
}

/* Each path by its name, as in sysfs; what this CPU has not is refused. */
static void scan_path(struct kunit *test)
{
	struct nfac_load *load = help_load(test, scan_budget, "small");
	struct scan_sum s = {};
	char text[64], want[64];
	enum nfac_path path;

	for (path = 0; path < NFAC_PATH_MAX; path++) {
		int err = help_param_set("path", nfac_path_names[path]);

		KUNIT_EXPECT_EQ(test, err, path <= nfac_path_best() ? 0 : -EOPNOTSUPP);
		if (err)
			continue;
		KUNIT_EXPECT_GT(test, help_param_get("path", text), 0);
		snprintf(want, sizeof(want), "%s\n", nfac_path_names[path]);
		KUNIT_EXPECT_STREQ(test, text, want);
		nfac_scan_init(&s.scan, &load->automaton, scan_found);
		nfac_scan_block(&s.scan, "an attack", 9);
		/* attack, tack, ta by its two ids */
		KUNIT_EXPECT_EQ(test, s.scan.matches, 4u);
	}
	KUNIT_EXPECT_EQ(test, help_param_set("path", "nosuch"), -EINVAL);
	KUNIT_EXPECT_EQ(test, help_param_set("path", "auto\n"), 0);
	KUNIT_EXPECT_GT(test, help_param_get("path", text), 0);
	snprintf(want, sizeof(want), "auto (%s)\n", nfac_path_names[nfac_path_best()]);
	KUNIT_EXPECT_STREQ(test, text, want);
	nfac_load_free(load);
}

static struct kunit_case scan_cases[] = {
	KUNIT_CASE(scan_shapes),
	KUNIT_CASE(scan_datagrams),
	KUNIT_CASE(scan_cap),
	KUNIT_CASE(scan_long),
	KUNIT_CASE(scan_stop),
	KUNIT_CASE(scan_limits),
	KUNIT_CASE(scan_path),
	{}
};

struct kunit_suite suite_scan = {
	.name = "nfac_scan",
	.suite_init = scan_suite_init,
	.suite_exit = scan_suite_exit,
	.test_cases = scan_cases,
};
