// SPDX-License-Identifier: GPL-2.0
/*
 * Streams of a capture: passes each TCP segment of capture_search.c to stream.c, with the
 * capture's time as the clock.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture_stream.h"
#include "common/message.h"

int capture_streams_open(struct capture_streams *cs, const struct stream_options *options,
			 struct nfac_decoded *decoded)
{
	memset(cs, 0, sizeof(*cs));
	cs->now = INT64_MIN;
	cs->unchecked = options->unchecked;
	cs->confirm.copy = (uint8_t *)decoded;
	cs->streams = streams_new(options->places, options->idle);
	if (cs->streams && (!decoded || !streams_windows(cs->streams, NFAC_WINDOW_DEFAULT)))
		return 0;
	streams_free(cs->streams);
	return -1;
}

void capture_streams_close(struct capture_streams *cs)
{
	streams_free(cs->streams);
}

/*
 * Does a receiver accept the segment, and a router forward it? For a segment that the capture
 * holds in part this is unknown, and the segment counts as unreadable if it is new. A segment
 * that this host sent may have been captured before the network card wrote the checksum.
 */
static bool is_whole(const struct capture_streams *cs, const struct payload *payload)
{
	if (cs->unchecked)
		return true;
	return payload_header_sound(payload) &&
	       (payload->cut || payload_checksum(payload) || payload_unready(payload));
}

/* Milliseconds. A clock that goes back would make all streams look idle, so it never does. */
static uint32_t clock_of(struct capture_streams *cs, const struct capture_packet *packet)
{
	int64_t seconds = capture_seconds(packet);

	if (seconds > cs->now)
		cs->now = seconds;
	return cs->now * 1000;
}

uint32_t capture_stream_scan(struct capture_streams *cs, const struct capture_packet *packet,
			     const struct payload *payload, enum nfac_path path,
			     struct nfac_scan *scan)
{
	struct nfac_source source = { payload->bytes, payload->captured, path };
	/* no attachment: there is one, which does nothing, and restarts behind a gap */
	struct nfac_segment seg = {
		.source = &source, .clock.now = clock_of(cs, packet), .confirm = &cs->confirm,
	};
	bool whole = is_whole(cs, payload);
	uint32_t why;

	stream_scan(cs->streams, payload, whole, &seg, scan);
	/* each reason counts: a segment behind a gap may reach the cap, too */
	if (scan->capped)
		nfac_segment_note(&seg, NFAC_SKIP_OUTPUT_CAP);
	for (why = 0; why < NFAC_SKIP_MAX; why++)
		cs->skipped[why] += seg.skips >> why & 1;
	cs->wrong += payload->length && !whole;
	return seg.scanned;
}

void capture_streams_report(const struct capture_streams *cs, const char *name)
{
	static const enum nfac_skip reasons[] = {
		NFAC_SKIP_GAP, NFAC_SKIP_WINDOW, NFAC_SKIP_UNREADABLE, NFAC_SKIP_TABLE_FULL,
		NFAC_SKIP_OUTPUT_CAP,
	};
	struct stream_count counts[STREAM_COUNTS];
	char *shown = name_on_line(name);
	FILE *to = message_stream();
	size_t i;

	fprintf(to, "nfac: %s: streams:", shown ? shown : "?");
	free(shown);
	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		fprintf(to, " skipped_%s %" PRIu64 ",", skip_name(reasons[i]),
			cs->skipped[reasons[i]]);
	streams_counts(cs->streams, counts);
	for (i = 0; i < STREAM_COUNTS; i++)
		fprintf(to, " %s %" PRIu64 ",", counts[i].name, counts[i].value);
	fprintf(to, " wrong_checksum %" PRIu64 "\n", cs->wrong);
}
