/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Charts as inline SVG. Colours are classes of the page's style sheet, so they follow its light
 * and its dark form; a chart needs neither a script nor the network.
 */
#ifndef _NFAC_REPORT_CHART_H
#define _NFAC_REPORT_CHART_H

#include <stdio.h>

#include "findings.h"

/* Matches by time, exact and inexact on top of each other; below them the packets. */
void chart_time(FILE *to, const struct findings *findings);

/* A bar of @tally's matches in the cell of a table, where @most fills the cell. */
void chart_bar(FILE *to, const struct tally *tally, uint64_t most);

/* A tally's matches by time, as high as its own maximum. */
void chart_spark(FILE *to, const struct tally *tally, const struct timeline *line);

#endif /* _NFAC_REPORT_CHART_H */
