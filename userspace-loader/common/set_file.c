// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../kmod/engine/blob.h"

#include "file.h"
#include "message.h"
#include "set_file.h"
#include "set_source.h"

#define SETS_DIR	"/run/nfac"
#define PATH_ROOM	128
#define ORIGIN_ENDING	".toml"
#define ORIGIN_BYTES_MAX	(1u << 20)
#define CHECKSUM_LINE	"# checksum %016" PRIx64 "\n"

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

static void file_of(char *path, const char *name, const char *ending)
{
	char where[PATH_ROOM];

	directory(where);
	snprintf(path, SET_FILE_ROOM, "%s/%s%s", where, name, ending);
}

void set_file_path(char *path, const char *name)
{
	file_of(path, name, ".nfac");
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
	char path[SET_FILE_ROOM];
	int err;

	directory(path);
	if (make_directory(SETS_DIR) || make_directory(path))
		return -1;
	set_file_path(path, name);
	err = file_write(path, blob, size, 0600);
	if (err)
		drop_directory();
	return err;
}

void set_file_forget(const char *name)
{
	char path[SET_FILE_ROOM];

	set_file_path(path, name);
	unlink(path);
	file_of(path, name, ORIGIN_ENDING);
	unlink(path);
	drop_directory();
}

bool set_file_is(const char *name, uint64_t checksum)
{
	struct nfac_blob header;
	char path[SET_FILE_ROOM];
	size_t got = 0;
	FILE *in;

	set_file_path(path, name);
	in = fopen(path, "re");
	if (in) {
		got = fread(&header, sizeof(header), 1, in);
		fclose(in);
	}
	return got && le64toh(header.checksum) == checksum;
}

int set_file_keep_origin(const char *name, uint64_t checksum, const char *table)
{
	char path[SET_FILE_ROOM], *text;
	int length, err;

	file_of(path, name, ORIGIN_ENDING);
	if (!table) {
		unlink(path);
		return 0;
	}
	length = asprintf(&text, CHECKSUM_LINE "%s", checksum, table);
	if (length < 0)
		return complain("out of memory");
	err = file_write(path, text, length, 0600);
	free(text);
	return err;
}

char *set_file_origin(const char *name, uint64_t checksum)
{
	char path[SET_FILE_ROOM], *text = NULL;
	uint64_t kept = 0;
	int length = 0;
	struct file file;

	file_of(path, name, ORIGIN_ENDING);
	if (access(path, R_OK) || file_read(&file, path, ORIGIN_BYTES_MAX, NULL))
		return NULL;
	text = strndup((char *)file.bytes, file.size);
	file_close(&file);
	if (text && sscanf(text, "# checksum %" SCNx64 "\n%n", &kept, &length) == 1 && length &&
	    kept == checksum) {
		memmove(text, text + length, strlen(text + length) + 1);
		return text;
	}
	free(text);
	return NULL;
}

int set_file_lock(void)
{
	int fd = make_directory(SETS_DIR) ? -1 :
		 open(SETS_DIR "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return complain_at(SETS_DIR "/lock", 0, "%s", strerror(errno));
	/* it stays open: the lock ends with the process, however that ends */
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return complain_at(SETS_DIR "/lock", 0, "%s", strerror(errno));
	return 0;
}

int set_file_open(struct set_source *source, const char *name, uint64_t checksum)
{
	const char *why;
	char path[SET_FILE_ROOM];
	struct file file;
	uint32_t word;

	memset(source, 0, sizeof(*source));
	set_file_path(path, name);
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
