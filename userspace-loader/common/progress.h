/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Progress of a long search, as a bar on standard error.
 *
 * Drawn where standard error is a terminal, when an input has taken a second, and then up to ten
 * times a second; a message takes its line first. Each thread has a search of its own; the one
 * whose turn it is draws.
 */
#ifndef _NFAC_PROGRESS_H
#define _NFAC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct input;

/* Permit bars: nothing is printed on the same terminal while the search runs. */
void progress_permit(bool silent_output);

/* An input's search begins. It is forgotten by progress_end(). */
void progress_begin(const char *name, const struct input *in);

/* Call now and then, at least each 100 MB. @at: bytes searched; negative: as many as were read */
void progress_at(int64_t at);
void progress_end(void);

/* What the calling thread searches next is for @key; NULL before the first call. */
void progress_key(const void *key);

/* From now on the searches for @key draw; NULL before the first call. */
void progress_turn(const void *key);

/* Take the bar off its line. */
void progress_hide(void);

#endif /* _NFAC_PROGRESS_H */
