// SPDX-License-Identifier: GPL-2.0
/*
 * The walk over node records (their form is in blob.h; darray.c has the double array's walk).
 *
 * nfac_match_block() calls nfac_records_scan() for a set with records. The walk takes candidates
 * from entry.h and reports matches by nfac_report_long().
 *
 * Aho and Corasick (CACM 18/6, 1975) with compressed paths and with the failure links of Knuth,
 * Morris and Pratt. States less deep than a q-gram have no record: the text itself decides there.
 *
 * Cost. In a state deeper than a q-gram the walk reads a byte or fails. A failure makes the state
 * less deep by at least one byte, a byte read makes it deeper by one, so there are no more
 * failures than bytes. Outside such a state one probe of the entries decides each candidate, and a
 * candidate enters the automaton at most once. So a byte costs at most one probe, one entry and
 * two records, whatever the text.
 */
#include "suffix_filter.h"
#include "flood.h"
#include "entry.h"
#include "../records.h"

#define NFAC_ENDED	((s64)1 << 62)	/* the block ended in a deep state */

/*
 * Index of @c among the keys of a FORK, of which eight are compared at once; past them if there is
 * none.
 */
static __always_inline u32 fork_find(const u8 *keys, u8 c)
{
	u64 x = nfac_eight_at(keys) ^ c * 0x0101010101010101ull;
	u64 zero = (x - 0x0101010101010101ull) & ~x & 0x8080808080808080ull;

	/* the lowest zero byte is exact, and keys come before the padding */
	return zero ? nfac_ctz64(zero) >> 3 : NFAC_FORK_MAX;
}

/* Bits set in @map below bit @n. */
static __always_inline u32 rank(u32 map, u32 n)
{
	return nfac_weight(map & ((1u << n) - 1));
}

/* Child of a WIDE record: one lookup for each half of the byte. */
static u32 wide_find(const struct nfac_automaton *a, const __le32 *node, u8 c)
{
	u32 map = le32_to_cpu(node[0]) >> 16;
	const __le32 *nibble;

	if (!(map >> (c >> 4) & 1))
		return NFAC_NONE;
	nibble = nfac_node(a, nfac_untagged(le32_to_cpu(node[1 + rank(map, c >> 4)])));
	map = le32_to_cpu(nibble[0]) >> 16;
	if (!(map >> (c & 15) & 1))
		return NFAC_NONE;
	return le32_to_cpu(nibble[1 + rank(map, c & 15)]);
}

/* Child of a TABLE record: one lookup for the byte, one for the reference. */
static __always_inline u32 table_find(const __le32 *node, u32 head, u8 c)
{
	u32 low = head >> 16 & 0xff, span = (head >> 24) - low;
	u32 at = c - low;
	u8 which;

	if (at > span)
		return NFAC_NONE;
	which = ((const u8 *)node)[4 + at];
	if (!which)
		return NFAC_NONE;
	return le32_to_cpu(node[nfac_table_words(head) + which - 1]);
}

/* Words of a TABLE or WIDE record before its failures and outputs. */
static __always_inline u32 branch_words(const __le32 *node, u32 head)
{
	const u8 *byte = (const u8 *)node;

	if ((head & NFAC_NODE_TYPE) != NFAC_NODE_TABLE)
		return 1 + nfac_weight(head >> 16);
	/* the highest key's reference is the last one */
	return nfac_table_words(head) + byte[3 + (head >> 24) - (head >> 16 & 0xff) + 1];
}

/* The child by @c, or NFAC_NONE. */
static __always_inline u32 branch_find(const struct nfac_automaton *a, const __le32 *node,
				       u32 head, u8 c)
{
	if ((head & NFAC_NODE_TYPE) == NFAC_NODE_TABLE)
		return table_find(node, head, c);
	return wide_find(a, node, c);
}

/* Number of equal bytes before the first difference, at most @n, 0 .. 7. @x: XOR of the bytes. */
static __always_inline u32 few_agree(u64 x, u32 n)
{
	return nfac_ctz64(x | 1ull << 8 * n) >> 3;
}

/*
 * Number of labels that agree with the text, of @n, 0 .. NFAC_LABELS_MAX. @room bytes of text
 * exist, at least @n.
 */
static __always_inline u32 labels_agree(const u8 *label, const u8 *text, u32 n,
					size_t room, const bool fold)
{
	u32 k;

	for (k = 0;; k += 8) {
		u64 x = nfac_text8(text + k, room - k);

		if (fold)
			x = nfac_fold8(x);
		x = le64_to_cpu((__force __le64)(x ^ nfac_get64(label + k)));
		if (n - k < 8)
			return k + few_agree(x, n - k);
		if (x)
			return k + (nfac_ctz64(x) >> 3);
	}
}

/* labels_agree() for eight labels and more: the last eight overlap those before. */
static __always_inline u32 many_agree(const u8 *label, const u8 *text, u32 n, const bool fold)
{
	u32 k = 0;

	for (;; k = k + 8 < n - 8 ? k + 8 : n - 8) {
		u64 x = nfac_get64(text + k);

		if (fold)
			x = nfac_fold8(x);
		x = le64_to_cpu((__force __le64)(x ^ nfac_get64(label + k)));
		if (x)
			return k + (nfac_ctz64(x) >> 3);
		if (k == n - 8)
			return n;
	}
}

/*
 * Report the outputs of a record's states after @from .. @to labels; the state after no label ends
 * at @start. @words: the words behind the record's body.
 */
static noinline void report_states(struct nfac_run *run, const __le32 *words, u32 head,
				   u32 from, u32 to, s64 start)
{
	u32 word, map;

	words += nfac_failure_words(head, le32_to_cpu(*words));
	word = le32_to_cpu(*words);
	if (!(word & NFAC_STATE_MAP)) {
		u32 position = word >> NFAC_STATE_SHIFT;

		if (position >= from && position <= to)
			nfac_report_long(run, word & ((1u << NFAC_STATE_SHIFT) - 1),
					 start + position);
		return;
	}
	words += 1 + rank(word, from);
	for (map = word & ((2u << to) - (1u << from)); map; map &= map - 1)
		nfac_report_long(run, le32_to_cpu(*words++), start + nfac_ctz64(map));
}

/**
 * walk() - read on from a deep state to the end of the walk
 * @run: the call
 * @ref: record of the state, and its tag; NFAC_TAG_OTHER alone if the tag is unknown
 * @position: labels of the record that have been read
 * @pos: next byte to read
 * @arrived: the state was just entered: its output has to be reported
 * @fold: the set folds
 * / Return: the next candidate position, up to 3 bytes before the block; or NFAC_ENDED, and the
 * cursor holds the state.
 */
static __always_inline s64 walk(struct nfac_run *run, u32 ref, u32 position,
				size_t pos, bool arrived, const bool fold)
{
	const struct nfac_automaton *a = run->a;
	const u8 *text = run->text;
	const size_t len = run->len;
	u32 tag = ref >> NFAC_TAG_SHIFT;

	ref = nfac_untagged(ref);
	for (;;) {
		const __le32 *node = nfac_node(a, ref);
		const u8 *byte = (const u8 *)node;
		u32 head = le32_to_cpu(node[0]);
		u32 n = head >> 8 & NFAC_LABELS_MASK;
		u32 back = head >> (8 + NFAC_BACK_SHIFT) & 3;
		u32 from = arrived ? 0 : position + 1;
		u32 refs, body, fan_out, agreed, key, failure;
		bool tail;
		u8 c;

		if (likely(tag < NFAC_TAG_OTHER && len - pos > 8)) {
			/*
			 * A short path, just entered, far from the block's end. The tag gives its
			 * length, so the loads of text and record overlap.
			 */
			u64 x = nfac_get64(text + pos);

			n = tag % NFAC_TAG_LABELS;
			tail = tag >= NFAC_TAG_TAIL;
			c = nfac_byte_at(text + pos + n, fold);
			if (fold)
				x = nfac_fold8(x);
			x ^= nfac_get64(byte + 2);
			x = le64_to_cpu((__force __le64)x);
			position = few_agree(x, n);
		} else if ((tag == NFAC_TAG_OTHER + NFAC_NODE_FORK ||
			    tag == NFAC_TAG_OTHER + NFAC_NODE_TAIL) && len - pos > n) {
			/* a longer path */
			tail = tag == NFAC_TAG_OTHER + NFAC_NODE_TAIL;
			c = nfac_byte_at(text + pos + n, fold);
			position = many_agree(byte + 2, text + pos, n, fold);
		} else {
			goto slow_path;
		}
		fan_out = (head >> NFAC_NODE_UPPER & 7) + 1;
		refs = nfac_node_label_words(n + (tail ? 0 : fan_out));
		body = refs + fan_out;	/* a TAIL has one: its output */
		if (unlikely(head & NFAC_NODE_OUT))
			report_states(run, node + body, head, 0, position, pos);
		pos += position;
		if (position < n)
			goto fail;
		goto labels_read;
slow_path:
		switch (tag > NFAC_TAG_OTHER ? tag - NFAC_TAG_OTHER : head & NFAC_NODE_TYPE) {
		case NFAC_NODE_FORK:
		case NFAC_NODE_TAIL:
			tail = (head & NFAC_NODE_TYPE) == NFAC_NODE_TAIL;
			fan_out = (head >> NFAC_NODE_UPPER & 7) + 1;
			refs = nfac_node_label_words(n + (tail ? 0 : fan_out));
			body = refs + fan_out;
			/* the block may end within the labels, or right behind them */
			agreed = n - position < len - pos ? n - position : len - pos;
			agreed = labels_agree(byte + 2 + position, text + pos, agreed, len - pos,
					      fold);
			pos += agreed;
			position += agreed;
			/* a TAIL's last output is not among these */
			if (head & NFAC_NODE_OUT && from <= position - (tail && position == n))
				report_states(run, node + body, head, from, position,
					      (s64)pos - position);
			if (unlikely(pos == len && (position < n || !tail)))
				goto block_ends;
			if (position < n)
				goto fail;
			c = tail ? 0 : nfac_byte_at(text + pos, fold);
			break;
		case NFAC_NODE_STOP:
			if (arrived)
				nfac_report_long(run, head >> 8, pos);
			back = head >> NFAC_NODE_UPPER & 3;
			body = 1;
			n = 0;
			goto fail;
		default:	/* TABLE, WIDE */
			body = branch_words(node, head);
			if (head & NFAC_NODE_OUT)
				report_states(run, node + body, head, from, 0, pos);
			if (unlikely(pos == len))
				goto block_ends;
			ref = branch_find(a, node, head, nfac_byte_at(text + pos, fold));
			if (ref == NFAC_NONE)
				goto fail;
			goto enter_child;
		}
labels_read:
		if (tail) {
			nfac_report_long(run, le32_to_cpu(node[refs]), pos);
			goto fail;
		}
		key = fork_find(byte + 2 + n, c);
		if (key >= fan_out)
			goto fail;
		ref = le32_to_cpu(node[refs + key]);
enter_child:
		tag = ref >> NFAC_TAG_SHIFT;
		ref = nfac_untagged(ref);
		position = 0;
		pos++;
		arrived = true;
		continue;
fail:
		if (!(head & NFAC_NODE_FAIL))
			return (s64)pos - back;
		failure = le32_to_cpu(node[body]);
		if (failure >> NFAC_POSITION_SHIFT == NFAC_POSITION_MAP) {
			if (!(failure >> position & 1))
				return (s64)pos - back;
			failure = le32_to_cpu(node[body + 1 + rank(failure, position)]);
		} else if (position < n) {
			return (s64)pos - back;
		}
		/*
		 * the target is at least a q-gram deep, so earlier candidates needed no more
		 * lookahead
		 */
		if (unlikely(failure == run->failure))
			pos = nfac_flood_state(run, failure, pos,
					       nfac_suffix_filter_lookahead(a, NFAC_GRAM));
		run->failure = failure;
		ref = nfac_untagged(failure);
		position = failure >> NFAC_POSITION_SHIFT;
		tag = NFAC_TAG_OTHER;
		arrived = false;
		continue;
block_ends:
		run->cur->node = ref + 1;
		run->cur->position = position;
		return NFAC_ENDED;
	}
}

/* Scan for patterns of NFAC_GRAM bytes and more. */
static __always_inline void scan(struct nfac_run *run, const bool fold)
{
	const struct nfac_automaton *a = run->a;
	const bool filter = run->path != NFAC_PATH_NOFILTER;
	const u32 lookahead = nfac_suffix_filter_lookahead(a, NFAC_LOOKAHEAD_BYTES(true));
	const s64 len = run->len;
	u32 ref = run->cur->node, position = run->cur->position & 63;
	size_t near = 0, near_bytes = NFAC_NEAR;
	u32 last = NFAC_FLOOD_NONE;
	u64 calls;
	s64 pos;

	run->cur->node = 0;
	run->cur->position = 0;
	if (ref)
		pos = walk(run, (ref - 1) | NFAC_TAG_OTHER << NFAC_TAG_SHIFT, position, 0, false,
			   fold);
	else
		pos = nfac_no_candidate_across(run) ? 0 : -(s64)run->have;

	while (pos + NFAC_GRAM <= len) {
		if (unlikely(pos < 0)) {
			ref = nfac_entry_at(a, nfac_gram_across(run, pos), fold, true);
			if (ref == NFAC_NONE) {
				pos++;
				continue;
			}
		} else {
			if (filter)
				pos = nfac_next_entry(run, pos, &ref, near, fold, true);
			else
				pos = nfac_next_unfiltered(run, pos, &ref, fold);
			if (pos + NFAC_GRAM > len)
				break;
			if (unlikely(ref == last))
				pos = nfac_flood_state(run, NFAC_FLOOD_ENTRY(ref), pos, lookahead);
			last = ref;
			near_bytes = (size_t)pos < near ? NFAC_NEAR_AGAIN : NFAC_NEAR;
		}
		calls = run->calls;
		pos = walk(run, ref, 0, pos + NFAC_GRAM, true, fold);
		near = pos + near_bytes;
		if (filter && a->suffixes && pos > 0)
			near = nfac_suffix_filter_near(run, pos, near, run->calls != calls);
	}
}

/*
 * One function for each kind of set, on cache lines of their own: otherwise their alignment changes
 * with the code linked before them, and their speed by 4 %.
 */
static noinline __aligned(64) void scan_folding(struct nfac_run *run)
{
	scan(run, true);
}

static noinline __aligned(64) void scan_exact(struct nfac_run *run)
{
	scan(run, false);
}

void nfac_records_scan(struct nfac_run *run)
{
	if (run->a->flags & NFAC_SET_FOLD)
		scan_folding(run);
	else
		scan_exact(run);
}
