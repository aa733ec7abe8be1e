// SPDX-License-Identifier: GPL-2.0
/*
 * Textsearch: the algorithm "nfac", whose pattern is a set's name.
 *
 * So stock rules use a set without any extension in user space:
 *
 *	iptables -A INPUT -m string --algo nfac --string SET -j DROP
 *
 * The set is looked up in the network namespace of the process that adds the rule, at
 * the time the rule is added: textsearch knows no other. That process needs
 * CAP_NET_ADMIN over it. The rule holds the set.
 *
 * Positions. Textsearch knows one pattern of one length, and a search over an skb
 * (skb_find_text()) takes a match only if position + length is within its range. A
 * set has patterns of many lengths. So the position reported is that of the byte at
 * which a match is complete, and the length reported is 1: a range has a match
 * exactly when it contains a pattern from its first byte to its last.
 *
 * textsearch_next() goes on after the byte that was reported, without state, as the
 * kernel's own algorithms do: patterns that overlap the one reported are not reported. All
 * overlapping matches are reported by an attachment.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/textsearch.h>

#include "version.h"
#include "search_api.h"

/**
 * struct ts_nfac - private part of a ts_config
 *
 * Owned by the rule, constant.
 *
 * @set: held
 * @name: of the set, which is textsearch's pattern
 */
struct ts_nfac {
	struct nfac_set *set;
	char name[NFAC_NAME_LEN];
};

/*
 * Context: as skb_find_text(): softirq or process, under rcu_read_lock() of the
 * packet's path.
 */
static unsigned int nfac_ts_find(struct ts_config *conf, struct ts_state *state)
{
	struct ts_nfac *ts = ts_config_priv(conf);
	unsigned int begin = state->offset;
	unsigned int done = begin;
	struct nfac_search search;
	unsigned int len;
	const u8 *text;

	if (!nfac_search_begin(&search, ts->set))
		return UINT_MAX;
	while (nfac_search_wants_more(&search)) {
		len = conf->get_next_block(done, &text, conf, state);
		if (!len)
			break;
		nfac_search_block(&search, text, len);
		done += len;
	}
	if (!nfac_search_end(&search))
		return UINT_MAX;
	state->offset = begin + search.end;
	return state->offset - 1;
}

static struct ts_config *nfac_ts_init(const void *pattern, unsigned int len,
				      gfp_t gfp, int flags)
{
	struct net *net = current->nsproxy->net_ns;
	struct ts_config *conf;
	struct ts_nfac *ts;

	/*
	 * Netfilter has checked the capability over the socket's namespace, which is not the
	 * process's if the socket was passed on.
	 */
	if (!ns_capable(net->user_ns, CAP_NET_ADMIN))
		return ERR_PTR(-EPERM);
	if (len >= NFAC_NAME_LEN || memchr(pattern, '\0', len))
		return ERR_PTR(-EINVAL);
	/* case is chosen for each pattern, when the set is compiled */
	if (flags & TS_IGNORECASE) {
		pr_notice_ratelimited("case is the set's affair: compile it with --nocase instead\n");
		return ERR_PTR(-EINVAL);
	}
	conf = alloc_ts_config(sizeof(*ts), gfp);
	if (IS_ERR(conf))
		return conf;
	conf->flags = flags;
	ts = ts_config_priv(conf);
	memcpy(ts->name, pattern, len);
	ts->set = nfac_search_get_set(net, ts->name);
	if (!ts->set) {
		pr_notice_ratelimited("there is no set \"%*pE\"\n", (int)len, ts->name);
		kfree(conf);
		return ERR_PTR(-ENOENT);
	}
	return conf;
}

/* textsearch_destroy() frees @conf, the private part with it. */
static void nfac_ts_destroy(struct ts_config *conf)
{
	struct ts_nfac *ts = ts_config_priv(conf);

	nfac_search_put_set(ts->set);
}

static void *nfac_ts_pattern(struct ts_config *conf)
{
	struct ts_nfac *ts = ts_config_priv(conf);

	return ts->name;
}

static unsigned int nfac_ts_pattern_len(struct ts_config *conf)
{
	return 1;
}

static struct ts_ops nfac_ts_ops = {
	.name = "nfac",
	.init = nfac_ts_init,
	.find = nfac_ts_find,
	.destroy = nfac_ts_destroy,
	.get_pattern = nfac_ts_pattern,
	.get_pattern_len = nfac_ts_pattern_len,
	.owner = THIS_MODULE,
};

static int __init nfac_ts_module_init(void)
{
	return textsearch_register(&nfac_ts_ops);
}

static void __exit nfac_ts_module_exit(void)
{
	textsearch_unregister(&nfac_ts_ops);
}

module_init(nfac_ts_module_init);
module_exit(nfac_ts_module_exit);

MODULE_DESCRIPTION("nfac as a textsearch algorithm: the pattern is a set's name");
MODULE_LICENSE("GPL");
MODULE_VERSION(NFAC_RELEASE);
/* as textsearch requests it; does not depend on the file's name */
MODULE_ALIAS("ts_nfac");
