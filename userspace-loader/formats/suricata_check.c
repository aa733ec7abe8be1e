// SPDX-License-Identifier: GPL-2.0
/*
 * Rules that can never hold, or that contradict themselves.
 *
 * rule_parse() calls rule_check() when a rule's options are read. It refuses what Suricata 7
 * refuses: sizes below their contents, buffers of both directions or of two protocols, letters
 * that a buffer never has.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/message.h"
#include "suricata.h"

int rule_bad(const struct rule *rule, const char *keyword, const char *what)
{
	uint32_t sid = rule->sid ? rule->sid : rule->early_sid;

	if (!sid)
		return complain_at(rule->place.file, rule->place.line, "%s: %s", keyword, what);
	return complain_at(rule->place.file, rule->place.line, "sid %u: %s: %s", sid, keyword,
			   what);
}

static int bad_at(const struct rule *rule, const struct content *content, const char *what)
{
	char text[160], keyword[48];

	snprintf(keyword, sizeof(keyword), "content of %zu bytes%s%s", content->length,
		 content->buffer ? " in " : "", content->buffer ? content->buffer->name : "");
	snprintf(text, sizeof(text), "%s", what);
	return rule_bad(rule, keyword, text);
}

/* Does the content limit this size: is it in the same buffer, or in a form of the same URI? */
static bool is_sized(const struct content *content, const struct rule_condition *size)
{
	const struct buffer *have = content->buffer, *want = size->buffer;

	if (content->negated || content->transform || content->transforms != size->transforms)
		return false;
	if (!have || !want)
		return have == want;
	return have->id >= 0 && (have->id == want->id ||
				 (want->id == NFAC_BUFFER_HTTP_URI_RAW &&
				  have->id == NFAC_BUFFER_HTTP_URI));
}

/* The least number of bytes that a buffer has if the contents before and in it match. */
static int64_t least_size(const struct rule *rule, const struct rule_condition *size)
{
	int64_t end = 0, least = 0;
	size_t i;

	for (i = 0; i < rule->content_count; i++) {
		const struct content *c = &rule->contents[i];
		bool known = c->place_flags & NFAC_CONDITION_HAS_OFFSET &&
			     !(c->place_flags & NFAC_CONDITION_OFFSET_VARIABLE);
		int64_t from = known ? c->place[0] : 0;

		if (!is_sized(c, size))
			continue;
		end = (c->relative ? end : 0) + from;
		end = (end > 0 ? end : 0) + (int64_t)c->length;
		least = end > least ? end : least;
	}
	return least;
}

static int check_sizes(const struct rule *rule)
{
	char what[120];
	size_t i;

	for (i = 0; i < rule->condition_count; i++) {
		const struct rule_condition *c = &rule->conditions[i];
		int64_t least;

		if (c->type != NFAC_CONDITION_SIZE || c->flags & NFAC_CONDITION_NEGATED)
			continue;
		least = least_size(rule, c);
		if (c->words[1] >= least)
			continue;
		snprintf(what, sizeof(what),
			 "at most %u bytes, but the contents need %lld: give that or more",
			 c->words[1], (long long)least);
		return rule_bad(rule, c->buffer ? "bsize or urilen" : "bsize or dsize", what);
	}
	return 0;
}

/* NFAC_PROGRAM_TO_SERVER, _TO_CLIENT: the side that sends the buffer; 0: either does. */
static uint32_t direction_of(const struct buffer *buffer)
{
	switch (buffer ? buffer->id : -1) {
	case NFAC_BUFFER_HTTP_METHOD:
	case NFAC_BUFFER_HTTP_URI:
	case NFAC_BUFFER_HTTP_URI_RAW:
	case NFAC_BUFFER_HTTP_REQUEST_LINE:
	case NFAC_BUFFER_HTTP_REQUEST_BODY:
	case NFAC_BUFFER_HTTP_HOST:
	case NFAC_BUFFER_HTTP_HOST_RAW:
	case NFAC_BUFFER_HTTP_USER_AGENT:
	case NFAC_BUFFER_HTTP_REFERER:
	case NFAC_BUFFER_HTTP_ACCEPT:
	case NFAC_BUFFER_HTTP_ACCEPT_ENC:
	case NFAC_BUFFER_HTTP_ACCEPT_LANG:
	case NFAC_BUFFER_DNS_QUERY:
	case NFAC_BUFFER_TLS_SNI:
		return NFAC_PROGRAM_TO_SERVER;
	case NFAC_BUFFER_HTTP_RESPONSE_LINE:
	case NFAC_BUFFER_HTTP_STAT_CODE:
	case NFAC_BUFFER_HTTP_STAT_MSG:
	case NFAC_BUFFER_HTTP_LOCATION:
	case NFAC_BUFFER_HTTP_SERVER:
		return NFAC_PROGRAM_TO_CLIENT;
	default:
		return 0;
	}
}

static uint8_t app_of(const struct buffer *buffer)
{
	const int id = buffer ? buffer->id : -1;

	if (id >= NFAC_BUFFER_HTTP_METHOD && id <= NFAC_BUFFER_HTTP_STAT_MSG)
		return NFAC_APP_HTTP;
	if (id == NFAC_BUFFER_DNS_QUERY)
		return NFAC_APP_DNS;
	if ((id >= NFAC_BUFFER_TLS_SNI && id <= NFAC_BUFFER_TLS_CERT_SERIAL) ||
	    id == NFAC_BUFFER_TLS_CERTS)
		return NFAC_APP_TLS;
	return id == NFAC_BUFFER_SSH_PROTO || id == NFAC_BUFFER_SSH_SOFTWARE ? NFAC_APP_SSH :
									      NFAC_APP_ANY;
}

/* A rule => holds over a request and its answer; any other over one of them. */
static int check_buffers(const struct rule *rule)
{
	uint32_t sides = rule->program_flags & (NFAC_PROGRAM_TO_SERVER | NFAC_PROGRAM_TO_CLIENT);
	uint8_t app = rule->app;
	size_t i;

	for (i = 0; i < rule->condition_count; i++) {
		const struct rule_condition *c = &rule->conditions[i];
		const struct buffer *buffer = c->content >= 0 ? rule->contents[c->content].buffer :
								c->buffer;
		uint8_t its = app_of(buffer);

		if (!buffer)
			continue;
		if (app != NFAC_APP_ANY && its != NFAC_APP_ANY && app != its)
			return rule_bad(rule, buffer->name,
					"not a buffer of the rule's protocol: give buffers of one protocol");
		app = its != NFAC_APP_ANY ? its : app;
		sides |= direction_of(buffer);
		if (sides == (NFAC_PROGRAM_TO_SERVER | NFAC_PROGRAM_TO_CLIENT) && !rule->answers)
			return rule_bad(rule, buffer->name,
					"the other side sends it: flow and buffers must be of one direction");
	}
	return 0;
}

static bool has_letter(const struct content *content, int (*is)(int))
{
	size_t i;

	for (i = 0; i < content->length; i++)
		if (content->bytes[i] < 0x80 && is(content->bytes[i]))
			return true;
	return false;
}

/* Letters and blanks that the buffer never has. */
static int check_letters(const struct rule *rule, const struct content *c)
{
	const int id = c->buffer ? c->buffer->id : -1;

	if (id == NFAC_BUFFER_HTTP_HOST && has_letter(c, isupper))
		return bad_at(rule, c, "the host is in lower case: give lower case");
	if (id == NFAC_BUFFER_HTTP_HOST && c->nocase)
		return bad_at(rule, c, "the host is in lower case: leave out nocase");
	if (id == NFAC_BUFFER_HTTP_METHOD && (*c->bytes == ' ' || *c->bytes == '\t' ||
					      c->bytes[c->length - 1] == ' ' ||
					      c->bytes[c->length - 1] == '\t'))
		return bad_at(rule, c, "a method neither begins nor ends with a blank");
	if (c->lowered && has_letter(c, isupper))
		return bad_at(rule, c, "to_lowercase leaves no upper case: give lower case");
	if (c->raised && has_letter(c, islower))
		return bad_at(rule, c, "to_uppercase leaves no lower case: give upper case");
	return 0;
}

static int check_fast_pattern(const struct rule *rule, size_t index)
{
	const struct content *c = &rule->contents[index], *next = c + 1;
	bool placed = c->place_flags || c->relative;

	if (!c->fast_pattern)
		return 0;
	if (c->negated && placed)
		return rule_bad(rule, "fast_pattern",
				"a negated content must have no offset, depth, distance or within");
	if (c->fast_only && (c->negated || placed))
		return rule_bad(rule, "fast_pattern:only",
				"goes with no '!', offset, depth, distance or within");
	if (c->fast_only && index + 1 < rule->content_count && next->relative &&
	    next->buffer == c->buffer)
		return rule_bad(rule, "fast_pattern:only",
				"the content behind it must not be relative");
	if (c->chop_end > c->length)
		return rule_bad(rule, "fast_pattern",
				"OFFSET,LENGTH must be within the content");
	return 0;
}

int rule_check(const struct rule *rule)
{
	size_t i, fast = 0;

	for (i = 0; i < rule->content_count; i++) {
		fast += rule->contents[i].fast_pattern;
		if (check_letters(rule, &rule->contents[i]) || check_fast_pattern(rule, i))
			return -1;
	}
	if (fast > 1)
		return rule_bad(rule, "fast_pattern", "one content of a rule can have it");
	return check_sizes(rule) || check_buffers(rule) ? -1 : 0;
}

/* Is all of one prefix within the other? */
static bool is_within(const struct prefix *small, const struct prefix *large)
{
	return small->bits >= large->bits && prefix_covers(large, small->bytes);
}

bool rule_end_is_empty(const struct rule_end *end)
{
	bool some = false, covered;
	size_t i, k;

	for (i = 0; i < end->prefix_count; i++) {
		if (end->prefixes[i].negated)
			continue;
		some = true;
		covered = false;
		for (k = 0; k < end->prefix_count && !covered; k++)
			covered = end->prefixes[k].negated &&
				  is_within(&end->prefixes[i], &end->prefixes[k]);
		if (!covered)
			return false;
	}
	return some;
}
