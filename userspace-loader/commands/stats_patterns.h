/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of patterns as text: a table for people, JSON, and Prometheus' text format. They need
 * /dev/nfac, the other statistics only sysfs.
 */
#ifndef _NFAC_STATS_PATTERNS_H
#define _NFAC_STATS_PATTERNS_H

#include <stdint.h>

enum stats_form {
	STATS_TABLE,
	STATS_JSON,		/* a line for each set */
	STATS_PROMETHEUS,
};

/**
 * stats_patterns() - print to stdout how often patterns matched
 * @name: of the set; NULL: all
 * @top: patterns of each set at most, those that matched most; 0: all
 *
 * Return: 0; -1 after saying why.
 */
int stats_patterns(const char *name, uint64_t top, enum stats_form form);

#endif /* _NFAC_STATS_PATTERNS_H */
