/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Put before each file of the matcher when it is built for a fuzzer: counts the words
 * that it reads, and has each tile where the kernel has it, in an object of its own,
 * so that the sanitizer sees a read past a tile and not only one past them all.
 */
#ifndef _NFAC_FUZZ_WORK_H
#define _NFAC_FUZZ_WORK_H

#include "../../kmod/automaton.h"

extern u64 fuzz_work;

static inline u32 fuzz_read32(u32 x)
{
	fuzz_work++;
	return x;
}

static inline u64 fuzz_read64(u64 x)
{
	fuzz_work++;
	return x;
}

static inline const __le32 *fuzz_node(const struct nfac_automaton *a, u32 ref)
{
	return a->tiles[ref >> NFAC_TILE_SHIFT] + (ref & (NFAC_TILE_WORDS - 1));
}

#undef le32_to_cpu
#undef le64_to_cpu
#define le32_to_cpu(x)		fuzz_read32(le32toh(x))
#define le64_to_cpu(x)		fuzz_read64(le64toh(x))
#define nfac_node(a, ref)	fuzz_node(a, ref)

#endif /* _NFAC_FUZZ_WORK_H */
