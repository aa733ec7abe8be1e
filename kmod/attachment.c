// SPDX-License-Identifier: GPL-2.0
/*
 * Attachments: a set at a netfilter hook of a namespace, and what it does there.
 *
 * Hooks are registered and unregistered with the attachment: a namespace without one has no cost.
 * An attachment holds the module, so rmmod is refused while there is one. It holds the set's name,
 * not its load, so a commit takes effect on it.
 *
 * An attachment at a device does not hold the device. It is found under the namespace's lock, and
 * freed under that lock when netdevice's notifier reports that the device is unregistered.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "attachment.h"
#include "compat.h"
#include "conntrack.h"
#include "defrag.h"
#include "engine/stream/policy.h"
#include "hook.h"
#include "program.h"
#include "sysfs.h"

/* How often a namespace logs that its flow table is full. */
#define NFAC_FULL_LOG_SECONDS	60

static u8 nfac_attach_nfproto(u32 flags)
{
	switch (flags & (NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6)) {
	case NFAC_ATTACH_IPV4:
		return NFPROTO_IPV4;
	case NFAC_ATTACH_IPV6:
		return NFPROTO_IPV6;
	default:
		return NFPROTO_INET;
	}
}

static void nfac_attach_op(struct nfac_attachment *att, u8 nfproto, nf_hookfn *hook,
			   u32 hooknum)
{
	struct nf_hook_ops *op = &att->ops[att->op_count++];

	op->hook = hook;
	op->priv = att;
	op->pf = nfproto;
	op->hooknum = hooknum;
	op->priority = att->want.priority;
}

static void nfac_attach_device_ops(struct nfac_attachment *att)
{
	static const u32 hooks[] = { NF_NETDEV_INGRESS, NFAC_NETDEV_EGRESS };
	bool egress = att->want.hook == NFAC_HOOK_EGRESS;

	if (nfac_attach_at_program(&att->want))
		return;
	nfac_attach_op(att, NFPROTO_NETDEV, nfac_hook, hooks[egress]);
	if (att->want.flags & NFAC_ATTACH_STREAM)
		nfac_attach_op(att, NFPROTO_NETDEV, nfac_hook_reverse, hooks[!egress]);
}

/*
 * The attachment's hook, and where streams are followed the one where this host's packets of
 * the other direction pass. Forwarded packets pass the same hook in both directions.
 */
static void nfac_attach_ops(struct nfac_attachment *att, u8 nfproto)
{
	static const u8 reverse[] = {
		[NFAC_HOOK_PREROUTING] = NFAC_HOOK_OUTPUT,
		[NFAC_HOOK_INPUT] = NFAC_HOOK_OUTPUT,
		[NFAC_HOOK_FORWARD] = NFAC_HOOK_FORWARD,
		[NFAC_HOOK_OUTPUT] = NFAC_HOOK_INPUT,
		[NFAC_HOOK_POSTROUTING] = NFAC_HOOK_INPUT,
	};
	u32 hook = att->want.hook;

	nfac_attach_op(att, nfproto, nfac_hook, hook);
	if ((att->want.flags & NFAC_ATTACH_STREAM) && reverse[hook] != hook)
		nfac_attach_op(att, nfproto, nfac_hook_reverse, reverse[hook]);
}

static bool nfac_attach_wants_conntrack(const struct nfac_attachment *att)
{
	return att->want.flags & (NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL);
}

/* The family whose connections are tracked. */
static u8 nfac_attach_tracked(const struct nfac_attachment *att)
{
	return att->want.flags & NFAC_ATTACH_BRIDGE ? NFPROTO_BRIDGE : att->nfproto;
}

static u32 nfac_attach_label(const struct nfac_attachment *att)
{
	return att->want.flags & NFAC_ATTACH_CT_LABEL ? att->want.ct_label :
							NFAC_CT_NO_LABEL;
}

static void nfac_detach_conntrack(struct nfac_attachment *att)
{
	if (nfac_attach_wants_conntrack(att))
		nfac_conntrack_release(att->nn->net, nfac_attach_tracked(att),
				       nfac_attach_label(att));
}

static void nfac_detach_netfilter(struct nfac_attachment *att)
{
	if (att->want.flags & NFAC_ATTACH_DEFRAG)
		nfac_defrag_release(att->nn->net, att->nfproto);
	nfac_detach_conntrack(att);
}

/* What netfilter has to do for the attachment: to track connections, to put fragments together. */
static int nfac_attach_netfilter(struct nfac_attachment *att)
{
	struct net *net = att->nn->net;
	int err = 0;

	if (nfac_attach_wants_conntrack(att))
		err = nfac_conntrack_hold(net, nfac_attach_tracked(att),
					  att->want.flags & NFAC_ATTACH_CT_MARK,
					  nfac_attach_label(att));
	if (err || !(att->want.flags & NFAC_ATTACH_DEFRAG))
		return err;
	err = nfac_defrag_hold(net, att->nfproto);
	if (err)
		nfac_detach_conntrack(att);
	return err;
}

/* The hooks are unregistered; packets in flight may still use the table. */
static void nfac_detach_flows(struct nfac_attachment *att)
{
	struct nfac_net *nn = att->nn;

	if (!att->flows)
		return;
	if (--nn->flows->users) {
		nfac_flows_forget(nn->flows, att->want.id);
		return;
	}
	nfac_flows_free_rcu(nn->flows);
	nn->flows = NULL;
}

/**
 * nfac_attachments_log_full() - log which attachments have found the flow table full
 * @nn: the namespace, locked
 *
 * Context: process.
 * Return: segments of all attachments that found no slot since they were logged last.
 */
u64 nfac_attachments_log_full(struct nfac_net *nn)
{
	struct nfac_attachment *att;
	u64 now, all = 0;

	lockdep_assert_held(&nn->lock);
	list_for_each_entry(att, &nn->attachments, link) {
		if (!att->flows)
			continue;
		now = nfac_stats_sum(att->stats, NFAC_COUNT_SKIPPED + NFAC_SKIP_TABLE_FULL);
		if (now == att->full_logged)
			continue;
		pr_warn("namespace %u, set \"%s\", attachment %u: the flow table is full: %llu more segments found no slot, and were %s\n",
			nn->net->ns.inum, att->set->name, att->want.id, now - att->full_logged,
			nfac_full_drops(att->want.flags) ? "dropped" : "not followed");
		all += now - att->full_logged;
		att->full_logged = now;
	}
	return all;
}

/* The timer is deferrable: a line is no reason to wake an idle CPU. */
static void nfac_full_log_later(struct nfac_net *nn)
{
	queue_delayed_work(system_power_efficient_wq, &nn->full_log, NFAC_FULL_LOG_SECONDS * HZ);
}

static void nfac_full_log(struct work_struct *work)
{
	struct nfac_net *nn = container_of(to_delayed_work(work), struct nfac_net, full_log);

	mutex_lock(&nn->lock);
	if (nn->flows) {
		nfac_attachments_log_full(nn);
		nfac_full_log_later(nn);
	}
	mutex_unlock(&nn->lock);
}

/*
 * The first attachment that follows streams creates the table, the last one frees it. With a set
 * that has rules, the table has windows.
 */
static int nfac_attach_flows(struct nfac_attachment *att, struct nfac_set *set)
{
	const struct nfac_load *load = nfac_set_load_locked(att->nn, set);
	struct nfac_net *nn = att->nn;
	struct nfac_flows *flows = nn->flows;
	int err;

	if (!(att->want.flags & NFAC_ATTACH_STREAM))
		return 0;
	if (!flows) {
		flows = nfac_flows_create(nn->budget);
		if (IS_ERR(flows))
			return PTR_ERR(flows);
		nn->flows = flows;
		nfac_full_log_later(nn);
	}
	flows->users++;
	att->flows = flows;
	err = load && nfac_automaton_confirms(&load->automaton) ? nfac_flows_windows(flows) : 0;
	if (err)
		nfac_detach_flows(att);
	return err;
}

/* Return: an attachment that holds nothing yet, or NULL. */
static struct nfac_attachment *nfac_attachment_alloc(struct nfac_net *nn,
						     const struct nfac_ioc_attach *want)
{
	struct nfac_attachment *att = kzalloc(sizeof(*att), GFP_KERNEL_ACCOUNT);

	if (!att)
		return NULL;
	att->stats = nfac_stats_alloc();
	if (!att->stats) {
		kfree(att);
		return NULL;
	}
	att->want = *want;
	att->want.id = nn->next_id + 1;
	att->nn = nn;
	att->nfproto = nfac_attach_nfproto(want->flags);
	if (nfac_attach_at_device(want)) {
		nfac_attach_device_ops(att);
		return att;
	}
	if (want->flags & NFAC_ATTACH_BRIDGE) {
		nfac_attach_ops(att, NFPROTO_BRIDGE);
		return att;
	}
	if (att->nfproto != NFPROTO_IPV6)
		nfac_attach_ops(att, NFPROTO_IPV4);
	if (att->nfproto != NFPROTO_IPV4)
		nfac_attach_ops(att, NFPROTO_IPV6);
	return att;
}

/* Has this kernel the hooks? */
static bool nfac_attach_possible(const struct nfac_ioc_attach *want)
{
	const bool ingress = IS_ENABLED(CONFIG_NETFILTER_INGRESS);

	switch (want->hook) {
	case NFAC_HOOK_INGRESS:
		return ingress && (NFAC_EGRESS || !(want->flags & NFAC_ATTACH_STREAM));
	case NFAC_HOOK_EGRESS:
		return NFAC_EGRESS && (ingress || !(want->flags & NFAC_ATTACH_STREAM));
	case NFAC_HOOK_XDP:
	case NFAC_HOOK_TC:
		return nfac_program_possible();
	default:
		return IS_ENABLED(CONFIG_NETFILTER_FAMILY_BRIDGE) ||
		       !(want->flags & NFAC_ATTACH_BRIDGE);
	}
}

/*
 * Register the hooks. A device that was found cannot pass the notifier below before the lock is
 * released, so the hooks need no reference on it.
 */
static int nfac_attach_register(struct nfac_attachment *att)
{
	const struct nfac_ioc_attach *want = &att->want;
	struct net *net = att->nn->net;
	unsigned int i;
	int err;

	lockdep_assert_held(&att->nn->lock);
	if (!nfac_attach_at_device(want))
		return nf_register_net_hooks(net, att->ops, att->op_count);
	att->dev = dev_get_by_name(net, want->hook == NFAC_HOOK_EGRESS ? want->oif : want->iif);
	if (!att->dev)
		return -ENODEV;
	for (i = 0; i < att->op_count; i++)
		att->ops[i].dev = att->dev;
	err = nf_register_net_hooks(net, att->ops, att->op_count);
	dev_put(att->dev);
	return err;
}

/* Ids are never used twice; after 2^32 of them there are no more. */
static bool nfac_attach_room(const struct nfac_net *nn)
{
	return nn->attachment_count < NFAC_ATTACHMENTS_MAX &&
	       nn->next_id < U32_MAX;
}

/**
 * nfac_attach() - attach a set to a hook
 * @nn: the namespace, locked
 * @want: checked
 *
 * Context: process, may sleep.
 * Return: the attachment, in the list, its hooks in force; or an ERR_PTR: -ENOENT,
 * -ENOSPC, -ENOMEM, -EDQUOT, -EOPNOTSUPP (no conntrack, or one without marks or labels; no such
 * hook in this kernel),
 * -ENODEV (no such device, or the module is being unloaded), or as nf_register_net_hooks()
 * (-E2BIG: too many hooks).
 */
struct nfac_attachment *nfac_attach(struct nfac_net *nn,
				    const struct nfac_ioc_attach *want)
{
	struct nfac_attachment *att;
	struct nfac_set *set;
	int err;

	lockdep_assert_held(&nn->lock);
	set = nfac_set_find(nn, want->name);
	if (!set)
		return ERR_PTR(-ENOENT);
	if (!nfac_attach_room(nn))
		return ERR_PTR(-ENOSPC);
	if (!nfac_attach_possible(want))
		return ERR_PTR(-EOPNOTSUPP);
	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-ENODEV);

	err = -ENOMEM;
	att = nfac_attachment_alloc(nn, want);
	if (!att)
		goto err_module;
	err = nfac_attach_netfilter(att);
	if (err)
		goto err_att;
	err = nfac_attach_flows(att, set);
	if (err)
		goto err_netfilter;
	/* before the first packet */
	nfac_set_get(set);
	att->set = set;
	err = nfac_attach_register(att);
	if (err)
		goto err_set;

	set->attachments++;
	if (nfac_attach_at_program(want))
		nfac_program_add(att);
	nn->next_id = att->want.id;
	nn->attachment_count++;
	list_add_tail(&att->link, &nn->attachments);
	return att;

err_set:
	/* packets may have passed the first family's hook already */
	synchronize_rcu();
	nfac_set_put(set);
	nfac_detach_flows(att);
err_netfilter:
	nfac_detach_netfilter(att);
err_att:
	nfac_stats_free(att->stats);
	kfree(att);
err_module:
	module_put(THIS_MODULE);
	return ERR_PTR(err);
}

static void nfac_attachment_free(struct rcu_head *rcu)
{
	struct nfac_attachment *att = container_of(rcu, struct nfac_attachment,
						   rcu);

	nfac_stats_free(att->stats);
	nfac_set_put(att->set);
	kfree(att);
}

/**
 * nfac_detach() - remove an attachment
 * @att: in its namespace's list, no longer in sysfs; the namespace locked
 *
 * Packets in flight finish; the memory is freed after a grace period, which module exit
 * waits for.
 *
 * Context: process, may sleep.
 */
void nfac_detach(struct nfac_attachment *att)
{
	struct nfac_net *nn = att->nn;

	lockdep_assert_held(&nn->lock);
	WARN_ON_ONCE(att->kobj);
	list_del(&att->link);
	if (nfac_attach_at_program(&att->want))
		nfac_program_remove(att);
	nn->attachment_count--;
	att->set->attachments--;
	nf_unregister_net_hooks(nn->net, att->ops, att->op_count);
	nfac_detach_netfilter(att);
	nfac_detach_flows(att);
	call_rcu(&att->rcu, nfac_attachment_free);
	module_put(THIS_MODULE);
}

/**
 * nfac_attachment_from() - the attachment with the lowest id that is @id or more
 * @nn: the namespace, locked
 * @id: 0 for the first
 *
 * Return: the attachment or NULL.
 */
struct nfac_attachment *nfac_attachment_from(struct nfac_net *nn, u32 id)
{
	struct nfac_attachment *att;

	lockdep_assert_held(&nn->lock);
	list_for_each_entry(att, &nn->attachments, link)
		if (att->want.id >= id)
			return att;
	return NULL;
}

/**
 * nfac_attachments_net_init() - set up a namespace's part
 * @nn: of which nfac_sets_net_init() sets up the rest
 *
 * Context: process.
 */
void nfac_attachments_net_init(struct nfac_net *nn)
{
	INIT_DEFERRABLE_WORK(&nn->full_log, nfac_full_log);
}

/**
 * nfac_attachments_net_exit() - remove the attachments of a namespace that exits
 * @nn: the namespace, not locked
 *
 * Context: process, may sleep.
 */
void nfac_attachments_net_exit(struct nfac_net *nn)
{
	struct nfac_attachment *att, *next;
	bool none = list_empty(&nn->attachments);

	mutex_lock(&nn->lock);
	list_for_each_entry_safe(att, next, &nn->attachments, link)
		nfac_detach(att);
	mutex_unlock(&nn->lock);
	/* it does not queue itself again, as there is no flow table any more */
	cancel_delayed_work_sync(&nn->full_log);
	if (none)
		return;
	/* a packet in flight may still use @nn, which is freed after this */
	synchronize_rcu();
}

/**
 * nfac_attachment_read() - the options of an attachment, as they are now
 * @att: its namespace locked
 * @want: filled
 *
 * Context: process.
 */
void nfac_attachment_read(const struct nfac_attachment *att, struct nfac_ioc_attach *want)
{
	lockdep_assert_held(&att->nn->lock);
	*want = att->want;
	/* the device may have been renamed */
	if (att->dev)
		strscpy_pad(want->hook == NFAC_HOOK_EGRESS ? want->oif : want->iif,
			    att->dev->name, NFAC_IFNAME_LEN);
}

/* The device is unregistered, or moves to another namespace: free its attachments. */
static int nfac_attachments_device_event(struct notifier_block *nb, unsigned long event,
					 void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct nfac_net *nn = nfac_net(dev_net(dev));
	struct nfac_attachment *att, *next;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	mutex_lock(&nn->lock);
	list_for_each_entry_safe(att, next, &nn->attachments, link) {
		if (att->dev != dev)
			continue;
		pr_notice("attachment %u of \"%s\" goes with its device %s\n", att->want.id,
			  att->set->name, netdev_name(dev));
		nfac_sysfs_remove_attachment(att);
		nfac_detach(att);
	}
	mutex_unlock(&nn->lock);
	return NOTIFY_DONE;
}

static struct notifier_block nfac_attachments_devices = {
	.notifier_call = nfac_attachments_device_event,
};

/**
 * nfac_attachments_init() - begin to watch devices
 *
 * Context: process, may sleep; the namespaces are initialised.
 * Return: 0 or a negative errno.
 */
int nfac_attachments_init(void)
{
	return register_netdevice_notifier(&nfac_attachments_devices);
}

/* Nothing is attached. */
void nfac_attachments_exit(void)
{
	unregister_netdevice_notifier(&nfac_attachments_devices);
}
