// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: attachments whose packets a BPF program brings.
 *
 * An attachment at XDP or tc registers no hook. It is in a list of its namespace, and a program on
 * the device calls nfac_bpf.ko for each packet, which calls nfac_program_inspect(). That finds the
 * device's attachments, or the one that the program names by its id, at each call: so a program
 * holds neither a set nor an attachment, each can go while the program stays, and several sets
 * share the one program that a device may have. From there on the packet takes the hook's way
 * (hook.c), with its counters, events and policies.
 *
 * Cost: one step for each such attachment of the namespace, of which there are at most
 * NFAC_ATTACHMENTS_MAX, and the hook's for each that is of the device.
 */

#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>

#include "attachment.h"
#include "compat.h"
#include "hook.h"
#include "program.h"

/* Is nfac_bpf.ko there? Programs that call it hold it, attachments do not: this may change. */
static bool nfac_program_is_ready;

/**
 * nfac_program_ready() - say that programs can call, or no longer can
 * @ready: which of both
 *
 * Context: process; nfac_bpf.ko's init and exit.
 */
void nfac_program_ready(bool ready)
{
	WRITE_ONCE(nfac_program_is_ready, ready);
}
EXPORT_SYMBOL_GPL(nfac_program_ready);

/**
 * nfac_program_request() - have nfac_bpf.ko inserted if it is installed
 *
 * Context: process, may sleep; no lock that a module's init may take.
 */
void nfac_program_request(void)
{
	if (!nfac_program_possible())
		request_module("nfac_bpf");
}

/* Return: can programs call? */
bool nfac_program_possible(void)
{
	return READ_ONCE(nfac_program_is_ready);
}

/**
 * nfac_program_add() - let programs find an attachment
 * @att: at XDP or tc, complete; its namespace locked
 *
 * The order is that of priorities, and of ids where they are equal.
 *
 * Context: process.
 */
void nfac_program_add(struct nfac_attachment *att)
{
	struct list_head *before = &att->nn->programs;
	struct nfac_attachment *other;

	lockdep_assert_held(&att->nn->lock);
	list_for_each_entry(other, &att->nn->programs, program) {
		if (other->want.priority > att->want.priority) {
			before = &other->program;
			break;
		}
	}
	list_add_tail_rcu(&att->program, before);
}

/**
 * nfac_program_remove() - let programs find an attachment no more
 * @att: from nfac_program_add(); its namespace locked
 *
 * Packets in flight may use it until a grace period has passed.
 *
 * Context: process.
 */
void nfac_program_remove(struct nfac_attachment *att)
{
	lockdep_assert_held(&att->nn->lock);
	list_del_rcu(&att->program);
}

/*
 * Is the attachment one that the program means? A bond has its program at XDP run by its ports, and
 * so has a virtual function's synthetic device: the frame then comes from a port.
 */
static bool nfac_program_means(const struct nfac_attachment *att, struct net_device *dev, u32 hook,
			       u32 id)
{
	if (att->want.hook != hook)
		return false;
	if (id)
		return att->want.id == id;
	return att->dev == dev ||
	       (hook == NFAC_HOOK_XDP && att->dev == netdev_master_upper_dev_get_rcu(dev));
}

/**
 * nfac_program_inspect() - inspect a packet at the attachments that a program means
 * @skb: as @side says; only its mark is changed
 * @dev: through which it passes
 * @hook: NFAC_HOOK_XDP or NFAC_HOOK_TC
 * @side: direction
 * @id: of an attachment in @dev's namespace; 0: all of @dev, until one drops the packet
 * @match: filled
 *
 * Context: softirq or process, not NMI.
 * Return: NFAC_VERDICT_*; -ENOENT: there is no such attachment.
 */
int nfac_program_inspect(struct sk_buff *skb, struct net_device *dev, u32 hook,
			 enum nfac_program_side side, u32 id, struct nfac_bpf_match *match)
{
	const bool sends = side == NFAC_PROGRAM_SENDS;
	const struct nf_hook_state state = {
		.hook = sends ? NFAC_NETDEV_EGRESS : NF_NETDEV_INGRESS,
		.pf = NFPROTO_NETDEV,
		.in = sends ? NULL : dev,
		.out = sends ? dev : NULL,
		.net = dev_net(dev),
	};
	const struct nfac_net *nn = nfac_net(dev_net(dev));
	struct nfac_attachment *att;
	int verdict = -ENOENT, answer;

	memset(match, 0, sizeof(*match));
	rcu_read_lock();
	list_for_each_entry_rcu(att, &nn->programs, program) {
		if (!nfac_program_means(att, dev, hook, id))
			continue;
		answer = nfac_hook_program(att, skb, &state, match);
		/* a mark counts more than none, and dropping more than both */
		if (answer == NFAC_VERDICT_DROP) {
			verdict = answer;
			break;
		}
		verdict = max(verdict, answer);
	}
	rcu_read_unlock();
	return verdict;
}
EXPORT_SYMBOL_GPL(nfac_program_inspect);
