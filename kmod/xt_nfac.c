// SPDX-License-Identifier: GPL-2.0
/*
 * The match "nfac" of iptables and ip6tables: -m nfac --set SET [--from N] [--to N]
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/module.h>
#include <linux/netfilter/x_tables.h>
#include <linux/skbuff.h>

#include "../uapi/linux/xt_nfac.h"
#include "version.h"
#include "search_api.h"

/**
 * nfac_mt() - does the packet match?
 * @skb: an IPv4 or IPv6 packet, not changed
 * @par: of the rule
 *
 * What cannot be inspected matches neither with nor without "!": "! --set" matches what is
 * known to be clean, and nothing else.
 *
 * Context: softirq or process, under rcu_read_lock().
 */
static bool nfac_mt(const struct sk_buff *skb, struct xt_action_param *par)
{
	const struct xt_nfac_info *info = par->matchinfo;
	struct nfac_payload payload;
	struct nfac_search search;

	if (!nfac_payload_find(skb, xt_family(par), true, &payload)) {
		nfac_search_skipped(info->held, payload.skip);
		return false;
	}
	if (!nfac_search_begin(&search, info->held))
		return false;
	if (!nfac_search_skb(&search, skb, &payload, info->from, info->to)) {
		nfac_search_end(&search);
		return false;
	}
	return nfac_search_end(&search) ^ !!(info->flags & XT_NFAC_INVERT);
}

static int nfac_mt_check(const struct xt_mtchk_param *par)
{
	struct xt_nfac_info *info = par->matchinfo;

	if (info->flags & ~XT_NFAC_FLAGS || info->pad || info->from >= info->to ||
	    strnlen(info->set, sizeof(info->set)) == sizeof(info->set))
		return -EINVAL;
	info->held = nfac_search_get_set(par->net, info->set);
	if (!info->held) {
		pr_notice_ratelimited("there is no set \"%*pE\"\n", (int)strlen(info->set),
				      info->set);
		return -ENOENT;
	}
	return 0;
}

static void nfac_mt_destroy(const struct xt_mtdtor_param *par)
{
	const struct xt_nfac_info *info = par->matchinfo;

	nfac_search_put_set(info->held);
}

static struct xt_match nfac_mt_reg[] __read_mostly = {
	{
		.name = "nfac",
		.family = NFPROTO_IPV4,
		.checkentry = nfac_mt_check,
		.match = nfac_mt,
		.destroy = nfac_mt_destroy,
		.matchsize = sizeof(struct xt_nfac_info),
		.usersize = offsetof(struct xt_nfac_info, held),
		.me = THIS_MODULE,
	},
	{
		.name = "nfac",
		.family = NFPROTO_IPV6,
		.checkentry = nfac_mt_check,
		.match = nfac_mt,
		.destroy = nfac_mt_destroy,
		.matchsize = sizeof(struct xt_nfac_info),
		.usersize = offsetof(struct xt_nfac_info, held),
		.me = THIS_MODULE,
	},
};

static int __init nfac_mt_init(void)
{
	BUILD_BUG_ON(XT_NFAC_NAME_LEN != NFAC_NAME_LEN);
	return xt_register_matches(nfac_mt_reg, ARRAY_SIZE(nfac_mt_reg));
}

static void __exit nfac_mt_exit(void)
{
	xt_unregister_matches(nfac_mt_reg, ARRAY_SIZE(nfac_mt_reg));
}

module_init(nfac_mt_init);
module_exit(nfac_mt_exit);

MODULE_DESCRIPTION("nfac as a match of iptables and ip6tables");
MODULE_LICENSE("GPL");
MODULE_VERSION(NFAC_RELEASE);
MODULE_ALIAS("ipt_nfac");
MODULE_ALIAS("ip6t_nfac");
