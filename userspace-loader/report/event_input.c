// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of events in JSON and EVE JSON, one line at a time, by jansson.
 */
#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/message.h"
#include "common/pattern_text.h"
#include "event_input.h"

/* Lines that are not JSON and are reported one by one. */
#define BAD_LINES_SHOWN	3u

/* "2026-11-26T05:40:12.123456Z", or with an offset as +0100. Return: 0: it is none. */
static int64_t read_time(const char *text)
{
	int64_t ns = 0, unit = 100000000;
	int hours, minutes;
	struct tm tm = { 0 };
	const char *at;
	time_t seconds;
	char sign;

	at = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	if (!at)
		return 0;
	seconds = timegm(&tm);
	if (*at == '.') {
		for (at++; *at >= '0' && *at <= '9'; at++, unit /= 10)
			ns += (*at - '0') * unit;
	}
	if (sscanf(at, "%c%2d%2d", &sign, &hours, &minutes) == 3 && (sign == '+' || sign == '-'))
		seconds -= (sign == '-' ? -60 : 60) * (hours * 60 + minutes);
	/* later ones do not fit into 64 bits of nanoseconds */
	return seconds < 0 || seconds > INT64_MAX / 2000000000 ? 0 : seconds * 1000000000 + ns;
}

static uint8_t read_protocol(const char *name)
{
	static const struct {
		const char *name;
		uint8_t protocol;
	} names[] = {
		{ "tcp", IPPROTO_TCP }, { "udp", IPPROTO_UDP }, { "icmp", IPPROTO_ICMP },
		{ "icmpv6", IPPROTO_ICMPV6 }, { "ipv6-icmp", IPPROTO_ICMPV6 },
		{ "sctp", IPPROTO_SCTP }, { "udplite", IPPROTO_UDPLITE },
	};
	size_t i;

	if (!name)
		return 0;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(names[i].name, name))
			return names[i].protocol;
	/* "protocol 47" in --json, "047" in --eve */
	return atoi(strncmp(name, "protocol ", 9) ? name : name + 9);
}

static const char *text_of(const json_t *event, const char *key)
{
	return json_string_value(json_object_get(event, key));
}

static int64_t number_of(const json_t *event, const char *key)
{
	return json_integer_value(json_object_get(event, key));
}

static bool read_address(const char *text, uint8_t address[16], uint8_t *family)
{
	*family = text && strchr(text, ':') ? AF_INET6 : AF_INET;
	return text && inet_pton(*family, text, address) == 1;
}

/* @prefix: "src" in --json, "src_ip" in --eve, and so on */
static bool read_ends(const json_t *event, bool eve, struct payload *ends)
{
	uint8_t family;

	memset(ends, 0, sizeof(*ends));
	ends->protocol = read_protocol(text_of(event, "proto"));
	ends->sport = number_of(event, eve ? "src_port" : "sport");
	ends->dport = number_of(event, eve ? "dest_port" : "dport");
	return read_address(text_of(event, eve ? "src_ip" : "src"), ends->saddr, &ends->family) &&
	       read_address(text_of(event, eve ? "dest_ip" : "dst"), ends->daddr, &family) &&
	       family == ends->family;
}

/* The pattern as in a plain pattern file; allocated. */
static char *read_pattern(const json_t *event)
{
	const json_t *pattern = json_object_get(event, "pattern");

	if (!json_is_string(pattern))
		return strdup("?");
	/* with its bytes beside it, the text is escaped */
	if (json_object_get(event, "pattern_hex"))
		return strdup(json_string_value(pattern));
	return pattern_escape((const uint8_t *)json_string_value(pattern),
			      json_string_length(pattern));
}

static bool add_json(struct findings *findings, const json_t *event)
{
	const char *verdict = text_of(event, "verdict");
	struct payload ends;
	struct finding finding = {
		.time_ns = read_time(text_of(event, "time")),
		.count = 1 + number_of(event, "folded"),
		.dropped = verdict && !strcmp(verdict, "dropped"),
		.inexact = json_is_true(json_object_get(event, "inexact")),
		.set = text_of(event, "set"),
		.label = text_of(event, "msg"),
		.shown = number_of(event, "id"),
		.ends = &ends,
	};
	char *pattern;

	if (!finding.set || !json_object_get(event, "id") || !read_ends(event, false, &ends))
		return false;
	pattern = read_pattern(event);
	finding.pattern = pattern ? pattern : "?";
	findings_add(findings, &finding);
	findings->lost += number_of(event, "lost");
	free(pattern);
	return true;
}

/* A value among the alert's metadata; NULL: it is not there. */
static const char *metadata_of(const json_t *alert, const char *key)
{
	return json_string_value(json_array_get(json_object_get(json_object_get(alert, "metadata"),
								key), 0));
}

static uint64_t metadata_number(const json_t *alert, const char *key)
{
	const char *value = metadata_of(alert, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

static bool add_eve(struct findings *findings, const json_t *event)
{
	const json_t *alert = json_object_get(event, "alert");
	const char *set = metadata_of(alert, "nfac_set"), *action = text_of(alert, "action");
	struct payload ends;
	struct finding finding = {
		.time_ns = read_time(text_of(event, "timestamp")),
		.count = 1 + metadata_number(alert, "nfac_folded"),
		.dropped = action && !strcmp(action, "blocked"),
		.inexact = metadata_of(alert, "nfac_inexact"),
		.set = set ? set : "",
		.pattern = text_of(alert, "signature"),
		.shown = number_of(alert, "signature_id"),
		.ends = &ends,
	};

	if (!alert || !finding.pattern || !read_ends(event, true, &ends))
		return false;
	findings_add(findings, &finding);
	findings->lost += metadata_number(alert, "nfac_lost");
	return true;
}

static bool add_event(struct findings *findings, const json_t *event)
{
	if (json_object_get(event, "event_type"))
		return add_eve(findings, event);
	return add_json(findings, event);
}

int event_input_read(struct findings *findings, const char *name, struct input *in,
		     uint64_t *lines)
{
	FILE *stream = input_stream(in);
	unsigned int number = 0, bad = 0;
	char *line = NULL;
	size_t room = 0;
	json_error_t why;
	ssize_t length;
	json_t *event;

	*lines = 0;
	if (!stream)
		return -1;
	while ((length = getline(&line, &room, stream)) > 0) {
		number++;
		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		event = json_loadb(line, length, JSON_ALLOW_NUL, &why);
		if (!json_is_object(event) && bad++ < BAD_LINES_SHOWN)
			complain_at(name, number, "no event in JSON: %s",
				    event ? "not an object" : why.text);
		else if (json_is_object(event))
			*lines += add_event(findings, event);
		json_decref(event);
	}
	if (bad > BAD_LINES_SHOWN)
		complain_at(name, 0, "%u more lines that are no events in JSON",
			    bad - BAD_LINES_SHOWN);
	free(line);
	fclose(stream);
	if (input_error(in))
		return complain_at(name, 0, "%s", input_error(in));
	return bad ? -1 : 0;
}
