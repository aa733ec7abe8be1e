/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict: which packets an attachment's options want, and what they make of what was
 * found in them.
 *
 * Freestanding: the module's hook and the queue decide by the same lines.
 */
#ifndef _NFAC_VERDICT_H
#define _NFAC_VERDICT_H

#include "../uapi/linux/nfac.h"
#include "freestanding.h"

/* The bits of a mark that are not in the mask stay. */
static inline u32 nfac_mark_after(const struct nfac_ioc_attach *want, u32 mark)
{
	return (mark & ~want->mark_mask) | want->mark;
}

/**
 * nfac_selects_mark() - may a packet with this mark be inspected?
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
 * nfac_selects_ports() - is a packet's protocol and port wanted?
 * @want: the attachment's options
 * @protocol: IPPROTO_*; 0: not known, behind headers that were not followed
 * @ports: @dport is known
 * @dport: host order
 *
 * What is not known, in a fragment or a header that is cut, may be what is wanted.
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
 * nfac_skip_drops() - is a packet dropped that was not inspected?
 * @flags: NFAC_ATTACH_*
 * @why: the reason
 *
 * Protocols that nobody asked to look into are not dropped with SKIP_DROP: neighbour
 * discovery would be among them.
 *
 * Context: any.
 */
static inline bool nfac_skip_drops(u32 flags, enum nfac_skip why)
{
	/* comes again when the gap is filled, or in smaller pieces */
	if ((flags & NFAC_ATTACH_GAP_DROP) &&
	    (why == NFAC_SKIP_GAP || why == NFAC_SKIP_UNREADABLE))
		return true;
	return (flags & NFAC_ATTACH_SKIP_DROP) && why != NFAC_SKIP_PROTOCOL;
}

/**
 * nfac_found_drops() - is a packet dropped that was inspected?
 * @flags: NFAC_ATTACH_*
 * @found: it has a match, or what matched before was sent again
 * @skip: what could not be done all the same; NFAC_SKIP_MAX: nothing
 *
 * A segment that found no place in the table was scanned by itself, its stream was not.
 *
 * Context: any.
 */
static inline bool nfac_found_drops(u32 flags, bool found, enum nfac_skip skip)
{
	return (found && (flags & NFAC_ATTACH_DROP)) ||
	       (skip == NFAC_SKIP_TABLE_FULL && (flags & NFAC_ATTACH_SKIP_DROP));
}

#endif /* _NFAC_VERDICT_H */
