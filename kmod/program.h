/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs: attachments whose packets a BPF program brings.
 *
 * nfac.ko knows nothing of BPF: nfac_bpf.ko has the functions that programs call, and calls
 * nfac_program_inspect().
 */
#ifndef _NFAC_PROGRAM_H
#define _NFAC_PROGRAM_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "../uapi/linux/nfac.h"

struct nfac_attachment;

/**
 * enum nfac_program_side - the direction in which a packet passes the device
 *
 * @NFAC_PROGRAM_RECEIVES: the skb begins behind the first link header, as at the hook ingress
 * @NFAC_PROGRAM_SENDS: it begins with it, as at the hook egress
 */
enum nfac_program_side {
	NFAC_PROGRAM_RECEIVES,
	NFAC_PROGRAM_SENDS,
};

void nfac_program_add(struct nfac_attachment *att);
void nfac_program_remove(struct nfac_attachment *att);
bool nfac_program_possible(void);
void nfac_program_request(void);

void nfac_program_ready(bool ready);
int nfac_program_inspect(struct sk_buff *skb, struct net_device *dev, u32 hook,
			 enum nfac_program_side side, u32 id, struct nfac_bpf_match *match);

/* Of nfac_bpf.ko: no C code calls them. */
struct xdp_md;
struct __sk_buff;
int bpf_nfac_xdp_match(struct xdp_md *ctx, u32 attachment, struct nfac_bpf_match *match,
		       u32 match__sz);
int bpf_nfac_skb_match(struct __sk_buff *ctx, u32 attachment, struct nfac_bpf_match *match,
		       u32 match__sz);

#endif /* _NFAC_PROGRAM_H */
