/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timeline: periods of one length that cover the times of all findings.
 *
 * The length begins with a millisecond and grows with the time that is covered: through lengths
 * that people read, each a multiple of the one before, so that periods are joined and never
 * divided. Memory does not depend on the input.
 */
#ifndef _NFAC_REPORT_TIMELINE_H
#define _NFAC_REPORT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Periods: as many bars as a chart of 1,000 pixels has room for. */
#define TIMELINE_PERIODS	96u

/* Times from 1970 to 2116 are drawn; others are damage. */
static inline bool time_is_known(int64_t time_ns)
{
	return time_ns > 0 && time_ns < (int64_t)1 << 62;
}

/**
 * struct timeline - the periods
 * @begin: of the first one, a multiple of their length
 * @used: periods up to the last finding; 0: none
 * @step: index of their length
 * @series: counts by period, TIMELINE_PERIODS each, that are joined with the periods
 * @count: of @series
 */
struct timeline {
	int64_t begin;
	uint32_t used;
	unsigned int step;
	uint64_t **series;
	size_t count, room;
};

/* The length of a period in nanoseconds. */
int64_t timeline_length(const struct timeline *line);

/* A series of zeros, freed with the timeline. Return: NULL without memory. */
uint64_t *timeline_series(struct timeline *line);

/* Return: the period of a known time, after making room for it. */
uint32_t timeline_period(struct timeline *line, int64_t time_ns);
void timeline_free(struct timeline *line);

#endif /* _NFAC_REPORT_TIMELINE_H */
