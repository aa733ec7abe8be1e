// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the pilots of a perfect hash table: the fullest buckets are placed first, while there is
 * room (Fox, Chen and Heath, SIGIR 1992). If a bucket finds no pilot, the construction starts again
 * with another seed. A pilot is XORed to its keys' hashes, so two keys of a bucket whose hashes
 * differ by less than a slot always collide. One seed in four fails.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/blob.h"
#include "../../kmod/engine/perfect_hash.h"
#include "perfect_hash.h"

#define KEYS_A_BUCKET	4	/* maximum, on average */
#define SEEDS		64	/* then the table gets more slots */

/*
 * Pilots are tried in an order that changes the upper bits, which decide in small tables, as soon
 * as the lower ones. PILOTS_A_SLOT limits the attempts: with this many the last free slot would
 * almost surely be found, so the bucket's keys collide and another seed is needed.
 */
#define PILOTS		65536
#define PILOT_STEP	40503	/* odd, so that it visits all of them */
#define PILOTS_A_SLOT	64
#define BUCKET_KEYS_MAX	64	/* more than chance gives: try another seed */

struct bucket {
	uint32_t first;		/* in the order array */
	uint32_t count;
	uint32_t number;
};

static int by_count(const void *a, const void *b)
{
	const struct bucket *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->number < y->number ? -1 : 1;
}

static bool try_pilot(const struct nfac_table *t, const uint64_t *mix, uint32_t count,
		      uint32_t pilot, const uint8_t *used)
{
	uint32_t slot[BUCKET_KEYS_MAX], i, j;

	for (i = 0; i < count; i++) {
		slot[i] = nfac_table_slot(t, mix[i], pilot);
		if (used[slot[i]])
			return false;
		for (j = 0; j < i; j++)
			if (slot[j] == slot[i])
				return false;
	}
	return true;
}

/* Return: the bucket's pilot, or -1. */
static int32_t find_pilot(const struct nfac_table *t, const uint64_t *mix, uint32_t count,
			  const uint8_t *used)
{
	uint32_t n, pilots = PILOTS;

	if (t->slots_count < PILOTS / PILOTS_A_SLOT)
		pilots = t->slots_count * PILOTS_A_SLOT;
	for (n = 0; n < pilots; n++) {
		uint32_t pilot = n * PILOT_STEP % PILOTS;

		if (try_pilot(t, mix, count, pilot, used))
			return pilot;
	}
	return -1;
}

/* Return: 0, -EAGAIN when some bucket finds no pilot. */
static int place(struct table *t, const struct nfac_table *hash,
		 const struct table_pair *pairs, const uint32_t *order,
		 const struct bucket *buckets, uint8_t *used)
{
	uint64_t mix[BUCKET_KEYS_MAX];
	uint32_t b, i;

	for (b = 0; b < t->buckets && buckets[b].count; b++) {
		const uint32_t *key = order + buckets[b].first;
		uint32_t count = buckets[b].count, slot;
		int32_t pilot;

		if (count > BUCKET_KEYS_MAX)
			return -EAGAIN;
		for (i = 0; i < count; i++)
			mix[i] = nfac_table_mix(hash, pairs[key[i]].key);
		pilot = find_pilot(hash, mix, count, used);
		if (pilot < 0)
			return -EAGAIN;
		t->pilots[buckets[b].number] = pilot;
		for (i = 0; i < count; i++) {
			slot = nfac_table_slot(hash, mix[i], pilot);
			used[slot] = 1;
			t->pairs[slot] = pairs[key[i]];
		}
	}
	return 0;
}

/* Give empty slots a key that does not hash to them: one of the first few will do. */
static void fill_empty(struct table *t, const struct nfac_table *hash, const uint8_t *used)
{
	uint32_t s, key;

	for (s = 0; s < t->slots; s++) {
		if (used[s])
			continue;
		for (key = 0; ; key++) {
			uint64_t mix = nfac_table_mix(hash, key);
			uint32_t b = nfac_table_bucket(hash, mix);

			if (nfac_table_slot(hash, mix, t->pilots[b]) != s)
				break;
		}
		t->pairs[s] = (struct table_pair){ key, NFAC_NONE };
	}
}

static uint32_t bucket_of(const struct nfac_table *hash, uint32_t key)
{
	return nfac_table_bucket(hash, nfac_table_mix(hash, key));
}

static int attempt(struct table *t, const struct table_pair *pairs, size_t count)
{
	struct bucket *buckets = calloc(t->buckets, sizeof(*buckets));
	uint32_t *order = calloc(count, sizeof(*order));
	uint8_t *used = calloc(t->slots, 1);
	const struct nfac_blob_table head = {
		.slots = cpu_to_le32(t->slots), .buckets = cpu_to_le32(t->buckets),
		.seed = cpu_to_le32(t->seed),
	};
	struct nfac_table hash;
	uint32_t i, b, sum = 0;
	int err = -ENOMEM;

	nfac_table_bind(&hash, &head, used);	/* for its hash alone */
	t->pairs = calloc(t->slots, sizeof(*t->pairs));
	t->pilots = calloc(t->buckets + 1, sizeof(*t->pilots));
	if (!buckets || !order || !used || !t->pairs || !t->pilots)
		goto out;
	for (i = 0; i < count; i++)
		buckets[bucket_of(&hash, pairs[i].key)].count++;
	for (b = 0; b < t->buckets; b++) {
		buckets[b].number = b;
		buckets[b].first = sum;
		sum += buckets[b].count;
		buckets[b].count = 0;
	}
	for (i = 0; i < count; i++) {
		b = bucket_of(&hash, pairs[i].key);
		order[buckets[b].first + buckets[b].count++] = i;
	}
	qsort(buckets, t->buckets, sizeof(*buckets), by_count);
	err = place(t, &hash, pairs, order, buckets, used);
	if (!err)
		fill_empty(t, &hash, used);
out:
	free(buckets);
	free(order);
	free(used);
	if (err)
		table_free(t);
	return err;
}

int table_build(struct table *t, const struct table_pair *pairs, size_t count)
{
	size_t slots = count + count / 16 + 1, buckets = 2;
	uint32_t seed = 0;
	int err;

	memset(t, 0, sizeof(*t));
	if (!count)
		return 0;
	while (buckets * KEYS_A_BUCKET < count)
		buckets *= 2;
	do {
		if (slots > UINT32_MAX / 4)
			return -E2BIG;
		t->slots = slots;
		t->buckets = buckets;
		t->seed = seed++;
		err = attempt(t, pairs, count);
		if (!(seed % SEEDS))
			slots += slots / 16 + 1;
	} while (err == -EAGAIN);
	return err;
}

void table_free(struct table *t)
{
	free(t->pairs);
	free(t->pilots);
	memset(t, 0, sizeof(*t));
}
