// SPDX-License-Identifier: GPL-2.0
/*
 * Unpacking a body with zlib, at most INFLATED_MAX bytes: a small body may unpack to gigabytes.
 */
#include <string.h>
#include <zlib.h>

#include "inflate.h"

/* As zlib has them: 32 KB of history; with 32 added, a header of gzip or zlib is expected. */
#define HISTORY_BITS	15
#define HEADER_BITS	(HISTORY_BITS + 32)

static uint32_t unpack(const uint8_t *bytes, uint32_t length, uint8_t *to, int bits)
{
	z_stream z = { .next_in = (Bytef *)bytes, .avail_in = length };
	uint32_t written;

	if (inflateInit2(&z, bits) != Z_OK)
		return 0;
	z.next_out = to;
	z.avail_out = INFLATED_MAX;
	/* an error ends it: what was written until then counts */
	while (z.avail_in && z.avail_out && inflate(&z, Z_SYNC_FLUSH) == Z_OK)
		;
	written = INFLATED_MAX - z.avail_out;
	inflateEnd(&z);
	return written;
}

uint32_t inflate_body(const uint8_t *bytes, uint32_t length, uint8_t *to)
{
	uint32_t written = unpack(bytes, length, to, HEADER_BITS);

	return written ? written : unpack(bytes, length, to, -HISTORY_BITS);
}
