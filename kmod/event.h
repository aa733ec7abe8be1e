/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: from packets on any CPU to the readers of /dev/nfac.
 *
 * Each reader has a ring of its own, of a fixed size. A packet never waits for a
 * reader: when the ring is full the event is lost for this reader and counted, and
 * the count is reported with the next event that finds room.
 */
#ifndef _NFAC_EVENT_H
#define _NFAC_EVENT_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "../uapi/linux/nfac.h"
#include "engine/scan.h"

#define NFAC_READERS_MAX	64	/* in a namespace: each gets every match */

/**
 * struct nfac_events - a namespace's readers
 * @readers: of struct nfac_reader; read under RCU, changed under @lock
 * @count: of @readers, under @lock
 * @lock: guards changes of @readers
 */
struct nfac_events {
	struct list_head readers;
	unsigned int count;
	spinlock_t lock;	/* changes of @readers */
};

/**
 * struct nfac_slot - an entry of the ring
 * @turn: the position whose event may be written here; one more when it may be read.
 *	Written with release, read with acquire: it guards @event
 * @event: owned by the writer that reserved the position, then by the reader
 */
struct nfac_slot {
	u32 turn;
	struct nfac_event event;
};

/**
 * struct nfac_reader - an open file that is subscribed to events
 *
 * Owned by the open file. Writers find it under RCU.
 *
 * @link: in struct nfac_events.readers
 * @set: name of the set whose events it reads, NUL-padded; empty: all; constant
 * @slots: the ring
 * @mask: number of slots - 1; the number is a power of two
 * @head: next position to write; writers reserve it by compare-and-exchange
 * @lost: events that found no room since the last one that did
 * @tail: next position to read; guarded by @lock
 * @lock: serializes reads
 * @wait: threads that wait for events
 * @wake: wakes them, outside the packet's context, as a wait queue has a lock
 */
struct nfac_reader {
	struct list_head link;
	char set[NFAC_NAME_LEN];
	struct nfac_slot *slots;
	u32 mask;
	struct mutex lock;	/* @tail */
	u32 tail;
	wait_queue_head_t wait;
	struct irq_work wake;
	atomic_t head ____cacheline_aligned_in_smp;
	atomic_t lost;
};

/* One match of a packet; @flags: NFAC_EVENT_*. */
struct nfac_hits_entry {
	s64 offset;
	s64 stream_offset;
	u32 pattern;
	u32 length;
	u32 flags;
};

/**
 * struct nfac_hits - the matches of the packet that a CPU inspects
 *
 * Owned by event.c, one for each possible CPU, from the first reader until the module exits.
 * Events are sent after the verdict, so matches wait here.
 *
 * @lock: held from nfac_hits_begin() to nfac_hits_end(), guards all that follows. Only its own
 *	CPU takes it, with softirqs disabled, so it is never contended; with PREEMPT_RT it
 *	keeps a second task of the CPU out.
 * @count: of @entry
 * @entry: NFAC_MATCHES_MAX: the scan reports no more
 */
struct nfac_hits {
	spinlock_t lock;	/* guards all that follows */
	u32 count;
	struct nfac_hits_entry entry[NFAC_MATCHES_MAX];
};

static inline void nfac_hits_add(struct nfac_hits *hits, const struct nfac_hit *hit,
				 s64 offset, s64 origin, u32 flags)
{
	struct nfac_hits_entry *entry;

	if (hits->count == NFAC_MATCHES_MAX)
		return;
	entry = &hits->entry[hits->count++];
	entry->offset = offset;
	entry->stream_offset = offset + origin;
	entry->pattern = hit->id;
	entry->length = hit->length;
	entry->flags = flags;
}

/* Are there readers? Cheap enough for each packet. */
static inline bool nfac_events_wanted(const struct nfac_events *events)
{
	return !list_empty(&events->readers);
}

void nfac_events_init(struct nfac_events *events);
void nfac_events_exit(void);
struct nfac_hits *nfac_hits_begin(void);
void nfac_hits_end(struct nfac_hits *hits);
u32 nfac_events_push(struct nfac_events *events, const struct nfac_event *event);

size_t nfac_reader_bytes(void);
struct nfac_reader *nfac_reader_create(struct nfac_events *events,
				       const char *set, size_t bytes);
void nfac_reader_destroy(struct nfac_events *events, struct nfac_reader *reader);
bool nfac_reader_ready(struct nfac_reader *reader);
ssize_t nfac_reader_read(struct nfac_reader *reader, char __user *to, size_t bytes);

#endif /* _NFAC_EVENT_H */
