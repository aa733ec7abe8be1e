// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "kind.h"

#define KIND(form, magic, what, reader)	{ KIND_##form, sizeof(magic) - 1, magic, what, reader }

static const struct kind kinds[] = {
	KIND(GZIP, "\x1f\x8b\x08", "compressed by gzip", "zcat FILE"),
	KIND(PACKED, "\3757zXZ\0", "compressed by xz", "xzcat FILE"),
	KIND(PACKED, "]\0\0??\xff\xff\xff\xff\xff\xff\xff\xff", "compressed by lzma", "xzcat FILE"),
	KIND(PACKED, "LZIP\1", "compressed by lzip", "lzip -dc FILE"),
	KIND(PACKED, "(\xb5/\xfd", "compressed by zstd", "zstdcat FILE"),
	KIND(PACKED, "\4\"M\x18", "compressed by lz4", "lz4cat FILE"),
	KIND(PACKED, "\2!L\x18", "compressed by lz4", "lz4cat FILE"),
	KIND(PACKED, "BZh?1AY&SY", "compressed by bzip2", "bzcat FILE"),
	KIND(PACKED, "\x1f\x9d", "compressed by compress", "zcat FILE"),
	KIND(CLOSED, "PK\3\4", "compressed, an archive of zip", "unzip -p FILE"),
	KIND(CLOSED, "7z\xbc\xaf'\x1c", "compressed, an archive of 7z", "7z x -so FILE"),
	KIND(CAPTURE, "\xd4\xc3\xb2\xa1", "a capture", "tcpdump -r FILE"),
	KIND(CAPTURE, "\xa1\xb2\xc3\xd4", "a capture", "tcpdump -r FILE"),
	KIND(CAPTURE, "\x4d\x3c\xb2\xa1", "a capture", "tcpdump -r FILE"),
	KIND(CAPTURE, "\xa1\xb2\x3c\x4d", "a capture", "tcpdump -r FILE"),
	KIND(CAPTURE, "\x34\xcd\xb2\xa1", "a capture", "tcpdump -r FILE"),
	KIND(CAPTURE, "\xa1\xb2\xcd\x34", "a capture", "tcpdump -r FILE"),
	KIND(CAPTURE, "\n\r\r\n????\x4d\x3c\x2b\x1a", "a capture", "tcpdump -r FILE"),
	KIND(CAPTURE, "\n\r\r\n????\x1a\x2b\x3c\x4d", "a capture", "tcpdump -r FILE"),
};

static bool agrees(const struct kind *kind, const uint8_t *bytes, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (kind->magic[i] != '?' && (uint8_t)kind->magic[i] != bytes[i])
			return false;
	return true;
}

const struct kind *kind_of(const uint8_t *bytes, size_t length, bool *more)
{
	size_t i;

	if (more)
		*more = false;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (length >= kinds[i].length && agrees(&kinds[i], bytes, kinds[i].length))
			return &kinds[i];
		if (more && length < kinds[i].length && agrees(&kinds[i], bytes, length))
			*more = true;
	}
	return NULL;
}

bool kind_is_utf16(const uint8_t *bytes, size_t length)
{
	return length >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) ||
			       (bytes[0] == 0xfe && bytes[1] == 0xff));
}
