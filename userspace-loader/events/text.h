/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as text: a line for people, a line of JSON or of Suricata's EVE JSON; or as an
 * entry of the journal. Shared by `nfac watch` and `nfac queue`.
 */
#ifndef _NFAC_EVENT_TEXT_H
#define _NFAC_EVENT_TEXT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/nfac.h>

#include "common/pattern_text.h"

struct payload;

enum event_format {
	EVENT_TEXT,
	EVENT_JSON,
	EVENT_EVE,
	EVENT_JOURNAL,
};

#define EVENT_ADDRESS_ROOM	INET6_ADDRSTRLEN

/**
 * event_format_choose() - choose the format that an option asks for
 * @format: the command's choice so far
 *
 * Return: 0; -1 after saying that another one was chosen too, or that there is no journal.
 */
int event_format_choose(enum event_format *format, enum event_format wanted);

/* "2026-11-20T23:52:35.123456" in UTC, with @between the date and the time */
void event_time(char *to, size_t room, __u64 time_ns, char between);

/* @address, of the event's family, into EVENT_ADDRESS_ROOM */
void event_address(char *to, const struct nfac_event *event, const __u8 *address);

/* Name in upper or lower case, or the number if there is none. */
void event_protocol(char *to, size_t room, const struct nfac_event *event, bool upper);

/* "drop" or "accept" */
const char *event_verdict(const struct nfac_event *event);

/* Members of a JSON object: protocol, addresses and ports. Needs no more of the event. */
void event_json_ends(FILE *to, const struct nfac_event *event);

/**
 * event_print() - print one event, or send it to the journal
 * @to: stdout, or the stream of a thread
 * @text: of the event's pattern; may be nameless
 * @folded: events of the same kind that are not printed (fold.h)
 */
void event_print(FILE *to, const struct nfac_event *event, const struct pattern_text *text,
		 uint64_t folded, enum event_format format);

/*
 * The same as EVE, with the fields of HTTP, DNS or TLS that eve_application() reads in @payload,
 * which is that of the event's packet. @payload may be NULL.
 */
void event_print_eve(FILE *to, const struct nfac_event *event, const struct pattern_text *text,
		     uint64_t folded, const struct payload *payload);

/**
 * event_flush() - write out the events that were printed
 * @meanwhile: what goes on when they cannot be written, for the sentence that says so once
 */
void event_flush(const char *meanwhile);

#endif /* _NFAC_EVENT_TEXT_H */
