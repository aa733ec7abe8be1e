/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys of a set's prefilter maps while the compiler chooses the filter configuration.
 *
 * filter_build() owns them: filter_keys.c collects the keys, filter_choose.c compares
 * configurations by them, filter.c writes the maps.
 */
#ifndef _NFAC_FILTER_MAPS_H
#define _NFAC_FILTER_MAPS_H

#include "nibble_masks.h"
#include "outputs.h"

/* Keys of a map, sorted and distinct once they are collected. */
struct key_list {
	uint64_t *list;
	size_t count;
	size_t room;
};

/**
 * struct filter_maps - the keys of one set's maps
 * @o: outputs of the set
 * @fold: or-ed to each byte
 * @five: the q-gram map uses five bytes; with four, all keys of a q-gram have the same bit
 * @candidates: first bytes of the patterns, the keys of the Bloom filter
 * @grams: a q-gram << 4, and the bits of the byte behind it or NEXT_ANY
 * @tails: three bytes, where a pattern has no fourth
 * @heads: patterns of NFAC_GRAM bytes that are also probed from the byte before them
 * @distinct: number of distinct q-grams in @grams
 */
struct filter_maps {
	const struct outputs *o;
	uint8_t fold;
	bool five;
	struct key_list candidates, grams, tails, heads;
	size_t distinct;
};

#define NEXT_BITS	3
#define NEXT_ANY	(1 << NEXT_BITS)

/* Bits that a q-gram with any first byte sets in the map: one for each first byte. */
#define HEAD_BITS	256

/**
 * filter_collect_grams() - list the q-grams, tails and heads of a stride
 * @m: the keys; those of another stride are discarded
 * @stride: 1 .. NFAC_GRAM
 *
 * Return: 0, -ENOMEM.
 */
int filter_collect_grams(struct filter_maps *m, uint32_t stride);

/**
 * filter_collect_candidates() - list the keys of the Bloom filter
 * Return: number of bytes of a key, or -ENOMEM.
 */
int filter_collect_candidates(struct filter_maps *m);

/* Number of keys that the q-gram map distinguishes. */
size_t filter_gram_keys(const struct filter_maps *m);

/* Is @grams.list[@i] the first key of its q-gram? The list is sorted. */
bool filter_gram_is_first(const struct filter_maps *m, size_t i);

/* Bit of the word for a q-gram's last byte and the byte behind it. */
uint32_t filter_gram_bit(uint8_t last, uint32_t next);

/* Bits of the word for a key. */
uint64_t filter_key_bits(const struct filter_maps *m, uint64_t key);

/* Key of a head's q-gram whose first byte is @first. */
uint64_t filter_head_key(const struct filter_maps *m, uint64_t head, uint32_t first);

void filter_maps_free(struct filter_maps *m);

/**
 * filter_choose_stride() - find the stride of the lowest estimated cost
 * Return: the stride, or -ENOMEM.
 */
int filter_choose_stride(struct filter_maps *m);

/**
 * filter_choose_nibble_masks() - build the nibble masks, if they are faster than probes
 * @masks: filled
 * @o: outputs of the set
 *
 * Return: 1: they are; 0; -ENOMEM.
 */
int filter_choose_nibble_masks(struct nibble_masks *masks, const struct outputs *o);

/**
 * filter_choose_gram_bytes() - collect the keys of the chosen stride, and set @m->five
 * Return: 0, -ENOMEM.
 */
int filter_choose_gram_bytes(struct filter_maps *m, uint32_t stride, bool nibble_masks);

/* Sizes of the maps, as logarithms of their bits. */
unsigned int filter_bloom_log2(const struct filter_maps *m);
unsigned int filter_gram_log2(const struct filter_maps *m);

#endif /* _NFAC_FILTER_MAPS_H */
