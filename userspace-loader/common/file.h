/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files: read whole into memory, written whole or not at all.
 */
#ifndef _NFAC_FILE_H
#define _NFAC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct file - a file's bytes
 * @name: as the user wrote it; "standard input" for "-"
 * @bytes: 64-byte aligned; owned by this struct until file_close()
 * @size: bytes
 * @mapped: @bytes is a mapping
 */
struct file {
	const char *name;
	uint8_t *bytes;
	size_t size;
	bool mapped;
};

/* The name for messages: "-" is "standard input". */
const char *file_shown_name(const char *name);

/**
 * file_read() - copy a file, or standard input for "-", into memory
 * @limit: more bytes than this are refused
 * @unfit: called as bytes come, so that a file of another kind is not read to its end: -1 after
 *	saying why the file is refused, else 0; may be NULL
 *
 * Return: 0, or -1 after saying why.
 */
int file_read(struct file *file, const char *name, uint64_t limit,
	      int (*unfit)(const struct file *so_far));

/**
 * file_open() - open a file to read it
 *
 * From the second file of a folder on, files are opened by a descriptor of the folder: the kernel
 * does not walk the path again. Of a tree of small files that is a twentieth of the time.
 *
 * Context: each thread has its own descriptor, and calls file_close_folder() before it ends.
 *
 * Return: as open()
 */
int file_open(const char *name);
void file_close_folder(void);

/* Map the regular file @fd. Return: 0; -1, silently: it cannot be mapped. */
int file_map(struct file *file, const char *name, int fd);

/* Bytes of a mapping after which a search calls file_passed(): fewer make the calls cost more. */
#define FILE_STEP	(4u << 20)

/**
 * file_passed() - give back the pages of a mapping that was read from offset @from to @to
 *
 * They can still be read. Done by file_close(), when the kernel's descriptors of the pages have
 * left the cache, it takes a tenth of the time of a search more (200 MB in pages of 4 KB, Zen 3).
 */
void file_passed(const struct file *file, size_t from, size_t to);

/**
 * file_walk() - call a function that reads a mapped file, which another may cut meanwhile
 *
 * @fn is left where it is when it reads what is no longer there: it must hold nothing then.
 *
 * Return: 0, or -1 after saying that the file became shorter, or cannot be read.
 */
int file_walk(const struct file *file, void (*fn)(void *context), void *context);
void file_close(struct file *file);

/* Bytes at a file's beginning by which file_is_set() recognises a set. */
#define FILE_SET_BYTES	64

/* Does a file that begins so hold a compiled set, sound or not? */
bool file_is_set(const uint8_t *bytes, size_t length);

/* How many of these names are "-", standard input, which can be read but once? */
size_t file_count_stdin(char *const *names, size_t count);

/* Is it standard output: "-", or another name of it? */
bool file_is_stdout(const char *name);

/* Are both names of one existing file? */
bool file_is_same(const char *name, const char *other);

/**
 * file_write() - write a file under a temporary name, then rename it
 * @mode: permissions of a new file, lowered by the umask
 *
 * A link is followed, and an existing file keeps its permissions. Standard output, a device
 * or a pipe is written to directly.
 *
 * Return: 0, or -1 after saying why; then what was at @name is unchanged.
 */
int file_write(const char *name, const void *bytes, size_t size, unsigned int mode);

#endif /* _NFAC_FILE_H */
