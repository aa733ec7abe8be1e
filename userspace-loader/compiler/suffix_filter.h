/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suffix maps (their form is in blob.h; match/suffix_filter.c reads them).
 */
#ifndef _NFAC_COMPILER_SUFFIX_FILTER_H
#define _NFAC_COMPILER_SUFFIX_FILTER_H

#include "outputs.h"

/**
 * suffix_maps_log2() - size of the suffix map for a set's long patterns
 * Return: log2 of its bits; 0: the set has too many patterns for a fast map.
 */
unsigned int suffix_maps_log2(const struct outputs *outputs);

/**
 * suffix_maps_bytes() - bytes of both maps; @log2 0: there are none
 */
size_t suffix_maps_bytes(unsigned int log2);

/**
 * suffix_maps_fill() - fill both maps
 * @map: suffix_maps_bytes(@log2), zeroed
 * @outputs: of the set
 * @fold: or-ed to each byte
 * @log2: not 0
 */
void suffix_maps_fill(uint8_t *map, const struct outputs *outputs, uint8_t fold, unsigned int log2);

#endif /* _NFAC_COMPILER_SUFFIX_FILTER_H */
