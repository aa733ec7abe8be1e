/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Put before each file of the matcher when it is built for a fuzzer: counts the words
 * that it reads, and has each tile where the kernel has it, in an object of its own,
 * so that the sanitizer sees a read past a tile and not only one past them all.
 */
#ifndef _NFAC_FUZZ_WORK_H
#define _NFAC_FUZZ_WORK_H

#include "../../kmod/engine/automaton.h"
#include "../../kmod/engine/darray.h"
#include "../../kmod/engine/entries.h"
#include "counted.h"

static inline void fuzz_read(void)
{
	if (++fuzz_work != fuzz_change_at)
		return;
	*fuzz_change ^= 1;
	fuzz_change_at += fuzz_change_each;
}

static inline u32 fuzz_read32(u32 x)
{
	fuzz_read();
	return x;
}

static inline u64 fuzz_read64(u64 x)
{
	fuzz_read();
	return x;
}

static inline const __le32 *fuzz_node(const struct nfac_automaton *a, u32 ref)
{
	return a->tiles[ref >> NFAC_TILE_SHIFT] + (ref & (NFAC_TILE_WORDS - 1));
}

static inline const u8 *fuzz_byte(const __le32 *const *tiles, u32 at)
{
	return (const u8 *)tiles[at / NFAC_TILE_BYTES] + at % NFAC_TILE_BYTES;
}

static inline u32 fuzz_word(const struct nfac_automaton *a, u32 slot)
{
	return fuzz_read32(le16toh(*(const __le16 *)fuzz_byte(a->word_tiles, 2 * slot)));
}

#undef le16_to_cpu
#undef le32_to_cpu
#undef le64_to_cpu
#define le16_to_cpu(x)		fuzz_read32(le16toh(x))
#define le32_to_cpu(x)		fuzz_read32(le32toh(x))
#define le64_to_cpu(x)		fuzz_read64(le64toh(x))
#define nfac_node(a, ref)	fuzz_node(a, ref)
#define nfac_darray_label(a, slot)	((u8)fuzz_read32(*fuzz_byte((a)->tiles, slot)))
#define nfac_darray_word(a, slot)	fuzz_word(a, slot)
#define nfac_darray_word32(a, slot)	fuzz_read32(le32toh(*fuzz_node(a, slot)))

#endif /* _NFAC_FUZZ_WORK_H */
