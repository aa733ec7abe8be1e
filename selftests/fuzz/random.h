/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that look random and are the same each time (xorshift64*). */
#ifndef _NFAC_FUZZ_RANDOM_H
#define _NFAC_FUZZ_RANDOM_H

#include <stdint.h>

struct dice {
	uint64_t state;
};

static inline struct dice dice_new(uint64_t seed)
{
	return (struct dice){ (seed + 1) * 0x9e3779b97f4a7c15ull | 1 };
}

/* 0 .. @below - 1; 0 when that is empty */
static inline uint32_t dice_throw(struct dice *d, uint32_t below)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return below ? (d->state * 0x2545f4914f6cdd1dull >> 32) % below : 0;
}

#endif /* _NFAC_FUZZ_RANDOM_H */
