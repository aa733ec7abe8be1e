// SPDX-License-Identifier: GPL-2.0
/*
 * Captures: each packet of a file or an interface, down to its IP header.
 *
 * capture_search.c calls capture_read() and capture_live(). libpcap reads pcap and interfaces,
 * pcapng.c reads pcapng; link.c finds the IP header, payload.c the payload, and where the caller
 * wants all packets, fragments.c and tunnel.c those within others.
 *
 * Cost: each byte of a packet is read once by libpcap; memory does not depend on the input.
 */
#include <errno.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "capture.h"
#include "fragments.h"
#include "link.h"
#include "tunnel.h"
#include "common/file.h"
#include "common/message.h"
#include "common/progress.h"

/* Bytes of a packet from an interface: libpcap's own limit, beyond any GSO packet. */
#define LIVE_SNAPLEN		262144
/* Packets between two looks for a signal, where packets never cease. */
#define LIVE_PACKETS		256
/* Packets after which the clock is read again. */
#define PROGRESS_PACKETS	4096

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
		if (!fragments_add(r->fragments, bytes, there, capture_seconds(packet), &bytes,
				   &there))
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

static void on_frame(const struct pcapng_packet *frame, const struct reader *reader)
{
	struct capture_counts *counts = reader->counts;
	struct capture_packet packet = { counts->packets, frame->time_ns, frame };
	ssize_t at = link_header(frame->link, frame->frame, frame->captured);
	size_t sent;

	if (at == LINK_CUT)
		counts->skipped[NFAC_SKIP_TRUNCATED]++;
	else if (at == LINK_ENCRYPTED)
		counts->encrypted++;
	else if (at < 0)
		counts->other++;
	counts->bytes += frame->sent;
	if (counts->packets % PROGRESS_PACKETS == 0)
		progress_at(-1);
	if (at < 0)
		return;
	sent = frame->sent > frame->captured ? frame->sent : frame->captured;
	on_ip(reader, &packet, frame->frame + at, frame->captured - at, sent - at, 0);
}

static int unknown_link(const char *name, int link, const char *where)
{
	const char *kind = pcap_datalink_val_to_name(link);

	return complain_at(name, 0, "link type %s (%d)%s is not understood", kind ? kind : "?",
			   link, where);
}

/* @unit: nanoseconds of tv_usec, which depends on the precision that libpcap was given */
static void on_pcap(struct pcapng_packet *frame, const struct pcap_pkthdr *head, long unit,
		    const struct reader *reader)
{
	reader->counts->packets++;
	frame->time_ns = head->ts.tv_sec * 1000000000ll + head->ts.tv_usec * unit;
	frame->captured = head->caplen;
	frame->sent = head->len;
	on_frame(frame, reader);
}

static int read_pcap(const char *name, struct input *in, FILE *stream, const struct reader *reader)
{
	struct pcap_pkthdr *head;
	struct pcapng_packet frame;
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO,
								why);
	int got, ret = 0;

	if (!pcap) {
		fclose(stream);
		return complain_at(name, 0, "not a capture: %s",
				   input_error(in) ? input_error(in) : why);
	}
	frame.link = pcap_datalink(pcap);
	if (!link_known(frame.link)) {
		ret = unknown_link(name, frame.link, "");
		goto out;
	}
	while ((got = pcap_next_ex(pcap, &head, &frame.frame)) == 1)
		on_pcap(&frame, head, 1, reader);
	if (got != PCAP_ERROR_BREAK || input_error(in))
		ret = complain_at(name, 0, "after packet %llu: %s",
				  (unsigned long long)reader->counts->packets,
				  input_error(in) ? input_error(in) : pcap_geterr(pcap));
out:
	pcap_close(pcap);
	return ret;
}

static int read_pcapng(const char *name, struct input *in, FILE *stream,
		       const struct reader *reader)
{
	struct pcapng *ng = pcapng_new(stream);
	struct pcapng_packet frame;
	const char *why = NULL;
	int unknown = -1, ret = 0;

	while (ng && pcapng_next(ng, &frame, &why) > 0) {
		reader->counts->packets++;
		if (link_known(frame.link)) {
			on_frame(&frame, reader);
			continue;
		}
		reader->counts->other++;
		/* once for all of an interface's packets, which follow each other */
		if (frame.link != unknown)
			ret = unknown_link(name, frame.link, " of an interface");
		unknown = frame.link;
	}
	why = input_error(in) ? input_error(in) : why;
	if (why)
		ret = complain_at(name, 0, "after packet %llu: %s",
				  (unsigned long long)reader->counts->packets, why);
	if (!ng)
		ret = -1;
	pcapng_free(ng);
	fclose(stream);
	return ret;
}

int capture_read(const char *name, struct input *in, bool deep, capture_fn fn, void *context,
		 struct capture_counts *counts)
{
	struct reader reader = { fn, context, counts, NULL };
	const struct kind *kind = input_kind(in);
	uint64_t before = counts->packets;
	FILE *stream = input_stream(in);
	int ret;

	if (!stream)
		return -1;
	if (deep) {
		reader.fragments = fragments_new();
		if (!reader.fragments) {
			fclose(stream);
			return -1;
		}
	}
	counts->packets = 0;
	name = file_shown_name(name);
	progress_begin(name, in);
	if (kind && kind->magic[0] == '\n')
		ret = read_pcapng(name, in, stream, &reader);
	else
		ret = read_pcap(name, in, stream, &reader);
	progress_end();
	counts->packets += before;
	if (deep)
		counts->skipped[NFAC_SKIP_FRAGMENT] += fragments_left(reader.fragments);
	fragments_free(reader.fragments);
	return ret;
}

/* Return: NULL after saying why. */
static pcap_t *open_live(const char *interface)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_create(interface, why);
	int got;

	if (!pcap) {
		complain_at(interface, 0, "%s", why);
		return NULL;
	}
	pcap_set_snaplen(pcap, LIVE_SNAPLEN);
	pcap_set_promisc(pcap, 1);
	pcap_set_immediate_mode(pcap, 1);
	pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
	got = pcap_activate(pcap);
	if (got >= 0 && link_known(pcap_datalink(pcap)) && !pcap_setnonblock(pcap, 1, why))
		return pcap;
	if (got >= 0)
		unknown_link(interface, pcap_datalink(pcap), "");
	else if (strcmp(pcap_statustostr(got), pcap_geterr(pcap)))
		complain_at(interface, 0, "%s: %s", pcap_statustostr(got), pcap_geterr(pcap));
	else
		complain_at(interface, 0, "%s", pcap_statustostr(got));
	pcap_close(pcap);
	return NULL;
}

/* Wait for a packet or a signal. @wait: both. Return: no signal has come. */
static bool wait_live(struct pollfd wait[2], int timeout)
{
	return poll(wait, 2, timeout) < 0 ? errno == EINTR : !wait[1].revents;
}

static int read_live(const char *interface, pcap_t *pcap, int signals,
		     const struct reader *reader)
{
	const long unit = pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
	struct pollfd wait[] = {
		{ .fd = pcap_get_selectable_fd(pcap), .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	struct pcapng_packet frame = { .link = pcap_datalink(pcap) };
	struct pcap_pkthdr *head;
	struct pcap_stat stat;
	int got;

	complain_at(interface, 0, "listening, link type %s; an interrupt ends it",
		    pcap_datalink_val_to_name(frame.link));
	while ((got = pcap_next_ex(pcap, &head, &frame.frame)) >= 0 && !ferror(stdout)) {
		if (got)
			on_pcap(&frame, head, unit, reader);
		else
			fflush(stdout);
		if ((!got || reader->counts->packets % LIVE_PACKETS == 0) &&
		    !wait_live(wait, got ? 0 : -1))
			break;
	}
	if (!pcap_stats(pcap, &stat) && stat.ps_drop)
		complain_at(interface, 0, "%u packets lost: they came faster than they were searched",
			    stat.ps_drop);
	return got < 0 ? complain_at(interface, 0, "%s", pcap_geterr(pcap)) : 0;
}

int capture_live(const char *interface, bool deep, capture_fn fn, void *context,
		 struct capture_counts *counts)
{
	struct reader reader = { fn, context, counts, NULL };
	pcap_t *pcap = open_live(interface);
	sigset_t set, before;
	int signals, ret = -1;

	if (!pcap)
		return -1;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	reader.fragments = deep ? fragments_new() : NULL;
	if (signals < 0)
		complain("no signals: %s", strerror(errno));
	else if (!deep || reader.fragments)
		ret = read_live(interface, pcap, signals, &reader);
	if (reader.fragments)
		counts->skipped[NFAC_SKIP_FRAGMENT] += fragments_left(reader.fragments);
	fragments_free(reader.fragments);
	if (signals >= 0) {
		/* the signal that ended it has done its work */
		while (read(signals, &(struct signalfd_siginfo){ 0 },
			    sizeof(struct signalfd_siginfo)) > 0)
			;
		close(signals);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	pcap_close(pcap);
	return ret;
}
