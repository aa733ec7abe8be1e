// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier, word by word: what it accepts is harmless, and for each of its rules there is
 * a blob that breaks just this one.
 */

#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "help.h"
#include "suites.h"
#include "../kmod/engine/records.h"

/*
 * The rules of tables, outputs and nodes. Each is broken by some change of one word
 * of a good blob, sealed again; verify_rules() tries them all.
 *
 * @away: the word that is named may be another than the one that was changed
 */
static struct verify_rule {
	const char *what;
	bool away;
	u32 reported;
	u32 there;	/* and the changed word itself was named */
} verify_body[] = {
	{ "padding is not zero" },
	{ "key in a slot that is not its own", true },
	{ "upper-case entry in a set that folds" },
	{ "entry that leads to no node of its own", true },
	{ "lookahead mask with bits on which patterns differ" },
	{ "lookahead bytes that no pattern has" },
	{ "short pattern of a wrong length" },
	{ "short pattern with a wrong output", true },
	{ "bucket of a length that no pattern has" },
	{ "byte with a wrong number" },
	{ "byte with a wrong output" },
	{ "extra past the extras", true },
	{ "output's list does not end", true },
	{ "case bits past the pattern" },
	{ "case bits that the next output does not have", true },
	{ "unknown limit", true },
	{ "ports the wrong way round", true },
	{ "length out of range" },
	{ "unknown kind of output" },
	{ "case bits in a set without case checks" },
	{ "extra out of place" },
	{ "reference past the nodes", true },
	{ "reference with a wrong tag", true },
	{ "two references to one node", true },
	{ "deeper than the longest pattern", true },
	{ "child before its parent" },
	{ "not a node" },
	{ "node that nothing leads to", true },
	{ "unknown output" },
	{ "output longer than what was read" },
	{ "upper-case label in a set that folds" },
	{ "keys out of order" },
	{ "failure that leads to no state" },
	{ "failure to a state that is not less deep" },
	{ "half of a node where a whole one should be", true },
	{ "half of a node with labels" },
	{ "half of a node with an end of its own" },
	{ "reference into the midst of a node", true },
	{ "node past its tile" },
	{ "labels past their tile" },
	{ "node with too many labels" },
	{ "output of no state" }, { "stop with a second output" },
	{ "map of outputs that does not fit" }, { "map of failures that does not fit" },
	{ "empty tile", true },
	{ "extras that no output has", true },
	{ "transition to no state" }, { "transition that no entry reaches", true },
	{ "state that matches and does not", true }, { "two references to one entry", true },
	{ "free slot with a label" }, { "state with two labels", true },
	{ "entry with another byte's label" },
};

static void verify_note(u32 word, const struct nfac_fault *fault)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(verify_body); i++)
		if (!strcmp(verify_body[i].what, fault->what)) {
			verify_body[i].reported++;
			verify_body[i].there += fault->word == word;
		}
}

static struct nfac_match_memory verify_memory;

static bool verify_count_hit(void *ctx, const struct nfac_hit *hit)
{
	return true;
}

/* A blob was changed and accepted: whatever it now is, it must be harmless. */
static void verify_harmless(struct kunit *test, struct nfac_budget *budget,
			    const struct help_set *set, const void *blob, u32 word)
{
	struct nfac_cursor cursor;
	struct nfac_fault fault;
	struct nfac_load *load;
	enum nfac_path path;
	u64 ns;

	load = nfac_load_create(budget, blob, set->size, &fault, &ns);
	if (IS_ERR(load)) {
		KUNIT_FAIL(test, "word %u: %ld", word, PTR_ERR(load));
		return;
	}
	for (path = 0; path <= NFAC_PATH_PORTABLE; path++) {
		nfac_cursor_init(&cursor);
		nfac_match_block(&verify_memory, &load->automaton, &cursor, set->text,
				 set->text_size / 2, path, verify_count_hit, NULL);
		nfac_match_block(&verify_memory, &load->automaton, &cursor,
				 set->text + set->text_size / 2,
				 set->text_size - set->text_size / 2, path,
				 verify_count_hit, NULL);
	}
	nfac_load_free(load);
}

/* A reference @by words further on, with the tag that it has to have there. */
static u32 verify_move(const __le32 *blob, u32 was, int by)
{
	const struct nfac_blob *head = (const void *)blob;
	u32 ref = nfac_untagged(was) + by;

	if (ref >= le32_to_cpu(head->node_words))
		return was;
	return ref | nfac_tag(le32_to_cpu(blob[sizeof(*head) / 4 + ref])) << NFAC_TAG_SHIFT;
}

/*
 * Word of the blob that leads to the record which begins with @word, 0: none. Looked
 * for by its value: a failure may have the same, but then another rule is broken.
 */
static u32 verify_lead(const __le32 *blob, u32 words, u32 word)
{
	const u32 head = sizeof(struct nfac_blob) / 4;
	u32 i, ref;

	if (word < head)
		return 0;
	ref = (word - head) | nfac_tag(le32_to_cpu(blob[word])) << NFAC_TAG_SHIFT;
	for (i = words - 1; i > head; i--)
		if (le32_to_cpu(blob[i]) == ref)
			return i;
	return 0;
}

/*
 * What one word is changed to: each bit, the extremes, its neighbours, others' values,
 * references that lead elsewhere.
 */
static u32 verify_change(const __le32 *blob, u32 words, u32 word, u32 way)
{
	u32 was = le32_to_cpu(blob[word]);

	switch (way) {
	case 0 ... 31:
		return was ^ 1u << way;
	case 32:
		return 0;
	case 33:
		return U32_MAX;
	case 34:
		return was + 1;
	case 35:
		return was - 1;
	case 44 ... 59:
		return verify_move(blob, was, (int)way - 52);
	default:
		return le32_to_cpu(blob[(word + (way - 35) * 7) % words]);
	}
}

#define VERIFY_WAYS	60

/* An emulated CPU with sanitizers would take an hour. */
static uint verify_step = 1;
module_param(verify_step, uint, 0444);
MODULE_PARM_DESC(verify_step, "change each n-th word only, of those that would be (1)");

static void verify_change_all(struct kunit *test, const char *name, u32 step)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	const struct help_set *set = help_set(test, name);
	u32 refused = 0, harmless = 0, words, word, way, end;
	struct nfac_fault fault;
	size_t size;
	__le32 *blob = help_blob(test, name, &size);
	const struct nfac_blob *head = (const void *)set->blob;

	KUNIT_ASSERT_NOT_NULL(test, budget);
	words = size / 4;
	/* the names are for user space alone */
	end = le64_to_cpu(head->names_at) / 4;
	for (word = 0; word < end; word += step * verify_step) {
		u32 lead = verify_lead(blob, end, word);
		__le32 was = blob[word], led = blob[lead];

		if (word / 2 == offsetof(struct nfac_blob, checksum) / 8)
			continue;
		for (way = 0; way < VERIFY_WAYS; way++) {
			u32 value = verify_change(blob, words, word, way);

			if (value == le32_to_cpu(was))
				continue;
			blob[word] = cpu_to_le32(value);
			/* the tag goes with the record's head, or its rule hides others */
			if (lead)
				blob[lead] = cpu_to_le32(nfac_untagged(le32_to_cpu(led)) |
							 nfac_tag(value) << NFAC_TAG_SHIFT);
			help_seal(blob, size);
			if (!help_verify(blob, size, &fault)) {
				harmless++;
				/* bits of a map are what they are */
				if (way % 8 == 0 || word * 4 < sizeof(*head) +
				    le32_to_cpu(head->tiles) * NFAC_TILE_BYTES)
					verify_harmless(test, budget, set, blob, word);
			} else {
				refused++;
				if (!fault.what || fault.word > words)
					KUNIT_FAIL(test, "word %u: no good reason", word);
				else
					verify_note(word, &fault);
			}
			blob[word] = was;
			blob[lead] = led;
		}
		cond_resched();
	}
	/* a case's log in debugfs holds 512 bytes */
	if (step == 1)
		kunit_info(test, "%s: %u refused, %u accepted", name, refused, harmless);
	KUNIT_EXPECT_GT(test, refused, 0u);
	KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
	nfac_budget_put(budget);
}

#define VERIFY_WORDS(name) \
static void verify_words_##name(struct kunit *test) \
{ \
	verify_change_all(test, #name, 1); \
}

VERIFY_WORDS(small)
VERIFY_WORDS(plain)
VERIFY_WORDS(limits)
VERIFY_WORDS(flat)
VERIFY_WORDS(flat32)

static void verify_words_others(struct kunit *test)
{
	verify_change_all(test, "mixed", 1);
	verify_change_all(test, "short_patterns", 1);
	verify_change_all(test, "zeros", 3);
	verify_change_all(test, "longs", 3);
	verify_change_all(test, "nested", 5);
	verify_change_all(test, "alphabet", 41);
	verify_change_all(test, "wide", 61);
	verify_change_all(test, "flat_mixed", 3);
	verify_change_all(test, "flat32_mixed", 3);
	verify_change_all(test, "flat_words", 2003);
	verify_change_all(test, "flat32_words", 2003);
}

/* Was each rule broken, and by a blob that breaks it where it says? */
static void verify_rules(struct kunit *test)
{
	u32 i;

	if (verify_step > 1)
		kunit_skip(test, "not all words were changed");
	for (i = 0; i < ARRAY_SIZE(verify_body); i++) {
		const struct verify_rule *rule = &verify_body[i];

		KUNIT_EXPECT_GT_MSG(test, rule->reported, 0u, "\"%s\" was never reported",
				    rule->what);
		if (!rule->away)
			KUNIT_EXPECT_GT_MSG(test, rule->there, 0u,
					    "\"%s\" never named the word", rule->what);
	}
}

static struct kunit_case words_cases[] = {
	KUNIT_CASE(verify_words_small),
	KUNIT_CASE(verify_words_plain),
	KUNIT_CASE(verify_words_limits),
	KUNIT_CASE(verify_words_flat),
	KUNIT_CASE(verify_words_flat32),
	KUNIT_CASE(verify_words_others),
	/* after those above, whose faults it counts */
	KUNIT_CASE(verify_rules),
	{}
};

struct kunit_suite suite_verify_words = {
	.name = "nfac_verify_words",
	.test_cases = words_cases,
};
