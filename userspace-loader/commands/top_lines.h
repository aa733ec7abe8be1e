/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The screen of `nfac top` as lines of text, the same on a terminal and in batch mode.
 */
#ifndef _NFAC_TOP_LINES_H
#define _NFAC_TOP_LINES_H

#include <stddef.h>

#include "top_sample.h"

enum top_look {
	TOP_PLAIN,
	TOP_HEADING,	/* of a table */
	TOP_WARNING,	/* what an operator has to know */
};

#define TOP_LINE	256	/* bytes of a line with its NUL */

struct top_line {
	char text[TOP_LINE];
	enum top_look look;
};

/**
 * struct top_lines - lines in the order of the screen
 *
 * Owned by the caller of top_lines() until top_lines_free().
 *
 * @line: the lines
 * @count: of @line
 * @fixed: of them, at the top of the screen whatever part of the others is shown
 */
struct top_lines {
	struct top_line *line;
	size_t count;
	size_t fixed;
};

/**
 * top_lines() - what there is to show
 * @top: with at least one sample
 * @period: seconds from one sample to the next
 * @width: columns
 * @height: rows of the terminal, which tables of patterns and sources fill; 0: @rows of each
 * @rows: of patterns and sources at most
 *
 * Return: 0; -1 after saying that there is no memory.
 */
int top_lines(const struct top *top, double period, size_t width, size_t height, size_t rows,
	      struct top_lines *lines);
void top_lines_free(struct top_lines *lines);

#endif /* _NFAC_TOP_LINES_H */
