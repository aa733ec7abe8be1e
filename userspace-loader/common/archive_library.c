// SPDX-License-Identifier: GPL-2.0
/*
 * Loads libarchive at need, and finds its functions. input.c calls it, from any thread.
 */
#ifdef HAVE_ARCHIVE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#include "archive_library.h"

static struct archive_library library;
static bool loaded;
static void *handle;

static void *function(const char *name)
{
	void *at = dlsym(handle, name);

	loaded &= !!at;
	return at;
}

static void load(void)
{
	handle = dlopen(ARCHIVE_LIBRARY, RTLD_LAZY);
	if (!handle)
		return;
	loaded = true;
	library.error_string = function("archive_error_string");
	library.filter_bytes = function("archive_filter_bytes");
	library.filter_count = function("archive_filter_count");
	library.read_data = function("archive_read_data");
	library.read_free = function("archive_read_free");
	library.read_new = function("archive_read_new");
	library.read_next_header = function("archive_read_next_header");
	library.read_open = function("archive_read_open");
	library.read_support_filter_bzip2 = function("archive_read_support_filter_bzip2");
	library.read_support_filter_compress = function("archive_read_support_filter_compress");
	library.read_support_filter_lz4 = function("archive_read_support_filter_lz4");
	library.read_support_filter_lzip = function("archive_read_support_filter_lzip");
	library.read_support_filter_lzma = function("archive_read_support_filter_lzma");
	library.read_support_filter_xz = function("archive_read_support_filter_xz");
	library.read_support_filter_zstd = function("archive_read_support_filter_zstd");
	library.read_support_format_empty = function("archive_read_support_format_empty");
	library.read_support_format_raw = function("archive_read_support_format_raw");
	library.set_error = function("archive_set_error");
}

const struct archive_library *archive_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded ? &library : NULL;
}
#endif /* HAVE_ARCHIVE */
