/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `nfac top` shows: two samples of all figures, and what happened between them.
 *
 * sysfs gives the figures of sets and attachments to every user. Counts of patterns and events need
 * /dev/nfac: without it they are left out.
 */
#ifndef _NFAC_TOP_SAMPLE_H
#define _NFAC_TOP_SAMPLE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/nfac.h>

#include "common/pattern_counts.h"
#include "common/sysfs.h"

#define TOP_SOURCES	1024	/* source addresses that are counted, each by itself */
#define TOP_UNKNOWN	(-1.0)	/* a rate of what was not there at the sample before */

/**
 * struct top_sample - all figures at one time
 * @when: clock_seconds()
 * @root: of sysfs
 * @sets: counts of patterns
 * @count: of @sets
 */
struct top_sample {
	double when;
	struct sysfs_dir root;
	struct pattern_counts *sets;
	size_t count;
};

/* An address from which matches came; @matches 0: free. */
struct top_source {
	uint64_t matches;
	uint64_t before;	/* at the last sample */
	uint64_t fresh;		/* between the last two samples */
	uint8_t address[16];
	uint8_t family;
};

/**
 * struct top - state of the command
 * @device: of /dev/nfac; -1: it cannot be opened
 * @why: then: the reason
 * @events: a descriptor of its own that is subscribed to events; -1: sources are not shown
 * @now: the last sample
 * @before: the one before; its @when is 0 when there is none
 * @sources: by a hash of the address
 * @lost: events that were lost, which no source has
 */
struct top {
	int device;
	int why;
	int events;
	struct top_sample now;
	struct top_sample before;
	struct top_source sources[TOP_SOURCES];
	uint64_t lost;
};

void top_open(struct top *top);
void top_close(struct top *top);

/* Take a sample. Return: 0; -1 after saying why: the module is gone, or memory. */
int top_sample(struct top *top);

/* Begin to read events, or end. Return: 0; -1 after saying why. */
int top_sources(struct top *top, bool on);
/* Count the events that wait. Return: 0; -1 after saying why. */
int top_read_events(struct top *top);

/* Seconds between the two samples; 0: there is but one. */
double top_seconds(const struct top *top);

/* @value a second, after @before; one that fell began again at 0. */
double top_rate(const struct top *top, uint64_t value, uint64_t before);

/* Sum of all files of a directory whose names begin with "skipped_". */
uint64_t top_skipped(const struct sysfs_dir *attachment);

/* A set's directory in a sample, and an attachment's; NULL: there is none. */
const struct sysfs_dir *top_set(const struct top_sample *sample, const char *set);
const struct sysfs_dir *top_attachment(const struct top_sample *sample, const char *set,
				       const char *id);

/* Hits of a pattern at the sample before. */
uint64_t top_hits_before(const struct top *top, const struct pattern_counts *set, uint32_t id);

#endif /* _NFAC_TOP_SAMPLE_H */
