/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verdicts: which packets an attachment selects, and what happens to them after they were
 * inspected.
 *
 * Freestanding: the module's hook and the queue share this file.
 */
#ifndef _NFAC_VERDICT_H
#define _NFAC_VERDICT_H

#include "../../../uapi/linux/nfac.h"
#include "../freestanding.h"

/* The mark after the attachment: bits outside the mask are kept. */
static inline u32 nfac_mark_after(const struct nfac_ioc_attach *want, u32 mark)
{
	return (mark & ~want->mark_mask) | want->mark;
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
 * nfac_selects_ports() - does the attachment select packets of this protocol and port?
 * @want: the attachment's options
 * @protocol: IPPROTO_*; 0: not known, behind headers that were not followed
 * @ports: @dport is known
 * @dport: host order
 *
 * What is not known, as in a fragment or a truncated header, is selected.
 *
 * Context: any.
 */
static inline bool nfac_selects_ports(const struct nfac_ioc_attach *want, u8 protocol,
				      bool ports, u16 dport)
{
	u32 i;

	if (want->protocol && protocol && want->protocol != protocol)
		return false;
	if (!want->nports || !ports)
		return true;
	for (i = 0; i < want->nports; i++)
		if (want->ports[i] == dport)
			return true;
	return false;
}

/**
 * nfac_skip_drops() - is a packet that was not inspected dropped?
 * @flags: NFAC_ATTACH_*
 * @why: the reason
 *
 * SKIP_DROP does not drop protocols that are not to be inspected: neighbour discovery is
 * among them.
 *
 * Context: any.
 */
static inline bool nfac_skip_drops(u32 flags, enum nfac_skip why)
{
	/* retransmitted when the gap is filled, or in smaller pieces */
	if ((flags & NFAC_ATTACH_GAP_DROP) &&
	    (why == NFAC_SKIP_GAP || why == NFAC_SKIP_UNREADABLE))
		return true;
	return (flags & NFAC_ATTACH_SKIP_DROP) && why != NFAC_SKIP_PROTOCOL;
}

/**
 * nfac_found_drops() - is a packet that was inspected dropped?
 * @flags: NFAC_ATTACH_*
 * @found: it has a match, or bytes of an earlier match were sent again
 * @unseen: not all of its new bytes were inspected
 * @skip: what could not be done of it; NFAC_SKIP_NONE: nothing
 *
 * What would be dropped without a match is not let pass for one. A segment that found no
 * place in the flow table was scanned by itself, but not its stream.
 *
 * Context: any.
 */
static inline bool nfac_found_drops(u32 flags, bool found, bool unseen, enum nfac_skip skip)
{
	return (found && (flags & NFAC_ATTACH_DROP)) ||
	       (unseen && nfac_skip_drops(flags, skip)) ||
	       (skip == NFAC_SKIP_TABLE_FULL && (flags & NFAC_ATTACH_SKIP_DROP));
}

#endif /* _NFAC_VERDICT_H */
