/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fragments of IPv4 and IPv6 packets in a capture, put together.
 *
 * Of bytes that two fragments have the first ones count, as with Suricata's default policy. A
 * table of fixed size; the oldest packet makes room.
 */
#ifndef _NFAC_FRAGMENTS_H
#define _NFAC_FRAGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fragments;

struct fragments *fragments_new(void);
void fragments_free(struct fragments *table);

/* Is the packet, from its IP header on, a fragment? */
bool is_fragment(const uint8_t *packet, size_t length);

/**
 * fragments_add() - add a fragment
 * @packet: from the IP header on, whole
 * @now: time of the packet, seconds
 * @whole: set to the packet without fragment header, valid until the next call
 * @whole_length: bytes of @whole
 *
 * Return: the packet is whole now.
 */
bool fragments_add(struct fragments *table, const uint8_t *packet, size_t length, int64_t now,
		   const uint8_t **whole, size_t *whole_length);

/* Fragments whose packet never became whole. */
uint64_t fragments_left(const struct fragments *table);

#endif /* _NFAC_FRAGMENTS_H */
