// SPDX-License-Identifier: GPL-2.0
/*
 * Verifying a double array; called by nfac_blob_verify().
 *
 * The states are visited from the entries on by increasing depth, so each gets the depth that the
 * compiler gave it: the target of a failure is never deeper. The matcher's cost for a byte is
 * constant whatever the words are. What has to be proved: each word leads to a state, outputs are
 * no longer than the bytes read, and every used slot is reached.
 */
#include "checks.h"
#include "../darray.h"
#include "../fold.h"

static u8 label_of(const struct nfac_check *c, u32 slot)
{
	return c->darray.wide ? le32_to_cpu(c->words[slot]) : ((const u8 *)c->words)[slot];
}

static u32 word_of(const struct nfac_check *c, u32 slot)
{
	if (c->darray.wide)
		return le32_to_cpu(c->words[slot]);
	return le16_to_cpu(((const __le16 *)((const u8 *)c->words + c->darray.slots))[slot]);
}

/* A free slot has word 0, with slots of 32 bits its label only. */
static bool is_free(const struct nfac_check *c, u32 slot)
{
	return !(c->darray.wide ? word_of(c, slot) >> 8 : word_of(c, slot));
}

static int label_fail(struct nfac_check *c, u32 slot, const char *what)
{
	return nfac_check_fail(c, c->darray.wide ? slot : slot / 4, what);
}

static int word_fail(struct nfac_check *c, u32 slot, const char *what)
{
	return nfac_check_fail(c, c->darray.wide ? slot : c->darray.slots / 4 + slot / 2, what);
}

static const char *transition_fault(struct nfac_check *c, u32 word, u32 depth)
{
	u32 base = nfac_darray_base(word, c->darray.wide), output, length;

	if (base >= c->darray.slots || nfac_darray_reserved(base))
		return "transition to no state";
	if (!c->darray.state[base]) {
		if (depth > le32_to_cpu(c->head->longest))
			return "deeper than the longest pattern";
		c->darray.state[base] = word;
		c->darray.depth[base] = depth;
		c->darray.queue[c->darray.queued++] = base;
	}
	if (c->darray.state[base] != word)
		return c->darray.wide && (u8)(c->darray.state[base] ^ word) ?
		       "state with two labels" : "state that matches and does not";
	if (!nfac_darray_matches(word, c->darray.wide))
		return NULL;
	output = nfac_table_output(&c->darray.matches, base);
	if (output >= c->outputs)
		return "unknown output";
	length = nfac_check_length(c, output);
	if (length < NFAC_GRAM || length > c->darray.depth[base])
		return "output longer than what was read";
	return NULL;
}

const char *nfac_check_darray_entry(struct nfac_check *c, u32 gram, u32 word)
{
	u32 base = nfac_darray_base(word, c->darray.wide);

	if (c->darray.wide && (u8)word != gram >> 24)
		return "entry with another byte's label";
	if (base < c->darray.slots && c->darray.state[base])
		return "two references to one entry";
	return transition_fault(c, word, NFAC_GRAM);
}

/* Verify and count the transitions of the state @base. */
static int check_state(struct nfac_check *c, u32 base, u32 *transitions)
{
	u32 byte, slot;
	const char *what;

	for (byte = 0; byte < NFAC_DARRAY_BLOCK; byte++) {
		slot = base ^ byte;
		if (label_of(c, slot) != byte)
			continue;
		what = transition_fault(c, word_of(c, slot), c->darray.depth[base] + 1);
		if (what)
			return word_fail(c, slot, what);
		++*transitions;
	}
	return 0;
}

/* Verify each slot by itself, and count those in use. */
static int check_slots(struct nfac_check *c, u32 *used)
{
	u32 slot;

	for (slot = 0; slot < c->darray.slots; slot++) {
		u8 label = label_of(c, slot);

		if (!(slot & 0xffff))
			nfac_relax();
		if (!is_free(c, slot)) {
			++*used;
			if (c->flags & NFAC_SET_FOLD && nfac_fold1(label) != label)
				return label_fail(c, slot, "upper-case label in a set that folds");
		} else if (label != nfac_darray_free_label(slot)) {
			return label_fail(c, slot, "free slot with a label");
		}
	}
	return 0;
}

int nfac_check_darray(struct nfac_check *c)
{
	u32 i, used = 0, transitions = 0;
	int err;

	err = check_slots(c, &used);
	for (i = 0; !err && i < c->darray.queued; i++) {
		if (!(i & 0xff))
			nfac_relax();
		err = check_state(c, c->darray.queue[i], &transitions);
	}
	if (!err && used != transitions)
		err = nfac_check_fail(c, 0, "transition that no entry reaches");
	return err;
}

size_t nfac_check_darray_bytes(const struct nfac_blob *head)
{
	return (size_t)nfac_darray_slots(head) * (2 * sizeof(u32) + sizeof(u16));
}

void nfac_check_darray_begin(struct nfac_check *c, void *scratch)
{
	c->darray.slots = nfac_darray_slots(c->head);
	c->darray.wide = c->flags & NFAC_SET_DARRAY32;
	c->darray.state = scratch;
	c->darray.queue = c->darray.state + c->darray.slots;
	c->darray.depth = (u16 *)(c->darray.queue + c->darray.slots);
	nfac_table_bind(&c->darray.matches, &c->head->matches, c->tables);
}
