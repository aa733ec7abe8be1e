/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packet writer: packets of captures into a new capture (pcap, nanoseconds).
 */
#ifndef _NFAC_PACKET_WRITER_H
#define _NFAC_PACKET_WRITER_H

#include "capture.h"

struct packet_writer;

/* @name: the file; "-": standard output. Return: NULL after saying why. */
struct packet_writer *packet_writer_open(const char *name);

/**
 * packet_writer_put() - write a packet, unless it was the last one written
 *
 * The link type of the file is that of its first packet; packets of another are left out, which
 * is reported once.
 */
void packet_writer_put(struct packet_writer *writer, const struct capture_packet *packet);

/* Another capture begins, whose packets are numbered from 1. */
void packet_writer_next(struct packet_writer *writer);

/* Write out what is left. Return: 0; -1 after saying why, also for packets that were left out. */
int packet_writer_close(struct packet_writer *writer);

#endif /* _NFAC_PACKET_WRITER_H */
