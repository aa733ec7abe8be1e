// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of patterns: looked up in a set's names at the first match of an id, then kept.
 *
 * Cost: one hash probe for each match whose text is known.
 */
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compiler.h"
#include "pattern_text.h"

/* Open addressing, at most half full: a slot is free when @plain is NULL. */
struct pattern_texts {
	struct nfac_image *image;
	struct pattern_text *slots;
	size_t used, room;
};

struct pattern_texts *pattern_texts_new(struct nfac_image *image)
{
	struct pattern_texts *texts = calloc(1, sizeof(*texts));

	if (texts)
		texts->image = image;
	return texts;
}

void pattern_texts_free(struct pattern_texts *texts)
{
	size_t i;

	if (!texts)
		return;
	for (i = 0; i < texts->room; i++) {
		free(texts->slots[i].plain);
		free(texts->slots[i].json);
		json_decref(texts->slots[i].members);
		free(texts->slots[i].label);
		rule_details_free(&texts->slots[i].details);
	}
	free(texts->slots);
	free(texts);
}

char *pattern_escape(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length * 4 + 1), *to = text;
	size_t i;

	if (!text)
		return NULL;
	for (i = 0; i < length; i++) {
		if (bytes[i] == '\\')
			to = stpcpy(to, "\\\\");
		else if (bytes[i] == '\n')
			to = stpcpy(to, "\\n");
		else if (bytes[i] == '\t')
			to = stpcpy(to, "\\t");
		else if (bytes[i] == '\r')
			to = stpcpy(to, "\\r");
		else if (bytes[i] < 0x20 || bytes[i] > 0x7e)
			to += sprintf(to, "\\x%02x", bytes[i]);
		else
			*to++ = bytes[i];
	}
	*to = 0;
	return text;
}

static char *hex(const uint8_t *bytes, size_t length)
{
	char *text = malloc(length * 2 + 1);
	size_t i;

	if (text)
		for (i = 0; i < length; i++)
			sprintf(text + i * 2, "%02x", bytes[i]);
	return text;
}

json_t *json_text(const char *text)
{
	json_t *string = json_string(text);
	char *escaped;

	if (string)
		return string;
	escaped = pattern_escape((const uint8_t *)text, strlen(text));
	string = escaped ? json_string(escaped) : NULL;
	free(escaped);
	return string;
}

void json_print(FILE *to, json_t *object)
{
	json_dumpf(object, to, JSON_COMPACT);
	putc('\n', to);
	json_decref(object);
}

static json_t *members(const struct nfac_pattern *pattern, const char *plain,
		       const struct rule_details *rule)
{
	json_t *object = json_object();
	json_t *bytes = json_stringn((const char *)pattern->bytes, pattern->length);
	char *digits;

	json_object_set_new(object, "pattern", bytes ? bytes : json_string(plain));
	if (!bytes) {
		digits = hex(pattern->bytes, pattern->length);
		json_object_set_new(object, "pattern_hex", digits ? json_string(digits) : NULL);
		free(digits);
	}
	if (pattern->label)
		json_object_set_new(object, "msg", json_text(pattern->label));
	rule_details_add(object, rule);
	return object;
}

/* The image lists its patterns in the first look-up, and threads share it. */
static bool look_up(struct nfac_image *image, uint32_t id, struct nfac_pattern *pattern)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	bool found;

	pthread_mutex_lock(&lock);
	found = nfac_image_pattern(image, id, pattern);
	pthread_mutex_unlock(&lock);
	return found;
}

static bool render(struct nfac_image *image, uint32_t id, struct pattern_text *text)
{
	struct nfac_pattern pattern;

	memset(text, 0, sizeof(*text));
	if (!look_up(image, id, &pattern))
		return false;
	text->id = id;
	text->length = pattern.length;
	text->plain = pattern_escape(pattern.bytes, pattern.length);
	rule_details_read(&text->details, pattern.details);
	text->shown = text->details.sid ? text->details.sid : id;
	text->members = text->plain ? members(&pattern, text->plain, &text->details) : NULL;
	text->json = json_dumps(text->members, JSON_COMPACT | JSON_EMBED);
	text->label = pattern.label ? strdup(pattern.label) : NULL;
	if (text->json)
		return true;
	free(text->plain);
	free(text->label);
	json_decref(text->members);
	rule_details_free(&text->details);
	return false;
}

static struct pattern_text *slot(const struct pattern_texts *texts, uint32_t id)
{
	size_t at = id * 0x9e3779b97f4a7c15ull >> 32 & (texts->room - 1);

	while (texts->slots[at].plain && texts->slots[at].id != id)
		at = (at + 1) & (texts->room - 1);
	return &texts->slots[at];
}

static bool make_room(struct pattern_texts *texts)
{
	struct pattern_texts larger = *texts;
	size_t i;

	if (texts->room && texts->used < texts->room / 2)
		return true;
	larger.room = texts->room ? texts->room * 2 : 256;
	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (i = 0; i < texts->room; i++)
		if (texts->slots[i].plain)
			*slot(&larger, texts->slots[i].id) = texts->slots[i];
	free(texts->slots);
	texts->slots = larger.slots;
	texts->room = larger.room;
	return true;
}

uint32_t pattern_group(const struct pattern_text *text)
{
	return text->details.sid ? text->details.gid : PATTERN_GROUP;
}

static const struct pattern_text *nameless(uint32_t id)
{
	static __thread struct pattern_text text;

	text = (struct pattern_text) { .id = id, .plain = "?", .json = "", .shown = id };
	return &text;
}

const struct pattern_text *pattern_text(struct pattern_texts *texts, uint32_t id)
{
	struct pattern_text *text, fresh;

	if (!texts || !texts->image || !make_room(texts))
		return nameless(id);
	text = slot(texts, id);
	if (text->plain)
		return text;
	if (!render(texts->image, id, &fresh))
		return nameless(id);
	*text = fresh;
	texts->used++;
	return text;
}
