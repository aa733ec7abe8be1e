// SPDX-License-Identifier: GPL-2.0
/*
 * A packet's addresses and header fields, as the conditions of rules compare them.
 *
 * Called by the queue (inspect.c) and by `nfac scan` (rule_scan.c) when they build a window.
 */

#include "../../kmod/engine/rules/rules.h"
#include "common/prefix.h"
#include "payload.h"

void payload_addresses(const struct payload *payload, uint8_t source[16], uint8_t target[16])
{
	address_map(source, payload->saddr, payload->family);
	address_map(target, payload->daddr, payload->family);
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
