/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Streams of a capture: the table, its clock, and what is counted. The capture takes the
 * place of the hook or the queue; all else is stream.c's.
 */
#ifndef _NFAC_CAPTURE_STREAM_H
#define _NFAC_CAPTURE_STREAM_H

#include "capture.h"
#include "stream.h"
#include "../../kmod/engine/decoded_view.h"
#include "commands/stream_options.h"

/**
 * struct capture_streams - the TCP streams of one capture
 * @streams: the table
 * @confirm: of a set that is searched for in the decoded view
 * @unchecked: a segment counts as it is, whatever its checksum
 * @now: the capture's clock, seconds
 * @skipped: segments by what could not be done about them
 * @wrong: segments with data whose checksum is wrong, or that of their IPv4 header
 */
struct capture_streams {
	struct streams *streams;
	struct nfac_confirm confirm;
	bool unchecked;
	int64_t now;
	uint64_t skipped[NFAC_SKIP_MAX];
	uint64_t wrong;
};

/*
 * @decoded: memory of the decoded view, for a set that has one, or NULL. Return: 0; -1 after saying
 * why.
 */
int capture_streams_open(struct capture_streams *cs, const struct stream_options *options,
			 struct nfac_decoded *decoded);
void capture_streams_close(struct capture_streams *cs);

/**
 * capture_stream_scan() - scan a segment's new bytes, where its stream left off
 * @packet: of @payload
 * @payload: of a TCP segment, with data or without
 * @path: how to scan
 * @scan: initialised
 *
 * Return: bytes scanned.
 */
uint32_t capture_stream_scan(struct capture_streams *cs, const struct capture_packet *packet,
			     const struct payload *payload, enum nfac_path path,
			     struct nfac_scan *scan);

/* Say on stderr what the streams of capture @name were like. */
void capture_streams_report(const struct capture_streams *cs, const char *name);

#endif /* _NFAC_CAPTURE_STREAM_H */
