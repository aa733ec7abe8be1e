// SPDX-License-Identifier: GPL-2.0
/*
 * Verifying a blob: header, tables and outputs. The nodes are verified in records.c or darray.c,
 * the lookahead masks in lookahead.c, the cost of output lists in outputs.c.
 *
 * The module (kmod/load.c) and the tool (nfac_image_open()) call nfac_blob_verify() before a set is
 * used. It proves all that the matcher relies on. Beyond that it accepts only what the compiler
 * writes, so a fault is found in the word that has it.
 */
#include "checks.h"
#include "../checksum.h"
#include "../entries.h"
#include "../fold.h"
#include "../records.h"

#define HEAD_WORD(field)	(offsetof(struct nfac_blob, field) / 4)

static int refuse(struct nfac_fault *fault, u32 word, int error, const char *what)
{
	fault->word = word;
	fault->error = error;
	fault->what = what;
	return -error;
}

int nfac_check_fail(struct nfac_check *c, u32 word, const char *what)
{
	return refuse(c->fault, le64_to_cpu(c->head->tiles_at) / 4 + word, EBADMSG, what);
}

static int table_fail(struct nfac_check *c, const void *at, const char *what)
{
	return refuse(c->fault, ((const u8 *)at - (const u8 *)c->head) / 4, EBADMSG, what);
}

/* Bytes of a map of 1 << @log2 bits; @log2 0: there is no map. */
static u64 map_bytes(__le32 log2)
{
	return log2 ? (1ull << le32_to_cpu(log2)) / 8 : 0;
}

static bool filter_map_fits(__le32 log2, bool needed)
{
	u32 bits = le32_to_cpu(log2);

	return bits ? bits >= NFAC_MAP_MIN && bits <= NFAC_MAP_MAX : !needed;
}

/* Return: the fault in the filter configuration, or NULL. */
static const char *filter_fault(const struct nfac_blob *h)
{
	const struct nfac_blob_filter *f = &h->filter;
	u32 bytes = le32_to_cpu(f->bloom_bytes);
	bool fold = le32_to_cpu(h->flags) & NFAC_SET_FOLD;

	if (!h->entries.slots) {
		if (f->stride || f->bloom || f->bloom_bytes || f->fold)
			return "a filter without long patterns";
	} else if (bytes != NFAC_GRAM && bytes != NFAC_GRAM + 1) {
		return "Bloom filter of an unknown kind";
	} else if (le32_to_cpu(f->fold) != (fold ? 0x20 : 0)) {
		return "filter folds otherwise than the set";
	}
	if (le32_to_cpu(f->stride) > NFAC_GRAM)
		return "filter stride out of range";
	if (!filter_map_fits(f->bloom, h->entries.slots) || !filter_map_fits(f->grams, f->stride))
		return "filter map size out of range";
	if (!filter_map_fits(f->suffixes, false))
		return "suffix map size out of range";
	if (f->suffixes && le32_to_cpu(h->flags) & NFAC_SET_DARRAY)
		return "suffix map beside a double array";
	if (!f->stride && (f->grams || f->nibble_masks || f->suffixes))
		return "filter maps without a stride";
	if (le32_to_cpu(f->nibble_masks) > 1)
		return "nibble masks of an unknown kind";
	if (f->before && (le32_to_cpu(f->before) > 1 ||
			  le32_to_cpu(f->stride) != NFAC_BEFORE_STRIDE))
		return "probes before a candidate with a wrong stride";
	bytes = le32_to_cpu(f->gram_bytes);
	if (bytes != (f->grams ? NFAC_GRAM : 0) &&
	    (bytes != NFAC_GRAM + 1 || f->nibble_masks || le32_to_cpu(f->stride) < 2))
		return "q-gram map of an unknown kind";
	return NULL;
}

/* Does the table, with slots of @bytes, begin at *@at? Advances @at past it. */
static bool table_fits(const struct nfac_blob_table *t, u32 bytes, u64 *at)
{
	u64 slots = le32_to_cpu(t->slots), buckets = le32_to_cpu(t->buckets);

	if (le32_to_cpu(t->slots_at) != *at || !slots != !buckets || buckets > slots)
		return false;
	/* the compiler begins with two */
	if (slots ? buckets < 2 || buckets & (buckets - 1) : le32_to_cpu(t->seed))
		return false;
	*at += bytes * slots;
	if (le32_to_cpu(t->pilots_at) != *at)
		return false;
	*at = (*at + 2 * buckets + 7) & ~7ull;
	return true;
}

/* The pairs around spaces, behind the programs. */
static u32 space_pairs_bytes(const struct nfac_blob *h)
{
	return le32_to_cpu(h->flags) & NFAC_SET_DECODE_URL ? NFAC_SPACE_BYTES : 0;
}

/* Return: the fault in the order of the tables, or NULL. @bytes: size of all tables. */
static const char *tables_fault(const struct nfac_blob *h, u64 *bytes)
{
	const struct nfac_blob_filter *f = &h->filter;
	const u32 lengths = le32_to_cpu(h->short_lengths);
	u64 at = map_bytes(f->bloom) + map_bytes(f->grams) +
		 (f->nibble_masks ? NFAC_NIBBLE_MASKS_BYTES : 0) + 2 * map_bytes(f->suffixes);

	if (le32_to_cpu(h->short_at) != at)
		return "short patterns' maps out of place";
	if (lengths)
		at += NFAC_SHORT_BYTES + nfac_byte_patterns_bytes(le32_to_cpu(h->byte_patterns));
	if (!h->node_words != !h->entries.slots)
		return "nodes without entries";
	if (!table_fits(&h->entries, nfac_entry_bytes(h), &at))
		return "entries out of place";
	if (!h->short_patterns.slots != !(lengths & ~2u) || !h->byte_patterns != !(lengths & 2) ||
	    lengths & ~0xeu || le32_to_cpu(h->byte_patterns) > NFAC_BYTE_PATTERNS)
		return "wrong lengths of short patterns";
	if (!table_fits(&h->short_patterns, NFAC_TABLE_PAIR, &at))
		return "short patterns out of place";
	if (!h->matches.slots != !(le32_to_cpu(h->flags) & NFAC_SET_DARRAY) ||
	    !table_fits(&h->matches, NFAC_TABLE_OUTPUT, &at))
		return "matches out of place";
	if (le32_to_cpu(h->outputs_at) != at)
		return "outputs out of place";
	if (!h->outputs || le32_to_cpu(h->outputs) > 8ull * NFAC_PATTERNS_MAX)
		return "number of outputs out of range";
	at += 8ull * le32_to_cpu(h->outputs);
	if (le32_to_cpu(h->extras_at) != at)
		return "extras out of place";
	at += 4ull * le32_to_cpu(h->extra_words);
	if (le32_to_cpu(h->programs_at) != at)
		return "programs out of place";
	at += 4ull * le32_to_cpu(h->program_words) + space_pairs_bytes(h);
	*bytes = (at + NFAC_BLOB_ALIGN - 1) & ~(u64)(NFAC_BLOB_ALIGN - 1);
	return NULL;
}

static int check_sections(const struct nfac_blob *h, size_t size, struct nfac_fault *fault)
{
	u64 tiles = le32_to_cpu(h->tiles);
	u64 at = sizeof(*h);
	const char *what;
	u64 filter = 0;

	if (le64_to_cpu(h->tiles_at) != at)
		return refuse(fault, HEAD_WORD(tiles_at), EBADMSG, "tiles out of place");
	at += tiles * NFAC_TILE_BYTES;
	if (le64_to_cpu(h->tables_at) != at)
		return refuse(fault, HEAD_WORD(tables_at), EBADMSG, "tables out of place");
	what = filter_fault(h) ?: tables_fault(h, &filter);
	if (what)
		return refuse(fault, HEAD_WORD(filter), EBADMSG, what);
	if (le64_to_cpu(h->tables_bytes) != filter)
		return refuse(fault, HEAD_WORD(tables_bytes), EBADMSG, "tables of a wrong size");
	at += filter;
	if (le64_to_cpu(h->names_at) != at)
		return refuse(fault, HEAD_WORD(names_at), EBADMSG, "names out of place");
	if (at > size || le64_to_cpu(h->names_bytes) != size - at ||
	    le64_to_cpu(h->names_bytes) % NFAC_BLOB_ALIGN)
		return refuse(fault, HEAD_WORD(names_bytes), EBADMSG, "names of a wrong size");
	if (le64_to_cpu(h->total_bytes) != tiles * (NFAC_TILE_BYTES + 8) + filter)
		return refuse(fault, HEAD_WORD(total_bytes), EBADMSG, "wrong total of bytes");
	return 0;
}

/* Can a double array have this many words? */
static bool darray_fits(u32 words, bool wide)
{
	const u32 block = wide ? NFAC_DARRAY_BLOCK : NFAC_DARRAY_WORDS(NFAC_DARRAY_BLOCK);
	const u32 most = wide ? NFAC_DARRAY32_SLOTS_MAX : NFAC_DARRAY_WORDS(NFAC_DARRAY_SLOTS_MAX);

	return words && words % block == 0 && words <= most;
}

static int check_words(const struct nfac_blob *h, struct nfac_fault *fault)
{
	const u32 flags = le32_to_cpu(h->flags);
	const u32 words = le32_to_cpu(h->node_words);

	if (le64_to_cpu(h->node_bytes) != 4ull * words)
		return refuse(fault, HEAD_WORD(node_bytes), EBADMSG, "wrong size of nodes");
	if (words > NFAC_NODE_WORDS_MAX)
		return refuse(fault, HEAD_WORD(node_words), EBADMSG, "too many nodes");
	if (flags & NFAC_SET_DARRAY && !darray_fits(words, flags & NFAC_SET_DARRAY32))
		return refuse(fault, HEAD_WORD(node_words), EBADMSG,
			      "double array of a wrong size");
	if (le32_to_cpu(h->tiles) != (words + NFAC_TILE_WORDS - 1) / NFAC_TILE_WORDS)
		return refuse(fault, HEAD_WORD(tiles), EBADMSG, "wrong number of tiles");
	return 0;
}

/* Only a set that folds has case checks, and only a double array has slots. */
static bool flags_fit(u32 flags)
{
	return !(flags & ~NFAC_SET_FLAGS) &&
	       (flags & (NFAC_SET_FOLD | NFAC_SET_LETTER_CASE)) != NFAC_SET_LETTER_CASE &&
	       (flags & (NFAC_SET_DARRAY | NFAC_SET_DARRAY32)) != NFAC_SET_DARRAY32;
}

int nfac_blob_check_header(const void *blob, size_t size, struct nfac_fault *fault)
{
	const struct nfac_blob *h = blob;
	u32 i;
	int err;

	if (!size)
		return refuse(fault, 0, EBADMSG, "the blob is empty");
	if (size < sizeof(*h))
		return refuse(fault, size / 4, EBADMSG, "the blob ends within its header");
	if (le32_to_cpu(h->magic) != NFAC_BLOB_MAGIC)
		return refuse(fault, HEAD_WORD(magic), EBADMSG, "not a compiled set");
	if (le32_to_cpu(h->version) != NFAC_BLOB_VERSION)
		return refuse(fault, HEAD_WORD(version), EPROTO,
			      "compiled for another version of nfac");
	if (size > NFAC_BLOB_MAX)
		return refuse(fault, HEAD_WORD(bytes), EBADMSG, "the blob is too large");
	if (le64_to_cpu(h->bytes) > size)
		return refuse(fault, size / 4, EBADMSG, "the blob is cut short");
	if (le64_to_cpu(h->bytes) < size)
		return refuse(fault, le64_to_cpu(h->bytes) / 4, EBADMSG,
			      "something follows the blob");
	if (!flags_fit(le32_to_cpu(h->flags)))
		return refuse(fault, HEAD_WORD(flags), EBADMSG, "unknown flags");
	if (!h->patterns || le32_to_cpu(h->patterns) > NFAC_PATTERNS_MAX)
		return refuse(fault, HEAD_WORD(patterns), EBADMSG,
			      "number of patterns out of range");
	if (!h->states)
		return refuse(fault, HEAD_WORD(states), EBADMSG, "number of states out of range");
	if (!h->longest || le32_to_cpu(h->longest) > NFAC_PATTERN_MAX)
		return refuse(fault, HEAD_WORD(longest), EBADMSG,
			      "longest pattern out of range");
	for (i = 0; i < sizeof(h->reserved) / 4; i++)
		if (h->reserved[i])
			return refuse(fault, HEAD_WORD(reserved) + i, EBADMSG,
				      "reserved word is not zero");
	err = check_words(h, fault);
	return err ?: check_sections(h, size, fault);
}

size_t nfac_blob_scratch_bytes(const void *blob)
{
	const struct nfac_blob *h = blob;
	size_t depths = (size_t)le32_to_cpu(h->node_words) * sizeof(u32);
	size_t sums = (size_t)le32_to_cpu(h->outputs) * sizeof(u16);

	if (le32_to_cpu(h->flags) & NFAC_SET_DARRAY)
		depths = nfac_check_darray_bytes(h);
	if (sums < nfac_program_starts_bytes(le32_to_cpu(h->program_words)))
		sums = nfac_program_starts_bytes(le32_to_cpu(h->program_words));
	/* the two are not used at the same time */
	return depths > sums ? depths : sums;
}

/* Verify padding: between the tables, behind the last one, and behind the last node. */
static int check_padding(struct nfac_check *c)
{
	const struct nfac_blob *h = c->head;
	u64 from[] = {
		le32_to_cpu(h->short_at) + (h->byte_patterns ? NFAC_SHORT_BYTES +
					    NFAC_BYTE_PATTERNS +
					    4ull * le32_to_cpu(h->byte_patterns) : 0),
		le32_to_cpu(h->entries.pilots_at) + 2ull * le32_to_cpu(h->entries.buckets),
		le32_to_cpu(h->short_patterns.pilots_at) +
			2ull * le32_to_cpu(h->short_patterns.buckets),
		le32_to_cpu(h->matches.pilots_at) + 2ull * le32_to_cpu(h->matches.buckets),
		le32_to_cpu(h->programs_at) + 4ull * le32_to_cpu(h->program_words) +
			space_pairs_bytes(h),
	};
	u64 to[] = {
		h->byte_patterns ? le32_to_cpu(h->entries.slots_at) : 0,
		le32_to_cpu(h->short_patterns.slots_at), le32_to_cpu(h->matches.slots_at),
		le32_to_cpu(h->outputs_at), le64_to_cpu(h->tables_bytes),
	};
	u64 word = c->node_words;
	int i;

	for (i = 0; i < 5; i++)
		for (; from[i] < to[i]; from[i]++)
			if (c->tables[from[i]])
				return table_fail(c, c->tables + from[i],
						  "padding is not zero");
	for (; word % NFAC_TILE_WORDS; word++)
		if (c->words[word])
			return nfac_check_fail(c, word, "padding is not zero");
	return 0;
}

/* Verify a hash table. Slots are of @bytes and begin with a key and a value. */
static int check_table(struct nfac_check *c, const struct nfac_blob_table *head, u32 bytes,
		       int (*check)(struct nfac_check *c, const void *at, u32 key, u32 value))
{
	struct nfac_table t;
	const __le32 *pair;
	int err;
	u32 i;

	nfac_table_bind(&t, head, c->tables);
	pair = t.slots;
	for (i = 0; i < t.slots_count; i++, pair += bytes / 4) {
		u32 key = le32_to_cpu(pair[0]), value = le32_to_cpu(pair[1]);
		u64 mix = nfac_table_mix(&t, key);
		u32 pilot = le16_to_cpu(t.pilots[nfac_table_bucket(&t, mix)]);
		bool own = nfac_table_slot(&t, mix, pilot) == i, empty = value == NFAC_NONE;

		if (!(i & 0xfff))
			nfac_relax();
		if (own == empty)
			return table_fail(c, pair, "key in a slot that is not its own");
		if (value == NFAC_NONE)
			continue;
		err = check(c, pair, key, value);
		if (err)
			return err;
	}
	return 0;
}

static int check_entry(struct nfac_check *c, const void *at, u32 key, u32 value)
{
	if (c->flags & NFAC_SET_FOLD && nfac_fold4(key) != key)
		return table_fail(c, at, "upper-case entry in a set that folds");
	if (c->flags & NFAC_SET_DARRAY) {
		const char *what = nfac_check_darray_entry(c, key, value);

		return what ? table_fail(c, at, what) : 0;
	}
	if (nfac_untagged(value) >= c->node_words || c->depth[nfac_untagged(value)])
		return table_fail(c, at, "entry that leads to no node of its own");
	return nfac_check_reference(c, nfac_untagged(value), value, NFAC_GRAM);
}

/*
 * Verify the short patterns' maps: buckets only of lengths that exist, and numbers of outputs of
 * byte patterns.
 */
static int check_short_maps(struct nfac_check *c)
{
	const struct nfac_blob *h = c->head;
	const u32 lengths = le32_to_cpu(h->short_lengths),
			    byte_patterns = le32_to_cpu(h->byte_patterns);
	const u8 *map = c->tables + le32_to_cpu(h->short_at), *numbers = map + NFAC_SHORT_BYTES;
	const __le32 *outputs = (const __le32 *)(numbers + NFAC_BYTE_PATTERNS);
	u8 buckets = 0;
	u32 i;

	for (i = 1; i < NFAC_GRAM; i++)
		buckets |= lengths >> i & 1 ? NFAC_SHORT_OF(i) : 0;
	for (i = 0; lengths && i < 256; i++)
		if (map[i] & ~buckets)
			return table_fail(c, map + i, "bucket of a length that no pattern has");
	for (i = 0; byte_patterns && i < NFAC_BYTE_PATTERNS; i++)
		if (numbers[i] >= byte_patterns)
			return table_fail(c, numbers + i, "byte with a wrong number");
	for (i = 0; i < byte_patterns; i++)
		if (le32_to_cpu(outputs[i]) >= c->outputs ||
		    nfac_check_length(c, le32_to_cpu(outputs[i])) != 1)
			return table_fail(c, outputs + i, "byte with a wrong output");
	return 0;
}

static int check_short(struct nfac_check *c, const void *at, u32 key, u32 value)
{
	u32 length = key >> 24;

	if (length < 2 || length >= NFAC_GRAM ||
	    !(le32_to_cpu(c->head->short_lengths) >> length & 1) ||
	    (key & 0xffffff) >> 8 * length)
		return table_fail(c, at, "short pattern of a wrong length");
	if (value >= c->outputs || nfac_check_length(c, value) != length)
		return table_fail(c, at, "short pattern with a wrong output");
	return 0;
}

/* Is @reference 0, or one more than the first word of a program? */
static bool program_begins(const struct nfac_check *c, u32 reference)
{
	if (!reference)
		return true;
	if (reference > le32_to_cpu(c->head->program_words))
		return false;
	reference--;
	return c->program_starts[reference / 8] >> reference % 8 & 1;
}

/* Verify an output's extra, which must be at word *@at; advances @at past it. */
static int check_extra(struct nfac_check *c, u32 output, u32 word, u64 *at)
{
	const __le32 *extras = (const __le32 *)(c->tables + le32_to_cpu(c->head->extras_at));
	u64 end = le32_to_cpu(c->head->extra_words);
	const __le32 *extra = extras + *at;
	u32 length = word & 0xffff;
	u32 step = word & NFAC_OUT_LIMITS ? 1 + NFAC_LIMITS_WORDS : 1;
	u32 head = word & NFAC_OUT_MANY ? 2 : 1;
	u64 next, ids = 1, to;

	if (*at + head > end)
		return table_fail(c, c->output + 2 * (size_t)output, "extra past the extras");
	next = le32_to_cpu(extra[0]) & ~NFAC_OUT_SAME;
	if (word & NFAC_OUT_MANY)
		ids = le32_to_cpu(extra[1]);
	to = *at + head + (word & NFAC_OUT_CASE ? (length + 31) / 32 : 0) + ids * step;
	if (ids < head || to > end)
		return table_fail(c, extra, "extra past the extras");
	/* the list ends: the next output is shorter, or a later one of the same length */
	if (next > c->outputs || (next && nfac_check_length(c, next - 1) > length) ||
	    (next && nfac_check_length(c, next - 1) == length && next - 1 <= output))
		return table_fail(c, extra, "output's list does not end");
	if (word & NFAC_OUT_CASE && length % 32 &&
	    le32_to_cpu(extra[head + length / 32]) >> length % 32)
		return table_fail(c, extra + head + length / 32, "case bits past the pattern");
	*at = to;
	for (; word & NFAC_OUT_LIMITS && ids; ids--) {
		const __le32 *limits = extras + to - (1 + NFAC_LIMITS_WORDS) * ids + 1;
		u32 ports = le32_to_cpu(limits[3]);

		if (le32_to_cpu(limits[2]) & ~(0xffu | NFAC_LIMIT_SOURCE))
			return table_fail(c, limits + 2, "unknown limit");
		if ((ports & 0xffff) > ports >> 16)
			return table_fail(c, limits + 3, "ports the wrong way round");
		if (!program_begins(c, le32_to_cpu(limits[NFAC_LIMIT_PROGRAM])))
			return table_fail(c, limits + NFAC_LIMIT_PROGRAM, "no program is there");
	}
	return 0;
}

static int check_output(struct nfac_check *c, u32 i, u64 *extra)
{
	const __le32 *pair = c->output + 2 * (size_t)i;
	u32 word = le32_to_cpu(pair[1]), length = word & 0xffff;
	u32 back = word >> NFAC_OUT_BACK_SHIFT;

	if (!length || length > le32_to_cpu(c->head->longest))
		return table_fail(c, pair + 1, "length out of range");
	if (!(word & NFAC_OUT_EXTRA)) {
		if (back > i || (back && nfac_check_length(c, i - back) >= length))
			return table_fail(c, pair + 1, "output's list does not end");
		return 0;
	}
	if ((word & ~NFAC_OUT_FLAGS) >> 16)
		return table_fail(c, pair + 1, "unknown kind of output");
	if (word & NFAC_OUT_CASE && !(c->flags & NFAC_SET_LETTER_CASE))
		return table_fail(c, pair + 1, "case bits in a set without case checks");
	if (le32_to_cpu(pair[0]) != *extra)
		return table_fail(c, pair, "extra out of place");
	return check_extra(c, i, word, extra);
}

/* Verify the programs, and mark in the scratch memory where each begins. */
static int check_programs(struct nfac_check *c)
{
	const __le32 *words = (const __le32 *)(c->tables + le32_to_cpu(c->head->programs_at));
	const char *what;
	u32 at = 0;

	what = nfac_programs_verify(words, le32_to_cpu(c->head->program_words), c->program_starts,
				    &at);
	return what ? table_fail(c, words + at, what) : 0;
}

static int check_outputs(struct nfac_check *c)
{
	u64 extra = 0;
	u32 i;
	int err;

	for (i = 0; i < c->outputs; i++) {
		if (!(i & 0xfff))
			nfac_relax();
		err = check_output(c, i, &extra);
		if (err)
			return err;
	}
	if (extra != le32_to_cpu(c->head->extra_words))
		return table_fail(c, c->output, "extras that no output has");
	return 0;
}

static int check_records(struct nfac_check *c)
{
	const char *what;
	const __le32 *at;
	int err;

	err = nfac_check_records(c);
	if (err)
		return err;
	at = nfac_check_lookahead(c, &what);
	return at ? table_fail(c, at, what) : 0;
}

static int check_checksum(const struct nfac_blob *h, size_t size, struct nfac_fault *fault)
{
	const size_t piece = 1 << 16;
	struct nfac_blob head = *h;
	const u8 *p = (const u8 *)h;
	size_t at;
	u64 sum;

	head.checksum = 0;
	sum = nfac_checksum(&head, sizeof(head), 0);
	for (at = sizeof(head); at < size; at += piece) {
		sum = nfac_checksum(p + at, size - at < piece ? size - at : piece, sum);
		nfac_relax();
	}
	if (sum != le64_to_cpu(h->checksum))
		return refuse(fault, HEAD_WORD(checksum), EBADMSG,
			      "the checksum differs: the blob was damaged");
	return 0;
}

int nfac_blob_verify(const void *blob, size_t size, void *scratch,
		     struct nfac_fault *fault)
{
	const struct nfac_blob *h = blob;
	struct nfac_check c = {
		.head = h,
		.words = (const __le32 *)((const u8 *)blob + sizeof(*h)),
		.depth = scratch,
		.program_starts = scratch,
		.fault = fault,
	};
	int err;

	err = nfac_blob_check_header(blob, size, fault);
	if (!err)
		err = check_checksum(h, size, fault);
	if (err)
		return err;
	c.tables = (const u8 *)blob + le64_to_cpu(h->tables_at);
	c.node_words = le32_to_cpu(h->node_words);
	c.output = (const __le32 *)(c.tables + le32_to_cpu(h->outputs_at));
	c.outputs = le32_to_cpu(h->outputs);
	c.flags = le32_to_cpu(h->flags);
	err = check_padding(&c);
	if (!err)
		err = check_programs(&c);
	if (!err)
		err = check_outputs(&c);
	if (!err)
		memset(scratch, 0, nfac_program_starts_bytes(le32_to_cpu(h->program_words)));
	if (!err)
		err = nfac_check_outputs(&c, scratch);
	if (!err)
		memset(scratch, 0, (size_t)c.outputs * sizeof(u16));
	if (c.flags & NFAC_SET_DARRAY)
		nfac_check_darray_begin(&c, scratch);
	if (!err)
		err = check_table(&c, &h->entries, nfac_entry_bytes(h), check_entry);
	if (!err)
		err = check_short_maps(&c);
	if (!err)
		err = check_table(&c, &h->short_patterns, NFAC_TABLE_PAIR, check_short);
	if (!err)
		err = c.flags & NFAC_SET_DARRAY ? nfac_check_darray(&c) : check_records(&c);
	return err;
}
