// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of a threshold configuration, and the decision for a match: suppressed, counted, or
 * reported.
 *
 * Cost: a binary search for the rule's lines for each match.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "message.h"
#include "options.h"
#include "pattern_text.h"
#include "prefix.h"
#include "threshold_config.h"

#define SIZE_MAX_BYTES	(64u << 20)	/* of the file: a line for each of some 600,000 rules */

#define SUPPRESS_FORM	"suppress gen_id G, sig_id S[, track by_src|by_dst|by_either, ip ADDRESS|NETWORK|[LIST]]"
#define THRESHOLD_FORM	"threshold gen_id G, sig_id S, type limit|threshold|both, track by_src|by_dst|by_both|by_rule, count N, seconds T"

enum suppress_track {
	SUPPRESS_ALWAYS,
	SUPPRESS_SOURCE,
	SUPPRESS_DESTINATION,
	SUPPRESS_EITHER,
};

/*
 * A line.
 *
 * @line: its number, which orders lines of the same rule
 * @suppress: @track and the prefixes hold, else @threshold
 * @first, @count: its prefixes; those that are negated exclude addresses from the others, or
 *	from all
 */
struct entry {
	uint32_t gid, sid;
	unsigned int line;
	bool suppress;
	enum suppress_track track;
	size_t first, count;
	struct threshold threshold;
};

/* @entries: ascending by rule, then by line; @prefixes: of all of them */
struct threshold_config {
	struct entry *entries;
	struct prefix *prefixes;
	size_t count, prefix_count;
	struct thresholds *counters;
};

/* Where a message points to, and what is read. */
struct place {
	struct threshold_config *config;
	const char *file;
	unsigned int line;
};

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	return text + strspn(text, " \t\r");
}

/* Read "KEY NUMBER". */
static bool read_number(const char *text, const char *key, uint32_t *number)
{
	size_t length = strlen(key);
	uint64_t value;

	if (strncmp(text, key, length) || !isspace((unsigned char)text[length]))
		return false;
	text += length;
	if (parse_number(text + strspn(text, " \t"), 0, UINT32_MAX, &value))
		return false;
	*number = value;
	return true;
}

static bool add_prefix(struct threshold_config *config, struct entry *e, char *text)
{
	bool negated = *text == '!';
	struct prefix *more = realloc(config->prefixes,
				      (config->prefix_count + 1) * sizeof(*more));

	if (!more)
		return false;
	config->prefixes = more;
	if (!prefix_parse(&more[config->prefix_count], trim(text + negated), negated))
		return false;
	config->prefix_count++;
	e->count++;
	return true;
}

/* An address, a network or a list of them in brackets. */
static int read_addresses(const struct place *at, struct entry *e, char *text)
{
	size_t length = strlen(text);
	char *part;

	if (strchr(text, '$'))
		return complain_at(at->file, at->line,
				   "'%s': no variable is known here; write its addresses", text);
	if (*text == '[' && text[length - 1] == ']') {
		text[length - 1] = 0;
		text++;
	}
	e->first = at->config->prefix_count;
	while ((part = strsep(&text, ","))) {
		part = trim(part);
		if (!add_prefix(at->config, e, part))
			return complain_at(at->file, at->line,
					   "'%s' is not an address or a network ADDRESS/BITS, nor several as [A, B, !C]",
					   part);
	}
	return 0;
}

static int read_suppress(const struct place *at, struct entry *e, char *rest)
{
	static const char *const tracks[] = {
		[SUPPRESS_SOURCE] = "track by_src",
		[SUPPRESS_DESTINATION] = "track by_dst",
		[SUPPRESS_EITHER] = "track by_either",
	};
	char *track, key[8], value[16], more, words[32];

	e->suppress = true;
	if (!rest)
		return 0;
	track = strsep(&rest, ",");
	rest = rest ? trim(rest) : "";
	if (sscanf(track, " %7s %15s %c", key, value, &more) != 2 || strncmp(rest, "ip", 2) ||
	    !isspace((unsigned char)rest[2]))
		return complain_at(at->file, at->line, "this is wanted: " SUPPRESS_FORM);
	snprintf(words, sizeof(words), "%s %s", key, value);
	for (e->track = SUPPRESS_EITHER; e->track; e->track--)
		if (!strcmp(words, tracks[e->track]))
			return read_addresses(at, e, trim(rest + 2));
	return complain_at(at->file, at->line,
			   "'%s': track by_src, by_dst or by_either is wanted", trim(track));
}

static int read_threshold(const struct place *at, struct entry *e, const char *rest)
{
	if (rest && threshold_parse(&e->threshold, rest, false))
		return 0;
	return complain_at(at->file, at->line, "this is wanted: " THRESHOLD_FORM);
}

static int read_entry(const struct place *at, struct entry *e, char *text)
{
	char *word = strsep(&text, " \t"), *group, *rule;

	if (!strcmp(word, "rate_filter"))
		return complain_at(at->file, at->line,
				   "rate_filter changes a rule's action for a time, which nfac cannot; suppress, threshold and event_filter are accepted");
	if (strcmp(word, "suppress") && strcmp(word, "threshold") && strcmp(word, "event_filter"))
		return complain_at(at->file, at->line,
				   "'%s' is not suppress, threshold or event_filter", word);
	group = strsep(&text, ",");
	rule = strsep(&text, ",");
	if (!group || !read_number(trim(group), "gen_id", &e->gid) || !rule ||
	    !read_number(trim(rule), "sig_id", &e->sid))
		return complain_at(at->file, at->line, "'%s gen_id NUMBER, sig_id NUMBER' is wanted",
				   word);
	if (e->sid && !e->gid)
		return complain_at(at->file, at->line,
				   "a rule has a group: gen_id 0 is accepted with sig_id 0, all rules");
	e->line = at->line;
	return *word == 's' ? read_suppress(at, e, text) : read_threshold(at, e, text);
}

static int add_line(const struct place *at, char *text)
{
	struct threshold_config *config = at->config;
	struct entry *more;

	text = trim(text);
	if (!*text || *text == '#')
		return 0;
	more = realloc(config->entries, (config->count + 1) * sizeof(*more));
	if (!more)
		return complain("out of memory");
	config->entries = more;
	memset(&more[config->count], 0, sizeof(*more));
	return read_entry(at, &more[config->count++], text);
}

/* A backslash joins a line with the next one. */
static int read_lines(const char *file, struct threshold_config *config, char *text)
{
	struct place at = { .config = config, .file = file };
	unsigned int line = 0;
	char *next, *end;

	while (text) {
		at.line = ++line;
		next = strchr(text, '\n');
		while (next) {
			end = next > text && next[-1] == '\r' ? next - 1 : next;
			if (end == text || end[-1] != '\\')
				break;
			memset(end - 1, ' ', next - end + 2);
			line++;
			next = strchr(next, '\n');
		}
		if (next)
			*next++ = 0;
		if (add_line(&at, text))
			return -1;
		text = next;
	}
	return 0;
}

static int by_rule(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->gid != y->gid)
		return x->gid < y->gid ? -1 : 1;
	if (x->sid != y->sid)
		return x->sid < y->sid ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

struct threshold_config *threshold_config_read(const char *name)
{
	struct threshold_config *config = calloc(1, sizeof(*config));
	struct file file = { 0 };
	char *text = NULL;
	int err = -1;

	if (!config) {
		complain("out of memory");
		return NULL;
	}
	if (!file_read(&file, name, SIZE_MAX_BYTES, NULL)) {
		text = strndup((const char *)file.bytes, file.size);
		config->counters = thresholds_new();
		if (!text)
			complain("out of memory");
		else if (config->counters)
			err = read_lines(file_shown_name(name), config, text);
		free(text);
		file_close(&file);
	}
	if (err) {
		threshold_config_free(config);
		return NULL;
	}
	if (config->count)
		qsort(config->entries, config->count, sizeof(*config->entries), by_rule);
	return config;
}

void threshold_config_free(struct threshold_config *config)
{
	if (!config)
		return;
	free(config->prefixes);
	free(config->entries);
	thresholds_free(config->counters);
	free(config);
}

static bool is_listed(const struct prefix *prefixes, size_t count, const uint8_t *address)
{
	bool listed = false, positive = false;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct prefix *p = &prefixes[i];
		bool covers = prefix_covers(p, address);

		if (covers && p->negated)
			return false;
		positive |= !p->negated;
		listed |= covers;
	}
	return listed || !positive;
}

static bool suppresses(const struct threshold_config *config, const struct entry *e,
		       const struct threshold_match *match)
{
	const struct prefix *prefixes = config->prefixes + e->first;

	switch (e->track) {
	case SUPPRESS_SOURCE:
		return is_listed(prefixes, e->count, match->saddr);
	case SUPPRESS_DESTINATION:
		return is_listed(prefixes, e->count, match->daddr);
	case SUPPRESS_EITHER:
		return is_listed(prefixes, e->count, match->saddr) ||
		       is_listed(prefixes, e->count, match->daddr);
	default:
		return true;
	}
}

/* The lines of a rule, or of all rules of a group: @count of them. */
static const struct entry *lines_of(const struct threshold_config *config, uint32_t gid,
				    uint32_t sid, size_t *count)
{
	const struct entry want = { .gid = gid, .sid = sid };
	size_t low = 0, high = config->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (by_rule(&config->entries[middle], &want) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < config->count; ++*count) {
		const struct entry *e = &config->entries[low + *count];

		if (e->gid != gid || e->sid != sid)
			break;
	}
	return config->entries + low;
}

struct threshold_match threshold_match(const struct pattern_text *text, const uint8_t *saddr,
				       const uint8_t *daddr, int64_t now)
{
	return (struct threshold_match) {
		.gid = pattern_group(text),
		.sid = text->shown,
		.saddr = saddr,
		.daddr = daddr,
		.now = now,
	};
}

enum threshold_result threshold_config_count(struct threshold_config *config,
					     const struct threshold_match *match,
					     enum threshold_result own)
{
	const struct threshold *rule = NULL, *all = NULL, *chosen;
	const uint32_t numbers[][2] = {
		{ match->gid, match->sid }, { match->gid, 0 }, { 0, 0 },
	};
	size_t i, k, count;

	for (i = 0; config && i < 3; i++) {
		const struct entry *e = lines_of(config, numbers[i][0], numbers[i][1], &count);

		for (k = 0; k < count; k++) {
			if (!e[k].suppress && !i)
				rule = &e[k].threshold;
			else if (!e[k].suppress)
				all = all ?: &e[k].threshold;
			else if (suppresses(config, &e[k], match))
				return THRESHOLD_NO_EFFECT;
		}
	}
	chosen = rule ?: own == THRESHOLD_ABSENT ? all : NULL;
	if (!chosen)
		return own;
	return threshold_count(config->counters, chosen,
			       (uint64_t)match->gid << 32 | match->sid, match->saddr,
			       match->daddr, match->now);
}
