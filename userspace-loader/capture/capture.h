/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Captures: packets of pcap and pcapng.
 */
#ifndef _NFAC_CAPTURE_H
#define _NFAC_CAPTURE_H

#include "common/input.h"
#include "payload.h"

/**
 * struct capture_counts - packets by what was done with them
 * @packets: all of them
 * @other: neither IPv4 nor IPv6
 * @encrypted: frames of 802.11
 * @cut: scanned, but the capture holds only a part of the payload
 * @skipped: not scanned, by reason
 */
struct capture_counts {
	uint64_t packets;
	uint64_t other;
	uint64_t encrypted;
	uint64_t cut;
	uint64_t skipped[NFAC_SKIP_MAX];
};

/* The place and the time of a packet: @number counts all packets, from 1. */
struct capture_packet {
	uint64_t number;
	int64_t seconds;
};

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

#endif /* _NFAC_CAPTURE_H */
