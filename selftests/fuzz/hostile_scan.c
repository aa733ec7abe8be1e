// SPDX-License-Identifier: GPL-2.0
/*
 * Running the matcher on what the verifier took; see hostile.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/verify/verify.h"
#include "../../kmod/engine/match/memory.h"
#include "../../kmod/engine/darray.h"
#include "../../kmod/engine/entries.h"
#include "../../kmod/engine/popcount.h"
#include "../../kmod/engine/records.h"
#include "counted.h"
#include "hostile.h"

/* Matches reported for a packet, as in the kernel. */
#define MATCHES_MAX	1024

/* Words read for a look of NFAC_OUTPUT_COMPARES_MAX, with the output that it is for. */
#define WORK_LOOK	10

/*
 * Words read for a byte, outputs apart: a walk reads two records, the way on and the
 * failure among them, a probe of each table and the filter's look. Of a double array a byte
 * takes an entry, a slot, and both again where lanes meet.
 */
#define WORK_BYTE	64

/* An exact allocation, so that ASan finds a read past it; aligned as in the kernel. */
static void *aligned(size_t bytes)
{
	void *at;

	return posix_memalign(&at, NFAC_BLOB_ALIGN, bytes + !bytes) ? NULL : at;
}

struct hostile_set {
	struct nfac_automaton automaton;
	struct nfac_blob head;
	const __le32 **tiles;
	uint8_t *tables;
	size_t tables_bytes;
	u64 looks;		/* the most that a list takes */
};

/* Looks of one output, counted anew; *@next: the one after it, or NFAC_NONE. */
static u64 looks_of(const struct hostile_set *set, u32 output, u32 *next)
{
	const __le32 *pair = set->automaton.outputs + 2 * (size_t)output;
	u32 word = le32_to_cpu(pair[1]), back = word >> NFAC_OUT_BACK_SHIFT;
	const __le32 *extra = set->automaton.extras + le32_to_cpu(pair[0]);
	u64 looks = 0;

	if (!(word & NFAC_OUT_EXTRA)) {
		*next = back ? output - back : NFAC_NONE;
		return 0;
	}
	*next = (le32_to_cpu(extra[0]) & ~NFAC_OUT_SAME) - 1;
	if (word & NFAC_OUT_CASE)
		looks += ((word & 0xffff) + 7) / 8;
	if (word & NFAC_OUT_LIMITS)
		looks += word & NFAC_OUT_MANY ? le32_to_cpu(extra[1]) : 1;
	return looks;
}

static u64 most_looks(const struct hostile_set *set)
{
	u32 i, at, count = le32_to_cpu(set->head.outputs);
	u64 looks, most = 0;

	for (i = 0; i < count; i++) {
		for (at = i, looks = 0; at != NFAC_NONE;)
			looks += looks_of(set, at, &at);
		most = looks > most ? looks : most;
	}
	if (most > NFAC_OUTPUT_COMPARES_MAX) {
		fprintf(stderr, "a list of outputs that takes %llu looks\n",
			(unsigned long long)most);
		abort();
	}
	return most;
}

static bool verified(const void *blob, size_t size)
{
	struct nfac_fault fault = { 0 };
	size_t bytes;
	void *scratch;
	int err;

	err = nfac_blob_check_header(blob, size, &fault);
	if (!err) {
		bytes = nfac_blob_scratch_bytes(blob);
		/* ten bytes for a slot of three, or two for an output of eight */
		if (bytes > 4 * size) {
			fprintf(stderr, "scratch of %zu bytes for a blob of %zu\n", bytes, size);
			abort();
		}
		scratch = calloc(1, bytes + !bytes);
		err = scratch ? nfac_blob_verify(blob, size, scratch, &fault) : -ENOMEM;
		free(scratch);
	}
	if (err && err != -ENOMEM &&
	    (!fault.what || fault.error != -err || (u64)fault.word > size / 4)) {
		fprintf(stderr, "refused with %d, but the fault is \"%s\", word %u\n", err,
			fault.what ? fault.what : "", fault.word);
		abort();
	}
	return !err;
}

struct hostile_set *hostile_open(const void *blob, size_t size)
{
	struct hostile_set *set = NULL;
	uint8_t *copy;
	u32 i, tiles;

	copy = aligned(size);
	if (!copy)
		return NULL;
	memcpy(copy, blob, size);
	if (!verified(copy, size))
		goto out;
	set = calloc(1, sizeof(*set));
	memcpy(&set->head, copy, sizeof(set->head));
	tiles = le32_to_cpu(set->head.tiles);
	set->tiles = calloc(tiles + 1, sizeof(*set->tiles));
	for (i = 0; i < tiles; i++) {
		void *tile = aligned(NFAC_TILE_BYTES);

		memcpy(tile, copy + sizeof(set->head) + (size_t)i * NFAC_TILE_BYTES,
		       NFAC_TILE_BYTES);
		set->tiles[i] = tile;
	}
	set->tables_bytes = le64_to_cpu(set->head.tables_bytes);
	set->tables = aligned(set->tables_bytes);
	memcpy(set->tables, copy + le64_to_cpu(set->head.tables_at), set->tables_bytes);
	nfac_automaton_bind(&set->automaton, &set->head, set->tiles, set->tables);
	set->looks = most_looks(set);
out:
	free(copy);
	return set;
}

void hostile_close(struct hostile_set *set)
{
	u32 i;

	for (i = 0; i < le32_to_cpu(set->head.tiles); i++)
		free((void *)set->tiles[i]);
	free(set->tiles);
	free(set->tables);
	free(set);
}

static const __le32 *node_at(const struct hostile_set *set, u32 ref)
{
	ref = nfac_untagged(ref);
	return set->tiles[ref >> NFAC_TILE_SHIFT] + (ref & (NFAC_TILE_WORDS - 1));
}

/* Labels of the record at @ref and one of its keys; @ref becomes the child, or none. */
static size_t follow(struct dice *d, const struct hostile_set *set, u32 *ref, uint8_t *to,
		     size_t room)
{
	const __le32 *node = node_at(set, *ref);
	const u8 *byte = (const u8 *)node;
	u32 head = le32_to_cpu(node[0]), type = head & NFAC_NODE_TYPE;
	u32 n = head >> 8 & NFAC_LABELS_MASK, ways, key, low, k;
	size_t length;

	*ref = NFAC_NONE;
	if (type == NFAC_NODE_FORK || type == NFAC_NODE_TAIL) {
		length = n < room ? n : room;
		memcpy(to, byte + 2, length);
		if (type == NFAC_NODE_TAIL || length == room)
			return length;
		ways = (head >> NFAC_NODE_UPPER & 7) + 1;
		key = dice_throw(d, ways);
		to[length] = byte[2 + n + key];
		*ref = le32_to_cpu(node[nfac_node_label_words(n + ways) + key]);
		return length + 1;
	}
	if (type == NFAC_NODE_TABLE && room) {
		low = head >> 16 & 0xff;
		key = dice_throw(d, (head >> 24) - low + 1);
		for (k = 0; !byte[4 + key] && k < 256; k++)
			key = (key + 1) % ((head >> 24) - low + 1);
		to[0] = low + key;
		*ref = le32_to_cpu(node[nfac_table_words(head) + byte[4 + key] - 1]);
		return 1;
	}
	if (type == NFAC_NODE_WIDE && room) {
		const __le32 *half;
		u32 upper = dice_throw(d, nfac_weight(head >> 16)), lower, map;

		half = node_at(set, le32_to_cpu(node[1 + upper]));
		map = le32_to_cpu(half[0]) >> 16;
		lower = dice_throw(d, nfac_weight(map));
		*ref = le32_to_cpu(half[1 + lower]);
		/* the n-th bit set in each half's map */
		for (k = head >> 16; upper; upper--)
			k &= k - 1;
		to[0] = __builtin_ctz(k) << 4;
		for (k = map; lower; lower--)
			k &= k - 1;
		to[0] |= __builtin_ctz(k);
		return 1;
	}
	return 0;
}

static const u8 *tile_byte(const struct hostile_set *set, u32 at)
{
	return (const u8 *)set->tiles[at / NFAC_TILE_BYTES] + at % NFAC_TILE_BYTES;
}

/* A transition of the state @*ref of a double array, if there is one; it becomes the next. */
static size_t follow_flat(struct dice *d, const struct hostile_set *set, u32 *ref, uint8_t *to,
			  size_t room)
{
	const bool wide = le32_to_cpu(set->head.flags) & NFAC_SET_DARRAY32;
	u32 slots = nfac_darray_slots(&set->head), base = nfac_darray_base(*ref, wide);
	u32 byte = dice_throw(d, 256), slot, k;

	*ref = NFAC_NONE;
	for (k = 0; room && k < 256; k++, byte = (byte + 1) % 256) {
		slot = base ^ byte;
		if ((wide ? (u8)le32_to_cpu(*node_at(set, slot)) : *tile_byte(set, slot)) != byte)
			continue;
		to[0] = byte;
		*ref = wide ? le32_to_cpu(*node_at(set, slot)) :
			      le16_to_cpu(*(const __le16 *)tile_byte(set, slots + 2 * slot));
		return 1;
	}
	return 0;
}

size_t hostile_text(struct dice *d, const struct hostile_set *set, uint8_t *to, size_t room)
{
	const struct nfac_blob_table *tables[] = { &set->head.entries, &set->head.short_patterns };
	size_t used = 0;

	while (used + 4 <= room) {
		const struct nfac_blob_table *t = tables[!dice_throw(d, 4)];
		u32 slot = dice_throw(d, le32_to_cpu(t->slots)), gram, ref, steps;
		const size_t bytes = t == &set->head.entries ? nfac_entry_bytes(&set->head) :
							       NFAC_TABLE_PAIR;
		const __le32 *pair;

		if (!dice_throw(d, 4) || !t->slots) {
			to[used++] = dice_throw(d, 2) ? dice_throw(d, 256) : 'a';
			continue;
		}
		pair = (const __le32 *)(set->tables + le32_to_cpu(t->slots_at) + bytes * slot);
		gram = le32_to_cpu(pair[0]);
		ref = le32_to_cpu(pair[1]);
		memcpy(to + used, &gram, 4);
		used += 4;
		if (t == &set->head.short_patterns)
			continue;
		/* leave the path somewhere, or fail at its end */
		for (steps = 1 + dice_throw(d, 12); steps && ref != NFAC_NONE; steps--)
			used += nfac_darray_slots(&set->head) ?
				follow_flat(d, set, &ref, to + used, room - used) :
				follow(d, set, &ref, to + used, room - used);
	}
	return used;
}

struct reported {
	const struct hostile_set *set;
	u64 matches;
	s64 last, length;
};

static bool hit(void *ctx, const struct nfac_hit *h)
{
	struct reported *t = ctx;

	if (h->end < t->last || h->end < 1 || h->end > t->length || !h->length ||
	    h->length > le32_to_cpu(t->set->head.longest)) {
		fprintf(stderr, "a match that cannot be: end %lld of %lld, length %u\n",
			(long long)h->end, (long long)t->length, h->length);
		abort();
	}
	t->last = h->end;
	/* what is refused is no match: as in the kernel */
	if (!nfac_hit_allowed(h, 0, 6, 80, 99))
		return true;
	return ++t->matches < MATCHES_MAX;
}

void hostile_scan(struct dice *d, const struct hostile_set *set, const uint8_t *text,
		  size_t length)
{
	u64 bound = (length + 1) * (WORK_BYTE + WORK_LOOK * set->looks);
	enum nfac_path path;
	int cut;

	for (path = 0; path <= nfac_path_best(); path++)
		for (cut = 0; cut < 3; cut++) {
			struct reported seen = { .set = set };
			struct nfac_match_memory memory;
			struct nfac_cursor cur;
			size_t at, n;
			u64 blocks = 0;

			nfac_cursor_init(&cur);
			fuzz_work = 0;
			for (at = 0; at < length; at += n) {
				uint8_t *block;

				n = cut == 0 ? length : cut == 1 ? 1 + dice_throw(d, 7) :
				    1 + dice_throw(d, 150);
				if (n > length - at)
					n = length - at;
				block = malloc(n);
				memcpy(block, text + at, n);
				seen.last = 0;
				seen.length = n;
				nfac_match_block(&memory, &set->automaton, &cur, block, n, path,
						 hit, &seen);
				free(block);
				blocks++;
			}
			/* each match takes words, and so does each block's last */
			if (fuzz_work > bound + (MATCHES_MAX + blocks) * WORK_LOOK) {
				fprintf(stderr, "%llu words read for %zu bytes, bound %llu\n",
					(unsigned long long)fuzz_work, length,
					(unsigned long long)bound);
				abort();
			}
		}
}

static bool hear_no_more(void *ctx, const struct nfac_hit *h)
{
	(void)ctx;
	(void)h;
	return false;
}

/* Scan a text as a whole. Return: words that were read. */
static u64 count_words(const struct hostile_set *set, const uint8_t *text, size_t length,
		       enum nfac_path path, nfac_hit_fn fn, void *ctx)
{
	struct nfac_match_memory memory;
	struct nfac_cursor cur;

	nfac_cursor_init(&cur);
	fuzz_work = 0;
	nfac_match_block(&memory, &set->automaton, &cur, text, length, path, fn, ctx);
	return fuzz_work;
}

u64 hostile_deaf(const struct hostile_set *set, const uint8_t *text, size_t length)
{
	enum nfac_path path;
	u64 words, most = 0;

	for (path = 0; path <= nfac_path_best(); path++) {
		words = count_words(set, text, length, path, hear_no_more, NULL);
		most = words > most ? words : most;
	}
	return most;
}

/* Matches of a text that changes. Lives in hostile_changing(). */
struct changing {
	size_t length, reported;
	int bad;
};

static bool hear_changing(void *ctx, const struct nfac_hit *h)
{
	struct changing *c = ctx;

	c->reported++;
	if (c->reported > 2 * c->length || h->end < (s64)h->length || h->end > (s64)c->length)
		c->bad = 1;
	return !c->bad;
}

/* Return: words that were read. */
static u64 change(const struct hostile_set *set, struct changing *c, const uint8_t *text,
		  enum nfac_path path, u64 at, u64 each)
{
	u64 words;

	c->reported = 0;
	fuzz_change_at = at;
	fuzz_change_each = each;
	words = count_words(set, text, c->length, path, hear_changing, c);
	fuzz_change_at = 0;
	return words;
}

int hostile_changing(const struct hostile_set *set, uint8_t *text, size_t length, size_t place,
		     u64 *scans)
{
	static const u64 each[] = { 1ull << 60, 1, 2, 3, 7 };
	struct changing c = { .length = length };
	const uint8_t was = text[place];
	enum nfac_path path;
	u64 at, words;
	size_t i;

	fuzz_change = &text[place];
	for (path = 0; path <= nfac_path_best() && !c.bad; path++) {
		words = change(set, &c, text, path, 0, 0);
		for (at = 1; at <= words && !c.bad; at++)
			for (i = 0; i < sizeof(each) / sizeof(*each); i++, ++*scans) {
				change(set, &c, text, path, at, each[i]);
				text[place] = was;
			}
	}
	return c.bad;
}
