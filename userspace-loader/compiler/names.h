/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names: the patterns themselves, kept in a blob so that a match can be printed.
 */
#ifndef _NFAC_NAMES_H
#define _NFAC_NAMES_H

#include "compiler.h"

/* Bytes of the names section, a multiple of NFAC_BLOB_ALIGN. */
size_t names_bytes(const struct nfac_pattern *patterns, size_t count);
void names_write(uint8_t *to, const struct nfac_pattern *patterns, size_t count);

/**
 * names_next() - read one pattern of a names section, which is not verified
 * @section: the section
 * @bytes: its size
 * @at: offset to read at, moved behind the pattern
 * @pattern: filled, pointing into the section
 * / Return: false at the end, or if the section is malformed.
 */
bool names_next(const uint8_t *section, size_t bytes, size_t *at,
		struct nfac_pattern *pattern);

#endif /* _NFAC_NAMES_H */
