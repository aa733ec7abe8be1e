/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Maps by nibble: the first bytes of patterns in eight buckets (their form is in
 * blob.h).
 */
#ifndef _NFAC_NIBBLE_MASKS_H
#define _NFAC_NIBBLE_MASKS_H

#include "outputs.h"
#include "../../kmod/engine/blob.h"

/* Patterns that begin with more different grams are not put into maps by nibble. */
#define NIBBLE_MASKS_GRAMS_MAX	96

/* From this length on a pattern has a whole gram at each of NFAC_GRAM offsets. */
#define NIBBLE_MASKS_LENGTH	(2 * NFAC_GRAM - 1)

/**
 * struct mids - the maps, and what they let pass
 * @map: as in a blob
 * @pass: share of a text's positions that pass, as far as can be told from how often
 *	bytes occur in web traffic, 0 .. 1; 1 when the patterns begin with more than
 *	NIBBLE_MASKS_GRAMS_MAX grams
 * @pass_three: the same by three bytes of each alone
 */
struct nibble_masks {
	uint8_t map[NFAC_NIBBLE_MASKS_BYTES];
	double pass, pass_three;
};

/**
 * nibble_masks_build() - put patterns into buckets so that little other text passes
 * @below: the long patterns that are shorter than this
 *
 * Return: 0, -ENOMEM.
 */
int nibble_masks_build(struct nibble_masks *nibble_masks, const struct outputs *o, uint32_t below);

/* Let any fourth byte pass, so that vectors need not look at it. */
void nibble_masks_pass_fourth(struct nibble_masks *nibble_masks);

#endif /* _NFAC_NIBBLE_MASKS_H */
