/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policy: which packets an attachment selects, and the verdict on them.
 *
 * Freestanding: the module's hook and the queue use this file.
 */
#ifndef _NFAC_POLICY_H
#define _NFAC_POLICY_H

#include "../../../uapi/linux/nfac.h"
#include "../freestanding.h"

/* Flags of an attachment that marks packets or connections. */
#define NFAC_ATTACH_MARKS	(NFAC_ATTACH_MARK | NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL)

/* The mark after the attachment: bits outside the mask are kept. */
static inline u32 nfac_mark_after(const struct nfac_ioc_attach *want, u32 mark)
{
	return (mark & ~want->mark_mask) | want->mark;
}

/* The mark of a packet in which an inexact rule may hold: bits outside the mask are kept. */
static inline u32 nfac_candidate_mark_after(const struct nfac_ioc_attach *want, u32 mark)
{
	return (mark & ~want->candidate_mask) | want->candidate_mark;
}

/*
 * Of a packet's @matches, those that the attachment acts on: of rules that were checked in full, or
 * all. @inexact: the others
 */
static inline u32 nfac_acting_matches(u32 flags, u32 matches, u32 inexact)
{
	return matches - (flags & NFAC_ATTACH_ACT_INEXACT ? 0 : inexact);
}

/* Does a packet get the candidate mark? @again: it sends bytes again that had it */
static inline bool nfac_is_candidate(u32 flags, u32 inexact, bool again)
{
	return (flags & NFAC_ATTACH_CANDIDATE) && (inexact || again);
}

/**
 * nfac_selects_mark() - does the attachment select packets with this mark?
 * @want: the attachment's options
 * @mark: the packet's, before the attachment
 *
 * Context: any.
 */
static inline bool nfac_selects_mark(const struct nfac_ioc_attach *want, u32 mark)
{
	return !(want->flags & NFAC_ATTACH_WHEN_MARK) ||
	       (mark & want->when_mask) == want->when_mark;
}

/**
 * nfac_selects_name() - does the attachment select packets of this interface?
 * @want: a name with a NUL among its NFAC_IFNAME_LEN bytes; '*' at its end matches any rest
 * @name: of the interface
 *
 * Context: any.
 */
static inline bool nfac_selects_name(const char *want, const char *name)
{
	for (; *want; want++, name++) {
		/* also before a '*' of the name itself */
		if (*want == '*' && !want[1])
			return true;
		if (*want != *name)
			return false;
	}
	return !*name;
}

/* Ports alone, or pairs of the first and the last of a range. */
static inline bool nfac_selects_port(const struct nfac_ioc_attach *want, u16 port)
{
	u32 i, step = want->flags & NFAC_ATTACH_PORT_RANGES ? 2 : 1;

	for (i = 0; i + step <= want->nports; i += step)
		if (port >= want->ports[i] && port <= want->ports[i + step - 1])
			return true;
	return false;
}

/**
 * nfac_selects_ports() - does the attachment select packets of this protocol and port?
 * @want: the attachment's options
 * @protocol: IPPROTO_*; 0: not known, behind headers that were not followed
 * @ports: @dport is known
 * @dport: host order
 *
 * A packet whose ports are not known, such as a fragment, is selected.
 *
 * Context: any.
 */
static inline bool nfac_selects_ports(const struct nfac_ioc_attach *want, u8 protocol,
				      bool ports, u16 dport)
{
	if (want->protocol && protocol && want->protocol != protocol)
		return false;
	return !want->nports || !ports || nfac_selects_port(want, dport);
}

/* Is a connection that was not seen from its SYN followed, from its next segment on? */
static inline bool nfac_picks_up(u32 flags)
{
	return !(flags & NFAC_ATTACH_GAP_DROP) || (flags & NFAC_ATTACH_PICKUP);
}

/* Is a segment dropped that found no slot in the flow table? */
static inline bool nfac_full_drops(u32 flags)
{
	if (flags & (NFAC_ATTACH_FULL_DROP | NFAC_ATTACH_FULL_PASS))
		return flags & NFAC_ATTACH_FULL_DROP;
	return flags & (NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_SKIP_DROP);
}

/* Does a rule that the budget leaves unevaluated count as holding? */
static inline bool nfac_budget_holds(u32 flags)
{
	if (flags & (NFAC_ATTACH_BUDGET_MATCH | NFAC_ATTACH_BUDGET_PASS))
		return flags & NFAC_ATTACH_BUDGET_MATCH;
	return flags & NFAC_ATTACH_DROP;
}

/**
 * nfac_protocol_drops() - is an IP packet dropped whose protocol is not inspected?
 * @want: the attachment's options
 * @protocol: IPPROTO_*, neither TCP nor UDP; the packet is not of neighbour discovery
 * @ports: it has ports
 *
 * An attachment to ports does not concern protocols that have none.
 *
 * Context: any.
 */
static inline bool nfac_protocol_drops(const struct nfac_ioc_attach *want, u8 protocol, bool ports)
{
	return (want->flags & NFAC_ATTACH_PROTOCOL_DROP) && (ports || !want->nports) &&
	       !(want->allow[protocol / 32] & BIT(protocol % 32));
}

/**
 * nfac_skip_drops() - is a packet dropped that was not inspected in full?
 * @flags: NFAC_ATTACH_*
 * @why: the reason
 *
 * For NFAC_SKIP_PROTOCOL, see nfac_protocol_drops().
 *
 * Context: any.
 */
static inline bool nfac_skip_drops(u32 flags, enum nfac_skip why)
{
	switch (why) {
	case NFAC_SKIP_PROTOCOL:
		return false;
	case NFAC_SKIP_TABLE_FULL:
		return nfac_full_drops(flags);
	case NFAC_SKIP_CORRUPT:
		if (flags & NFAC_ATTACH_DAMAGED_PASS)
			return false;
		return flags & (NFAC_ATTACH_DROP | NFAC_ATTACH_SKIP_DROP);
	case NFAC_SKIP_GAP:
	case NFAC_SKIP_WINDOW:
	case NFAC_SKIP_UNREADABLE:
		/* retransmitted when the gap is filled, or in smaller pieces */
		return flags & (NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_SKIP_DROP);
	default:
		return flags & NFAC_ATTACH_SKIP_DROP;
	}
}

/**
 * nfac_found_drops() - is a packet dropped that was inspected?
 * @flags: NFAC_ATTACH_*
 * @found: it has a match, or retransmitted bytes of an earlier match
 * @unseen: bits 1 << NFAC_SKIP_*: why not all of its new bytes were inspected
 *
 * A packet that would be dropped without a match is dropped with one.
 *
 * Context: any.
 */
static inline bool nfac_found_drops(u32 flags, bool found, u32 unseen)
{
	u32 why;

	if (found && (flags & NFAC_ATTACH_DROP))
		return true;
	for (why = 0; unseen; why++, unseen >>= 1)
		if ((unseen & 1) && nfac_skip_drops(flags, why))
			return true;
	return false;
}

#endif /* _NFAC_POLICY_H */
