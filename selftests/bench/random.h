/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers that are the same on every machine (splitmix64).
 */
#ifndef _NFAC_BENCH_RANDOM_H
#define _NFAC_BENCH_RANDOM_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* A number below @n; the bias of the multiplication does not matter here. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

#endif /* _NFAC_BENCH_RANDOM_H */
