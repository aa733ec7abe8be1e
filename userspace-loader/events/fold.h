/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Folding: one attack is one event. Of events of the same kind one is printed in FOLD_SECONDS;
 * the next one that is printed carries the number of those between.
 *
 * Events are of the same kind if set, attachment, pattern, verdict, protocol, addresses and ports
 * are the same. Called by `nfac watch` and `nfac queue` between the source of events and
 * event_print().
 */
#ifndef _NFAC_EVENT_FOLD_H
#define _NFAC_EVENT_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/nfac.h>

/* An attack tries again within seconds; a minute also shows that it goes on. */
#define FOLD_SECONDS	60

/*
 * Kinds that are kept, 700 KB. A further kind replaces the oldest of its bucket, and the
 * events that were folded into that one are printed.
 */
#define FOLD_KINDS	4096u

struct event_fold;

/* Prints @event, into which @folded others of its kind were folded. */
typedef void (*event_fold_fn)(void *context, const struct nfac_event *event, uint64_t folded);

/* @all: fold nothing. Return: NULL after saying why. */
struct event_fold *event_fold_new(bool all, event_fold_fn print, void *context);

/* Print @event, or count it. Each event is in exactly one line: itself, or as one of @folded. */
void event_fold_add(struct event_fold *fold, const struct nfac_event *event);

/* Events that were lost, for the next one that is printed. */
void event_fold_lost(struct event_fold *fold, uint32_t lost);

/**
 * event_fold_flush() - print what was counted, and forget all kinds: of each its last event,
 *	with the others folded into it
 * @set: of this set alone; NULL: of all
 */
void event_fold_flush(struct event_fold *fold, const char *set);

void event_fold_free(struct event_fold *fold);

#endif /* _NFAC_EVENT_FOLD_H */
