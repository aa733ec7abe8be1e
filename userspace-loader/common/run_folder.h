/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run folder: what processes of nfac leave for each other, until the machine restarts.
 *
 * That of the first network namespace is /run/nfac; another namespace's is a folder in it, named by
 * the namespace's inode. A process that cannot see which namespace is the first one uses /run/nfac.
 * Folders are 0700.
 */
#ifndef _NFAC_RUN_FOLDER_H
#define _NFAC_RUN_FOLDER_H

#include <stdint.h>

#define RUN_FOLDER	"/run/nfac"
#define RUN_FOLDER_ROOM	128

/* The folder of this network namespace, without a slash at its end. @path: RUN_FOLDER_ROOM bytes */
void run_folder(char *path);

/* The inode of this network namespace; 0: /proc does not show it. */
uint64_t run_folder_netns(void);

/* Make @path, one of the above, and RUN_FOLDER. Return: 0; -1 with errno. */
int run_folder_make(const char *path);

/* Remove a namespace's own folder unless it still has files. */
void run_folder_drop(void);

#endif /* _NFAC_RUN_FOLDER_H */
