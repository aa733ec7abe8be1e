// SPDX-License-Identifier: GPL-2.0
/*
 * The short patterns' maps: distributing patterns over buckets.
 *
 * A bucket passes all text whose bytes, each by itself, some pattern of the bucket has at that
 * offset; text that passes is looked up in a hash table. So patterns that share bytes share a
 * bucket: one after the other moves to the bucket that then passes the least additional text, until
 * none moves (Hartigan 1975, chapter 4).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "byte_frequency.h"
#include "short_maps.h"
#include "../../kmod/engine/blob.h"

/*
 * Most buckets of one length; first bucket and number of buckets of each length, as in
 * NFAC_SHORT_OF().
 */
#define BUCKETS_MAX	4
static const uint8_t first_of[NFAC_GRAM] = { 0, 0, 1, 4 }, many_of[NFAC_GRAM] = { 0, 1, 3, 4 };

/*
 * Patterns of one length up to which they are moved: beyond, every bucket is full of bytes anyway.
 * And rounds of moves.
 */
#define PATTERNS_MOVED	4096
#define ROUNDS		16

/* Sum of all bytes' weights is twice this, so the product of three sums fits in 64 bits. */
#define WEIGHT		(1u << 18)

/*
 * The buckets of one length. @weight: frequency of a byte; @uses: number of a bucket's patterns
 * that have a byte at an offset; @sum: weights of those bytes. On the stack of short_maps_fill().
 */
struct buckets {
	uint32_t weight[256];
	uint32_t uses[BUCKETS_MAX][NFAC_GRAM - 1][256];
	uint64_t sum[BUCKETS_MAX][NFAC_GRAM - 1];
};

uint32_t byte_patterns_count(const struct outputs *o)
{
	uint32_t byte_patterns = 0;

	while (byte_patterns < o->spellings_count && o->spellings[byte_patterns].key >> 24 == 1)
		byte_patterns++;
	return byte_patterns;
}

/* Half the weight is web traffic, half is uniform. */
static void weigh(struct buckets *b)
{
	double share[256];
	int c;

	byte_frequencies(share);
	for (c = 0; c < 256; c++)
		b->weight[c] = WEIGHT * share[c] + WEIGHT / 256;
}

/* Estimate of the text that passes the bucket: the product over its offsets. */
static uint64_t passing(const struct buckets *b, int bucket, uint32_t length)
{
	uint64_t pass = 1;
	uint32_t k;

	for (k = 0; k < length; k++)
		pass *= b->sum[bucket][k];
	return pass;
}

static void put(struct buckets *b, int bucket, uint32_t key)
{
	uint32_t k, c;

	for (k = 0; k < key >> 24; k++) {
		c = key >> 8 * k & 0xff;
		if (!b->uses[bucket][k][c]++)
			b->sum[bucket][k] += b->weight[c];
	}
}

static void take(struct buckets *b, int bucket, uint32_t key)
{
	uint32_t k, c;

	for (k = 0; k < key >> 24; k++) {
		c = key >> 8 * k & 0xff;
		if (!--b->uses[bucket][k][c])
			b->sum[bucket][k] -= b->weight[c];
	}
}

/* The bucket that passes the least additional text with @key; @now if no other is better. */
static int best_bucket(struct buckets *b, uint32_t key, int now)
{
	const uint32_t length = key >> 24;
	int best = now, bucket, i;
	uint64_t least = 0, more;

	for (i = 0; i < many_of[length]; i++) {
		bucket = (now + i) % many_of[length];
		more = -passing(b, bucket, length);
		put(b, bucket, key);
		more += passing(b, bucket, length);
		take(b, bucket, key);
		if (!i || more < least) {
			least = more;
			best = bucket;
		}
	}
	return best;
}

/* Assign a bucket to each of the @n spellings of one length from @pair on, in @chosen. */
static void choose(struct buckets *b, const struct table_pair *pair, size_t n, uint8_t *chosen)
{
	const uint32_t length = pair->key >> 24;
	bool moved = true;
	int round, best;
	size_t i;

	memset(b->uses, 0, sizeof(b->uses));
	memset(b->sum, 0, sizeof(b->sum));
	for (i = 0; i < n; i++) {
		chosen[i] = i * many_of[length] / n;
		put(b, chosen[i], pair[i].key);
	}
	for (round = 0; moved && round < ROUNDS && n <= PATTERNS_MOVED; round++) {
		moved = false;
		for (i = 0; i < n; i++) {
			take(b, chosen[i], pair[i].key);
			best = best_bucket(b, pair[i].key, chosen[i]);
			put(b, best, pair[i].key);
			moved |= best != chosen[i];
			chosen[i] = best;
		}
	}
}

static void set_nibbles(uint8_t *map, uint8_t c, uint8_t bit)
{
	map[c & 15] |= bit;
	map[16 + (c >> 4)] |= bit;
}

static void fill(uint8_t *map, uint32_t key, uint8_t bit)
{
	const uint32_t length = key >> 24;
	uint8_t *nibbles = map + NFAC_SHORT_BUCKETS;
	uint8_t *set = nibbles + NFAC_SHORT_NIBBLES + 32 * (length * (length - 1) / 2);
	uint32_t k, c;

	for (k = 0; k < 3; k++) {
		uint8_t byte = k < length ? key >> 8 * (length - 1 - k) : 0;

		for (c = byte; c < 256; c++) {
			map[256 * k + c] |= bit;
			if (length > 1)
				set_nibbles(nibbles + 32 * k, c, bit);
			if (k >= length)
				continue;
			set[32 * k + (c >> 7) * 16 + (c & 15)] |= 1 << (c >> 4 & 7);
			break;
		}
	}
}

/* Write the outputs of the @n byte patterns, and the number of each by its byte. */
static void fill_ones(uint8_t *numbers, const struct table_pair *pair, uint32_t n)
{
	uint32_t *output = (uint32_t *)(numbers + NFAC_BYTE_PATTERNS);
	uint32_t i;

	for (i = 0; i < n; i++) {
		numbers[pair[i].key & 0xff] = i;
		output[i] = cpu_to_le32(pair[i].value);
	}
}

int short_maps_fill(uint8_t *map, const struct outputs *o)
{
	struct buckets *b = malloc(sizeof(*b));
	uint8_t *chosen = malloc(o->spellings_count);
	const struct table_pair *pair = o->spellings;
	size_t i, j, k;
	int err = -ENOMEM;

	if (!b || !chosen)
		goto out;
	err = 0;
	weigh(b);
	for (i = 0; i < o->spellings_count; i = j) {
		const uint32_t length = pair[i].key >> 24;

		for (j = i; j < o->spellings_count && pair[j].key >> 24 == length; j++)
			;
		choose(b, pair + i, j - i, chosen + i);
		for (k = i; k < j; k++)
			fill(map, pair[k].key, 1 << (first_of[length] + chosen[k]));
	}
	fill_ones(map + NFAC_SHORT_BYTES, pair, byte_patterns_count(o));
out:
	free(b);
	free(chosen);
	return err;
}
