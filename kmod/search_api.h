/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Search API: what nfac.ko exports to the modules that make a set available to another
 * subsystem's rules (ts_nfac, xt_nfac, nfac_ct).
 *
 * A rule holds a set from the time it is added until it is deleted: the set cannot be
 * unloaded meanwhile, but it can be reloaded, which takes effect on the rule's next
 * packet. What a rule cannot inspect is counted with the set.
 *
 *	set = nfac_search_get_set(net, "web");		rule is added, may sleep
 *
 *	if (nfac_search_begin(&search, set)) {		each packet
 *		while (... nfac_search_wants_more(&search))
 *			nfac_search_block(&search, text, len);
 *		found = nfac_search_end(&search);
 *	}
 *
 *	nfac_search_put_set(set);				rule is deleted
 */
#ifndef _NFAC_SEARCH_API_H
#define _NFAC_SEARCH_API_H

#include <net/net_namespace.h>

#include "confirm.h"
#include "payload.h"
#include "skb_scan.h"

struct nfac_set;

struct nfac_set *nfac_search_get_set(struct net *net, const char *name);
void nfac_search_put_set(struct nfac_set *set);

/**
 * struct nfac_search - a search for the match that ends first
 *
 * On the caller's stack, between nfac_search_begin() and nfac_search_end().
 *
 * @scan: of the bytes
 * @set: whose patterns, held by the rule
 * @confirm: the packet and its payload; its skb is NULL where only a text is known (textsearch)
 * @from: offset in the payload of the first byte to search
 * @to: one past the last one
 * @bytes: searched before the text, in other datagrams of the packet
 * @begin: offset in the payload of the text's first byte, for the patterns' own limits
 * @end: of a match: one past its last byte, from the text's first
 */
struct nfac_search {
	struct nfac_scan scan;
	struct nfac_set *set;
	struct nfac_skb_confirm confirm;
	u32 from;
	u32 to;
	u32 bytes;
	s64 begin;
	s64 end;
};

bool nfac_search_begin(struct nfac_search *search, struct nfac_set *set);
bool nfac_search_skb(struct nfac_search *search, const struct sk_buff *skb,
		     const struct nfac_payload *payload, u32 from, u32 to);
bool nfac_search_end(struct nfac_search *search);
void nfac_search_skipped(struct nfac_set *set, enum nfac_skip why);

/* Has nothing been found yet? */
static inline bool nfac_search_wants_more(const struct nfac_search *search)
{
	return !search->scan.stopped;
}

/**
 * nfac_search_block() - search the next bytes
 * @search: begun
 * @text: bytes that follow those of the call before
 * @len: of them
 *
 * Context: as nfac_search_begin().
 */
static inline void nfac_search_block(struct nfac_search *search, const u8 *text,
				     u32 len)
{
	nfac_scan_block(&search->scan, text, len);
}

#endif /* _NFAC_SEARCH_API_H */
