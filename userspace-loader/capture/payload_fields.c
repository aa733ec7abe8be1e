// SPDX-License-Identifier: GPL-2.0
/*
 * A packet's addresses and header fields, as the conditions of rules compare them.
 *
 * Called by the queue (inspect.c) and by `nfac scan` (rule_scan.c) when they build a window.
 */
#include <string.h>
#include <sys/socket.h>

#include "../../kmod/engine/rules/rules.h"
#include "payload.h"

static void map_address(uint8_t to[16], const uint8_t from[16], uint8_t family)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (family == AF_INET6) {
		memcpy(to, from, 16);
		return;
	}
	memcpy(to, mapped, sizeof(mapped));
	memcpy(to + sizeof(mapped), from, 4);
}

void payload_addresses(const struct payload *payload, uint8_t source[16], uint8_t target[16])
{
	map_address(source, payload->saddr, payload->family);
	map_address(target, payload->daddr, payload->family);
}

void payload_field(struct nfac_window *window, unsigned int field, uint32_t value)
{
	window->fields[field] = value;
	window->known |= 1u << field;
}

uint32_t payload_get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return payload_get16(at) << 16 | payload_get16(at + 2);
}

void payload_fields(const struct payload *payload, struct nfac_window *window)
{
	payload_field(window, NFAC_FIELD_IP_PROTO, payload->protocol);
	if (payload->ipv4) {
		payload_field(window, NFAC_FIELD_TTL, payload->ipv4[8]);
		payload_field(window, NFAC_FIELD_IP_ID, payload_get16(payload->ipv4 + 4));
		payload_field(window, NFAC_FIELD_FRAGMENT, payload_get16(payload->ipv4 + 6));
	}
	if (payload->tcp) {
		window->tcp_flags = payload->tcp_flags;
		payload_field(window, NFAC_FIELD_TCP_SEQ, get32(payload->tcp + 4));
		payload_field(window, NFAC_FIELD_TCP_ACK, get32(payload->tcp + 8));
		payload_field(window, NFAC_FIELD_TCP_WINDOW, payload_get16(payload->tcp + 14));
	}
}
