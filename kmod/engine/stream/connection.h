/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections: how they begin, are agreed to, and end, in one direction.
 *
 * A direction begins with a SYN, or with the first segment of a connection that was there
 * before. Here is which SYNs and which ends count, and what the other direction's segments
 * say. flow.c decides what is scanned of a segment.
 *
 * Freestanding. Everything is called under the bucket's lock.
 */
#ifndef _NFAC_FLOW_CONNECTION_H
#define _NFAC_FLOW_CONNECTION_H

#include "flow.h"

/* A beginning. */
struct nfac_flow *nfac_flow_enter(struct nfac_flow_bucket *bucket, u64 hash,
				  struct nfac_segment *seg);
bool nfac_flow_live(const struct nfac_flow *flow, const struct nfac_segment *seg);
void nfac_flow_anew(struct nfac_flow *flow, struct nfac_segment *seg, u32 seq);
void nfac_flow_reopened(struct nfac_flow *flow, struct nfac_segment *seg);

/* The first data behind it, and the other side's agreement. */
void nfac_flow_other(struct nfac_flow *flow, const struct nfac_segment *seg);
void nfac_flow_behind_syn(struct nfac_flow *flow, const struct nfac_segment *seg);
void nfac_flow_agreed(struct nfac_flow *flow, const struct nfac_segment *seg);

/* An end. */
void nfac_flow_closed(struct nfac_flow *flow, struct nfac_segment *seg);

#endif /* _NFAC_FLOW_CONNECTION_H */
