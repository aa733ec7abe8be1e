// SPDX-License-Identifier: GPL-2.0
/*
 * Conntrack helpers: a set as `ct helper` of nftables, for whole connections.
 *
 *	ct helper web { type "nfac-web" protocol tcp; }
 *	... tcp dport 80 ct helper set "web"
 *
 * Every packet of such a connection, in both directions, is inspected with the set
 * "web" of the connection's network namespace. What a match does is set by the module's
 * parameters: set bits of the connection's mark, or drop the packet.
 *
 * Netfilter's helpers are global, and their names have at most 15 bytes. So there is a
 * helper for each set whose name has at most 9 bytes (NFAC_HELPER_NAME_MAX). It is
 * registered when a namespace of the initial user namespace loads such a set, serves every
 * namespace that has one, and stays until this module is unloaded: to unregister a helper
 * waits for namespaces that are being set up or torn down (net_ns_barrier()), which must
 * not happen where sets are loaded and unloaded. Netfilter does not list the rulesets that use
 * a helper: no set behind it can be unloaded while any ruleset names it. Sets can be reloaded.
 *
 * A packet whose namespace has no such set is counted in "unscanned".
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rtnetlink.h>	/* net_rwsem */
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/netfilter/nf_conntrack_expect.h>
#include <net/netns/generic.h>

#define NFAC_COMPAT_HELPER
#include "compat.h"
#include "conntrack.h"
#include "pattern_set.h"
#include "version.h"

#define NFAC_HELPER_PREFIX	"nfac-"
/* Bytes, without the NUL; netfilter takes 15, but libnftables 1.0 cannot list such a one. */
#define NFAC_HELPER_NAME_MAX	(NF_CT_HELPER_NAME_LEN - 2)
#define NFAC_HELPER_SET_MAX	(NFAC_HELPER_NAME_MAX - (sizeof(NFAC_HELPER_PREFIX) - 1))

/* Each namespace has a pointer for each helper, and netfilter looks through a list. */
#define NFAC_HELPERS_MAX	64

static bool drop;
module_param(drop, bool, 0644);
MODULE_PARM_DESC(drop, "drop a packet that matches (N)");

static u32 ct_mark;
static u32 ct_mask;
module_param(ct_mark, uint, 0644);
MODULE_PARM_DESC(ct_mark, "bits to set in the mark of a connection that matches (0)");
module_param(ct_mask, uint, 0644);
MODULE_PARM_DESC(ct_mask, "the only bits of it that are changed; 0: none (0)");

static atomic_long_t unscanned;

static int nfac_unscanned_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%ld\n", atomic_long_read(&unscanned));
}

/* Called for a parameter given to modprobe, whatever the file's mode. */
static int nfac_unscanned_set(const char *value, const struct kernel_param *kp)
{
	return -EPERM;
}

static const struct kernel_param_ops nfac_unscanned_ops = {
	.set = nfac_unscanned_set,
	.get = nfac_unscanned_get,
};

module_param_cb(unscanned, &nfac_unscanned_ops, NULL, 0444);
MODULE_PARM_DESC(unscanned, "packets whose namespace has no such set");

/**
 * struct nfac_helper - the helpers of one set name
 *
 * Owned by nfac_helpers. Netfilter's readers find @proto under RCU.
 *
 * @set: name of the sets
 * @protos: how many of @proto are registered
 * @proto: TCP's and UDP's, for both families; queue_num, which only helpers in user space use,
 *	is the index in nfac_helpers
 * @registered: @proto, or netfilter's copies of them
 */
struct nfac_helper {
	char set[NFAC_HELPER_SET_MAX + 1];
	unsigned int protos;
	struct nf_conntrack_helper proto[2];
	struct nf_conntrack_helper *registered[2];
};

/**
 * struct nfac_helper_net - a namespace's sets by helper
 *
 * Owned by the namespace.
 *
 * @set: held; written under the namespace's lock and nfac_helpers_lock, read under RCU
 */
struct nfac_helper_net {
	struct nfac_set __rcu *set[NFAC_HELPERS_MAX];
};

static const struct nf_conntrack_expect_policy nfac_helper_policy = {
	.name = "nfac",
	.max_expected = 1,
};

static DEFINE_MUTEX(nfac_helpers_lock);	/* guards nfac_helpers; taken inside a namespace's lock */
static struct nfac_helper *nfac_helpers[NFAC_HELPERS_MAX];
static unsigned int nfac_helper_net_id __read_mostly;

/* before 7.3 netfilter requires distinct tuples */
static u16 nfac_helper_port(unsigned int index)
{
	return U16_MAX - index;
}

static unsigned int nfac_helper_index(const struct nf_conntrack_helper *helper)
{
	return helper->queue_num;
}

static struct nfac_set *nfac_helper_set(const struct nf_conn *ct)
{
	const struct nf_conn_help *help = nfct_help(ct);
	const struct nf_conntrack_helper *me;
	struct nfac_helper_net *hn;

	me = help ? rcu_dereference(help->helper) : NULL;
	if (!me)
		return NULL;
	hn = net_generic(nf_ct_net(ct), nfac_helper_net_id);
	return rcu_dereference(hn->set[nfac_helper_index(me)]);
}

/**
 * nfac_helper_help() - a packet of a connection that has the helper
 * @skb: not changed
 * @protoff: not used: the payload is found as everywhere
 * @ct: its connection
 * @ctinfo: not used: both directions are inspected
 *
 * Context: softirq or process, under rcu_read_lock().
 * Return: NF_ACCEPT or NF_DROP.
 */
static int nfac_helper_help(struct sk_buff *skb, unsigned int protoff,
			    struct nf_conn *ct, enum ip_conntrack_info ctinfo)
{
	struct nfac_set *set = nfac_helper_set(ct);
	struct nfac_payload payload;
	struct nfac_search search;
	u32 mask = READ_ONCE(ct_mask);

	if (!set) {
		atomic_long_inc(&unscanned);
		return NF_ACCEPT;
	}
	if (!nfac_payload_find(skb, nf_ct_l3num(ct), false, &payload)) {
		nfac_search_skipped(set, payload.skip);
		return NF_ACCEPT;
	}
	if (payload.from == payload.to || !nfac_search_begin(&search, set))
		return NF_ACCEPT;
	nfac_search_skb(&search, skb, &payload, 0, U32_MAX);
	if (!nfac_search_end(&search))
		return NF_ACCEPT;
	if (mask)
		nfac_conntrack_mark(skb, READ_ONCE(ct_mark) & mask, mask);
	return READ_ONCE(drop) ? NF_DROP : NF_ACCEPT;
}

/* --- helpers by name --- */

static int nfac_helper_find(const char *set)
{
	int i;

	for (i = 0; i < NFAC_HELPERS_MAX; i++)
		if (nfac_helpers[i] && !strcmp(nfac_helpers[i]->set, set))
			return i;
	return -ENOENT;
}

/* From here on packets of the namespace that have the helper find the set. */
static void nfac_helper_bind(struct nfac_helper_net *hn, int i, struct nfac_set *set)
{
	if (rcu_access_pointer(hn->set[i]))
		return;
	nfac_set_get(set);
	rcu_assign_pointer(hn->set[i], set);
}

/* A set that was loaded before its helper was registered. */
static int nfac_helper_adopt(struct notifier_block *nb, unsigned long event, void *data)
{
	struct nfac_set *set = data;
	int i;

	mutex_lock(&nfac_helpers_lock);
	i = nfac_helper_find(set->name);
	if (i >= 0)
		nfac_helper_bind(net_generic(set->net, nfac_helper_net_id), i, set);
	mutex_unlock(&nfac_helpers_lock);
	return NOTIFY_DONE;
}

static struct notifier_block nfac_helper_adopt_nb = {
	.notifier_call = nfac_helper_adopt,
};

/*
 * The namespace behind @last, or the first one; held, and @last is no more.
 *
 * A namespace in the list has been set up, and leaves it after its last reference is put: so
 * the walk can go on from one that is held, and net_rwsem, which is taken to add and to
 * remove namespaces, is not held while we wait for a namespace's lock.
 */
static struct net *nfac_helper_next_net(struct net *last)
{
	struct list_head *at = last ? &last->list : &net_namespace_list;
	struct net *net = NULL;

	down_read(&net_rwsem);
	for (at = at->next; at != &net_namespace_list && !net; at = at->next)
		net = maybe_get_net(list_entry(at, struct net, list));
	up_read(&net_rwsem);
	if (last)
		put_net(last);
	return net;
}

/*
 * A helper is new: other namespaces may already have such a set. From a work item, as the
 * caller holds one namespace's lock.
 */
static void nfac_helper_adopt_all(struct work_struct *work)
{
	struct net *net;

	for (net = nfac_helper_next_net(NULL); net; net = nfac_helper_next_net(net))
		nfac_sets_replay(net, &nfac_helper_adopt_nb);
}

static DECLARE_WORK(nfac_helper_work, nfac_helper_adopt_all);

/* Return: the new helper's index, or -ENOSPC, -ENOMEM, or netfilter's error. */
static int nfac_helper_create(const char *set)
{
	struct nfac_helper *helper;
	char name[NF_CT_HELPER_NAME_LEN];
	int i, err = 0;

	for (i = 0; i < NFAC_HELPERS_MAX && nfac_helpers[i]; i++)
		;
	if (i == NFAC_HELPERS_MAX)
		return -ENOSPC;
	helper = kzalloc(sizeof(*helper), GFP_KERNEL);
	if (!helper)
		return -ENOMEM;
	strscpy(helper->set, set, sizeof(helper->set));
	snprintf(name, sizeof(name), NFAC_HELPER_PREFIX "%s", helper->set);
	nfac_helper_init(&helper->proto[0], IPPROTO_TCP, name, nfac_helper_port(i),
			 &nfac_helper_policy, nfac_helper_help);
	nfac_helper_init(&helper->proto[1], IPPROTO_UDP, name, nfac_helper_port(i),
			 &nfac_helper_policy, nfac_helper_help);
	helper->proto[0].queue_num = i;
	helper->proto[1].queue_num = i;
	/*
	 * One by one, and the first one stays if the second fails: a helper cannot be
	 * unregistered here, see above.
	 */
	for (; helper->protos < ARRAY_SIZE(helper->proto); helper->protos++) {
		err = nfac_helper_register(&helper->proto[helper->protos],
					   &helper->registered[helper->protos]);
		if (err)
			break;
	}
	if (!helper->protos) {
		kfree(helper);
		return err;
	}
	if (err)
		pr_notice_ratelimited("helper \"%s\" is for TCP only: error %d\n", name, -err);
	nfac_helpers[i] = helper;
	schedule_work(&nfac_helper_work);
	return i;
}

static bool nfac_helper_used(const struct nfac_helper *helper)
{
	unsigned int i;

	for (i = 0; i < helper->protos; i++)
		if (nfac_helper_referenced(helper->registered[i]))
			return true;
	return false;
}

/* --- sets loaded and unloaded; all under nfac_helpers_lock --- */

static void nfac_helper_set_add(struct nfac_helper_net *hn, struct nfac_set *set)
{
	int i;

	if (strlen(set->name) > NFAC_HELPER_SET_MAX)
		return;
	i = nfac_helper_find(set->name);
	/* names are shared by all: a container may use them, not make them */
	if (i < 0 && set->net->user_ns == &init_user_ns)
		i = nfac_helper_create(set->name);
	if (i == -ENOENT)
		return;
	if (i < 0) {
		pr_notice_ratelimited("no helper \"nfac-%s\": error %d\n", set->name, -i);
		return;
	}
	nfac_helper_bind(hn, i, set);
}

static void nfac_helper_set_del(struct nfac_helper_net *hn, int i)
{
	struct nfac_set *set;

	set = rcu_replace_pointer(hn->set[i], NULL,
				  lockdep_is_held(&nfac_helpers_lock));
	if (!set)
		return;
	/* packets in flight */
	synchronize_rcu();
	nfac_set_put(set);
}

static int nfac_helper_event(struct notifier_block *nb, unsigned long event,
			     void *data)
{
	struct nfac_set *set = data;
	struct nfac_helper_net *hn = net_generic(set->net, nfac_helper_net_id);
	int answer = NOTIFY_DONE;
	int i;

	mutex_lock(&nfac_helpers_lock);
	i = nfac_helper_find(set->name);
	switch (event) {
	case NFAC_SET_LOADED:
		nfac_helper_set_add(hn, set);
		break;
	case NFAC_SET_UNLOADING:
		if (i >= 0 && nfac_helper_used(nfac_helpers[i]))
			answer = NOTIFY_BAD;
		break;
	case NFAC_SET_UNLOADED:
		if (i >= 0)
			nfac_helper_set_del(hn, i);
		break;
	}
	mutex_unlock(&nfac_helpers_lock);
	return answer;
}

static struct notifier_block nfac_helper_nb = {
	.notifier_call = nfac_helper_event,
};

static void __net_exit nfac_helper_net_exit(struct net *net)
{
	struct nfac_helper_net *hn = net_generic(net, nfac_helper_net_id);
	struct nfac_set *set[NFAC_HELPERS_MAX];
	bool any = false;
	int i;

	mutex_lock(&nfac_helpers_lock);
	for (i = 0; i < NFAC_HELPERS_MAX; i++) {
		set[i] = rcu_replace_pointer(hn->set[i], NULL,
					     lockdep_is_held(&nfac_helpers_lock));
		any |= !!set[i];
	}
	mutex_unlock(&nfac_helpers_lock);
	if (!any)
		return;
	/* packets in flight; once for all sets, and without the lock */
	synchronize_rcu();
	for (i = 0; i < NFAC_HELPERS_MAX; i++)
		if (set[i])
			nfac_set_put(set[i]);
}

static struct pernet_operations nfac_helper_net_ops = {
	.exit = nfac_helper_net_exit,
	.id = &nfac_helper_net_id,
	.size = sizeof(struct nfac_helper_net),
};

/* Sets that were loaded before this module. */
static int __net_init nfac_helper_replay(struct net *net)
{
	nfac_sets_replay(net, &nfac_helper_nb);
	return 0;
}

static struct pernet_operations nfac_helper_replay_ops = {
	.init = nfac_helper_replay,
};

/*
 * Packets of connections that still have a helper look up its set in their namespace. So the
 * helpers are unregistered first, then the namespaces' part is removed, and the helpers are freed
 * last.
 */
static void nfac_helpers_end(void)
{
	unsigned int k;
	int i;

	for (i = 0; i < NFAC_HELPERS_MAX; i++)
		for (k = 0; nfac_helpers[i] && k < nfac_helpers[i]->protos; k++)
			nf_conntrack_helper_unregister(nfac_helpers[i]->registered[k]);
	unregister_pernet_subsys(&nfac_helper_net_ops);
	for (i = 0; i < NFAC_HELPERS_MAX; i++)
		kfree(nfac_helpers[i]);
}

static int __init nfac_ct_init(void)
{
	int err;

	err = register_pernet_subsys(&nfac_helper_net_ops);
	if (err)
		return err;
	err = nfac_sets_register_notifier(&nfac_helper_nb);
	if (err)
		goto err_net;
	/* a set that is loaded now is reported twice, which does no harm */
	err = register_pernet_subsys(&nfac_helper_replay_ops);
	if (err)
		goto err_notifier;
	return 0;

err_notifier:
	nfac_sets_unregister_notifier(&nfac_helper_nb);
	cancel_work_sync(&nfac_helper_work);
err_net:
	nfac_helpers_end();
	return err;
}

/* No ruleset names a helper: it would hold the module. */
static void __exit nfac_ct_exit(void)
{
	unregister_pernet_subsys(&nfac_helper_replay_ops);
	nfac_sets_unregister_notifier(&nfac_helper_nb);
	cancel_work_sync(&nfac_helper_work);
	nfac_helpers_end();
}

module_init(nfac_ct_init);
module_exit(nfac_ct_exit);

MODULE_DESCRIPTION("nfac as conntrack helpers: type \"nfac-SET\"");
MODULE_LICENSE("GPL");
MODULE_VERSION(NFAC_RELEASE);
MODULE_ALIAS("nfct-helper-nfac-*");
