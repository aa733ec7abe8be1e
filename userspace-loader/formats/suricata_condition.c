// SPDX-License-Identifier: GPL-2.0
/*
 * Keywords that are conditions other than contents: sizes, numbers, flow, header fields, flowbits.
 *
 * The option parser (suricata_rule.c) calls rule_condition_parse() for each keyword that is no
 * content. What it does not take is noted, and makes the rule inexact.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "suricata.h"

struct rule_condition *rule_condition_add(struct rule *rule, enum nfac_condition_type type)
{
	struct rule_condition *c = &rule->conditions[rule->condition_count];

	if (rule->condition_count == RULE_CONDITIONS) {
		rule_note(rule, "more conditions than a program has");
		return NULL;
	}
	rule->condition_count++;
	memset(c, 0, sizeof(*c));
	c->type = type;
	c->content = -1;
	return c;
}

/* A number, decimal or 0x..., with a sign. The whole text. */
bool rule_number(const char *text, int64_t low, int64_t high, int64_t *value)
{
	char *end;

	if (!*text)
		return false;
	*value = strtoll(text, &end, 0);
	/* a leading 0 is no octal number in rules */
	if (text[0] == '0' && isdigit((unsigned char)text[1]))
		*value = strtoll(text, &end, 10);
	return !*end && *value >= low && *value <= high;
}

/* Split at commas and blanks. Return: how many. */
size_t rule_split(char *value, char **words)
{
	size_t count = 0;

	while (*value && count < RULE_ARGUMENTS_MAX) {
		value += strspn(value, " \t,");
		if (!*value)
			break;
		words[count++] = value;
		value += strcspn(value, " \t,");
		if (*value)
			*value++ = 0;
	}
	return count;
}

/* The content that a relative condition follows decides about its buffer. */
void rule_condition_place(struct rule *rule, struct rule_condition *c, bool relative,
			  const struct buffer *buffer, uint32_t transforms)
{
	c->buffer = buffer;
	c->transforms = transforms;
	if (!relative)
		return;
	c->flags |= NFAC_CONDITION_RELATIVE;
	c->content = (int)rule->content_count - 1;
}

/* Index of a word in a list, or @count. */
size_t rule_index(const char *word, const char *const *list, size_t count)
{
	size_t i;

	for (i = 0; i < count && strcmp(word, list[i]); i++)
		;
	return i;
}

/* A-B, neither included, as A<>B. */
static bool parse_span(char *text, int64_t most, int64_t *low, int64_t *high)
{
	char *dash = strchr(text, '-');

	if (!dash)
		return false;
	*dash = 0;
	if (!rule_number(trim(text), 0, most, low) || !rule_number(trim(dash + 1), 0, most, high))
		return false;
	++*low;
	--*high;
	return *low <= *high;
}

/*
 * A range as keywords write it: N, <N, >N, <=N, >=N, A<>B or A-B (exclusive), !N. Return: it is
 * one.
 */
static bool parse_range(char *text, int64_t most, int64_t *low, int64_t *high, bool *negated)
{
	char *between = strstr(text, "<>");
	int64_t value;

	*negated = *text == '!';
	text = trim(text + *negated);
	if (!between && strchr(text, '-') > text)
		return parse_span(text, most, low, high);
	if (between) {
		*between = 0;
		if (!rule_number(trim(text), 0, most, low) || !rule_number(trim(between + 2), 0,
									   most, high))
			return false;
		++*low;
		--*high;
		return *low <= *high;
	}
	*low = 0;
	*high = most;
	if (!strncmp(text, "<=", 2))
		return rule_number(trim(text + 2), 0, most, high);
	if (!strncmp(text, ">=", 2))
		return rule_number(trim(text + 2), 0, most, low);
	if (*text == '=')
		text = trim(text + 1);
	if (*text == '<') {
		if (!rule_number(trim(text + 1), 1, most, &value))
			return false;
		*high = value - 1;
		return true;
	}
	if (*text == '>') {
		if (!rule_number(trim(text + 1), 0, most - 1, &value))
			return false;
		*low = value + 1;
		return true;
	}
	if (!rule_number(text, 0, most, &value))
		return false;
	*low = value;
	*high = value;
	return true;
}

static struct rule_condition *add_range(struct rule *rule, enum nfac_condition_type type,
					bool negated, int64_t low, int64_t high, int field)
{
	struct rule_condition *c = rule_condition_add(rule, type);

	if (!c)
		return NULL;
	c->flags = negated ? NFAC_CONDITION_NEGATED : 0;
	if (field >= 0)
		c->words[c->count++] = field;
	c->words[c->count++] = low;
	c->words[c->count++] = high;
	return c;
}

/* bsize, urilen, dsize. */
static int parse_size(struct rule *rule, const char *keyword, char *value,
		      const struct buffer *buffer, uint32_t transforms)
{
	char *comma = strchr(value, ',');
	struct rule_condition *c;
	int64_t low, high;
	bool negated;

	if (comma)
		*comma = 0;
	if (!parse_range(value, strcmp(keyword, "bsize") ? 65535 : UINT32_MAX, &low, &high,
			 &negated))
		return rule_bad(rule, keyword, "give N, <N, >N, LOW<>HIGH or !N");
	if (!strcmp(keyword, "dsize") && rule->has_dsize)
		return rule_bad(rule, keyword, "the rule has one already");
	if (!strcmp(keyword, "bsize") && !buffer)
		return rule_bad(rule, keyword, "no buffer precedes it (http.uri; content:...; bsize:9)");
	rule->has_dsize |= !strcmp(keyword, "dsize");
	c = add_range(rule, NFAC_CONDITION_SIZE, negated, low, high, -1);
	if (!c)
		return 1;
	c->buffer = buffer;
	c->transforms = transforms;
	if (!strcmp(keyword, "urilen")) {
		c->transforms = 0;
		c->buffer = buffer_find(comma && !strcmp(trim(comma + 1), "raw") ? "http.uri.raw" :
										     "http.uri");
	} else if (!strcmp(keyword, "dsize")) {
		c->buffer = NULL;
		c->transforms = 0;
		rule->program_flags |= NFAC_PROGRAM_PACKET;
	}
	return 1;
}

static int parse_isdataat(struct rule *rule, const char *keyword, char *value,
			  const struct buffer *buffer, uint32_t transforms)
{
	char *words[RULE_ARGUMENTS_MAX];
	bool negated = *value == '!', relative = false;
	struct rule_condition *c;
	size_t count, i;
	int64_t bytes;

	count = rule_split(value + negated, words);
	if (!count)
		return rule_bad(rule, keyword, "give a number of bytes");
	if (!rule_number(words[0], 0, 65535, &bytes))
		return rule_variable(rule, words[0]) >= 0 ? 0 :
		       rule_bad(rule, keyword, "neither a number from 0 to 65535 nor a variable");
	for (i = 1; i < count; i++) {
		relative |= !strcmp(words[i], "relative");
		if (strcmp(words[i], "relative") && strcmp(words[i], "rawbytes"))
			return rule_bad(rule, keyword, "give BYTES, BYTES,relative, or !BYTES");
	}
	c = rule_condition_add(rule, NFAC_CONDITION_ISDATAAT);
	if (!c)
		return 1;
	c->flags = negated ? NFAC_CONDITION_NEGATED : 0;
	c->words[c->count++] = bytes;
	rule_condition_place(rule, c, relative, buffer, transforms);
	return 1;
}

#define FLOW_FORM \
	"give one of to_server, to_client, one of established, not_established, stateless, and one of only_stream, no_stream"

/* Words of which a rule has at most one are of one group. */
static const struct {
	const char *name;
	uint32_t flag, group;
	bool checked;
} flows[] = {
	{ "to_server", NFAC_PROGRAM_TO_SERVER, 1, true },
	{ "from_client", NFAC_PROGRAM_TO_SERVER, 1, true },
	{ "to_client", NFAC_PROGRAM_TO_CLIENT, 1, true },
	{ "from_server", NFAC_PROGRAM_TO_CLIENT, 1, true },
	{ "established", NFAC_PROGRAM_ESTABLISHED, 2, true },
	{ "not_established", 0, 2, false },
	{ "stateless", NFAC_PROGRAM_STATELESS, 2, true },
	{ "only_stream", NFAC_PROGRAM_STREAM, 4, true },
	{ "no_stream", NFAC_PROGRAM_PACKET, 4, true },
	{ "only_frag", 0, 8, false },
	{ "no_frag", 0, 8, false },
};

static int parse_flow(struct rule *rule, char *value)
{
	static const size_t flow_count = sizeof(flows) / sizeof(*flows);
	char *words[RULE_ARGUMENTS_MAX];
	size_t count = rule_split(value, words), i, k;
	int exact = 1;

	for (i = 0; i < count; i++) {
		for (k = 0; k < flow_count && strcasecmp(words[i], flows[k].name); k++)
			;
		if (k == flow_count || rule->flow_groups & flows[k].group)
			return rule_bad(rule, "flow", FLOW_FORM);
		rule->flow_groups |= flows[k].group;
		rule->program_flags |= flows[k].flag;
		exact &= flows[k].checked;
	}
	return count ? exact : rule_bad(rule, "flow", FLOW_FORM);
}

/* The bits of TCP flags up to the end or a comma. *@mode: of + * !. Return: false: bad. */
static bool read_flags(const char *at, uint32_t *bits, uint32_t *mode)
{
	static const char letters[] = "FSRPAUEC21";
	static const uint8_t values[] = { 1, 2, 4, 8, 16, 32, 64, 128, 64, 128 };
	const char *letter;

	for (*bits = 0; *at && *at != ','; at++) {
		letter = strchr(letters, toupper((unsigned char)*at));
		if (letter)
			*bits |= values[letter - letters];
		else if (*at == '+' || *at == '*' || *at == '!')
			*mode = *at == '+' ? 1 : *at == '*' ? 2 : 3;
		else if (*at != '0' && *at != ' ')
			return false;
	}
	return true;
}

/* flags:[!*+]LETTERS[,MASK] */
static int parse_flags(struct rule *rule, const char *value)
{
	const char *comma = strchr(value, ',');
	uint32_t bits, mask = 0, mode = 0, none;
	struct rule_condition *c;

	if (!read_flags(value, &bits, &mode) || (comma && !read_flags(comma + 1, &mask, &none)))
		return rule_bad(rule, "flags", "flags are F S R P A U C E and 0");
	c = rule_condition_add(rule, NFAC_CONDITION_TCP_FLAGS);
	if (!c)
		return 1;
	c->words[0] = bits & ~mask;
	c->words[1] = 0xff & ~mask;
	c->words[2] = mode;
	c->count = 3;
	rule->program_flags |= NFAC_PROGRAM_PACKET;
	return 1;
}

/* The bit of a flowbit's name, in the whole list, or -1: there are 64 already. */
static int flowbit(struct pattern_list *list, const char *name)
{
	char *copy;
	size_t i;

	for (i = 0; i < list->flowbit_count; i++)
		if (!strcmp(list->flowbits[i], name))
			return i;
	if (list->flowbit_count == PATTERN_FLOWBITS)
		return -1;
	copy = pattern_list_alloc(list, strlen(name) + 1);
	if (!copy)
		return -1;
	strcpy(copy, name);
	list->flowbits[list->flowbit_count] = copy;
	return list->flowbit_count++;
}

#define FLOWBITS_FORM \
	"give set, unset, toggle, isset or isnotset, and a name"

static int parse_flowbits(struct pattern_list *list, struct rule *rule, char *value)
{
	static const char *const actions[] = { "isset", "isnotset", "set", "unset", "toggle" };
	char *comma = strchr(value, ','), *name, *rest;
	struct rule_condition *c;
	uint64_t mask = 0;
	size_t action;
	int bit;

	if (!comma) {
		if (strcmp(trim(value), "noalert"))
			return rule_bad(rule, "flowbits", FLOWBITS_FORM);
		rule->program_flags |= NFAC_PROGRAM_NOALERT;
		return 1;
	}
	*comma = 0;
	action = rule_index(trim(value), actions, 5);
	if (action == 5)
		return rule_bad(rule, "flowbits", FLOWBITS_FORM);
	rest = comma + 1;
	while ((name = strsep(&rest, "|"))) {
		name = trim(name);
		if (!*name || strpbrk(name, " \t"))
			return rule_bad(rule, "flowbits", "a name has no blanks, and is not empty");
		bit = flowbit(list, trim(name));
		if (bit < 0)
			return 0;
		mask |= 1ull << bit;
	}
	c = rule_condition_add(rule, NFAC_CONDITION_FLOWBITS);
	if (!c)
		return 1;
	rule->program_flags |= action > NFAC_FLOWBITS_ISNOTSET ? NFAC_PROGRAM_SETS_FLOWBITS :
								 NFAC_PROGRAM_TESTS_FLOWBITS;
	c->words[0] = action;
	c->words[1] = mask;
	c->words[2] = mask >> 32;
	c->count = 3;
	return 1;
}

/* Fields of headers that keywords compare with a number. */
static const struct {
	const char *keyword;
	enum nfac_field field;
	uint32_t most;
} fields[] = {
	{ "ttl", NFAC_FIELD_TTL, 255 },
	{ "id", NFAC_FIELD_IP_ID, 65535 },
	{ "ip_proto", NFAC_FIELD_IP_PROTO, 255 },
	{ "window", NFAC_FIELD_TCP_WINDOW, 65535 },
	{ "tcp.window", NFAC_FIELD_TCP_WINDOW, 65535 },
	{ "seq", NFAC_FIELD_TCP_SEQ, UINT32_MAX },
	{ "tcp.seq", NFAC_FIELD_TCP_SEQ, UINT32_MAX },
	{ "ack", NFAC_FIELD_TCP_ACK, UINT32_MAX },
	{ "tcp.ack", NFAC_FIELD_TCP_ACK, UINT32_MAX },
	{ "itype", NFAC_FIELD_ICMP_TYPE, 255 },
	{ "icode", NFAC_FIELD_ICMP_CODE, 255 },
	{ "icmp_id", NFAC_FIELD_ICMP_ID, 65535 },
	{ "icmp_seq", NFAC_FIELD_ICMP_SEQ, 65535 },
};

/* ip_proto:NAME, as in /etc/protocols. */
static int parse_protocol(struct rule *rule, char *value)
{
	static const struct {
		const char *name;
		uint8_t number;
	} names[] = {
		{ "icmp", 1 }, { "igmp", 2 }, { "ipip", 4 }, { "ipencap", 4 }, { "tcp", 6 },
		{ "udp", 17 }, { "ipv6", 41 }, { "gre", 47 }, { "esp", 50 }, { "ah", 51 },
		{ "ipv6-icmp", 58 }, { "ospf", 89 }, { "pim", 103 }, { "sctp", 132 },
		{ "udplite", 136 },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcasecmp(names[i].name, value))
			continue;
		add_range(rule, NFAC_CONDITION_FIELD, false, names[i].number, names[i].number,
			  NFAC_FIELD_IP_PROTO);
		rule->program_flags |= NFAC_PROGRAM_PACKET;
		return 1;
	}
	return rule_bad(rule, "ip_proto", "give a number from 0 to 255, or a name: tcp, udp, icmp");
}

static int parse_field(struct rule *rule, size_t field, char *value)
{
	int64_t low, high;
	char what[80];
	bool negated;

	if (!strcmp(fields[field].keyword, "ip_proto") && isalpha((unsigned char)*value))
		return parse_protocol(rule, value);
	if (!parse_range(value, fields[field].most, &low, &high, &negated)) {
		snprintf(what, sizeof(what), "give N, <N, >N, LOW<>HIGH or !N, of 0 to %u",
			 fields[field].most);
		return rule_bad(rule, fields[field].keyword, what);
	}
	add_range(rule, NFAC_CONDITION_FIELD, negated, low, high, fields[field].field);
	rule->program_flags |= NFAC_PROGRAM_PACKET;
	return 1;
}

int rule_condition_parse(struct pattern_list *list, struct rule *rule, const char *keyword,
			 char *value, const struct buffer *buffer, uint32_t transforms)
{
	size_t i;

	if (!value)
		return strcmp(keyword, "flow") ? 0 : rule_bad(rule, keyword, FLOW_FORM);
	if (!strcmp(keyword, "bsize") || !strcmp(keyword, "urilen") || !strcmp(keyword, "dsize"))
		return parse_size(rule, keyword, value, buffer, transforms);
	if (!strcmp(keyword, "isdataat"))
		return parse_isdataat(rule, keyword, value, buffer, transforms);
	if (!strncmp(keyword, "byte_", 5))
		return rule_bytes_parse(list, rule, keyword, value, buffer, transforms);
	if (!strcmp(keyword, "flow"))
		return parse_flow(rule, value);
	if (!strcmp(keyword, "flags") || !strcmp(keyword, "tcp.flags"))
		return parse_flags(rule, value);
	if (!strcmp(keyword, "flowbits"))
		return parse_flowbits(list, rule, value);
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strcmp(keyword, fields[i].keyword))
			return parse_field(rule, i, value);
	return 0;
}
