// SPDX-License-Identifier: GPL-2.0
/*
 * Verifying the lookahead masks of entries; called when the nodes are verified.
 *
 * A mask must have exactly the bits on which the patterns of the entry agree, because the matcher
 * drops a candidate that differs in them.
 */
#include "checks.h"
#include "../popcount.h"
#include "../records.h"

/*
 * Bits on which the patterns of one entry agree that were visited so far; @records counts records
 * of all entries. On the stack of nfac_check_lookahead().
 */
struct agreement {
	u32 mask, bytes;
	bool any;
	u32 records;
};

/*
 * Add a pattern that continues with @n of @bytes; with less than NFAC_GRAM of them it ends there.
 */
static void agree(struct agreement *a, u32 bytes, u32 n)
{
	u32 there = n < NFAC_GRAM ? (1u << 8 * n) - 1 : ~0u;

	a->mask = a->any ? a->mask & there & ~(bytes ^ a->bytes) : there;
	a->bytes = a->any ? a->bytes : bytes;
	a->any = true;
}

/* Output of the record at @at after @position labels, or NFAC_NONE. @body: words of its body. */
static u32 output_at(const struct nfac_check *c, u32 at, u32 body, u32 position)
{
	u32 head = nfac_check_word(c, at), word;

	if (!(head & NFAC_NODE_OUT))
		return NFAC_NONE;
	at += body + nfac_failure_words(head, nfac_check_word(c, at + body));
	word = nfac_check_word(c, at);
	if (!(word & NFAC_STATE_MAP))
		return word >> NFAC_STATE_SHIFT == position ?
		       word & ((1u << NFAC_STATE_SHIFT) - 1) : NFAC_NONE;
	if (!(word >> position & 1))
		return NFAC_NONE;
	return nfac_check_word(c, at + 1 + nfac_weight(word & ((1u << position) - 1)));
}

/* Does a pattern end there that is the whole path, not only a suffix of it? */
static bool ends_at(const struct nfac_check *c, u32 at, u32 body, u32 position)
{
	u32 output = output_at(c, at, body, position);

	return output != NFAC_NONE && nfac_check_length(c, output) == c->depth[at] + position;
}

static void collect(const struct nfac_check *c, u32 ref, u32 bytes, u32 n, struct agreement *a);

/* Collect the patterns behind the child by @key, whose reference is in word @word of the nodes. */
static void collect_child(const struct nfac_check *c, u32 word, u32 key, u32 bytes, u32 n,
			  struct agreement *a)
{
	collect(c, nfac_check_word(c, word), bytes | key << 8 * n, n + 1, a);
}

static void collect_table(const struct nfac_check *c, u32 at, u32 bytes, u32 n, struct agreement *a)
{
	u32 head = nfac_check_word(c, at), low = head >> 16 & 0xff, key;
	const u8 *which = (const u8 *)(c->words + at) + 4;

	for (key = low; key <= head >> 24; key++)
		if (which[key - low])
			collect_child(c, at + nfac_table_words(head) + which[key - low] - 1, key,
				      bytes, n, a);
}

static void collect_wide(const struct nfac_check *c, u32 at, u32 bytes, u32 n, struct agreement *a)
{
	u32 upper, lower, maps, map, half, child;

	maps = nfac_check_word(c, at) >> 16;
	for (upper = 0; upper < 16; upper++) {
		if (!(maps >> upper & 1))
			continue;
		half = nfac_untagged(nfac_check_word(c, ++at));
		map = nfac_check_word(c, half) >> 16;
		child = half;
		for (lower = 0; lower < 16; lower++)
			if (map >> lower & 1)
				collect_child(c, ++child, upper << 4 | lower, bytes, n, a);
	}
}

/*
 * Collect the patterns behind the record @ref, whose path continues with @n of @bytes. Each record
 * has one parent, so all entries together visit each record once. @n grows from child to child, so
 * the recursion is at most NFAC_GRAM calls deep.
 */
static void collect(const struct nfac_check *c, u32 ref, u32 bytes, u32 n, struct agreement *a)
{
	u32 at = nfac_untagged(ref), head = nfac_check_word(c, at), type = head & NFAC_NODE_TYPE;
	u32 body = nfac_check_body(c, at), fan_out = nfac_check_fan_out(head), position = 0, i;
	u32 labels = nfac_check_last_position(head);
	const u8 *byte = (const u8 *)(c->words + at) + 2;

	if (!(++a->records & 0xfff))
		nfac_relax();
	for (; n < NFAC_GRAM; position++, n++) {
		if (ends_at(c, at, body, position))
			agree(a, bytes, n);
		if (position == labels)
			break;
		bytes |= (u32)byte[position] << 8 * n;
	}
	if (n == NFAC_GRAM || type == NFAC_NODE_STOP || type == NFAC_NODE_TAIL)
		agree(a, bytes, n);
	else if (type == NFAC_NODE_TABLE)
		collect_table(c, at, bytes, n, a);
	else if (type == NFAC_NODE_WIDE)
		collect_wide(c, at, bytes, n, a);
	for (i = 0; n < NFAC_GRAM && i < fan_out; i++)
		collect_child(c, at + body - fan_out + i, byte[labels + i], bytes, n, a);
}

const __le32 *nfac_check_lookahead(const struct nfac_check *c, const char **what)
{
	const struct nfac_blob_table *table = &c->head->entries;
	const struct nfac_blob_entry *entry;
	struct agreement a = { .records = 0 };
	u32 i;

	entry = (const struct nfac_blob_entry *)(c->tables + le32_to_cpu(table->slots_at));
	for (i = 0; i < le32_to_cpu(table->slots); i++, entry++) {
		if (!(i & 0xfff))
			nfac_relax();
		a.mask = 0;
		a.bytes = 0;
		a.any = false;
		if (le32_to_cpu(entry->reference) != NFAC_NONE)
			collect(c, le32_to_cpu(entry->reference), 0, 0, &a);
		*what = "lookahead mask with bits on which patterns differ";
		if (le32_to_cpu(entry->mask) != a.mask)
			return &entry->mask;
		*what = "lookahead bytes that no pattern has";
		if (le32_to_cpu(entry->lookahead) != (a.bytes & a.mask))
			return &entry->lookahead;
	}
	return NULL;
}
