// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the module's directory in sysfs into memory.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "sysfs.h"

/* gcc 12 loses sight of what a directory in another one's array owns; sysfs_free() does not */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"

/* root / sets / NAME / attachments / ID, and one spare */
#define DEPTH_MAX	6

/* The root has the driver core's entries, which are no counters. A set may have such a name. */
static bool foreign(const char *name, unsigned int depth)
{
	static const char *const names[] = { ".", "..", "power", "subsystem", "uevent", "dev" };
	size_t i, count = depth == DEPTH_MAX ? sizeof(names) / sizeof(*names) : 2;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	const char *x = a, *y = b;	/* both structs begin with their names */
	unsigned long p, q;
	char *end, *end2;

	/* ids in the order of numbers */
	p = strtoul(x, &end, 10);
	q = strtoul(y, &end2, 10);
	if (!*end && !*end2 && p != q)
		return p < q ? -1 : 1;
	return strcmp(x, y);
}

static void read_value(struct sysfs_dir *in, int dir, const char *name)
{
	struct sysfs_value *larger, *value;
	char text[sizeof(value->text)];
	ssize_t got = -1;
	int fd;

	if (strlen(name) >= sizeof(value->name))
		return;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (got < 0)
		return;
	text[got] = 0;
	text[strcspn(text, "\n")] = 0;
	larger = realloc(in->values, (in->value_count + 1) * sizeof(*larger));
	if (!larger)
		return;
	in->values = larger;
	value = &in->values[in->value_count++];
	strcpy(value->name, name);
	memcpy(value->text, text, sizeof(text));
}

static void read_dir(struct sysfs_dir *dir, int fd, const char *name, unsigned int depth);

static void read_entry(struct sysfs_dir *in, int dir, const char *name, unsigned int depth)
{
	struct sysfs_dir *larger;
	struct stat st;
	int fd;

	if (foreign(name, depth) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (S_ISREG(st.st_mode)) {
		if (st.st_mode & 0444)
			read_value(in, dir, name);
		return;
	}
	if (!S_ISDIR(st.st_mode) || !depth || strlen(name) >= sizeof(in->name))
		return;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	larger = realloc(in->dirs, (in->dir_count + 1) * sizeof(*larger));
	if (!larger) {
		close(fd);
		return;
	}
	in->dirs = larger;
	read_dir(&in->dirs[in->dir_count++], fd, name, depth - 1);
}

/* Takes ownership of @fd. */
static void read_dir(struct sysfs_dir *dir, int fd, const char *name, unsigned int depth)
{
	DIR *listing = fdopendir(fd);
	struct dirent *entry;

	memset(dir, 0, sizeof(*dir));
	strcpy(dir->name, name);
	if (!listing) {
		close(fd);
		return;
	}
	while ((entry = readdir(listing)))
		read_entry(dir, dirfd(listing), entry->d_name, depth);
	closedir(listing);
	/* of an array that is not there, not even 0 elements can be sorted */
	if (dir->value_count)
		qsort(dir->values, dir->value_count, sizeof(*dir->values), by_name);
	if (dir->dir_count)
		qsort(dir->dirs, dir->dir_count, sizeof(*dir->dirs), by_name);
}

int sysfs_read(struct sysfs_dir *root)
{
	int fd = open(SYSFS_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(root, 0, sizeof(*root));
	if (fd < 0 && errno == ENOENT)
		return complain_at(SYSFS_ROOT, 0,
				   "%s: is the module loaded? try: modprobe nfac",
				   strerror(errno));
	if (fd < 0)
		return complain_at(SYSFS_ROOT, 0, "%s", strerror(errno));
	read_dir(root, fd, "nfac", DEPTH_MAX);
	return 0;
}

void sysfs_free(struct sysfs_dir *root)
{
	size_t i;

	for (i = 0; i < root->dir_count; i++)
		sysfs_free(&root->dirs[i]);
	free(root->dirs);
	free(root->values);
	memset(root, 0, sizeof(*root));
}

const struct sysfs_dir *sysfs_subdir(const struct sysfs_dir *in, const char *name)
{
	size_t i;

	for (i = 0; i < in->dir_count; i++)
		if (!strcmp(in->dirs[i].name, name))
			return &in->dirs[i];
	return NULL;
}

const char *sysfs_text(const struct sysfs_dir *in, const char *name)
{
	size_t i;

	for (i = 0; i < in->value_count; i++)
		if (!strcmp(in->values[i].name, name))
			return in->values[i].text;
	return NULL;
}

uint64_t sysfs_number(const struct sysfs_dir *in, const char *name)
{
	const char *text = sysfs_text(in, name);

	return text ? strtoull(text, NULL, 0) : 0;
}
