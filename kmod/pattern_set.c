// SPDX-License-Identifier: GPL-2.0
/*
 * Sets: their names in a network namespace, their users, and the load in force.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pattern_set.h"

static unsigned int scrub_period;
module_param(scrub_period, uint, 0644);
MODULE_PARM_DESC(scrub_period, "seconds between two checks for damaged tiles, 0: never (0)");

unsigned int nfac_net_id __read_mostly;

/* For modules that follow the sets (nfac_ct). */
static BLOCKING_NOTIFIER_HEAD(nfac_set_chain);

/*
 * Once a second, while the namespace has sets: sample the rates, and scrub when it is due.
 * The timer is deferrable and does not wake an idle CPU, so the rates are computed over the
 * time that has passed.
 */
static void nfac_net_sample(struct work_struct *work)
{
	struct nfac_net *nn = container_of(to_delayed_work(work),
					   struct nfac_net, sampler);
	u64 period = (u64)READ_ONCE(scrub_period) * NSEC_PER_SEC;
	struct nfac_set *set;
	bool scrub;
	u64 now;

	mutex_lock(&nn->lock);
	/* the lock may have taken seconds */
	now = ktime_get_ns();
	scrub = period && now - nn->scrubbed_ns >= period;
	if (scrub)
		nn->scrubbed_ns = now;
	list_for_each_entry(set, &nn->sets, link) {
		/* and so may the scrub of the set before */
		now = ktime_get_ns();
		nfac_rate_sample(&set->packet_rate,
				 nfac_stats_sum(set->stats, NFAC_COUNT_PACKETS), now);
		nfac_rate_sample(&set->scan_rate,
				 nfac_stats_sum(set->stats, NFAC_COUNT_BYTES), now);
		nfac_rate_sample(&set->match_rate,
				 nfac_stats_sum(set->stats, NFAC_COUNT_MATCHES), now);
		if (scrub)
			nfac_set_scrub(nn, set);
	}
	if (nn->set_count)
		queue_delayed_work(system_power_efficient_wq, &nn->sampler, HZ);
	mutex_unlock(&nn->lock);
}

/**
 * nfac_sets_net_init() - set up a namespace's part
 * @nn: zero except for @nn->net
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_sets_net_init(struct nfac_net *nn)
{
	nn->budget = nfac_budget_alloc();
	if (!nn->budget)
		return -ENOMEM;
	mutex_init(&nn->lock);
	INIT_LIST_HEAD(&nn->sets);
	INIT_LIST_HEAD(&nn->attachments);
	INIT_LIST_HEAD(&nn->programs);
	INIT_DEFERRABLE_WORK(&nn->sampler, nfac_net_sample);
	nfac_events_init(&nn->events);
	return 0;
}

/**
 * nfac_sets_net_exit() - remove the sets of a namespace that exits
 * @nn: the namespace, not locked
 *
 * Its attachments are gone. A rule may still hold a set: it keeps name and counters, but
 * no load.
 *
 * Context: process, may sleep.
 */
void nfac_sets_net_exit(struct nfac_net *nn)
{
	struct nfac_set *set, *next;

	mutex_lock(&nn->lock);
	list_for_each_entry_safe(set, next, &nn->sets, link)
		nfac_set_remove(nn, set);
	mutex_unlock(&nn->lock);

	/* may have rearmed before it saw that there are no sets */
	cancel_delayed_work_sync(&nn->sampler);
	nfac_budget_put(nn->budget);
}

/**
 * nfac_set_name_valid() - is this a valid name of a set?
 * @name: NFAC_NAME_LEN bytes
 *
 * 1 .. NFAC_NAME_LEN - 1 printable bytes without '/' and space, neither "." nor
 * "..": it becomes a directory's name in sysfs and a word on command lines.
 */
bool nfac_set_name_valid(const char *name)
{
	size_t i, len = strnlen(name, NFAC_NAME_LEN);

	if (!len || len == NFAC_NAME_LEN)
		return false;
	for (i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~' || name[i] == '/')
			return false;
	return strcmp(name, ".") && strcmp(name, "..");
}

/**
 * nfac_set_find() - find a set by its name
 * @nn: the namespace, locked
 * @name: NUL-terminated
 *
 * Return: the set or NULL.
 */
struct nfac_set *nfac_set_find(struct nfac_net *nn, const char *name)
{
	struct nfac_set *set;

	lockdep_assert_held(&nn->lock);
	list_for_each_entry(set, &nn->sets, link)
		if (!strcmp(set->name, name))
			return set;
	return NULL;
}

/**
 * nfac_set_after() - find the first set whose name sorts after @name
 * @nn: the namespace, locked
 * @name: NUL-terminated, empty for the first set
 *
 * Return: the set or NULL.
 */
struct nfac_set *nfac_set_after(struct nfac_net *nn, const char *name)
{
	struct nfac_set *set;

	lockdep_assert_held(&nn->lock);
	list_for_each_entry(set, &nn->sets, link)
		if (strcmp(set->name, name) > 0)
			return set;
	return NULL;
}

/**
 * nfac_set_create() - create a set that has no load yet
 * @nn: the namespace, locked; has no set of that name
 * @name: valid, NUL-terminated
 *
 * Context: process, may sleep.
 * Return: the set, in the list, or an ERR_PTR: -ENOMEM, -ENOSPC.
 */
struct nfac_set *nfac_set_create(struct nfac_net *nn, const char *name)
{
	struct nfac_set *set, *next;

	if (nn->set_count >= NFAC_SETS_MAX)
		return ERR_PTR(-ENOSPC);
	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return ERR_PTR(-ENOMEM);
	set->stats = nfac_stats_alloc();
	if (!set->stats) {
		kfree(set);
		return ERR_PTR(-ENOMEM);
	}
	strscpy_pad(set->name, name, sizeof(set->name));
	refcount_set(&set->refs, 1);
	set->net = nn->net;

	next = nfac_set_after(nn, name);
	list_add_tail(&set->link, next ? &next->link : &nn->sets);
	if (!nn->set_count++)
		queue_delayed_work(system_power_efficient_wq, &nn->sampler, 0);
	return set;
}

/**
 * nfac_set_publish() - put a load in force
 * @nn: the namespace, locked
 * @set: in its list
 * @load: belongs to the set from now on
 *
 * Each packet is matched against either the old load or the new one.
 *
 * Context: process.
 */
void nfac_set_publish(struct nfac_net *nn, struct nfac_set *set,
		      struct nfac_load *load)
{
	struct nfac_load *old;

	load->generation = ++set->generation;
	old = rcu_replace_pointer(set->load, load, lockdep_is_held(&nn->lock));
	if (old)
		nfac_load_free_rcu(old);
	else
		blocking_notifier_call_chain(&nfac_set_chain, NFAC_SET_LOADED, set);
}

/**
 * nfac_set_busy() - is the set held by anything but the list?
 * @set: in its namespace's list
 *
 * Context: the namespace is locked, so that no new holder appears.
 */
bool nfac_set_busy(struct nfac_set *set)
{
	return set->attachments || atomic_read(&set->rules) ||
	       blocking_notifier_call_chain(&nfac_set_chain, NFAC_SET_UNLOADING,
					    set) == NOTIFY_BAD;
}

/**
 * nfac_set_remove() - remove a set
 * @nn: the namespace, locked
 * @set: in its list, no longer in sysfs
 *
 * Context: process.
 */
void nfac_set_remove(struct nfac_net *nn, struct nfac_set *set)
{
	struct nfac_load *load;

	WARN_ON_ONCE(set->kobj);
	blocking_notifier_call_chain(&nfac_set_chain, NFAC_SET_UNLOADED, set);
	list_del(&set->link);
	nn->set_count--;
	load = rcu_replace_pointer(set->load, NULL, lockdep_is_held(&nn->lock));
	if (load)
		nfac_load_free_rcu(load);
	nfac_set_put(set);
}

/**
 * nfac_set_scrub() - compare the load in force with its checksums
 * @nn: the namespace, locked
 * @set: in its list
 *
 * Context: process, may sleep.
 * Return: as nfac_load_scrub().
 */
u32 nfac_set_scrub(struct nfac_net *nn, struct nfac_set *set)
{
	struct nfac_load *load = nfac_set_load_locked(nn, set);
	u32 bad = load ? nfac_load_scrub(load) : NFAC_RESULT_SOUND;

	if (bad == NFAC_RESULT_SOUND)
		return bad;
	if (bad == NFAC_RESULT_TABLES)
		pr_err_ratelimited("set \"%s\": its tables (prefilter, outputs) are damaged, packets are no longer inspected with it\n",
				   set->name);
	else
		pr_err_ratelimited("set \"%s\": tile %u is damaged, packets are no longer inspected with it\n",
				   set->name, bad);
	return bad;
}

/**
 * nfac_sets_register_notifier() - call @nb when a set is loaded or unloaded, in any namespace
 * @nb: called with enum nfac_set_event and the struct nfac_set, under the namespace's
 *	lock; may sleep, may take a reference by nfac_set_get()
 *
 * Context: process, may sleep.
 * Return: 0 or -EEXIST.
 */
int nfac_sets_register_notifier(struct notifier_block *nb)
{
	return blocking_notifier_chain_register(&nfac_set_chain, nb);
}
EXPORT_SYMBOL_GPL(nfac_sets_register_notifier);

/* After this @nb is not called any more. Context: process, may sleep. */
void nfac_sets_unregister_notifier(struct notifier_block *nb)
{
	blocking_notifier_chain_unregister(&nfac_set_chain, nb);
}
EXPORT_SYMBOL_GPL(nfac_sets_unregister_notifier);

/**
 * nfac_sets_replay() - call a notifier for the sets that are already loaded
 * @net: the namespace
 * @nb: called with NFAC_SET_LOADED for each, under the namespace's lock
 *
 * Context: process, may sleep.
 */
void nfac_sets_replay(struct net *net, struct notifier_block *nb)
{
	struct nfac_net *nn = nfac_net(net);
	struct nfac_set *set;

	mutex_lock(&nn->lock);
	list_for_each_entry(set, &nn->sets, link)
		nb->notifier_call(nb, NFAC_SET_LOADED, set);
	mutex_unlock(&nn->lock);
}
EXPORT_SYMBOL_GPL(nfac_sets_replay);

/* One more reference. The caller has the set from a locked list, or holds one. */
void nfac_set_get(struct nfac_set *set)
{
	refcount_inc(&set->refs);
}
EXPORT_SYMBOL_GPL(nfac_set_get);

/*
 * One reference less. Packets find a set only through a holder, and a holder puts it after
 * its last packet: the last one may free at once.
 */
void nfac_set_put(struct nfac_set *set)
{
	if (!refcount_dec_and_test(&set->refs))
		return;
	nfac_stats_free(set->stats);
	kfree(set);
}
EXPORT_SYMBOL_GPL(nfac_set_put);
