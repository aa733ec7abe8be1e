// SPDX-License-Identifier: GPL-2.0
/*
 * nfac_bpf.ko: functions that BPF programs call.
 *
 * bpf_nfac_xdp_match() and bpf_nfac_skb_match() inspect a packet at the attachments of its device,
 * or at one, by program.c. A program that is loaded holds this module, because the verifier
 * resolved a function of it.
 *
 * XDP has no skb. All that reads packets here reads an skb (frame.c, payload.c, skb_scan.c,
 * confirm.c), so a frame gets one on the stack that points into it: its data, length and fragments.
 * It is never handed to the network stack, and nothing is copied of the packet.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bpf.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/module.h>
#include <net/sch_generic.h>
#include <net/xdp.h>

#define NFAC_COMPAT_KFUNCS
#include "compat.h"
#include "engine/freestanding.h"
#include "program.h"
#include "version.h"

/**
 * struct nfac_xdp_skb - an skb around an XDP frame
 *
 * On the stack of bpf_nfac_xdp_match(), which alone uses it.
 *
 * @skb: its head is this struct, so that skb_shinfo() is @info; its data are the frame's
 * @info: not the frame's own, which holds nothing valid where there are no fragments
 */
struct nfac_xdp_skb {
	struct sk_buff skb;
	struct skb_shared_info info;
};

/* The type that a frame's receiver goes by; the skb begins behind it. */
static void nfac_xdp_type(struct sk_buff *skb, const struct net_device *dev)
{
	const struct ethhdr *eth = (const struct ethhdr *)skb->data;
	const u32 there = skb_headlen(skb);

	if (dev->type == ARPHRD_ETHER || dev->type == ARPHRD_LOOPBACK) {
		if (there < ETH_HLEN)
			return;
		skb->protocol = eth->h_proto;
		skb->data += ETH_HLEN;
		skb->len -= ETH_HLEN;
	} else if (there) {
		/* a device without link header */
		skb->protocol = *skb->data >> 4 == 6 ? htons(ETH_P_IPV6) : htons(ETH_P_IP);
	}
}

static void nfac_xdp_wrap(struct nfac_xdp_skb *x, struct xdp_buff *xdp)
{
	struct sk_buff *skb = &x->skb;

	memset(skb, 0, sizeof(*skb));
	memset(&x->info, 0, offsetof(struct skb_shared_info, frags));
	skb->head = (unsigned char *)x;
	skb_set_end_offset(skb, offsetof(struct nfac_xdp_skb, info));
	skb->data = xdp->data;
	skb->len = xdp_get_buff_len(xdp);
	skb->data_len = skb->len - (xdp->data_end - xdp->data);
	skb->dev = xdp->rxq->dev;
	if (unlikely(xdp_buff_has_frags(xdp))) {
		const struct skb_shared_info *info = xdp_get_shared_info_from_buff(xdp);

		x->info.nr_frags = info->nr_frags;
		memcpy(x->info.frags, info->frags, info->nr_frags * sizeof(*info->frags));
	}
	nfac_xdp_type(skb, skb->dev);
}

/**
 * bpf_nfac_xdp_match() - inspect a frame at attachments of the hook xdp
 * @ctx: the program's
 * @attachment: an id; 0: all attachments of the device
 * @match: filled
 * @match__sz: its size, bytes
 *
 * Return: NFAC_VERDICT_*; -ENOENT: no such attachment; -EINVAL: @match is too small.
 */
__bpf_kfunc int bpf_nfac_xdp_match(struct xdp_md *ctx, u32 attachment,
				   struct nfac_bpf_match *match, u32 match__sz)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	/* nfac_xdp_wrap() fills all that is read */
	struct nfac_xdp_skb x nfac_uninitialized;

	if (match__sz < sizeof(*match))
		return -EINVAL;
	nfac_xdp_wrap(&x, xdp);
	return nfac_program_inspect(&x.skb, x.skb.dev, NFAC_HOOK_XDP, NFAC_PROGRAM_RECEIVES,
				    attachment, match);
}

/**
 * bpf_nfac_skb_match() - inspect a packet at attachments of the hook tc
 * @ctx: the program's
 * @attachment: an id; 0: all attachments of the device
 * @match: filled
 * @match__sz: its size, bytes
 *
 * Return: as bpf_nfac_xdp_match().
 */
__bpf_kfunc int bpf_nfac_skb_match(struct __sk_buff *ctx, u32 attachment,
				   struct nfac_bpf_match *match, u32 match__sz)
{
	struct sk_buff *skb = (struct sk_buff *)ctx;
	int link, verdict;

	if (match__sz < sizeof(*match))
		return -EINVAL;
	if (!skb_at_tc_ingress(skb))
		return nfac_program_inspect(skb, skb->dev, NFAC_HOOK_TC, NFAC_PROGRAM_SENDS,
					    attachment, match);
	/* tc shows programs the link header, by the same step in the other direction */
	link = skb_network_offset(skb);
	if (link < 0 || link > skb_headlen(skb))
		return -EINVAL;
	__skb_pull(skb, link);
	verdict = nfac_program_inspect(skb, skb->dev, NFAC_HOOK_TC, NFAC_PROGRAM_RECEIVES,
				       attachment, match);
	__skb_push(skb, link);
	return verdict;
}

NFAC_KFUNCS_START(nfac_xdp_kfuncs)
BTF_ID_FLAGS(func, bpf_nfac_xdp_match)
NFAC_KFUNCS_END(nfac_xdp_kfuncs)

NFAC_KFUNCS_START(nfac_tc_kfuncs)
BTF_ID_FLAGS(func, bpf_nfac_skb_match)
NFAC_KFUNCS_END(nfac_tc_kfuncs)

static const struct btf_kfunc_id_set nfac_xdp_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &nfac_xdp_kfuncs,
};

static const struct btf_kfunc_id_set nfac_tc_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &nfac_tc_kfuncs,
};

/* The kernel forgets the functions with the module's type information. */
static int __init nfac_bpf_init(void)
{
	int err;

	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &nfac_xdp_kfunc_set);
	if (!err)
		err = register_btf_kfunc_id_set(BPF_PROG_TYPE_SCHED_CLS, &nfac_tc_kfunc_set);
	if (err) {
		pr_err("no program can call: is there type information (BTF) in this file, made for this kernel?\n");
		return err;
	}
	nfac_program_ready(true);
	return 0;
}

static void __exit nfac_bpf_exit(void)
{
	nfac_program_ready(false);
}

module_init(nfac_bpf_init);
module_exit(nfac_bpf_exit);

MODULE_DESCRIPTION("nfac for BPF programs at XDP and tc");
MODULE_LICENSE("GPL");
MODULE_VERSION(NFAC_RELEASE);
