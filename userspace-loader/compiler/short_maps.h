/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The short patterns' maps (their form is in blob.h; match/short_patterns.c reads them).
 */
#ifndef _NFAC_SHORT_MAPS_H
#define _NFAC_SHORT_MAPS_H

#include "outputs.h"

/* Number of spellings of byte patterns, which are the first spellings. */
uint32_t byte_patterns_count(const struct outputs *o);

/*
 * Fill the maps at @map, NFAC_SHORT_BYTES and nfac_byte_patterns_bytes(), which are 0.
 * Return: 0, -ENOMEM.
 */
int short_maps_fill(uint8_t *map, const struct outputs *o);

#endif /* _NFAC_SHORT_MAPS_H */
