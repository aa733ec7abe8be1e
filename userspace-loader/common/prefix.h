/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prefixes: an address or a network, IPv4 mapped into IPv6 (::ffff:0:0/96), so that one
 * comparison serves both.
 */
#ifndef _NFAC_PREFIX_H
#define _NFAC_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

/* @bits: of the mapped address, 96 to 128 for IPv4; @negated: all but these */
struct prefix {
	uint8_t bytes[16];
	uint32_t bits;
	bool negated;
};

/* Read ADDRESS or ADDRESS/BITS. Return: false: it is neither. */
bool prefix_parse(struct prefix *prefix, const char *text, bool negated);

/* Is the address of 16 bytes in the network? Ignores @negated. */
bool prefix_covers(const struct prefix *prefix, const uint8_t *address);

/* An address of this family, which has 4 bytes or 16, as 16. */
void address_map(uint8_t to[16], const uint8_t *from, uint8_t family);

#endif /* _NFAC_PREFIX_H */
