/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one call of nfac_match_block() works in. It is 3 KB, and so not on the stack of a packet: a
 * kernel's whole stack is 8 KB on 32-bit machines.
 */
#ifndef _NFAC_MATCH_MEMORY_H
#define _NFAC_MATCH_MEMORY_H

#include "candidates.h"
#include "flood.h"

/* Bytes that all lanes of the interleaved walk read in one call, with states of 16 or 32 bits. */
#define NFAC_LANES_BYTES	384u
#define NFAC_LANES_BYTES32	320u

/* The interleaved walk's states and folded text (darray.c). */
struct nfac_lanes {
	union {
		u16 states[NFAC_LANES_BYTES];
		u32 states32[NFAC_LANES_BYTES32];
	};
	u8 folded[NFAC_GRAM - 1 + NFAC_LANES_BYTES];
};

/**
 * struct nfac_match_memory - working memory of the matcher
 * / Owned by the caller, and used by one call at a time: per CPU in the kernel. Its contents are
 * meaningless between calls.
 */
struct nfac_match_memory {
	struct nfac_run run;
	struct nfac_candidates batch;
	struct nfac_flood flood;
	struct nfac_letter_case letter_case;
	struct nfac_lanes lanes;
};

#endif /* _NFAC_MATCH_MEMORY_H */
