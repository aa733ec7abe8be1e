// SPDX-License-Identifier: GPL-2.0
/*
 * Collecting the keys of the prefilter's maps from a set's patterns.
 */
#include <errno.h>
#include <stdlib.h>

#include "filter_maps.h"
#include "../../kmod/engine/bloom.h"

/*
 * The Bloom filter uses five bytes unless patterns of four bytes would fill it: each of those needs
 * 256 keys, one for each fifth byte. This is the highest number of keys for each pattern. At 2 a
 * dictionary's set takes half the memory that it takes at 8, and loses 5 % of the speed.
 */
#define WILD_MAX	2

static int add(struct key_list *k, uint64_t key)
{
	if (k->count == k->room) {
		size_t room = k->room ? 2 * k->room : 1024;
		void *p = realloc(k->list, room * sizeof(*k->list));

		if (!p)
			return -ENOMEM;
		k->list = p;
		k->room = room;
	}
	k->list[k->count++] = key;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort the keys and drop duplicates. */
static void distinct(struct key_list *k)
{
	size_t i, n = 0;

	if (k->count)
		qsort(k->list, k->count, sizeof(*k->list), by_value);
	for (i = 0; i < k->count; i++)
		if (!i || k->list[i] != k->list[n - 1])
			k->list[n++] = k->list[i];
	k->count = n;
}

static uint64_t bytes_at(const uint8_t *p, unsigned int n, uint8_t fold)
{
	uint64_t x = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		x |= (uint64_t)(p[i] | fold) << 8 * i;
	return x;
}

/* Add the keys of @n bytes whose last byte is any. */
static int add_wild(struct key_list *k, const uint8_t *p, unsigned int n, uint8_t fold)
{
	uint64_t c;
	int err = 0;

	for (c = 0; !err && c < 256; c++)
		err = add(k, bytes_at(p, n - 1, fold) | (c | fold) << 8 * (n - 1));
	return err;
}

static uint64_t gram_key(const struct filter_maps *m, const uint8_t *p, uint32_t left)
{
	uint64_t next = left > NFAC_GRAM ? p[NFAC_GRAM] & (NEXT_ANY - 1) : NEXT_ANY;

	return bytes_at(p, NFAC_GRAM, m->fold) << 4 | next;
}

uint64_t filter_head_key(const struct filter_maps *m, uint64_t head, uint32_t first)
{
	uint32_t gram = head << 8 | first | m->fold;

	return (uint64_t)gram << 4 | (head >> 24 & (NEXT_ANY - 1));
}

uint32_t filter_gram_bit(uint8_t last, uint32_t next)
{
	return nfac_gram_bit(last, next) & 63;
}

uint64_t filter_key_bits(const struct filter_maps *m, uint64_t key)
{
	uint32_t gram = key >> 4, next = m->five ? key & 15 : 0;
	uint64_t bits = 0;

	if (next < NEXT_ANY)
		return 1ull << filter_gram_bit(gram >> 24, next);
	for (next = 0; next < NEXT_ANY; next++)
		bits |= 1ull << filter_gram_bit(gram >> 24, next);
	return bits;
}

size_t filter_gram_keys(const struct filter_maps *m)
{
	return m->five ? m->grams.count : m->distinct;
}

bool filter_gram_is_first(const struct filter_maps *m, size_t i)
{
	return !i || m->grams.list[i] >> 4 != m->grams.list[i - 1] >> 4;
}

int filter_collect_grams(struct filter_maps *m, uint32_t stride)
{
	const struct outputs *o = m->o;
	size_t i;
	int err = 0;

	m->grams.count = 0;
	m->tails.count = 0;
	m->heads.count = 0;
	for (i = 0; !err && i < o->keys_count; i++) {
		const struct trie_key *key = &o->keys[i];
		uint32_t at, to = stride;

		if (key->length == NFAC_GRAM && stride == NFAC_BEFORE_STRIDE) {
			err = add(&m->heads, bytes_at(key->bytes, NFAC_GRAM, m->fold));
			to--;
		}
		for (at = 0; !err && at < to; at++) {
			const uint8_t *p = key->bytes + at;

			if (key->length - at < NFAC_GRAM)
				err = add(&m->tails, bytes_at(p, NFAC_GRAM - 1, m->fold));
			else
				err = add(&m->grams, gram_key(m, p, key->length - at));
		}
	}
	distinct(&m->grams);
	distinct(&m->tails);
	distinct(&m->heads);
	for (i = 0, m->distinct = 0; i < m->grams.count; i++)
		m->distinct += filter_gram_is_first(m, i);
	return err;
}

int filter_collect_candidates(struct filter_maps *m)
{
	const struct outputs *o = m->o;
	size_t i, wild = 0;
	int err = 0, bytes;

	for (i = 0; i < o->keys_count; i++)
		wild += o->keys[i].length == NFAC_GRAM;
	bytes = NFAC_GRAM + 1;
	if (wild * 256 > 1024 && wild * 256 / WILD_MAX > o->keys_count)
		bytes = NFAC_GRAM;
	for (i = 0; !err && i < o->keys_count; i++) {
		const struct trie_key *key = &o->keys[i];

		if (bytes > NFAC_GRAM && key->length == NFAC_GRAM)
			err = add_wild(&m->candidates, key->bytes, bytes, m->fold);
		else
			err = add(&m->candidates, bytes_at(key->bytes, bytes, m->fold));
	}
	distinct(&m->candidates);
	return err ? err : bytes;
}

void filter_maps_free(struct filter_maps *m)
{
	free(m->candidates.list);
	free(m->grams.list);
	free(m->tails.list);
	free(m->heads.list);
}
