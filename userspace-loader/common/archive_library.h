/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libarchive, loaded when the first file is met that it has to decompress. input.c calls it.
 *
 * Linked, it would take half of the time that the tool needs to start (2.3 of 4.7 ms, Zen 3):
 * Debian's comes with libxml2, ICU and the library of C++.
 */
#ifndef _NFAC_ARCHIVE_LIBRARY_H
#define _NFAC_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>

/* The version of its binary interface, which all of libarchive 3 has. */
#define ARCHIVE_LIBRARY		"libarchive.so.13"

/* Its functions that the tool uses, without their prefix archive_. */
struct archive_library {
	__typeof__(archive_error_string) *error_string;
	__typeof__(archive_filter_bytes) *filter_bytes;
	__typeof__(archive_filter_count) *filter_count;
	__typeof__(archive_read_data) *read_data;
	__typeof__(archive_read_free) *read_free;
	__typeof__(archive_read_new) *read_new;
	__typeof__(archive_read_next_header) *read_next_header;
	__typeof__(archive_read_open) *read_open;
	__typeof__(archive_read_support_filter_bzip2) *read_support_filter_bzip2;
	__typeof__(archive_read_support_filter_compress) *read_support_filter_compress;
	__typeof__(archive_read_support_filter_lz4) *read_support_filter_lz4;
	__typeof__(archive_read_support_filter_lzip) *read_support_filter_lzip;
	__typeof__(archive_read_support_filter_lzma) *read_support_filter_lzma;
	__typeof__(archive_read_support_filter_xz) *read_support_filter_xz;
	__typeof__(archive_read_support_filter_zstd) *read_support_filter_zstd;
	__typeof__(archive_read_support_format_empty) *read_support_format_empty;
	__typeof__(archive_read_support_format_raw) *read_support_format_raw;
	__typeof__(archive_set_error) *set_error;
};

/**
 * archive_library() - libarchive's functions
 *
 * Context: any thread. The first call loads the library, which stays.
 *
 * Return: them; NULL: the library is not installed, or lacks one.
 */
const struct archive_library *archive_library(void);

#endif /* _NFAC_ARCHIVE_LIBRARY_H */
