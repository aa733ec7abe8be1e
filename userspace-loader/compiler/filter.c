// SPDX-License-Identifier: GPL-2.0
/*
 * Choosing the stride and filling the maps.
 *
 * A longer stride probes less often, but has more grams to let pass, and the
 * shortest patterns leave three bytes at an offset, which let any fourth pass. So
 * each stride's cost for a byte of text is estimated, and the cheapest taken. A pattern
 * of four bytes has no three left at the last of three offsets: it is probed for from a
 * byte before it on, whatever that byte is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "byte_frequency.h"
#include "suffix_filter.h"
#include "filter.h"
#include "nibble_masks.h"
#include "short_maps.h"
#include "../../kmod/engine/bloom.h"

/*
 * Bits in a map for each key in it, in that of grams at least and at most. At 64, a text that
 * has nothing of the set passes one probe in 64. More are worth their memory as long as the
 * map stays in the L1 cache and is smaller than the patterns, or is next to nothing; the
 * latter alone with short patterns, for then most of the time goes into those, and half of
 * the least will do: web traffic goes at 0.98 of the speed with Suricata's rules. The
 * limits are logarithms of bits.
 */
#define BITS_A_GRAM	64
#define BITS_A_GRAM_SHORTS 32
#define BITS_A_GRAM_MAX	256
#define BITS_A_START	32
#define ROOMY_MIN	15
#define ROOMY_MAX	18

/* From this share of bits set (1 in n) on, a map stops nothing worth its cost. */
#define TOO_FULL	3

/*
 * So much of a text's positions may pass maps by nibble. On web traffic sets of 5 to 50
 * patterns were up to twice as fast with such maps alone, and slower from 2 in 1,000 on.
 */
#define MIDS_PASS	1e-3

/*
 * Beside probes, the first three bytes do if they let no more pass than this: a fourth look
 * at each position costs 6 to 8 % of the time, a group that passes in vain some twelve cycles.
 */
#define MIDS_PASS_THREE	3e-3

/*
 * The map of starts speaks of five bytes unless four-byte patterns, which have any
 * fifth, would fill it: by so many keys for each pattern. At 2 a dictionary's set takes
 * half of the memory that it took at 8, and 5 % of the speed.
 */
#define WILD_MAX	2

/*
 * Estimates, in tenths of a cycle: a probe; taking up one that passed. And how often
 * text passes for each gram and each tail of three bytes, fitted to the times of web
 * traffic with 2,358 to 100,000 patterns at each stride, and by chance.
 */
#define COST_PROBE	22
#define COST_PASS	500
#define PASS_GRAM	0.2e-5
#define PASS_TAIL	15e-5
#define PASS_CHANCE	(1.0 / BITS_A_GRAM)

/* Bits of the map that a gram with any first byte has: one for each. */
#define HEAD_BITS	256

/* A map of five bytes may let so much more pass than one of four, by the estimate. */
#define FIVE_PASS	1.1

/* Keys of a map while they are collected. Owned by filter_build(). */
struct keys {
	uint64_t *list;
	size_t count;
	size_t room;
};

static int add(struct keys *k, uint64_t key)
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

static void distinct(struct keys *k)
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

/* Add a key of @n bytes whose last one may be any byte. */
static int add_wild(struct keys *k, const uint8_t *p, unsigned int n, uint8_t fold)
{
	uint64_t c;
	int err = 0;

	for (c = 0; !err && c < 256; c++)
		err = add(k, bytes_at(p, n - 1, fold) | (c | fold) << 8 * (n - 1));
	return err;
}

static unsigned int log2_bits(size_t keys, unsigned int bits_a_key)
{
	unsigned int log2 = NFAC_MAP_MIN;

	while (log2 < NFAC_MAP_MAX && 1ull << log2 < (uint64_t)keys * bits_a_key)
		log2++;
	return log2;
}

/* Of a map of grams: the most that it may have up to @limit, and the least in any case. */
static unsigned int log2_roomy(const struct outputs *o, size_t keys, unsigned int limit)
{
	unsigned int least = log2_bits(keys, o->shorts_count ? BITS_A_GRAM_SHORTS : BITS_A_GRAM);
	unsigned int log2 = log2_bits(keys, BITS_A_GRAM_MAX);

	if (log2 > limit)
		log2 = limit;
	return log2 > least ? log2 : least;
}

/* So many bits a map may have that gets more than the least. */
static unsigned int roomy_limit(const struct outputs *o)
{
	unsigned int limit = ROOMY_MIN;
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < o->keys_count && !o->shorts_count; i++)
		bytes += o->keys[i].length;
	while (limit < ROOMY_MAX && 2ull << limit <= 8 * bytes)
		limit++;
	return limit;
}

/*
 * The maps of one set. A key in @grams is a gram, << 4, and the bits that the byte behind it
 * gives, or NEXT_ANY; one in @heads is a pattern of NFAC_GRAM bytes that is probed for from the
 * byte before it on. @distinct: different grams among @grams; @five: the map is of five bytes,
 * else all keys of a gram have the same bit. Lives in filter_build().
 */
struct maps {
	const struct outputs *o;
	uint8_t fold;
	bool five;
	struct keys starts, grams, tails, heads;
	size_t distinct;
};

#define NEXT_BITS	3
#define NEXT_ANY	(1 << NEXT_BITS)

static uint64_t gram_key(const struct maps *m, const uint8_t *p, uint32_t left)
{
	uint64_t next = left > NFAC_GRAM ? p[NFAC_GRAM] & (NEXT_ANY - 1) : NEXT_ANY;

	return bytes_at(p, NFAC_GRAM, m->fold) << 4 | next;
}

/* The key of a head's gram that begins with @first. */
static uint64_t head_key(const struct maps *m, uint64_t head, uint32_t first)
{
	uint32_t gram = head << 8 | first | m->fold;

	return (uint64_t)gram << 4 | (head >> 24 & (NEXT_ANY - 1));
}

/* Bit of the word that a gram has by its last byte and the one behind it. */
static uint32_t bit_of(uint8_t last, uint32_t next)
{
	return nfac_gram_bit(last, next) & 63;
}

/* Bits of the word that a key has. */
static uint64_t key_bits(const struct maps *m, uint64_t key)
{
	uint32_t gram = key >> 4, next = m->five ? key & 15 : 0;
	uint64_t bits = 0;

	if (next < NEXT_ANY)
		return 1ull << bit_of(gram >> 24, next);
	for (next = 0; next < NEXT_ANY; next++)
		bits |= 1ull << bit_of(gram >> 24, next);
	return bits;
}

/* Keys as the map tells them apart. */
static size_t gram_keys(const struct maps *m)
{
	return m->five ? m->grams.count : m->distinct;
}

/* Is key @i the first one of its gram? They are sorted. */
static bool is_first(const struct maps *m, size_t i)
{
	return !i || m->grams.list[i] >> 4 != m->grams.list[i - 1] >> 4;
}

/* What all patterns leave at the offsets below @stride. */
static int collect(struct maps *m, uint32_t stride, bool nibble_masks)
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

		/* with maps by nibble, probes of full stride ask for the others only */
		if (nibble_masks && key->length >= MID_LENGTH)
			to = NFAC_GRAM;
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
		m->distinct += is_first(m, i);
	return err;
}

/* Size of the map of grams, as a logarithm of its bits. */
static unsigned int log2_grams(const struct maps *m)
{
	return log2_roomy(m->o, m->distinct + m->tails.count, roomy_limit(m->o));
}

static double cost(const struct maps *m, uint32_t stride)
{
	double pass = m->distinct * PASS_GRAM + PASS_CHANCE +
		      (m->tails.count + m->heads.count) * PASS_TAIL;

	/* these fill the map: a text that has nothing of the set meets them, too */
	pass += (double)HEAD_BITS * m->heads.count / (1ull << log2_grams(m));

	return (COST_PROBE + (pass < 1 ? pass : 1) * COST_PASS) / stride;
}

/* Return: the cheapest stride, or a negative errno. */
static int choose(struct maps *m)
{
	uint32_t shortest = NFAC_PATTERN_MAX, stride, best = 1;
	double least = 0;
	size_t i;

	for (i = 0; i < m->o->keys_count; i++)
		if (m->o->keys[i].length < shortest)
			shortest = m->o->keys[i].length;
	/* at each offset below the stride three bytes must be left, or from one before on */
	for (stride = 1; stride <= NFAC_GRAM; stride++) {
		int err;

		if (stride > NFAC_BEFORE_STRIDE && stride > shortest - 2)
			break;
		err = collect(m, stride, false);
		if (err)
			return err;
		if (stride == 1 || cost(m, stride) < least) {
			least = cost(m, stride);
			best = stride;
		}
	}
	return best;
}

/* Return: bytes that the map of starts speaks of, or a negative errno. */
static int collect_starts(struct maps *m)
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
			err = add_wild(&m->starts, key->bytes, bytes, m->fold);
		else
			err = add(&m->starts, bytes_at(key->bytes, bytes, m->fold));
	}
	distinct(&m->starts);
	return err ? err : bytes;
}

static void fill_starts(uint8_t *map, const struct maps *m, unsigned int log2)
{
	__le64 *words = (__le64 *)map;
	size_t i;

	for (i = 0; i < m->starts.count; i++) {
		uint64_t hash = nfac_candidate_hash(m->starts.list[i]);

		words[hash >> (64 - (log2 - 6))] |= cpu_to_le64(nfac_candidate_bits(hash));
	}
}

static void fill_grams(uint8_t *map, const struct maps *m, unsigned int log2)
{
	uint8_t shift = 32 - (log2 - 6);
	__le64 *words = (__le64 *)map;
	uint32_t first;
	size_t i;

	for (i = 0; i < m->grams.count; i++)
		words[nfac_gram_word(m->grams.list[i] >> 4, shift)] |=
			cpu_to_le64(key_bits(m, m->grams.list[i]));
	for (i = 0; i < m->tails.count; i++)
		words[nfac_gram_word(m->tails.list[i], shift)] = cpu_to_le64(~0ull);
	for (i = 0; i < m->heads.count; i++)
		for (first = 0; first < 256; first++) {
			uint64_t key = head_key(m, m->heads.list[i], first);

			words[nfac_gram_word(key >> 4, shift)] |= cpu_to_le64(key_bits(m, key));
		}
}

/* Bytes of a map of @log2 bits; 0: there is none. */
static size_t map_bytes(unsigned int log2)
{
	return log2 ? (1ull << log2) / 8 : 0;
}

static int write_maps(struct filter *f, const struct maps *m, const uint8_t *by_nibble,
		      uint32_t nibble_masks, unsigned int ends)
{
	unsigned int starts = 0, grams = 0;
	uint64_t bits;
	uint8_t *map;

	if (m->starts.count) {
		starts = log2_bits(m->starts.count, BITS_A_START);
		grams = log2_grams(m);
	}
	bits = gram_keys(m) + 64 * m->tails.count + HEAD_BITS * m->heads.count;
	if (!starts || bits * TOO_FULL > 1ull << grams) {
		f->head.stride = 0;
		grams = 0;
		nibble_masks = NFAC_NIBBLE_MASKS_NONE;
	}
	f->head.starts = cpu_to_le32(starts);
	f->head.grams = cpu_to_le32(grams);
	f->head.gram_bytes = cpu_to_le32(grams ? NFAC_GRAM + m->five : 0);
	f->head.before = cpu_to_le32(grams && m->heads.count);
	f->head.nibble_masks = cpu_to_le32(nibble_masks);
	ends = f->head.stride ? ends : 0;
	f->head.ends = cpu_to_le32(ends);
	f->short_at = map_bytes(starts) + map_bytes(grams) + (nibble_masks ?
							      NFAC_NIBBLE_MASKS_BYTES : 0) +
		      ends_bytes(ends);
	f->size = f->short_at +
		  (f->short_lengths ? NFAC_SHORT_BYTES +
		   nfac_byte_patterns_bytes(f->byte_patterns) : 0);
	f->bytes = calloc(1, f->size + 1);
	if (!f->bytes)
		return -ENOMEM;
	map = f->bytes;
	if (starts)
		fill_starts(map, m, starts);
	map += map_bytes(starts);
	if (grams)
		fill_grams(map, m, grams);
	map += map_bytes(grams);
	if (nibble_masks)
		memcpy(map, by_nibble, NFAC_NIBBLE_MASKS_BYTES);
	map += nibble_masks ? NFAC_NIBBLE_MASKS_BYTES : 0;
	if (ends)
		ends_fill(map, m->o, m->fold, ends);
	if (f->short_lengths)
		return short_maps_fill(f->bytes + f->short_at, m->o);
	return 0;
}

/* What share of text passes, times the words of the map. */
static double passing(const struct maps *m)
{
	double share[256], bit[64] = { 0 }, sum = m->tails.count;
	uint32_t last, next;
	uint64_t bits;
	size_t i;

	byte_shares(share);
	for (last = 0; last < 256; last++)
		for (next = 0; next < 256; next++)
			bit[bit_of(last | m->fold, m->five ? next : 0)] +=
				share[last] * share[next];
	for (i = 0; i < m->grams.count; i++) {
		if (!m->five && !is_first(m, i))
			continue;
		for (bits = key_bits(m, m->grams.list[i]); bits; bits &= bits - 1)
			sum += bit[__builtin_ctzll(bits)];
	}
	return sum;
}

/*
 * Fill the map of grams' keys: of five bytes where that pays. Words and names have few
 * last letters, and a fifth byte spreads them over all bits; where many patterns end
 * before it, they let more pass instead. It counts for more than it seems to: what text
 * and patterns have in common, as parts of words, is not in the estimate. With maps by
 * nibble little passes either way, and taking it apart costs more. Return: 0 or a negative
 * errno.
 */
static int collect_last(struct maps *m, uint32_t stride, int nibble_masks)
{
	int err = collect(m, stride, nibble_masks == NFAC_NIBBLE_MASKS_SHORTER);
	double four;

	if (err || stride == 1 || nibble_masks != NFAC_NIBBLE_MASKS_NONE)
		return err;
	four = passing(m);
	m->five = true;
	m->five = passing(m) <= four * FIVE_PASS;
	return 0;
}

/* Which maps by nibble pay; @stride: of the probes. Return: NFAC_NIBBLE_MASKS_*, or -ENOMEM. */
static int choose_mids(struct nibble_masks *nibble_masks, const struct outputs *o, uint32_t stride)
{
	int err = mids_build(nibble_masks, o, UINT32_MAX);

	if (err)
		return err;
	if (nibble_masks->pass <= MIDS_PASS)
		return NFAC_NIBBLE_MASKS_ALL;
	/* beside the former probes would take longer than these without them */
	if (stride >= NFAC_BEFORE_STRIDE)
		return NFAC_NIBBLE_MASKS_NONE;
	err = mids_build(nibble_masks, o, MID_LENGTH);
	if (err)
		return err;
	if (nibble_masks->pass <= 0 || nibble_masks->pass > MIDS_PASS)
		return NFAC_NIBBLE_MASKS_NONE;
	if (nibble_masks->pass_three <= MIDS_PASS_THREE)
		mids_take_three(nibble_masks);
	return NFAC_NIBBLE_MASKS_SHORTER;
}

int filter_build(struct filter *f, const struct outputs *o, bool ends)
{
	struct maps m = { .o = o, .fold = o->fold ? 0x20 : 0 };
	int kind = NFAC_NIBBLE_MASKS_NONE, n = 0, err;
	struct nibble_masks nibble_masks;
	size_t i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < o->shorts_count; i++)
		f->short_lengths |= 1u << (o->short_patterns[i].key >> 24);
	f->byte_patterns = short_ones(o);
	if (o->keys_count) {
		n = collect_starts(&m);
		if (n < 0)
			goto out;
		f->head.start_bytes = cpu_to_le32(n);
		f->head.fold = cpu_to_le32(m.fold);
		n = choose(&m);
		if (n < 0)
			goto out;
		f->head.stride = cpu_to_le32(n);
		kind = choose_mids(&nibble_masks, o, n);
		if (kind < 0) {
			n = kind;
			goto out;
		}
		n = collect_last(&m, n, kind);
		if (n < 0)
			goto out;
	}
	n = write_maps(f, &m, nibble_masks.map, kind, ends && o->keys_count ? ends_log2(o) : 0);
out:
	err = n < 0 ? n : 0;
	free(m.starts.list);
	free(m.grams.list);
	free(m.tails.list);
	free(m.heads.list);
	if (err)
		filter_free(f);
	return err;
}

void filter_free(struct filter *f)
{
	free(f->bytes);
	memset(f, 0, sizeof(*f));
}
