/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets: their names in a network namespace, their users, and the load in force.
 */
#ifndef _NFAC_PATTERN_SET_H
#define _NFAC_PATTERN_SET_H

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "../uapi/linux/nfac.h"
#include "event.h"
#include "flow_table.h"
#include "load.h"
#include "search_api.h"
#include "skb_scan.h"
#include "stats.h"

#define NFAC_SETS_MAX		1024	/* in a namespace: the list is walked by name */
#define NFAC_ATTACHMENTS_MAX	64	/* in a namespace: each may see every packet */

/**
 * struct nfac_net - nfac's part of a network namespace
 *
 * Owned by the namespace.
 *
 * @net: the namespace
 * @lock: guards @sets, @attachments, their numbers and every change of them. Taken
 *	in process context, outside netfilter's and sysfs's own locks
 * @sets: of struct nfac_set, by name
 * @set_count: in @sets
 * @attachments: of struct nfac_attachment, by id
 * @attachment_count: in @attachments
 * @programs: of struct nfac_attachment, those whose packets BPF programs bring, by priority; RCU,
 *	changed under @lock
 * @next_id: of the next attachment
 * @flows: the flow table; under @lock, NULL while no attachment follows streams
 * @events: readers of events
 * @budget: of memory
 * @sampler: takes the sets' rates each second, and scrubs, while there are sets
 * @scrubbed_ns: time of the sampler's last scrub
 * @full_log: logs each minute which attachments found the flow table full, while there is one
 */
struct nfac_net {
	struct net *net;
	struct mutex lock;	/* sets and attachments */
	struct list_head sets;
	unsigned int set_count;
	struct list_head attachments;
	unsigned int attachment_count;
	struct list_head programs;
	u32 next_id;
	struct nfac_flows *flows;
	struct nfac_events events;
	struct nfac_budget *budget;
	struct delayed_work sampler;
	u64 scrubbed_ns;
	struct delayed_work full_log;
};

extern unsigned int nfac_net_id;

static inline struct nfac_net *nfac_net(const struct net *net)
{
	return net_generic(net, nfac_net_id);
}

/**
 * struct nfac_set - a name, and what is in force under it
 *
 * Lives as long as it is held; in the namespace's list from its first
 * commit until it is unloaded or the namespace exits.
 *
 * @load: what packets are matched against; RCU, changed under the namespace's lock.
 *	NULL until the first commit is done, and after the namespace has exited
 * @stats: by CPU
 * @name: NUL-padded, constant
 * @refs: of the list, attachments, rules and notifiers; the last one frees
 * @attachments: that hold it; under the namespace's lock
 * @rules: that hold it (textsearch, xt match); taken under the lock
 * @generation: loads so far; under the lock
 * @link: in struct nfac_net.sets
 * @net: the namespace; valid only while the set is in the list, or for a packet of that
 *	namespace
 * @packet_rate: packets a second; written by the sampler, as the next two
 * @scan_rate: bytes a second
 * @match_rate: matches a second
 * @kobj: sysfs's, under the lock; NULL when there is none
 */
struct nfac_set {
	struct nfac_load __rcu *load;
	struct nfac_stats __percpu *stats;
	char name[NFAC_NAME_LEN];
	refcount_t refs;
	unsigned int attachments;
	atomic_t rules;
	u32 generation;
	struct list_head link;
	struct net *net;
	struct nfac_rate packet_rate;
	struct nfac_rate scan_rate;
	struct nfac_rate match_rate;
	struct kobject *kobj;
};

int nfac_sets_net_init(struct nfac_net *nn);
void nfac_sets_net_exit(struct nfac_net *nn);

bool nfac_set_name_valid(const char *name);
struct nfac_set *nfac_set_find(struct nfac_net *nn, const char *name);
struct nfac_set *nfac_set_after(struct nfac_net *nn, const char *name);
struct nfac_set *nfac_set_create(struct nfac_net *nn, const char *name);
void nfac_set_publish(struct nfac_net *nn, struct nfac_set *set,
		      struct nfac_load *load);
bool nfac_set_busy(struct nfac_set *set);
void nfac_set_remove(struct nfac_net *nn, struct nfac_set *set);
u32 nfac_set_scrub(struct nfac_net *nn, struct nfac_set *set);

/* What notifiers are called with, and the set, under its namespace's lock. */
enum nfac_set_event {
	NFAC_SET_LOADED,	/* for the first time under its name */
	NFAC_SET_UNLOADING,	/* before an unload; NOTIFY_BAD refuses it: the set is in use */
	NFAC_SET_UNLOADED,	/* about to leave the list; also when its namespace exits */
};

int nfac_sets_register_notifier(struct notifier_block *nb);
void nfac_sets_unregister_notifier(struct notifier_block *nb);
void nfac_sets_replay(struct net *net, struct notifier_block *nb);

void nfac_set_get(struct nfac_set *set);
void nfac_set_put(struct nfac_set *set);

/* The load in force, or NULL; under rcu_read_lock(). */
static inline struct nfac_load *nfac_set_load(const struct nfac_set *set)
{
	return rcu_dereference(set->load);
}

/* The same under the namespace's lock. */
static inline struct nfac_load *nfac_set_load_locked(const struct nfac_net *nn,
						     const struct nfac_set *set)
{
	return rcu_dereference_protected(set->load, lockdep_is_held(&nn->lock));
}

#endif /* _NFAC_PATTERN_SET_H */
