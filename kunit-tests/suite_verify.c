// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier on whole blobs: headers, damage, and rules that no change of one word breaks.
 */

#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "help.h"
#include "suites.h"

#define WORD(field)	(offsetof(struct nfac_blob, field) / 4)

static void verify_good(struct kunit *test)
{
	struct nfac_fault fault;
	size_t i;

	for (i = 0; i < help_sets_count; i++) {
		const struct help_set *set = &help_sets[i];
		size_t bytes;
		void *scratch;

		KUNIT_ASSERT_EQ(test, nfac_blob_check_header(set->blob, set->size, &fault), 0);
		bytes = nfac_blob_scratch_bytes(set->blob);
		scratch = kvzalloc(max_t(size_t, bytes, 8), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, scratch);
		KUNIT_EXPECT_EQ_MSG(test, nfac_blob_verify(set->blob, set->size, scratch, &fault),
				    0, "set \"%s\": %s", set->name, fault.what ?: "");
		kvfree(scratch);
	}
}

/*
 * Header: one 32-bit word changed each, the fault that the verifier reports, and the word that it
 * names where that is another one.
 */
static const struct {
	u32 word;
	u32 value;
	int error;
	const char *what;
	u32 named;		/* 0: @word */
} verify_heads[] = {
	{ WORD(version), NFAC_BLOB_VERSION + 1, EPROTO, "compiled for another version of nfac" },
	{ WORD(flags), 1u << 31, EBADMSG, "unknown flags" },
	{ WORD(flags), NFAC_SET_LETTER_CASE, EBADMSG, "unknown flags" },
	{ WORD(flags), NFAC_SET_DARRAY32, EBADMSG, "unknown flags" },
	{ WORD(flags), NFAC_SET_DARRAY, EBADMSG, "double array of a wrong size", WORD(node_words) },
	{ WORD(flags), NFAC_SET_DARRAY | NFAC_SET_DARRAY32, EBADMSG, "double array of a wrong size",
	  WORD(node_words) },
	{ WORD(patterns), 0, EBADMSG, "number of patterns out of range" },
	{ WORD(patterns), NFAC_PATTERNS_MAX + 1, EBADMSG, "number of patterns out of range" },
	{ WORD(states), 0, EBADMSG, "number of states out of range" },
	{ WORD(longest), 0, EBADMSG, "longest pattern out of range" },
	{ WORD(longest), NFAC_PATTERN_MAX + 1, EBADMSG, "longest pattern out of range" },
	{ WORD(node_bytes), 3, EBADMSG, "wrong size of nodes" },
	{ WORD(node_bytes) + 1, 1, EBADMSG, "wrong size of nodes", WORD(node_bytes) },
	{ WORD(tiles), 77, EBADMSG, "wrong number of tiles" },
	{ WORD(tiles_at), 64, EBADMSG, "tiles out of place" },
	{ WORD(tiles_at) + 1, 1, EBADMSG, "tiles out of place", WORD(tiles_at) },
	{ WORD(tables_at), 64, EBADMSG, "tables out of place" },
	{ WORD(tables_at) + 1, 0xffffffff, EBADMSG, "tables out of place", WORD(tables_at) },
	{ WORD(tables_bytes), 64, EBADMSG, "tables of a wrong size" },
	{ WORD(names_at), 64, EBADMSG, "names out of place" },
	{ WORD(names_bytes), 0, EBADMSG, "names of a wrong size" },
	{ WORD(names_bytes) + 1, 1, EBADMSG, "names of a wrong size", WORD(names_bytes) },
	{ WORD(total_bytes), 1, EBADMSG, "wrong total of bytes" },
	{ WORD(filter.stride), 255, EBADMSG, "filter stride out of range", WORD(filter) },
	{ WORD(filter.bloom), 2, EBADMSG, "filter map size out of range", WORD(filter) },
	{ WORD(filter.bloom), 64, EBADMSG, "filter map size out of range", WORD(filter) },
	{ WORD(filter.bloom), 0xffffffff, EBADMSG, "filter map size out of range",
	  WORD(filter) },
	{ WORD(filter.fold), 1, EBADMSG, "filter folds otherwise than the set", WORD(filter) },
	{ WORD(filter.bloom_bytes), 9, EBADMSG, "Bloom filter of an unknown kind", WORD(filter) },
	{ WORD(filter.suffixes), 8, EBADMSG, "suffix map size out of range", WORD(filter) },
	{ WORD(filter.suffixes), 27, EBADMSG, "suffix map size out of range", WORD(filter) },
	{ WORD(filter.suffixes), 9, EBADMSG, "short patterns' maps out of place", WORD(filter) },
	{ WORD(filter.gram_bytes), 9, EBADMSG, "q-gram map of an unknown kind", WORD(filter) },
	{ WORD(filter.gram_bytes), 0, EBADMSG, "q-gram map of an unknown kind", WORD(filter) },
	{ WORD(filter.nibble_masks), 2, EBADMSG, "nibble masks of an unknown kind",
		WORD(filter) },
	{ WORD(filter.stride), 0, EBADMSG, "filter maps without a stride", WORD(filter) },
	{ WORD(filter.before), 2, EBADMSG, "probes before a candidate with a wrong stride",
	  WORD(filter) },
	{ WORD(entries.slots_at), 8, EBADMSG, "entries out of place", WORD(filter) },
	{ WORD(entries.slots), 0xffffffff, EBADMSG, "entries out of place", WORD(filter) },
	{ WORD(entries.buckets), 0xffffffff, EBADMSG, "entries out of place", WORD(filter) },
	{ WORD(entries.buckets), 1, EBADMSG, "entries out of place", WORD(filter) },
	{ WORD(entries.buckets), 3, EBADMSG, "entries out of place", WORD(filter) },
	{ WORD(short_patterns.slots_at), 8, EBADMSG, "short patterns out of place", WORD(filter) },
	{ WORD(short_lengths), 0xff, EBADMSG, "wrong lengths of short patterns",
	  WORD(filter) },
	{ WORD(short_lengths), 2, EBADMSG, "wrong lengths of short patterns", WORD(filter) },
	{ WORD(byte_patterns), 1, EBADMSG, "entries out of place", WORD(filter) },
	{ WORD(short_at), 4, EBADMSG, "short patterns' maps out of place", WORD(filter) },
	{ WORD(matches.slots), 1, EBADMSG, "matches out of place", WORD(filter) },
	{ WORD(outputs_at), 4, EBADMSG, "outputs out of place", WORD(filter) },
	{ WORD(outputs), 0, EBADMSG, "number of outputs out of range", WORD(filter) },
	{ WORD(extras_at), 4, EBADMSG, "extras out of place", WORD(filter) },
	{ WORD(reserved), 1, EBADMSG, "reserved word is not zero" },
};

static void verify_head(struct kunit *test)
{
	struct nfac_fault fault;
	size_t size;
	__le32 *blob = help_blob(test, "small", &size);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(verify_heads); i++) {
		u32 word = verify_heads[i].word;
		u32 named = verify_heads[i].named ?: word;
		__le32 was = blob[word];

		blob[word] = cpu_to_le32(verify_heads[i].value);
		help_seal(blob, size);
		KUNIT_EXPECT_EQ_MSG(test, help_verify(blob, size, &fault), -verify_heads[i].error,
				    "rule %u", i);
		KUNIT_EXPECT_STREQ(test, fault.what, verify_heads[i].what);
		KUNIT_EXPECT_EQ_MSG(test, fault.word, named, "rule %u", i);
		KUNIT_EXPECT_EQ(test, fault.error, verify_heads[i].error);
		blob[word] = was;
	}
	/* two words that agree with each other, and with nothing else */
	blob[WORD(node_words)] = cpu_to_le32(NFAC_NODE_WORDS_MAX + 1);
	blob[WORD(node_bytes)] = cpu_to_le32(4 * (NFAC_NODE_WORDS_MAX + 1));
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "too many nodes");
	KUNIT_EXPECT_EQ(test, fault.word, (u32)WORD(node_words));
	blob = help_blob(test, "small", &size);
	/* each reserved word */
	for (i = 0; i < sizeof_field(struct nfac_blob, reserved) / 4; i++) {
		blob[WORD(reserved) + i] = cpu_to_le32(1u << i % 32);
		KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
		KUNIT_EXPECT_EQ(test, fault.word, (u32)WORD(reserved) + i);
		blob[WORD(reserved) + i] = 0;
	}
	help_seal(blob, size);
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), 0);
	blob[0] ^= cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "not a compiled set");
	KUNIT_EXPECT_EQ(test, fault.word, 0u);
}

/* Rules that no change of one word breaks: what says the same elsewhere changes too. */
static void verify_several(struct kunit *test)
{
	struct nfac_fault fault;
	size_t size;
	__le32 *blob = help_blob(test, "small", &size);
	struct nfac_blob *head = (struct nfac_blob *)blob;
	u32 words = le32_to_cpu(head->node_words);

	/* a word more: the tile's next one, which is zero */
	KUNIT_ASSERT_NE(test, words % NFAC_TILE_WORDS, 0u);
	le32_add_cpu(&head->node_words, 1);
	le64_add_cpu(&head->node_bytes, 4);
	help_seal(blob, size);
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "padding after the last node");
	KUNIT_EXPECT_EQ(test, fault.word, (u32)sizeof(*head) / 4 + words);

	blob = help_blob(test, "small", &size);
	head = (struct nfac_blob *)blob;
	memset(&head->filter, 0, sizeof(head->filter));
	head->short_at = 0;
	head->entries.slots = 0;
	help_seal(blob, size);
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "nodes without entries");
	KUNIT_EXPECT_EQ(test, fault.word, (u32)WORD(filter));
}

/* A set of short patterns alone has no nodes, no entries and no filter. */
static void verify_head_shorts(struct kunit *test)
{
	struct nfac_fault fault;
	size_t size;
	__le32 *blob = help_blob(test, "short_patterns", &size);

	blob[WORD(filter.fold)] = cpu_to_le32(1);
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "a filter without long patterns");
	KUNIT_EXPECT_EQ(test, fault.word, (u32)WORD(filter));
}

/* Cut at every word, and with something behind. */
static void verify_size(struct kunit *test)
{
	struct nfac_fault fault;
	size_t size, cut;
	u8 *blob = help_blob(test, "small", &size);
	u8 *longer = kunit_kzalloc(test, size + 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, longer);
	for (cut = 0; cut < size; cut += 4) {
		/* in a piece of its own, so that KASAN sees a step past it */
		void *piece = kmemdup(blob, cut ?: 1, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, piece);
		KUNIT_EXPECT_EQ(test, help_verify(piece, cut, &fault), -EBADMSG);
		KUNIT_EXPECT_EQ(test, fault.word, (u32)cut / 4);
		KUNIT_EXPECT_STREQ(test, fault.what,
				   !cut ? "the blob is empty" :
				   cut < sizeof(struct nfac_blob) ?
				   "the blob ends within its header" : "the blob is cut short");
		kfree(piece);
	}
	memcpy(longer, blob, size);
	KUNIT_EXPECT_EQ(test, help_verify(longer, size + 64, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "something follows the blob");
	KUNIT_EXPECT_EQ(test, fault.word, (u32)size / 4);
	/* 32 bits cannot say so much */
	if (SIZE_MAX <= NFAC_BLOB_MAX)
		return;
	KUNIT_EXPECT_EQ(test, nfac_blob_check_header(blob, (size_t)(NFAC_BLOB_MAX + 4), &fault),
			-EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "the blob is too large");
}

/* Without a new checksum any change is found, wherever it is. */
static void verify_damage(struct kunit *test)
{
	struct nfac_fault fault;
	size_t size, i;
	u8 *blob = help_blob(test, "small", &size);

	for (i = 0; i < size; i++) {
		blob[i] ^= 1 << i % 8;
		KUNIT_EXPECT_NE_MSG(test, help_verify(blob, size, &fault), 0, "byte %zu", i);
		KUNIT_EXPECT_NOT_NULL(test, fault.what);
		blob[i] ^= 1 << i % 8;
	}
	blob[size - 1] ^= 1;
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "the checksum differs: the blob was damaged");
	KUNIT_EXPECT_EQ(test, fault.word, (u32)WORD(checksum));
}

/*
 * A list of outputs that costs all it may to refuse is led on to one more output, which
 * costs one look.
 */
static void verify_lists(struct kunit *test)
{
	struct nfac_fault fault;
	size_t size;
	u8 *blob = help_blob(test, "spellings", &size);
	const struct nfac_blob *head = (const void *)blob;
	u8 *tables = blob + le64_to_cpu(head->tables_at);
	const __le32 *pair = (const __le32 *)(tables + le32_to_cpu(head->outputs_at));
	__le32 *extras = (__le32 *)(tables + le32_to_cpu(head->extras_at)), *last = NULL;
	u32 i, first = U32_MAX, other = U32_MAX;

	for (i = 0; i < le32_to_cpu(head->outputs); i++) {
		u32 word = le32_to_cpu(pair[2 * i + 1]);
		__le32 *extra = extras + le32_to_cpu(pair[2 * i]);

		if (!(word & NFAC_OUT_CASE))
			continue;
		if ((word & 0xffff) == 4) {
			other = i;
		} else {
			first = min(first, i);
			if (!extra[0])
				last = extra;
		}
	}
	KUNIT_ASSERT_NOT_NULL(test, last);
	KUNIT_ASSERT_NE(test, other, U32_MAX);
	KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), 0);
	*last = cpu_to_le32(other + 1);
	help_seal(blob, size);
	KUNIT_ASSERT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
	KUNIT_EXPECT_STREQ(test, fault.what, "list of outputs that costs too much to reject");
	KUNIT_EXPECT_EQ(test, fault.word, (u32)((const __le32 *)pair + 2 * first - (__le32 *)blob));
}

/*
 * A failure is led to the end of a path, which has an output and no way on: it would be
 * reported though nothing was read, at a block's beginning for an end before all text.
 */
static void verify_path_end(struct kunit *test)
{
	const u32 labels = 5;
	struct nfac_fault fault;
	size_t size;
	__le32 *blob = help_blob(test, "plain", &size);
	__le32 *nodes = blob + sizeof(struct nfac_blob) / 4, *failure = NULL;
	u32 words = le32_to_cpu(((struct nfac_blob *)blob)->node_words), rain, i;

	/* "rain coat" from its fourth byte on; "acid rain " fails into its middle */
	for (rain = 0; rain < words; rain++)
		if ((le32_to_cpu(nodes[rain]) & NFAC_NODE_TYPE) == NFAC_NODE_TAIL &&
		    !memcmp((u8 *)(nodes + rain) + 2, " coat", labels))
			break;
	for (i = 0; i < words; i++)
		if (le32_to_cpu(nodes[i]) == (rain | 1 << NFAC_POSITION_SHIFT))
			failure = nodes + i;
	KUNIT_ASSERT_NOT_NULL(test, failure);
	for (i = 0; i <= labels; i++) {
		*failure = cpu_to_le32(rain | i << NFAC_POSITION_SHIFT);
		help_seal(blob, size);
		if (i < labels) {
			KUNIT_EXPECT_EQ(test, help_verify(blob, size, &fault), 0);
			continue;
		}
		KUNIT_ASSERT_EQ(test, help_verify(blob, size, &fault), -EBADMSG);
		KUNIT_EXPECT_STREQ(test, fault.what, "failure that leads to no state");
		KUNIT_EXPECT_EQ(test, fault.word, (u32)(failure - blob));
	}
}

static struct kunit_case verify_cases[] = {
	KUNIT_CASE(verify_good),
	KUNIT_CASE(verify_head),
	KUNIT_CASE(verify_head_shorts),
	KUNIT_CASE(verify_several),
	KUNIT_CASE(verify_size),
	KUNIT_CASE(verify_damage),
	KUNIT_CASE(verify_lists),
	KUNIT_CASE(verify_path_end),
	{}
};

struct kunit_suite suite_verify = {
	.name = "nfac_verify",
	.test_cases = verify_cases,
};
