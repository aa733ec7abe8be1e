/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suricata rules, for the reader's own files only. suricata.c chooses a rule's anchor,
 * suricata_rule.c parses a rule, suricata_header.c its protocol, addresses and ports,
 * suricata_condition.c and suricata_bytes.c its other conditions, suricata_details.c what it says
 * about itself; suricata_check.c refuses what cannot hold; suricata_program.c writes its program.
 * suricata_buffer.c knows how a buffer's bytes relate to the packet's.
 */
#ifndef _NFAC_SURICATA_H
#define _NFAC_SURICATA_H

#include "../../kmod/engine/rules/program.h"
#include "common/prefix.h"
#include "formats.h"

#define RULE_CONDITIONS	120	/* NFAC_PROGRAM_CONDITIONS_MAX, less those of the header */
#define RULE_PREFIXES	128	/* addresses of one end */
#define RULE_VARIABLES	8	/* NFAC_PROGRAM_VARIABLES */
#define RULE_CONTENTS	128	/* Suricata's own rules have some 20 at most */
#define RULE_ABSENT	16	/* buffers that need not be there */
#define RULE_PORTS	256	/* ranges of ports of one end */
#define RULE_PCRES	16	/* expressions of a rule */
#define RULE_NOTES	64	/* different keywords that are not checked */

/* How the bytes of a buffer relate to those of a packet. */
enum buffer_kind {
	BUFFER_AS_IS,		/* the packet's own */
	BUFFER_NORMALISED,	/* mostly; a sender may write them in another way */
	BUFFER_DNS,		/* dots are length bytes in the packet */
	BUFFER_NAMES,		/* names of headers: a colon follows each in the packet */
	BUFFER_DN,		/* a distinguished name: its values are in the packet */
	BUFFER_COMPUTED,	/* made from the packet, not in it */
};

/**
 * struct buffer - a buffer that contents are searched in
 * @name: in rules
 * @kind: see above
 * @id: enum nfac_buffer, or -1: the engine has no such buffer
 * @folded: the buffer is in lower case, the packet need not be
 */
struct buffer {
	const char *name;
	enum buffer_kind kind;
	bool folded;
	int id;
};

/**
 * struct content - a content keyword with its modifiers
 * @bytes: decoded; in the pattern list's memory
 * @buffer: NULL: the raw payload
 * @transform: one that cannot be undone was applied to the buffer; or NULL
 * @folded: the buffer was turned to one case
 * @dotprefix: a dot was put before the buffer
 * @lowered: by to_lowercase; @raised: by to_uppercase
 * @fast_only: fast_pattern:only
 * @chop_end: fast_pattern:OFFSET,LENGTH: the sum of the two
 * @relative: its place is relative to the previous match
 * @transforms: NFAC_TRANSFORM_* that the buffer undergoes
 * @place_flags: NFAC_CONDITION_HAS_*, _VARIABLE: what @place has
 * @place: offset or distance, depth or within: numbers, or indices of variables
 */
struct content {
	const uint8_t *bytes;
	size_t length;
	const struct buffer *buffer;
	const char *transform;
	bool negated, nocase, fast_pattern, startswith, endswith;
	bool folded, dotprefix, relative;
	bool lowered, raised, fast_only;
	size_t chop_end;
	uint32_t transforms;
	uint32_t place_flags;
	int32_t place[2];
};

/**
 * struct rule_condition - a condition in the order of the rule, for its program
 * @type: enum nfac_condition_type
 * @flags: NFAC_CONDITION_*
 * @buffer: NULL: the raw payload
 * @transforms: NFAC_TRANSFORM_*
 * @content: index of the content: it is the condition, or a relative condition follows it; -1: none
 * @words: arguments
 * @count: of @words
 */
struct rule_condition {
	uint8_t type;
	uint16_t flags;
	const struct buffer *buffer;
	uint32_t transforms;
	int content;
	uint32_t words[8];
	size_t count;
};

struct port_range {
	uint16_t low, high;
};

/**
 * struct rule_end - source or target of a rule's header
 * @prefixes: addresses; none: any
 * @ports: ranges, ascending; none: any
 */
struct rule_end {
	struct prefix prefixes[RULE_PREFIXES];
	size_t prefix_count;
	struct port_range ports[RULE_PORTS];
	size_t port_count;
};

/* Protocols that Suricata knows, and the transports they run over. */
struct rule_protocol {
	const char *name;
	uint8_t transports[2];	/* IPPROTO_*, 0: none, or any */
};

/**
 * struct rule - a parsed rule
 * @place: its (first) line
 * @id: what a match of it reports: its sid, unless a rule of another group has that one
 * @early_sid: its sid, for messages before that option is parsed; 0: not found
 * @priority: valid with @has_priority, else it is that of its class
 * @classtype: as written, or NULL; @metadata: the same
 * @ends: source and target
 * @both_ways: they may change places
 * @answers: =>: it is about a request and its answer
 * @program_flags: NFAC_PROGRAM_*
 * @app: enum nfac_app
 * @conditions: in the rule's order
 * @threshold: value of threshold or, with @is_filter, detection_filter; must outlive the rule
 * @counted: user space counts how often it holds before it is reported
 * @pcres: "OPTIONS EXPRESSION" of each pcre that user space checks
 * @pcre_unchecked: there are others
 * @flow_groups: kinds of words that flow had
 * @variables: names of byte_extract and byte_math results
 * @absent: buffers that may be absent, so that none of their contents can be the anchor
 * @notes: keywords whose conditions are not checked
 * @note_counts: how often each is in the rule
 */
struct rule {
	struct place place;
	uint32_t sid, early_sid, gid, rev, id, priority;
	bool has_priority, has_rev;
	const char *classtype, *metadata;
	const char *label;
	const char *action;
	struct rule_protocol protocol;
	struct rule_end ends[2];
	bool both_ways, answers;
	uint32_t program_flags;
	uint8_t app;
	struct rule_condition conditions[RULE_CONDITIONS];
	size_t condition_count;
	const char *variables[RULE_VARIABLES];
	size_t variable_count;
	bool noalert, pcre, pcre_unchecked, has_dsize;
	const char *threshold;
	bool is_filter, counted;
	const char *pcres[RULE_PCRES];
	size_t pcre_count;
	uint32_t flow_groups;
	struct content contents[RULE_CONTENTS];
	size_t content_count;
	const struct buffer *absent[RULE_ABSENT];
	size_t absent_count;
	const char *notes[RULE_NOTES];
	unsigned int note_counts[RULE_NOTES];
	size_t note_count;
};

/**
 * rule_variable_value() - value of a variable of addresses or ports
 * @name: without the '$'
 *
 * Return: its value, in the rules' own syntax; NULL: it was not given.
 */
const char *rule_variable_value(const char *name);

/* Skips blanks at the beginning, and cuts off those at the end. */
char *trim(char *text);

/* Say what is wrong with a keyword, and what would be accepted. Return: -1. */
int rule_bad(const struct rule *rule, const char *keyword, const char *what);

/* Note a rule that is left out. Return: 0; -1 after saying why. */
int rule_refuse(struct pattern_list *list, const struct place *place, uint32_t gid, uint32_t sid,
		const char *why);

/* Refuse a rule that can never hold. Return: 0; -1 after saying why. */
int rule_check(const struct rule *rule);

/* Is each of its addresses excluded again? */
bool rule_end_is_empty(const struct rule_end *end);

/* Note a condition that is not checked. @what must outlive @rule. */
void rule_note(struct rule *rule, const char *what);

/**
 * rule_parse() - parse a rule
 * @text: the rule, NUL-terminated; modified, and referenced by @rule
 *
 * Return: 0; -1 after saying why.
 */
int rule_parse(struct pattern_list *list, struct rule *rule, char *text);

/**
 * rule_header() - parse action, protocol, addresses and ports
 * @text: the rule up to the parenthesis; modified
 *
 * Return: 0; -1 after saying why.
 */
int rule_header(struct rule *rule, char *text);

/**
 * rule_detail_set() - sid, gid, rev, priority, classtype, metadata
 * @value: NULL: none; else it must outlive @rule
 *
 * Return: 0; -1 after saying why.
 */
int rule_detail_set(struct rule *rule, const char *keyword, char *value);

/* threshold, detection_filter. @value must outlive @rule. Return: 0; -1 after saying why. */
int rule_threshold_parse(struct rule *rule, const char *keyword, char *value);

/* The rule's details (common/rule_details.h) in the list's memory; NULL after saying why. */
const char *rule_details(struct pattern_list *list, const struct rule *rule);

/* Add a condition; NULL after noting that there are too many. */
struct rule_condition *rule_condition_add(struct rule *rule, enum nfac_condition_type type);

/**
 * rule_condition_parse() - parse a keyword that is a condition other than a content
 * @buffer: the sticky buffer before it
 * @transforms: of that buffer
 *
 * Return: 1: it became a condition; 0: it cannot be checked; -1 after saying why it is wrong.
 */
int rule_condition_parse(struct pattern_list *list, struct rule *rule, const char *keyword,
			 char *value, const struct buffer *buffer, uint32_t transforms);

/**
 * rule_pcre_parse() - parse a pcre
 * @sticky: the buffer before it, or NULL; @transforms: of that buffer
 * @transform: one of that buffer that the engine does not know, or NULL
 *
 * Return: 0; -1 after saying why it is wrong.
 */
int rule_pcre_parse(struct pattern_list *list, struct rule *rule, char *value,
		    const struct buffer *sticky, uint32_t transforms, const char *transform);

/* What the parsers of conditions share. */
#define RULE_ARGUMENTS_MAX	16	/* byte_math has some ten */

/* A number, decimal or 0x..., with a sign: the whole text. Return: it is one, in the range. */
bool rule_number(const char *text, int64_t low, int64_t high, int64_t *value);

/* Split at commas and blanks into at most RULE_ARGUMENTS_MAX words. Return: how many. */
size_t rule_split(char *value, char **words);

/* Index of a word in a list, or @count. */
size_t rule_index(const char *word, const char *const *list, size_t count);

/* Give a condition its buffer: of the content that a relative one follows. */
void rule_condition_place(struct rule *rule, struct rule_condition *c, bool relative,
			  const struct buffer *buffer, uint32_t transforms);

/* byte_test, byte_jump, byte_extract, byte_math. Return: as rule_condition_parse(). */
int rule_bytes_parse(struct pattern_list *list, struct rule *rule, const char *keyword,
		     char *value, const struct buffer *buffer, uint32_t transforms);

/* Index of a variable that an earlier condition sets, or -1. */
int rule_variable(const struct rule *rule, const char *name);

/* Has it conditions that even user space does not check? */
bool rule_is_inexact(const struct rule *rule);

/**
 * rule_program() - the rule's program
 * @anchor: index of the content that the automaton looks for
 * @words: set to the number of words
 *
 * Return: the program in the list's memory, in host byte order; NULL without memory, after
 * saying so.
 */
const uint32_t *rule_program(struct pattern_list *list, const struct rule *rule, size_t anchor,
			     uint32_t *words);

/* The sticky buffer of a keyword without a value, or of frame; NULL: no such keyword. */
const struct buffer *buffer_find(const char *keyword);

/* The buffer that a keyword after a content names (http_uri); NULL: none. */
const struct buffer *buffer_of_modifier(const char *keyword);

/**
 * buffer_dns() - a name as it is encoded in a packet
 * @to: room for the content's length + 2 bytes
 * @length: set
 *
 * Where the length of a label is not known the pattern ends before it, or begins
 * behind it, whichever is longer.
 *
 * Return: false: nothing of the encoding is known, or no name has such a label.
 */
bool buffer_dns(const struct content *content, uint8_t *to, size_t *length);

#endif /* _NFAC_SURICATA_H */
