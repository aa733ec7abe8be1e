/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of files, recognised by their first bytes: never by a name.
 */
#ifndef _NFAC_KIND_H
#define _NFAC_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind_form {
	KIND_GZIP,	/* zlib decompresses it */
	KIND_PACKED,	/* libarchive decompresses it */
	KIND_CLOSED,	/* archives, encrypted files: their text needs another program */
	KIND_CAPTURE,	/* pcap or pcapng, for libpcap */
	KIND_UNICODE,	/* text in UTF-16 or UTF-32; the magic is its byte order mark */
};

/**
 * struct kind - a file format
 * @length: bytes of @magic
 * @magic: the file's first bytes; '?' is any byte
 * @what: "compressed by gzip"
 * @reader: command that prints the text or the packets of FILE
 */
struct kind {
	enum kind_form form;
	uint8_t length;
	const char *magic, *what, *reader;
};

/* Bytes of the longest magic: more do not change the answer. */
#define KIND_BYTES	32

/**
 * kind_of() - the format of a file, by its first bytes
 * @more: set to whether more bytes could change the answer; may be NULL
 *
 * Return: NULL: text, or an unknown format.
 */
const struct kind *kind_of(const uint8_t *bytes, size_t length, bool *more);

#endif /* _NFAC_KIND_H */
