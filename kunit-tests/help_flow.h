/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Segments of a TCP direction, at an attachment of the set "small" that follows it.
 */
#ifndef _NFAC_KUNIT_HELP_FLOW_H
#define _NFAC_KUNIT_HELP_FLOW_H

#include <linux/netfilter.h>

#include "help_hook.h"

#define FLOW_START	1000u	/* sequence number of the first byte */

#define DROPPED		((unsigned int)NF_DROP)
#define PASSED		((unsigned int)NF_ACCEPT)

/* A suite's init and exit. */
int flow_init(struct kunit *test);
void flow_exit(struct kunit *test);

struct nfac_attachment *flow_attach(struct kunit *test, u32 flags);
/* To port 80 alone, and one bucket is all of the flow table. */
struct nfac_attachment *flow_attach_small(struct kunit *test, u32 flags);

/**
 * struct flow_segment - one segment
 * @sport: the client's port; the server's is 80
 * @back: it goes to the client
 * @flags: TCPHDR_*
 * @at: of its sequence number behind FLOW_START
 * @ack: acknowledgment number behind FLOW_START
 * @window: as in the header
 * @urgent: the urgent pointer
 * @stamps: it has timestamps
 * @value: TSval
 * @echo: TSecr
 * @text: its payload
 * @len: bytes of @text
 */
struct flow_segment {
	u16 sport;
	bool back;
	u32 flags;
	u32 at;
	u32 ack;
	u16 window;
	u16 urgent;
	bool stamps;
	u32 value;
	u32 echo;
	const void *text;
	u32 len;
};

unsigned int flow_segment(struct kunit *test, struct nfac_attachment *att,
			  const struct flow_segment *segment);

/* A connection that both sides agree to; the server's first byte is FLOW_SERVER's. */
#define FLOW_SERVER	500000u
void flow_open(struct kunit *test, struct nfac_attachment *att, u16 sport);
/* The server acknowledges @ack bytes, and has room for @window more. */
void flow_window(struct kunit *test, struct nfac_attachment *att, u16 sport, u32 ack,
		 u16 window);

/* One segment: @at bytes behind the stream's first one. */
unsigned int flow_send(struct kunit *test, struct nfac_attachment *att, u16 sport,
		       u32 flags, u32 at, const void *text, u32 len);
/* And of the other direction. */
unsigned int flow_back(struct kunit *test, struct nfac_attachment *att, u16 sport,
		       u32 flags, u32 at, const char *text);
/* With an urgent pointer. */
unsigned int flow_point(struct kunit *test, struct nfac_attachment *att, u16 sport,
			u32 flags, u32 at, u16 urgent, const char *text);
unsigned int flow_text(struct kunit *test, struct nfac_attachment *att, u16 sport, u32 at,
		       const char *text);
void flow_syn(struct kunit *test, struct nfac_attachment *att, u16 sport);
u64 flow_matches(const struct nfac_attachment *att);

#endif /* _NFAC_KUNIT_HELP_FLOW_H */
