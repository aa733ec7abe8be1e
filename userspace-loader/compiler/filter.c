// SPDX-License-Identifier: GPL-2.0
/*
 * Choosing the stride and filling the maps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "../../kmod/automaton.h"

/*
 * Bits in a map for each gram in it: at 32 a random text passes one probe in 32,
 * a map of a few thousand grams still lies in L1, and more bits gain little, for
 * what real text passes then are true grams.
 */
#define BITS_A_GRAM	32
#define LOG2_MIN	10
#define LOG2_MAX	24

/* From this share of bits set (1 in n) on, a map stops nothing worth its cost. */
#define TOO_FULL	3

static unsigned int log2_bits(size_t grams)
{
	unsigned int log2 = LOG2_MIN;

	while (log2 < LOG2_MAX && 1ull << log2 < grams * BITS_A_GRAM)
		log2++;
	return log2;
}

static uint32_t gram(const uint8_t *p, unsigned int n)
{
	uint32_t i, x = 0;

	for (i = 0; i < n; i++)
		x |= (uint32_t)p[i] << 8 * i;
	return x;
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static size_t distinct(uint32_t *list, size_t n)
{
	size_t i, k = 0;

	qsort(list, n, sizeof(*list), by_value);
	for (i = 0; i < n; i++)
		if (!i || list[i] != list[k - 1])
			list[k++] = list[i];
	return k;
}

/* Grams, or tails, of @n bytes at offsets @from .. @to - 1. */
static size_t collect(const struct outputs *o, uint32_t *list, uint32_t from,
		      uint32_t to, uint32_t n, uint32_t fold)
{
	uint32_t mask = n == NFAC_GRAM ? ~0u : (1u << 8 * n) - 1;
	size_t i, count = 0;
	uint32_t at;

	for (i = 0; i < o->keys_count; i++)
		for (at = from; at < to; at++) {
			uint32_t left = o->keys[i].length - at;

			if (n == NFAC_GRAM ? left >= n : left == n)
				list[count++] = (gram(o->keys[i].bytes + at, n) | fold) & mask;
		}
	return distinct(list, count);
}

/* Bits are numbered from the lowest of little-endian 64-bit words. */
static void fill(uint8_t *map, const uint32_t *list, size_t count, uint32_t shift)
{
	size_t i;

	for (i = 0; i < count; i++) {
		uint32_t bit = nfac_gram_hash(list[i], shift);

		map[bit >> 3] |= 1 << (bit & 7);
	}
}

static size_t align(size_t bytes)
{
	return (bytes + NFAC_BLOB_ALIGN - 1) & ~(size_t)(NFAC_BLOB_ALIGN - 1);
}

/*
 * Buckets of the short patterns: one for single bytes, three for pairs, four for
 * triples. Neighbours in sorted order share a bucket: their bytes are alike.
 */
static void fill_short(uint8_t *map, const struct outputs *o)
{
	static const uint8_t first[] = { 0, 0, 1, 4 }, many[] = { 0, 1, 3, 4 };
	size_t seen[4] = { 0 }, all[4] = { 0 }, i;
	uint8_t *nibbles = map + 3 * 256;
	uint32_t k, c;

	for (i = 0; i < o->shorts_count; i++)
		all[o->shorts[i].key >> 24]++;
	for (i = 0; i < o->shorts_count; i++) {
		uint32_t key = o->shorts[i].key, length = key >> 24;
		uint8_t bit = 1 << (first[length] + seen[length]++ * many[length] / all[length]);

		for (k = 0; k < 3; k++) {
			uint8_t byte = k < length ? key >> 8 * (length - 1 - k) : 0;

			for (c = byte; c < 256; c++) {
				map[256 * k + c] |= bit;
				nibbles[32 * k + (c & 15)] |= bit;
				nibbles[32 * k + 16 + (c >> 4)] |= bit;
				if (k < length)
					break;
			}
		}
	}
}

int filter_build(struct filter *f, const struct outputs *o)
{
	uint32_t fold = o->fold ? 0x20202020 : 0;
	uint32_t shortest = NFAC_PATTERN_MAX, stride;
	size_t grams = 0, starts = 0, tails = 0, at = 0, i;
	uint32_t *list, *start_list, *tail_list;
	unsigned int gram_log2, start_log2, tail_log2;
	int err = -ENOMEM;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < o->shorts_count; i++)
		f->short_lengths |= 1u << (o->shorts[i].key >> 24);
	for (i = 0; i < o->keys_count; i++)
		if (o->keys[i].length < shortest)
			shortest = o->keys[i].length;
	/* each offset below the stride needs three bytes of pattern behind it */
	stride = shortest - 2 < 4 ? shortest - 2 : 4;

	list = malloc((o->keys_count * 4 + 1) * sizeof(*list));
	start_list = malloc((o->keys_count + 1) * sizeof(*start_list));
	tail_list = malloc((o->keys_count * 4 + 1) * sizeof(*tail_list));
	if (!list || !start_list || !tail_list)
		goto out;
	if (o->keys_count) {
		grams = collect(o, list, 0, stride, NFAC_GRAM, fold);
		tails = collect(o, tail_list, 0, stride, NFAC_GRAM - 1, fold);
		starts = collect(o, start_list, 0, 1, NFAC_GRAM, fold);
	}
	gram_log2 = log2_bits(grams);
	start_log2 = log2_bits(starts);
	tail_log2 = log2_bits(tails);
	if (grams && grams * TOO_FULL < 1ull << gram_log2) {
		f->head.stride = cpu_to_le32(stride);
		f->head.gram_shift = cpu_to_le32(32 - gram_log2);
		f->head.start_shift = cpu_to_le32(32 - start_log2);
		f->head.tail_shift = cpu_to_le32(tails ? 32 - tail_log2 : 0);
		f->head.fold = cpu_to_le32(fold);
		at = (1ull << gram_log2) / 8 + (1ull << start_log2) / 8 +
		     (tails ? (1ull << tail_log2) / 8 : 0);
	}
	f->short_at = at;
	f->size = align(at + (f->short_lengths ? NFAC_SHORT_BYTES : 0));
	f->bytes = aligned_alloc(NFAC_BLOB_ALIGN, f->size ? f->size : NFAC_BLOB_ALIGN);
	if (!f->bytes)
		goto out;
	memset(f->bytes, 0, f->size);
	if (at) {
		uint8_t *map = f->bytes;

		fill(map, list, grams, 32 - gram_log2);
		map += (1ull << gram_log2) / 8;
		fill(map, start_list, starts, 32 - start_log2);
		map += (1ull << start_log2) / 8;
		if (tails)
			fill(map, tail_list, tails, 32 - tail_log2);
	}
	if (f->short_lengths)
		fill_short(f->bytes + f->short_at, o);
	err = 0;
out:
	free(list);
	free(start_list);
	free(tail_list);
	if (err)
		filter_free(f);
	return err;
}

void filter_free(struct filter *f)
{
	free(f->bytes);
	memset(f, 0, sizeof(*f));
}
