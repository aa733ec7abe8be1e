// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of nfac top: counters from sysfs, counts of patterns from /dev/nfac, and the sources
 * of events.
 *
 * Memory is bounded: at most TOP_SOURCES addresses are counted; events of further ones count as
 * lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/device.h"
#include "common/human.h"
#include "common/message.h"
#include "stats_format.h"
#include "top_sample.h"

#define EVENTS	256	/* read at once */

void top_open(struct top *top)
{
	memset(top, 0, sizeof(*top));
	top->events = -1;
	/* not by device_open(), which complains: the figures of sysfs need no device */
	top->device = open(DEVICE_PATH, O_RDWR | O_CLOEXEC);
	top->why = top->device < 0 ? errno : 0;
}

static void sample_free(struct top_sample *sample)
{
	while (sample->count)
		pattern_counts_free(&sample->sets[--sample->count]);
	free(sample->sets);
	sysfs_free(&sample->root);
	memset(sample, 0, sizeof(*sample));
}

void top_close(struct top *top)
{
	sample_free(&top->now);
	sample_free(&top->before);
	if (top->events >= 0)
		close(top->events);
	if (top->device >= 0)
		close(top->device);
}

static struct pattern_counts *counts_of(const struct top_sample *sample, const char *set)
{
	size_t i;

	for (i = 0; i < sample->count; i++)
		if (!strcmp(sample->sets[i].set, set))
			return &sample->sets[i];
	return NULL;
}

static int by_id(const void *a, const void *b)
{
	const struct pattern_count *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int read_counts(struct top *top)
{
	struct nfac_ioc_set set = { 0 };
	struct pattern_counts *larger;
	int got;

	while ((got = device_next_set(top->device, &set)) == 1) {
		larger = realloc(top->now.sets, (top->now.count + 1) * sizeof(*larger));
		if (!larger)
			return complain("out of memory");
		top->now.sets = larger;
		got = pattern_counts_read(top->device, &set, &top->now.sets[top->now.count],
					  counts_of(&top->before, set.name));
		if (got < 0)
			return -1;
		top->now.count += got;
	}
	return got;
}

int top_sample(struct top *top)
{
	size_t i;

	sample_free(&top->before);
	top->before = top->now;
	memset(&top->now, 0, sizeof(top->now));
	/* top_hits_before() searches them */
	for (i = 0; i < top->before.count; i++)
		if (top->before.sets[i].count)
			qsort(top->before.sets[i].items, top->before.sets[i].count,
			      sizeof(struct pattern_count), by_id);
	if (top->events >= 0 && top_read_events(top))
		return -1;
	for (i = 0; i < TOP_SOURCES; i++) {
		struct top_source *source = &top->sources[i];

		source->fresh = source->matches - source->before;
		source->before = source->matches;
	}
	if (sysfs_read(&top->now.root))
		return -1;
	top->now.when = clock_seconds();
	return top->device < 0 ? 0 : read_counts(top);
}

int top_sources(struct top *top, bool on)
{
	if (!on) {
		close(top->events);
		top->events = -1;
		memset(top->sources, 0, sizeof(top->sources));
		top->lost = 0;
		return 0;
	}
	top->events = device_open();
	if (top->events < 0)
		return -1;
	if (!device_subscribe(top->events, NULL) &&
	    !fcntl(top->events, F_SETFL, O_NONBLOCK))
		return 0;
	close(top->events);
	top->events = -1;
	return -1;
}

/* FNV-1a. Sources that share a hash cost a search of all slots at most. */
static uint32_t source_hash(const struct nfac_event *event)
{
	uint32_t hash = 2166136261u;
	size_t i;

	for (i = 0; i < sizeof(event->saddr); i++)
		hash = (hash ^ event->saddr[i]) * 16777619u;
	return hash;
}

static void count_source(struct top *top, const struct nfac_event *event)
{
	uint32_t hash = source_hash(event), i;

	top->lost += event->lost;
	for (i = 0; i < TOP_SOURCES; i++) {
		struct top_source *source = &top->sources[(hash + i) % TOP_SOURCES];

		if (!source->matches) {
			memcpy(source->address, event->saddr, sizeof(source->address));
			source->family = event->family;
		} else if (source->family != event->family ||
			   memcmp(source->address, event->saddr, sizeof(source->address))) {
			continue;
		}
		source->matches++;
		return;
	}
	top->lost++;
}

int top_read_events(struct top *top)
{
	struct nfac_event events[EVENTS];
	ssize_t got, i;

	for (;;) {
		got = read(top->events, events, sizeof(events));
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (got < 0)
			return complain_at(DEVICE_PATH, 0, "%s", device_strerror(errno));
		if (!got || got % sizeof(*events) || events[0].size != sizeof(*events))
			return complain_at(DEVICE_PATH, 0,
					   "events of another size: this nfac and the module are of different versions");
		for (i = 0; i < got / (ssize_t)sizeof(*events); i++)
			count_source(top, &events[i]);
	}
}

double top_seconds(const struct top *top)
{
	return top->before.when ? top->now.when - top->before.when : 0;
}

double top_rate(const struct top *top, uint64_t value, uint64_t before)
{
	double seconds = top_seconds(top);

	if (!seconds)
		return TOP_UNKNOWN;
	return (value >= before ? value - before : value) / seconds;
}

uint64_t top_skipped(const struct sysfs_dir *attachment)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < attachment->value_count; i++)
		if (stats_is_skipped(&attachment->values[i]))
			sum += strtoull(attachment->values[i].text, NULL, 0);
	return sum;
}

const struct sysfs_dir *top_set(const struct top_sample *sample, const char *set)
{
	const struct sysfs_dir *sets = sysfs_subdir(&sample->root, "sets");

	return sets ? sysfs_subdir(sets, set) : NULL;
}

const struct sysfs_dir *top_attachment(const struct top_sample *sample, const char *set,
				       const char *id)
{
	const struct sysfs_dir *dir = top_set(sample, set);

	return dir ? sysfs_subdir(stats_subdir(dir, "attachments"), id) : NULL;
}

uint64_t top_hits_before(const struct top *top, const struct pattern_counts *set, uint32_t id)
{
	const struct pattern_counts *before = counts_of(&top->before, set->set);
	struct pattern_count key = { .id = id };
	const struct pattern_count *found;

	if (!before || before->generation != set->generation || !before->count)
		return 0;
	found = bsearch(&key, before->items, before->count, sizeof(key), by_id);
	return found ? found->hits : 0;
}
