/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The map of ends and the map of lengths (see blob.h and kmod/matcher_ends.h).
 */
#ifndef _NFAC_COMPILER_SUFFIX_FILTER_H
#define _NFAC_COMPILER_SUFFIX_FILTER_H

#include "outputs.h"

/**
 * suffix_maps_log2() - bits of the map of ends that a set's long patterns take
 * Return: their logarithm; 0: for so many no such map is fast.
 */
unsigned int suffix_maps_log2(const struct outputs *outputs);

/** suffix_maps_bytes() - bytes of both maps; @log2 0: there are none */
size_t suffix_maps_bytes(unsigned int log2);

/**
 * suffix_maps_fill() - fill both
 * @map: suffix_maps_bytes(@log2), zeroed
 * @outputs: of the set
 * @fold: or-ed to each byte
 * @log2: not 0
 */
void suffix_maps_fill(uint8_t *map, const struct outputs *outputs, uint8_t fold, unsigned int log2);

#endif /* _NFAC_COMPILER_SUFFIX_FILTER_H */
