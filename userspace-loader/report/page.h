/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The page of `nfac report`: one file of HTML with its style and its charts in it.
 */
#ifndef _NFAC_REPORT_PAGE_H
#define _NFAC_REPORT_PAGE_H

#include <stdio.h>

#include "capture/capture_search.h"
#include "findings.h"

/**
 * struct page_input - one input, for the page's list of them
 * @packets: of a capture; of events their lines
 * @matches: in it
 */
struct page_input {
	const char *name;
	uint64_t packets, matches;
};

/**
 * struct page - what the page shows
 * @title: the set's name, or what the administrator gave
 * @findings: sorted
 * @search: of captures; NULL: the inputs are events
 * @patterns: in the set; 0: not known
 * @rows: of a table, at most
 */
struct page {
	const char *title;
	const struct findings *findings;
	const struct capture_search *search;
	uint64_t patterns;
	const struct page_input *inputs;
	size_t input_count, rows;
};

void page_print(FILE *to, const struct page *page);

/* Parts of it: page_tables.c, page_style.c. */
extern const char page_style[];
void page_tables(FILE *to, const struct page *page);
void page_skipped(FILE *to, const struct page *page);
void page_inputs(FILE *to, const struct page *page);

/* Packets of captures that were not searched. */
uint64_t page_uninspected(const struct page *page);

#endif /* _NFAC_REPORT_PAGE_H */
