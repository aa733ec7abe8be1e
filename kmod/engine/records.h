/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Node records: the sizes of their parts, and tags of references. Their form is in blob.h. Walk,
 * verifier and compiler use the same functions.
 */
#ifndef _NFAC_ENGINE_RECORDS_H
#define _NFAC_ENGINE_RECORDS_H

#include "blob.h"
#include "popcount.h"

/* Words of a record's head with the @n bytes behind it. */
static __always_inline u32 nfac_node_label_words(u32 n)
{
	return (2 + n + 3) / 4;
}

/* Tag of references to a record whose first word is @head. */
static __always_inline u32 nfac_tag(u32 head)
{
	u32 type = head & NFAC_NODE_TYPE, n = head >> 8 & NFAC_LABELS_MASK;

	if (type == NFAC_NODE_FORK && n < NFAC_TAG_LABELS)
		return NFAC_TAG_FORK + n;
	if (type == NFAC_NODE_TAIL && n < NFAC_TAG_LABELS)
		return NFAC_TAG_TAIL + n;
	return NFAC_TAG_OTHER + type;
}

/* A reference without its tag, or without its label position. */
static __always_inline u32 nfac_untagged(u32 ref)
{
	return ref & (NFAC_NODE_WORDS_MAX - 1);
}

/* Words of a record's failures. @first: the first of them. */
static __always_inline u32 nfac_failure_words(u32 head, u32 first)
{
	if (!(head & NFAC_NODE_FAIL))
		return 0;
	if (first >> NFAC_POSITION_SHIFT != NFAC_POSITION_MAP)
		return 1;
	return 1 + nfac_weight(nfac_untagged(first));
}

/* Words of a record's outputs. @first: the first of them. */
static __always_inline u32 nfac_output_words(u32 head, u32 first)
{
	if (!(head & NFAC_NODE_OUT))
		return 0;
	return first & NFAC_STATE_MAP ? 1 + nfac_weight(nfac_untagged(first)) : 1;
}

/* Words of a TABLE before its references. */
static __always_inline u32 nfac_table_words(u32 head)
{
	return 1 + ((head >> 24) - (head >> 16 & 0xff) + 4) / 4;
}

#endif /* _NFAC_ENGINE_RECORDS_H */
