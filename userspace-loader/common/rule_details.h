/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Details: what a rule says about itself, kept with its pattern in a set's names as lines
 * "key=value". The reader of rules writes them, events print them.
 */
#ifndef _NFAC_RULE_DETAILS_H
#define _NFAC_RULE_DETAILS_H

#include <jansson.h>
#include <stdint.h>

#define RULE_DETAIL_GID		"gid"
#define RULE_DETAIL_SID		"sid"
#define RULE_DETAIL_REV		"rev"
#define RULE_DETAIL_PRIORITY	"priority"
#define RULE_DETAIL_CLASSTYPE	"classtype"
#define RULE_DETAIL_METADATA	"metadata"
/* as in the rule */
#define RULE_DETAIL_THRESHOLD	"threshold"
#define RULE_DETAIL_FILTER	"detection_filter"
/* "OPTIONS EXPRESSION", one line for each pcre in the order of the program */
#define RULE_DETAIL_PCRE	"pcre"

/* Suricata's priority of a rule that has neither a class nor a priority. */
#define RULE_PRIORITY_DEFAULT	3

/**
 * struct rule_class - a class of rules, as in Suricata's classification.config
 * @name: in rules: trojan-activity
 * @text: for people
 * @priority: 1 is the highest
 */
struct rule_class {
	const char *name, *text;
	uint32_t priority;
};

/* The class of this name, NULL: there is none. */
const struct rule_class *rule_class_find(const char *name);

/**
 * struct rule_details - details, read back
 * @sid: 0: the pattern is not of a rule
 * @classtype: allocated, or NULL; @metadata: the same, {"key":["value", ...]}
 */
struct rule_details {
	uint32_t gid, sid, rev, priority;
	char *classtype;
	json_t *metadata;
};

/* Read details. @text: the lines, or NULL: then all is zero. Free with rule_details_free(). */
void rule_details_read(struct rule_details *details, const char *text);
void rule_details_free(struct rule_details *details);

/* A value among the lines, NULL: it is not there. @length: set to its bytes. */
const char *rule_detail(const char *text, const char *key, size_t *length);

/* Add the details of a rule to @object; none if the pattern is not of a rule. */
void rule_details_add(json_t *object, const struct rule_details *details);

#endif /* _NFAC_RULE_DETAILS_H */
