/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions: what each one of a program checks. The interpreter calls them in order.
 */
#ifndef _NFAC_RULES_CONDITIONS_H
#define _NFAC_RULES_CONDITIONS_H

#include "buffers.h"

static __always_inline enum nfac_condition_type nfac_condition_type(const struct nfac_condition *c)
{
	return le32_to_cpu(c->head) & 0xff;
}

static __always_inline u32 nfac_condition_words(const struct nfac_condition *c)
{
	return le32_to_cpu(c->head) >> 8 & 0xffff;
}

static __always_inline enum nfac_buffer nfac_condition_buffer(const struct nfac_condition *c)
{
	return le32_to_cpu(c->head) >> 24;
}

static __always_inline u32 nfac_condition_transforms(const struct nfac_condition *c)
{
	return le32_to_cpu(c->flags) >> 16;
}

/* Is it evaluated in a buffer, in order with its neighbours? */
static __always_inline bool nfac_condition_is_grouped(const struct nfac_condition *c)
{
	return nfac_condition_type(c) <= NFAC_CONDITION_BYTE_MATH ||
	       nfac_condition_type(c) == NFAC_CONDITION_USER;
}

/* An argument behind the condition's head. */
static __always_inline u32 nfac_condition_word(const struct nfac_condition *c, u32 i)
{
	return le32_to_cpu(((const __le32 *)(c + 1))[i]);
}

/**
 * struct nfac_step - state of the evaluation of a group
 * @scratch: of the window
 * @slice: the group's buffer
 * @pos: where the last content ended, or a jump led to; relative conditions count from here
 * @base: @pos before the condition
 * @resume: not 0: look for the content from here on
 * @found: where the content was found
 * @lost: a condition of user space was not checked, so @pos is not known
 */
struct nfac_step {
	struct nfac_rules_scratch *scratch;
	const struct nfac_slice *slice;
	u32 pos;
	u32 base;
	u32 resume;
	u32 found;
	bool lost;
};

/* Does a condition of a group hold? Then step->pos is behind it. */
bool nfac_condition_holds(const struct nfac_condition *c, struct nfac_step *step);

/* Is another occurrence of @c worth a search, because the condition at @next depends on it? */
static inline bool nfac_condition_retries(const struct nfac_condition *c, const __le32 *p, u32 next,
					  u32 end)
{
	const struct nfac_condition *after = (const struct nfac_condition *)(p + next);

	return (nfac_condition_type(c) == NFAC_CONDITION_CONTENT ||
		nfac_condition_type(c) == NFAC_CONDITION_USER) && next < end &&
	       !(le32_to_cpu(c->flags) & NFAC_CONDITION_NEGATED) &&
	       le32_to_cpu(after->flags) & NFAC_CONDITION_RELATIVE;
}

enum nfac_field_state {
	NFAC_FIELD_FAILS,
	NFAC_FIELD_HOLDS,
	NFAC_FIELD_UNKNOWN,	/* the window does not say */
};

/* Does a condition on headers hold? @swapped: source and destination change places. */
enum nfac_field_state nfac_field_holds(const struct nfac_condition *c,
				       const struct nfac_window *w, bool swapped);

/* Set, unset and toggle the flowbits of a rule that holds, or that may hold: not @sure. */
void nfac_flowbits_apply(const __le32 *p, u32 end, struct nfac_flowbits *bits, bool sure);

/* Replace @slice by its transformed copy in the decoded memory, as far as there is room. */
void nfac_transform(struct nfac_rules_scratch *s, struct nfac_slice *slice, u32 transforms);

#endif /* _NFAC_RULES_CONDITIONS_H */
