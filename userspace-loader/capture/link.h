/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link layers: what precedes the IP header in the packets of a capture.
 */
#ifndef _NFAC_CAPTURE_LINK_H
#define _NFAC_CAPTURE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LINK_OTHER	-1	/* neither IPv4 nor IPv6 */
#define LINK_CUT	-2	/* the bytes end before an IP header begins */
#define LINK_ENCRYPTED	-3	/* a data frame of 802.11 whose body is encrypted */

/* Is it known how packets of this link type (DLT_* of libpcap, LINKTYPE_* of a file) begin? */
bool link_known(int link);

/**
 * link_header() - where the IP header begins in a frame
 * @type: known
 * @there: bytes of @frame that were captured
 *
 * Return: its place; LINK_*, which are negative.
 */
ssize_t link_header(int type, const uint8_t *frame, size_t there);

#endif /* _NFAC_CAPTURE_LINK_H */
