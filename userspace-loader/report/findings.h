/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Findings: matches added up by pattern, source, destination and time.
 *
 * `nfac report` and `nfac scan --summary` put in each packet and match of captures, or events of
 * `nfac watch` and `nfac queue`; page.c and summary.c print what they add up to. Memory is bounded
 * by DISTINCT_MAX and TALLIES_MAX, whatever the input.
 */
#ifndef _NFAC_REPORT_FINDINGS_H
#define _NFAC_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/rule_scan.h"
#include "common/pattern_text.h"
#include "distinct.h"
#include "tallies.h"
#include "timeline.h"

/**
 * struct finding - one match, or an event that represents @count of them
 * @time_ns: nanoseconds since 1970
 * @packet: number of its packet, different for each packet of all inputs; 0: not known
 * @dropped: the packet was dropped
 * @inexact: some condition of the rule was not checked
 * @set: name of the pattern's set; empty: there is one set only
 * @shown: the pattern's id, or the rule's sid
 * @pattern: as in struct pattern_text; @label: a rule's msg, or NULL
 * @ends: addresses, ports and protocol
 */
struct finding {
	int64_t time_ns;
	uint64_t count, packet;
	bool dropped, inexact;
	const char *set, *pattern, *label;
	uint32_t shown;
	const struct payload *ends;
};

/**
 * struct findings - what was found
 * @matches: all; @inexact, @dropped: of these
 * @packets: with payload or without, that were searched
 * @matched_packets: with a match; @exact_packets: with one that is exact
 * @connections, @matched_connections, @exact_connections: the same of connections, which are
 *	protocol, addresses and ports
 * @untimed: matches whose time is not known
 * @lost: events that were lost before they were written
 * @first, @last: time of the first packet and the last, of events the first event and the last
 * @from_events: there are no packets, only events
 * @timeline: with @exact_series and @inexact_series of matches, @packet_series of packets
 * @failed: memory is out, which was reported
 */
struct findings {
	uint64_t matches, inexact, dropped;
	uint64_t packets, matched_packets, exact_packets;
	uint64_t connections, matched_connections, exact_connections;
	uint64_t untimed, lost;
	int64_t first, last;
	bool from_events, failed;
	struct tallies patterns, sources, destinations, hours;
	struct timeline timeline;
	uint64_t *exact_series, *inexact_series, *packet_series;
	struct distinct distinct;
	uint64_t last_packet;
};

/* Return: 0; -1 after saying why. */
int findings_init(struct findings *findings);
void findings_free(struct findings *findings);

/* Count a packet of a capture. @number: as @packet of its matches. */
void findings_packet(struct findings *findings, uint64_t number, int64_t time_ns,
		     const struct payload *payload);

/* Count a match. Its texts are copied. */
void findings_add(struct findings *findings, const struct finding *finding);

/* Count a match of a capture. @before: packets of the captures before it */
void findings_add_match(struct findings *findings, const struct pattern_text *text,
			const struct rule_match *match, uint64_t before);

/* Order all tables, by matches or by time. Nothing is added from then on. */
void findings_sort(struct findings *findings);

#endif /* _NFAC_REPORT_FINDINGS_H */
