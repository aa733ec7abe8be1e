/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Case folding: A-Z become a-z, in one, four or eight bytes; other bytes stay.
 */
#ifndef _NFAC_ENGINE_FOLD_H
#define _NFAC_ENGINE_FOLD_H

#include "freestanding.h"

/* Fold four bytes. */
static __always_inline u32 nfac_fold4(u32 x)
{
	u32 low = x & 0x7f7f7f7fu;
	u32 upper = (low + 0x3f3f3f3fu) & ~(low + 0x25252525u) & ~x & 0x80808080u;

	return x | upper >> 2;
}

/* Fold eight bytes. */
static __always_inline u64 nfac_fold8(u64 x)
{
	u64 low = x & 0x7f7f7f7f7f7f7f7full;
	u64 upper = (low + 0x3f3f3f3f3f3f3f3full) & ~(low + 0x2525252525252525ull) &
		    ~x & 0x8080808080808080ull;

	return x | upper >> 2;
}

static __always_inline u8 nfac_fold1(u8 c)
{
	return (u8)(c - 'A') < 26 ? c | 0x20 : c;
}

#endif /* _NFAC_ENGINE_FOLD_H */
