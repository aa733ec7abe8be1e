// SPDX-License-Identifier: GPL-2.0
#include "work.h"

u64 fuzz_work, fuzz_change_at, fuzz_change_each;
u8 *fuzz_change;
