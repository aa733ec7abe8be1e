// SPDX-License-Identifier: GPL-2.0
/*
 * The forms of an event: a line of text, JSON, Suricata's EVE JSON.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <net/if.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/device.h"
#include "eve_application.h"
#include "journal.h"
#include "text.h"
#include "common/message.h"

int event_format_choose(enum event_format *format, enum event_format wanted)
{
	if (*format != EVENT_TEXT && *format != wanted)
		return complain("either --json, --eve or --journal");
	*format = wanted;
	return wanted == EVENT_JOURNAL ? event_journal_check() : 0;
}

void event_time(char *to, size_t room, __u64 time_ns, char between)
{
	time_t seconds = time_ns / 1000000000;
	struct tm tm;
	size_t at;

	gmtime_r(&seconds, &tm);
	at = strftime(to, room, "%Y-%m-%dT%H:%M:%S", &tm);
	to[10] = between;
	snprintf(to + at, room - at, ".%06u", (unsigned int)(time_ns % 1000000000 / 1000));
}

void event_address(char *to, const struct nfac_event *event, const __u8 *address)
{
	if (!inet_ntop(event->family, address, to, EVENT_ADDRESS_ROOM))
		strcpy(to, "?");
}

void event_protocol(char *to, size_t room, const struct nfac_event *event, bool upper)
{
	static const struct {
		__u8 protocol;
		const char *lower, *upper;
	} names[] = {
		{ IPPROTO_TCP, "tcp", "TCP" },
		{ IPPROTO_UDP, "udp", "UDP" },
		{ IPPROTO_ICMP, "icmp", "ICMP" },
		{ IPPROTO_ICMPV6, "icmpv6", "IPv6-ICMP" },
		{ IPPROTO_SCTP, "sctp", "SCTP" },
		{ IPPROTO_UDPLITE, "udplite", "UDPLITE" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].protocol != event->protocol)
			continue;
		snprintf(to, room, "%s", upper ? names[i].upper : names[i].lower);
		return;
	}
	snprintf(to, room, upper ? "%03u" : "protocol %u", event->protocol);
}

const char *event_verdict(const struct nfac_event *event)
{
	static const char *const words[] = {
		[NFAC_VERDICT_ACCEPT] = "reported",
		[NFAC_VERDICT_DROP] = "dropped",
		[NFAC_VERDICT_MARK] = "marked",
	};

	return event->verdict < sizeof(words) / sizeof(*words) ? words[event->verdict] : "unknown";
}

static void print_endpoint(FILE *to, const struct nfac_event *event, const char *address,
			   __u16 port)
{
	const char *format = !port ? "%s" : event->family == AF_INET6 ? "[%s]:%u" : "%s:%u";

	fprintf(to, format, address, port);
}

static void print_text(FILE *to, const struct nfac_event *event,
		       const struct pattern_text *text, uint64_t folded)
{
	char source[EVENT_ADDRESS_ROOM], target[EVENT_ADDRESS_ROOM], when[40], protocol[16];

	event_time(when, sizeof(when), event->time_ns, ' ');
	event_address(source, event, event->saddr);
	event_address(target, event, event->daddr);
	event_protocol(protocol, sizeof(protocol), event, false);
	if (event->lost)
		fprintf(to, "%s %" PRIu32 " events lost\n", when, event->lost);
	fprintf(to, "%s %.*s: pattern %" PRIu32 " \"%s\" at offset %" PRId64 ", length %" PRIu32 ", %s ",
		when, NFAC_NAME_LEN, event->set, text->shown, text->plain,
		(int64_t)event->offset, event->length, protocol);
	print_endpoint(to, event, source, event->sport);
	fputs(" > ", to);
	print_endpoint(to, event, target, event->dport);
	fprintf(to, ", %s%s", event_verdict(event),
		event->flags & NFAC_EVENT_INEXACT ? ", inexact" :
		event->flags & NFAC_EVENT_DECODED ? ", decoded" : "");
	if (folded)
		fprintf(to, " (%" PRIu64 " more)", folded);
	putc('\n', to);
}

void event_json_ends(FILE *to, const struct nfac_event *event)
{
	char source[EVENT_ADDRESS_ROOM], target[EVENT_ADDRESS_ROOM], protocol[16];

	event_address(source, event, event->saddr);
	event_address(target, event, event->daddr);
	event_protocol(protocol, sizeof(protocol), event, false);
	fprintf(to, "\"proto\":\"%s\",\"src\":\"%s\",\"sport\":%u,\"dst\":\"%s\",\"dport\":%u",
		protocol, source, event->sport, target, event->dport);
}

/* The name of the event's set as a JSON string; NULL without memory. */
static char *quoted_set(const struct nfac_event *event)
{
	json_t *name = json_stringn(event->set, strnlen(event->set, NFAC_NAME_LEN));
	char *quoted = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL;

	json_decref(name);
	return quoted;
}

/*
 * Without an object of jansson's, because a busy filter prints many events a second: an event
 * costs 1.0 us by printf(), and 5.3 us by json_pack() and json_dumpf() (AMD EPYC, jansson 2.14).
 */
static void print_json(FILE *to, const struct nfac_event *event,
		       const struct pattern_text *text, uint64_t folded)
{
	char when[40];
	char *set = quoted_set(event);

	event_time(when, sizeof(when), event->time_ns, 'T');
	fprintf(to, "{\"time\":\"%sZ\",\"set\":%s,\"id\":%" PRIu32 ",\"offset\":%" PRId64
		",\"length\":%" PRIu32 "%s%s", when, set ? set : "\"?\"", text->shown,
		(int64_t)event->offset, event->length, *text->json ? "," : "", text->json);
	fprintf(to, ",\"stream_offset\":%" PRId64 ",\"payload\":%" PRIu32 ",\"packet\":%" PRIu64
		",\"attachment\":%" PRIu32 ",\"hook\":\"%s\",",
		(int64_t)event->stream_offset, event->payload_len, (uint64_t)event->packet,
		event->attachment, hook_name(event->hook));
	event_json_ends(to, event);
	fprintf(to, ",\"mark\":%" PRIu32 ",\"verdict\":\"%s\"%s,\"lost\":%" PRIu32,
		event->mark, event_verdict(event),
		event->flags & NFAC_EVENT_INEXACT ? ",\"inexact\":true" :
		event->flags & NFAC_EVENT_DECODED ? ",\"decoded\":true" : "", event->lost);
	if (folded)
		fprintf(to, ",\"folded\":%" PRIu64, folded);
	fputs("}\n", to);
	free(set);
}

/*
 * The same for both directions of a flow, as Suricata's: FNV-1a (Fowler, Noll, Vo) of each
 * end, the two added. 53 bits, as many readers of JSON take numbers for doubles.
 */
static uint64_t end_hash(const __u8 *address, __u16 port, __u8 protocol)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	const __u8 tail[] = { port >> 8, port & 255, protocol };
	size_t i;

	for (i = 0; i < 16; i++)
		hash = (hash ^ address[i]) * 0x100000001b3ull;
	for (i = 0; i < sizeof(tail); i++)
		hash = (hash ^ tail[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t flow_id(const struct nfac_event *event)
{
	return (end_hash(event->saddr, event->sport, event->protocol) +
		end_hash(event->daddr, event->dport, event->protocol)) >> 11;
}

/* Suricata's severity of a pattern that is of no rule: 1 is the highest, 3 the default of rules. */
#define EVE_SEVERITY	2

/* A class in words, as Suricata's category; without one Suricata has an empty string. */
static const char *event_category(const struct rule_details *rule)
{
	const struct rule_class *class = rule->classtype ? rule_class_find(rule->classtype) : NULL;

	return class ? class->text : rule->classtype ? rule->classtype : "";
}

/* Suricata's metadata are lists of strings. */
static void add_metadata(json_t *metadata, const char *key, const char *value)
{
	json_object_set_new(metadata, key, json_pack("[s]", value));
}

static void add_number(json_t *metadata, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_metadata(metadata, key, text);
}

/*
 * What Suricata's schema has no field for is among the alert's metadata, the one object that is
 * open: there it also puts what a rule says.
 */
static json_t *eve_metadata(const struct nfac_event *event, const struct rule_details *rule,
			    uint64_t folded)
{
	json_t *metadata = rule->metadata ? json_copy(rule->metadata) : json_object();
	char set[NFAC_NAME_LEN + 1];

	snprintf(set, sizeof(set), "%.*s", NFAC_NAME_LEN, event->set);
	add_metadata(metadata, "nfac_set", set);
	add_number(metadata, "nfac_offset", event->offset);
	add_number(metadata, "nfac_length", event->length);
	add_number(metadata, "nfac_attachment", event->attachment);
	add_number(metadata, "nfac_packet", event->packet);
	add_number(metadata, "nfac_mark", event->mark);
	add_number(metadata, "nfac_lost", event->lost);
	if (event->flags & NFAC_EVENT_INEXACT)
		add_metadata(metadata, "nfac_inexact", "true");
	if (event->flags & NFAC_EVENT_DECODED)
		add_metadata(metadata, "nfac_decoded", "true");
	if (folded)
		add_number(metadata, "nfac_folded", folded);
	return metadata;
}

static json_t *eve_alert(const struct nfac_event *event, const struct pattern_text *text,
			 uint64_t folded)
{
	const char *signature = text->label ? text->label : text->plain, *class;
	const struct rule_details *rule = &text->details;
	json_t *name = json_string(signature);
	char category[NFAC_NAME_LEN + 8];

	snprintf(category, sizeof(category), "nfac %.*s", NFAC_NAME_LEN, event->set);
	/* a label that is not UTF-8 */
	if (!name)
		name = json_string(text->plain);
	class = rule->sid ? event_category(rule) : category;
	return json_pack("{s:s,s:I,s:I,s:I,s:o,s:s,s:i,s:o}",
			 "action", event->verdict == NFAC_VERDICT_DROP ? "blocked" : "allowed",
			 "gid", (json_int_t)pattern_group(text),
			 "signature_id", (json_int_t)text->shown,
			 "rev", (json_int_t)(rule->sid ? rule->rev : 1),
			 "signature", name, "category", class,
			 "severity", rule->sid ? (int)rule->priority : EVE_SEVERITY,
			 "metadata", eve_metadata(event, rule, folded));
}

void event_print_eve(FILE *to, const struct nfac_event *event, const struct pattern_text *text,
		     uint64_t folded, const struct payload *payload)
{
	char source[EVENT_ADDRESS_ROOM], target[EVENT_ADDRESS_ROOM], when[40], protocol[16];
	char interface[IF_NAMESIZE];
	json_t *eve = json_object();

	event_time(when, sizeof(when) - 5, event->time_ns, 'T');
	strcat(when, "+0000");
	event_address(source, event, event->saddr);
	event_address(target, event, event->daddr);
	event_protocol(protocol, sizeof(protocol), event, true);
	json_object_set_new(eve, "timestamp", json_string(when));
	json_object_set_new(eve, "flow_id", json_integer(flow_id(event)));
	if (event->ifindex_in && if_indextoname(event->ifindex_in, interface))
		json_object_set_new(eve, "in_iface", json_string(interface));
	json_object_set_new(eve, "event_type", json_string("alert"));
	json_object_set_new(eve, "src_ip", json_string(source));
	json_object_set_new(eve, "src_port", json_integer(event->sport));
	json_object_set_new(eve, "dest_ip", json_string(target));
	json_object_set_new(eve, "dest_port", json_integer(event->dport));
	json_object_set_new(eve, "proto", json_string(protocol));
	json_object_set_new(eve, "alert", eve_alert(event, text, folded));
	if (payload)
		eve_application(eve, payload);
	json_print(to, eve);
}

void event_print(FILE *to, const struct nfac_event *event, const struct pattern_text *text,
		 uint64_t folded, enum event_format format)
{
	switch (format) {
	case EVENT_TEXT:
		print_text(to, event, text, folded);
		break;
	case EVENT_JSON:
		print_json(to, event, text, folded);
		break;
	case EVENT_EVE:
		event_print_eve(to, event, text, folded, NULL);
		break;
	case EVENT_JOURNAL:
		event_journal(event, text, folded);
		break;
	}
}

void event_flush(const char *meanwhile)
{
	static bool reported;

	if (!fflush(stdout))
		return;
	if (!reported)
		complain("cannot write the events: %s; %s", strerror(errno), meanwhile);
	reported = true;
	/* a part of it may be written: once the disk has space, the next event begins a line */
	__fpurge(stdout);
	putchar('\n');
}
