/* SPDX-License-Identifier: GPL-2.0 */
/*
 * HTML: texts and figures, safe within a page. Senders of packets and authors of rules choose the
 * texts, so each one passes html_text().
 */
#ifndef _NFAC_REPORT_HTML_H
#define _NFAC_REPORT_HTML_H

#include <stdint.h>
#include <stdio.h>

/*
 * Write a text, for content and for attributes in double quotes: markup is escaped; control
 * characters, those that turn the direction of writing, and bytes that are not UTF-8 are
 * written as \x1b or \u202e.
 */
void html_text(FILE *to, const char *text);

/* 1,234,567 */
void html_number(FILE *to, uint64_t number);

/* "12 packets", "1 packet" */
void html_count(FILE *to, uint64_t number, const char *one, const char *many);

/* "2.5 %"; nothing where @whole is 0. */
void html_share(FILE *to, uint64_t part, uint64_t whole);

/* "2026-11-26 05:40:12", UTC; a dash for a time that is not known. */
void html_time(FILE *to, int64_t time_ns);

#endif /* _NFAC_REPORT_HTML_H */
