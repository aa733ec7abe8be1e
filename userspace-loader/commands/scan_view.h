/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nfac scan on text, the decoded view: its matches in a block, in the order in which they end, so
 * that scan_lines.c can merge them with those of the text itself.
 */
#ifndef _NFAC_SCAN_VIEW_H
#define _NFAC_SCAN_VIEW_H

#include "scan.h"

/**
 * struct scan_view - the decoded view of one text; all zero before the first block
 * @memory: to work in
 * @spans: matches that end in the block, by ascending end; @count: of them; @room: allocated
 * @next: the first one that the caller has not passed on
 * @piece: offset in the text of the piece that is searched
 * @failed: memory is out
 *
 * Owned by the thread that searches the text, until scan_view_free().
 */
struct scan_view {
	struct nfac_decoded *memory;
	struct span *spans;
	size_t next, count, room;
	int64_t piece;
	bool failed;
};

/**
 * scan_view_search() - search the decoded view of a block
 * @scan: with its base, where the block begins
 * @text: bytes @base to @to - 1 of the text, with what there is before the block
 *
 * Return: 0; -1: memory is out.
 */
int scan_view_search(struct scan_view *view, const struct scan *scan, const uint8_t *text,
		     int64_t base, int64_t to);
void scan_view_free(struct scan_view *view);

/* Append to a list of @count spans with room for @room. Return: false: memory is out. */
bool span_put(struct span **spans, size_t *count, size_t *room, const struct span *span);

#endif /* _NFAC_SCAN_VIEW_H */
