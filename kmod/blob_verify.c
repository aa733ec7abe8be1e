// SPDX-License-Identifier: GPL-2.0
/*
 * Verifying a blob: header, tables and outputs. The nodes are in
 * blob_verify_nodes.c.
 *
 * What is checked is what the matcher relies on, and beyond that whatever the
 * compiler always does: a blob that differs was made by somebody else.
 */
#include "blob_verify_internal.h"

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

static u64 even(u64 words)
{
	return (words + 1) & ~1ull;
}

/* Bytes that the filter's head asks for; 0 with @what set when it is wrong. */
static u64 filter_bytes(const struct nfac_blob *h, const char **what)
{
	const struct nfac_blob_filter *f = &h->filter;
	u32 stride = le32_to_cpu(f->stride);
	u32 gram = le32_to_cpu(f->gram_shift);
	u32 start = le32_to_cpu(f->start_shift);
	u32 tail = le32_to_cpu(f->tail_shift);
	u32 fold = le32_to_cpu(f->fold);
	u64 bytes = 0;

	*what = NULL;
	if (!stride) {
		if (gram || start || tail || fold)
			*what = "a filter without a stride";
	} else if (stride > NFAC_GRAM) {
		*what = "filter stride out of range";
	} else if (gram < 8 || gram > 22 || start < 8 || start > 22 ||
		   (tail && (tail < 8 || tail > 22))) {
		*what = "filter map size out of range";
	} else if (fold != (le32_to_cpu(h->flags) & NFAC_SET_FOLD ? 0x20202020u : 0)) {
		*what = "filter folds otherwise than the set";
	} else {
		bytes = ((1ull << (32 - gram)) + (1ull << (32 - start)) +
			 (tail ? 1ull << (32 - tail) : 0)) / 8;
	}
	if (le32_to_cpu(h->short_at) != bytes)
		*what = "short patterns' maps out of place";
	if (h->short_lengths)
		bytes += NFAC_SHORT_BYTES;
	return (bytes + NFAC_BLOB_ALIGN - 1) & ~(u64)(NFAC_BLOB_ALIGN - 1);
}

static int check_sections(const struct nfac_blob *h, size_t size, struct nfac_fault *fault)
{
	u64 tiles = le32_to_cpu(h->tiles);
	u64 at = sizeof(*h);
	const char *what;
	u64 filter;

	if (le64_to_cpu(h->tiles_at) != at)
		return refuse(fault, HEAD_WORD(tiles_at), EBADMSG, "tiles out of place");
	at += tiles * NFAC_TILE_BYTES;
	if (le64_to_cpu(h->filter_at) != at)
		return refuse(fault, HEAD_WORD(filter_at), EBADMSG, "filter out of place");
	filter = filter_bytes(h, &what);
	if (what)
		return refuse(fault, HEAD_WORD(filter), EBADMSG, what);
	if (le64_to_cpu(h->filter_bytes) != filter)
		return refuse(fault, HEAD_WORD(filter_bytes), EBADMSG, "filter of a wrong size");
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

/* A table stands at @at; @at moves past it. Return: false when it does not. */
static bool table_fits(const struct nfac_blob_table *t, u64 *at)
{
	u64 slots = le32_to_cpu(t->slots), buckets = le32_to_cpu(t->buckets);

	if (le32_to_cpu(t->slots_at) != *at || !slots != !buckets || buckets > slots)
		return false;
	*at += 2 * slots;
	if (le32_to_cpu(t->pilots_at) != *at)
		return false;
	*at = even(*at + (buckets + 1) / 2);
	return true;
}

static int check_words(const struct nfac_blob *h, struct nfac_fault *fault)
{
	u64 words = (u64)le32_to_cpu(h->tiles) * NFAC_TILE_WORDS;
	u64 at = even(le32_to_cpu(h->node_words));

	if (le64_to_cpu(h->node_bytes) != 4ull * le32_to_cpu(h->node_words))
		return refuse(fault, HEAD_WORD(node_bytes), EBADMSG, "wrong size of nodes");
	if (!table_fits(&h->entries, &at))
		return refuse(fault, HEAD_WORD(entries), EBADMSG, "entries out of place");
	if (!h->node_words != !h->entries.slots)
		return refuse(fault, HEAD_WORD(entries), EBADMSG, "nodes without entries");
	if (!table_fits(&h->shorts, &at))
		return refuse(fault, HEAD_WORD(shorts), EBADMSG, "shorts out of place");
	if (!h->shorts.slots != !h->short_lengths || le32_to_cpu(h->short_lengths) & ~0xeu)
		return refuse(fault, HEAD_WORD(short_lengths), EBADMSG,
			      "wrong lengths of short patterns");
	if (le32_to_cpu(h->outputs_at) != at)
		return refuse(fault, HEAD_WORD(outputs_at), EBADMSG, "outputs out of place");
	at += 2ull * le32_to_cpu(h->outputs);
	if (!h->outputs || le32_to_cpu(h->outputs) > 8ull * NFAC_PATTERNS_MAX)
		return refuse(fault, HEAD_WORD(outputs), EBADMSG, "number of outputs out of range");
	if (le32_to_cpu(h->extras_at) != at)
		return refuse(fault, HEAD_WORD(extras_at), EBADMSG, "extras out of place");
	at += le32_to_cpu(h->extra_words);
	if ((at + NFAC_TILE_WORDS - 1) / NFAC_TILE_WORDS * NFAC_TILE_WORDS != words)
		return refuse(fault, HEAD_WORD(tiles), EBADMSG, "wrong number of tiles");
	return 0;
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
	if (le32_to_cpu(h->flags) & ~NFAC_SET_FLAGS ||
	    (le32_to_cpu(h->flags) & NFAC_SET_FLAGS) == NFAC_SET_CASES)
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

	return (size_t)le32_to_cpu(h->node_words) * sizeof(u32);
}

/* The words from @from up to @to are padding. */
static int check_zeros(struct nfac_check *c, u64 from, u64 to)
{
	for (; from < to; from++)
		if (c->words[from])
			return nfac_check_fail(c, from, "padding is not zero");
	return 0;
}

static int check_padding(struct nfac_check *c)
{
	const struct nfac_blob *h = c->head;
	u64 end = (u64)le32_to_cpu(h->extras_at) + le32_to_cpu(h->extra_words);
	const struct nfac_blob_table *t[] = { &h->entries, &h->shorts };
	u64 next[] = { le32_to_cpu(h->shorts.slots_at), le32_to_cpu(h->outputs_at) };
	int err, i;

	err = check_zeros(c, c->node_words, le32_to_cpu(h->entries.slots_at));
	if (!err)
		err = check_zeros(c, end, (u64)le32_to_cpu(h->tiles) * NFAC_TILE_WORDS);
	for (i = 0; !err && i < 2; i++) {
		u32 buckets = le32_to_cpu(t[i]->buckets);
		u64 at = le32_to_cpu(t[i]->pilots_at) + (buckets + 1) / 2;

		if (buckets & 1 && nfac_check_word(c, at - 1) >> 16)
			return nfac_check_fail(c, at - 1, "padding is not zero");
		err = check_zeros(c, at, next[i]);
	}
	return err;
}

/* Slot that the table's own hash gives a key. */
static u32 slot_of(const struct nfac_check *c, const struct nfac_blob_table *t, u32 key)
{
	u64 mix = nfac_table_mix(key);
	u32 bucket = nfac_table_bucket(mix, le32_to_cpu(t->buckets));
	u32 pilots = nfac_check_word(c, le32_to_cpu(t->pilots_at) + bucket / 2);

	return nfac_table_slot(mix, pilots >> (bucket & 1) * 16 & 0xffff,
			       le32_to_cpu(t->slots));
}

static int check_table(struct nfac_check *c, const struct nfac_blob_table *t,
		       int (*check)(struct nfac_check *c, u32 at, u32 key, u32 value))
{
	u32 i, slots = le32_to_cpu(t->slots);
	int err;

	for (i = 0; i < slots; i++) {
		u32 at = le32_to_cpu(t->slots_at) + 2 * i;
		u32 key = nfac_check_word(c, at);
		u32 value = nfac_check_word(c, at + 1);

		if ((slot_of(c, t, key) == i) == (value == NFAC_NONE))
			return nfac_check_fail(c, at, "key in a slot that is not its own");
		if (value == NFAC_NONE)
			continue;
		err = check(c, at, key, value);
		if (err)
			return err;
		if (!(i & 0xfff))
			nfac_relax();
	}
	return 0;
}

static int check_entry(struct nfac_check *c, u32 at, u32 key, u32 value)
{
	if (c->flags & NFAC_SET_FOLD && nfac_fold4(key) != key)
		return nfac_check_fail(c, at, "upper-case entry in a set that folds");
	return nfac_check_lead(c, at + 1, value, NFAC_GRAM);
}

static int check_short(struct nfac_check *c, u32 at, u32 key, u32 value)
{
	u32 length = key >> 24;

	if (length < 1 || length >= NFAC_GRAM ||
	    !(le32_to_cpu(c->head->short_lengths) >> length & 1) ||
	    (key & 0xffffff) >> 8 * length)
		return nfac_check_fail(c, at, "short pattern of a wrong length");
	if (value >= c->outputs || nfac_check_length(c, value) != length)
		return nfac_check_fail(c, at + 1, "short pattern with a wrong output");
	return 0;
}

/* An output's extra stands at @at; @at moves past it. */
static int check_extra(struct nfac_check *c, u32 output, u32 word, u32 *at)
{
	u64 end = (u64)le32_to_cpu(c->head->extras_at) + le32_to_cpu(c->head->extra_words);
	u32 length = word & 0xffff, head = *at;
	u32 step = word & NFAC_OUT_LIMITS ? 5 : 1;
	u64 next, ids, to;

	if (head + 2ull > end)
		return nfac_check_fail(c, head, "extra past the extras");
	next = nfac_check_word(c, head);
	ids = nfac_check_word(c, head + 1);
	to = head + 2ull + (word & NFAC_OUT_CASE ? (length + 31) / 32 : 0) + ids * step;
	if (!ids || to > end)
		return nfac_check_fail(c, head + 1, "extra past the extras");
	/* the list gets shorter, or goes on to a later output: it ends */
	if (next > c->outputs || (next && nfac_check_length(c, next - 1) > length) ||
	    (next && nfac_check_length(c, next - 1) == length && next - 1 <= output) ||
	    (next && (length < NFAC_GRAM || nfac_check_length(c, next - 1) < NFAC_GRAM)))
		return nfac_check_fail(c, head, "output's list does not end");
	if (word & NFAC_OUT_CASE && length % 32 &&
	    nfac_check_word(c, head + 2 + length / 32) >> length % 32)
		return nfac_check_fail(c, head + 2 + length / 32, "case bits past the pattern");
	for (; word & NFAC_OUT_LIMITS && ids; ids--) {
		u32 limits = to - 5 * ids + 1;
		u32 ports = nfac_check_word(c, limits + 3);

		if (nfac_check_word(c, limits + 2) & ~(0xffu | NFAC_LIMIT_SOURCE))
			return nfac_check_fail(c, limits + 2, "unknown limit");
		if ((ports & 0xffff) > ports >> 16)
			return nfac_check_fail(c, limits + 3, "ports the wrong way round");
	}
	*at = to;
	return 0;
}

static int check_outputs(struct nfac_check *c)
{
	u32 i, extra = le32_to_cpu(c->head->extras_at);
	int err;

	for (i = 0; i < c->outputs; i++) {
		u32 at = c->outputs_at + 2 * i;
		u32 word = nfac_check_word(c, at + 1);

		if (!(i & 0xfff))
			nfac_relax();
		if (!(word & 0xffff) || (word & 0xffff) > le32_to_cpu(c->head->longest))
			return nfac_check_fail(c, at + 1, "length out of range");
		if (word >> 16 & ~(NFAC_OUT_EXTRA | NFAC_OUT_CASE | NFAC_OUT_LIMITS) >> 16)
			return nfac_check_fail(c, at + 1, "unknown kind of output");
		if (!(word & NFAC_OUT_EXTRA)) {
			if (word >> 16)
				return nfac_check_fail(c, at + 1, "unknown kind of output");
			continue;
		}
		if (word & NFAC_OUT_CASE && (!(c->flags & NFAC_SET_CASES) ||
					     (word & 0xffff) < NFAC_GRAM))
			return nfac_check_fail(c, at + 1, "case asked of a set without cases");
		if (nfac_check_word(c, at) != extra)
			return nfac_check_fail(c, at, "extra out of place");
		err = check_extra(c, i, word, &extra);
		if (err)
			return err;
	}
	if (extra != (u64)le32_to_cpu(c->head->extras_at) + le32_to_cpu(c->head->extra_words))
		return nfac_check_fail(c, extra, "extras that no output has");
	return 0;
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
		.fault = fault,
	};
	int err;

	err = nfac_blob_check_header(blob, size, fault);
	if (!err)
		err = check_checksum(h, size, fault);
	if (err)
		return err;
	c.node_words = le32_to_cpu(h->node_words);
	c.outputs_at = le32_to_cpu(h->outputs_at);
	c.outputs = le32_to_cpu(h->outputs);
	c.flags = le32_to_cpu(h->flags);
	err = check_padding(&c);
	if (!err)
		err = check_outputs(&c);
	if (!err)
		err = check_table(&c, &h->entries, check_entry);
	if (!err)
		err = check_table(&c, &h->shorts, check_short);
	if (!err)
		err = nfac_check_nodes(&c);
	return err;
}
