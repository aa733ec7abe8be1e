// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: which attachments a BPF program's call reaches, in which order, and what it learns.
 *
 * The calls are those of nfac_bpf.ko, with skbs of all shapes. No program runs here: on user-mode
 * Linux none can call a module.
 */

#include <linux/netdevice.h>

#include "../kmod/program.h"
#include "help_hook.h"
#include "suites.h"

static struct help_packet pkt;
static struct nfac_set *program_set;

static int program_init(struct kunit *test)
{
	program_set = help_set_in_force(test, "kunit", "small");
	nfac_program_ready(true);
	return 0;
}

static void program_exit(struct kunit *test)
{
	nfac_program_ready(false);
	help_set_gone(program_set);
}

static struct nfac_attachment *program_attach(struct kunit *test, u32 hook, u32 flags, s32 priority)
{
	struct nfac_ioc_attach want = {
		.name = "kunit", .iif = "lo", .hook = hook, .flags = flags, .priority = priority,
	};
	struct nfac_attachment *att = help_attach(&want);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(att), "%ld", PTR_ERR(att));
	return att;
}

/* Call with the packet in @shape, as a program on @dev. */
static int program_call(struct kunit *test, struct net_device *dev, enum help_shape shape, u32 hook,
			u32 id, struct nfac_bpf_match *match)
{
	const u32 head = shape == HELP_LINEAR ? pkt.len : 11;
	struct sk_buff *skb = help_skb(test, pkt.bytes, pkt.len, shape, head, 7);
	int verdict;

	skb->protocol = htons(pkt.family == AF_INET6 ? ETH_P_IPV6 : ETH_P_IP);
	skb->dev = dev;
	verdict = nfac_program_inspect(skb, dev, hook, NFAC_PROGRAM_RECEIVES, id, match);
	kfree_skb(skb);
	return verdict;
}

/* Each shape of packet has the same verdict and match. */
static void program_match(struct kunit *test)
{
	struct nfac_attachment *att = program_attach(test, NFAC_HOOK_XDP, NFAC_ATTACH_DROP, 0);
	struct nfac_bpf_match match;
	enum help_shape shape;

	for (shape = 0; shape < HELP_SHAPES; shape++) {
		help_udp6(&pkt, "an attack");
		KUNIT_EXPECT_EQ(test, program_call(test, init_net.loopback_dev, shape,
						   NFAC_HOOK_XDP, 0, &match), NFAC_VERDICT_DROP);
		KUNIT_EXPECT_EQ(test, match.attachment, att->want.id);
		/* attack, tack, ta twice; which ends first */
		KUNIT_EXPECT_EQ(test, match.matches, 4u);
		KUNIT_EXPECT_EQ(test, match.offset, 5ll);
		KUNIT_EXPECT_EQ(test, match.length, 2u);
		KUNIT_EXPECT_EQ(test, match.skips, 0u);
		help_udp6(&pkt, "nothing of the kind");
		KUNIT_EXPECT_EQ(test, program_call(test, init_net.loopback_dev, shape,
						   NFAC_HOOK_XDP, 0, &match), NFAC_VERDICT_ACCEPT);
		KUNIT_EXPECT_EQ(test, match.matches, 0u);
		KUNIT_EXPECT_EQ(test, match.attachment, 0u);
	}
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_PACKETS), 2ull * HELP_SHAPES);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_DROPPED_PACKETS), (u64)HELP_SHAPES);
	help_detach(att);
}

/* By id, by device and hook, or none. */
static void program_finds(struct kunit *test)
{
	struct nfac_attachment *xdp = program_attach(test, NFAC_HOOK_XDP, 0, 0);
	struct nfac_attachment *tc = program_attach(test, NFAC_HOOK_TC, NFAC_ATTACH_DROP, 0);
	struct net_device *lo = init_net.loopback_dev, *other;
	struct nfac_bpf_match match;

	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	dev_net_set(other, &init_net);
	help_tcp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, program_call(test, lo, 0, NFAC_HOOK_XDP, 0, &match),
			NFAC_VERDICT_ACCEPT);
	KUNIT_EXPECT_EQ(test, match.attachment, xdp->want.id);
	KUNIT_EXPECT_EQ(test, program_call(test, lo, 0, NFAC_HOOK_TC, 0, &match),
			NFAC_VERDICT_DROP);
	KUNIT_EXPECT_EQ(test, match.attachment, tc->want.id);
	KUNIT_EXPECT_EQ_MSG(test, program_call(test, lo, 0, NFAC_HOOK_XDP, tc->want.id, &match),
			    -ENOENT, "another hook's");
	KUNIT_EXPECT_EQ(test, match.attachment, 0u);
	KUNIT_EXPECT_EQ(test, program_call(test, other, 0, NFAC_HOOK_TC, 0, &match), -ENOENT);
	KUNIT_EXPECT_EQ_MSG(test, program_call(test, other, 0, NFAC_HOOK_TC, tc->want.id, &match),
			    NFAC_VERDICT_DROP, "an id is good for all devices");
	help_detach(tc);
	KUNIT_EXPECT_EQ(test, program_call(test, lo, 0, NFAC_HOOK_TC, 0, &match), -ENOENT);
	help_detach(xdp);
}

/* Lower priorities first, until one drops; the first match of all is kept. */
static void program_order(struct kunit *test)
{
	struct nfac_attachment *late = program_attach(test, NFAC_HOOK_TC, 0, 10);
	struct nfac_attachment *early = program_attach(test, NFAC_HOOK_TC, 0, -10);
	struct nfac_attachment *drops = program_attach(test, NFAC_HOOK_TC, NFAC_ATTACH_DROP, 5);
	struct nfac_bpf_match match;

	help_tcp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, program_call(test, init_net.loopback_dev, 0, NFAC_HOOK_TC, 0, &match),
			NFAC_VERDICT_DROP);
	KUNIT_EXPECT_EQ(test, match.attachment, early->want.id);
	KUNIT_EXPECT_EQ(test, match.matches, 8u);
	KUNIT_EXPECT_EQ(test, help_count(late, NFAC_COUNT_PACKETS), 0ull);
	help_detach(drops);
	KUNIT_EXPECT_EQ(test, program_call(test, init_net.loopback_dev, 0, NFAC_HOOK_TC, 0, &match),
			NFAC_VERDICT_ACCEPT);
	KUNIT_EXPECT_EQ(test, help_count(late, NFAC_COUNT_PACKETS), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(early, NFAC_COUNT_PACKETS), 2ull);
	help_detach(early);
	help_detach(late);
}

static void program_skips(struct kunit *test)
{
	struct nfac_attachment *att = program_attach(test, NFAC_HOOK_XDP, NFAC_ATTACH_SKIP_DROP, 0);
	struct nfac_bpf_match match;

	help_tcp4(&pkt, "an attack");
	pkt.len -= 4;
	KUNIT_EXPECT_EQ(test,
			program_call(test, init_net.loopback_dev, 0, NFAC_HOOK_XDP, 0, &match),
			NFAC_VERDICT_DROP);
	KUNIT_EXPECT_EQ(test, match.skips, (u32)BIT(NFAC_SKIP_TRUNCATED));
	KUNIT_EXPECT_EQ(test, match.matches, 0u);
	help_detach(att);
}

/* nfac_bpf.ko is not there. */
static void program_impossible(struct kunit *test)
{
	const struct nfac_ioc_attach want = { .name = "kunit", .iif = "lo", .hook = NFAC_HOOK_XDP };

	nfac_program_ready(false);
	KUNIT_EXPECT_EQ(test, PTR_ERR(help_attach(&want)), (long)-EOPNOTSUPP);
}

static struct kunit_case program_cases[] = {
	KUNIT_CASE(program_match),
	KUNIT_CASE(program_finds),
	KUNIT_CASE(program_order),
	KUNIT_CASE(program_skips),
	KUNIT_CASE(program_impossible),
	{}
};

struct kunit_suite suite_program = {
	.name = "nfac_program",
	.init = program_init,
	.exit = program_exit,
	.test_cases = program_cases,
};
