// SPDX-License-Identifier: GPL-2.0
/*
 * suricata: each rule becomes a pattern, its anchor, and a program. The id is the rule's sid,
 * unless a rule of another group (gid) has that one.
 *
 * The anchor is the content that the rule marks with fast_pattern, or else the longest that is not
 * negated, among those that packets contain as they are. A rule without one is left out. Conditions
 * that the program cannot check make the rule inexact. Both are listed, rule for rule.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "suricata.h"
#include "suricata_sid.h"

/* A content that is so short that much will match is reported. */
#define SHORT		4

/* Bad rules that are reported before a file is refused. */
#define BAD_MAX		10

static bool may_be_absent(const struct rule *rule, const struct buffer *buffer)
{
	size_t i;

	for (i = 0; i < rule->absent_count; i++)
		if (rule->absent[i] == buffer)
			return true;
	return false;
}

/* Is the buffer made from the packet, not in it? SMB has the names of files in UTF-16. */
static bool is_computed(const struct rule *rule, const struct buffer *buffer)
{
	return buffer->kind == BUFFER_COMPUTED ||
	       (!strcmp(buffer->name, "file.name") && !strcmp(rule->protocol.name, "smb"));
}

/*
 * The longest piece of a content that is in the packet as it is: between line ends for header
 * names; between ", " and "=" for distinguished names. Return: there is one.
 */
static bool longest_piece(uint8_t *bytes, size_t *length, enum buffer_kind kind)
{
	const char *ends = kind == BUFFER_NAMES ? "\r\n" : "=,";
	size_t at = 0, end, best = 0, best_at = 0;

	while (at < *length) {
		for (end = at; end < *length && !strchr(ends, bytes[end] ? bytes[end] : 1); end++)
			;
		/* a blank follows the comma of a distinguished name */
		if (kind == BUFFER_DN && at && at < end && bytes[at] == ' ')
			at++;
		if (end - at > best) {
			best = end - at;
			best_at = at;
		}
		at = end + 1;
	}
	memmove(bytes, bytes + best_at, best);
	*length = best;
	return best;
}

/*
 * What a content looks like in a packet; @to has room for its length + 2.
 * Return: NULL, or why it does not look like anything.
 */
static const char *in_packet(const struct rule *rule, const struct content *content, uint8_t *to,
			     size_t *length)
{
	const struct buffer *buffer = content->buffer;

	*length = content->length;
	memcpy(to, content->bytes, content->length);
	if (content->negated)
		return "its contents are all negated";
	if (may_be_absent(rule, buffer))
		return "its contents may be absent";
	if (content->transform)
		return content->transform;
	if (!buffer)
		return NULL;
	if (is_computed(rule, buffer))
		return buffer->name;
	if (content->transforms & ~(NFAC_TRANSFORM_DOTPREFIX | NFAC_TRANSFORM_LOWERCASE |
				    NFAC_TRANSFORM_HEADER_LOWERCASE))
		return "a transform";
	if (buffer->kind == BUFFER_NAMES || buffer->kind == BUFFER_DN)
		return longest_piece(to, length, buffer->kind) ? NULL : buffer->name;
	if (buffer->kind == BUFFER_DNS)
		return buffer_dns(content, to, length) ? NULL : "no name looks like this";
	/* the dot that was put there is not in the packet when the name begins with it */
	if (content->dotprefix && *to == '.') {
		memmove(to, to + 1, --*length);
		if (!*length)
			return "dotprefix";
	}
	return NULL;
}

/* A content with its shape in a packet. */
struct choice {
	const struct content *content;
	uint8_t *bytes;
	size_t length;
};

/* Return: 0; 1: no content can be the anchor, @why says why; -1 after saying why. */
static int choose(struct pattern_list *list, const struct rule *rule, struct choice *choice,
		  const char **why)
{
	const struct content *content;
	size_t i, length;
	uint8_t *bytes;
	bool better;

	memset(choice, 0, sizeof(*choice));
	*why = rule->pcre ? "it has no content, only pcre" : "it has no content";
	for (i = 0; i < rule->content_count; i++) {
		const char *reason;

		content = &rule->contents[i];
		bytes = pattern_list_alloc(list, content->length + 2);
		if (!bytes)
			return -1;
		reason = in_packet(rule, content, bytes, &length);
		if (reason) {
			/* a transform says more than that another content is negated */
			if (!content->negated || i == 0)
				*why = reason;
			continue;
		}
		better = !choice->content || length > choice->length;
		if (choice->content && content->fast_pattern != choice->content->fast_pattern)
			better = content->fast_pattern;
		if (better)
			*choice = (struct choice) { content, bytes, length };
	}
	return choice->content ? 0 : 1;
}

/* The connections' bits that a rule changes, or tests. */
static uint64_t flowbits_of(const struct rule *rule, bool changed)
{
	uint64_t bits = 0;
	size_t i;

	for (i = 0; i < rule->condition_count; i++) {
		const struct rule_condition *c = &rule->conditions[i];
		bool changes = c->words[0] > NFAC_FLOWBITS_ISNOTSET;

		if (c->type == NFAC_CONDITION_FLOWBITS && changes == changed)
			bits |= c->words[1] | (uint64_t)c->words[2] << 32;
	}
	return bits;
}

/* Note what of the rule its program does not check, apart from what the parser noted. */
static void note_choice(struct rule *rule)
{
	size_t i;

	for (i = 0; i < rule->content_count; i++) {
		const struct content *content = &rule->contents[i];

		if (content->transform)
			rule_note(rule, content->transform);
		else if (content->buffer && content->buffer->id < 0)
			rule_note(rule, content->buffer->name);
	}
	for (i = 0; i < rule->condition_count; i++) {
		const struct rule_condition *c = &rule->conditions[i];

		if (c->content < 0 && c->buffer && c->buffer->id < 0)
			rule_note(rule, c->buffer->name);
	}
	if (rule->answers)
		rule_note(rule, "=>, a request and its answer");
}

/* The conditions that are not checked, a line each; "" after saying why there is no memory. */
static const char *join_notes(struct pattern_list *list, const struct rule *rule)
{
	size_t i, bytes = 1;
	char *text, *to;

	for (i = 0; i < rule->note_count; i++)
		bytes += strlen(rule->notes[i]) + 1;
	text = pattern_list_alloc(list, bytes);
	if (!text)
		return "";
	to = text;
	*to = 0;
	for (i = 0; i < rule->note_count; i++)
		to = stpcpy(stpcpy(to, rule->notes[i]), "\n");
	return text;
}

static void list_notes(const struct rule *rule, const struct choice *choice, bool quiet)
{
	char *text = NULL;
	size_t length, i;
	FILE *to;

	if (!rule->note_count || quiet)
		return;
	to = open_memstream(&text, &length);
	if (!to)
		return;
	for (i = 0; i < rule->note_count; i++) {
		fprintf(to, "%s%s", i ? ", " : "", rule->notes[i]);
		if (rule->note_counts[i] > 1)
			fprintf(to, " (%u)", rule->note_counts[i]);
	}
	fclose(to);
	complain_at(rule->place.file, rule->place.line, "sid %u: conditions not checked: %s%s",
		    rule->sid, text,
		    choice->length < SHORT ? "; its pattern is short, much will match" : "");
	free(text);
}

/*
 * The anchor becomes a pattern, and the rule its program, even where one content is all of it: so
 * each rule is one match of a packet.
 */
static int add_rule(struct pattern_list *list, const struct rule *rule,
		    const struct choice *choice)
{
	const struct content *content = choice->content;
	struct nfac_pattern *pattern;
	const uint32_t *program;
	uint32_t words;

	pattern = pattern_list_add(list, &rule->place, choice->bytes, choice->length);
	if (!pattern)
		return -1;
	pattern->id = rule->id;
	pattern->label = rule->label;
	pattern->details = rule_details(list, rule);
	if (!pattern->details)
		return -1;
	pattern->nocase = content->nocase || content->folded ||
			  (content->buffer && content->buffer->folded);
	program = rule_program(list, rule, content - rule->contents, &words);
	if (!program)
		return -1;
	pattern->program = program;
	pattern->program_words = words;
	return 0;
}

static int left_out(struct pattern_list *list, const struct rule *rule, const char *why,
		    bool quiet)
{
	if (!quiet)
		complain_at(rule->place.file, rule->place.line, "sid %u: left out: %s", rule->sid,
			    why);
	return rule_refuse(list, &rule->place, rule->gid, rule->sid, why);
}

/* Newer actions say behind a colon how far they go. */
static bool is_action(const char *action, const char *name)
{
	size_t length = strlen(name);

	return !strncasecmp(action, name, length) && (!action[length] || action[length] == ':');
}

static const char unknown_action[] = "an action that nfac does not know";

/* Why a rule of this action has nothing to look for; NULL: it has. */
static const char *not_finding(const char *action)
{
	static const char *const findings[] = {
		"alert", "drop", "reject", "rejectsrc", "rejectdst", "rejectboth", "log", NULL
	};
	int i;

	if (is_action(action, "pass") || is_action(action, "accept"))
		return "it says what is to pass, a set cannot";
	for (i = 0; findings[i]; i++)
		if (is_action(action, findings[i]))
			return NULL;
	return unknown_action;
}

/*
 * Find the rule of the same group and number. Of two revisions the higher one counts, of one
 * revision the first rule. Return: 0: the rule is to be added as *@entry; 1: it is left out; -1
 * after saying why.
 */
static int take_number(struct pattern_list *list, struct rule *rule, struct sid_entry **entry,
		       bool quiet)
{
	struct sid_entry *e = sid_table_get(&list->sids, rule->gid, rule->sid);
	char reason[128];

	*entry = e;
	if (!e)
		return -1;
	rule->id = e->id;
	if (!e->place.line)
		return 0;
	if (rule->rev <= e->rev) {
		snprintf(reason, sizeof(reason), "%.80s:%u has this number already",
			 e->place.file, e->place.line);
		return left_out(list, rule, reason, quiet) ? -1 : 1;
	}
	snprintf(reason, sizeof(reason), "%.80s:%u has a higher revision of it", rule->place.file,
		 rule->place.line);
	if (!quiet)
		complain_at(e->place.file, e->place.line, "sid %u: left out: %s", rule->sid,
			    reason);
	return rule_refuse(list, &e->place, e->gid, e->sid, reason);
}

/* A replaced rule's pattern becomes that of its higher revision. */
static int put_rule(struct pattern_list *list, const struct rule *rule,
		    const struct choice *choice, struct sid_entry *entry)
{
	if (add_rule(list, rule, choice))
		return -1;
	if (entry->place.line) {
		list->count--;
		list->items[entry->index] = list->items[list->count];
		list->places[entry->index] = list->places[list->count];
	} else {
		entry->index = list->count - 1;
	}
	entry->rev = rule->rev;
	entry->notes = rule->note_count ? join_notes(list, rule) : NULL;
	entry->confirmed = !rule_is_inexact(rule);
	entry->flowbits_tested = flowbits_of(rule, false);
	if (!entry->confirmed)
		list->flowbits_lost |= flowbits_of(rule, true);
	entry->place = rule->place;
	return 0;
}

static int read_rule(struct pattern_list *list, const struct format_options *options,
		     struct rule *rule, char *text)
{
	struct sid_entry *entry;
	struct choice choice;
	char reason[128];
	const char *why;
	int got;

	if (rule_parse(list, rule, text))
		return -1;
	list->rules++;
	why = not_finding(rule->action);
	if (why)
		return left_out(list, rule, why, options->quiet);
	if (rule->noalert) {
		if (!flowbits_of(rule, true))
			return left_out(list, rule, "noalert: it is no finding by itself",
					options->quiet);
		rule->program_flags |= NFAC_PROGRAM_NOALERT;
	}
	got = choose(list, rule, &choice, &why);
	if (got < 0)
		return got;
	if (got) {
		list->flowbits_lost |= flowbits_of(rule, true);
		snprintf(reason, sizeof(reason), rule->content_count &&
			 strncmp(why, "its ", 4) && strncmp(why, "no ", 3) ?
			 "no content can be seen in a packet: %s" : "%s", why);
		return left_out(list, rule, reason, options->quiet);
	}
	/* a rule that is left out takes no number */
	got = take_number(list, rule, &entry, options->quiet);
	if (got)
		return got < 0 ? got : 0;
	note_choice(rule);
	list_notes(rule, &choice, options->quiet);
	return put_rule(list, rule, &choice, entry);
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/*
 * The next rule, of which each line but the last ends in a backslash; comments are left
 * out. A comment does not go on, as little as it does for Suricata: but where it is a rule
 * that was switched off, so are the lines behind it, which begin with a blank.
 * Return: as line_next(); *@used: its length, *@place: its first line.
 */
static bool next_rule(struct line_reader *lines, char *text, size_t *used, struct place *place)
{
	bool more = true, comment = false;
	const uint8_t *line;
	size_t length;

	*used = 0;
	while (more && line_next(lines, &line, &length)) {
		size_t lead = 0;

		while (length && is_blank(line[length - 1]))
			length--;
		while (lead < length && is_blank(line[lead]))
			lead++;
		more = length && line[length - 1] == '\\';
		if (!*used) {
			comment = (comment && lead) ||
				  (length && (line[lead] == '#' || line[lead] == ';'));
			if (comment || !length) {
				comment = comment && more;
				more = true;
				continue;
			}
			*place = lines->place;
		}
		memcpy(text + *used, line, length - more);
		*used += length - more;
		text[*used] = 0;
		if (!more)
			return true;
	}
	return *used;
}

bool suricata_is_rule(const uint8_t *line, size_t length)
{
	char action[16] = "";
	size_t i;

	if (length < 2 || memcmp(line + length - 2, ";)", 2))
		return false;
	for (i = 0; i < sizeof(action) - 1 && i < length && !is_blank(line[i]); i++)
		action[i] = line[i];
	return not_finding(action) != unknown_action;
}

int suricata_read(struct pattern_list *list, const struct format_options *options,
		  struct line_reader *lines)
{
	char *text = malloc(lines->end - lines->at + 1), *start;
	struct rule *rule = malloc(sizeof(*rule));
	unsigned int bad = 0;
	struct place place;
	size_t length;
	int err = -1;

	if (!text || !rule) {
		complain("out of memory");
		goto out;
	}
	if (options->nocase) {
		complain("--nocase is for plain lists: say nocase in the rule");
		goto out;
	}
	while (next_rule(lines, text, &length, &place)) {
		if (memchr(text, 0, length)) {
			complain_at(place.file, place.line, "a NUL, which no rule has");
			goto out;
		}
		start = text + strspn(text, " \t");
		if (!*start)
			continue;
		memset(rule, 0, sizeof(*rule));
		rule->place = place;
		rule->gid = 1;
		if (read_rule(list, options, rule, start) && ++bad == BAD_MAX)
			goto out;
	}
	err = bad ? -1 : 0;
out:
	free(rule);
	free(text);
	return err;
}
