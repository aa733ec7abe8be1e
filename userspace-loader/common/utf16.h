/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UTF-16 and UTF-32 with a byte order mark, decoded to UTF-8 for the search. input.c calls it.
 */
#ifndef _NFAC_UTF16_H
#define _NFAC_UTF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kind.h"

/**
 * struct utf16 - a decoder's state between two blocks
 * @width: bytes of a code unit: 2 or 4; 0: the text is in another encoding
 * @big: most significant byte first
 * @have: bytes of @unit so far
 * @high: the surrogate that the next code unit completes; 0: none
 * @damaged: a code unit without a character was replaced by U+FFFD
 */
struct utf16 {
	uint8_t width, have;
	bool big, damaged;
	uint32_t unit, high;
};

/* Set up @utf for a text of this kind. Return: bytes of its mark; 0: it is no such text. */
size_t utf16_begin(struct utf16 *utf, const struct kind *kind);

/**
 * utf16_decode() - decode a block
 * @to: room for 2 * @length + 6 bytes
 *
 * Return: bytes written.
 */
size_t utf16_decode(struct utf16 *utf, const uint8_t *bytes, size_t length, uint8_t *to);

/* The text ends: an incomplete character becomes U+FFFD. Return: bytes written, 3 at most. */
size_t utf16_end(struct utf16 *utf, uint8_t *to);

#endif /* _NFAC_UTF16_H */
