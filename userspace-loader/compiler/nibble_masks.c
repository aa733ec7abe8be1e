// SPDX-License-Identifier: GPL-2.0
/*
 * Nibble masks: distributing patterns over eight buckets.
 *
 * A bucket passes all text whose nibbles, each by itself, some pattern of the bucket has at that
 * offset. So each q-gram gets a bucket of its own; then the two buckets whose union passes the
 * least additional text are united, until as many are left as a byte has bits (agglomerative
 * clustering; Ward, JASA 58, 1963).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "byte_frequency.h"
#include "nibble_masks.h"

#define BUCKETS		8

/* The nibbles of a bucket at each offset: a bit for each. On the stack of nibble_masks_build(). */
struct bucket {
	uint16_t lower[NFAC_GRAM];
	uint16_t upper[NFAC_GRAM];
	double pass;
};

/* The buckets so far. @more: for each pair, how much more text their union passes. */
struct grouping {
	struct bucket bucket[NIBBLE_MASKS_GRAMS_MAX];
	double more[NIBBLE_MASKS_GRAMS_MAX][NIBBLE_MASKS_GRAMS_MAX];
	size_t count;
	double share[256];
};

/* Share of text whose byte has one of these lower and one of these upper nibbles. */
static double share_of(const struct grouping *g, uint16_t lower, uint16_t upper)
{
	double sum = 0;
	uint32_t high, low;

	for (high = upper; high; high &= high - 1)
		for (low = lower; low; low &= low - 1)
			sum += g->share[nfac_ctz64(high) * 16 + nfac_ctz64(low)];
	return sum;
}

/* Share of text that passes the bucket. */
static double pass_of(const struct grouping *g, const struct bucket *b)
{
	double pass = 1;
	int k;

	for (k = 0; k < NFAC_GRAM; k++)
		pass *= share_of(g, b->lower[k], b->upper[k]);
	return pass;
}

static struct bucket unite(const struct grouping *g, const struct bucket *a,
			   const struct bucket *b)
{
	struct bucket both;
	int k;

	for (k = 0; k < NFAC_GRAM; k++) {
		both.lower[k] = a->lower[k] | b->lower[k];
		both.upper[k] = a->upper[k] | b->upper[k];
	}
	both.pass = pass_of(g, &both);
	return both;
}

static void compare(struct grouping *g, size_t a, size_t b)
{
	const struct bucket *x = &g->bucket[a], *y = &g->bucket[b];
	double more = unite(g, x, y).pass - x->pass - y->pass;

	g->more[a][b] = more;
	g->more[b][a] = more;
}

/* Unite the two buckets whose union passes the least additional text. */
static void unite_nearest(struct grouping *g)
{
	size_t i, k, a = 0, b = 1;

	for (i = 0; i < g->count; i++)
		for (k = i + 1; k < g->count; k++)
			if (g->more[i][k] < g->more[a][b]) {
				a = i;
				b = k;
			}
	g->bucket[a] = unite(g, &g->bucket[a], &g->bucket[b]);
	g->count--;
	g->bucket[b] = g->bucket[g->count];
	for (i = 0; i < g->count; i++) {
		if (i != a)
			compare(g, a, i);
		if (i != b && b < g->count)
			compare(g, b, i);
	}
}

/* @upper: upper nibbles that pass beside the pattern's. Return: false if there are too many. */
static bool add(struct grouping *g, const struct trie_key *key, bool fold, uint16_t upper)
{
	struct bucket one = { 0 };
	size_t i;
	int k;

	for (k = 0; k < NFAC_GRAM; k++) {
		uint8_t c = key->bytes[k];

		one.lower[k] = 1u << (c & 15);
		one.upper[k] = upper | 1u << (c >> 4);
		if (fold && (uint8_t)(c - 'a') < 26)
			one.upper[k] |= 1u << ((c & ~0x20) >> 4);
	}
	for (i = 0; i < g->count; i++)
		if (!memcmp(g->bucket[i].lower, one.lower, sizeof(one.lower)) &&
		    !memcmp(g->bucket[i].upper, one.upper, sizeof(one.upper)))
			return true;
	if (g->count == NIBBLE_MASKS_GRAMS_MAX)
		return false;
	g->bucket[g->count++] = unite(g, &one, &one);
	return true;
}

static void put_bucket(uint8_t *map, const struct bucket *b, uint8_t bit)
{
	int k, n;

	for (k = 0; k < NFAC_GRAM; k++, map += NFAC_NIBBLE_MASK_BYTES) {
		for (n = 0; n < 16; n++) {
			if (b->lower[k] >> n & 1)
				map[n] |= bit;
			if (b->upper[k] >> n & 1)
				map[16 + n] |= bit;
		}
	}
}

int nibble_masks_build(struct nibble_masks *nibble_masks, const struct outputs *o, bool lower)
{
	const uint16_t upper = lower ? 0xffff : 0;
	struct grouping *g = calloc(1, sizeof(*g));
	size_t i, k;

	memset(nibble_masks, 0, sizeof(*nibble_masks));
	if (!g)
		return -ENOMEM;
	byte_frequencies(g->share);
	for (i = 0; i < o->keys_count; i++) {
		if (!add(g, &o->keys[i], o->fold, upper)) {
			nibble_masks->pass = 1;
			goto out;
		}
	}
	for (i = 0; i < g->count; i++)
		for (k = i + 1; k < g->count; k++)
			compare(g, i, k);
	while (g->count > BUCKETS)
		unite_nearest(g);
	for (i = 0; i < g->count; i++) {
		const struct bucket *b = &g->bucket[i];

		put_bucket(nibble_masks->map, b, 1u << i);
		nibble_masks->pass += b->pass;
	}
	/* the same in buckets without patterns: their lower nibbles pass nothing */
	for (k = 0; lower && k < NFAC_GRAM; k++)
		memset(nibble_masks->map + k * NFAC_NIBBLE_MASK_BYTES + 16, 0xff, 16);
out:
	free(g);
	return 0;
}
