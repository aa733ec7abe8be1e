// SPDX-License-Identifier: GPL-2.0
/*
 * The timeline: periods are joined when the time that is covered outgrows them.
 */
#include <stdlib.h>
#include <string.h>

#include "timeline.h"

#define MS	1000000ll
#define SECOND	(1000 * MS)
#define MINUTE	(60 * SECOND)
#define HOUR	(60 * MINUTE)
#define DAY	(24 * HOUR)

/* Each divides the next; 96 of the last are 956 years. */
static const int64_t lengths[] = {
	MS, 5 * MS, 10 * MS, 50 * MS, 100 * MS, 500 * MS,
	SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND,
	MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE,
	HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
	DAY, 7 * DAY, 28 * DAY, 364 * DAY, 3640 * DAY,
};

int64_t timeline_length(const struct timeline *line)
{
	return lengths[line->step];
}

uint64_t *timeline_series(struct timeline *line)
{
	uint64_t **all = line->series, *one = calloc(TIMELINE_PERIODS, sizeof(*one));

	if (line->count == line->room) {
		size_t room = line->room ? 2 * line->room : 16;

		all = reallocarray(all, room, sizeof(*all));
		if (all) {
			line->series = all;
			line->room = room;
		}
	}
	if (!one || !all) {
		free(one);
		return NULL;
	}
	return line->series[line->count++] = one;
}

/* Join @factor periods into one; the first of the old ones becomes number @skip of its new one. */
static void join(uint64_t *series, uint32_t used, uint32_t factor, uint32_t skip)
{
	uint32_t i, to;
	uint64_t value;

	for (i = 0; i < used; i++) {
		to = (i + skip) / factor;
		value = series[i];
		series[i] = 0;
		series[to] += value;
	}
}

static void coarsen(struct timeline *line)
{
	const int64_t from = lengths[line->step], to = lengths[line->step + 1];
	const int64_t begin = line->begin - line->begin % to;
	const uint32_t skip = (line->begin - begin) / from;
	size_t i;

	for (i = 0; i < line->count; i++)
		join(line->series[i], line->used, to / from, skip);
	line->used = (line->used - 1 + skip) / (to / from) + 1;
	line->begin = begin;
	line->step++;
}

/* Make room for @by periods before the first. */
static void shift(struct timeline *line, uint32_t by)
{
	size_t i;

	for (i = 0; i < line->count; i++) {
		memmove(line->series[i] + by, line->series[i],
			line->used * sizeof(*line->series[i]));
		memset(line->series[i], 0, by * sizeof(*line->series[i]));
	}
	line->used += by;
	line->begin -= by * lengths[line->step];
}

uint32_t timeline_period(struct timeline *line, int64_t time_ns)
{
	int64_t begin, before, at;

	if (!line->used) {
		line->begin = time_ns - time_ns % lengths[line->step];
		line->used = 1;
	}
	for (;;) {
		begin = time_ns - time_ns % lengths[line->step];
		before = (line->begin - begin) / lengths[line->step];
		at = -before;
		if (before > 0 && before + line->used <= TIMELINE_PERIODS) {
			shift(line, before);
			return 0;
		}
		if (at >= 0 && at < TIMELINE_PERIODS)
			break;
		coarsen(line);
	}
	if (at >= line->used)
		line->used = at + 1;
	return at;
}

void timeline_free(struct timeline *line)
{
	while (line->count)
		free(line->series[--line->count]);
	free(line->series);
}
