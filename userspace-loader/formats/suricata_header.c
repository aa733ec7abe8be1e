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

static const struct rule_protocol protocols[] = {
	{ "ip", { 0 } },
	{ "tcp", { IPPROTO_TCP } },
	{ "tcp-pkt", { IPPROTO_TCP } },
	{ "tcp-stream", { IPPROTO_TCP } },
	{ "udp", { IPPROTO_UDP } },
	{ "icmp", { IPPROTO_ICMP, IPPROTO_ICMPV6 } },
	{ "icmpv4", { IPPROTO_ICMP } },
	{ "icmpv6", { IPPROTO_ICMPV6 } },
	{ "sctp", { IPPROTO_SCTP } },
	{ "http", { IPPROTO_TCP } },
	{ "http1", { IPPROTO_TCP } },
	{ "http2", { IPPROTO_TCP } },
	{ "tls", { IPPROTO_TCP } },
	{ "ssl", { IPPROTO_TCP } },
	{ "ssh", { IPPROTO_TCP } },
	{ "smtp", { IPPROTO_TCP } },
	{ "imap", { IPPROTO_TCP } },
	{ "pop3", { IPPROTO_TCP } },
	{ "ftp", { IPPROTO_TCP } },
	{ "ftp-data", { IPPROTO_TCP } },
	{ "smb", { IPPROTO_TCP } },
	{ "rdp", { IPPROTO_TCP } },
	{ "rfb", { IPPROTO_TCP } },
	{ "mqtt", { IPPROTO_TCP } },
	{ "telnet", { IPPROTO_TCP } },
	{ "modbus", { IPPROTO_TCP } },
	{ "pgsql", { IPPROTO_TCP } },
	{ "websocket", { IPPROTO_TCP } },
	{ "doh2", { IPPROTO_TCP } },
	{ "tftp", { IPPROTO_UDP } },
	{ "ntp", { IPPROTO_UDP } },
	{ "dhcp", { IPPROTO_UDP } },
	{ "snmp", { IPPROTO_UDP } },
	{ "ike", { IPPROTO_UDP } },
	{ "quic", { IPPROTO_UDP } },
	{ "mdns", { IPPROTO_UDP } },
	{ "bittorrent-dht", { IPPROTO_UDP } },
	{ "dns", { IPPROTO_UDP, IPPROTO_TCP } },
	{ "sip", { IPPROTO_UDP, IPPROTO_TCP } },
	{ "krb5", { IPPROTO_UDP, IPPROTO_TCP } },
	{ "dcerpc", { IPPROTO_UDP, IPPROTO_TCP } },
	{ "nfs", { IPPROTO_UDP, IPPROTO_TCP } },
	{ "enip", { IPPROTO_UDP, IPPROTO_TCP } },
	{ "ldap", { IPPROTO_UDP, IPPROTO_TCP } },
	{ "dnp3", { IPPROTO_TCP } },
};

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static int bad(const struct rule *rule, const char *what)
{
	return rule_bad(rule, "not a rule", what);
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

/* Application protocols that the engine recognises in the traffic. */
static const struct {
	const char *name;
	enum nfac_app app;
} apps[] = {
	{ "http", NFAC_APP_HTTP }, { "http1", NFAC_APP_HTTP }, { "dns", NFAC_APP_DNS },
	{ "tls", NFAC_APP_TLS }, { "ssl", NFAC_APP_TLS }, { "ssh", NFAC_APP_SSH },
	{ "smtp", NFAC_APP_SMTP }, { "ftp", NFAC_APP_FTP }, { "smb", NFAC_APP_SMB },
};

static void set_app(struct rule *rule)
{
	static const char *const packets[] = {
		"ip", "tcp", "tcp-pkt", "tcp-stream", "udp", "icmp", "icmpv4", "icmpv6", "sctp",
	};
	size_t i;

	for (i = 0; i < COUNT(apps); i++)
		if (!strcasecmp(apps[i].name, rule->protocol.name))
			rule->app = apps[i].app;
	for (i = 0; i < COUNT(packets); i++)
		if (!strcasecmp(packets[i], rule->protocol.name))
			return;
	if (!rule->app)
		rule_note(rule, "application protocol");
}

static void set_protocol(struct rule *rule, const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(protocols); i++) {
		if (strcasecmp(protocols[i].name, name))
			continue;
		rule->protocol = protocols[i];
		if (!strcmp(rule->protocol.name, "tcp-pkt"))
			rule->program_flags |= NFAC_PROGRAM_PACKET;
		if (!strcmp(rule->protocol.name, "tcp-stream"))
			rule->program_flags |= NFAC_PROGRAM_STREAM;
		set_app(rule);
		return;
	}
	rule->protocol = (struct rule_protocol) { .name = name };
	rule_note(rule, "protocol");
}

/* A bit for each port. */
struct port_set {
	uint64_t words[65536 / 64];
};

/* How deep groups of a header may be nested: a hostile file shall not overflow the stack. */
#define DEPTH_MAX	8

/* What Suricata's own configuration has for ports; addresses are any unless they are given. */
static const struct {
	const char *name, *value;
} port_variables[] = {
	{ "HTTP_PORTS", "80" }, { "SHELLCODE_PORTS", "!80" }, { "ORACLE_PORTS", "1521" },
	{ "SSH_PORTS", "22" }, { "DNP3_PORTS", "20000" }, { "MODBUS_PORTS", "502" },
	{ "FILE_DATA_PORTS", "[$HTTP_PORTS,110,143]" }, { "FTP_PORTS", "21" },
	{ "GENEVE_PORTS", "6081" }, { "VXLAN_PORTS", "4789" }, { "TEREDO_PORTS", "3544" },
	{ "SIP_PORTS", "[5060,5061]" },
};

static const char *port_variable(const char *name)
{
	const char *value = rule_variable_value(name);
	size_t i;

	for (i = 0; !value && i < COUNT(port_variables); i++)
		if (!strcmp(name, port_variables[i].name))
			value = port_variables[i].value;
	return value;
}

/* The members of a group, which commas separate outside of inner groups. NULL: no more. */
static char *next_member(char **rest)
{
	char *member = *rest, *at;
	int depth = 0;

	if (!member)
		return NULL;
	for (at = member; *at; at++) {
		depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
		if (*at == ',' && depth <= 0)
			break;
	}
	*rest = *at ? at + 1 : NULL;
	*at = 0;
	return trim(member);
}

/* Take the brackets off. Return: it was a group. */
static bool take_brackets(char **text)
{
	size_t length = strlen(*text);

	if (length < 2 || **text != '[' || (*text)[length - 1] != ']')
		return false;
	(*text)[length - 1] = 0;
	*text = trim(*text + 1);
	return true;
}

static bool read_port_set(char *text, struct port_set *set, int depth);

/* A port, or a range: LOW:HIGH, LOW:, :HIGH. */
static bool read_port_range(char *text, struct port_set *set)
{
	char *colon = strchr(text, ':'), *high_text = colon ? trim(colon + 1) : NULL;
	uint64_t low = 0, high = 65535;

	if (colon)
		*colon = 0;
	text = trim(text);
	if ((!colon || *text) && parse_number(text, 0, 65535, &low))
		return false;
	if (!colon)
		high = low;
	else if (*high_text && parse_number(high_text, low, 65535, &high))
		return false;
	for (; low <= high; low++)
		set->words[low / 64] |= 1ull << low % 64;
	return true;
}

static bool read_port_variable(const char *name, struct port_set *set, int depth)
{
	const char *value = port_variable(name);
	char *copy = value ? strdup(value) : NULL;
	bool known = copy && read_port_set(copy, set, depth + 1);

	free(copy);
	return known;
}

/* A group: what one of its members has and none of its negated members. */
static bool read_port_group(char *text, struct port_set *set, int depth)
{
	struct port_set *not = calloc(1, sizeof(*not));
	bool some = false, good = not;
	char *member;
	size_t i;

	while (good && (member = next_member(&text))) {
		if (*member == '!') {
			good = read_port_set(trim(member + 1), not, depth + 1);
		} else {
			some = true;
			good = read_port_set(member, set, depth + 1);
		}
	}
	for (i = 0; good && i < COUNT(set->words); i++)
		set->words[i] = (some ? set->words[i] : ~0ull) & ~not->words[i];
	free(not);
	return good;
}

/* Add the ports of an expression. Return: false: it is none, or a variable is not known. */
static bool read_port_set(char *text, struct port_set *set, int depth)
{
	struct port_set *part;
	size_t i;
	bool good;

	if (depth > DEPTH_MAX || !*text)
		return false;
	if (*text == '!') {
		part = calloc(1, sizeof(*part));
		good = part && read_port_set(trim(text + 1), part, depth + 1);
		for (i = 0; good && i < COUNT(set->words); i++)
			set->words[i] |= ~part->words[i];
		free(part);
		return good;
	}
	if (take_brackets(&text)) {
		part = calloc(1, sizeof(*part));
		good = part && read_port_group(text, part, depth);
		for (i = 0; good && i < COUNT(set->words); i++)
			set->words[i] |= part->words[i];
		free(part);
		return good;
	}
	if (*text == '$')
		return read_port_variable(text + 1, set, depth);
	if (!strcasecmp(text, "any")) {
		memset(set->words, 0xff, sizeof(set->words));
		return true;
	}
	return read_port_range(text, set);
}

/* The set's ranges. Return: false: there are more than a rule has room for, or none. */
static bool set_ranges(const struct port_set *set, struct rule_end *end)
{
	uint32_t port, low = 65536;

	for (port = 0; port <= 65536; port++) {
		bool in = port < 65536 && set->words[port / 64] >> port % 64 & 1;

		if (in && low == 65536)
			low = port;
		if (in || low == 65536)
			continue;
		if (end->port_count == RULE_PORTS)
			return false;
		end->ports[end->port_count++] = (struct port_range) { low, port - 1 };
		low = 65536;
	}
	if (end->port_count == 1 && !end->ports[0].low && end->ports[0].high == 65535) {
		end->port_count = 0;
		return true;
	}
	return end->port_count;
}

/* Variables in it, one of which is not known. */
static bool is_variable(const char *text)
{
	return strchr(text, '$');
}

static int set_ports(struct rule *rule, struct rule_end *end, char *text)
{
	struct port_set *set = calloc(1, sizeof(*set));
	bool variable = is_variable(text), good;

	good = set && read_port_set(text, set, 0) && set_ranges(set, end);
	free(set);
	if (good)
		return 0;
	if (!variable)
		return bad(rule, "the ports are not a number, a range LOW:HIGH, a group [A,B] or any, or no port is among them");
	end->port_count = 0;
	rule_note(rule, "ports (a variable is not set)");
	return 0;
}

/* An address, or a network. Return: false: it is none. */
static bool read_prefix(char *text, bool negated, struct rule_end *end)
{
	if (end->prefix_count == RULE_PREFIXES ||
	    !prefix_parse(&end->prefixes[end->prefix_count], text, negated))
		return false;
	end->prefix_count++;
	return true;
}

/* Add the addresses of an expression. Return: 0; 1: it cannot be expressed; -1: it is none. */
static int read_addresses(char *text, bool negated, struct rule_end *end, int depth)
{
	const char *value;
	char *member, *copy;
	int got = 0;

	if (depth > DEPTH_MAX || !*text)
		return -1;
	if (*text == '!') {
		/* not everything: nothing */
		if (!strcasecmp(trim(text + 1), "any"))
			return -1;
		return negated ? 1 : read_addresses(trim(text + 1), true, end, depth + 1);
	}
	if (take_brackets(&text)) {
		while (!got && (member = next_member(&text)))
			got = read_addresses(member, negated, end, depth + 1);
		return got;
	}
	if (!strcasecmp(text, "any"))
		return negated ? 1 : 0;
	if (*text != '$')
		return read_prefix(text, negated, end) ? 0 : strchr(text, '-') ? 1 : -1;
	value = rule_variable_value(text + 1);
	if (!value)
		return negated ? 1 : 0;
	copy = strdup(value);
	got = copy ? read_addresses(trim(copy), negated, end, depth + 1) : -1;
	free(copy);
	return got;
}

static int set_addresses(struct rule *rule, struct rule_end *end, char *text)
{
	int got = read_addresses(text, false, end, 0);

	if (got < 0)
		return bad(rule, "an address is none of any, ADDRESS, NETWORK/BITS, $VARIABLE, or a group [A,B] of them");
	if (got)
		rule_note(rule, "addresses");
	if (got)
		end->prefix_count = 0;
	if (rule_end_is_empty(end))
		return bad(rule, "no address is left: each one is excluded, too");
	return 0;
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
			   "seven words precede the parenthesis: action protocol address port -> address port");
	if (strcmp(direction, "->") && strcmp(direction, "<>") && strcmp(direction, "=>"))
		return bad(rule, "the direction is none of -> <> =>");
	rule->action = action;
	set_protocol(rule, protocol);
	/* => is for a transaction, whose answer goes the other way */
	rule->both_ways = strcmp(direction, "->");
	rule->answers = !strcmp(direction, "=>");
	if (set_addresses(rule, &rule->ends[0], source) || set_ports(rule, &rule->ends[0], sport) ||
	    set_addresses(rule, &rule->ends[1], target))
		return -1;
	return set_ports(rule, &rule->ends[1], dport);
}
