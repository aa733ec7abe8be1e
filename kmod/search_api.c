// SPDX-License-Identifier: GPL-2.0
/*
 * Search API: searching for a set's patterns on behalf of a rule of another module.
 *
 * A rule needs to know whether there is a match, so a search stops at the first one.
 */

#include <linux/module.h>

#include "pattern_set.h"
#include "search_api.h"

/**
 * nfac_search_get_set() - hold a set for a rule
 * @net: the rule's namespace
 * @name: of the set
 *
 * A set that is held cannot be unloaded, but it can be reloaded.
 *
 * Context: process, may sleep.
 * Return: the set, for nfac_search_put_set(), or NULL: there is none of that name.
 */
struct nfac_set *nfac_search_get_set(struct net *net, const char *name)
{
	struct nfac_net *nn = nfac_net(net);
	struct nfac_set *set;

	mutex_lock(&nn->lock);
	set = nfac_set_find(nn, name);
	if (set && !rcu_access_pointer(set->load))
		set = NULL;
	if (set) {
		nfac_set_get(set);
		atomic_inc(&set->rules);
	}
	mutex_unlock(&nn->lock);
	return set;
}
EXPORT_SYMBOL_GPL(nfac_search_get_set);

/**
 * nfac_search_put_set() - release a set from nfac_search_get_set()
 * @set: held by the caller, which inspects no more packets with it
 *
 * Context: any.
 */
void nfac_search_put_set(struct nfac_set *set)
{
	atomic_dec(&set->rules);
	nfac_set_put(set);
}
EXPORT_SYMBOL_GPL(nfac_search_put_set);

static bool nfac_search_found(struct nfac_scan *scan, const struct nfac_hit *hit,
			      s64 offset)
{
	struct nfac_search *search = container_of(scan, struct nfac_search, scan);

	nfac_load_hit(scan->automaton, hit->id);
	/* a rule that was not checked in full is no match here: continue */
	if (scan->inexact)
		return true;
	search->end = offset + hit->length - search->begin;
	return false;
}

/**
 * nfac_search_begin() - start a search
 * @search: to be filled
 * @set: held by the rule
 *
 * Context: softirq or process, not NMI; after true no sleeping until
 * nfac_search_end().
 * Return: false when there is nothing to search with: the set was found damaged,
 * or its namespace has exited. That is counted.
 */
bool nfac_search_begin(struct nfac_search *search, struct nfac_set *set)
{
	const struct nfac_load *load;

	rcu_read_lock();
	load = nfac_set_load(set);
	if (!load || READ_ONCE(load->damaged)) {
		rcu_read_unlock();
		nfac_search_skipped(set, NFAC_SKIP_CORRUPT);
		return false;
	}
	nfac_scan_init(&search->scan, &load->automaton, nfac_search_found);
	search->set = set;
	search->confirm.skb = NULL;
	search->bytes = 0;
	search->begin = 0;
	if (nfac_automaton_confirms(&load->automaton))
		nfac_confirm_begin(&search->confirm, &search->scan, false);
	/* held on true only, which sparse cannot express; nfac_search_end() releases it */
	__release(RCU);
	return true;
}
EXPORT_SYMBOL_GPL(nfac_search_begin);

/* Search bytes @from .. @to of @bytes that begin at @at. Return: false: not all of it. */
static bool nfac_search_datagram(struct nfac_search *search, struct sk_buff *skb, u32 at,
				 u32 bytes, u32 from, u32 to)
{
	to = min(to, bytes);
	if (from >= to)
		return true;
	search->bytes += search->scan.base - search->begin;
	search->begin = from;
	search->scan.base = from;
	nfac_cursor_init(search->scan.cursor);
	return nfac_scan_skb(&search->scan, skb, at + from, at + to) == to - from;
}

/**
 * nfac_search_skb() - search part of a packet's payload
 * @search: begun, nothing searched yet
 * @skb: not changed, not copied
 * @payload: found in @skb
 * @from: offset in the payload of the first byte
 * @to: one past the last byte; beyond the payload: to its end
 *
 * The patterns' own offsets count from the payload's first byte. Of a UDP GSO packet the same
 * part of each datagram is searched. A part that cannot be read is counted.
 *
 * Context: as nfac_search_begin().
 * Return: false when a part was not searched, and nothing was found before it.
 */
bool nfac_search_skb(struct nfac_search *search, const struct sk_buff *skb,
		     const struct nfac_payload *payload, u32 from, u32 to)
{
	u32 length = payload->to - payload->from;
	u32 size = nfac_datagram_bytes(skb, length), at;

	search->confirm.skb = skb;
	search->confirm.payload = payload;
	search->from = min(from, size);
	search->to = clamp(to, search->from, size);
	search->scan.protocol = payload->protocol;
	search->scan.sport = payload->sport;
	search->scan.dport = payload->dport;
	for (at = 0; at < length && nfac_search_wants_more(search); at += size) {
		/* skb_prepare_seq_read() takes no const skb, but changes nothing of it */
		if (nfac_search_datagram(search, (struct sk_buff *)skb, payload->from + at,
					 min(size, length - at), from, to))
			continue;
		nfac_search_skipped(search->set, NFAC_SKIP_UNREADABLE);
		return search->scan.matches;
	}
	return true;
}
EXPORT_SYMBOL_GPL(nfac_search_skb);

/* Rules whose anchors matched: over the packet; a text without a packet confirms none. */
static void nfac_search_confirm(struct nfac_search *search)
{
	if (search->confirm.skb)
		nfac_confirm_skb(&search->confirm, &search->scan, search->from, search->to);
	else
		search->scan.unevaluated += search->scan.escapes;
	if (!search->confirm.skb && search->scan.pending)
		search->scan.unevaluated += search->scan.pending->count;
	nfac_confirm_end(&search->scan);
	if (search->scan.unevaluated)
		nfac_search_skipped(search->set, NFAC_SKIP_BUDGET);
}

/**
 * nfac_search_end() - finish a search
 * @search: begun; @search->end is valid after true
 *
 * Counts the packet with the set.
 *
 * Context: as nfac_search_begin().
 * Return: true when a pattern was found.
 */
bool nfac_search_end(struct nfac_search *search)
{
	struct nfac_scan *scan = &search->scan;
	struct nfac_tally tally = {
		.bytes = search->bytes + scan->base - search->begin,
	};

	if (nfac_automaton_confirms(scan->automaton))
		nfac_search_confirm(search);
	tally.matches = scan->matches;
	__acquire(RCU);
	rcu_read_unlock();
	nfac_stats_packet(search->set->stats, &tally);
	/* a rule of another subsystem acts: what was not checked in full is no match for it */
	return tally.matches > scan->inexact_matches;
}
EXPORT_SYMBOL_GPL(nfac_search_end);

/**
 * nfac_search_skipped() - count a packet that a rule could not inspect
 * @set: held by the rule
 * @why: the reason; in sysfs all are summed up in the set's "rule_skipped"
 *
 * Context: any.
 */
void nfac_search_skipped(struct nfac_set *set, enum nfac_skip why)
{
	nfac_stats_skip(set->stats, why);
}
EXPORT_SYMBOL_GPL(nfac_search_skipped);
