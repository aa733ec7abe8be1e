/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set files: the blobs of loaded sets, kept in the run folder (run_folder.h) so that a match can
 * be shown with its pattern. The kernel keeps no pattern's bytes. Files are NAME.nfac, mode 0600.
 */
#ifndef _NFAC_SET_FILE_H
#define _NFAC_SET_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set_source;

/*
 * Keep a blob, in a copy. The run folder is in memory: in place of a copy that would take more than
 * 1/16 of it, a link to the blob's own file is kept, if it has one.
 * Return: 0; -1 after saying why.
 */
int set_file_keep(const char *name, const struct set_source *source);

/* Remove it and its origin, if there are any. */
void set_file_forget(const char *name);

/* Is the blob that is kept the one with this checksum? */
bool set_file_is(const char *name, uint64_t checksum);

/*
 * Keep, beside the blob, where it is from: the table of a configuration file that names the
 * pattern files and options; NULL: it is not known. Return: 0; -1 after saying why not.
 */
int set_file_keep_origin(const char *name, uint64_t checksum, const char *table);

/* That table, to be freed; NULL, silently, when it is not known or of another checksum. */
char *set_file_origin(const char *name, uint64_t checksum);

/* The name of the blob's file, at most SET_FILE_ROOM bytes with its NUL. */
#define SET_FILE_ROOM	256
void set_file_path(char *path, const char *name);

/*
 * Let no other process change the configuration of any namespace until this one ends.
 * Return: 0; -1 after saying why not.
 */
int set_file_lock(void);

/**
 * set_file_open() - a loaded set's patterns
 * @checksum: of the set that the kernel holds; a blob with another one is ignored
 *
 * Return: 0; -1, silently, when the patterns are not known.
 */
int set_file_open(struct set_source *source, const char *name, uint64_t checksum);

#endif /* _NFAC_SET_FILE_H */
