// SPDX-License-Identifier: GPL-2.0
/*
 * Choosing the filter configuration of a set: stride, sizes of the maps, bytes of a q-gram, nibble
 * masks. filter_build() calls this; how often each byte occurs is estimated by byte_frequency.c.
 *
 * A longer stride probes less often, but its map has more q-grams and lets more text pass. The
 * shortest patterns have only three bytes left at the last offset; there any fourth byte passes.
 * So the cost of a byte of text is estimated for each stride, and the cheapest stride is taken.
 * A pattern of four bytes has no three bytes at the last of three offsets: it is probed from the
 * byte before it on, with any first byte.
 */
#include "byte_frequency.h"
#include "filter_maps.h"

/*
 * Bits in a map for each key; the q-gram map has a minimum and a maximum. With 64 bits a key, one
 * probe in 64 passes in text that has nothing in common with the set. More bits are worth their
 * memory while the map stays in the L1 cache and is smaller than the patterns, or is below 4 KB.
 * In a set with short patterns most of the time goes into those, so 32 bits are enough: web traffic
 * is searched at 0.98 of the speed with Suricata's rules.
 */
#define BITS_A_GRAM	64
#define BITS_A_GRAM_SHORTS 32
#define BITS_A_GRAM_MAX	256
#define BITS_A_CANDIDATE	32

/* Limits of the size that a q-gram map has beyond its minimum; log2 of bits (4 KB and 32 KB). */
#define ROOMY_MIN	15
#define ROOMY_MAX	18

/*
 * Highest share of positions that nibble masks may pass. On web traffic, sets of 5 to 50 patterns
 * were up to twice as fast with nibble masks alone, and slower from 2 in 1,000 on.
 */
#define MASKS_PASS	1e-3

/*
 * The same for masks of lower nibbles only. With more than 3 in 1,000 the masks of both nibbles
 * were as fast.
 */
#define LOWER_MASKS_PASS	3e-3

/*
 * Estimates, in tenths of a cycle: a probe, and a probe that passes. Then the share of text that
 * passes for each q-gram, for each tail of three bytes, and by chance; fitted to the times of web
 * traffic with 2,358 to 100,000 patterns at each stride.
 */
#define COST_PROBE	22
#define COST_PASS	500
#define PASS_GRAM	0.2e-5
#define PASS_TAIL	15e-5
#define PASS_CHANCE	(1.0 / BITS_A_GRAM)

/* A map of five bytes may let this much more pass than one of four, by the estimate. */
#define FIVE_PASS	1.1

static unsigned int log2_bits(size_t keys, unsigned int bits_a_key)
{
	unsigned int log2 = NFAC_MAP_MIN;

	while (log2 < NFAC_MAP_MAX && 1ull << log2 < (uint64_t)keys * bits_a_key)
		log2++;
	return log2;
}

/* Size of a q-gram map with @keys: the maximum, but at most @limit, and at least the minimum. */
static unsigned int log2_roomy(const struct outputs *o, size_t keys, unsigned int limit)
{
	unsigned int least = log2_bits(keys, o->short_count ? BITS_A_GRAM_SHORTS : BITS_A_GRAM);
	unsigned int log2 = log2_bits(keys, BITS_A_GRAM_MAX);

	if (log2 > limit)
		log2 = limit;
	return log2 > least ? log2 : least;
}

/* Limit of the size beyond the minimum: the patterns' own size, from ROOMY_MIN to ROOMY_MAX. */
static unsigned int roomy_limit(const struct outputs *o)
{
	unsigned int limit = ROOMY_MIN;
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < o->keys_count && !o->short_count; i++)
		bytes += o->keys[i].length;
	while (limit < ROOMY_MAX && 2ull << limit <= 8 * bytes)
		limit++;
	return limit;
}

unsigned int filter_bloom_log2(const struct filter_maps *m)
{
	return log2_bits(m->candidates.count, BITS_A_CANDIDATE);
}

unsigned int filter_gram_log2(const struct filter_maps *m)
{
	return log2_roomy(m->o, m->distinct + m->tails.count, roomy_limit(m->o));
}

/* Estimated cost of a byte of text, in tenths of a cycle. */
static double cost(const struct filter_maps *m, uint32_t stride)
{
	double pass = m->distinct * PASS_GRAM + PASS_CHANCE +
		      (m->tails.count + m->heads.count) * PASS_TAIL;

	/* heads fill the map: probes also pass in text that has nothing in common with the set */
	pass += (double)HEAD_BITS * m->heads.count / (1ull << filter_gram_log2(m));

	return (COST_PROBE + (pass < 1 ? pass : 1) * COST_PASS) / stride;
}

int filter_choose_stride(struct filter_maps *m)
{
	uint32_t shortest = NFAC_PATTERN_MAX, stride, best = 1;
	double least = 0;
	size_t i;

	for (i = 0; i < m->o->keys_count; i++)
		if (m->o->keys[i].length < shortest)
			shortest = m->o->keys[i].length;
	/* each offset below the stride needs three bytes, or a probe from the byte before */
	for (stride = 1; stride <= NFAC_GRAM; stride++) {
		int err;

		if (stride > NFAC_BEFORE_STRIDE && stride > shortest - 2)
			break;
		err = filter_collect_grams(m, stride);
		if (err)
			return err;
		if (stride == 1 || cost(m, stride) < least) {
			least = cost(m, stride);
			best = stride;
		}
	}
	return best;
}

/* Estimated share of text that passes the q-gram map, times the words of the map. */
static double passing(const struct filter_maps *m)
{
	double share[256], bit[64] = { 0 }, sum = m->tails.count;
	uint32_t last, next;
	uint64_t bits;
	size_t i;

	byte_frequencies(share);
	for (last = 0; last < 256; last++)
		for (next = 0; next < 256; next++)
			bit[filter_gram_bit(last | m->fold, m->five ? next : 0)] +=
				share[last] * share[next];
	for (i = 0; i < m->grams.count; i++) {
		if (!m->five && !filter_gram_is_first(m, i))
			continue;
		for (bits = filter_key_bits(m, m->grams.list[i]); bits; bits &= bits - 1)
			sum += bit[__builtin_ctzll(bits)];
	}
	return sum;
}

/*
 * Words and names have few last letters, and a fifth byte spreads them over all bits of the word.
 * Where many patterns end before a fifth byte, more text passes instead. The estimate leaves out
 * what text and patterns have in common, such as parts of words, so the fifth byte may cost a
 * little by the estimate (FIVE_PASS). With nibble masks the map has few patterns, and reading the
 * fifth byte costs more than it saves.
 */
int filter_choose_gram_bytes(struct filter_maps *m, uint32_t stride, bool nibble_masks)
{
	int err = filter_collect_grams(m, stride);
	double four;

	if (err || stride == 1 || nibble_masks)
		return err;
	four = passing(m);
	m->five = true;
	m->five = passing(m) <= four * FIVE_PASS;
	return 0;
}

int filter_choose_nibble_masks(struct nibble_masks *masks, const struct outputs *o)
{
	int err = nibble_masks_build(masks, o, true);

	if (err || masks->pass <= LOWER_MASKS_PASS)
		return err ? err : 1;
	err = nibble_masks_build(masks, o, false);
	return err ? err : masks->pass <= MASKS_PASS;
}
