// SPDX-License-Identifier: GPL-2.0
/*
 * The table of file formats and the comparison with a file's first bytes.
 */
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
	KIND(CLOSED, "PK\7\x08PK\3\4", "compressed, an archive of zip in parts", "unzip -p FILE"),
	KIND(CLOSED, "7z\xbc\xaf'\x1c", "compressed, an archive of 7z", "7z x -so FILE"),
	KIND(CLOSED, "Rar!\x1a\7", "compressed, an archive of rar", "unrar p -inul FILE"),
	KIND(CLOSED, "MSCF\0\0\0\0", "compressed, an archive of cab", "cabextract -p FILE"),
	KIND(CLOSED, "LRZI\0", "compressed by lrzip", "lrzip -dqo - FILE"),
	KIND(CLOSED, "\x89LZO\0\r\n\x1a\n", "compressed by lzop", "lzop -dc FILE"),
	KIND(CLOSED, "\xff\6\0\0sNaPpY", "compressed by snappy", "snzip -dc FILE"),
	KIND(CLOSED, "hsqs", "compressed, a squashfs", "unsquashfs -cat FILE NAME"),
	KIND(CLOSED, "!<arch>\ndebian-binary", "compressed, a Debian package",
	     "dpkg-deb --fsys-tarfile FILE"),
	KIND(CLOSED, "\xed\xab\xee\xdb", "compressed, an RPM package", "rpm2cpio FILE"),
	KIND(CLOSED, "LPKSHHRH", "a compressed journal of systemd", "journalctl --file FILE"),
	KIND(CLOSED, "ElfFile\0", "an event log of Windows", "evtx_dump FILE"),
	KIND(CLOSED, "%PDF-", "compressed, a document in PDF", "pdftotext FILE -"),
	KIND(CLOSED, "Salted__", "encrypted by openssl", "openssl enc -d -in FILE"),
	KIND(CLOSED, "age-encryption.org/v1\n", "encrypted by age", "age -d FILE"),
	KIND(CLOSED, "-----BEGIN AGE ENCRYPTED", "encrypted by age", "age -d FILE"),
	KIND(CLOSED, "-----BEGIN PGP MESSAGE-----", "encrypted by gpg", "gpg -d FILE"),
	KIND(CLOSED, "\x85\1\x0c\3", "encrypted by gpg", "gpg -d FILE"),
	KIND(CLOSED, "\x85\1\x8c\3", "encrypted by gpg", "gpg -d FILE"),
	KIND(CLOSED, "\x85\2\x0c\3", "encrypted by gpg", "gpg -d FILE"),
	KIND(CLOSED, "\x84\x5e\3", "encrypted by gpg", "gpg -d FILE"),
	KIND(CLOSED, "\x8c\x0d\4", "encrypted by gpg", "gpg -d FILE"),
	KIND(CLOSED, "$ANSIBLE_VAULT;", "encrypted by ansible-vault", "ansible-vault view FILE"),
	KIND(CLOSED, "LUKS\xba\xbe", "encrypted by LUKS", "cryptsetup open FILE NAME"),
	KIND(CLOSED, "snoop\0\0\0", "a capture of snoop", "editcap -F pcap FILE -"),
	KIND(UNICODE, "\xff\xfe\0\0", "text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE"),
	KIND(UNICODE, "\0\0\xfe\xff", "text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE"),
	KIND(UNICODE, "\xff\xfe", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"),
	KIND(UNICODE, "\xfe\xff", "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"),
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
