/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input of a search: a file's bytes, decompressed, and text as UTF-8. scan.c and capture.c read it.
 *
 * gzip is left to zlib: the gzip reader of libarchive 3.6 compares no checksum, holds back 64 KB
 * of a pipe, and loses the bytes before a damage. libarchive decompresses everything else.
 */
#ifndef _NFAC_INPUT_H
#define _NFAC_INPUT_H

#include <stdio.h>
#include <sys/types.h>

#include "file.h"
#include "kind.h"

struct input;

/**
 * input_open() - open a file, or standard input for "-"
 *
 * Waits for the first bytes, as many as decide on the kind. Standard output is flushed before
 * each wait for a pipe.
 *
 * Return: the input; NULL after saying why.
 */
struct input *input_open(const char *name);

/* The kind of the decompressed bytes; NULL: text, or unknown. */
const struct kind *input_kind(const struct input *in);

/* How the file is compressed; NULL: it is not. */
const struct kind *input_packed(const struct input *in);

/* The bytes of a regular file that was read whole to find its kind. Return: was it? */
bool input_whole(const struct input *in, const uint8_t **bytes, size_t *size);

/* Bytes that were read to find the kind and not since. @size: set to their number */
const uint8_t *input_head(const struct input *in, size_t *size);

/* Map a regular file that is read as it is. Return: is it mapped? */
bool input_map(const struct input *in, struct file *file);

/*
 * @size: 16 at least
 *
 * Return: as read(); after -1, input_error() says why. Bytes before a damage are returned first.
 */
ssize_t input_read(struct input *in, void *to, size_t size);

/* The same as a stream, to be closed before @in. Return: NULL after saying why. */
FILE *input_stream(struct input *in);

/* Bytes of a regular file, compressed or not; 0: it is another. */
int64_t input_size(const struct input *in);

/* Bytes of the file that were read. */
int64_t input_position(const struct input *in);

/* The error that ended reading; NULL: none. */
const char *input_error(const struct input *in);
void input_close(struct input *in);

#endif /* _NFAC_INPUT_H */
