// SPDX-License-Identifier: GPL-2.0
/*
 * The counter of words that the matcher reads, which work.h increments.
 */
#include "work.h"

u64 fuzz_work, fuzz_change_at, fuzz_change_each;
u8 *fuzz_change;
