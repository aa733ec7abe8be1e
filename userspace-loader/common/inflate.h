/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed bodies of HTTP: gzip and deflate, by zlib.
 */
#ifndef _NFAC_INFLATE_H
#define _NFAC_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes that a body may have, unpacked; what follows is not searched (Suricata: 100 KB). */
#define INFLATED_MAX	131072u

/**
 * inflate_body() - unpack the first bytes of a body, which may be cut
 * @bytes: packed: gzip, zlib's format, or deflate without a header
 * @to: INFLATED_MAX bytes
 *
 * Return: bytes written; 0: it is none of the three.
 */
uint32_t inflate_body(const uint8_t *bytes, uint32_t length, uint8_t *to);

#endif /* _NFAC_INFLATE_H */
