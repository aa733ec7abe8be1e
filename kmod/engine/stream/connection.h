/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections: how they begin and end in one direction.
 *
 * That is where a SYN, or the first segment of a connection under way, has the direction
 * begin, which SYNs and which ends count, and what an RST of the other direction allows.
 * Where a segment's bytes lie, and what of them is scanned, is flow.c's.
 *
 * Freestanding. All is called under the bucket's lock.
 */
#ifndef _NFAC_FLOW_CONNECTION_H
#define _NFAC_FLOW_CONNECTION_H

#include "flow.h"

/* A beginning. */
struct nfac_flow *nfac_flow_enter(struct nfac_flow_bucket *bucket, u64 hash,
				  struct nfac_segment *seg);
bool nfac_flow_live(const struct nfac_flow *flow, const struct nfac_segment *seg);
void nfac_flow_anew(struct nfac_flow *flow, struct nfac_segment *seg);
void nfac_flow_reopened(struct nfac_flow *flow, struct nfac_segment *seg);

/* The first data behind it. */
void nfac_flow_other(struct nfac_flow *flow, const struct nfac_segment *seg);
void nfac_flow_behind_syn(struct nfac_flow *flow, const struct nfac_segment *seg);

/* An end. */
void nfac_flow_closed(struct nfac_flow *flow, struct nfac_segment *seg);

#endif /* _NFAC_FLOW_CONNECTION_H */
