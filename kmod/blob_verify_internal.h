/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the verifier's files share.
 */
#ifndef _NFAC_BLOB_VERIFY_INTERNAL_H
#define _NFAC_BLOB_VERIFY_INTERNAL_H

#include "automaton.h"
#include "blob_verify.h"

/*
 * One verification. On nfac_blob_verify()'s stack, nobody else's.
 *
 * @depth has a word for each node word: 0 while nothing leads there, else the
 * state's depth, with NFAC_CHECK_NIBBLE when only a WIDE record leads there.
 */
struct nfac_check {
	const struct nfac_blob *head;
	const __le32 *words;	/* the tiles */
	const u8 *tables;
	u32 node_words;
	const __le32 *output;	/* the outputs */
	u32 outputs;		/* how many */
	u32 flags;
	u32 *depth;
	u64 led;		/* records that something leads to */
	struct nfac_fault *fault;
};

#define NFAC_CHECK_NIBBLE	0x80000000u

/* Note the fault at a word of the tiles. Return: -EBADMSG. */
int nfac_check_fail(struct nfac_check *c, u32 word, const char *what);

static __always_inline u32 nfac_check_word(const struct nfac_check *c, u32 word)
{
	return le32_to_cpu(c->words[word]);
}

static __always_inline u32 nfac_check_length(const struct nfac_check *c, u32 output)
{
	return le32_to_cpu(c->output[2 * (size_t)output + 1]) & 0xffff;
}

/* A reference leads to the record @tagged, at @depth; a fault is one of word @from. */
int nfac_check_lead(struct nfac_check *c, u32 from, u32 tagged, u32 depth);

/*
 * What the lists of outputs cost; the outputs are verified. @sums has an element for
 * each, 0: one more than what it and those that follow it cost to refuse.
 */
int nfac_check_lists(struct nfac_check *c, u16 *sums);

/* All node records; the entries have been led to, the outputs are verified. */
int nfac_check_nodes(struct nfac_check *c);

#endif /* _NFAC_BLOB_VERIFY_INTERNAL_H */
