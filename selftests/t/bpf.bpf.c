// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of bpf.sh: some that the verifier must refuse, and some that show what the functions do
 * with packets.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#include <linux/nfac.h>

extern int bpf_nfac_xdp_match(struct xdp_md *ctx, __u32 attachment, struct nfac_bpf_match *match,
			      __u32 size) __ksym;
extern int bpf_nfac_skb_match(struct __sk_buff *ctx, __u32 attachment, struct nfac_bpf_match *match,
			      __u32 size) __ksym;

SEC("xdp")
int past_stack(struct xdp_md *ctx)
{
	struct nfac_bpf_match match = {};

	return bpf_nfac_xdp_match(ctx, 0, &match, 4096);
}

SEC("xdp")
int no_memory(struct xdp_md *ctx)
{
	return bpf_nfac_xdp_match(ctx, 0, (struct nfac_bpf_match *)4096, 40);
}

SEC("xdp")
int no_context(struct xdp_md *ctx)
{
	struct nfac_bpf_match match = {};

	return bpf_nfac_xdp_match((struct xdp_md *)&match, 0, &match, sizeof(match));
}

SEC("xdp")
int of_tc(struct xdp_md *ctx)
{
	struct nfac_bpf_match match = {};

	return bpf_nfac_skb_match((struct __sk_buff *)ctx, 0, &match, sizeof(match));
}

/* Passes packets if the function refuses to write past @match. */
SEC("xdp")
int too_small(struct xdp_md *ctx)
{
	__u64 half[2] = {};

	return bpf_nfac_xdp_match(ctx, 0, (void *)half, sizeof(half)) == -22 ? XDP_PASS : XDP_DROP;
}

/* Drops frames in several buffers that match; others pass, whatever is in them. */
SEC("xdp.frags")
int several_buffers(struct xdp_md *ctx)
{
	const __u64 linear = ctx->data_end - ctx->data;
	struct nfac_bpf_match match = {};

	if (bpf_xdp_get_buff_len(ctx) == linear)
		return XDP_PASS;
	return bpf_nfac_xdp_match(ctx, 0, &match, sizeof(match)) == NFAC_VERDICT_DROP ?
	       XDP_DROP : XDP_PASS;
}

#ifndef ATTACHMENT
#define ATTACHMENT	0
#define OFFSET		0
#endif

/* Drops a packet if attachment ATTACHMENT finds exactly pattern 1 of 6 bytes at OFFSET. */
SEC("tc")
int one_attachment(struct __sk_buff *ctx)
{
	struct nfac_bpf_match match = {};

	if (bpf_nfac_skb_match(ctx, ATTACHMENT, &match, sizeof(match)) < 0)
		return TC_ACT_OK;
	return match.attachment == ATTACHMENT && match.matches == 1 && match.pattern == 1 &&
	       match.offset == OFFSET && match.length == 6 ? TC_ACT_SHOT : TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";
