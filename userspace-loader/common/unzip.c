// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "file.h"
#include "message.h"
#include "unzip.h"

#define ROOM	(64 << 10)
/* windowBits for inflateInit2(): the largest window, with gzip's header and trailer */
#define GZIP	(15 + 16)
/* Bytes that say which other program has packed it; a capture's header has more. */
#define MAGIC	10

/*
 * What its file holds, which the first bytes say. Behind a member of gzip's there may be
 * another one; what else is there is not looked at, as by gzip, and that is told.
 */
enum unzip_state { UNZIP_START, UNZIP_PLAIN, UNZIP_MEMBER, UNZIP_BETWEEN, UNZIP_END };

/*
 * @name: for messages
 * @waits: the file is no regular one
 * @why: room for an error
 * @ready: the inflater is to be given back
 * @z: its next_in and avail_in are what was read of the file and not used yet
 * @buffer: the stream's; of glibc's own, 4 or 8 kB, each fill costs zlib a copy of its window
 */
struct unzip {
	const char *name;
	int fd;
	bool waits, ready;
	enum unzip_state state;
	const char *error;
	char why[80];
	z_stream z;
	uint8_t room[ROOM];
	char buffer[ROOM];
};

static int failed(struct unzip *u, const char *why)
{
	u->error = why;
	return -1;
}

static ssize_t read_some(struct unzip *u, void *to, size_t size)
{
	ssize_t got;

	/* more may come late, or never: what was found is told now */
	if (u->waits)
		fflush(stdout);
	do
		got = read(u->fd, to, size);
	while (got < 0 && errno == EINTR);
	return got < 0 ? failed(u, strerror(errno)) : got;
}

/* Have so many bytes, unless the file ends before. Return: as read(). */
static ssize_t have(struct unzip *u, size_t bytes)
{
	ssize_t got = 1;

	if (u->z.avail_in < bytes) {
		memmove(u->room, u->z.next_in, u->z.avail_in);
		u->z.next_in = u->room;
	}
	while (u->z.avail_in < bytes && got > 0) {
		got = read_some(u, u->room + u->z.avail_in, ROOM - u->z.avail_in);
		if (got > 0)
			u->z.avail_in += got;
	}
	return got < 0 ? -1 : (ssize_t)u->z.avail_in;
}

static bool is_member(const struct unzip *u)
{
	return u->z.avail_in >= 2 && u->z.next_in[0] == 0x1f && u->z.next_in[1] == 0x8b;
}

/* Zeros fill up the last block of a tape. */
static void warn_of_tail(const struct unzip *u)
{
	if (u->z.avail_in && *u->z.next_in)
		complain_at(u->name, 0,
			    "warning: what follows the compressed text is neither unpacked nor searched");
}

/* No member is here: has another program packed it? */
static int begin_other(struct unzip *u)
{
	const char *unpacker;

	if (have(u, MAGIC) < 0)
		return -1;
	unpacker = file_unpacker(u->z.next_in, u->z.avail_in);
	if (!unpacker)
		return 0;
	snprintf(u->why, sizeof(u->why), "compressed, and not by gzip: %s FILE | nfac scan --pcap -",
		 unpacker);
	return failed(u, u->why);
}

/* What begins here: a member, or something else? */
static int begin(struct unzip *u)
{
	if (have(u, 2) < 0)
		return -1;
	if (!is_member(u)) {
		if (u->state == UNZIP_START && begin_other(u))
			return -1;
		if (u->state == UNZIP_BETWEEN)
			warn_of_tail(u);
		u->state = u->state == UNZIP_START ? UNZIP_PLAIN : UNZIP_END;
		return 0;
	}
	u->state = UNZIP_MEMBER;
	if (u->ready)
		inflateReset(&u->z);
	else if (inflateInit2(&u->z, GZIP) != Z_OK)
		return failed(u, "out of memory");
	u->ready = true;
	return 0;
}

/* Return: as read(), but 0 may be said in a member, too. */
static ssize_t inflate_some(struct unzip *u, void *to, size_t size)
{
	ssize_t there = have(u, 1);

	if (there < 0)
		return -1;
	if (!there)
		return failed(u, "unexpected end of file");
	u->z.next_out = to;
	u->z.avail_out = size;
	switch (inflate(&u->z, Z_NO_FLUSH)) {
	case Z_STREAM_END:
		u->state = UNZIP_BETWEEN;
		break;
	case Z_OK:
	case Z_BUF_ERROR:
		break;
	default:
		/* told when it is asked for more: what lies before the damage is sound */
		u->error = u->z.msg ? u->z.msg : "damaged";
	}
	return size - u->z.avail_out;
}

static ssize_t copy_some(struct unzip *u, void *to, size_t size)
{
	if (!u->z.avail_in)
		return read_some(u, to, size);
	if (size > u->z.avail_in)
		size = u->z.avail_in;
	memcpy(to, u->z.next_in, size);
	u->z.next_in += size;
	u->z.avail_in -= size;
	return size;
}

static ssize_t unzip_read(void *cookie, char *to, size_t size)
{
	struct unzip *u = cookie;
	ssize_t got = 0;

	if (size > 1u << 30)
		size = 1u << 30;
	while (!got && u->state != UNZIP_END) {
		if (u->error)
			return -1;
		if (u->state == UNZIP_PLAIN)
			return copy_some(u, to, size);
		if (u->state == UNZIP_MEMBER)
			got = inflate_some(u, to, size);
		else if (begin(u))
			return -1;
	}
	return got;
}

static int unzip_close(void *cookie)
{
	struct unzip *u = cookie;

	if (u->ready)
		inflateEnd(&u->z);
	if (u->fd >= 0)
		close(u->fd);
	free(u);
	return 0;
}

FILE *unzip_open(const char *name, struct unzip **from)
{
	cookie_io_functions_t io = { .read = unzip_read, .close = unzip_close };
	struct unzip *u = calloc(1, sizeof(*u));
	struct stat st;
	FILE *stream;

	if (!u) {
		complain("out of memory");
		return NULL;
	}
	u->name = file_shown_name(name);
	u->fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	if (u->fd < 0 || fstat(u->fd, &st)) {
		complain_at(u->name, 0, "%s", strerror(errno));
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		complain_at(name, 0, "this is a directory, not a file");
		goto fail;
	}
	u->waits = !S_ISREG(st.st_mode);
	u->z.next_in = u->room;
	*from = u;
	stream = fopencookie(u, "r", io);
	if (stream) {
		setvbuf(stream, u->buffer, _IOFBF, sizeof(u->buffer));
		return stream;
	}
	complain("out of memory");
fail:
	unzip_close(u);
	return NULL;
}

const char *unzip_error(const struct unzip *from)
{
	return from->error;
}
