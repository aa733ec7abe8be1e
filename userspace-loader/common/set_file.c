// SPDX-License-Identifier: GPL-2.0
/*
 * Blobs of loaded sets in the run folder: written by nfac load and nfac apply, read by what prints
 * patterns.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "../../kmod/engine/blob.h"

#include "file.h"
#include "message.h"
#include "run_folder.h"
#include "set_file.h"
#include "set_source.h"

#define ORIGIN_ENDING	".toml"
#define ORIGIN_BYTES_MAX	(1u << 20)
#define COPY_SHARE		16	/* of the memory, for a copy that could be a link */
#define CHECKSUM_LINE	"# checksum %016" PRIx64 "\n"

static void file_of(char *path, const char *name, const char *ending)
{
	char where[RUN_FOLDER_ROOM];

	run_folder(where);
	snprintf(path, SET_FILE_ROOM, "%s/%s%s", where, name, ending);
}

void set_file_path(char *path, const char *name)
{
	file_of(path, name, ".nfac");
}

static bool is_large(size_t size)
{
	struct sysinfo now;

	return !sysinfo(&now) && size > (uint64_t)now.totalram * now.mem_unit / COPY_SHARE;
}

int set_file_keep(const char *name, const struct set_source *source)
{
	char path[SET_FILE_ROOM];
	struct stat st;
	bool link;
	int err;

	run_folder(path);
	if (run_folder_make(path))
		return complain_at(path, 0, "%s", strerror(errno));
	set_file_path(path, name);
	link = source->file && is_large(source->size);
	/* file_write() follows a link: the file behind it is the user's */
	if (!lstat(path, &st) && (link || S_ISLNK(st.st_mode)))
		unlink(path);
	if (!link)
		err = file_write(path, source->blob, source->size, 0600);
	else if (symlink(source->file, path))
		err = complain_at(path, 0, "%s", strerror(errno));
	else
		err = 0;
	if (err)
		run_folder_drop();
	return err;
}

void set_file_forget(const char *name)
{
	char path[SET_FILE_ROOM];

	set_file_path(path, name);
	unlink(path);
	file_of(path, name, ORIGIN_ENDING);
	unlink(path);
	run_folder_drop();
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
	int fd = run_folder_make(RUN_FOLDER) ? -1 :
		 open(RUN_FOLDER "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return complain_at(RUN_FOLDER "/lock", 0, "%s", strerror(errno));
	/* it stays open: the lock ends with the process, however that ends */
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return complain_at(RUN_FOLDER "/lock", 0, "%s", strerror(errno));
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
