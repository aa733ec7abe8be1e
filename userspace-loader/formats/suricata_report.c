// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the rules: which are exact, which with --confirm alone, which inexact and why,
 * which refused and why.
 *
 * The reader (suricata.c) notes each rule; pattern_list_read() prints the summary, and `nfac
 * compile --json` the list.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "suricata.h"
#include "suricata_sid.h"

#define REASONS_MAX	512	/* different ones that are counted; beyond, they are left out */

int rule_refuse(struct pattern_list *list, const struct place *place, uint32_t gid, uint32_t sid,
		const char *why)
{
	struct rule_refusal *r;
	char *copy;

	if (list->refused == list->refusal_room) {
		size_t room = list->refusal_room ? 2 * list->refusal_room : 64;

		r = realloc(list->refusals, room * sizeof(*r));
		if (!r)
			return complain("out of memory");
		list->refusals = r;
		list->refusal_room = room;
	}
	copy = pattern_list_alloc(list, strlen(why) + 1);
	if (!copy)
		return -1;
	strcpy(copy, why);
	list->refusals[list->refused++] = (struct rule_refusal) { *place, gid, sid, copy };
	return 0;
}

/* A reason, and how many rules have it. */
struct reason {
	char what[160];
	size_t rules;
};

static void count_reason(struct reason *reasons, size_t *count, const char *what, size_t length)
{
	size_t i;

	if (length >= sizeof(reasons->what))
		length = sizeof(reasons->what) - 1;
	for (i = 0; i < *count; i++)
		if (!strncmp(reasons[i].what, what, length) && !reasons[i].what[length])
			break;
	if (i == REASONS_MAX)
		return;
	if (i == *count) {
		memcpy(reasons[i].what, what, length);
		++*count;
	}
	reasons[i].rules++;
}

/* The next of the lines, NULL: no more. */
static const char *next_note(const char **at, size_t *length)
{
	const char *line = *at;

	if (!line || !*line)
		return NULL;
	*length = strcspn(line, "\n");
	*at = line + *length + (line[*length] == '\n');
	return line;
}

static int by_rules(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	if (x->rules != y->rules)
		return x->rules > y->rules ? -1 : 1;
	return strcmp(x->what, y->what);
}

static bool is_rule(const struct sid_entry *entry)
{
	return entry->place.line && entry->gid != SID_ID_GROUP;
}

static const char flowbits_lost[] =
	"flowbits that a refused or inexact rule changes";

/* Make the entry's rule inexact, with this as another reason. */
static int make_inexact(struct pattern_list *list, struct sid_entry *entry, const char *why)
{
	struct nfac_pattern *pattern = &list->items[entry->index];
	size_t bytes = pattern->program_words * sizeof(*pattern->program);
	const char *notes = entry->notes ? entry->notes : "";
	uint32_t *program = pattern_list_alloc(list, bytes);
	char *text = pattern_list_alloc(list, strlen(notes) + strlen(why) + 2);

	if (!program || !text)
		return -1;
	memcpy(program, pattern->program, bytes);
	program[2] |= NFAC_PROGRAM_INEXACT;
	pattern->program = program;
	stpcpy(stpcpy(stpcpy(text, notes), why), "\n");
	entry->notes = text;
	entry->confirmed = false;
	return 0;
}

int rules_settle(struct pattern_list *list)
{
	size_t i;

	for (i = 0; i < list->sids.room; i++) {
		struct sid_entry *entry = &list->sids.slots[i];

		if (is_rule(entry) && entry->flowbits_tested & list->flowbits_lost &&
		    make_inexact(list, entry, flowbits_lost))
			return -1;
	}
	return 0;
}

void rules_summary(const struct pattern_list *list)
{
	struct reason *reasons = calloc(REASONS_MAX, sizeof(*reasons));
	size_t i, count = 0, inexact = 0, confirmed = 0, length, bytes;
	const char *at, *line;
	char *text = NULL;
	FILE *to = reasons ? open_memstream(&text, &bytes) : NULL;

	if (!to) {
		free(reasons);
		return;
	}
	for (i = 0; i < list->sids.room; i++) {
		const struct sid_entry *entry = &list->sids.slots[i];

		if (!is_rule(entry) || !entry->notes)
			continue;
		inexact += !entry->confirmed;
		confirmed += entry->confirmed;
		if (entry->confirmed)
			continue;
		for (at = entry->notes; (line = next_note(&at, &length));)
			count_reason(reasons, &count, line, length);
	}
	qsort(reasons, count, sizeof(*reasons), by_rules);
	for (i = 0; i < count; i++)
		fprintf(to, "%s%s %zu", i ? ", " : " (", reasons[i].what, reasons[i].rules);
	fprintf(to, count ? ")" : "");
	fclose(to);
	complain("%zu rules: %zu exact, %zu exact with --confirm, %zu inexact%s, %zu refused",
		 list->rules, list->rules - list->refused - inexact - confirmed, confirmed,
		 inexact, text ? text : "", list->refused);
	free(text);
	free(reasons);
}

static int by_index(const void *a, const void *b)
{
	const struct sid_entry *const *x = a, *const *y = b;

	return (*x)->index < (*y)->index ? -1 : (*x)->index > (*y)->index;
}

static json_t *rule_json(const struct place *place, uint32_t gid, uint32_t sid, const char *state)
{
	json_t *rule = json_object(), *file = json_string(place->file);

	json_object_set_new(rule, "gid", json_integer(gid));
	json_object_set_new(rule, "sid", json_integer(sid));
	json_object_set_new(rule, "file", file ? file : json_string("?"));
	json_object_set_new(rule, "line", json_integer(place->line));
	json_object_set_new(rule, "state", json_string(state));
	return rule;
}

static json_t *notes_json(const char *notes)
{
	json_t *reasons = json_array();
	const char *line;
	size_t length;

	while ((line = next_note(&notes, &length)))
		json_array_append_new(reasons, json_stringn(line, length));
	return reasons;
}

json_t *rules_json(const struct pattern_list *list)
{
	const struct sid_entry **entries = calloc(list->count + 1, sizeof(*entries));
	json_t *rules = json_array(), *rule, *reasons;
	size_t i, count = 0;

	if (!entries) {
		complain("out of memory");
		return rules;
	}
	for (i = 0; i < list->sids.room; i++)
		if (is_rule(&list->sids.slots[i]) && count < list->count)
			entries[count++] = &list->sids.slots[i];
	qsort(entries, count, sizeof(*entries), by_index);
	for (i = 0; i < count; i++) {
		rule = rule_json(&entries[i]->place, entries[i]->gid, entries[i]->sid,
				 !entries[i]->notes ? "exact" :
				 entries[i]->confirmed ? "confirm" : "inexact");
		if (entries[i]->notes)
			json_object_set_new(rule, "reasons", notes_json(entries[i]->notes));
		json_array_append_new(rules, rule);
	}
	for (i = 0; i < list->refused; i++) {
		rule = rule_json(&list->refusals[i].place, list->refusals[i].gid,
				 list->refusals[i].sid, "refused");
		reasons = json_array();
		json_array_append_new(reasons, json_string(list->refusals[i].why));
		json_object_set_new(rule, "reasons", reasons);
		json_array_append_new(rules, rule);
	}
	free(entries);
	return rules;
}
