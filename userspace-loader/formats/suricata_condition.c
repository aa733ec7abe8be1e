// SPDX-License-Identifier: GPL-2.0
/*
 * Keywords that are conditions other than contents: sizes, numbers, flow, header fields, flowbits.
 *
 * The option parser (suricata_rule.c) calls rule_condition_parse() for each keyword that is no
 * content. What it does not take is noted, and makes the rule inexact.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/message.h"
#include "suricata.h"

#define ARGUMENTS_MAX	16	/* byte_math has some ten */

static int bad(const struct rule *rule, const char *keyword, const char *what)
{
	return complain_at(rule->place.file, rule->place.line, "sid %u: %s: %s", rule->sid, keyword,
			   what);
}

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

int rule_variable(const struct rule *rule, const char *name)
{
	size_t i;

	for (i = 0; i < rule->variable_count; i++)
		if (!strcmp(rule->variables[i], name))
			return i;
	return -1;
}

/* A variable that a condition sets. Return: its index, or -1: there are too many. */
static int variable_add(struct pattern_list *list, struct rule *rule, const char *name)
{
	int known = rule_variable(rule, name);
	char *copy;

	if (known >= 0)
		return known;
	if (rule->variable_count == RULE_VARIABLES)
		return -1;
	copy = pattern_list_alloc(list, strlen(name) + 1);
	if (!copy)
		return -1;
	strcpy(copy, name);
	rule->variables[rule->variable_count] = copy;
	return rule->variable_count++;
}

/* A number, decimal or 0x..., with a sign. The whole text. */
static bool number(const char *text, int64_t low, int64_t high, int64_t *value)
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

/*
 * A range as keywords write it: N, <N, >N, <=N, >=N, A<>B (exclusive), A-B, !N. Return: it is one.
 */
static bool parse_range(char *text, int64_t most, int64_t *low, int64_t *high, bool *negated)
{
	char *between = strstr(text, "<>");
	int64_t value;

	*negated = *text == '!';
	text = trim(text + *negated);
	if (between) {
		*between = 0;
		if (!number(trim(text), 0, most, low) || !number(trim(between + 2), 0, most, high))
			return false;
		++*low;
		--*high;
		return *low <= *high;
	}
	*low = 0;
	*high = most;
	if (!strncmp(text, "<=", 2))
		return number(trim(text + 2), 0, most, high);
	if (!strncmp(text, ">=", 2))
		return number(trim(text + 2), 0, most, low);
	if (*text == '<') {
		if (!number(trim(text + 1), 1, most, &value))
			return false;
		*high = value - 1;
		return true;
	}
	if (*text == '>') {
		if (!number(trim(text + 1), 0, most - 1, &value))
			return false;
		*low = value + 1;
		return true;
	}
	if (!number(text, 0, most, &value))
		return false;
	*low = *high = value;
	return true;
}

static struct rule_condition *add_range(struct rule *rule, enum nfac_condition_type type, bool negated,
					int64_t low, int64_t high, int field)
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
	if (!parse_range(value, UINT32_MAX, &low, &high, &negated))
		return bad(rule, keyword, "give N, <N, >N, LOW<>HIGH or !N");
	c = add_range(rule, NFAC_CONDITION_SIZE, negated, low, high, -1);
	if (!c)
		return 1;
	c->buffer = buffer;
	c->transforms = transforms;
	if (!strcmp(keyword, "urilen")) {
		c->transforms = 0;
		c->buffer = buffer_find(comma && !strcmp(trim(comma + 1), "norm") ? "http.uri" :
										      "http.uri.raw");
	} else if (!strcmp(keyword, "dsize")) {
		c->buffer = NULL;
		c->transforms = 0;
		rule->program_flags |= NFAC_PROGRAM_PACKET;
	}
	return 1;
}

/* Split at commas and blanks. Return: how many. */
static size_t split(char *value, char **words)
{
	size_t count = 0;

	while (*value && count < ARGUMENTS_MAX) {
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
static void place_condition(struct rule *rule, struct rule_condition *c, bool relative,
			    const struct buffer *buffer, uint32_t transforms)
{
	c->buffer = buffer;
	c->transforms = transforms;
	if (!relative)
		return;
	c->flags |= NFAC_CONDITION_RELATIVE;
	c->content = (int)rule->content_count - 1;
}

static int parse_isdataat(struct rule *rule, const char *keyword, char *value,
			  const struct buffer *buffer, uint32_t transforms)
{
	char *words[ARGUMENTS_MAX];
	bool negated = *value == '!', relative = false;
	struct rule_condition *c;
	size_t count, i;
	int64_t bytes;

	count = split(value + negated, words);
	if (!count)
		return bad(rule, keyword, "give a number of bytes");
	if (!number(words[0], 0, 65535, &bytes))
		return isalpha((unsigned char)*words[0]) ? 0 :
		       bad(rule, keyword, "not a number from 0 to 65535");
	for (i = 1; i < count; i++)
		relative |= !strcmp(words[i], "relative");
	c = rule_condition_add(rule, NFAC_CONDITION_ISDATAAT);
	if (!c)
		return 1;
	c->flags = negated ? NFAC_CONDITION_NEGATED : 0;
	c->words[c->count++] = bytes;
	place_condition(rule, c, relative, buffer, transforms);
	return 1;
}

/*
 * The options that byte_* keywords share, from words[@i] on. Return: false: one is not known.
 *
 * @form: NFAC_BYTE_*, base << 8; @mask, @multiplier, @post: of the options of that name
 */
struct byte_options {
	uint32_t form, mask, multiplier;
	int64_t post;
	bool relative;
};

static bool byte_options(char **words, size_t i, size_t count, struct byte_options *o)
{
	uint32_t base = 10;
	int64_t value;

	o->multiplier = 1;
	for (; i < count; i++) {
		const char *w = words[i];
		const char *next = i + 1 < count ? words[i + 1] : "";

		if (!strcmp(w, "relative"))
			o->relative = true;
		else if (!strcmp(w, "little"))
			o->form |= NFAC_BYTE_LITTLE;
		else if (!strcmp(w, "big") || !strcmp(w, "endian"))
			continue;
		else if (!strcmp(w, "string"))
			o->form |= NFAC_BYTE_STRING;
		else if (!strcmp(w, "hex"))
			base = 16;
		else if (!strcmp(w, "dec"))
			base = 10;
		else if (!strcmp(w, "oct"))
			base = 8;
		else if (!strcmp(w, "from_beginning"))
			o->form |= NFAC_BYTE_FROM_BEGINNING;
		else if (!strcmp(w, "from_end"))
			o->form |= NFAC_BYTE_FROM_END;
		else if (!strcmp(w, "align")) {
			o->form |= NFAC_BYTE_ALIGN;
			/* byte_extract names the boundary */
			if (isdigit((unsigned char)*next) && (strcmp(next, "4") || !++i))
				return false;
		} else if (!strcmp(w, "multiplier")) {
			if (!number(next, 1, 65535, &value))
				return false;
			o->multiplier = value;
			i++;
		} else if (!strcmp(w, "post_offset")) {
			if (!number(next, -65535, 65535, &o->post))
				return false;
			i++;
		} else if (!strcmp(w, "bitmask")) {
			if (!number(next, 1, UINT32_MAX, &value))
				return false;
			o->mask = value;
			i++;
		} else {
			return false;
		}
	}
	if (o->form & NFAC_BYTE_STRING)
		o->form |= base << 8;
	return true;
}

static int add_byte(struct rule *rule, enum nfac_condition_type type, const struct byte_options *o,
		    const int64_t head[3], uint32_t operator, uint32_t result, bool negated,
		    const struct buffer *buffer, uint32_t transforms)
{
	struct rule_condition *c = rule_condition_add(rule, type);

	if (!c)
		return 1;
	c->flags = negated ? NFAC_CONDITION_NEGATED : 0;
	c->words[0] = o->form | (uint32_t)head[0] << 16 | operator << 24;
	c->words[1] = head[1];
	c->words[2] = head[2];
	c->words[3] = o->multiplier;
	c->words[4] = o->mask;
	c->words[5] = result;
	c->count = 6;
	place_condition(rule, c, o->relative, buffer, transforms);
	return 1;
}

/* A number, or a variable that is set: then its index, and @form says so. */
static bool value_or_variable(const struct rule *rule, const char *text, int64_t *value,
			      uint32_t *form)
{
	int variable;

	if (number(text, 0, UINT32_MAX, value))
		return true;
	variable = rule_variable(rule, text);
	if (variable < 0)
		return false;
	*value = variable;
	*form |= NFAC_BYTE_VALUE_VARIABLE;
	return true;
}

static int parse_byte_test(struct rule *rule, char *value, const struct buffer *buffer,
			   uint32_t transforms)
{
	static const char *const operators[] = { "<", ">", "=", "<=", ">=", "&", "^" };
	struct byte_options o = { 0 };
	char *words[ARGUMENTS_MAX];
	size_t count, i, operator;
	int64_t head[3];
	bool negated;
	char *name;

	count = split(value, words);
	if (count < 4)
		return bad(rule, "byte_test", "give bytes, operator, value, offset");
	name = words[1];
	negated = *name == '!';
	name += negated;
	if (!*name) {
		/* a blank behind the '!' */
		for (i = 1; i + 1 < count; i++)
			words[i] = words[i + 1];
		count--;
		name = words[1];
	}
	for (operator = 0; operator < 7 && strcmp(name, operators[operator]); operator++)
		;
	if (operator == 7 && !strcmp(name, "=="))
		operator = 2;
	if (operator == 7)
		return bad(rule, "byte_test", "the operator is none of < > = <= >= & ^");
	if (count < 4 || !number(words[0], 1, 23, &head[0]) ||
	    !number(words[3], -65535, 65535, &head[1]) ||
	    !value_or_variable(rule, words[2], &head[2], &o.form) ||
	    !byte_options(words, 4, count, &o) || (!(o.form & NFAC_BYTE_STRING) && head[0] > 8))
		return 0;
	return add_byte(rule, NFAC_CONDITION_BYTE_TEST, &o, head, operator, 0, negated, buffer,
			transforms);
}

static int parse_byte_jump(struct rule *rule, char *value, const struct buffer *buffer,
			   uint32_t transforms)
{
	struct byte_options o = { 0 };
	char *words[ARGUMENTS_MAX];
	int64_t head[3];
	size_t count;

	count = split(value, words);
	if (count < 2)
		return bad(rule, "byte_jump", "give bytes, offset");
	if (!number(words[0], 1, 23, &head[0]) || !number(words[1], -65535, 65535, &head[1]) ||
	    !byte_options(words, 2, count, &o) || (!(o.form & NFAC_BYTE_STRING) && head[0] > 8))
		return 0;
	head[2] = o.post;
	return add_byte(rule, NFAC_CONDITION_BYTE_JUMP, &o, head, 0, 0, false, buffer, transforms);
}

static int parse_byte_extract(struct pattern_list *list, struct rule *rule, char *value,
			      const struct buffer *buffer, uint32_t transforms)
{
	struct byte_options o = { 0 };
	char *words[ARGUMENTS_MAX];
	int64_t head[3] = { 0 };
	int variable;
	size_t count;

	count = split(value, words);
	if (count < 3)
		return bad(rule, "byte_extract", "give bytes, offset, name");
	if (!number(words[0], 1, 8, &head[0]) || !number(words[1], -65535, 65535, &head[1]) ||
	    !byte_options(words, 3, count, &o))
		return 0;
	variable = variable_add(list, rule, words[2]);
	if (variable < 0)
		return 0;
	return add_byte(rule, NFAC_CONDITION_BYTE_EXTRACT, &o, head, 0, variable, false, buffer,
			transforms);
}

/* bytes N, offset N, oper +, rvalue N, result NAME, ...: each a word and its value. */
static int parse_byte_math(struct pattern_list *list, struct rule *rule, char *value,
			   const struct buffer *buffer, uint32_t transforms)
{
	static const char *const operators[] = { "+", "-", "*", "/", "<<", ">>" };
	char *words[ARGUMENTS_MAX], *rest[ARGUMENTS_MAX], *result = NULL;
	struct byte_options o = { 0 };
	size_t count, i, left = 0, operator = 6;
	int64_t head[3] = { -1, -1, -1 };
	int variable;

	count = split(value, words);
	for (i = 0; i < count; i++) {
		char *next = i + 1 < count ? words[i + 1] : "";

		if (!strcmp(words[i], "bytes") && number(next, 1, 8, &head[0]))
			i++;
		else if (!strcmp(words[i], "offset") && number(next, -65535, 65535, &head[1]))
			i++;
		else if (!strcmp(words[i], "rvalue") &&
			 value_or_variable(rule, next, &head[2], &o.form))
			i++;
		else if (!strcmp(words[i], "result") && *next)
			result = words[++i];
		else if (!strcmp(words[i], "oper")) {
			for (operator = 0; operator < 6 && strcmp(next, operators[operator]); operator++)
				;
			i++;
		} else {
			rest[left++] = words[i];
		}
	}
	if (head[0] < 0 || operator == 6 || !result || head[2] < 0 || !byte_options(rest, 0, left, &o))
		return 0;
	variable = variable_add(list, rule, result);
	if (variable < 0)
		return 0;
	return add_byte(rule, NFAC_CONDITION_BYTE_MATH, &o, head, operator, variable, false, buffer,
			transforms);
}

static int parse_flow(struct rule *rule, char *value)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} flows[] = {
		{ "to_server", NFAC_PROGRAM_TO_SERVER }, { "from_client", NFAC_PROGRAM_TO_SERVER },
		{ "to_client", NFAC_PROGRAM_TO_CLIENT }, { "from_server", NFAC_PROGRAM_TO_CLIENT },
		{ "established", NFAC_PROGRAM_ESTABLISHED }, { "stateless", NFAC_PROGRAM_STATELESS },
		{ "only_stream", NFAC_PROGRAM_STREAM }, { "no_stream", NFAC_PROGRAM_PACKET },
	};
	char *words[ARGUMENTS_MAX];
	size_t count = split(value, words), i, k;
	int exact = 1;

	for (i = 0; i < count; i++) {
		for (k = 0; k < sizeof(flows) / sizeof(*flows) && strcasecmp(words[i], flows[k].name); k++)
			;
		if (k == sizeof(flows) / sizeof(*flows))
			exact = 0;
		else
			rule->program_flags |= flows[k].flag;
	}
	return exact;
}

/* flags:[!*+]LETTERS[,MASK] */
static int parse_flags(struct rule *rule, char *value)
{
	static const char letters[] = "FSRPAU";
	uint32_t bits = 0, mask = 0xff, mode = 0;
	struct rule_condition *c;
	char *at;

	for (at = value; *at && *at != ','; at++) {
		const char *letter = strchr(letters, toupper((unsigned char)*at));

		if (letter)
			bits |= 1u << (letter - letters);
		else if (toupper((unsigned char)*at) == 'E' || *at == '2')
			bits |= 0x40;
		else if (toupper((unsigned char)*at) == 'C' || *at == '1')
			bits |= 0x80;
		else if (*at == '+' || *at == '*' || *at == '!')
			mode = *at == '+' ? 1 : *at == '*' ? 2 : 3;
		else if (*at != '0' && *at != ' ')
			return bad(rule, "flags", "flags are F S R P A U C E and 0");
	}
	for (; *at; at++) {
		const char *letter = strchr(letters, toupper((unsigned char)*at));

		if (*at == '1' || toupper((unsigned char)*at) == 'C')
			mask &= ~0x80u;
		else if (*at == '2' || toupper((unsigned char)*at) == 'E')
			mask &= ~0x40u;
		else if (letter)
			mask &= ~(1u << (letter - letters));
	}
	c = rule_condition_add(rule, NFAC_CONDITION_TCP_FLAGS);
	if (!c)
		return 1;
	c->words[0] = bits & mask;
	c->words[1] = mask;
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
			return bad(rule, "flowbits", "give set, unset, toggle, isset or isnotset, and a name");
		rule->program_flags |= NFAC_PROGRAM_NOALERT;
		return 1;
	}
	*comma = 0;
	for (action = 0; action < 5 && strcmp(trim(value), actions[action]); action++)
		;
	if (action == 5)
		return bad(rule, "flowbits", "give set, unset, toggle, isset or isnotset, and a name");
	rest = comma + 1;
	while ((name = strsep(&rest, "|"))) {
		bit = flowbit(list, trim(name));
		if (bit < 0)
			return 0;
		mask |= 1ull << bit;
	}
	c = rule_condition_add(rule, NFAC_CONDITION_FLOWBITS);
	if (!c)
		return 1;
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

static int parse_field(struct rule *rule, size_t field, char *value)
{
	int64_t low, high;
	bool negated;

	if (!parse_range(value, fields[field].most, &low, &high, &negated))
		return 0;
	add_range(rule, NFAC_CONDITION_FIELD, negated, low, high, fields[field].field);
	rule->program_flags |= NFAC_PROGRAM_PACKET;
	return 1;
}

int rule_condition_parse(struct pattern_list *list, struct rule *rule, const char *keyword,
			 char *value, const struct buffer *buffer, uint32_t transforms)
{
	size_t i;

	if (!value)
		return 0;
	if (!strcmp(keyword, "bsize") || !strcmp(keyword, "urilen") || !strcmp(keyword, "dsize"))
		return parse_size(rule, keyword, value, buffer, transforms);
	if (!strcmp(keyword, "isdataat"))
		return parse_isdataat(rule, keyword, value, buffer, transforms);
	if (!strcmp(keyword, "byte_test"))
		return parse_byte_test(rule, value, buffer, transforms);
	if (!strcmp(keyword, "byte_jump"))
		return parse_byte_jump(rule, value, buffer, transforms);
	if (!strcmp(keyword, "byte_extract"))
		return parse_byte_extract(list, rule, value, buffer, transforms);
	if (!strcmp(keyword, "byte_math"))
		return parse_byte_math(list, rule, value, buffer, transforms);
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
