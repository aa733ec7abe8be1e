// SPDX-License-Identifier: GPL-2.0
/*
 * From patterns to a blob: outputs, trie, failure links, nodes, tables, filter; then all sections
 * are written into one piece of memory (its form is in blob.h).
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "entries.h"
#include "filter.h"
#include "darray.h"
#include "records.h"
#include "names.h"
#include "outputs.h"
#include "short_maps.h"
#include "perfect_hash.h"
#include "trie.h"
#include "../../kmod/engine/checksum.h"
#include "../../kmod/engine/entries.h"
#include "../../kmod/engine/blob.h"

/* The set being compiled. On the stack of nfac_compile(). */
struct build {
	struct outputs outputs;
	struct trie trie;
	struct layout layout;
	struct table entries;
	struct table short_patterns;
	struct table matches;
	struct filter filter;
	struct nfac_blob head;
	size_t short_states;	/* states that only short patterns need */
	uint32_t *program_at;	/* word where each pattern's program begins */
};

static size_t align(size_t bytes)
{
	return (bytes + NFAC_BLOB_ALIGN - 1) & ~(size_t)(NFAC_BLOB_ALIGN - 1);
}

/* Is this the beginning of a long text? */
static bool is_prefix(const struct outputs *o, const uint8_t *bytes, uint32_t length)
{
	size_t first = outputs_first_key(o, bytes, length);

	return first < o->keys_count && !memcmp(o->keys[first].bytes, bytes, length);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Count the trie states that only short patterns have. The reported number of states is that of a
 * trie of all patterns; the compiler's own trie leaves out the short ones.
 */
static int count_short_states(struct build *b)
{
	const struct outputs *o = &b->outputs;
	uint32_t *keys = malloc((o->patterns_count * 3 + 1) * sizeof(*keys));
	size_t i, n = 0;
	uint32_t d, k;

	if (!keys)
		return -ENOMEM;
	for (i = 0; i < o->patterns_count; i++) {
		uint32_t length = o->patterns[i].length;

		for (d = 1; length < NFAC_GRAM && d <= length; d++) {
			uint32_t key = d << 24;

			if (is_prefix(o, o->text[i], d))
				continue;
			for (k = 0; k < d; k++)
				key |= (uint32_t)o->text[i][k] << 8 * k;
			keys[n++] = key;
		}
	}
	qsort(keys, n, sizeof(*keys), by_value);
	for (i = 0; i < n; i++)
		b->short_states += !i || keys[i] != keys[i - 1];
	free(keys);
	return 0;
}

/* Set the offsets of a table: slots of @bytes, then pilots; *@at moves behind them. */
static void put_table(struct nfac_blob_table *head, const struct table *t, size_t bytes,
		      size_t *at)
{
	head->slots_at = cpu_to_le32(*at);
	head->slots = cpu_to_le32(t->slots);
	*at += bytes * t->slots;
	head->pilots_at = cpu_to_le32(*at);
	head->buckets = cpu_to_le32(t->buckets);
	head->seed = cpu_to_le32(t->seed);
	*at = (*at + 2ull * t->buckets + 7) & ~(size_t)7;
}

/* Does the pattern share the program of the pattern before it? */
static bool shares_program(const struct nfac_pattern *patterns, size_t i)
{
	return i && patterns[i].program && patterns[i].program == patterns[i - 1].program;
}

/* Set the offset of each section. Return: 0, -E2BIG, -ENOMEM. */
static int arrange(struct build *b, bool decode_url)
{
	const struct outputs *o = &b->outputs;
	struct nfac_blob *h = &b->head;
	size_t at, i, extra = 0, tiles, tables = b->filter.size;

	h->flags = cpu_to_le32((o->fold ? NFAC_SET_FOLD : 0) |
			       (o->letter_case ? NFAC_SET_LETTER_CASE : 0) |
			       (b->layout.darray ? NFAC_SET_DARRAY : 0) |
			       (b->layout.wide ? NFAC_SET_DARRAY32 : 0) |
			       (decode_url ? NFAC_SET_DECODE_URL : 0));
	put_table(&h->entries, &b->entries, nfac_entry_bytes(h), &tables);
	put_table(&h->short_patterns, &b->short_patterns, NFAC_TABLE_PAIR, &tables);
	put_table(&h->matches, &b->matches, NFAC_TABLE_OUTPUT, &tables);
	h->outputs_at = cpu_to_le32(tables);
	h->outputs = cpu_to_le32(o->count);
	tables += 8 * o->count;
	h->extras_at = cpu_to_le32(tables);
	for (i = 0; i < o->count; i++)
		extra += output_extra_words(o, &o->list[i]);
	h->extra_words = cpu_to_le32(extra);
	tables += 4 * extra;
	h->programs_at = cpu_to_le32(tables);
	b->program_at = calloc(o->patterns_count, sizeof(*b->program_at));
	if (!b->program_at)
		return -ENOMEM;
	for (i = extra = 0; i < o->patterns_count; i++) {
		b->program_at[i] = extra;
		if (shares_program(o->patterns, i))
			b->program_at[i] = b->program_at[i - 1];
		else
			extra += o->patterns[i].program_words;
	}
	h->program_words = cpu_to_le32(extra);
	tables = align(tables + 4 * extra + (decode_url ? NFAC_SPACE_BYTES : 0));
	if (tables > NFAC_BLOB_MAX / 2)
		return -E2BIG;
	h->node_words = cpu_to_le32(b->layout.count);
	tiles = (b->layout.count + NFAC_TILE_WORDS - 1) / NFAC_TILE_WORDS;
	if (tiles * NFAC_TILE_BYTES > NFAC_BLOB_MAX / 2)
		return -E2BIG;
	h->tiles = cpu_to_le32(tiles);

	h->magic = cpu_to_le32(NFAC_BLOB_MAGIC);
	h->version = cpu_to_le32(NFAC_BLOB_VERSION);
	h->patterns = cpu_to_le32(o->patterns_count);
	h->states = cpu_to_le64(b->trie.states + b->short_states);
	h->node_bytes = cpu_to_le64(b->layout.count * 4);
	h->total_bytes = cpu_to_le64(tiles * (NFAC_TILE_BYTES + 8) +
				     tables);
	h->tiles_at = cpu_to_le64(align(sizeof(*h)));
	h->tables_at = cpu_to_le64(align(sizeof(*h)) + tiles * NFAC_TILE_BYTES);
	h->tables_bytes = cpu_to_le64(tables);
	h->names_at = cpu_to_le64(le64_to_cpu(h->tables_at) + tables);
	h->names_bytes = cpu_to_le64(names_bytes(o->patterns, o->patterns_count));
	h->bytes = cpu_to_le64(le64_to_cpu(h->names_at) + le64_to_cpu(h->names_bytes));
	if (le64_to_cpu(h->bytes) > NFAC_BLOB_MAX)
		return -E2BIG;
	h->short_lengths = cpu_to_le32(b->filter.short_lengths);
	h->short_at = cpu_to_le32(b->filter.short_at);
	h->byte_patterns = cpu_to_le32(b->filter.byte_patterns);
	h->filter = b->filter.head;
	for (i = at = 0; i < o->patterns_count; i++)
		if (o->patterns[i].length > at)
			at = o->patterns[i].length;
	h->longest = cpu_to_le32(at);
	return 0;
}

static void write_pilots(uint8_t *tables, const struct nfac_blob_table *head,
			 const struct table *t)
{
	__le16 *pilot = (__le16 *)(tables + le32_to_cpu(head->pilots_at));
	uint32_t i;

	for (i = 0; i < t->buckets; i++)
		pilot[i] = cpu_to_le16(t->pilots[i]);
}

static void write_table(uint8_t *tables, const struct nfac_blob_table *head,
			const struct table *t)
{
	__le32 *slot = (__le32 *)(tables + le32_to_cpu(head->slots_at));
	uint32_t i;

	for (i = 0; i < t->slots; i++) {
		slot[2 * i] = cpu_to_le32(t->pairs[i].key);
		slot[2 * i + 1] = cpu_to_le32(t->pairs[i].value);
	}
	write_pilots(tables, head, t);
}

static void write_entries(uint8_t *tables, const struct build *b)
{
	const struct nfac_blob_table *head = &b->head.entries;

	if (b->layout.darray) {
		write_table(tables, head, &b->entries);
		return;
	}
	entries_write(tables + le32_to_cpu(head->slots_at), &b->entries, &b->outputs);
	write_pilots(tables, head, &b->entries);
}

static void write_matches(uint8_t *tables, const struct nfac_blob_table *head,
			  const struct table *t)
{
	__le16 *slot = (__le16 *)(tables + le32_to_cpu(head->slots_at));
	uint32_t i;

	for (i = 0; i < t->slots; i++)
		slot[i] = cpu_to_le16(t->pairs[i].value == NFAC_NONE ? 0 : t->pairs[i].value);
	write_pilots(tables, head, t);
}

/* Write an output's extra. Return: the word behind it. */
static uint32_t *write_extra(uint32_t *to, const struct build *b,
			     const struct output *output, bool limited)
{
	const struct outputs *o = &b->outputs;
	const uint8_t *bytes = o->patterns[o->members[output->first]].bytes;
	uint32_t i;

	*to++ = cpu_to_le32(output->next | (output_same_case(o, output) ? NFAC_OUT_SAME : 0));
	if (output->count > 1)
		*to++ = cpu_to_le32(output->count);
	if (output->cased) {
		for (i = 0; i < output->length; i++)
			to[i / 32] |= cpu_to_le32((uint32_t)(bytes[i] >> 5 & 1) << (i & 31));
		to += (output->length + 31) / 32;
	}
	for (i = 0; i < output->count; i++) {
		const struct nfac_pattern *p = &o->patterns[o->members[output->first + i]];
		const struct nfac_pattern_limits *l = p->limits;

		*to++ = cpu_to_le32(p->id);
		if (limited && l) {
			to[0] = cpu_to_le32(l->offset);
			to[1] = cpu_to_le32(l->end);
			to[2] = cpu_to_le32(l->protocol | (l->source_port ? NFAC_LIMIT_SOURCE : 0));
			to[3] = cpu_to_le32(l->port_low | (uint32_t)l->port_high << 16);
		}
		if (limited && p->program_words)
			to[NFAC_LIMIT_PROGRAM] = cpu_to_le32(1 +
				b->program_at[o->members[output->first + i]]);
		if (limited)
			to += NFAC_LIMITS_WORDS;
	}
	return to;
}

/* Write the programs in input order. */
static void write_programs(uint8_t *tables, const struct build *b)
{
	uint32_t *to = (uint32_t *)(tables + le32_to_cpu(b->head.programs_at));
	const struct outputs *o = &b->outputs;
	size_t i;
	uint32_t k;

	for (i = 0; i < o->patterns_count; i++) {
		if (shares_program(o->patterns, i))
			continue;
		for (k = 0; k < o->patterns[i].program_words; k++)
			*to++ = cpu_to_le32(o->patterns[i].program[k]);
	}
}

/* The bytes that may be at @at of a pattern. Return: how many; outside of it: all. */
static uint32_t bytes_at(const struct nfac_pattern *p, int64_t at, uint8_t bytes[256])
{
	uint32_t i;

	if (at >= 0 && at < p->length) {
		bytes[0] = p->bytes[at];
		bytes[1] = bytes[0] ^ 0x20;
		return p->nocase && isalpha(bytes[0]) ? 2 : 1;
	}
	for (i = 0; i < 256; i++)
		bytes[i] = i;
	return 256;
}

static void space_put(uint8_t *map, const struct nfac_pattern *p, uint32_t at)
{
	uint8_t before[256], behind[256];
	uint32_t i, j, bit, befores, behinds;

	befores = bytes_at(p, (int64_t)at - 1, before);
	behinds = bytes_at(p, (int64_t)at + 1, behind);
	for (i = 0; i < befores; i++)
		for (j = 0; j < behinds; j++) {
			bit = nfac_space_pair(before[i], behind[j]);
			map[bit / 8] |= 1u << bit % 8;
		}
}

/* Write the pairs of bytes that patterns have around spaces. */
static void write_spaces(uint8_t *tables, const struct build *b)
{
	const struct outputs *o = &b->outputs;
	uint8_t *map = tables + le32_to_cpu(b->head.programs_at) +
		       4 * le32_to_cpu(b->head.program_words);
	uint32_t at;
	size_t i;

	for (i = 0; i < o->patterns_count; i++)
		for (at = 0; at < o->patterns[i].length; at++)
			if (o->patterns[i].bytes[at] == ' ')
				space_put(map, &o->patterns[i], at);
}

static void write_outputs(uint8_t *tables, const struct build *b)
{
	const struct outputs *o = &b->outputs;
	uint32_t *out = (uint32_t *)(tables + le32_to_cpu(b->head.outputs_at));
	uint32_t *first = (uint32_t *)(tables + le32_to_cpu(b->head.extras_at));
	uint32_t *extra = first;
	size_t i;

	for (i = 0; i < o->count; i++, out += 2) {
		const struct output *output = &o->list[i];
		bool limited = output_limited(o, output);

		if (!output_extra_words(o, output)) {
			out[0] = cpu_to_le32(o->patterns[o->members[output->first]].id);
			out[1] = cpu_to_le32(output->length |
					     output_back(o, output) << NFAC_OUT_BACK_SHIFT);
			continue;
		}
		out[0] = cpu_to_le32(extra - first);
		out[1] = cpu_to_le32(output->length | NFAC_OUT_EXTRA |
				     (output->cased ? NFAC_OUT_CASE : 0) |
				     (output->count > 1 ? NFAC_OUT_MANY : 0) |
				     (limited ? NFAC_OUT_LIMITS : 0));
		extra = write_extra(extra, b, output, limited);
	}
}

static int write_blob(struct build *b, void **blob, size_t *size)
{
	struct nfac_blob *h = &b->head;
	size_t bytes = le64_to_cpu(h->bytes);
	uint8_t *to = aligned_alloc(NFAC_BLOB_ALIGN, bytes);
	uint8_t *tables;

	if (!to)
		return -ENOMEM;
	memset(to, 0, bytes);
	memcpy(to + le64_to_cpu(h->tiles_at), b->layout.words, b->layout.count * 4);
	tables = to + le64_to_cpu(h->tables_at);
	memcpy(tables, b->filter.bytes, b->filter.size);
	write_entries(tables, b);
	write_table(tables, &h->short_patterns, &b->short_patterns);
	write_matches(tables, &h->matches, &b->matches);
	write_outputs(tables, b);
	write_programs(tables, b);
	if (le32_to_cpu(h->flags) & NFAC_SET_DECODE_URL)
		write_spaces(tables, b);
	names_write(to + le64_to_cpu(h->names_at), b->outputs.patterns,
		    b->outputs.patterns_count);
	memcpy(to, h, sizeof(*h));
	h->checksum = cpu_to_le64(nfac_checksum(to, bytes, 0));
	memcpy(to, h, sizeof(*h));
	*blob = to;
	*size = bytes;
	return 0;
}

static void report_progress(const struct nfac_compile_options *options, unsigned int percent)
{
	if (options && options->progress)
		options->progress(options->context, percent);
}

/* Bytes of a layout; a double array has its outputs beside it. */
static size_t layout_bytes(const struct layout *l)
{
	return l->count * 4 + l->matches_count * NFAC_TABLE_OUTPUT;
}

/*
 * A double array takes the same time for each byte of any text; with records an attacker can write
 * a text that leads into many of them by false candidates. The double array may take half as much
 * memory again as the records. Records outside the L1 cache cost twice as much for a false
 * candidate: there the double array may take twice the memory, as long as it leaves room in the L2
 * cache. For sets of few patterns 8 KB more are always accepted: with records a false candidate
 * every five bytes reduces the speed to two fifths.
 */
#define RECORDS_L1	(64u << 10)
#define DARRAY_L2	(512u << 10)
#define DARRAY_SMALL	(8u << 10)

static size_t darray_bytes_max(size_t records)
{
	size_t half = records / 2 * 3, twice = 2 * records;

	if (records < 2 * DARRAY_SMALL)
		return records + DARRAY_SMALL;
	if (records < RECORDS_L1 || half > DARRAY_L2)
		return half;
	return twice < DARRAY_L2 ? twice : DARRAY_L2;
}

/* In a double array a false candidate is cheap, and in records within the L1 cache almost so. */
static bool suffix_filter_pays(const struct layout *l, enum nfac_layout which)
{
	if (which == NFAC_LAYOUT_ANY)
		return !l->darray && layout_bytes(l) >= RECORDS_L1;
	return which == NFAC_LAYOUT_SUFFIX;
}

/* Build a double array of at most @bytes_max, outputs included. Return: 0, -E2BIG, -ENOMEM. */
static int lay_out_darray(struct build *b, struct layout *darray, bool wide, size_t bytes_max)
{
	int err;

	if (b->outputs.count > UINT16_MAX)
		return -E2BIG;
	err = darray_build(darray, &b->trie, wide, bytes_max);
	if (!err && layout_bytes(darray) > bytes_max) {
		layout_free(darray);
		err = -E2BIG;
	}
	return err;
}

static int lay_out(struct build *b, enum nfac_layout which)
{
	size_t most = SIZE_MAX;
	struct layout darray;
	int err;

	err = layout_build(&b->layout, &b->trie);
	if (err || which == NFAC_LAYOUT_RECORDS || which == NFAC_LAYOUT_SUFFIX || !b->layout.count)
		return err;
	if (which == NFAC_LAYOUT_ANY)
		most = darray_bytes_max(layout_bytes(&b->layout));
	err = -E2BIG;
	if (which != NFAC_LAYOUT_DARRAY32)
		err = lay_out_darray(b, &darray, false, most);
	if (err == -E2BIG && which != NFAC_LAYOUT_DARRAY)
		err = lay_out_darray(b, &darray, true, most);
	if (err == -E2BIG && which == NFAC_LAYOUT_ANY)
		return 0;
	layout_free(&b->layout);
	if (!err)
		b->layout = darray;
	return err;
}

int nfac_compile(const struct nfac_pattern *patterns, size_t count,
		 const struct nfac_compile_options *options,
		 void **blob, size_t *size)
{
	struct build b = { 0 };
	const enum nfac_layout which = options ? options->layout : NFAC_LAYOUT_ANY;
	size_t culprit, byte_patterns;
	int err;

	if (!count)
		return -EINVAL;
	if (count > NFAC_PATTERNS_MAX)
		return -E2BIG;
	report_progress(options, 0);
	err = outputs_build(&b.outputs, patterns, count);
	if (err)
		return err;
	report_progress(options, 20);
	err = trie_build(&b.trie, b.outputs.keys, b.outputs.keys_count);
	if (err)
		goto free_outputs;
	report_progress(options, 35);
	err = trie_link(&b.trie, outputs_inherit, &b.outputs);
	if (err)
		goto free_trie;
	err = outputs_check(&b.outputs, &culprit);
	if (err == -ERANGE && options && options->culprit)
		*options->culprit = culprit;
	if (err)
		goto free_trie;
	report_progress(options, 60);
	err = lay_out(&b, which);
	if (err)
		goto free_trie;
	report_progress(options, 75);
	err = table_build(&b.entries, b.layout.entries, b.layout.entries_count);
	if (err)
		goto free_layout;
	byte_patterns = byte_patterns_count(&b.outputs);
	err = table_build(&b.short_patterns, b.outputs.spellings + byte_patterns,
			  b.outputs.spellings_count - byte_patterns);
	if (err)
		goto free_entries;
	err = table_build(&b.matches, b.layout.matches, b.layout.matches_count);
	if (err)
		goto free_short_patterns;
	report_progress(options, 90);
	err = filter_build(&b.filter, &b.outputs, suffix_filter_pays(&b.layout, which));
	if (err)
		goto free_matches;
	err = count_short_states(&b);
	if (!err)
		err = arrange(&b, options && options->decode_url);
	if (!err)
		err = write_blob(&b, blob, size);
	report_progress(options, 100);
	free(b.program_at);
	filter_free(&b.filter);
free_matches:
	table_free(&b.matches);
free_short_patterns:
	table_free(&b.short_patterns);
free_entries:
	table_free(&b.entries);
free_layout:
	layout_free(&b.layout);
free_trie:
	trie_free(&b.trie);
free_outputs:
	outputs_free(&b.outputs);
	return err;
}
