/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scan: an automaton over a packet's bytes, or over a stream's.
 *
 * What all who inspect packets have in common, in the module and in the queue: the
 * pattern's own limits, the cap, which match counts, where it lies.
 *
 * Freestanding; where the bytes come from is for each side to say.
 */
#ifndef _NFAC_SCAN_TEXT_H
#define _NFAC_SCAN_TEXT_H

#include "matcher.h"

/*
 * Matches reported for one packet. A packet of 64 KiB may hold millions; after this many
 * it is clear what it is.
 */
#define NFAC_MATCHES_MAX	1024

struct nfac_scan;

/**
 * typedef nfac_found_fn - called for each match that the pattern's limits allow
 * @scan: the scan under way
 * @hit: the match
 * @offset: of its first byte, from the payload's first; negative when it began
 *	in an earlier segment of a stream
 *
 * Return: false to get no more.
 */
typedef bool (*nfac_found_fn)(struct nfac_scan *scan, const struct nfac_hit *hit,
			      s64 offset);

/**
 * struct nfac_scan - a scan under way
 *
 * On the stack of whoever inspects the packet; embed it to reach one's own state
 * from @found. The fields up to @found are set by nfac_scan_init() or after it.
 *
 * @automaton: kept by RCU or a reference
 * @cursor: where the automaton is: @own, or a flow's, under the flow's lock
 * @base: offset in the payload of the next block's first byte
 * @origin: offset of the payload in its stream, 0 for a packet. A pattern's limits
 *	hold in the stream or in the packet
 * @protocol: IPPROTO_*, 0 when not known (then limits ask for no protocol)
 * @sport: host order
 * @dport: host order
 * @found: called for each match, or NULL
 * @matches: counted so far
 * @capped: there were more than NFAC_MATCHES_MAX
 * @stopped: no more matches are wanted
 * @only: not 0: only matches that have the payload's byte @only - 1 in them count
 * @own: cursor of a scan that begins and ends with a packet
 */
struct nfac_scan {
	const struct nfac_automaton *automaton;
	struct nfac_cursor *cursor;
	s64 base;
	s64 origin;
	u16 sport;
	u16 dport;
	u8 protocol;
	nfac_found_fn found;
	u32 matches;
	bool capped;
	bool stopped;
	u32 only;
	struct nfac_cursor own;
};

static inline void nfac_scan_init(struct nfac_scan *scan,
				  const struct nfac_automaton *automaton,
				  nfac_found_fn found)
{
	memset(scan, 0, offsetof(struct nfac_scan, own));
	nfac_cursor_init(&scan->own);
	scan->automaton = automaton;
	scan->cursor = &scan->own;
	scan->found = found;
}

/* Nothing that follows could change anything. */
static inline bool nfac_scan_over(const struct nfac_scan *scan)
{
	return scan->stopped && scan->cursor == &scan->own;
}

void nfac_scan_text(struct nfac_scan *scan, const u8 *text, u32 len,
		    enum nfac_path path);

/* Where a packet's payload lies; each side has its own. */
struct nfac_source;

/**
 * nfac_scan_source() - scan some of a packet's payload where it lies
 * @scan: initialised
 * @source: the payload
 * @from: offset in the payload of the first byte, at most @to
 * @to: one past the last byte, at most the payload's length
 *
 * Each side brings this function.
 *
 * Context: any but NMI; the automaton is kept by the caller.
 * Return: bytes scanned: @to - @from, or less when the rest cannot be read.
 */
u32 nfac_scan_source(struct nfac_scan *scan, const struct nfac_source *source,
		     u32 from, u32 to);

#endif /* _NFAC_SCAN_TEXT_H */
