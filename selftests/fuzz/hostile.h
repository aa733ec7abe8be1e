/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hostile blobs: made from real ones, damaged where it hurts, and put in order again
 * so far that the verifier reads the damaged part. Shared by the blob fuzzer and by
 * the corruption test in ../engine.
 */
#ifndef _NFAC_FUZZ_HOSTILE_H
#define _NFAC_FUZZ_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

/**
 * hostile_real() - a blob as the compiler makes it, of a small random set
 * @blob: set; the caller frees it
 *
 * Return: its size in bytes, 0 without memory.
 */
size_t hostile_real(struct dice *d, void **blob);

/**
 * hostile_word() - change one 32-bit word: a bit, a step, a small number, another word
 * @size: bytes of the blob
 */
void hostile_word(struct dice *d, uint8_t *blob, size_t size);

/**
 * hostile_retag() - put the tags right of the references to a record
 * @word: of the blob, that may be the first of one
 * @was: what it was before it was changed
 */
void hostile_retag(uint8_t *blob, size_t size, size_t word, uint32_t was);

/* Make the checksum right. */
void hostile_checksum(uint8_t *blob, size_t size);

/* Make the header's sizes and places follow from its counts, as far as they fit. */
void hostile_header(uint8_t *blob, size_t size);

/**
 * struct hostile_set - a blob that the verifier took, laid out as in the kernel
 *
 * Each tile and the tables are allocations of their own.
 */
struct hostile_set;

/* NULL: refused (or no memory). @blob need not be aligned, nor stay. */
struct hostile_set *hostile_open(const void *blob, size_t size);
void hostile_close(struct hostile_set *set);

/**
 * hostile_text() - a text that leads deep into the set
 * @to: room for @room bytes
 *
 * Return: bytes written.
 */
size_t hostile_text(struct dice *d, const struct hostile_set *set, uint8_t *to, size_t room);

/**
 * hostile_scan() - scan a text by all paths, whole and in blocks
 *
 * Aborts when a match is reported that cannot be, or when more work was done than the
 * set's bound for that many bytes.
 */
void hostile_scan(struct dice *d, const struct hostile_set *set, const uint8_t *text,
		  size_t length);

/**
 * hostile_deaf() - scan a text for a caller that stops at the first match
 *
 * Return: words that the matcher read for it, by the path that read the most.
 */
u64 hostile_deaf(const struct hostile_set *set, const uint8_t *text, size_t length);

/**
 * hostile_changing() - scan a text of which the byte at @place changes meanwhile
 * @length: bytes of the @text, which is as it was afterwards
 * @scans: counts on
 *
 * By all paths, from each word on that is read: it stays so, or comes and goes.
 *
 * Return: 1 when a match outside of the text was reported, or more than two matches for a byte.
 */
int hostile_changing(const struct hostile_set *set, uint8_t *text, size_t length, size_t place,
		     u64 *scans);

#endif /* _NFAC_FUZZ_HOSTILE_H */
