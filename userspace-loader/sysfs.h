/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs: the module's counters, one value a file, read a folder at a time.
 */
#ifndef _NFAC_CLI_SYSFS_H
#define _NFAC_CLI_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSFS_ROOT	"/sys/class/misc/nfac"

struct sysfs_value {
	char name[32];
	char text[64];		/* without the newline */
};

/**
 * struct sysfs_folder - a folder's files and subfolders, sorted by name
 * @name: of the folder itself
 * @values: its files
 * @folders: its subfolders, read in the same way
 */
struct sysfs_folder {
	char name[32];
	struct sysfs_value *values;
	size_t value_count;
	struct sysfs_folder *folders;
	size_t folder_count;
};

/**
 * sysfs_read() - read the module's folder
 *
 * A file or folder that goes away meanwhile is left out.
 *
 * Return: 0; -1 after saying why.
 */
int sysfs_read(struct sysfs_folder *root);
void sysfs_free(struct sysfs_folder *root);

const struct sysfs_folder *sysfs_folder(const struct sysfs_folder *in, const char *name);
/* NULL when there is no such file. */
const char *sysfs_text(const struct sysfs_folder *in, const char *name);
/* 0 when there is no such file, or no number in it. */
uint64_t sysfs_number(const struct sysfs_folder *in, const char *name);

#endif /* _NFAC_CLI_SYSFS_H */
