/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pattern texts: an id's pattern, for people and for programs. Rendered once for each id
 * that matches.
 */
#ifndef _NFAC_PATTERN_TEXT_H
#define _NFAC_PATTERN_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rule_details.h"

struct nfac_image;

/**
 * struct pattern_text - the texts of an id
 * @id: the id
 * @length: bytes of the pattern
 * @plain: as a line of a plain pattern file: unprintable bytes as \xHH
 * @members: of a JSON object: "pattern":"...", for a pattern that is not
 *	UTF-8 also "pattern_hex":"...", with a label also "msg":"...", for a rule also its
 *	details; NULL for an id that has no name. The pattern is the text itself if it is UTF-8,
 *	else as in @plain
 * @json: the text of @members without braces, which goes into the line of each match; empty for
 *	an id that has no name
 * @label: Suricata's msg, or NULL
 * @shown: the number to print: the rule's sid, or @id
 * @details: what the rule says about itself; its sid is 0 where the pattern is not of a rule
 */
struct pattern_text {
	uint32_t id;
	uint32_t length;
	char *plain;
	json_t *members;
	char *json;
	char *label;
	uint32_t shown;
	struct rule_details details;
};

struct pattern_texts;

/* Texts of an open image, which must outlive them; @image NULL: no id has a text. */
struct pattern_texts *pattern_texts_new(struct nfac_image *image);
void pattern_texts_free(struct pattern_texts *texts);

/*
 * Never NULL: without memory or name, @plain is "?" and @json empty. Valid until the next call.
 */
const struct pattern_text *pattern_text(struct pattern_texts *texts, uint32_t id);

/* The bytes as a line of a plain pattern file; NULL without memory. */
char *pattern_escape(const uint8_t *bytes, size_t length);

/* A JSON string of any bytes: a text that is not UTF-8 is escaped first; NULL without memory. */
json_t *json_text(const char *text);

/* Print an object as one line, and free it. */
void json_print(FILE *to, json_t *object);

/* Group of patterns of no rule, so that their ids are no rules' numbers; Suricata's are small. */
#define PATTERN_GROUP	1000

/* The group of rules (gid) that the pattern is in. */
uint32_t pattern_group(const struct pattern_text *text);

#endif /* _NFAC_PATTERN_TEXT_H */
