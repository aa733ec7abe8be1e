// SPDX-License-Identifier: GPL-2.0
/*
 * Thresholds of rules, and the counters by rule and address that they need.
 *
 * Cost: a search of one bucket for each rule that holds. The table has a fixed size; the oldest
 * counter of a bucket makes room.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"
#include "threshold.h"

#define BUCKETS	(1u << 14)
#define WAYS	6u

/* A rule and the addresses that it is counted for, since @since. @count 0 with @id 0: free. */
struct counter {
	uint64_t id;
	uint32_t count;
	int64_t since;
	uint8_t addresses[32];
};

struct thresholds {
	struct counter counters[BUCKETS][WAYS];
};

/* Read "KEY VALUE". Return: it is one of the four. */
static bool read_word(struct threshold *t, const char *key, const char *value, unsigned int *seen)
{
	static const char *const types[] = { "limit", "threshold", "both" };
	static const char *const tracks[] = { "by_src", "by_dst", "by_both", "by_rule" };
	uint64_t number;
	unsigned int i;

	if (!strcmp(key, "type")) {
		for (i = 0; i < 3; i++)
			if (!strcmp(value, types[i])) {
				t->type = i;
				*seen |= 1;
				return true;
			}
		return false;
	}
	if (!strcmp(key, "track")) {
		for (i = 0; i < 4; i++)
			if (!strcmp(value, tracks[i])) {
				t->track = i;
				*seen |= 2;
				return true;
			}
		return false;
	}
	if (parse_number(value, 1, UINT32_MAX, &number))
		return false;
	if (!strcmp(key, "count")) {
		t->count = number;
		*seen |= 4;
		return true;
	}
	t->seconds = number;
	*seen |= 8;
	return !strcmp(key, "seconds");
}

bool threshold_parse(struct threshold *t, const char *text, bool filter)
{
	char *copy = strdup(text), *rest = copy, *part, key[16], value[24], more;
	unsigned int seen = filter;
	bool good = copy;

	memset(t, 0, sizeof(*t));
	while (good && (part = strsep(&rest, ",")))
		good = sscanf(part, " %15s %23s %c", key, value, &more) == 2 &&
		       !(filter && !strcmp(key, "type")) && read_word(t, key, value, &seen);
	free(copy);
	if (filter)
		t->type = THRESHOLD_FILTER;
	return good && seen == 15;
}

struct thresholds *thresholds_new(void)
{
	struct thresholds *t = calloc(1, sizeof(*t));

	if (!t)
		complain("out of memory");
	return t;
}

void thresholds_free(struct thresholds *t)
{
	free(t);
}

/* The rule's counter for these addresses; a new one has the count 0. */
static struct counter *find(struct thresholds *t, uint64_t id, const uint8_t *addresses)
{
	uint64_t hash = id * 0x9e3779b97f4a7c15ull;
	struct counter *bucket, *oldest;
	unsigned int i;

	for (i = 0; i < 32; i++)
		hash = (hash ^ addresses[i]) * 0x100000001b3ull;
	bucket = t->counters[hash >> 20 & (BUCKETS - 1)];
	oldest = bucket;
	for (i = 0; i < WAYS; i++) {
		if (bucket[i].count && bucket[i].id == id &&
		    !memcmp(bucket[i].addresses, addresses, 32))
			return &bucket[i];
		if (!bucket[i].count || (oldest->count && bucket[i].since < oldest->since))
			oldest = &bucket[i];
	}
	*oldest = (struct counter) { .id = id };
	memcpy(oldest->addresses, addresses, 32);
	return oldest;
}

enum threshold_result threshold_count(struct thresholds *t, const struct threshold *threshold,
				      uint64_t id, const uint8_t *saddr, const uint8_t *daddr,
				      int64_t now)
{
	uint8_t addresses[32] = { 0 };
	struct counter *c;

	if (threshold->track != TRACK_DESTINATION && threshold->track != TRACK_RULE)
		memcpy(addresses, saddr, 16);
	if (threshold->track != TRACK_SOURCE && threshold->track != TRACK_RULE)
		memcpy(addresses + 16, daddr, 16);
	c = find(t, id, addresses);
	if (!c->count || now > c->since + threshold->seconds) {
		c->since = now;
		c->count = 0;
	}
	/* the counter keeps a count of 1 at least, which says that it is taken */
	c->count++;
	switch (threshold->type) {
	case THRESHOLD_LIMIT:
		return c->count <= threshold->count ? THRESHOLD_REPORTED : THRESHOLD_SILENT;
	case THRESHOLD_THRESHOLD:
		return c->count % threshold->count ? THRESHOLD_NO_EFFECT : THRESHOLD_REPORTED;
	case THRESHOLD_BOTH:
		if (c->count < threshold->count)
			return THRESHOLD_NO_EFFECT;
		return c->count == threshold->count ? THRESHOLD_REPORTED : THRESHOLD_SILENT;
	default:
		return c->count > threshold->count ? THRESHOLD_REPORTED : THRESHOLD_NO_EFFECT;
	}
}
