// SPDX-License-Identifier: GPL-2.0
/*
 * Reading addresses and networks, and comparing an address with a network.
 */
#include <arpa/inet.h>
#include <string.h>

#include "options.h"
#include "prefix.h"

#define MAPPED	96	/* bits before an IPv4 address */

void address_map(uint8_t to[16], const uint8_t *from, uint8_t family)
{
	static const uint8_t mapped[MAPPED / 8] = { [10] = 0xff, [11] = 0xff };

	if (family == AF_INET6) {
		memcpy(to, from, 16);
		return;
	}
	memcpy(to, mapped, sizeof(mapped));
	memcpy(to + sizeof(mapped), from, 4);
}

bool prefix_parse(struct prefix *p, const char *text, bool negated)
{
	const char *slash = strchrnul(text, '/');
	char address[INET6_ADDRSTRLEN];
	uint64_t bits, most = 128;
	uint8_t v4[4];

	memset(p, 0, sizeof(*p));
	if ((size_t)(slash - text) >= sizeof(address))
		return false;
	memcpy(address, text, slash - text);
	address[slash - text] = 0;
	if (inet_pton(AF_INET, address, v4) == 1) {
		address_map(p->bytes, v4, AF_INET);
		most = 32;
	} else if (inet_pton(AF_INET6, address, p->bytes) != 1) {
		return false;
	}
	bits = most;
	if (*slash && parse_number(slash + 1, 0, most, &bits))
		return false;
	p->bits = 128 - most + bits;
	p->negated = negated;
	return true;
}

bool prefix_covers(const struct prefix *prefix, const uint8_t *address)
{
	uint32_t bytes = prefix->bits / 8, bits = prefix->bits % 8;

	return !memcmp(address, prefix->bytes, bytes) &&
	       (!bits || !((address[bytes] ^ prefix->bytes[bytes]) >> (8 - bits)));
}
