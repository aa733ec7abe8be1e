/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures for people: "171 KiB", "1.6 GB/s", "12.3 k".
 */
#ifndef _NFAC_HUMAN_H
#define _NFAC_HUMAN_H

#include <stdint.h>

/* Room for any of the texts below. Each function returns its @text. */
struct human {
	char text[32];
};

/* Memory, in powers of 1024: 175104 is "171 KiB". */
const char *human_size(struct human *to, uint64_t bytes);
/* Traffic a second, in powers of 1000: "1.60 GB/s". */
const char *human_rate(struct human *to, double bytes_per_second);
/* A number of things, in powers of 1000: "12.3 k"; exact below 10000. */
const char *human_count(struct human *to, uint64_t count);
/* A duration: "3.12 ms". */
const char *human_time(struct human *to, double seconds);

/* Seconds of a monotonic clock. */
double clock_seconds(void);

#endif /* _NFAC_HUMAN_H */
