// SPDX-License-Identifier: GPL-2.0
/*
 * Reading files whole, mapping them, and replacing them.
 *
 * A file is replaced by renaming a new one, so an interrupt leaves the old file or the new one. A
 * mapped file that another process cuts ends file_walk() by SIGBUS, and not the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "message.h"

#define FIRST_ROOM	(64 << 10)
#define READ_MAX	(1 << 20)	/* at once */
#define DEVICE_MAX	(64 << 20)

const char *file_shown_name(const char *name)
{
	return strcmp(name, "-") ? name : "standard input";
}

/* Open @name and fill in @st. Return: a descriptor; -1 after saying why. */
static int open_input(struct file *file, const char *name, struct stat *st)
{
	int fd = STDIN_FILENO;

	memset(file, 0, sizeof(*file));
	file->name = file_shown_name(name);
	if (strcmp(name, "-"))
		fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		complain_at(name, 0, "%s", strerror(errno));
		return -1;
	}
	if (fstat(fd, st))
		complain_at(file->name, 0, "%s", strerror(errno));
	else if (S_ISDIR(st->st_mode))
		complain_at(file->name, 0, "this is a directory, not a file");
	else
		return fd;
	if (fd != STDIN_FILENO)
		close(fd);
	return -1;
}

/* aligned_alloc() has no realloc */
static uint8_t *grow(uint8_t *old, size_t used, size_t room)
{
	uint8_t *bytes = aligned_alloc(64, room);

	if (bytes && used)
		memcpy(bytes, old, used);
	free(old);
	return bytes;
}

/* Return: 1: more may follow; 0: at the end; -1 after saying why. */
static int read_more(struct file *file, int fd, size_t room, uint64_t limit)
{
	size_t size = room - file->size < READ_MAX ? room - file->size : READ_MAX;
	ssize_t got;

	do
		got = read(fd, file->bytes + file->size, size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return complain_at(file->name, 0, "%s", strerror(errno));
	file->size += got;
	if (file->size > limit)
		return complain_at(file->name, 0, "%s", strerror(EFBIG));
	return got > 0;
}

int file_read(struct file *file, const char *name, uint64_t limit,
	      int (*unfit)(const struct file *so_far))
{
	struct stat st;
	size_t room = FIRST_ROOM;
	int fd = open_input(file, name, &st), more = 1;

	if (fd < 0)
		return -1;
	/* one byte more than the file has, to see its end without growing */
	if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size < limit)
		room = ((size_t)st.st_size + 64) & ~63ul;
	/* it may have no end */
	if ((S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)) && limit > DEVICE_MAX)
		limit = DEVICE_MAX;
	file->bytes = grow(NULL, 0, room);
	while (more > 0 && file->bytes) {
		more = read_more(file, fd, room, limit);
		if (more > 0 && unfit && unfit(file))
			more = -1;
		if (more > 0 && file->size == room) {
			room *= 2;
			file->bytes = grow(file->bytes, file->size, room);
		}
	}
	if (!file->bytes)
		more = complain_at(file->name, 0, "%s", strerror(ENOMEM));
	if (fd != STDIN_FILENO)
		close(fd);
	if (more < 0)
		file_close(file);
	return more;
}

/* The folder of the file that was opened last. @length: of its path, 0: none; @fd: -1: not open */
static __thread struct {
	char path[1024];
	size_t length;
	int fd;
} folder = { .fd = -1 };

void file_close_folder(void)
{
	if (folder.fd >= 0)
		close(folder.fd);
	folder.fd = -1;
	folder.length = 0;
}

int file_open(const char *name)
{
	const char *slash = strrchr(name, '/');
	const size_t length = slash ? slash - name : 0;

	if (!length || !slash[1] || length >= sizeof(folder.path))
		return open(name, O_RDONLY | O_CLOEXEC);
	if (length != folder.length || memcmp(folder.path, name, length)) {
		file_close_folder();
		memcpy(folder.path, name, length);
		folder.path[length] = 0;
		folder.length = length;
		return open(name, O_RDONLY | O_CLOEXEC);
	}
	if (folder.fd < 0)
		folder.fd = open(folder.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder.fd < 0)
		return open(name, O_RDONLY | O_CLOEXEC);
	return openat(folder.fd, slash + 1, O_RDONLY | O_CLOEXEC);
}

int file_map(struct file *file, const char *name, int fd)
{
	struct stat st;
	void *at;

	/* on 32 bits a file may be larger than the address space */
	if (fstat(fd, &st) || st.st_size != (off_t)(size_t)st.st_size)
		return -1;
	at = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -1;
	madvise(at, st.st_size, MADV_SEQUENTIAL);
	*file = (struct file){ .name = name, .bytes = at, .size = st.st_size, .mapped = true };
	return 0;
}

void file_passed(const struct file *file, size_t from, size_t to)
{
	const size_t page = sysconf(_SC_PAGESIZE);

	from -= from % page;
	to -= to % page;
	madvise(file->bytes + from, to - from, MADV_DONTNEED);
}

/* Of each thread: the signal comes to the one that reads. */
static __thread sigjmp_buf shorter;
static __thread bool walking;

/* Linux sends it for what a mapping has behind the file's end, and for what cannot be read. */
static void on_shorter(int sig)
{
	if (walking)
		siglongjmp(shorter, 1);
	/* not from a mapping: the access that follows ends the program */
	signal(sig, SIG_DFL);
}

int file_walk(const struct file *file, void (*fn)(void *context), void *context)
{
	int cut = sigsetjmp(shorter, 1);

	if (!cut) {
		walking = true;
		signal(SIGBUS, on_shorter);
		fn(context);
	}
	walking = false;
	if (!cut)
		return 0;
	return complain_at(file->name, 0,
			   "the file became shorter while it was read, or its disk fails");
}

void file_close(struct file *file)
{
	if (file->mapped)
		munmap(file->bytes, file->size);
	else
		free(file->bytes);
	file->bytes = NULL;
	file->size = 0;
	file->mapped = false;
}

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		bytes += done;
		size -= done;
	}
	return 0;
}

static int write_in_place(const char *name, const void *bytes, size_t size)
{
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return complain_at(name, 0, "%s", strerror(errno));
	err = write_all(fd, bytes, size);
	if (err)
		complain_at(name, 0, "%s", strerror(errno));
	close(fd);
	return err;
}

/*
 * A list may begin with the same four letters. But a set's header is mostly zeros, whatever
 * its version or the bits that flipped, and no text has any.
 */
bool file_is_set(const uint8_t *bytes, size_t length)
{
	if (length > FILE_SET_BYTES)
		length = FILE_SET_BYTES;
	return length >= 4 && !memcmp(bytes, "NFAC", 4) && memchr(bytes, 0, length);
}

size_t file_count_stdin(char *const *names, size_t count)
{
	size_t i, found = 0;

	for (i = 0; i < count; i++)
		found += !strcmp(names[i], "-");
	return found;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool file_is_stdout(const char *name)
{
	struct stat named, out;

	return !strcmp(name, "-") ||
	       (!stat(name, &named) && !fstat(STDOUT_FILENO, &out) && is_same(&named, &out));
}

bool file_is_same(const char *name, const char *other)
{
	struct stat a, b;

	return !stat(name, &a) && !stat(other, &b) && is_same(&a, &b);
}

/* A name beside @name, for mkostemp(): where @name is as long as names may be, so is this. */
static char *name_beside(const char *name)
{
	static const char ending[] = ".XXXXXX";
	size_t length = strlen(name), longest;
	const char *slash = strrchr(name, '/');
	char *beside;

	longest = (slash ? slash + 1 - name : 0) + NAME_MAX - strlen(ending);
	if (length > longest)
		length = longest;
	return asprintf(&beside, "%.*s%s", (int)length, name, ending) < 0 ? NULL : beside;
}

/* @name does not exist, or is a regular file and not a link. */
static int write_anew(const char *name, const void *bytes, size_t size, mode_t mode)
{
	sigset_t all, before;
	char *temp = name_beside(name);
	int fd, err;

	if (!temp)
		return complain("out of memory");
	/* an interrupt must leave the old file or the new one, and no temporary one */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		err = complain_at(name, 0, "%s", strerror(errno));
		goto out;
	}
	err = write_all(fd, bytes, size) || fchmod(fd, mode) || fsync(fd);
	if (close(fd))
		err = -1;
	if (!err)
		err = rename(temp, name);
	if (err) {
		complain_at(name, 0, "%s", strerror(errno));
		unlink(temp);
	}
out:
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(temp);
	return err ? -1 : 0;
}

int file_write(const char *name, const void *bytes, size_t size, unsigned int mode)
{
	struct stat st;
	mode_t mask;
	char *real;
	int err;

	if (file_is_stdout(name)) {
		err = write_all(STDOUT_FILENO, bytes, size);
		return err ? complain_at("standard output", 0, "%s", strerror(errno)) : 0;
	}
	if (stat(name, &st)) {
		mask = umask(0);
		umask(mask);
		return write_anew(name, bytes, size, mode & ~mask);
	}
	if (S_ISDIR(st.st_mode))
		return complain_at(name, 0, "this is a directory, not a file");
	if (!S_ISREG(st.st_mode))
		return write_in_place(name, bytes, size);
	real = realpath(name, NULL);
	if (!real)
		return complain_at(name, 0, "%s", strerror(errno));
	err = write_anew(real, bytes, size, st.st_mode & 07777);
	free(real);
	return err;
}
