// SPDX-License-Identifier: GPL-2.0
/*
 * Folding of events: a table of kinds in buckets, of fixed size.
 *
 * Cost: a search of one bucket for each event.
 */
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "fold.h"

#define WAYS		8u
#define BUCKETS		(FOLD_KINDS / WAYS)
#define FOLD_NS		(FOLD_SECONDS * 1000000000ll)

/*
 * A kind of events.
 *
 * @last: the last of them, without its @lost; its size is 0 where the slot is free
 * @since: when one was printed, as its time_ns
 * @folded: events after that one
 */
struct kind {
	struct nfac_event last;
	uint64_t since, folded;
};

/* @lost: of events that were folded, for the next one that is printed */
struct event_fold {
	event_fold_fn print;
	void *context;
	bool all;
	uint32_t lost;
	struct kind kinds[BUCKETS][WAYS];
};

struct event_fold *event_fold_new(bool all, event_fold_fn print, void *context)
{
	struct event_fold *fold = calloc(1, sizeof(*fold));

	if (!fold) {
		complain("out of memory");
		return NULL;
	}
	fold->all = all;
	fold->print = print;
	fold->context = context;
	return fold;
}

void event_fold_free(struct event_fold *fold)
{
	free(fold);
}

static bool is_same_kind(const struct nfac_event *a, const struct nfac_event *b)
{
	return a->pattern == b->pattern && a->sport == b->sport && a->dport == b->dport &&
	       a->protocol == b->protocol && a->family == b->family &&
	       a->verdict == b->verdict && a->attachment == b->attachment &&
	       !memcmp(a->saddr, b->saddr, sizeof(a->saddr)) &&
	       !memcmp(a->daddr, b->daddr, sizeof(a->daddr)) &&
	       !strncmp(a->set, b->set, NFAC_NAME_LEN);
}

/* FNV-1a (Fowler, Noll, Vo) of what differs most. */
static struct kind *bucket_of(struct event_fold *fold, const struct nfac_event *event)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ event->pattern;
	size_t i;

	hash = hash * 0x100000001b3ull ^ ((uint32_t)event->sport << 16 | event->dport);
	for (i = 0; i < sizeof(event->saddr); i++) {
		hash = (hash ^ event->saddr[i]) * 0x100000001b3ull;
		hash = (hash ^ event->daddr[i]) * 0x100000001b3ull;
	}
	return fold->kinds[(hash >> 20) % BUCKETS];
}

/* The event's kind, else a free slot, else the oldest of its bucket. */
static struct kind *find(struct event_fold *fold, const struct nfac_event *event)
{
	struct kind *bucket = bucket_of(fold, event), *oldest = bucket;
	size_t i;

	for (i = 0; i < WAYS; i++) {
		if (!bucket[i].last.size)
			return &bucket[i];
		if (is_same_kind(&bucket[i].last, event))
			return &bucket[i];
		if (bucket[i].since < oldest->since)
			oldest = &bucket[i];
	}
	return oldest;
}

void event_fold_lost(struct event_fold *fold, uint32_t lost)
{
	if (__builtin_add_overflow(fold->lost, lost, &fold->lost))
		fold->lost = UINT32_MAX;
}

static void print(struct event_fold *fold, const struct nfac_event *event, uint64_t folded)
{
	struct nfac_event printed = *event;

	event_fold_lost(fold, printed.lost);
	printed.lost = fold->lost;
	fold->lost = 0;
	fold->print(fold->context, &printed, folded);
}

/* Print what was counted. */
static void print_folded(struct event_fold *fold, const struct kind *kind)
{
	print(fold, &kind->last, kind->folded - 1);
}

static void count(struct event_fold *fold, struct kind *kind, const struct nfac_event *event)
{
	kind->folded++;
	kind->last = *event;
	kind->last.lost = 0;
	event_fold_lost(fold, event->lost);
}

void event_fold_add(struct event_fold *fold, const struct nfac_event *event)
{
	struct kind *kind = find(fold, event);
	uint64_t folded = 0;
	int64_t age;

	if (fold->all) {
		print(fold, event, 0);
		return;
	}
	if (kind->last.size && is_same_kind(&kind->last, event)) {
		/* processors' events may be out of order, and the clock may be set */
		age = event->time_ns - kind->since;
		if (age < FOLD_NS && age > -FOLD_NS) {
			count(fold, kind, event);
			return;
		}
		folded = kind->folded;
	} else if (kind->folded) {
		print_folded(fold, kind);
	}
	*kind = (struct kind) { .last = *event, .since = event->time_ns };
	kind->last.lost = 0;
	print(fold, event, folded);
}

static int by_time(const void *a, const void *b)
{
	const struct kind *const *x = a, *const *y = b;

	return ((*x)->last.time_ns > (*y)->last.time_ns) -
	       ((*x)->last.time_ns < (*y)->last.time_ns);
}

void event_fold_flush(struct event_fold *fold, const char *set)
{
	struct kind *counted[FOLD_KINDS];	/* 32 KB */
	size_t n = 0, i, k;

	for (i = 0; i < BUCKETS; i++) {
		for (k = 0; k < WAYS; k++) {
			struct kind *kind = &fold->kinds[i][k];

			if (kind->last.size &&
			    (!set || !strncmp(kind->last.set, set, NFAC_NAME_LEN)))
				counted[n++] = kind;
		}
	}
	qsort(counted, n, sizeof(*counted), by_time);
	for (i = 0; i < n; i++) {
		if (counted[i]->folded)
			print_folded(fold, counted[i]);
		memset(counted[i], 0, sizeof(*counted[i]));
	}
}
