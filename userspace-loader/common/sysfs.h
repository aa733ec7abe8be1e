/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs: the module's counters, one value a file, read a directory at a time.
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
 * struct sysfs_dir - a directory's files and subdirectories, sorted by name
 * @name: of the directory itself
 * @values: its files
 * @dirs: its subdirectories, read in the same way
 */
struct sysfs_dir {
	char name[32];
	struct sysfs_value *values;
	size_t value_count;
	struct sysfs_dir *dirs;
	size_t dir_count;
};

/**
 * sysfs_read() - read the module's directory
 *
 * A file or directory that goes away meanwhile is left out.
 *
 * Return: 0; -1 after saying why.
 */
int sysfs_read(struct sysfs_dir *root);
void sysfs_free(struct sysfs_dir *root);

const struct sysfs_dir *sysfs_subdir(const struct sysfs_dir *in, const char *name);
/* NULL when there is no such file. */
const char *sysfs_text(const struct sysfs_dir *in, const char *name);
/* 0 when there is no such file, or no number in it. */
uint64_t sysfs_number(const struct sysfs_dir *in, const char *name);

#endif /* _NFAC_CLI_SYSFS_H */
