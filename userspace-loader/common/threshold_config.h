/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threshold configuration: a file in the syntax of Suricata's threshold.config that says which
 * rules are suppressed, for which addresses, and how often the others are reported.
 *
 * `nfac watch` applies it before it prints an event, `nfac queue` before it counts a match.
 */
#ifndef _NFAC_THRESHOLD_CONFIG_H
#define _NFAC_THRESHOLD_CONFIG_H

#include <stdint.h>

#include "threshold.h"

struct threshold_config;

/* Read a file. Return: NULL after saying what is wrong, with the line. */
struct threshold_config *threshold_config_read(const char *name);
void threshold_config_free(struct threshold_config *config);

struct pattern_text;

/**
 * struct threshold_match - a rule that holds, or a pattern that matches
 * @gid, @sid: its numbers; a pattern that is of no rule has PATTERN_GROUP, and its id
 * @saddr, @daddr: addresses of 16 bytes
 * @now: seconds, ascending
 */
struct threshold_match {
	uint32_t gid, sid;
	const uint8_t *saddr, *daddr;
	int64_t now;
};

/* @saddr, @daddr: addresses of 16 bytes, which must outlive the match */
struct threshold_match threshold_match(const struct pattern_text *text, const uint8_t *saddr,
				       const uint8_t *daddr, int64_t now);

/**
 * threshold_config_count() - count a rule that holds
 * @config: NULL: nothing is configured
 * @own: what the rule's own threshold says of it
 *
 * A suppression prevails over a threshold for this rule, that one over the rule's own, and that
 * one over a threshold for all rules of the group, or of all groups: as in Suricata.
 */
enum threshold_result threshold_config_count(struct threshold_config *config,
					     const struct threshold_match *match,
					     enum threshold_result own);

#endif /* _NFAC_THRESHOLD_CONFIG_H */
