/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables section: the start filter's maps, the short patterns', and room for
 * the hash tables (see blob.h and kmod/matcher_filter.c).
 */
#ifndef _NFAC_FILTER_H
#define _NFAC_FILTER_H

#include "outputs.h"
#include "../../kmod/engine/blob.h"

/**
 * struct filter - the maps of a set
 * @head: as the header has it
 * @bytes: the maps, in the section's order
 * @size: their bytes, a multiple of 8
 * @short_at: where the short patterns' maps begin
 * @short_lengths: bit l: there are patterns of l bytes
 * @byte_patterns: those of one byte, in each spelling
 *
 * Owned by nfac_compile(), freed by filter_free().
 */
struct filter {
	struct nfac_blob_filter head;
	uint8_t *bytes;
	size_t size;
	uint32_t short_at;
	uint32_t short_lengths;
	uint32_t byte_patterns;
};

/**
 * filter_build() - choose the stride and fill the maps
 * @filter: to fill
 * @outputs: of the set
 * @suffix_filter: also fill the suffix maps
 *
 * Return: 0, -ENOMEM.
 */
int filter_build(struct filter *filter, const struct outputs *outputs, bool suffix_filter);
void filter_free(struct filter *filter);

#endif /* _NFAC_FILTER_H */
