/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics as text: a table for people, JSON, and Prometheus' text format.
 * Each prints to stdout; @name: this set alone, NULL: all.
 */
#ifndef _NFAC_STATS_FORMAT_H
#define _NFAC_STATS_FORMAT_H

#include "common/sysfs.h"

void stats_table(const struct sysfs_dir *root, const char *name);
/* A line for each set; every file of its directory is a member. */
void stats_json(const struct sysfs_dir *root, const char *name);
/* The metrics' names never change; new ones may come. */
void stats_prometheus(const struct sysfs_dir *root, const char *name);

#endif /* _NFAC_STATS_FORMAT_H */
