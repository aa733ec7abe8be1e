/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pcapng: packets of all sections and interfaces, called by capture.c. libpcap refuses a file
 * whose interfaces differ in link type or snap length, as mergecap and `tcpdump -i any` of several
 * hosts write them. Format: draft-ietf-opsawg-pcapng.
 */
#ifndef _NFAC_PCAPNG_H
#define _NFAC_PCAPNG_H

#include <stdint.h>
#include <stdio.h>

struct pcapng;

/**
 * struct pcapng_packet - one packet
 * @link: LINKTYPE_* of its interface
 * @time_ns: nanoseconds since 1970; 0 where the block has no time
 * @captured: bytes at @frame, which is valid until the next call
 * @sent: bytes that the packet had
 */
struct pcapng_packet {
	int link;
	int64_t time_ns;
	uint32_t captured, sent;
	const uint8_t *frame;
};

/* @stream: stays the caller's. Return: NULL after saying that memory is out. */
struct pcapng *pcapng_new(FILE *stream);

/* Return: 1: a packet; 0: the end; -1: damaged, @why is set. */
int pcapng_next(struct pcapng *ng, struct pcapng_packet *packet, const char **why);
void pcapng_free(struct pcapng *ng);

#endif /* _NFAC_PCAPNG_H */
