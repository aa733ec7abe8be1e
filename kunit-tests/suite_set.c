// SPDX-License-Identifier: GPL-2.0
/*
 * Sets and attachments: names, holders, limits, and failures that leave nothing.
 */

#include <linux/delay.h>
#include <linux/in.h>

#include "../kmod/search_api.h"
#include "help_hook.h"
#include "suites.h"

static void set_names(struct kunit *test)
{
	static const char *const good[] = { "a", "web", "a.b", "...", "~!@#", "-", "\"",
		"0123456789012345678901234567890" };
	static const char *const bad[] = { "", ".", "..", "a/b", "/", " ", "a b", "a\n", "\x7f",
		"\x80", "\xff", "\t" };
	char name[NFAC_NAME_LEN];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		strscpy_pad(name, good[i], sizeof(name));
		KUNIT_EXPECT_TRUE_MSG(test, nfac_set_name_valid(name), "%s", name);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		strscpy_pad(name, bad[i], sizeof(name));
		KUNIT_EXPECT_FALSE_MSG(test, nfac_set_name_valid(name), "bad %u", i);
	}
	memset(name, 'x', sizeof(name));
	KUNIT_EXPECT_FALSE_MSG(test, nfac_set_name_valid(name), "without an end");
}

static void set_order(struct kunit *test)
{
	static const char *const names[] = { "mail", "web", "a", "zz", "mail2" };
	static const char *const sorted[] = { "a", "mail", "mail2", "web", "zz" };
	struct nfac_net *nn = nfac_net(&init_net);
	struct nfac_set *set[5], *at;
	const char *after = "";
	u32 i;

	for (i = 0; i < 5; i++)
		set[i] = help_set_in_force(test, names[i], "short_patterns");
	mutex_lock(&nn->lock);
	for (i = 0; i < 5; i++) {
		at = nfac_set_after(nn, after);
		KUNIT_ASSERT_NOT_NULL(test, at);
		KUNIT_EXPECT_STREQ(test, at->name, sorted[i]);
		KUNIT_EXPECT_PTR_EQ(test, nfac_set_find(nn, sorted[i]), at);
		after = sorted[i];
	}
	KUNIT_EXPECT_PTR_EQ(test, nfac_set_after(nn, "zz"), NULL);
	KUNIT_EXPECT_PTR_EQ(test, nfac_set_find(nn, "mai"), NULL);
	KUNIT_EXPECT_EQ(test, nn->set_count, 5u);
	mutex_unlock(&nn->lock);
	for (i = 0; i < 5; i++)
		help_set_gone(set[i]);
	KUNIT_EXPECT_EQ(test, nn->set_count, 0u);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&nn->budget->used), 0ll);
}

/* What is counted while the sampler waits for the lock was not counted in less time. */
static void set_rates(struct kunit *test)
{
	struct nfac_set *set = help_set_in_force(test, "rates", "short_patterns");
	struct nfac_net *nn = nfac_net(&init_net);

	flush_delayed_work(&nn->sampler);
	mutex_lock(&nn->lock);
	set->packet_rate.time_ns -= NSEC_PER_SEC;
	mod_delayed_work(system_power_efficient_wq, &nn->sampler, 0);
	msleep(MSEC_PER_SEC);
	nfac_stats_add(set->stats, NFAC_COUNT_PACKETS, 1000);
	mutex_unlock(&nn->lock);
	flush_delayed_work(&nn->sampler);
	KUNIT_EXPECT_GE(test, set->packet_rate.last, 1000ull);
	KUNIT_EXPECT_LT(test, set->packet_rate.per_second, 600ull);
	help_set_gone(set);
}

static void set_full(struct kunit *test)
{
	struct nfac_net *nn = nfac_net(&init_net);
	unsigned int nth;

	mutex_lock(&nn->lock);
	nn->set_count = NFAC_SETS_MAX;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(nfac_set_create(nn, "more")), -ENOSPC);
	nn->set_count = 0;
	for (nth = 1; nth <= 2; nth++) {
		help_fault_at(nth);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(nfac_set_create(nn, "more")), -ENOMEM);
		KUNIT_EXPECT_TRUE(test, help_fault_end());
	}
	KUNIT_EXPECT_EQ(test, nn->set_count, 0u);
	KUNIT_EXPECT_TRUE(test, list_empty(&nn->sets));
	mutex_unlock(&nn->lock);
}

/* Offset of the first match's end in the bytes @from .. @to of the packet, or -1. */
static s64 set_search(struct nfac_set *set, const struct sk_buff *skb, u32 from, u32 to)
{
	struct nfac_payload payload = { .to = skb->len, .protocol = IPPROTO_UDP };
	struct nfac_search search;

	if (!nfac_search_begin(&search, set))
		return -2;
	if (!nfac_search_skb(&search, skb, &payload, from, to)) {
		nfac_search_end(&search);
		return -3;
	}
	return nfac_search_end(&search) ? search.end : -1;
}

/* A rule holds a set: it stays, under its name, whatever is loaded. */
static void set_held(struct kunit *test)
{
	static const char text[] = "xxabcyy";
	struct nfac_set *set = help_set_in_force(test, "held", "short_patterns");
	struct sk_buff *skb = help_skb(test, text, 7, HELP_FRAGS, 3, 2);

	KUNIT_EXPECT_PTR_EQ(test, nfac_search_get_set(&init_net, "nosuch"), NULL);
	KUNIT_EXPECT_FALSE(test, nfac_set_busy(set));
	KUNIT_EXPECT_PTR_EQ(test, nfac_search_get_set(&init_net, "held"), set);
	KUNIT_EXPECT_TRUE(test, nfac_set_busy(set));
	/* ab ends first, then abc and c: one is enough */
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 0, 7), 4ll);
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 0, U32_MAX), 4ll);
	KUNIT_EXPECT_EQ_MSG(test, set_search(set, skb, 1, 7), 3ll, "from where the search begins");
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 5, 7), -1ll);
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 7, 7), -1ll);
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 9, 7), -1ll);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(set->stats, NFAC_COUNT_MATCHED_PACKETS), 3ull);
	help_set_in_force(test, "held", "classic");
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 0, 7), -1ll);
	help_set_in_force(test, "held", "short_patterns");

	/* found damaged */
	rcu_read_lock();
	nfac_set_load(set)->damaged = true;
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 0, 7), -2ll);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(set->stats, NFAC_COUNT_SKIPPED + NFAC_SKIP_CORRUPT),
			1ull);

	/* the namespace goes: the rule keeps the name and finds nothing */
	help_set_gone(set);
	KUNIT_EXPECT_EQ(test, set_search(set, skb, 0, 7), -2ll);
	KUNIT_EXPECT_STREQ(test, set->name, "held");
	nfac_search_put_set(set);
	kfree_skb(skb);
}

/* UDP that is left to be segmented: rules look at each datagram as if it came by itself. */
static void set_datagrams(struct kunit *test)
{
	static const char text[] = "xxabcyy";
	struct nfac_set *set = help_set_in_force(test, "held", "short_patterns");
	struct sk_buff *skb = help_skb(test, text, 7, HELP_FRAGS, 3, 2);

	KUNIT_EXPECT_EQ(test, set_search(set, skb, 0, U32_MAX), 4ll);
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	skb_shinfo(skb)->gso_size = 3;
	/* xxa bcy y */
	KUNIT_EXPECT_EQ_MSG(test, set_search(set, skb, 0, U32_MAX), 2ll, "c");
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(set->stats, NFAC_COUNT_BYTES), 5 + 5ull);
	KUNIT_EXPECT_EQ_MSG(test, set_search(set, skb, 1, 2), 1ll, "its second byte");
	KUNIT_EXPECT_EQ_MSG(test, set_search(set, skb, 0, 1), -1ll, "first bytes");
	KUNIT_EXPECT_EQ_MSG(test, set_search(set, skb, 2, 7), -1ll, "third bytes");
	skb_shinfo(skb)->gso_size = 4;
	/* xxab cyy */
	KUNIT_EXPECT_EQ_MSG(test, set_search(set, skb, 0, 3), 1ll, "c");
	help_set_gone(set);
	kfree_skb(skb);
}

/* A name that was made and has nothing in force yet cannot be held. */
static void set_empty(struct kunit *test)
{
	struct nfac_net *nn = nfac_net(&init_net);
	struct nfac_set *set;

	mutex_lock(&nn->lock);
	set = nfac_set_create(nn, "empty");
	mutex_unlock(&nn->lock);
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	KUNIT_EXPECT_PTR_EQ(test, nfac_search_get_set(&init_net, "empty"), NULL);
	mutex_lock(&nn->lock);
	KUNIT_EXPECT_EQ(test, nfac_set_scrub(nn, set), NFAC_RESULT_SOUND);
	mutex_unlock(&nn->lock);
	help_set_gone(set);
}

/* Each thing that user space may get wrong; @flags and so on as uapi/linux/nfac.h. */
static const struct nfac_ioc_attach attach_bad[] = {
	{ .flags = 1u << 31 },
	{ .flags = NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_GAP_PASS | NFAC_ATTACH_STREAM },
	{ .flags = NFAC_ATTACH_GAP_DROP },
	{ .flags = NFAC_ATTACH_GAP_PASS },
	{ .flags = NFAC_ATTACH_STREAM, .protocol = IPPROTO_UDP },
	{ .flags = NFAC_ATTACH_MARK, .mark = 2, .mark_mask = 1 },
	{ .flags = NFAC_ATTACH_MARK },
	{ .mark_mask = 1 },
	{ .flags = NFAC_ATTACH_CT_MARK, .ct_mark = 2, .ct_mask = 1 },
	{ .flags = NFAC_ATTACH_CT_MARK },
	{ .ct_mask = 1 },
	{ .flags = NFAC_ATTACH_WHEN_MARK, .when_mark = 2, .when_mask = 1 },
	{ .flags = NFAC_ATTACH_WHEN_MARK },
	{ .when_mask = 1 },
	{ .flags = NFAC_ATTACH_CANDIDATE, .candidate_mark = 2, .candidate_mask = 1 },
	{ .flags = NFAC_ATTACH_CANDIDATE },
	{ .candidate_mask = 1 },
	{ .flags = NFAC_ATTACH_CANDIDATE | NFAC_ATTACH_MARK, .mark_mask = 3, .candidate_mask = 2 },
	{ .hook = NFAC_HOOK_XDP, .iif = "lo", .flags = NFAC_ATTACH_CANDIDATE, .candidate_mask = 1 },
	{ .ct_label = 1 },
	{ .flags = NFAC_ATTACH_CT_LABEL, .ct_label = 128 },
	{ .hook = NFAC_HOOK_TC + 1 },
	{ .hook = NFAC_HOOK_XDP },
	{ .hook = NFAC_HOOK_TC, .oif = "lo" },
	{ .hook = NFAC_HOOK_TC, .iif = "lo", .flags = NFAC_ATTACH_STREAM },
	{ .hook = NFAC_HOOK_TC, .iif = "lo", .flags = NFAC_ATTACH_CT_LABEL },
	{ .hook = NFAC_HOOK_TC, .iif = "lo", .flags = NFAC_ATTACH_DEFRAG },
	{ .hook = NFAC_HOOK_XDP, .iif = "lo", .flags = NFAC_ATTACH_MARK, .mark_mask = 1 },
	{ .hook = NFAC_HOOK_XDP, .iif = "lo", .flags = NFAC_ATTACH_WHEN_MARK, .when_mask = 1 },
	{ .hook = NFAC_HOOK_INGRESS },
	{ .hook = NFAC_HOOK_INGRESS, .iif = "lo", .flags = NFAC_ATTACH_BRIDGE },
	{ .hook = NFAC_HOOK_POSTROUTING, .iif = "lo", .flags = NFAC_ATTACH_BRIDGE },
	{ .hook = NFAC_HOOK_EGRESS, .iif = "lo" },
	{ .hook = NFAC_HOOK_INGRESS, .iif = "lo", .oif = "lo" },
	{ .hook = NFAC_HOOK_INGRESS, .iif = "lo", .flags = NFAC_ATTACH_CT_LABEL },
	{ .priority = S32_MIN },
	{ .priority = S32_MAX },
	{ .iif = "0123456789abcdef" },
	{ .oif = "0123456789abcdef", .hook = NFAC_HOOK_OUTPUT },
	{ .iif = "lo", .hook = NFAC_HOOK_OUTPUT },
	{ .oif = "lo", .hook = NFAC_HOOK_PREROUTING },
	{ .oif = "lo", .hook = NFAC_HOOK_INPUT },
	{ .protocol = 256, .flags = NFAC_ATTACH_RAW },
	{ .protocol = IPPROTO_ICMP },
	{ .nports = NFAC_PORTS_MAX + 1 },
	{ .ports = { 80 } },
	{ .nports = 1, .ports = { 80, 81 } },
	{ .flags = NFAC_ATTACH_PORT_RANGES },
	{ .flags = NFAC_ATTACH_PORT_RANGES, .nports = 1, .ports = { 80 } },
	{ .flags = NFAC_ATTACH_PORT_RANGES, .nports = 2, .ports = { 81, 80 } },
	{ .flags = NFAC_ATTACH_PORT_RANGES, .nports = 4, .ports = { 80, 80, 2, 1 } },
	{ .pad = 1 },
	{ .flags = NFAC_ATTACH_PROTOCOL_DROP },
	{ .flags = NFAC_ATTACH_SKIP_DROP, .allow = { 2 } },
	{ .flags = NFAC_ATTACH_SKIP_DROP, .allow = { [7] = 1u << 31 } },
};

static const struct nfac_ioc_attach attach_good[] = {
	{ .priority = S32_MIN + 1 },
	{ .priority = S32_MAX - 1, .flags = NFAC_ATTACH_IPV4 },
	{ .iif = "0123456789abcde", .oif = "lo", .hook = NFAC_HOOK_FORWARD },
	{ .protocol = IPPROTO_SCTP, .flags = NFAC_ATTACH_RAW | NFAC_ATTACH_IPV6 },
	{ .hook = NFAC_HOOK_INGRESS, .iif = "lo", .flags = NFAC_ATTACH_STREAM },
	{ .hook = NFAC_HOOK_EGRESS, .oif = "lo", .flags = NFAC_ATTACH_CT_LABEL },
	{ .hook = NFAC_HOOK_FORWARD, .iif = "a", .oif = "b", .flags = NFAC_ATTACH_BRIDGE },
	{ .flags = NFAC_ATTACH_BRIDGE | NFAC_ATTACH_STREAM | NFAC_ATTACH_IPV4 },
	{ .flags = NFAC_ATTACH_CT_LABEL, .ct_label = 127 },
	{ .flags = NFAC_ATTACH_MARK, .mark_mask = U32_MAX },
	{ .flags = NFAC_ATTACH_MARK | NFAC_ATTACH_CANDIDATE, .mark_mask = 1, .candidate_mask = 2 },
	{ .flags = NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6, .nports = 1, .ports = { 0 } },
	{ .flags = NFAC_ATTACH_PORT_RANGES, .nports = 4, .ports = { 80, 80, 0, 65535 } },
	{ .flags = NFAC_ATTACH_SKIP_DROP | NFAC_ATTACH_PROTOCOL_DROP,
	  .allow = { 2, [7] = 1u << 31 } },
};

static void attach_checks(struct kunit *test)
{
	const char *fault;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(attach_bad); i++) {
		fault = NULL;
		KUNIT_EXPECT_EQ_MSG(test, nfac_attach_check(&attach_bad[i], &fault), -EINVAL,
				    "case %u", i);
		KUNIT_EXPECT_NOT_NULL(test, fault);
	}
	for (i = 0; i < ARRAY_SIZE(attach_good); i++) {
		struct nfac_ioc_attach want = attach_good[i];
		struct nfac_attachment *att;
		struct nfac_set *set = help_set_in_force(test, "good", "short_patterns");

		KUNIT_EXPECT_EQ_MSG(test, nfac_attach_check(&want, &fault), 0, "case %u: %s", i,
				    fault);
		strscpy(want.name, "good", sizeof(want.name));
		att = help_attach(&want);
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(att), "case %u: %ld", i, PTR_ERR(att));
		if (!IS_ERR(att))
			help_detach(att);
		help_set_gone(set);
	}
}

static void attach_limits(struct kunit *test)
{
	struct nfac_set *set = help_set_in_force(test, "kunit", "short_patterns");
	struct nfac_attachment *att[NFAC_ATTACHMENTS_MAX];
	struct nfac_ioc_attach want = { .name = "nosuch" };
	struct nfac_net *nn = nfac_net(&init_net);
	u32 i, last = 0;

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(help_attach(&want)), -ENOENT);
	strscpy(want.name, "kunit", sizeof(want.name));
	for (i = 0; i < NFAC_ATTACHMENTS_MAX; i++) {
		att[i] = help_attach(&want);
		KUNIT_ASSERT_FALSE(test, IS_ERR(att[i]));
		KUNIT_EXPECT_GT_MSG(test, att[i]->want.id, last, "ids rise");
		last = att[i]->want.id;
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(help_attach(&want)), -ENOSPC);
	KUNIT_EXPECT_EQ(test, set->attachments, (u32)NFAC_ATTACHMENTS_MAX);
	KUNIT_EXPECT_TRUE(test, nfac_set_busy(set));
	mutex_lock(&nn->lock);
	KUNIT_EXPECT_PTR_EQ(test, nfac_attachment_from(nn, 0), att[0]);
	KUNIT_EXPECT_PTR_EQ(test, nfac_attachment_from(nn, last), att[NFAC_ATTACHMENTS_MAX - 1]);
	KUNIT_EXPECT_PTR_EQ(test, nfac_attachment_from(nn, last + 1), NULL);
	mutex_unlock(&nn->lock);
	for (i = 0; i < NFAC_ATTACHMENTS_MAX; i++)
		help_detach(att[i]);
	KUNIT_EXPECT_FALSE(test, nfac_set_busy(set));

	/* the last id there is */
	mutex_lock(&nn->lock);
	last = nn->next_id;
	nn->next_id = U32_MAX;
	mutex_unlock(&nn->lock);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(help_attach(&want)), -ENOSPC);
	nn->next_id = last;
	help_set_gone(set);
}

/* Each allocation of an attach fails once; netfilter and conntrack are as before. */
static void attach_fail(struct kunit *test)
{
	struct nfac_set *set = help_set_in_force(test, "kunit", "short_patterns");
	struct nfac_ioc_attach want = {
		.name = "kunit",
		.flags = NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL,
		.ct_mask = 1,
	};
	unsigned int nth, failed = 0;
	bool hit = true;

	for (nth = 1; hit; nth++) {
		struct nfac_attachment *att;

		KUNIT_ASSERT_LT(test, nth, 50u);
		help_fault_at(nth);
		att = help_attach(&want);
		hit = help_fault_end();
		if (!IS_ERR(att)) {
			help_detach(att);
			continue;
		}
		failed++;
		KUNIT_EXPECT_EQ(test, PTR_ERR(att), (long)-ENOMEM);
		KUNIT_EXPECT_FALSE(test, nfac_set_busy(set));
	}
	KUNIT_EXPECT_GE(test, failed, 2u);
	help_set_gone(set);
}

/* A namespace ends with all that is in it. */
static void set_net_ends(struct kunit *test)
{
	struct nfac_net *nn = nfac_net(&init_net);
	struct nfac_set *set = help_set_in_force(test, "kunit", "short_patterns");
	struct nfac_ioc_attach want = { .name = "kunit" };

	KUNIT_EXPECT_FALSE(test, IS_ERR(help_attach(&want)));
	KUNIT_EXPECT_FALSE(test, IS_ERR(help_attach(&want)));
	nfac_attachments_net_exit(nn);
	KUNIT_EXPECT_EQ(test, nn->attachment_count, 0u);
	KUNIT_EXPECT_TRUE(test, list_empty(&nn->attachments));
	KUNIT_EXPECT_FALSE(test, nfac_set_busy(set));
	nfac_attachments_net_exit(nn);
	help_set_gone(set);
}

static struct kunit_case set_cases[] = {
	KUNIT_CASE(set_names),
	KUNIT_CASE(set_order),
	KUNIT_CASE(set_rates),
	KUNIT_CASE(set_full),
	KUNIT_CASE(set_held),
	KUNIT_CASE(set_datagrams),
	KUNIT_CASE(set_empty),
	KUNIT_CASE(set_net_ends),
	{}
};

struct kunit_suite suite_set = {
	.name = "nfac_set",
	.test_cases = set_cases,
};

static struct kunit_case attach_cases[] = {
	KUNIT_CASE(attach_checks),
	KUNIT_CASE(attach_limits),
	KUNIT_CASE(attach_fail),
	{}
};

struct kunit_suite suite_attachment = {
	.name = "nfac_attachment",
	.test_cases = attach_cases,
};
