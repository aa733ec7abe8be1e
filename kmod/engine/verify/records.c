// SPDX-License-Identifier: GPL-2.0
/*
 * Verifying the node records; called by nfac_blob_verify().
 *
 * The first pass reads the records in order. A child is behind its parent, so when a record is
 * reached its depth is known, or nothing refers to it. Only one reference leads to each record: the
 * records are a forest, and a walk ends. The second pass proves that a failure leads to a lesser
 * depth: there are at most as many failures as bytes read.
 */
#include "checks.h"
#include "../fold.h"
#include "../popcount.h"
#include "../records.h"

int nfac_check_reference(struct nfac_check *c, u32 from, u32 tagged, u32 depth)
{
	u32 ref = nfac_untagged(tagged);

	if (ref >= c->node_words)
		return nfac_check_fail(c, from, "reference past the nodes");
	if (tagged >> NFAC_TAG_SHIFT != nfac_tag(nfac_check_word(c, ref)))
		return nfac_check_fail(c, from, "reference with a wrong tag");
	if (c->depth[ref])
		return nfac_check_fail(c, from, "two references to one node");
	if ((depth & ~NFAC_CHECK_NIBBLE) > le32_to_cpu(c->head->longest))
		return nfac_check_fail(c, from, "deeper than the longest pattern");
	c->depth[ref] = depth;
	c->references++;
	return 0;
}

static int check_child(struct nfac_check *c, u32 at, u32 from, u32 depth)
{
	u32 ref = nfac_check_word(c, from);

	if (nfac_untagged(ref) <= at)
		return nfac_check_fail(c, from, "child before its parent");
	return nfac_check_reference(c, from, ref, depth);
}

/* Are the bytes from @from to the end of the word zero? */
static bool padded(const u8 *node, u32 from)
{
	for (; from & 3; from++)
		if (node[from])
			return false;
	return true;
}

/*
 * Words of a TABLE; 0 if it is invalid. Its keys number the references in order, and the lowest and
 * the highest key have one.
 */
static u32 table_words(const struct nfac_check *c, u32 at, u32 head)
{
	u32 low = head >> 16 & 0xff, high = head >> 24, key, fan_out = 0;
	u32 words = nfac_table_words(head);
	const u8 *byte = (const u8 *)(c->words + at) + 4;

	if (low > high || words > NFAC_TILE_WORDS - (at & (NFAC_TILE_WORDS - 1)) ||
	    words > c->node_words - at)
		return 0;
	for (key = 0; key <= high - low; key++) {
		if (byte[key] && byte[key] != ++fan_out)
			return 0;
		if (c->flags & NFAC_SET_FOLD && byte[key] &&
		    nfac_fold1(low + key) != low + key)
			return 0;
	}
	if (!byte[0] || !byte[high - low] || !padded(byte, high - low + 1))
		return 0;
	return words + fan_out;
}

u32 nfac_check_body(const struct nfac_check *c, u32 at)
{
	u32 head = nfac_check_word(c, at);
	u32 n = head >> 8 & NFAC_LABELS_MASK, fan_out = nfac_check_fan_out(head);

	switch (head & NFAC_NODE_TYPE) {
	case NFAC_NODE_STOP:
		return 1;
	case NFAC_NODE_TAIL:
		return n ? nfac_node_label_words(n) + 1 : 0;
	case NFAC_NODE_FORK:
		return nfac_node_label_words(n + fan_out) + fan_out;
	case NFAC_NODE_TABLE:
		return n ? 0 : table_words(c, at, head);
	case NFAC_NODE_WIDE:
	case NFAC_NODE_NIBBLE:
		return !n && head >> 16 ? 1 + nfac_weight(head >> 16) : 0;
	}
	return 0;
}

static u32 word_or_none(const struct nfac_check *c, u32 at)
{
	return at < c->node_words ? nfac_check_word(c, at) : 0;
}

static u32 record_words(const struct nfac_check *c, u32 at)
{
	u32 head = nfac_check_word(c, at);
	u32 words = nfac_check_body(c, at);

	if (!words)
		return 0;
	/* words past the last are 0: the record will be too long */
	words += nfac_failure_words(head, word_or_none(c, at + words));
	return words + nfac_output_words(head, word_or_none(c, at + words));
}

/* Verify that the record is complete, and of a type that fits the reference to it. */
static int check_form(struct nfac_check *c, u32 at)
{
	u32 head = nfac_check_word(c, at), type = head & NFAC_NODE_TYPE;
	u32 size = record_words(c, at), in_tile = at & (NFAC_TILE_WORDS - 1);

	u32 upper = head >> NFAC_NODE_UPPER & 7;
	bool half;

	if (!size || (upper && type != NFAC_NODE_FORK && type != NFAC_NODE_STOP) ||
	    (type == NFAC_NODE_STOP && upper >= NFAC_GRAM))
		return nfac_check_fail(c, at, "not a node");
	if (!c->depth[at])
		return nfac_check_fail(c, at, "node that nothing leads to");
	half = type == NFAC_NODE_NIBBLE;
	if (half != !!(c->depth[at] & NFAC_CHECK_NIBBLE))
		return nfac_check_fail(c, at, "half of a node where a whole one should be");
	if (nfac_check_last_position(head) > NFAC_LABELS_MAX)
		return nfac_check_fail(c, at, "node with too many labels");
	if (type == NFAC_NODE_NIBBLE && head & 0xff00)
		return nfac_check_fail(c, at, "half of a node with labels");
	if (type == NFAC_NODE_NIBBLE && head & (NFAC_NODE_OUT | NFAC_NODE_FAIL))
		return nfac_check_fail(c, at, "half of a node with an end of its own");
	if (type == NFAC_NODE_STOP && head & NFAC_NODE_OUT)
		return nfac_check_fail(c, at, "stop with a second output");
	if (in_tile + size > NFAC_TILE_WORDS || size > c->node_words - at)
		return nfac_check_fail(c, at, "node past its tile");
	/* the matcher reads labels and keys eight at a time */
	if ((type == NFAC_NODE_FORK || type == NFAC_NODE_TAIL) &&
	    in_tile * 4 + NFAC_NODE_READ(nfac_check_last_position(head)) > NFAC_TILE_BYTES)
		return nfac_check_fail(c, at, "labels past their tile");
	return 0;
}

static int check_state_output(struct nfac_check *c, u32 at, u32 output, u32 depth)
{
	u32 length;

	if (output >= c->outputs)
		return nfac_check_fail(c, at, "unknown output");
	length = nfac_check_length(c, output);
	if (length < NFAC_GRAM || length > depth)
		return nfac_check_fail(c, at, "output longer than what was read");
	return 0;
}

/*
 * Is @map a map that the compiler writes, for a record with states after 0 .. @last labels? It has
 * several states, or with @alone one that is not the last.
 */
static bool state_map_fits(u32 map, u32 last, bool alone)
{
	if (last > NFAC_MAP_LABELS_MAX || !map || map >> last > 1)
		return false;
	return map & (map - 1) || (alone && map != 1u << last);
}

/* Verify the outputs at @at of a record at @depth, whose states are after 0 .. @last labels. */
static int check_state_outputs(struct nfac_check *c, u32 at, u32 depth, u32 last)
{
	u32 word = nfac_check_word(c, at), map = word & ~NFAC_STATE_MAP, position;
	int err = 0;

	if (!(word & NFAC_STATE_MAP)) {
		position = word >> NFAC_STATE_SHIFT;
		if (position > last)
			return nfac_check_fail(c, at, "output of no state");
		word -= position << NFAC_STATE_SHIFT;
		return check_state_output(c, at, word, depth + position);
	}
	if (!state_map_fits(map, last, false))
		return nfac_check_fail(c, at, "map of outputs that does not fit");
	for (position = 0; position <= last && !err; position++)
		if (map >> position & 1) {
			at++;
			err = check_state_output(c, at, nfac_check_word(c, at), depth + position);
		}
	return err;
}

/* Verify @n labels, then @fan_out keys. */
static int check_labels(struct nfac_check *c, u32 at, u32 n, u32 fan_out)
{
	const u8 *node = (const u8 *)(c->words + at);
	u32 i;

	for (i = 2; i < 2 + n + fan_out; i++) {
		if (c->flags & NFAC_SET_FOLD && nfac_fold1(node[i]) != node[i])
			return nfac_check_fail(c, at + i / 4,
					       "upper-case label in a set that folds");
		if (i > 2 + n && node[i] <= node[i - 1])
			return nfac_check_fail(c, at + i / 4, "keys out of order");
	}
	if (!padded(node, 2 + n + fan_out))
		return nfac_check_fail(c, at + (2 + n + fan_out) / 4, "padding is not zero");
	return 0;
}

static int check_record(struct nfac_check *c, u32 at)
{
	u32 head = nfac_check_word(c, at), type = head & NFAC_NODE_TYPE;
	u32 n = head >> 8 & NFAC_LABELS_MASK, fan_out = nfac_check_fan_out(head);
	u32 depth = c->depth[at] & ~NFAC_CHECK_NIBBLE;
	u32 last = nfac_check_last_position(head), body, i, below = depth + n + 1;
	int err;

	err = check_form(c, at);
	if (err)
		return err;
	body = nfac_check_body(c, at);
	if (type == NFAC_NODE_STOP)
		return check_state_output(c, at, head >> 8, depth);
	if (type == NFAC_NODE_WIDE)
		below = depth | NFAC_CHECK_NIBBLE;
	if (type == NFAC_NODE_WIDE || type == NFAC_NODE_NIBBLE)
		fan_out = body - 1;
	else if (type == NFAC_NODE_TABLE)
		fan_out = body - nfac_table_words(head);
	if (type <= NFAC_NODE_FORK)
		err = check_labels(c, at, n, fan_out);
	if (!err && type == NFAC_NODE_TAIL)
		err = check_state_output(c, at + body - 1, nfac_check_word(c, at + body - 1),
					 depth + n);
	for (i = body - fan_out; !err && i < body; i++)
		err = check_child(c, at, at + i, below);
	if (!err && head & NFAC_NODE_OUT)
		err = check_state_outputs(c, at + body +
					  nfac_failure_words(head, nfac_check_word(c, at + body)),
					  depth, last - (type == NFAC_NODE_TAIL));
	return err;
}

/*
 * Does the record have a state after @position labels with a transition? Only such a state may be a
 * failure's target: another one's output would be reported without reading a byte.
 */
static bool goes_on(u32 head, u32 position)
{
	u32 type = head & NFAC_NODE_TYPE;

	if (type == NFAC_NODE_STOP)
		return false;
	return position + (type == NFAC_NODE_TAIL) <= nfac_check_last_position(head);
}

/* Verify the failure in word @at, of a state at @depth. */
static int check_failure(struct nfac_check *c, u32 at, u32 depth)
{
	u32 to = nfac_untagged(nfac_check_word(c, at));
	u32 position = nfac_check_word(c, at) >> NFAC_POSITION_SHIFT;

	if (to >= c->node_words || !c->depth[to] || c->depth[to] & NFAC_CHECK_NIBBLE ||
	    !goes_on(nfac_check_word(c, to), position))
		return nfac_check_fail(c, at, "failure that leads to no state");
	if (c->depth[to] + position >= depth)
		return nfac_check_fail(c, at, "failure to a state that is not less deep");
	return 0;
}

static int check_failures(struct nfac_check *c, u32 at)
{
	u32 head = nfac_check_word(c, at), last = nfac_check_last_position(head);
	u32 word = at + nfac_check_body(c, at), first, position;
	int err;

	/* without failures the last record's body may end with the nodes */
	if (!(head & NFAC_NODE_FAIL))
		return 0;
	first = nfac_check_word(c, word);
	if (first >> NFAC_POSITION_SHIFT != NFAC_POSITION_MAP)
		return check_failure(c, word, c->depth[at] + last);
	first = nfac_untagged(first);
	if (!state_map_fits(first, last, true))
		return nfac_check_fail(c, word, "map of failures that does not fit");
	for (position = 0; position <= last; position++) {
		if (!(first >> position & 1))
			continue;
		err = check_failure(c, ++word, c->depth[at] + position);
		if (err)
			return err;
	}
	return 0;
}

/* Verify padding: it continues to the tile's end, after at least one record. */
static int check_pad(struct nfac_check *c, u32 *at)
{
	u32 word = *at;

	if (!(word & (NFAC_TILE_WORDS - 1)))
		return nfac_check_fail(c, word, "empty tile");
	do {
		if (c->words[word])
			return nfac_check_fail(c, word, "padding is not zero");
		word++;
	} while (word & (NFAC_TILE_WORDS - 1) && word < c->node_words);
	if (word >= c->node_words)
		return nfac_check_fail(c, *at, "padding after the last node");
	*at = word;
	return 0;
}

static int each_record(struct nfac_check *c, int (*check)(struct nfac_check *c, u32 at),
		       u64 *records)
{
	u32 at = 0, relax = 0;
	int err;

	*records = 0;
	while (at < c->node_words) {
		if (!c->words[at]) {
			err = check_pad(c, &at);
			if (err)
				return err;
			continue;
		}
		err = check(c, at);
		if (err)
			return err;
		at += record_words(c, at);
		++*records;
		if (!(++relax & 0xfff))
			nfac_relax();
	}
	return 0;
}

int nfac_check_records(struct nfac_check *c)
{
	u64 records;
	int err;

	err = each_record(c, check_record, &records);
	if (err)
		return err;
	/* the numbers differ if a reference leads into the middle of a record */
	if (records != c->references)
		return nfac_check_fail(c, 0, "reference into the midst of a node");
	return each_record(c, check_failures, &records);
}
