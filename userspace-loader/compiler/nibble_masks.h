/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nibble masks (Teddy): the first bytes of patterns in eight buckets (their form is in blob.h).
 */
#ifndef _NFAC_NIBBLE_MASKS_H
#define _NFAC_NIBBLE_MASKS_H

#include "outputs.h"
#include "../../kmod/engine/blob.h"

/* distinct first q-grams up to which a set may have nibble masks */
#define NIBBLE_MASKS_GRAMS_MAX	96

/**
 * struct nibble_masks - the masks, and how much text they pass
 * @map: as in a blob
 * @pass: share of a text's positions that pass, estimated from the byte frequencies of web traffic,
 *	0 .. 1; 1 if the patterns have more than NIBBLE_MASKS_GRAMS_MAX first q-grams
 */
struct nibble_masks {
	uint8_t map[NFAC_NIBBLE_MASKS_BYTES];
	double pass;
};

/**
 * nibble_masks_build() - distribute patterns over buckets so that little other text passes
 * @lower: by lower nibbles only
 * / Return: 0, -ENOMEM.
 */
int nibble_masks_build(struct nibble_masks *nibble_masks, const struct outputs *o, bool lower);

#endif /* _NFAC_NIBBLE_MASKS_H */
