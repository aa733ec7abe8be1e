/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics as text: a table for people, JSON, and Prometheus' text format.
 * Each prints to stdout; @name: this set alone, NULL: all.
 */
#ifndef _NFAC_STATS_FORMAT_H
#define _NFAC_STATS_FORMAT_H

#include "common/sysfs.h"

#define STATS_SKIPPED	"skipped_"	/* begins the files of the reasons in sysfs */

void stats_table(const struct sysfs_dir *root, const char *name);
/* A line for each set; every file of its directory is a member. */
void stats_json(const struct sysfs_dir *root, const char *name);
/* The metrics' names never change; new ones may come. */
void stats_prometheus(const struct sysfs_dir *root, const char *name);
/* nfac_build_info and nfac_up, which are there without the module, too. */
void stats_prometheus_up(bool up);
/* A label of Prometheus. @text is UTF-8 without newlines; it may have quotes and backslashes. */
void stats_label(const char *label, const char *text);

/* An empty directory when there is none of that name. */
const struct sysfs_dir *stats_subdir(const struct sysfs_dir *in, const char *name);
bool stats_wanted(const struct sysfs_dir *set, const char *name);
/* Does the file count packets that were not inspected? */
bool stats_is_skipped(const struct sysfs_value *value);

#endif /* _NFAC_STATS_FORMAT_H */
