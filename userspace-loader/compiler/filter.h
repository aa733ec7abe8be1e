/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The start filter's maps, and the short patterns' (see kmod/matcher_filter.c).
 */
#ifndef _NFAC_FILTER_H
#define _NFAC_FILTER_H

#include "outputs.h"
#include "../../uapi/linux/nfac_blob.h"

/**
 * struct filter - the blob's filter section
 * @head: as the header has it
 * @bytes: the section, NFAC_BLOB_ALIGN aligned, or NULL
 * @size: bytes, a multiple of NFAC_BLOB_ALIGN
 * @short_at: where the short patterns' maps begin
 * @short_lengths: bit l: there are patterns of l bytes
 *
 * Owned by nfac_compile(), freed by filter_free().
 */
struct filter {
	struct nfac_blob_filter head;
	uint8_t *bytes;
	size_t size;
	uint32_t short_at;
	uint32_t short_lengths;
};

int filter_build(struct filter *filter, const struct outputs *outputs);
void filter_free(struct filter *filter);

#endif /* _NFAC_FILTER_H */
