/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verifier: is this blob a set that the matcher may run on?
 *
 * A blob comes from whoever may write to /dev/nfac, or from a file; until it has
 * passed here it is hostile. What passes here cannot make the matcher read
 * outside the set's memory, loop, or spend more than its bound on a byte.
 *
 * Freestanding: no allocation but the scratch the caller gives.
 */
#ifndef _NFAC_BLOB_VERIFY_H
#define _NFAC_BLOB_VERIFY_H

#include "freestanding.h"
#include "../uapi/linux/nfac_blob.h"

/**
 * struct nfac_fault - the first thing wrong with a blob
 * @word: index of the 32-bit word
 * @error: errno to give, positive
 * @what: a sentence's middle, constant: "node reference past the last tile"
 */
struct nfac_fault {
	u32 word;
	int error;
	const char *what;
};

/**
 * nfac_blob_check_header() - the header alone: magic, version, sizes, sections
 * @blob: the blob's first bytes
 * @size: bytes of the whole blob
 * @fault: filled when refused
 *
 * Sizes taken from the header may be used for allocation only after this.
 *
 * Context: any.
 * Return: 0, or a negative errno as in @fault.
 */
int nfac_blob_check_header(const void *blob, size_t size, struct nfac_fault *fault);

/**
 * nfac_blob_scratch_bytes() - scratch that nfac_blob_verify() needs, bytes
 * @blob: header that passed nfac_blob_check_header()
 */
size_t nfac_blob_scratch_bytes(const void *blob);

/**
 * nfac_blob_verify() - everything
 * @blob: contiguous, 8-byte aligned, not changed by anybody meanwhile
 * @size: bytes
 * @scratch: zeroed, nfac_blob_scratch_bytes() of it
 * @fault: filled when refused
 *
 * Context: process (calls cond_resched()).
 * Return: 0, -EBADMSG, or -EPROTO for a version that is not ours.
 */
int nfac_blob_verify(const void *blob, size_t size, void *scratch,
		     struct nfac_fault *fault);

#endif /* _NFAC_BLOB_VERIFY_H */
