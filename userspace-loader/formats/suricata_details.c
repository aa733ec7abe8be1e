// SPDX-License-Identifier: GPL-2.0
/*
 * What a rule says about itself: group, number, revision, class, priority, metadata. Without effect
 * on what matches. The option parser (suricata_rule.c) calls rule_detail_set() for each keyword;
 * the reader (suricata.c) keeps the result as the pattern's details, which events print.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/options.h"
#include "common/confirm.h"
#include "common/rule_details.h"
#include "common/threshold.h"
#include "suricata.h"

static int set_number(const struct rule *rule, const char *keyword, const char *value,
		      uint32_t low, uint32_t high, uint32_t *to)
{
	char what[80];
	uint64_t number;

	if (!value || parse_number(value, low, high, &number)) {
		snprintf(what, sizeof(what), "not a number from %u to %u", low, high);
		return rule_bad(rule, keyword, what);
	}
	*to = number;
	return 0;
}

/* Take off quotes, which Suricata permits around a number. */
static const char *without_quotes(char *value)
{
	size_t length = value ? strlen(value) : 0;

	if (length < 2 || *value != '"' || value[length - 1] != '"')
		return value;
	value[length - 1] = 0;
	return trim(value + 1);
}

int rule_threshold_parse(struct rule *rule, const char *keyword, char *value)
{
	bool filter = !strcmp(keyword, "detection_filter");
	struct threshold threshold;

	if (rule->threshold)
		return rule_bad(rule, keyword, "the rule has a threshold or a filter already");
	if (!value || !threshold_parse(&threshold, value, filter))
		return rule_bad(rule, keyword, filter ?
				"give track by_src, by_dst, by_both, by_rule, count N, seconds N" :
				"give type limit, threshold or both, track by_src, by_dst, by_both or by_rule, count N, seconds N");
	rule->threshold = value;
	rule->is_filter = filter;
	/* a limit is on what is reported alone: the kernel acts on each match, as Suricata */
	if (threshold.type != THRESHOLD_LIMIT)
		rule_note(rule, filter ? "detection_filter" : "threshold");
	if (threshold.type != THRESHOLD_LIMIT && confirm_available())
		rule->counted = true;
	return 0;
}

int rule_detail_set(struct rule *rule, const char *keyword, char *value)
{
	if (!strcmp(keyword, "sid")) {
		if (rule->sid)
			return rule_bad(rule, "sid", "the rule has one already");
		return set_number(rule, keyword, without_quotes(value), 1, UINT32_MAX, &rule->sid);
	}
	/* UINT32_MAX is the table's own (suricata_sid.c) */
	if (!strcmp(keyword, "gid"))
		return set_number(rule, keyword, without_quotes(value), 0, UINT32_MAX - 1,
				  &rule->gid);
	if (!strcmp(keyword, "rev")) {
		if (rule->has_rev)
			return rule_bad(rule, "rev", "the rule has one already");
		rule->has_rev = true;
		return set_number(rule, keyword, without_quotes(value), 1, UINT32_MAX, &rule->rev);
	}
	if (!strcmp(keyword, "priority")) {
		rule->has_priority = true;
		return set_number(rule, keyword, without_quotes(value), 0, INT32_MAX,
				  &rule->priority);
	}
	if (!value || !*value)
		return rule_bad(rule, keyword, "no value");
	if (!strcmp(keyword, "classtype"))
		rule->classtype = value;
	else
		rule->metadata = value;
	return 0;
}

const char *rule_details(struct pattern_list *list, const struct rule *rule)
{
	char *text = NULL, *copy;
	size_t length, i;
	FILE *to = open_memstream(&text, &length);

	if (!to) {
		complain("out of memory");
		return NULL;
	}
	fprintf(to, "%s=%u\n%s=%u\n%s=%u\n", RULE_DETAIL_GID, rule->gid, RULE_DETAIL_SID,
		rule->sid, RULE_DETAIL_REV, rule->rev);
	if (rule->has_priority)
		fprintf(to, "%s=%u\n", RULE_DETAIL_PRIORITY, rule->priority);
	if (rule->classtype)
		fprintf(to, "%s=%s\n", RULE_DETAIL_CLASSTYPE, rule->classtype);
	if (rule->metadata)
		fprintf(to, "%s=%s\n", RULE_DETAIL_METADATA, rule->metadata);
	if (rule->threshold)
		fprintf(to, "%s=%s\n", rule->is_filter ? RULE_DETAIL_FILTER :
			RULE_DETAIL_THRESHOLD, rule->threshold);
	for (i = 0; i < rule->pcre_count; i++)
		fprintf(to, "%s=%s\n", RULE_DETAIL_PCRE, rule->pcres[i]);
	if (fclose(to)) {
		complain("out of memory");
		free(text);
		return NULL;
	}
	copy = pattern_list_alloc(list, length + 1);
	if (copy)
		memcpy(copy, text, length + 1);
	free(text);
	return copy;
}
