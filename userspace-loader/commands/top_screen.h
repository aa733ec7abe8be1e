/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The terminal of `nfac top`, by ncurses. Without ncurses at build time nothing of it is there
 * but top_screen_available().
 */
#ifndef _NFAC_TOP_SCREEN_H
#define _NFAC_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "top_lines.h"

enum top_key {
	TOP_KEY_NONE,		/* no key waits */
	TOP_KEY_OTHER,		/* nothing for the caller; the screen may have scrolled */
	TOP_KEY_QUIT,
	TOP_KEY_NOW,		/* take a sample at once */
	TOP_KEY_SOURCES,	/* show sources, or no longer */
	TOP_KEY_RESIZED,	/* draw again */
};

#ifdef HAVE_NCURSES

/* Take over the terminal. Return: 0; -1 after saying why. */
int top_screen_open(void);
/* Give it back. Messages that were held are printed. */
void top_screen_close(void);

void top_screen_size(size_t *width, size_t *height);
void top_screen_draw(const struct top_lines *lines);
/* The next key that waits. */
enum top_key top_screen_key(const struct top_lines *lines);

#endif

#endif /* _NFAC_TOP_SCREEN_H */
