// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../kmod/engine/blob.h"

#include "file.h"
#include "message.h"
#include "set_file.h"
#include "set_source.h"

#define SETS_DIR	"/run/nfac"
#define PATH_ROOM	128

/* The directory of this network namespace, without a slash at its end. */
static void directory(char *path)
{
	struct stat own, first;

	strcpy(path, SETS_DIR);
	if (stat("/proc/self/ns/net", &own) || stat("/proc/1/ns/net", &first))
		return;
	if (own.st_ino != first.st_ino || own.st_dev != first.st_dev)
		snprintf(path, PATH_ROOM, SETS_DIR "/netns-%llu", (unsigned long long)own.st_ino);
}

static void file_of(char *path, const char *name)
{
	char where[PATH_ROOM];

	directory(where);
	snprintf(path, PATH_ROOM * 2, "%s/%s.nfac", where, name);
}

static int make_directory(const char *path)
{
	if (!mkdir(path, 0700) || errno == EEXIST)
		return 0;
	return complain_at(path, 0, "%s", strerror(errno));
}

/* Remove a namespace's own directory unless it still has files. */
static void drop_directory(void)
{
	char path[PATH_ROOM];

	directory(path);
	if (strcmp(path, SETS_DIR))
		rmdir(path);
}

int set_file_keep(const char *name, const void *blob, size_t size)
{
	char path[PATH_ROOM * 2];
	int err;

	directory(path);
	if (make_directory(SETS_DIR) || make_directory(path))
		return -1;
	file_of(path, name);
	err = file_write(path, blob, size, 0600);
	if (err)
		drop_directory();
	return err;
}

void set_file_forget(const char *name)
{
	char path[PATH_ROOM * 2];

	file_of(path, name);
	unlink(path);
	drop_directory();
}

int set_file_open(struct set_source *source, const char *name, uint64_t checksum)
{
	const char *why;
	char path[PATH_ROOM * 2];
	struct file file;
	uint32_t word;

	memset(source, 0, sizeof(*source));
	file_of(path, name);
	if (access(path, R_OK) || file_read(&file, path, NFAC_BLOB_MAX, NULL))
		return -1;
	source->blob = file.bytes;
	source->size = file.size;
	source->image = nfac_image_open(source->blob, source->size, &why, &word);
	if (source->image &&
	    le64toh(((const struct nfac_blob *)source->blob)->checksum) == checksum)
		return 0;
	set_source_close(source);
	return -1;
}
