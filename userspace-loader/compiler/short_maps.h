/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The short patterns' maps (see blob.h and kmod/matcher_shorts.c).
 */
#ifndef _NFAC_SHORT_MAPS_H
#define _NFAC_SHORT_MAPS_H

#include "outputs.h"

/* Patterns of one byte, in each spelling: so many come first among the spellings. */
uint32_t byte_patterns_count(const struct outputs *o);

/*
 * Fill the maps at @map, NFAC_SHORT_BYTES and nfac_byte_patterns_bytes(), which are 0.
 * Return: 0, -ENOMEM.
 */
int short_maps_fill(uint8_t *map, const struct outputs *o);

#endif /* _NFAC_SHORT_MAPS_H */
