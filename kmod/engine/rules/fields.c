// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions on a packet's headers and its connection: ports, addresses, fields, flags, flowbits.
 *
 * Called by the interpreter before any buffer is parsed. What the window does not know holds
 * "unchecked": the rule is then inexact for this packet.
 *
 * Cost: one comparison for each range or prefix, at most NFAC_PROGRAM_WORDS_MAX of them.
 */
#include "conditions.h"

#define PREFIX_WORDS	5u	/* an address of four words, and its length */

static enum nfac_field_state state_of(bool holds, const struct nfac_condition *c)
{
	return holds != !!(le32_to_cpu(c->flags) & NFAC_CONDITION_NEGATED) ? NFAC_FIELD_HOLDS :
									     NFAC_FIELD_FAILS;
}

static enum nfac_field_state port_holds(const struct nfac_condition *c, u32 port)
{
	const u32 ranges = nfac_condition_words(c) - 2;
	u32 i, range;

	for (i = 0; i < ranges; i++) {
		range = nfac_condition_word(c, i);
		if (port >= (range & 0xffff) && port <= range >> 16)
			return state_of(true, c);
	}
	return state_of(false, c);
}

/* Do the first @bits bits agree? The prefix is in network order in its four words. */
static bool prefix_holds(const struct nfac_condition *c, u32 word, const u8 *address)
{
	const u8 *prefix = (const u8 *)((const __le32 *)(c + 1) + word);
	const u32 bits = nfac_condition_word(c, word + 4);

	if (memcmp(prefix, address, bits / 8))
		return false;
	return !(bits % 8) || !((prefix[bits / 8] ^ address[bits / 8]) >> (8 - bits % 8));
}

static enum nfac_field_state address_holds(const struct nfac_condition *c, const u8 *address)
{
	const u32 words = nfac_condition_words(c) - 2;
	u32 i;

	for (i = 0; i < words; i += PREFIX_WORDS)
		if (prefix_holds(c, i, address))
			return state_of(true, c);
	return state_of(false, c);
}

static enum nfac_field_state header_field_holds(const struct nfac_condition *c,
						const struct nfac_window *w)
{
	const u32 field = nfac_condition_word(c, 0);

	if (!(w->known >> field & 1))
		return NFAC_FIELD_UNKNOWN;
	return state_of(w->fields[field] >= nfac_condition_word(c, 1) &&
			w->fields[field] <= nfac_condition_word(c, 2), c);
}

static enum nfac_field_state tcp_flags_hold(const struct nfac_condition *c,
					    const struct nfac_window *w)
{
	const u32 value = nfac_condition_word(c, 0), mask = nfac_condition_word(c, 1);
	const u32 flags = w->tcp_flags & mask;

	if (w->protocol != IP_TCP)
		return NFAC_FIELD_FAILS;
	switch (nfac_condition_word(c, 2)) {
	case 0:
		return state_of(flags == value, c);
	case 1:
		return state_of((flags & value) == value, c);
	case 2:
		return state_of(flags & value, c);
	default:
		return state_of(!(flags & value), c);
	}
}

static u64 flowbits_mask(const struct nfac_condition *c)
{
	return nfac_condition_word(c, 1) | (u64)nfac_condition_word(c, 2) << 32;
}

static enum nfac_field_state flowbits_hold(const struct nfac_condition *c,
					   const struct nfac_window *w)
{
	const u32 action = nfac_condition_word(c, 0);
	const u64 mask = flowbits_mask(c);
	u64 wanted;

	if (action > NFAC_FLOWBITS_ISNOTSET)
		return NFAC_FIELD_HOLDS;
	if (!w->bits)
		return NFAC_FIELD_UNKNOWN;
	wanted = action == NFAC_FLOWBITS_ISSET ? w->bits->set : ~w->bits->set;
	if (wanted & mask & ~w->bits->unsure)
		return NFAC_FIELD_HOLDS;
	return w->bits->unsure & mask ? NFAC_FIELD_UNKNOWN : NFAC_FIELD_FAILS;
}

enum nfac_field_state nfac_field_holds(const struct nfac_condition *c,
				       const struct nfac_window *w, bool swapped)
{
	const enum nfac_condition_type type = nfac_condition_type(c);

	switch (type) {
	case NFAC_CONDITION_SPORT:
	case NFAC_CONDITION_DPORT:
		if (!w->ports)
			return nfac_is_icmp(w->protocol) ? NFAC_FIELD_FAILS : NFAC_FIELD_UNKNOWN;
		return port_holds(c, (type == NFAC_CONDITION_SPORT) != swapped ? w->sport :
										 w->dport);
	case NFAC_CONDITION_SADDR:
	case NFAC_CONDITION_DADDR:
		if (!w->addresses)
			return NFAC_FIELD_UNKNOWN;
		return address_holds(c, (type == NFAC_CONDITION_SADDR) != swapped ? w->saddr :
										    w->daddr);
	case NFAC_CONDITION_FIELD:
		return header_field_holds(c, w);
	case NFAC_CONDITION_TCP_FLAGS:
		return tcp_flags_hold(c, w);
	case NFAC_CONDITION_FLOWBITS:
		return flowbits_hold(c, w);
	default:
		/* of user space alone */
		return NFAC_FIELD_UNKNOWN;
	}
}

static void flowbits_change(struct nfac_flowbits *bits, u32 action, u64 mask, bool sure)
{
	u64 before = bits->set;

	switch (action) {
	case NFAC_FLOWBITS_SET:
		bits->set |= mask;
		break;
	case NFAC_FLOWBITS_UNSET:
		bits->set &= ~mask;
		break;
	case NFAC_FLOWBITS_TOGGLE:
		bits->set ^= mask;
		/* what was not known before is not known now */
		bits->unsure |= sure ? 0 : mask;
		return;
	default:
		return;
	}
	if (sure)
		bits->unsure &= ~mask;
	else
		bits->unsure |= before ^ bits->set;
}

void nfac_flowbits_apply(const __le32 *p, u32 end, struct nfac_flowbits *bits, bool sure)
{
	u32 at = sizeof(struct nfac_program) / 4;
	const struct nfac_condition *c;

	for (; at < end; at += nfac_condition_words(c)) {
		c = (const struct nfac_condition *)(p + at);
		if (nfac_condition_type(c) == NFAC_CONDITION_FLOWBITS)
			flowbits_change(bits, nfac_condition_word(c, 0), flowbits_mask(c), sure);
	}
}
