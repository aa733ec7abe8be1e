// SPDX-License-Identifier: GPL-2.0
/*
 * pcre: an expression with options and, by letters, a buffer.
 *
 * The option parser (suricata_rule.c) calls rule_pcre_parse(). The expression is kept among the
 * rule's details; the program has a condition that names it, which user space checks.
 */
#include <string.h>

#include "common/confirm.h"
#include "common/message.h"
#include "suricata.h"

#define PCRE_FORM \
	"give \"/EXPRESSION/\", where a ';' in it must be escaped, and letters: i s m x A E G O, R, one of U I P Q H D M C S Y V W"

/* Letters that name a buffer. */
static const struct {
	char letter;
	const char *buffer;
} letters[] = {
	{ 'U', "http.uri" }, { 'I', "http.uri.raw" }, { 'P', "http.request_body" },
	{ 'Q', "http.response_body" }, { 'H', "http.header" }, { 'D', "http.header.raw" },
	{ 'M', "http.method" }, { 'C', "http.cookie" }, { 'S', "http.stat_code" },
	{ 'Y', "http.stat_msg" }, { 'V', "http.user_agent" }, { 'W', "http.host" },
	{ 'Z', "http.host.raw" },
};

/* Read the letters behind the expression into @options, the buffer and whether it is relative. */
static bool read_letters(const char *at, char *options, const struct buffer **buffer,
			 bool *relative)
{
	size_t i;

	for (; *at; at++) {
		if (strchr("ismxAEG", *at)) {
			if (!strchr(options, *at))
				strncat(options, at, 1);
			continue;
		}
		/* O: without limits; B: the packet's own bytes */
		if (*at == 'O' || *at == 'B')
			continue;
		if (*at == 'R') {
			*relative = true;
			continue;
		}
		for (i = 0; i < sizeof(letters) / sizeof(*letters); i++)
			if (letters[i].letter == *at)
				break;
		if (i == sizeof(letters) / sizeof(*letters) || *buffer)
			return false;
		*buffer = buffer_find(letters[i].buffer);
	}
	return true;
}

/* "OPTIONS EXPRESSION", for the details. */
static int keep(struct pattern_list *list, struct rule *rule, const char *options,
		const char *expression)
{
	char *text = pattern_list_alloc(list, strlen(options) + strlen(expression) + 2);

	if (!text)
		return -1;
	stpcpy(stpcpy(stpcpy(text, options), " "), expression);
	rule->pcres[rule->pcre_count++] = text;
	return 0;
}

int rule_pcre_parse(struct pattern_list *list, struct rule *rule, char *value,
		    const struct buffer *sticky, uint32_t transforms, const char *transform)
{
	bool negated = value && *value == '!', relative = false;
	const struct buffer *buffer = NULL;
	struct rule_condition *c;
	char options[8] = "", *end;
	const char *what;
	size_t length;

	value = value ? trim(value + negated) : "";
	length = strlen(value);
	/* what follows the expression names variables for the log */
	end = length ? strrchr(value, '"') : NULL;
	if (!end || *value != '"' || end == value)
		return rule_bad(rule, "pcre", PCRE_FORM);
	*end = 0;
	value++;
	if (*value == '!' && !negated) {
		negated = true;
		value++;
	}
	end = strrchr(value, '/');
	if (*value != '/' || end == value || !read_letters(end + 1, options, &buffer, &relative))
		return rule_bad(rule, "pcre", PCRE_FORM);
	*end = 0;
	value++;
	what = pcre_check(options, value);
	if (what)
		return rule_bad(rule, "pcre", what);
	if (buffer && sticky && buffer != sticky)
		return rule_bad(rule, "pcre", "its letter names another buffer than the one before it");
	rule->pcre = true;
	rule_note(rule, "pcre");
	if (!confirm_available() || transform || rule->pcre_count == RULE_PCRES) {
		rule->pcre_unchecked = true;
		if (transform)
			rule_note(rule, transform);
		return 0;
	}
	c = rule_condition_add(rule, NFAC_CONDITION_USER);
	if (!c)
		return 0;
	c->flags = negated ? NFAC_CONDITION_NEGATED : 0;
	c->words[c->count++] = rule->pcre_count;
	/* without a letter or a buffer before it, it is where the content before it is */
	rule_condition_place(rule, c, relative, buffer ? buffer : sticky, sticky ? transforms : 0);
	if (buffer || sticky)
		c->content = -1;
	return keep(list, rule, options, value);
}
