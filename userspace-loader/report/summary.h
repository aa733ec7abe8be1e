/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The summary of `nfac scan --summary`: findings as tables of text, or as one object of JSON.
 */
#ifndef _NFAC_REPORT_SUMMARY_H
#define _NFAC_REPORT_SUMMARY_H

#include <stdio.h>

#include "capture/capture_search.h"
#include "findings.h"

/* Rows of a table of text. */
#define SUMMARY_ROWS	20u

/* @findings: sorted */
void summary_print_text(FILE *to, const struct findings *findings,
			const struct capture_search *search);

/* All rows. Return: 0; -1 after saying why. */
int summary_print_json(FILE *to, const struct findings *findings,
		       const struct capture_search *search);

#endif /* _NFAC_REPORT_SUMMARY_H */
