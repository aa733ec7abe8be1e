/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Captures: packets of pcap and pcapng.
 */
#ifndef _NFAC_CAPTURE_H
#define _NFAC_CAPTURE_H

#include "common/input.h"
#include "payload.h"
#include "pcapng.h"

/**
 * struct capture_counts - packets by what was done with them
 * @packets: all of them; @bytes: that they had when they were sent
 * @other: neither IPv4 nor IPv6
 * @encrypted: frames of 802.11
 * @cut: scanned, but the capture holds only a part of the payload
 * @skipped: not scanned, by reason
 */
struct capture_counts {
	uint64_t packets, bytes;
	uint64_t other;
	uint64_t encrypted;
	uint64_t cut;
	uint64_t skipped[NFAC_SKIP_MAX];
};

/**
 * struct capture_packet - the place and the time of a packet
 * @number: counts all packets, from 1
 * @time_ns: nanoseconds since 1970; 0: not known
 * @frame: its bytes from the link header on
 */
struct capture_packet {
	uint64_t number;
	int64_t time_ns;
	const struct pcapng_packet *frame;
};

/* Whole seconds, rounded down. */
static inline int64_t capture_seconds(const struct capture_packet *packet)
{
	return packet->time_ns / 1000000000 - (packet->time_ns % 1000000000 < 0);
}

/*
 * Called for each TCP segment, UDP datagram and, where the capture is read deep, ICMP message, also
 * if its payload is empty.
 */
typedef void (*capture_fn)(void *context, const struct capture_packet *packet,
			   const struct payload *payload);

/**
 * capture_read() - read a capture to its end
 * @name: of @in, for messages
 * @deep: read ICMP, put fragments together, and read packets inside of tunnels
 * @counts: added to
 *
 * Return: 0, or -1 after saying why; what was read until then was passed to @fn.
 */
int capture_read(const char *name, struct input *in, bool deep, capture_fn fn, void *context,
		 struct capture_counts *counts);

/**
 * capture_live() - read an interface's packets until SIGINT or SIGTERM
 * @interface: as libpcap names it; "any": all
 *
 * Standard output is flushed whenever no packet waits. Needs CAP_NET_RAW.
 *
 * Return: as capture_read().
 */
int capture_live(const char *interface, bool deep, capture_fn fn, void *context,
		 struct capture_counts *counts);

#endif /* _NFAC_CAPTURE_H */
