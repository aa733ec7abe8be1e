// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: finding a packet's payload, for captures and for the queue. The first
 * byte says how to look, the rest is the packet.
 */
#include <stdlib.h>
#include <string.h>

#include "userspace-loader/capture/payload.h"
#include "libfuzzer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct payload payload;
	enum nfac_skip why = NFAC_SKIP_NONE;
	uint8_t *packet;
	size_t there;
	bool found;

	if (!size)
		return 0;
	there = size - 1;
	packet = malloc(there + !there);
	memcpy(packet, data + 1, there);
	found = payload_locate(packet, there, there + (data[0] >> 4) * 8, data[0] & 3, &payload,
			       &why);
	if (!found && why >= NFAC_SKIP_NONE)
		abort();
	if (found && payload.captured &&
	    (payload.bytes < packet || payload.bytes > packet + there ||
	     payload.captured > (size_t)(packet + there - payload.bytes)))
		abort();
	free(packet);
	return 0;
}
