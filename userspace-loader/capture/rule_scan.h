/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules over a capture: anchors from the automaton, programs over each side's window.
 *
 * `nfac scan` calls it for each packet of a capture when the set has programs. Matches of
 * patterns without a program pass through.
 */
#ifndef _NFAC_RULE_SCAN_H
#define _NFAC_RULE_SCAN_H

#include "../../kmod/engine/match/memory.h"
#include "capture.h"

struct confirm;
struct rule_scan;

/**
 * struct rule_match - a pattern that matched, or a rule that holds
 * @id: of the pattern, or the rule's sid
 * @offset: of the first byte of the pattern or anchor, from the packet's payload; negative: it
 *	came in an earlier packet
 * @stream_offset: the same from the stream's first byte
 * @length: bytes of the pattern or anchor
 * @inexact: a condition of the rule was not checked
 * @decoded: the pattern is in the decoded view
 * @packet: number of the packet that completed it; @time_ns: its time, as in struct capture_packet
 * @payload: its addresses, ports and protocol
 */
struct rule_match {
	uint32_t id;
	int64_t offset, stream_offset;
	uint32_t length;
	bool inexact, decoded;
	uint64_t packet;
	int64_t time_ns;
	const struct payload *payload;
};

/* Return: false to hear of no more matches of this packet. */
typedef bool (*rule_match_fn)(void *context, const struct rule_match *match);

/**
 * typedef rule_watch_fn - called for each evaluation of a program
 * @program: its word offset
 * @outcome: enum nfac_outcome
 * @failed: word in the program of the condition that failed, as nfac_rules_evaluate() has it
 * @match: what is reported if it holds
 */
typedef void (*rule_watch_fn)(void *context, uint32_t program, int outcome, uint32_t failed,
			      const struct rule_match *match);

/**
 * struct rule_counts - what rules cost, and what was not evaluated
 * @anchors: programs evaluated; @holds: of these
 * @budget: evaluations that the budget ended
 * @overflow: packets with more different anchors than NFAC_PENDING_MAX
 * @gaps: times that bytes were missing before those that came
 */
struct rule_counts {
	uint64_t anchors, holds, budget, overflow, gaps;
};

/**
 * rule_scan_new() - begin a capture
 * @automaton: of the set
 * @path: how to scan
 * @streams: rules hold over each direction's bytes in order; else over each packet
 * @fn: called for each match, before rule_scan_packet() or rule_scan_end() returns
 *
 * Return: the scan; NULL after saying why.
 */
struct rule_scan *rule_scan_new(const struct nfac_automaton *automaton, enum nfac_path path,
				bool streams, rule_match_fn fn, void *context);

/* Have conditions that user space checks checked; @confirm outlives the scan. */
void rule_scan_confirm(struct rule_scan *rs, struct confirm *confirm);

/* Have @fn called for each evaluation. */
void rule_scan_watch(struct rule_scan *rs, rule_watch_fn fn);

/* Scan one packet, of which @packet has number and time. Return: bytes scanned. */
uint64_t rule_scan_packet(struct rule_scan *rs, const struct payload *payload,
			  const struct capture_packet *packet);

/* The capture ends: evaluate what waits for bytes that do not come. */
void rule_scan_end(struct rule_scan *rs);

const struct rule_counts *rule_scan_counts(const struct rule_scan *rs);
void rule_scan_free(struct rule_scan *rs);

#endif /* _NFAC_RULE_SCAN_H */
