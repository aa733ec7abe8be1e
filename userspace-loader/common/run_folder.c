// SPDX-License-Identifier: GPL-2.0
/*
 * The path of this network namespace's run folder, and making it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_folder.h"

void run_folder(char *path)
{
	struct stat own, first;

	strcpy(path, RUN_FOLDER);
	if (stat("/proc/self/ns/net", &own) || stat("/proc/1/ns/net", &first))
		return;
	if (own.st_ino != first.st_ino || own.st_dev != first.st_dev)
		snprintf(path, RUN_FOLDER_ROOM, RUN_FOLDER "/netns-%llu",
			 (unsigned long long)own.st_ino);
}

uint64_t run_folder_netns(void)
{
	struct stat own;

	return stat("/proc/self/ns/net", &own) ? 0 : own.st_ino;
}

static int make(const char *path)
{
	return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

int run_folder_make(const char *path)
{
	return make(RUN_FOLDER) || make(path) ? -1 : 0;
}

void run_folder_drop(void)
{
	char path[RUN_FOLDER_ROOM];

	run_folder(path);
	if (strcmp(path, RUN_FOLDER))
		rmdir(path);
}
