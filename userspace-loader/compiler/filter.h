/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first part of the tables section: the prefilter's maps and the short patterns' maps. Their
 * form is in blob.h; match/prefilter.c and match/short_patterns.c read them.
 */
#ifndef _NFAC_FILTER_H
#define _NFAC_FILTER_H

#include "outputs.h"
#include "../../kmod/engine/blob.h"

/**
 * struct filter - the maps of a set
 * @head: as in the blob's header
 * @bytes: the maps, in the section's order
 * @size: their bytes, a multiple of 8
 * @short_at: offset of the short patterns' maps
 * @short_lengths: bit l: there are patterns of l bytes
 * @byte_patterns: number of byte patterns, in each spelling
 * / Owned by nfac_compile(), freed by filter_free().
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
 * filter_build() - choose the filter configuration and fill the maps
 * @filter: filled
 * @outputs: of the set
 * @suffix_filter: also fill the suffix maps
 * / Return: 0, -ENOMEM.
 */
int filter_build(struct filter *filter, const struct outputs *outputs, bool suffix_filter);
void filter_free(struct filter *filter);

#endif /* _NFAC_FILTER_H */
