// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "fragments.h"
#include "link.h"
#include "tunnel.h"
#include "common/file.h"
#include "common/message.h"

static pcap_t *open_capture(const char *name, struct input *in)
{
	FILE *stream = input_stream(in);
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap;

	if (!stream)
		return NULL;
	pcap = pcap_fopen_offline(stream, why);
	if (!pcap) {
		complain_at(file_shown_name(name), 0, "not a capture: %s",
			    input_error(in) ? input_error(in) : why);
		fclose(stream);
	}
	return pcap;
}

/* A capture that is read. @fragments: NULL: fragments are skipped, and tunnels not entered. */
struct reader {
	capture_fn fn;
	void *context;
	struct capture_counts *counts;
	struct fragments *fragments;
};

static bool is_inspected(const struct payload *payload)
{
	return payload->protocol == IPPROTO_TCP || payload->protocol == IPPROTO_UDP ||
	       payload->protocol == IPPROTO_ICMP || payload->protocol == IPPROTO_ICMPV6;
}

/* A packet from its IP header on, @depth tunnels deep. */
static void on_ip(const struct reader *r, const struct capture_packet *packet,
		  const uint8_t *bytes, size_t there, size_t sent, unsigned int depth)
{
	unsigned int flags = PAYLOAD_OFFLOAD | (r->fragments ? PAYLOAD_RAW : 0);
	struct payload payload;
	enum nfac_skip why;
	ssize_t inner;

	if (r->fragments && is_fragment(bytes, there)) {
		if (!fragments_add(r->fragments, bytes, there, packet->seconds, &bytes, &there))
			return;
		sent = there;
	}
	if (!payload_locate(bytes, there, sent, flags, &payload, &why)) {
		r->counts->skipped[why]++;
		return;
	}
	inner = r->fragments && depth < TUNNELS_MAX ? tunnel_inner(&payload) : -1;
	if (!is_inspected(&payload)) {
		r->counts->skipped[NFAC_SKIP_PROTOCOL] += inner < 0;
	} else {
		if (payload.cut)
			r->counts->cut++;
		r->fn(r->context, packet, &payload);
	}
	if (inner >= 0)
		on_ip(r, packet, payload.bytes + inner, payload.captured - inner,
		      payload.length - inner, depth + 1);
}

static void on_frame(int link, const struct pcap_pkthdr *head, const uint8_t *frame,
		     const struct reader *reader)
{
	struct capture_counts *counts = reader->counts;
	struct capture_packet packet = { counts->packets, head->ts.tv_sec };
	ssize_t at = link_header(link, frame, head->caplen);
	size_t sent;

	if (at == LINK_CUT) {
		counts->skipped[NFAC_SKIP_TRUNCATED]++;
		return;
	}
	if (at < 0) {
		counts->other++;
		return;
	}
	sent = head->len > head->caplen ? head->len : head->caplen;
	on_ip(reader, &packet, frame + at, head->caplen - at, sent - at, 0);
}

int capture_read(const char *name, struct input *in, bool deep, capture_fn fn, void *context,
		 struct capture_counts *counts)
{
	struct reader reader = { fn, context, counts, NULL };
	struct pcap_pkthdr *head;
	const uint8_t *frame;
	const char *why;
	uint64_t before = counts->packets;
	pcap_t *pcap;
	int link, got, ret = 0;

	if (deep) {
		reader.fragments = fragments_new();
		if (!reader.fragments)
			return -1;
	}
	pcap = open_capture(name, in);
	if (!pcap) {
		fragments_free(reader.fragments);
		return -1;
	}
	link = pcap_datalink(pcap);
	if (!link_known(link)) {
		const char *kind = pcap_datalink_val_to_name(link);

		ret = complain_at(file_shown_name(name), 0,
				  "link type %s (%d) is not understood", kind ? kind : "?", link);
		goto out;
	}
	counts->packets = 0;
	while ((got = pcap_next_ex(pcap, &head, &frame)) == 1) {
		counts->packets++;
		on_frame(link, head, frame, &reader);
	}
	why = input_error(in);
	if (got == PCAP_ERROR_BREAK && !why)
		got = 1;
	if (got != 1)
		ret = complain_at(file_shown_name(name), 0, "after packet %llu: %s",
				  (unsigned long long)counts->packets,
				  why ? why : pcap_geterr(pcap));
	counts->packets += before;
	if (deep)
		counts->skipped[NFAC_SKIP_FRAGMENT] += fragments_left(reader.fragments);
out:
	fragments_free(reader.fragments);
	pcap_close(pcap);
	return ret;
}
