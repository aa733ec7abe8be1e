// SPDX-License-Identifier: GPL-2.0
/*
 * The ready BPF programs: nfac_xdp at XDP, nfac_tc at tc. They drop what an attachment of their
 * device drops, and leave the rest to others.
 *
 * program.c of the tool loads them from its own memory; the object is installed, too, for `ip link`
 * and `tc filter`.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#include <linux/nfac.h>

extern int bpf_nfac_xdp_match(struct xdp_md *ctx, __u32 attachment, struct nfac_bpf_match *match,
			      __u32 size) __ksym;
extern int bpf_nfac_skb_match(struct __sk_buff *ctx, __u32 attachment, struct nfac_bpf_match *match,
			      __u32 size) __ksym;

SEC("xdp.frags")
int nfac_xdp(struct xdp_md *ctx)
{
	struct nfac_bpf_match match = {};

	if (bpf_nfac_xdp_match(ctx, 0, &match, sizeof(match)) == NFAC_VERDICT_DROP)
		return XDP_DROP;
	return XDP_PASS;
}

SEC("tc")
int nfac_tc(struct __sk_buff *ctx)
{
	struct nfac_bpf_match match = {};

	if (bpf_nfac_skb_match(ctx, 0, &match, sizeof(match)) == NFAC_VERDICT_DROP)
		return TC_ACT_SHOT;
	return TC_ACT_UNSPEC;
}

char _license[] SEC("license") = "GPL";
