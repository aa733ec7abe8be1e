/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the matcher has read when it is built with work.h, and what may happen meanwhile.
 */
#ifndef _NFAC_FUZZ_COUNTED_H
#define _NFAC_FUZZ_COUNTED_H

#include "../../kmod/engine/freestanding.h"

/* Words that were read. */
extern u64 fuzz_work;

/* A byte of the text changes at the word fuzz_change_at, then every fuzz_change_each words. */
extern u64 fuzz_change_at, fuzz_change_each;
extern u8 *fuzz_change;

#endif /* _NFAC_FUZZ_COUNTED_H */
