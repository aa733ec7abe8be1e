/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the benchmark in the kernel (kmod/) reads: honest payload, and 1, 10, 100
 * and all of the reference list's patterns, plain and compiled.
 */
#ifndef _NFAC_BENCH_EXPORT_H
#define _NFAC_BENCH_EXPORT_H

#include "bench.h"

int export_all(const char *folder, const char *data, const struct bench_text *honest);

#endif /* _NFAC_BENCH_EXPORT_H */
