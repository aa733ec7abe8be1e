// SPDX-License-Identifier: GPL-2.0
/*
 * A rule's header: action protocol address port direction address port.
 */
#include <ctype.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/options.h"
#include "suricata.h"

/* The protocols of packets come first; all others are followed over segments. */
static const struct rule_protocol protocols[] = {
	{ "ip", { 0 }, true },
	{ "tcp", { IPPROTO_TCP }, true },
	{ "tcp-pkt", { IPPROTO_TCP }, true },
	{ "tcp-stream", { IPPROTO_TCP }, false },
	{ "udp", { IPPROTO_UDP }, true },
	{ "icmp", { IPPROTO_ICMP, IPPROTO_ICMPV6 }, false },
	{ "icmpv4", { IPPROTO_ICMP }, false },
	{ "icmpv6", { IPPROTO_ICMPV6 }, false },
	{ "sctp", { IPPROTO_SCTP }, false },
	{ "http", { IPPROTO_TCP }, false },
	{ "http1", { IPPROTO_TCP }, false },
	{ "http2", { IPPROTO_TCP }, false },
	{ "tls", { IPPROTO_TCP }, false },
	{ "ssl", { IPPROTO_TCP }, false },
	{ "ssh", { IPPROTO_TCP }, false },
	{ "smtp", { IPPROTO_TCP }, false },
	{ "imap", { IPPROTO_TCP }, false },
	{ "pop3", { IPPROTO_TCP }, false },
	{ "ftp", { IPPROTO_TCP }, false },
	{ "ftp-data", { IPPROTO_TCP }, false },
	{ "smb", { IPPROTO_TCP }, false },
	{ "rdp", { IPPROTO_TCP }, false },
	{ "rfb", { IPPROTO_TCP }, false },
	{ "mqtt", { IPPROTO_TCP }, false },
	{ "telnet", { IPPROTO_TCP }, false },
	{ "modbus", { IPPROTO_TCP }, false },
	{ "pgsql", { IPPROTO_TCP }, false },
	{ "websocket", { IPPROTO_TCP }, false },
	{ "doh2", { IPPROTO_TCP }, false },
	{ "tftp", { IPPROTO_UDP }, true },
	{ "ntp", { IPPROTO_UDP }, true },
	{ "dhcp", { IPPROTO_UDP }, true },
	{ "snmp", { IPPROTO_UDP }, true },
	{ "ike", { IPPROTO_UDP }, true },
	{ "quic", { IPPROTO_UDP }, true },
	{ "mdns", { IPPROTO_UDP }, true },
	{ "bittorrent-dht", { IPPROTO_UDP }, true },
	{ "dns", { IPPROTO_UDP, IPPROTO_TCP }, false },
	{ "sip", { IPPROTO_UDP, IPPROTO_TCP }, false },
	{ "krb5", { IPPROTO_UDP, IPPROTO_TCP }, false },
	{ "dcerpc", { IPPROTO_UDP, IPPROTO_TCP }, false },
	{ "nfs", { IPPROTO_UDP, IPPROTO_TCP }, false },
	{ "enip", { IPPROTO_UDP, IPPROTO_TCP }, false },
	{ "ldap", { IPPROTO_UDP, IPPROTO_TCP }, false },
	{ "dnp3", { IPPROTO_TCP }, false },
};

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static int bad(const struct rule *rule, const char *what)
{
	return complain_at(rule->place.file, rule->place.line, "not a rule: %s", what);
}

/* The next word; blanks within brackets belong to it. NULL: there is none. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t"), *end = word;
	int depth = 0;

	while (*end && (depth > 0 || (*end != ' ' && *end != '\t'))) {
		depth += *end == '[' ? 1 : *end == ']' ? -1 : 0;
		end++;
	}
	*at = *end ? end + 1 : end;
	*end = 0;
	return *word ? word : NULL;
}

static void set_protocol(struct rule *rule, const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(protocols); i++) {
		if (strcasecmp(protocols[i].name, name))
			continue;
		rule->protocol = protocols[i];
		return;
	}
	rule->protocol = (struct rule_protocol) { .name = name };
	rule_note(rule, "protocol");
}

/* Does a range, or a port alone, end past the last port or before it begins? */
static bool range_wrong(const char *text)
{
	unsigned long low = 0, high;
	char *end = (char *)text;

	if (isdigit((unsigned char)*text))
		low = strtoul(text, &end, 10);
	high = low;
	end += strspn(end, " \t");
	if (*end == ':') {
		end += 1 + strspn(end + 1, " \t");
		high = isdigit((unsigned char)*end) ? strtoul(end, NULL, 10) : 65535;
	}
	return low > high || high > 65535;
}

/* Is one of the ports wrong, in lists of lists too? Variables and the like are not. */
static bool ports_wrong(const char *text)
{
	while (*(text += strspn(text, "[]!, \t"))) {
		if (range_wrong(text))
			return true;
		text += strcspn(text, "[]!,");
	}
	return false;
}

/* Blanks may stand around both ends. */
static int parse_range(char *text, struct port_range *range)
{
	char *colon = strchr(text, ':'), *end = colon ? trim(colon + 1) : NULL;
	uint64_t low, high = 65535;

	if (colon)
		*colon = 0;
	text = trim(text);
	if (colon && !*text)
		low = 0;
	else if (parse_number(text, 0, 65535, &low))
		return -1;
	if (!colon)
		high = low;
	else if (*end && parse_number(end, low, 65535, &high))
		return -1;
	*range = (struct port_range) { low, high };
	return 0;
}

static int by_low(const void *a, const void *b)
{
	return ((const struct port_range *)a)->low - ((const struct port_range *)b)->low;
}

/* Ranges that touch become one: a packet must not match twice. */
static void merge(struct rule *rule)
{
	struct port_range *last = rule->ports;
	size_t i;

	qsort(rule->ports, rule->port_count, sizeof(*rule->ports), by_low);
	for (i = 1; i < rule->port_count; i++) {
		if (rule->ports[i].low <= last->high + 1) {
			if (rule->ports[i].high > last->high)
				last->high = rule->ports[i].high;
		} else {
			*++last = rule->ports[i];
		}
	}
	rule->port_count = last - rule->ports + 1;
}

/* All ports but those of the one range there is; it has two ends, or one. */
static void invert(struct rule *rule)
{
	struct port_range range = rule->ports[0];

	rule->port_count = 0;
	if (range.low)
		rule->ports[rule->port_count++] = (struct port_range) { 0, range.low - 1 };
	if (range.high < 65535)
		rule->ports[rule->port_count++] = (struct port_range) { range.high + 1, 65535 };
}

/* Return: false: these ports cannot be expressed. */
static bool read_ports(struct rule *rule, char *text)
{
	bool inverted = *text == '!';
	char *one, *rest;

	text += inverted;
	if (*text == '[') {
		size_t length = strlen(text);

		if (text[length - 1] != ']')
			return false;
		text[length - 1] = 0;
		text++;
	}
	rest = text;
	while ((one = strsep(&rest, ","))) {
		if (rule->port_count == RULE_PORTS ||
		    parse_range(one, &rule->ports[rule->port_count]))
			return false;
		rule->port_count++;
	}
	merge(rule);
	if (inverted && rule->port_count > 1)
		return false;
	if (inverted)
		invert(rule);
	/* what is left may be none */
	if (!rule->port_count)
		return false;
	/* 0 stands for "any" as the end of a range; all of them need no limit */
	if (rule->port_count == 1 && !rule->ports[0].low && rule->ports[0].high == 65535)
		rule->port_count = 0;
	return !rule->port_count || rule->ports[0].high;
}

static void set_ports(struct rule *rule, char *source, char *target, bool both_ways)
{
	bool any_source = !strcmp(source, "any"), any_target = !strcmp(target, "any");

	if (any_source && any_target)
		return;
	/* a match may not be reported once per direction, and a limit has one port only */
	if (both_ways || (!any_source && !any_target))
		rule_note(rule, any_source || any_target ? "ports in both directions" :
			  "source ports");
	if (both_ways)
		return;
	rule->source_ports = any_target;
	if (!read_ports(rule, any_target ? source : target)) {
		rule->port_count = 0;
		rule_note(rule, "ports");
	}
}

int rule_header(struct rule *rule, char *text)
{
	char *action = next_word(&text), *protocol = next_word(&text);
	char *source = next_word(&text), *sport = next_word(&text);
	char *direction = next_word(&text);
	char *target = next_word(&text), *dport = next_word(&text);

	if (!dport || next_word(&text))
		return bad(rule, protocol && !source ?
			   "Snort 3's short form lacks address port -> address port" :
			   "seven words stand before the parenthesis: action protocol address port -> address port");
	if (strcmp(direction, "->") && strcmp(direction, "<>") && strcmp(direction, "=>"))
		return bad(rule, "the direction is none of -> <> =>");
	if (ports_wrong(sport) || ports_wrong(dport))
		return bad(rule, "a port is past 65535, or a range of ports ends before it begins");
	rule->action = action;
	set_protocol(rule, protocol);
	if (strcmp(source, "any") || strcmp(target, "any"))
		rule_note(rule, "addresses");
	/* => is for a transaction, whose answer goes the other way */
	set_ports(rule, sport, dport, strcmp(direction, "->"));
	return 0;
}
