// SPDX-License-Identifier: GPL-2.0
/*
 * The input of a search: recognises compression and encoding by the first bytes, and decodes as it
 * is read.
 *
 * scan.c, capture.c and report.c read it. Memory is bounded by the buffers, whatever the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifdef HAVE_ARCHIVE
#include "archive_library.h"
#endif
#include "input.h"
#include "message.h"
#include "utf16.h"

#define ROOM	(64 << 10)
/* windowBits for inflateInit2(): the largest window, with gzip's header and trailer */
#define GZIP	(15 + 16)

/*
 * @packed: kind of the file's own bytes; NULL: they are not compressed
 * @kind: of the decompressed bytes
 * @regular: reading does not wait; @size: bytes of the file then
 * @ended: of a compressed file: its end was read
 * @z: next_in and avail_in are the bytes that were read of the file and not used yet
 * @member: a member of gzip has begun; between members a header or the end follows
 * @given: bytes that were handed to libarchive; the last of them end at @given_end
 * @head: first decompressed bytes, of which @head_used were read
 * @buffer: of input_stream(); glibc's own has 4 kB, and each fill costs zlib a copy of its window
 */
struct input {
	const char *name, *error;
	const struct kind *packed, *kind;
	int fd;
	bool regular, mappable, ended, member;
	z_stream z;
	struct archive *archive;
	uint64_t size;
	int64_t given;
	uint8_t *given_end;
	uint8_t head[KIND_BYTES];
	size_t head_length, head_used;
	struct utf16 utf;
	uint8_t room[ROOM];
	char buffer[ROOM];
};

static int failed(struct input *in, const char *why)
{
	in->error = why;
	return -1;
}

/* Have this many bytes of the file, unless it ends before. Return: as read(). */
static ssize_t have(struct input *in, size_t bytes)
{
	ssize_t got = 1;

	if (in->z.avail_in >= bytes)
		return in->z.avail_in;
	memmove(in->room, in->z.next_in, in->z.avail_in);
	in->z.next_in = in->room;
	while (in->z.avail_in < bytes && got) {
		/* more may come late, or never */
		if (!in->regular)
			fflush(stdout);
		got = read(in->fd, in->room + in->z.avail_in, ROOM - in->z.avail_in);
		if (got < 0 && errno != EINTR)
			return failed(in, strerror(errno));
		if (got > 0)
			in->z.avail_in += got;
	}
	return in->z.avail_in;
}

static ssize_t read_plain(struct input *in, void *to, size_t size)
{
	ssize_t there = have(in, 1);

	if (there <= 0)
		return there;
	if (size > (size_t)there)
		size = there;
	memcpy(to, in->z.next_in, size);
	in->z.next_in += size;
	in->z.avail_in -= size;
	return size;
}

/* Zeros fill up the last block of a tape. */
static void end(struct input *in)
{
	in->ended = true;
	if (have(in, 1) > 0 && *in->z.next_in)
		complain_at(in->name, 0,
			    "warning: what follows the compressed text is neither unpacked nor searched");
}

static ssize_t read_gzip(struct input *in, void *to, size_t size)
{
	in->z.next_out = to;
	in->z.avail_out = size;
	while (in->z.avail_out == size && !in->ended) {
		if (have(in, in->member ? 1 : 3) < 0)
			return -1;
		if (!in->member && kind_of(in->z.next_in, in->z.avail_in, NULL) != in->packed) {
			end(in);
			break;
		}
		if (!in->z.avail_in)
			return failed(in, "unexpected end of file");
		in->member = true;
		switch (inflate(&in->z, Z_NO_FLUSH)) {
		case Z_STREAM_END:
			in->member = false;
			inflateReset(&in->z);
			break;
		case Z_OK:
		case Z_BUF_ERROR:
			break;
		default:
			/* returned by the next call: what precedes the damage is sound */
			in->error = in->z.msg ? in->z.msg : "damaged";
			return size - in->z.avail_out ? (ssize_t)(size - in->z.avail_out) : -1;
		}
	}
	return size - in->z.avail_out;
}

#ifdef HAVE_ARCHIVE
static la_ssize_t give(struct archive *archive, void *context, const void **bytes)
{
	struct input *in = context;
	ssize_t there = have(in, 1);

	if (there < 0)
		archive_library()->set_error(archive, errno, "%s", in->error);
	*bytes = in->z.next_in;
	if (there > 0) {
		in->z.next_in += there;
		in->z.avail_in = 0;
		in->given += there;
		in->given_end = in->z.next_in;
	}
	return there;
}

static ssize_t read_packed(struct input *in, void *to, size_t size)
{
	const struct archive_library *lib = archive_library();
	ssize_t got = in->ended ? 0 : lib->read_data(in->archive, to, size < ROOM ? size : ROOM);

	if (got < 0)
		return failed(in, lib->error_string(in->archive));
	if (!got && !in->ended) {
		/* back to the bytes that libarchive did not use: the last block is still there */
		in->z.avail_in = in->given - lib->filter_bytes(in->archive, -1);
		in->z.next_in = in->given_end - in->z.avail_in;
		end(in);
	}
	return got;
}

static int open_packed(struct input *in)
{
	const struct archive_library *lib = archive_library();
	struct archive_entry *entry;
	struct archive *a;

	if (!lib)
		return failed(in, "compressed, and " ARCHIVE_LIBRARY
			      " cannot be loaded: only gzip is read");
	a = lib->read_new();
	in->archive = a;
	if (!a)
		return failed(in, "out of memory");
	lib->read_support_filter_bzip2(a);
	lib->read_support_filter_compress(a);
	lib->read_support_filter_lz4(a);
	lib->read_support_filter_lzip(a);
	lib->read_support_filter_lzma(a);
	lib->read_support_filter_xz(a);
	lib->read_support_filter_zstd(a);
	lib->read_support_format_raw(a);
	lib->read_support_format_empty(a);
	if (lib->read_open(a, in, NULL, give, NULL) == ARCHIVE_OK) {
		switch (lib->read_next_header(a, &entry)) {
		case ARCHIVE_EOF:
			in->ended = true;
			return 0;
		case ARCHIVE_OK:
			if (lib->filter_count(a) > 1)
				return 0;
			return failed(in, "damaged at its beginning");
		}
	}
	return failed(in, lib->error_string(a));
}

static void close_packed(struct input *in)
{
	if (in->archive)
		archive_library()->read_free(in->archive);
}
#else /* !HAVE_ARCHIVE */
static int open_packed(struct input *in)
{
	return failed(in, "compressed, and this nfac has no libarchive: only gzip is read");
}

/* @in->archive is NULL, so that these are not reached with bytes. */
static ssize_t read_packed(struct input *in, void *to, size_t size)
{
	(void)to;
	return size ? failed(in, in->error) : 0;
}

static void close_packed(struct input *in)
{
	(void)in;
}
#endif /* HAVE_ARCHIVE */

static ssize_t unpack(struct input *in, void *to, size_t size)
{
	if (in->error)
		return -1;
	if (!in->packed)
		return read_plain(in, to, size);
	return in->archive ? read_packed(in, to, size) : read_gzip(in, to, size);
}

/* Read ahead until the kind is decided. An error is left to input_read(). */
static void recognize(struct input *in)
{
	bool more = true;
	ssize_t got;

	for (got = 0; more && have(in, got + 1) > got; got = in->z.avail_in)
		in->kind = kind_of(in->z.next_in, in->z.avail_in, &more);
	if (!in->kind || in->kind->form > KIND_PACKED) {
		got = utf16_begin(&in->utf, in->kind);
		in->z.next_in += got;
		in->z.avail_in -= got;
		return;
	}
	in->packed = in->kind;
	in->kind = NULL;
	if (in->packed->form == KIND_PACKED && open_packed(in))
		return;
	if (in->packed->form == KIND_GZIP && inflateInit2(&in->z, GZIP) != Z_OK) {
		failed(in, "out of memory");
		return;
	}
	for (more = true; more && in->head_length < KIND_BYTES; in->head_length += got) {
		got = unpack(in, in->head + in->head_length, KIND_BYTES - in->head_length);
		if (got <= 0)
			break;
		in->kind = kind_of(in->head, in->head_length + got, &more);
	}
	in->head_used = utf16_begin(&in->utf, in->kind);
}

struct input *input_open(const char *name)
{
	/* its buffers need no zeros: most files of a tree are smaller */
	struct input *in = malloc(sizeof(*in));
	struct stat st;

	if (!in) {
		complain("out of memory");
		return NULL;
	}
	memset(in, 0, offsetof(struct input, room));
	in->name = file_shown_name(name);
	in->fd = strcmp(name, "-") ? file_open(name) : dup(STDIN_FILENO);
	if (in->fd < 0 || fstat(in->fd, &st)) {
		complain_at(strcmp(name, "-") ? name : in->name, 0, "%s", strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		complain_at(in->name, 0, "this is a directory, not a file");
	} else {
		/* standard input may have been read in part; files of /proc have size 0 */
		in->mappable = S_ISREG(st.st_mode) && st.st_size > 0 && strcmp(name, "-");
		in->regular = S_ISREG(st.st_mode);
		in->size = st.st_size;
		in->z.next_in = in->room;
		recognize(in);
		return in;
	}
	input_close(in);
	return NULL;
}

const struct kind *input_kind(const struct input *in)
{
	return in->kind;
}

const struct kind *input_packed(const struct input *in)
{
	return in->packed;
}

bool input_whole(const struct input *in, const uint8_t **bytes, size_t *size)
{
	*bytes = in->z.next_in;
	*size = in->z.avail_in;
	return in->mappable && !in->packed && !in->utf.width && in->z.avail_in == in->size;
}

const uint8_t *input_head(const struct input *in, size_t *size)
{
	*size = in->z.avail_in;
	return in->z.next_in;
}

bool input_map(const struct input *in, struct file *file)
{
	return in->mappable && !in->packed && !in->utf.width &&
		!file_map(file, in->name, in->fd);
}

static ssize_t read_bytes(struct input *in, void *to, size_t size)
{
	size_t there = in->head_length - in->head_used;

	if (!there)
		return unpack(in, to, size);
	if (size > there)
		size = there;
	memcpy(to, in->head + in->head_used, size);
	in->head_used += size;
	return size;
}

ssize_t input_read(struct input *in, void *to, size_t size)
{
	uint8_t bytes[4096];
	ssize_t got, decoded;

	if (!in->utf.width)
		return read_bytes(in, to, size);
	/* as much as utf16_decode() has room for */
	size = size / 2 - 3 < sizeof(bytes) ? size / 2 - 3 : sizeof(bytes);
	do {
		got = read_bytes(in, bytes, size);
		if (got > 0)
			decoded = utf16_decode(&in->utf, bytes, got, to);
		else
			decoded = utf16_end(&in->utf, to);
	} while (got > 0 && !decoded);
	if (got <= 0 && in->utf.damaged)
		complain_at(in->name, 0, "damaged %s: U+FFFD replaces what is not a character",
			    in->kind->what);
	if (got <= 0)
		in->utf.damaged = false;
	return got < 0 ? got : decoded;
}

static ssize_t read_stream(void *in, char *to, size_t size)
{
	return input_read(in, to, size);
}

FILE *input_stream(struct input *in)
{
	const cookie_io_functions_t io = { .read = read_stream };
	FILE *stream = fopencookie(in, "r", io);

	if (stream)
		setvbuf(stream, in->buffer, _IOFBF, sizeof(in->buffer));
	else
		complain("out of memory");
	return stream;
}

int64_t input_size(const struct input *in)
{
	return in->regular ? in->size : 0;
}

int64_t input_position(const struct input *in)
{
	return lseek(in->fd, 0, SEEK_CUR) - in->z.avail_in;
}

const char *input_error(const struct input *in)
{
	return in->error;
}

void input_close(struct input *in)
{
	close_packed(in);
	if (in->packed && !in->archive)
		inflateEnd(&in->z);
	if (in->fd >= 0)
		close(in->fd);
	free(in);
}
