// SPDX-License-Identifier: GPL-2.0
#include "work.h"

u64 fuzz_work;
