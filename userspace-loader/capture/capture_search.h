/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Search of a capture: each packet's payload by itself, or the TCP streams, or a set's rules.
 *
 * `nfac scan` and `nfac report` call it for each capture. The matcher, the flow table and the
 * interpreter of rules are the engine's, so a search finds what the hook finds.
 */
#ifndef _NFAC_CAPTURE_SEARCH_H
#define _NFAC_CAPTURE_SEARCH_H

#include "capture.h"
#include "commands/stream_options.h"
#include "rule_scan.h"

struct capture_streams;
struct nfac_decoded;

/**
 * struct capture_search - a set, how to search with it, and what receives the matches
 * @path: how to scan
 * @stream: follow TCP streams, with a flow table as @table says
 * @confirm: checks conditions that the kernel cannot, or NULL
 * @on_match: called for each match
 * @on_packet: called for each payload before it is searched; NULL: none
 * @context: for both
 * @bytes: of payload that were searched
 * @counts: packets by what was done with them
 * @skipped: with @stream: segments by what could not be done about them
 * @rule_counts: what rules cost
 * @packet: that is read now; NULL behind the last one
 * @payload: of @packet
 * @decoded: memory of the decoded view, for a set that has one
 *
 * The caller fills in what is before @bytes, and zeroes the rest before the first capture.
 * Figures are added up over captures.
 */
struct capture_search {
	const struct nfac_automaton *automaton;
	enum nfac_path path;
	bool stream;
	const struct stream_options *table;
	struct confirm *confirm;
	rule_match_fn on_match;
	capture_fn on_packet;
	void *context;

	uint64_t bytes;
	struct capture_counts counts;
	uint64_t skipped[NFAC_SKIP_MAX];
	struct rule_counts rule_counts;
	const struct capture_packet *packet;
	const struct payload *payload;
	struct nfac_decoded *decoded;
	struct capture_streams *streams;
	struct rule_scan *rules;
};

/**
 * capture_search() - search one capture
 * @name: of @in, or of an interface
 * @in: NULL: read the interface until SIGINT or SIGTERM
 *
 * What was not inspected is reported on stderr. Each capture has its own streams, because nothing
 * says what two captures have in common.
 *
 * Return: 0; -1 after saying why.
 */
int capture_search(struct capture_search *search, const char *name, struct input *in);

#endif /* _NFAC_CAPTURE_SEARCH_H */
