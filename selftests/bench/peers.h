/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The C side of peers/src/lib.rs: the Rust matchers in one static library.
 */
#ifndef _NFAC_BENCH_PEERS_H
#define _NFAC_BENCH_PEERS_H

#include "bench.h"

enum peer_kind {
	PEER_NFA,
	PEER_DFA,
	PEER_DAACHORSE1,
	PEER_DAACHORSE5,
};

void *peer_build(uint32_t kind, const struct bench_pattern *patterns, size_t count);
size_t peer_bytes(const void *peer);
uint32_t peer_variants(uint32_t kind);
struct bench_hits peer_count(const void *peer, uint32_t variant, const uint8_t *raw,
			     const uint8_t *folded, const uint32_t *ends, size_t records);
void peer_free(void *peer);

#endif /* _NFAC_BENCH_PEERS_H */
