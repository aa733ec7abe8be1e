/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Thresholds: how many times a rule that holds is reported, in a time and for an address.
 * Semantics are those of Suricata's threshold and detection_filter.
 */
#ifndef _NFAC_THRESHOLD_H
#define _NFAC_THRESHOLD_H

#include <stdbool.h>
#include <stdint.h>

enum threshold_type {
	THRESHOLD_LIMIT,	/* the first @count in @seconds */
	THRESHOLD_THRESHOLD,	/* each @count-th in @seconds */
	THRESHOLD_BOTH,		/* once in @seconds, when there were @count */
	THRESHOLD_FILTER,	/* detection_filter: all behind the first @count in @seconds */
};

/* What becomes of a rule that holds. */
enum threshold_result {
	THRESHOLD_ABSENT,	/* it has no threshold */
	THRESHOLD_REPORTED,
	THRESHOLD_SILENT,	/* beyond the limit: it has its effect, and is not reported */
	THRESHOLD_NO_EFFECT,	/* it has not come often enough, or is suppressed */
};

enum threshold_track {
	TRACK_SOURCE,
	TRACK_DESTINATION,
	TRACK_BOTH,
	TRACK_RULE,
};

struct threshold {
	enum threshold_type type;
	enum threshold_track track;
	uint32_t count, seconds;
};

/* "type limit, track by_src, count 1, seconds 60". @filter: detection_filter, without a type. */
bool threshold_parse(struct threshold *threshold, const char *text, bool filter);

/* Counters of all rules, in a table of fixed size (6 MB); the oldest of a bucket makes room. */
struct thresholds;

struct thresholds *thresholds_new(void);
void thresholds_free(struct thresholds *thresholds);

/**
 * threshold_count() - count a rule that holds
 * @id: of the rule
 * @saddr: address of 16 bytes; @daddr: the same
 * @now: seconds, ascending
 */
enum threshold_result threshold_count(struct thresholds *thresholds,
				      const struct threshold *threshold, uint64_t id,
				      const uint8_t *saddr, const uint8_t *daddr, int64_t now);

#endif /* _NFAC_THRESHOLD_H */
