// SPDX-License-Identifier: GPL-2.0
/*
 * Making hostile blobs; see hostile.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/automaton.h"
#include "../../kmod/engine/checksum.h"
#include "../../kmod/engine/entries.h"
#include "../../kmod/engine/records.h"
#include "../../userspace-loader/compiler/compiler.h"
#include "hostile.h"

#define PATTERNS_MAX	24
#define LENGTH_MAX	90

static uint8_t letter(struct dice *d, uint32_t alphabet)
{
	static const char *const alphabets[] = { "a", "ab", "abAB", "aA", "abcdefghijklmnop" };

	if (alphabet < sizeof(alphabets) / sizeof(*alphabets))
		return alphabets[alphabet][dice_throw(d, strlen(alphabets[alphabet]))];
	return dice_throw(d, 256);
}

/* A set with some of everything: short, long, nocase, limits, equal ones, wide forks. */
size_t hostile_real(struct dice *d, void **blob)
{
	static uint8_t bytes[PATTERNS_MAX][LENGTH_MAX];
	struct nfac_pattern_limits limits[PATTERNS_MAX];
	struct nfac_pattern p[PATTERNS_MAX];
	uint32_t count = 1 + dice_throw(d, PATTERNS_MAX), alphabet = dice_throw(d, 7);
	uint32_t longest = dice_throw(d, 3) ? 12 : LENGTH_MAX;
	uint32_t least = dice_throw(d, 2) ? 1 : 4, cases = dice_throw(d, 3), i, k;
	bool fork = !dice_throw(d, 3);
	const struct nfac_compile_options options = {
		.layout = NFAC_LAYOUT_RECORDS + dice_throw(d, 4),
	};
	size_t size;

	for (i = 0; i < count; i++) {
		p[i] = (struct nfac_pattern){
			.bytes = bytes[i],
			.id = dice_throw(d, 8) ? i + 1 : dice_throw(d, 5),
			.length = least + dice_throw(d, longest - least + 1),
			.nocase = cases == 2 ? dice_throw(d, 2) : cases,
		};
		for (k = 0; k < p[i].length; k++)
			bytes[i][k] = letter(d, alphabet);
		if (i && dice_throw(d, 2)) {
			uint32_t other = dice_throw(d, i);
			uint32_t from = dice_throw(d, 2) ? 0 : dice_throw(d, p[other].length);
			uint32_t n = p[other].length - from;

			memcpy(bytes[i], bytes[other] + from,
			       n < p[i].length ? n : p[i].length);
		}
		/* many ways on from one state */
		if (fork && p[i].length > 5) {
			memcpy(bytes[i], "fork", 4);
			bytes[i][4] = dice_throw(d, 256);
		}
		if (!dice_throw(d, 6)) {
			limits[i] = (struct nfac_pattern_limits){
				.offset = dice_throw(d, 9), .end = dice_throw(d, 99),
				.protocol = dice_throw(d, 2) ? 6 : 0,
				.port_low = 80, .port_high = dice_throw(d, 2) ? 99 : 80,
				.source_port = dice_throw(d, 2),
			};
			p[i].limits = &limits[i];
		}
	}
	return nfac_compile(p, count, &options, blob, &size) ? 0 : size;
}

static uint32_t get(const uint8_t *blob, size_t word)
{
	uint32_t x;

	memcpy(&x, blob + 4 * word, 4);
	return le32_to_cpu(x);
}

static void put(uint8_t *blob, size_t word, uint32_t x)
{
	x = cpu_to_le32(x);
	memcpy(blob + 4 * word, &x, 4);
}

/* A word where damage does most: nodes and tables oftener than header and names. */
static size_t pick(struct dice *d, const uint8_t *blob, size_t size)
{
	const size_t words = size / 4, head = sizeof(struct nfac_blob) / 4;
	struct nfac_blob h;
	uint64_t low, high;

	if (words <= head)
		return dice_throw(d, words);
	memcpy(&h, blob, sizeof(h));
	switch (dice_throw(d, 8)) {
	case 0:
		return dice_throw(d, head);
	case 1:
		return head + dice_throw(d, words - head);
	case 2:
	case 3:		/* behind the filter's maps: hash tables, outputs, extras */
		low = le64_to_cpu(h.tables_at) / 4 + le32_to_cpu(h.short_at) / 4;
		high = le64_to_cpu(h.names_at) / 4;
		break;
	default:
		low = head;
		high = head + le32_to_cpu(h.node_words);
	}
	if (high > words)
		high = words;
	return low < high ? low + dice_throw(d, high - low) : dice_throw(d, words);
}

void hostile_retag(uint8_t *blob, size_t size, size_t word, uint32_t was)
{
	const size_t head = sizeof(struct nfac_blob) / 4;
	uint32_t ref = word - head, now, i;

	if (word < head)
		return;
	now = ref | nfac_tag(get(blob, word)) << NFAC_TAG_SHIFT;
	ref |= nfac_tag(was) << NFAC_TAG_SHIFT;
	for (i = head; ref != now && i < size / 4; i++)
		if (get(blob, i) == ref)
			put(blob, i, now);
}

void hostile_word(struct dice *d, uint8_t *blob, size_t size)
{
	static const uint32_t odd[] = {
		0, 1, 2, 3, 7, 63, 64, 255, 0xffff, 0x10000, 0xffffff, 0x1000000,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};
	const size_t head = sizeof(struct nfac_blob);
	uint32_t x, was, shift;
	size_t at;

	if (size <= head)
		return;
	at = pick(d, blob, size);
	was = get(blob, at);
	x = was;
	switch (dice_throw(d, 9)) {
	case 0:
	case 1:
		x ^= 1u << dice_throw(d, 32);
		break;
	case 2:
		x += 1;
		break;
	case 3:
		x -= 1;
		break;
	case 4:
		x = odd[dice_throw(d, sizeof(odd) / sizeof(*odd))];
		break;
	case 5:
		x = get(blob, pick(d, blob, size));
		break;
	case 6:		/* one byte of it */
		shift = 8 * dice_throw(d, 4);
		x = (x & ~(0xffu << shift)) | dice_throw(d, 256) << shift;
		break;
	case 7:		/* a reference, with its tag, or with a place */
		x = dice_throw(d, (uint32_t)((size - head) / 4));
		if (dice_throw(d, 3))
			x |= nfac_tag(get(blob, head / 4 + x)) << NFAC_TAG_SHIFT;
		else
			x |= dice_throw(d, 64) << NFAC_POSITION_SHIFT;
		break;
	default:
		x = dice_throw(d, 0xffffffff);
	}
	put(blob, at, x);
	if (dice_throw(d, 4))
		hostile_retag(blob, size, at, was);
}

void hostile_checksum(uint8_t *blob, size_t size)
{
	struct nfac_blob h;

	if (size < sizeof(h))
		return;
	memcpy(&h, blob, sizeof(h));
	h.checksum = 0;
	h.checksum = cpu_to_le64(nfac_checksum(blob + sizeof(h), size - sizeof(h),
					       nfac_checksum(&h, sizeof(h), 0)));
	memcpy(blob, &h, sizeof(h));
}

static uint64_t map_bytes(uint32_t log2)
{
	return log2 && log2 <= NFAC_MAP_MAX ? (1ull << log2) / 8 : 0;
}

static uint64_t table(struct nfac_blob_table *t, uint32_t slot, uint64_t at)
{
	uint32_t buckets = le32_to_cpu(t->buckets);

	/* a power of two, as often as not: else little behind it is ever reached */
	while (buckets & (buckets - 1) && buckets % 2)
		buckets &= buckets - 1;
	t->buckets = cpu_to_le32(buckets);
	t->slots_at = cpu_to_le32(at);
	at += (uint64_t)slot * le32_to_cpu(t->slots);
	t->pilots_at = cpu_to_le32(at);
	return (at + 2ull * le32_to_cpu(t->buckets) + 7) & ~7ull;
}

void hostile_header(uint8_t *blob, size_t size)
{
	struct nfac_blob h;
	uint64_t at, tables, tiles;
	bool five;

	if (size < sizeof(h))
		return;
	memcpy(&h, blob, sizeof(h));
	h.magic = cpu_to_le32(NFAC_BLOB_MAGIC);
	h.version = cpu_to_le32(NFAC_BLOB_VERSION);
	h.bytes = cpu_to_le64(size);
	tiles = ((uint64_t)le32_to_cpu(h.node_words) + NFAC_TILE_WORDS - 1) / NFAC_TILE_WORDS;
	h.tiles = cpu_to_le32(tiles);
	h.node_bytes = cpu_to_le64(4ull * le32_to_cpu(h.node_words));
	h.tiles_at = cpu_to_le64(sizeof(h));
	at = sizeof(h) + tiles * NFAC_TILE_BYTES;
	h.tables_at = cpu_to_le64(at);
	tables = map_bytes(le32_to_cpu(h.filter.bloom)) +
		 map_bytes(le32_to_cpu(h.filter.grams)) + (h.filter.nibble_masks ?
							   NFAC_NIBBLE_MASKS_BYTES : 0) +
		 2 * map_bytes(le32_to_cpu(h.filter.suffixes));
	five = h.filter.gram_bytes & cpu_to_le32(1) && !h.filter.nibble_masks &&
	       le32_to_cpu(h.filter.stride) > 1;
	h.filter.gram_bytes = cpu_to_le32(h.filter.grams ? NFAC_GRAM + five : 0);
	h.filter.before &= cpu_to_le32(le32_to_cpu(h.filter.stride) == NFAC_BEFORE_STRIDE);
	h.short_at = cpu_to_le32(tables);
	if (h.short_lengths)
		tables += NFAC_SHORT_BYTES + nfac_byte_patterns_bytes(le32_to_cpu(h.byte_patterns));
	tables = table(&h.entries, nfac_entry_bytes(&h), tables);
	tables = table(&h.short_patterns, NFAC_TABLE_PAIR, tables);
	tables = table(&h.matches, NFAC_TABLE_OUTPUT, tables);
	h.outputs_at = cpu_to_le32(tables);
	tables += 8ull * le32_to_cpu(h.outputs);
	h.extras_at = cpu_to_le32(tables);
	tables += 4ull * le32_to_cpu(h.extra_words);
	h.programs_at = cpu_to_le32(tables);
	tables = (tables + 4ull * le32_to_cpu(h.program_words) + NFAC_BLOB_ALIGN - 1) &
		 ~(uint64_t)(NFAC_BLOB_ALIGN - 1);
	h.tables_bytes = cpu_to_le64(tables);
	at += tables;
	h.names_at = cpu_to_le64(at);
	h.names_bytes = cpu_to_le64(size > at ? size - at : 0);
	h.total_bytes = cpu_to_le64(tiles * (NFAC_TILE_BYTES + 8) + tables);
	memcpy(blob, &h, sizeof(h));
}
