/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verifier: may the matcher run on this blob?
 *
 * A blob comes from any process that may write to /dev/nfac, or from a file, and is hostile until
 * it is verified. A verified blob cannot make the matcher read outside the set's memory, loop, or
 * exceed the cost bound of a byte.
 *
 * Freestanding: allocates nothing, the caller passes scratch memory.
 */
#ifndef _NFAC_VERIFY_VERIFY_H
#define _NFAC_VERIFY_VERIFY_H

#include "../freestanding.h"
#include "../blob.h"

/**
 * struct nfac_fault - the first fault of a blob
 * @word: index of the 32-bit word
 * @error: positive errno to return
 * @what: constant text, without capital and full stop: "reference past the nodes"
 */
struct nfac_fault {
	u32 word;
	int error;
	const char *what;
};

/**
 * nfac_blob_check_header() - verify the header alone: magic, version, sizes, sections
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
 * nfac_blob_scratch_bytes() - size of the scratch that nfac_blob_verify() needs
 * @blob: header that passed nfac_blob_check_header()
 */
size_t nfac_blob_scratch_bytes(const void *blob);

/**
 * nfac_blob_verify() - verify a blob, header included
 * @blob: contiguous, 8-byte aligned; must not change meanwhile
 * @size: bytes of @blob
 * @scratch: nfac_blob_scratch_bytes() bytes, zeroed
 * @fault: filled when the blob is refused
 * / Context: process (calls cond_resched()).
 * Return: 0, -EBADMSG, or -EPROTO for another version of the format.
 */
int nfac_blob_verify(const void *blob, size_t size, void *scratch,
		     struct nfac_fault *fault);

#endif /* _NFAC_VERIFY_VERIFY_H */
