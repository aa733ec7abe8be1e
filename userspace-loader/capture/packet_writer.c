// SPDX-License-Identifier: GPL-2.0
/*
 * The capture that `nfac scan --write` makes, by libpcap; scan_capture.c passes the packets.
 */
#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/message.h"
#include "packet_writer.h"

/* libpcap's own limit for a packet. */
#define SNAPLEN		262144
/* In a file IP without a link header has another number than in libpcap. */
#define LINKTYPE_RAW	101

/*
 * @pcap: NULL until there is a packet, whose link type is @link
 * @last: number of the packet that was written last; @left_out: packets of another link type
 */
struct packet_writer {
	const char *name;
	FILE *to;
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	int link;
	uint64_t last, left_out;
	bool failed;
};

struct packet_writer *packet_writer_open(const char *name)
{
	struct packet_writer *writer = calloc(1, sizeof(*writer));

	if (!writer) {
		complain("out of memory");
		return NULL;
	}
	writer->name = name;
	/* before the search, so that a name that cannot be written costs no time */
	writer->to = strcmp(name, "-") ? fopen(name, "we") : stdout;
	if (writer->to)
		return writer;
	complain_at(name, 0, "%s", strerror(errno));
	free(writer);
	return NULL;
}

static void begin(struct packet_writer *writer, int link)
{
	writer->link = link == LINKTYPE_RAW ? DLT_RAW : link;
	writer->pcap = pcap_open_dead_with_tstamp_precision(writer->link, SNAPLEN,
							    PCAP_TSTAMP_PRECISION_NANO);
	if (writer->pcap)
		writer->dumper = pcap_dump_fopen(writer->pcap, writer->to);
	if (writer->dumper)
		return;
	complain_at(writer->name, 0, "%s",
		    writer->pcap ? pcap_geterr(writer->pcap) : "out of memory");
	writer->failed = true;
}

void packet_writer_put(struct packet_writer *writer, const struct capture_packet *packet)
{
	const struct pcapng_packet *frame = packet->frame;
	const int64_t seconds = capture_seconds(packet);
	/* tv_usec has nanoseconds with this precision */
	const struct pcap_pkthdr head = {
		.ts = { seconds, packet->time_ns - seconds * 1000000000 },
		.caplen = frame->captured,
		.len = frame->sent > frame->captured ? frame->sent : frame->captured,
	};

	if (writer->last == packet->number || writer->failed)
		return;
	if (!writer->pcap)
		begin(writer, frame->link);
	if (writer->failed)
		return;
	writer->last = packet->number;
	if ((frame->link == LINKTYPE_RAW ? DLT_RAW : frame->link) == writer->link)
		pcap_dump((u_char *)writer->dumper, &head, frame->frame);
	else
		writer->left_out++;
}

void packet_writer_next(struct packet_writer *writer)
{
	writer->last = 0;
}

int packet_writer_close(struct packet_writer *writer)
{
	bool failed;

	/* a capture without packets is one, too */
	if (!writer->pcap)
		begin(writer, DLT_EN10MB);
	failed = writer->failed;
	if (writer->dumper && (pcap_dump_flush(writer->dumper) || ferror(writer->to)))
		failed = complain_at(writer->name, 0, "%s", strerror(errno));
	if (writer->left_out)
		failed = complain_at(writer->name, 0, "%" PRIu64 " packets left out: their link type is not that of the first packet",
				     writer->left_out);
	if (writer->to != stdout && writer->dumper)
		pcap_dump_close(writer->dumper);
	else if (writer->to != stdout)
		fclose(writer->to);
	if (writer->pcap)
		pcap_close(writer->pcap);
	free(writer);
	return failed ? -1 : 0;
}
