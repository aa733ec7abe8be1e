// SPDX-License-Identifier: GPL-2.0
/*
 * Keywords that read numbers from a buffer: byte_test, byte_jump, byte_extract, byte_math.
 *
 * rule_condition_parse() calls it. A form that a program does not have (a variable number of bytes,
 * another alignment, dce) is not taken, and makes the rule inexact.
 */
#include <ctype.h>
#include <string.h>

#include "common/message.h"
#include "suricata.h"

static int bad(const struct rule *rule, const char *keyword, const char *what)
{
	return complain_at(rule->place.file, rule->place.line, "sid %u: %s: %s", rule->sid, keyword,
			   what);
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

/*
 * The options that byte_* keywords share.
 *
 * @form: NFAC_BYTE_*, base << 8; @base: of digits; @mask, @multiplier, @post: of the options
 *	of that name
 */
struct byte_options {
	uint32_t form, base, mask, multiplier;
	int64_t post;
	bool relative;
};

/* An option that is a word alone. Return: it is one. */
static bool byte_word(const char *word, struct byte_options *o)
{
	static const struct {
		const char *word;
		uint32_t form, base;
	} words[] = {
		{ "little", NFAC_BYTE_LITTLE, 0 }, { "big", 0, 0 }, { "endian", 0, 0 },
		{ "string", NFAC_BYTE_STRING, 0 }, { "hex", 0, 16 }, { "dec", 0, 10 },
		{ "oct", 0, 8 }, { "from_beginning", NFAC_BYTE_FROM_BEGINNING, 0 },
		{ "from_end", NFAC_BYTE_FROM_END, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(word, words[i].word))
			continue;
		o->form |= words[i].form;
		o->base = words[i].base ? words[i].base : o->base;
		return true;
	}
	return false;
}

/* An option and its value. Return: it is one. */
static bool byte_value(const char *word, const char *value, struct byte_options *o)
{
	int64_t n;

	if (!strcmp(word, "multiplier") && rule_number(value, 1, 65535, &n)) {
		o->multiplier = n;
		return true;
	}
	if (!strcmp(word, "bitmask") && rule_number(value, 1, UINT32_MAX, &n)) {
		o->mask = n;
		return true;
	}
	return !strcmp(word, "post_offset") && rule_number(value, -65535, 65535, &o->post);
}

static bool byte_options(char **words, size_t i, size_t count, struct byte_options *o)
{
	o->multiplier = 1;
	o->base = 10;
	for (; i < count; i++) {
		const char *next = i + 1 < count ? words[i + 1] : "";

		if (byte_word(words[i], o))
			continue;
		if (!strcmp(words[i], "relative")) {
			o->relative = true;
			continue;
		}
		if (!strcmp(words[i], "align")) {
			o->form |= NFAC_BYTE_ALIGN;
			/* byte_extract names the boundary, of which the engine knows one */
			if (isdigit((unsigned char)*next) && (strcmp(next, "4") || !++i))
				return false;
			continue;
		}
		if (!byte_value(words[i], next, o))
			return false;
		i++;
	}
	if (o->form & NFAC_BYTE_STRING)
		o->form |= o->base << 8;
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
	rule_condition_place(rule, c, o->relative, buffer, transforms);
	return 1;
}

/* A number, or a variable that is set: then its index, and @form says so. */
static bool value_or_variable(const struct rule *rule, const char *text, int64_t *value,
			      uint32_t *form)
{
	int variable;

	if (rule_number(text, 0, UINT32_MAX, value))
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
	char *words[RULE_ARGUMENTS_MAX];
	size_t count, i, operator;
	int64_t head[3];
	bool negated;
	char *name;

	count = rule_split(value, words);
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
	operator = rule_index(name, operators, 7);
	if (operator == 7 && !strcmp(name, "=="))
		operator = 2;
	if (operator == 7)
		return bad(rule, "byte_test", "the operator is none of < > = <= >= & ^");
	if (count < 4 || !rule_number(words[0], 1, 23, &head[0]) ||
	    !rule_number(words[3], -65535, 65535, &head[1]) ||
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
	char *words[RULE_ARGUMENTS_MAX];
	int64_t head[3];
	size_t count;

	count = rule_split(value, words);
	if (count < 2)
		return bad(rule, "byte_jump", "give bytes, offset");
	if (!rule_number(words[0], 1, 23, &head[0]) || !rule_number(words[1], -65535, 65535,
								    &head[1]) ||
	    !byte_options(words, 2, count, &o) || (!(o.form & NFAC_BYTE_STRING) && head[0] > 8))
		return 0;
	head[2] = o.post;
	return add_byte(rule, NFAC_CONDITION_BYTE_JUMP, &o, head, 0, 0, false, buffer, transforms);
}

static int parse_byte_extract(struct pattern_list *list, struct rule *rule, char *value,
			      const struct buffer *buffer, uint32_t transforms)
{
	struct byte_options o = { 0 };
	char *words[RULE_ARGUMENTS_MAX];
	int64_t head[3] = { 0 };
	int variable;
	size_t count;

	count = rule_split(value, words);
	if (count < 3)
		return bad(rule, "byte_extract", "give bytes, offset, name");
	if (!rule_number(words[0], 1, 8, &head[0]) || !rule_number(words[1], -65535, 65535,
								   &head[1]) ||
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
	char *words[RULE_ARGUMENTS_MAX], *rest[RULE_ARGUMENTS_MAX], *result = NULL;
	struct byte_options o = { 0 };
	size_t count, i, left = 0, operator = 6;
	int64_t head[3] = { -1, -1, -1 };
	int variable;

	count = rule_split(value, words);
	for (i = 0; i < count; i++) {
		char *next = i + 1 < count ? words[i + 1] : "";

		if (!strcmp(words[i], "bytes") && rule_number(next, 1, 8, &head[0]))
			i++;
		else if (!strcmp(words[i], "offset") && rule_number(next, -65535, 65535, &head[1]))
			i++;
		else if (!strcmp(words[i], "rvalue") &&
			 value_or_variable(rule, next, &head[2], &o.form))
			i++;
		else if (!strcmp(words[i], "result") && *next)
			result = words[++i];
		else if (!strcmp(words[i], "oper"))
			operator = rule_index(words[++i < count ? i : 0], operators, 6);
		else
			rest[left++] = words[i];
	}
	if (head[0] < 0 || operator == 6 || !result || head[2] < 0 ||
	    !byte_options(rest, 0, left, &o))
		return 0;
	variable = variable_add(list, rule, result);
	if (variable < 0)
		return 0;
	return add_byte(rule, NFAC_CONDITION_BYTE_MATH, &o, head, operator, variable, false, buffer,
			transforms);
}

int rule_bytes_parse(struct pattern_list *list, struct rule *rule, const char *keyword,
		     char *value, const struct buffer *buffer, uint32_t transforms)
{
	if (!strcmp(keyword, "byte_test"))
		return parse_byte_test(rule, value, buffer, transforms);
	if (!strcmp(keyword, "byte_jump"))
		return parse_byte_jump(rule, value, buffer, transforms);
	if (!strcmp(keyword, "byte_extract"))
		return parse_byte_extract(list, rule, value, buffer, transforms);
	if (!strcmp(keyword, "byte_math"))
		return parse_byte_math(list, rule, value, buffer, transforms);
	return 0;
}
