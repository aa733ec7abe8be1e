// SPDX-License-Identifier: GPL-2.0
/*
 * SipHash-2-4, with the constants of the paper; selftests/engine/siphash.c has its published
 * vectors.
 */
#include "siphash.h"

static uint64_t rotate(uint64_t word, int by)
{
	return word << by | word >> (64 - by);
}

static void rounds(uint64_t v[4], int count)
{
	while (count--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

uint64_t siphash(const uint64_t *words, size_t count, const uint64_t key[2])
{
	uint64_t v[4] = {
		key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
		key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573,
	};
	/* the text's length modulo 256 closes it */
	uint64_t last = (uint64_t)(uint8_t)(8 * count) << 56;
	size_t i;

	for (i = 0; i <= count; i++) {
		uint64_t word = i < count ? words[i] : last;

		v[3] ^= word;
		rounds(v, 2);
		v[0] ^= word;
	}
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
