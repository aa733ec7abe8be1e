// SPDX-License-Identifier: GPL-2.0
/*
 * Writing the prefilter's maps and the short patterns' maps.
 *
 * nfac_compile() calls filter_build(). The keys come from filter_keys.c, the filter configuration
 * from filter_choose.c; the form of the maps is in blob.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "filter_maps.h"
#include "short_maps.h"
#include "suffix_filter.h"
#include "../../kmod/engine/bloom.h"

/* A q-gram map with more than one in this many bits set stops too little text: it is left out. */
#define TOO_FULL	3

static void fill_bloom(uint8_t *map, const struct filter_maps *m, unsigned int log2)
{
	__le64 *words = (__le64 *)map;
	size_t i;

	for (i = 0; i < m->candidates.count; i++) {
		uint64_t hash = nfac_candidate_hash(m->candidates.list[i]);

		words[hash >> (64 - (log2 - 6))] |= cpu_to_le64(nfac_candidate_bits(hash));
	}
}

static void fill_grams(uint8_t *map, const struct filter_maps *m, unsigned int log2)
{
	uint8_t shift = 32 - (log2 - 6);
	__le64 *words = (__le64 *)map;
	uint32_t first;
	size_t i;

	for (i = 0; i < m->grams.count; i++)
		words[nfac_gram_word(m->grams.list[i] >> 4, shift)] |=
			cpu_to_le64(filter_key_bits(m, m->grams.list[i]));
	for (i = 0; i < m->tails.count; i++)
		words[nfac_gram_word(m->tails.list[i], shift)] = cpu_to_le64(~0ull);
	for (i = 0; i < m->heads.count; i++)
		for (first = 0; first < 256; first++) {
			uint64_t key = filter_head_key(m, m->heads.list[i], first);

			words[nfac_gram_word(key >> 4, shift)] |=
				cpu_to_le64(filter_key_bits(m, key));
		}
}

/* Bytes of a map of 1 << @log2 bits; @log2 0: there is no map. */
static size_t map_bytes(unsigned int log2)
{
	return log2 ? (1ull << log2) / 8 : 0;
}

/* @masks: the nibble masks, or NULL; @suffix: log2 of the suffix map's bits, or 0. */
static int write_maps(struct filter *f, const struct filter_maps *m, const uint8_t *masks,
		      unsigned int suffix)
{
	unsigned int bloom = 0, grams = 0;
	uint64_t bits;
	uint8_t *map;

	if (m->candidates.count) {
		bloom = filter_bloom_log2(m);
		grams = filter_gram_log2(m);
	}
	bits = filter_gram_keys(m) + 64 * m->tails.count + HEAD_BITS * m->heads.count;
	if (!bloom || bits * TOO_FULL > 1ull << grams) {
		f->head.stride = 0;
		grams = 0;
		masks = NULL;
	}
	f->head.bloom = cpu_to_le32(bloom);
	f->head.grams = cpu_to_le32(grams);
	f->head.gram_bytes = cpu_to_le32(grams ? NFAC_GRAM + m->five : 0);
	f->head.before = cpu_to_le32(grams && m->heads.count);
	f->head.nibble_masks = cpu_to_le32(masks ? 1 : 0);
	suffix = f->head.stride ? suffix : 0;
	f->head.suffixes = cpu_to_le32(suffix);
	f->short_at = map_bytes(bloom) + map_bytes(grams) +
		      (masks ? NFAC_NIBBLE_MASKS_BYTES : 0) + suffix_maps_bytes(suffix);
	f->size = f->short_at +
		  (f->short_lengths ? NFAC_SHORT_BYTES +
		   nfac_byte_patterns_bytes(f->byte_patterns) : 0);
	f->bytes = calloc(1, f->size + 1);
	if (!f->bytes)
		return -ENOMEM;
	map = f->bytes;
	if (bloom)
		fill_bloom(map, m, bloom);
	map += map_bytes(bloom);
	if (grams)
		fill_grams(map, m, grams);
	map += map_bytes(grams);
	if (masks)
		memcpy(map, masks, NFAC_NIBBLE_MASKS_BYTES);
	map += masks ? NFAC_NIBBLE_MASKS_BYTES : 0;
	if (suffix)
		suffix_maps_fill(map, m->o, m->fold, suffix);
	if (f->short_lengths)
		return short_maps_fill(f->bytes + f->short_at, m->o);
	return 0;
}

int filter_build(struct filter *f, const struct outputs *o, bool suffix_filter)
{
	struct filter_maps m = { .o = o, .fold = o->fold ? 0x20 : 0 };
	int with_masks = 0, n = 0, err;
	struct nibble_masks masks;
	size_t i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < o->short_count; i++)
		f->short_lengths |= 1u << (o->short_patterns[i].key >> 24);
	f->byte_patterns = byte_patterns_count(o);
	if (o->keys_count) {
		n = filter_collect_candidates(&m);
		if (n < 0)
			goto out;
		f->head.bloom_bytes = cpu_to_le32(n);
		f->head.fold = cpu_to_le32(m.fold);
		n = filter_choose_stride(&m);
		if (n < 0)
			goto out;
		f->head.stride = cpu_to_le32(n);
		with_masks = filter_choose_nibble_masks(&masks, o);
		if (with_masks < 0) {
			n = with_masks;
			goto out;
		}
		n = filter_choose_gram_bytes(&m, n, with_masks);
		if (n < 0)
			goto out;
	}
	n = write_maps(f, &m, with_masks ? masks.map : NULL,
		       suffix_filter && o->keys_count ? suffix_maps_log2(o) : 0);
out:
	err = n < 0 ? n : 0;
	filter_maps_free(&m);
	if (err)
		filter_free(f);
	return err;
}

void filter_free(struct filter *f)
{
	free(f->bytes);
	memset(f, 0, sizeof(*f));
}
