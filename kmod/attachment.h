/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attachments: a set at a netfilter hook of a namespace, and what it does there.
 */
#ifndef _NFAC_ATTACHMENT_H
#define _NFAC_ATTACHMENT_H

#include <linux/netfilter.h>

#include "pattern_set.h"

/**
 * struct nfac_attachment - a set at a hook
 *
 * Owned by its namespace's list. Packets find it as their hook's private pointer, under RCU; all
 * they read of it is constant, except for the counters.
 *
 * @set: held
 * @stats: by CPU
 * @flows: the namespace's flow table, held while in the list; NULL: follows no streams
 * @want: the requested options; @want.id is the attachment's id
 * @nfproto: NFPROTO_IPV4, NFPROTO_IPV6 or NFPROTO_INET for both
 * @dev: at the hooks of a device the device, valid until they are unregistered; NULL elsewhere
 * @nn: the namespace
 * @ops: registered with netfilter; for each family one, or one for a device or all bridges, and
 *	with @flows perhaps another one, for the other direction
 * @op_count: of @ops
 * @link: in struct nfac_net.attachments
 * @program: in struct nfac_net.programs, where a program brings the packets
 * @kobj: sysfs's, under the namespace's lock; NULL when there is none
 * @full_logged: segments that found no slot in the flow table, when they were logged last; under
 *	the namespace's lock
 * @rcu: frees it; with it goes its hold of the set
 * @packets: inspected so far, to number them in events; in a cache line of its own, as every CPU
 *	writes it
 */
struct nfac_attachment {
	struct nfac_set *set;
	struct nfac_stats __percpu *stats;
	struct nfac_flows *flows;
	struct nfac_ioc_attach want;
	u8 nfproto;
	struct net_device *dev;
	struct nfac_net *nn;
	struct nf_hook_ops ops[4];
	unsigned int op_count;
	struct list_head link;
	struct list_head program;
	struct kobject *kobj;
	u64 full_logged;
	struct rcu_head rcu;
	atomic64_t packets ____cacheline_aligned_in_smp;
};

/* Is the hook that of one device? */
static inline bool nfac_attach_at_device(const struct nfac_ioc_attach *want)
{
	return want->hook >= NFAC_HOOK_INGRESS;
}

/* Does a BPF program bring its packets? */
static inline bool nfac_attach_at_program(const struct nfac_ioc_attach *want)
{
	return want->hook == NFAC_HOOK_XDP || want->hook == NFAC_HOOK_TC;
}

int nfac_attach_check(const struct nfac_ioc_attach *want, const char **fault);
struct nfac_attachment *nfac_attach(struct nfac_net *nn,
				    const struct nfac_ioc_attach *want);
void nfac_detach(struct nfac_attachment *att);
struct nfac_attachment *nfac_attachment_from(struct nfac_net *nn, u32 id);
void nfac_attachment_read(const struct nfac_attachment *att, struct nfac_ioc_attach *want);
u64 nfac_attachments_log_full(struct nfac_net *nn);
void nfac_attachments_net_init(struct nfac_net *nn);
void nfac_attachments_net_exit(struct nfac_net *nn);
int nfac_attachments_init(void);
void nfac_attachments_exit(void);

#endif /* _NFAC_ATTACHMENT_H */
