/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of one verification, and the functions that the verifier's files call in each other.
 */
#ifndef _NFAC_VERIFY_CHECKS_H
#define _NFAC_VERIFY_CHECKS_H

#include "../automaton.h"
#include "../rules/program.h"
#include "verify.h"

/*
 * A double array being verified. @state: for each base the word that leads to it, 0 while none was
 * found; @depth: its depth. @queue: bases in the order in which they were found, the first @queued.
 */
struct nfac_check_darray {
	u32 slots;
	u32 queued;
	u32 *state;
	u32 *queue;
	u16 *depth;
	bool wide;	/* slots of 32 bits */
	struct nfac_table matches;
};

/*
 * One verification, on the stack of nfac_blob_verify().
 *
 * @depth has a word for each node word: 0 while no reference leads there, else the state's depth,
 * with NFAC_CHECK_NIBBLE when it is part of a WIDE record.
 */
struct nfac_check {
	const struct nfac_blob *head;
	const __le32 *words;	/* the tiles */
	const u8 *tables;
	u32 node_words;
	const __le32 *output;	/* the outputs */
	u32 outputs;		/* number of outputs */
	u32 flags;
	u32 *depth;
	/* a bit for each word at which a program begins; valid until the outputs are verified */
	u8 *program_starts;
	u64 references;		/* number of records with a reference to them */
	struct nfac_check_darray darray;
	struct nfac_fault *fault;
};

#define NFAC_CHECK_NIBBLE	0x80000000u

/* Fill in the fault at a word of the tiles. Return: -EBADMSG. */
int nfac_check_fail(struct nfac_check *c, u32 word, const char *what);

static __always_inline u32 nfac_check_word(const struct nfac_check *c, u32 word)
{
	return le32_to_cpu(c->words[word]);
}

static __always_inline u32 nfac_check_length(const struct nfac_check *c, u32 output)
{
	return le32_to_cpu(c->output[2 * (size_t)output + 1]) & 0xffff;
}

/* Number of a FORK's references; 0 for other records. */
static __always_inline u32 nfac_check_fan_out(u32 head)
{
	if ((head & NFAC_NODE_TYPE) != NFAC_NODE_FORK)
		return 0;
	return (head >> NFAC_NODE_UPPER & 7) + 1;
}

/* Number of labels of a record after the last of which it still has a state. */
static __always_inline u32 nfac_check_last_position(u32 head)
{
	u32 type = head & NFAC_NODE_TYPE;

	return type == NFAC_NODE_FORK || type == NFAC_NODE_TAIL ?
	       head >> 8 & NFAC_LABELS_MASK : 0;
}

/* Verify the reference @tagged, in word @from, to a record at @depth, and store that depth. */
int nfac_check_reference(struct nfac_check *c, u32 from, u32 tagged, u32 depth);

/*
 * Verify the cost of output lists; each output by itself is verified. @sums is zeroed and has an
 * element for each output: the cost of rejecting it and the rest of its list, + 1.
 */
int nfac_check_outputs(struct nfac_check *c, u16 *sums);

/* With NFAC_SET_DARRAY: bytes of scratch memory, and its setup; @scratch is zeroed. */
size_t nfac_check_darray_bytes(const struct nfac_blob *head);
void nfac_check_darray_begin(struct nfac_check *c, void *scratch);

/* Verify an entry's word. Return: the fault, or NULL. */
const char *nfac_check_darray_entry(struct nfac_check *c, u32 gram, u32 word);

/* Verify the whole double array; entries and outputs are verified. */
int nfac_check_darray(struct nfac_check *c);

/* Verify all node records; entries and outputs are verified. */
int nfac_check_records(struct nfac_check *c);

/* Words of the record at @at without its failures and outputs; 0 if it is invalid. */
u32 nfac_check_body(const struct nfac_check *c, u32 at);

/*
 * Verify the lookahead masks of the entries; the nodes are verified. Return: a wrong word, and
 * *@what, or NULL.
 */
const __le32 *nfac_check_lookahead(const struct nfac_check *c, const char **what);

#endif /* _NFAC_VERIFY_CHECKS_H */
