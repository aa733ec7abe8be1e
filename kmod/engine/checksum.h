/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checksum of a blob, and of a tile in kernel memory.
 */
#ifndef _NFAC_ENGINE_CHECKSUM_H
#define _NFAC_ENGINE_CHECKSUM_H

#include "freestanding.h"

/* part of the format, as the checksum is */
#define NFAC_SUM_FACTOR		0x9e3779b97f4a7c15ull

/**
 * nfac_checksum() - checksum of a blob, or of a tile
 * @p: bytes, a multiple of 8
 * @bytes: number of bytes
 * @seed: 0, or the checksum of the bytes before
 * / Detects accidents, not forgeries: each step is a bijection of the sum so far, so one changed
 * word always changes the result.
 */
static inline u64 nfac_checksum(const void *p, size_t bytes, u64 seed)
{
	const u8 *b = p;
	u64 sum = seed;

	for (; bytes >= 8; bytes -= 8, b += 8) {
		u64 x = nfac_get64(b);

		sum = (sum ^ le64_to_cpu((__force __le64)x)) * NFAC_SUM_FACTOR;
		sum ^= sum >> 29;
	}
	return sum;
}

#endif /* _NFAC_ENGINE_CHECKSUM_H */
