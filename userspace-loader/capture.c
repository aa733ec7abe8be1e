// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "capture.h"
#include "capture_link.h"
#include "file.h"
#include "message.h"

/* zlib reads a file that is not compressed as it is. */
static ssize_t gz_read(void *cookie, char *to, size_t size)
{
	return gzread(cookie, to, size > 1u << 30 ? 1u << 30 : size);
}

static int gz_close(void *cookie)
{
	return gzclose(cookie) == Z_OK ? 0 : -1;
}

/* What went wrong in reading, without the descriptor it begins with; NULL: nothing did. */
static const char *gz_complaint(gzFile gz)
{
	int err = Z_OK;
	const char *why = gzerror(gz, &err), *colon = strstr(why, ": ");

	if (err >= 0)
		return NULL;
	return colon ? colon + 2 : why;
}

static gzFile open_gz(const char *name)
{
	struct stat st;
	gzFile gz;
	int fd;

	if (strcmp(name, "-"))
		fd = open(name, O_RDONLY | O_CLOEXEC);
	else
		fd = dup(STDIN_FILENO);
	if (fd < 0 || fstat(fd, &st)) {
		complain_at(file_shown_name(name), 0, "%s", strerror(errno));
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		complain_at(name, 0, "this is a directory, not a file");
		goto fail;
	}
	gz = gzdopen(fd, "rb");
	if (gz) {
		gzbuffer(gz, 64 << 10);
		return gz;
	}
	complain("out of memory");
fail:
	if (fd >= 0)
		close(fd);
	return NULL;
}

static pcap_t *open_capture(const char *name, gzFile *gz)
{
	cookie_io_functions_t io = { .read = gz_read, .close = gz_close };
	char why[PCAP_ERRBUF_SIZE];
	const char *damage;
	pcap_t *pcap;
	FILE *stream;

	*gz = open_gz(name);
	if (!*gz)
		return NULL;
	stream = fopencookie(*gz, "r", io);
	if (!stream) {
		complain("out of memory");
		gzclose(*gz);
		return NULL;
	}
	pcap = pcap_fopen_offline(stream, why);
	if (!pcap) {
		damage = gz_complaint(*gz);
		complain_at(file_shown_name(name), 0, "not a capture: %s", damage ? damage : why);
		fclose(stream);
	}
	return pcap;
}

static void on_frame(int link, const struct pcap_pkthdr *head, const uint8_t *frame,
		     capture_fn fn, void *context, struct capture_counts *counts)
{
	struct capture_packet packet = { counts->packets, head->ts.tv_sec };
	ssize_t at = link_header(link, frame, head->caplen);
	struct payload payload;
	enum nfac_skip why;
	size_t sent;

	if (at < 0) {
		counts->other++;
		return;
	}
	sent = head->len > head->caplen ? head->len : head->caplen;
	if (!payload_locate(frame + at, head->caplen - at, sent - at, PAYLOAD_OFFLOAD, &payload,
			    &why)) {
		counts->skipped[why]++;
		return;
	}
	if (payload.cut)
		counts->cut++;
	fn(context, &packet, &payload);
}

int capture_read(const char *name, capture_fn fn, void *context,
		 struct capture_counts *counts)
{
	struct pcap_pkthdr *head;
	const uint8_t *frame;
	const char *why;
	uint64_t before = counts->packets;
	pcap_t *pcap;
	gzFile gz;
	int link, got, ret = 0;

	pcap = open_capture(name, &gz);
	if (!pcap)
		return -1;
	link = pcap_datalink(pcap);
	if (!link_known(link)) {
		const char *kind = pcap_datalink_val_to_name(link);

		ret = complain_at(file_shown_name(name), 0, "link type %s (%d) is not understood",
				  kind ? kind : "?", link);
		goto out;
	}
	counts->packets = 0;
	while ((got = pcap_next_ex(pcap, &head, &frame)) == 1) {
		counts->packets++;
		on_frame(link, head, frame, fn, context, counts);
	}
	why = gz_complaint(gz);
	if (got == PCAP_ERROR_BREAK && !why)
		got = 1;
	if (got != 1)
		ret = complain_at(file_shown_name(name), 0, "after packet %llu: %s",
				  (unsigned long long)counts->packets, why ? why : pcap_geterr(pcap));
	counts->packets += before;
out:
	pcap_close(pcap);
	return ret;
}

static bool ends_in(const char *name, size_t length, const char *ending)
{
	size_t n = strlen(ending);

	return length > n && !strncasecmp(name + length - n, ending, n);
}

bool is_capture(const char *name)
{
	size_t length = strlen(name);

	if (ends_in(name, length, ".gz"))
		length -= 3;
	return ends_in(name, length, ".pcap") || ends_in(name, length, ".pcapng") ||
	       ends_in(name, length, ".cap");
}
