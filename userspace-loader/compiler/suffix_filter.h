/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The map of ends and the map of lengths (see blob.h and kmod/matcher_ends.h).
 */
#ifndef _NFAC_ENDS_H
#define _NFAC_ENDS_H

#include "outputs.h"

/**
 * ends_log2() - bits of the map of ends that a set's long patterns take
 * Return: their logarithm; 0: for so many no such map is fast.
 */
unsigned int ends_log2(const struct outputs *outputs);

/** ends_bytes() - bytes of both maps; @log2 0: there are none */
size_t ends_bytes(unsigned int log2);

/**
 * ends_fill() - fill both
 * @map: ends_bytes(@log2), zeroed
 * @outputs: of the set
 * @fold: or-ed to each byte
 * @log2: not 0
 */
void ends_fill(uint8_t *map, const struct outputs *outputs, uint8_t fold, unsigned int log2);

#endif /* _NFAC_ENDS_H */
