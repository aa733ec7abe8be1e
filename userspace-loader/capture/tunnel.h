/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets inside of packets: IP in IP, GRE, ERSPAN, VXLAN, Geneve.
 */
#ifndef _NFAC_TUNNEL_H
#define _NFAC_TUNNEL_H

#include <sys/types.h>

#include "payload.h"

/* Packets within each other that are followed. */
#define TUNNELS_MAX	4

/**
 * tunnel_inner() - find the packet inside of a packet
 * @payload: with its bytes, of whatever protocol
 *
 * Return: offset of the inner IP header in payload->bytes; -1: there is none.
 */
ssize_t tunnel_inner(const struct payload *payload);

#endif /* _NFAC_TUNNEL_H */
