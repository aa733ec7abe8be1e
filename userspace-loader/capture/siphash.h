/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash whose result cannot be chosen
 * without the key. The C library has none.
 */
#ifndef _NFAC_SIPHASH_H
#define _NFAC_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/**
 * siphash() - hash some words
 * @words: in order
 * @count: of @words; a text of 8 * @count bytes, little-endian
 * @key: secret
 */
uint64_t siphash(const uint64_t *words, size_t count, const uint64_t key[2]);

#endif /* _NFAC_SIPHASH_H */
