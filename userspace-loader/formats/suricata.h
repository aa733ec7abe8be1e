/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suricata rules, as far as a set of patterns can express them. For the reader's own files
 * only: suricata.c chooses the pattern that stands for a rule, suricata_rule.c parses a
 * rule, suricata_header.c its protocol and ports, suricata_buffer.c knows what of a buffer
 * can be seen in a packet.
 */
#ifndef _NFAC_SURICATA_H
#define _NFAC_SURICATA_H

#include "formats.h"

#define RULE_CONTENTS	128	/* Suricata's own rules have some 20 at most */
#define RULE_ABSENT	16	/* buffers that need not be there */
#define RULE_PORTS	32	/* ranges of ports */
#define RULE_NOTES	64	/* different keywords that are not checked */

/* How the bytes of a buffer relate to those of a packet. */
enum buffer_kind {
	BUFFER_AS_IS,		/* the packet's own */
	BUFFER_NORMALISED,	/* mostly; a sender may write them in another way */
	BUFFER_DNS,		/* dots are length bytes in the packet */
	BUFFER_COMPUTED,	/* made from the packet, not in it */
};

/**
 * struct buffer - a buffer that contents are searched in
 * @name: in rules
 * @kind: see above
 * @folded: the buffer is in lower case, the packet need not be
 */
struct buffer {
	const char *name;
	enum buffer_kind kind;
	bool folded;
};

/**
 * struct content - a content keyword with its modifiers
 * @bytes: decoded; in the pattern list's memory
 * @buffer: NULL: the raw payload
 * @transform: one that cannot be undone was applied to the buffer; or NULL
 * @folded: the buffer was turned to one case
 * @dotprefix: a dot was put before the buffer
 * @relative: its place is relative to the previous match
 * @limited: has an offset or a depth that is not relative
 * @variable: one of them is not a number
 */
struct content {
	const uint8_t *bytes;
	size_t length;
	const struct buffer *buffer;
	const char *transform;
	bool negated, nocase, fast_pattern, startswith, endswith;
	bool folded, dotprefix, relative, limited, variable;
	uint32_t offset, depth;
};

/* Protocols that Suricata knows, and the transports they run over. */
struct rule_protocol {
	const char *name;
	uint8_t transports[2];	/* IPPROTO_*, 0: none, or any */
	bool packets;		/* offsets count from the packet's payload */
};

struct port_range {
	uint16_t low, high;
};

/**
 * struct rule - a parsed rule
 * @place: its (first) line
 * @ports: as far as they can be expressed; none: any
 * @source_ports: @ports are source ports
 * @absent: buffers that may be absent, so that no content of theirs can stand for the rule
 * @notes: keywords whose conditions are not checked
 * @note_counts: how often each is in the rule
 */
struct rule {
	struct place place;
	uint32_t sid;
	const char *label;
	const char *action;
	struct rule_protocol protocol;
	struct port_range ports[RULE_PORTS];
	size_t port_count;
	bool source_ports;
	bool noalert, pcre;
	struct content contents[RULE_CONTENTS];
	size_t content_count;
	const struct buffer *absent[RULE_ABSENT];
	size_t absent_count;
	const char *notes[RULE_NOTES];
	unsigned int note_counts[RULE_NOTES];
	size_t note_count;
};

/* Skips blanks at the beginning, and cuts off those at the end. */
char *trim(char *text);

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
