/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scan: the search of a packet's or stream's bytes, with the patterns' limits and the cap on
 * matches.
 *
 * Module and queue share it: hook, stream, search API and inspect.c set up a scan, and
 * nfac_scan_source() of each side calls nfac_scan_text() for every block of bytes. The scan calls
 * back for each match that counts.
 *
 * Freestanding.
 */
#ifndef _NFAC_ENGINE_SCAN_H
#define _NFAC_ENGINE_SCAN_H

#include "match/memory.h"
#include "rules/rules.h"

/* Matches reported for one packet; a packet of 64 KiB may have millions. */
#define NFAC_MATCHES_MAX	1024

struct nfac_scan;

/**
 * typedef nfac_found_fn - called for each match that the pattern's limits allow
 * @scan: the scan
 * @hit: the match
 * @offset: of its first byte, from the payload's first; negative when it began
 *	in an earlier segment of a stream
 *
 * Return: false to stop the scan.
 */
typedef bool (*nfac_found_fn)(struct nfac_scan *scan, const struct nfac_hit *hit,
			      s64 offset);

/**
 * struct nfac_scan - state of a scan
 * / On the caller's stack, embedded in what @found needs. The fields up to @found are set by
 * nfac_scan_init() or after it.
 * / @automaton: held by RCU or a reference
 * @cursor: scan state: @own, or a flow's, under the flow's lock
 * @base: offset in the payload of the next block's first byte
 * @origin: offset of the payload in its stream, 0 for a packet. A pattern's limits hold in the
 *	stream or in the packet
 * @protocol: IPPROTO_*; 0: not known, and limits of protocols are not checked
 * @sport: host order
 * @dport: host order
 * @found: called for each match, or NULL
 * @matches: number of matches so far
 * @capped: there were more than NFAC_MATCHES_MAX
 * @stopped: @found returned false, or the cap was reached
 * @pending: collects anchors of rules with a program, which are no matches yet; NULL: they are
 *	matches of inexact rules
 * @inexact: while @found runs: a condition of the rule that holds was not checked
 * @escapes: the bytes scanned have an escape, for a set with NFAC_SET_DECODE_URL
 * @decoded: while @found runs: the match is one of the decoded view
 * @held: while @found runs: because of the budget; it is none of @inexact_matches
 * @inexact_matches: matches of such rules, among @matches
 * @unconfirmed: rules whose anchor matched and that do not hold
 * @unevaluated: rules that the budget, or the room for pending programs, left unevaluated
 * @crowded: some of these found no room: which rules they are is not known later
 * @only: not 0: only matches that contain the payload's byte @only - 1 count
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
	struct nfac_pending *pending;
	bool inexact;
	bool escapes;
	bool decoded;
	bool held;
	u32 inexact_matches;
	u32 unconfirmed;
	u32 unevaluated;
	bool crowded;
	u32 only;
	struct nfac_cursor own;
};

static inline void nfac_scan_init(struct nfac_scan *scan,
				  const struct nfac_automaton *automaton,
				  nfac_found_fn found)
{
	/*
	 * one by one: the compiler would clear a literal first, by an instruction that is slow to
	 * start
	 */
	scan->automaton = automaton;
	scan->cursor = &scan->own;
	scan->base = 0;
	scan->origin = 0;
	scan->sport = 0;
	scan->dport = 0;
	scan->protocol = 0;
	scan->found = found;
	scan->matches = 0;
	scan->capped = false;
	scan->stopped = false;
	scan->pending = NULL;
	scan->inexact = false;
	scan->escapes = false;
	scan->decoded = false;
	scan->held = false;
	scan->inexact_matches = 0;
	scan->unconfirmed = 0;
	scan->unevaluated = 0;
	scan->crowded = false;
	scan->only = 0;
	nfac_cursor_init(&scan->own);
}

/* No further byte can change the result. */
static inline bool nfac_scan_over(const struct nfac_scan *scan)
{
	return scan->stopped && scan->cursor == &scan->own;
}

void nfac_scan_text(struct nfac_scan *scan, struct nfac_match_memory *memory, const u8 *text,
		    u32 len, enum nfac_path path);

/**
 * nfac_scan_evaluate() - evaluate a rule whose anchor matched
 * @scan: of the whole payload; a rule that holds counts as its match, and @found is called
 * @scratch: prepared by nfac_rules_begin()
 * @i: of @scan->pending
 * @held: a rule that the budget leaves unevaluated counts as holding
 *
 * Cost: bounded by the budget that nfac_rules_begin() was given.
 *
 * Context: any; the caller holds the automaton.
 */
enum nfac_outcome nfac_scan_evaluate(struct nfac_scan *scan, struct nfac_rules_scratch *scratch,
				     u32 i, bool held);

/* Find the first program of @scan->pending from *@i on, in the order of turns, *@turn: from 0. */
static inline bool nfac_scan_next(const struct nfac_scan *scan, u32 *i, u32 *turn)
{
	const struct nfac_pending *pending = scan->pending;
	const __le32 *programs = scan->automaton->programs;

	for (; *turn < NFAC_RULES_TURNS; ++*turn, *i = 0)
		for (; *i < pending->count; ++*i)
			if (nfac_rules_turn(programs, pending->program[*i]) == *turn)
				return true;
	return false;
}

/**
 * nfac_scan_buffers() - make the rules pending whose anchors only decoded buffers have
 * @scan: of the whole payload; its pending programs get those
 * @scratch: prepared by nfac_rules_begin()
 * @base: offset in the payload of the window's first byte
 *
 * Cost: parses the window's messages and scans their decoded buffers, out of the budget.
 *
 * Context: any; the caller holds the automaton.
 */
void nfac_scan_buffers(struct nfac_scan *scan, struct nfac_rules_scratch *scratch, s32 base);

/**
 * nfac_scan_decoded_hit() - count a match of the decoded view
 * @scan: of the whole payload
 * @hit: its end and what is before it are in the decoded text
 * @offset: in the payload, of the byte or escape that is its first byte
 *
 * Context: any; the caller holds the automaton.
 * Return: false: no more are wanted.
 */
bool nfac_scan_decoded_hit(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset);

/* A packet's payload; defined by each side. */
struct nfac_source;

/**
 * nfac_scan_source() - scan part of a packet's payload in place
 * @scan: initialised
 * @source: the payload
 * @from: offset in the payload of the first byte, at most @to
 * @to: one past the last byte, at most the payload's length
 *
 * Implemented by each side.
 *
 * Context: any but NMI; the caller holds the automaton.
 * Return: bytes scanned: @to - @from, or less when the rest cannot be read.
 */
u32 nfac_scan_source(struct nfac_scan *scan, const struct nfac_source *source,
		     u32 from, u32 to);

#endif /* _NFAC_ENGINE_SCAN_H */
