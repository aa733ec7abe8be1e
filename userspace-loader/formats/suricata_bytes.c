// SPDX-License-Identifier: GPL-2.0
/*
 * Keywords that read numbers from a buffer: byte_test, byte_jump, byte_extract, byte_math.
 *
 * rule_condition_parse() calls it. A form that a program does not have (a variable number of bytes,
 * another alignment, dce) is not taken, and makes the rule inexact.
 */
#include <ctype.h>
#include <string.h>

#include "suricata.h"

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
 * @form: NFAC_BYTE_*, base << 8
 * @base: of digits; with @based it was given
 * @mask, @multiplier, @post: of the options of that name
 */
struct byte_options {
	uint32_t form, base, mask, multiplier;
	int64_t post;
	bool relative, based;
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
		o->based |= words[i].base != 0;
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

/* Return: 1; 0: a program cannot express it; -1: one of the words is no option. */
static int byte_options(char **words, size_t i, size_t count, struct byte_options *o)
{
	int expressible = 1;

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
			if (isdigit((unsigned char)*next)) {
				if (strcmp(next, "4") && strcmp(next, "2"))
					return -1;
				expressible &= !strcmp(next, "4");
				i++;
			}
			continue;
		}
		if (!strcmp(words[i], "dce")) {
			expressible = 0;
			continue;
		}
		if (!byte_value(words[i], next, o))
			return -1;
		i++;
	}
	if (o->form & NFAC_BYTE_STRING)
		o->form |= o->base << 8;
	else if (o->based)
		return -1;
	return expressible;
}

/* A number, or a variable, which a program cannot have here: *@expressible. Return: it is one. */
static bool number_or_variable(const struct rule *rule, const char *text, int64_t low,
			       int64_t high, int64_t *number, int *expressible)
{
	if (rule_number(text, low, high, number))
		return true;
	if (rule_variable(rule, text) < 0)
		return false;
	*number = low;
	*expressible = 0;
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

#define BOTH_ENDS	(NFAC_BYTE_FROM_BEGINNING | NFAC_BYTE_FROM_END)

#define BYTE_TEST_FORM \
	"give BYTES (1 to 8; up to 23 with string), OPERATOR, VALUE, OFFSET, then relative, little, string and hex, dec or oct, bitmask N"
#define BYTE_JUMP_FORM \
	"give BYTES (1 to 8; up to 23 with string), OFFSET, then relative, little, string and hex, dec or oct, align, multiplier N, from_beginning or from_end, post_offset N"
#define BYTE_EXTRACT_FORM \
	"give BYTES (1 to 8; up to 23 with string), OFFSET, NAME, then relative, little, string and hex, dec or oct, align 2 or 4, multiplier N"
#define BYTE_MATH_FORM \
	"give bytes N (1 to 10), offset N, oper one of + - * / << >>, rvalue N, result NAME"

static int parse_byte_test(struct rule *rule, char *value, const struct buffer *buffer,
			   uint32_t transforms)
{
	static const char *const operators[] = { "<", ">", "=", "<=", ">=", "&", "^" };
	struct byte_options o = { 0 };
	char *words[RULE_ARGUMENTS_MAX];
	int options, expressible = 1;
	size_t count, i, operator;
	int64_t head[3];
	bool negated;
	char *name;

	count = rule_split(value, words);
	if (count < 4)
		return rule_bad(rule, "byte_test", "give bytes, operator, value, offset");
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
		return rule_bad(rule, "byte_test", "the operator is none of < > = <= >= & ^");
	if (count < 4 || !number_or_variable(rule, words[0], 0, 23, &head[0], &expressible) ||
	    !number_or_variable(rule, words[3], -65535, 65535, &head[1], &expressible))
		return rule_bad(rule, "byte_test", BYTE_TEST_FORM);
	options = byte_options(words, 4, count, &o);
	if (options < 0 || (!(o.form & NFAC_BYTE_STRING) && head[0] > 8))
		return rule_bad(rule, "byte_test", BYTE_TEST_FORM);
	if (!value_or_variable(rule, words[2], &head[2], &o.form)) {
		/* a negative value, which never is */
		if (!rule_number(words[2], INT32_MIN, -1, &head[2]))
			return rule_bad(rule, "byte_test", BYTE_TEST_FORM);
		return 0;
	}
	/* of no bytes: as many as there are digits */
	if (!options || !expressible || !head[0])
		return 0;
	return add_byte(rule, NFAC_CONDITION_BYTE_TEST, &o, head, operator, 0, negated, buffer,
			transforms);
}

static int parse_byte_jump(struct rule *rule, char *value, const struct buffer *buffer,
			   uint32_t transforms)
{
	struct byte_options o = { 0 };
	char *words[RULE_ARGUMENTS_MAX];
	int options, expressible = 1;
	int64_t head[3];
	size_t count;

	count = rule_split(value, words);
	if (count < 2)
		return rule_bad(rule, "byte_jump", "give bytes, offset");
	options = byte_options(words, 2, count, &o);
	if (!number_or_variable(rule, words[0], 0, 23, &head[0], &expressible) ||
	    !number_or_variable(rule, words[1], -65535, 65535, &head[1], &expressible) ||
	    options < 0 || (!(o.form & NFAC_BYTE_STRING) && head[0] > 8) ||
	    (o.form & BOTH_ENDS) == BOTH_ENDS)
		return rule_bad(rule, "byte_jump", BYTE_JUMP_FORM);
	/* of no bytes: a distance */
	if (!options || !expressible || !head[0])
		return 0;
	head[2] = o.post;
	return add_byte(rule, NFAC_CONDITION_BYTE_JUMP, &o, head, 0, 0, false, buffer, transforms);
}

static int parse_byte_extract(struct pattern_list *list, struct rule *rule, char *value,
			      const struct buffer *buffer, uint32_t transforms)
{
	struct byte_options o = { 0 };
	char *words[RULE_ARGUMENTS_MAX];
	int options, variable, expressible = 1;
	int64_t head[3] = { 0 };
	size_t count;

	count = rule_split(value, words);
	if (count < 3)
		return rule_bad(rule, "byte_extract", "give bytes, offset, name");
	options = byte_options(words, 3, count, &o);
	if (!rule_number(words[0], 1, 23, &head[0]) ||
	    !number_or_variable(rule, words[1], -65535, 65535, &head[1], &expressible) ||
	    options < 0 || (!(o.form & NFAC_BYTE_STRING) && head[0] > 8))
		return rule_bad(rule, "byte_extract", BYTE_EXTRACT_FORM);
	if (!options || !expressible || head[0] > 8)
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
	int64_t head[3] = { -1, INT32_MIN, -1 };
	int options, variable;

	count = rule_split(value, words);
	for (i = 0; i < count; i++) {
		char *next = i + 1 < count ? words[i + 1] : "";

		if (!strcmp(words[i], "bytes") && rule_number(next, 1, 10, &head[0]))
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
	options = byte_options(rest, 0, left, &o);
	if (head[0] < 0 || operator == 6 || !result || head[1] == INT32_MIN ||
	    head[2] < 0 || options < 0)
		return rule_bad(rule, "byte_math", BYTE_MATH_FORM);
	if (!options || head[0] > 8)
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
