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

/* pattern length from which on there is a whole q-gram at each of NFAC_GRAM offsets */
#define NIBBLE_MASKS_LENGTH	(2 * NFAC_GRAM - 1)

/**
 * struct nibble_masks - the masks, and how much text they pass
 * @map: as in a blob
 * @pass: share of a text's positions that pass, estimated from the byte frequencies of web traffic,
 *	0 .. 1; 1 if the patterns have more than NIBBLE_MASKS_GRAMS_MAX first q-grams
 * @pass_three: the same, by the masks of three bytes only
 */
struct nibble_masks {
	uint8_t map[NFAC_NIBBLE_MASKS_BYTES];
	double pass, pass_three;
};

/**
 * nibble_masks_build() - distribute patterns over buckets so that little other text passes
 * @below: only long patterns that are shorter than this
 * / Return: 0, -ENOMEM.
 */
int nibble_masks_build(struct nibble_masks *nibble_masks, const struct outputs *o, uint32_t below);

/* Let any fourth byte pass, so that the matcher need not compare it. */
void nibble_masks_pass_fourth(struct nibble_masks *nibble_masks);

#endif /* _NFAC_NIBBLE_MASKS_H */
