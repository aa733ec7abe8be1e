// SPDX-License-Identifier: GPL-2.0
/*
 * From a parsed rule to its program (kmod/engine/rules/program.h).
 *
 * The reader (suricata.c) calls rule_program() once for each rule that has more to it than one
 * content. Conditions on headers come first, because they are the cheapest; then those of each
 * buffer together, in the rule's order, as the interpreter's groups want them.
 */
#include <netinet/in.h>
#include <string.h>

#include "suricata.h"

#define WORDS_MAX	NFAC_PROGRAM_WORDS_MAX

/* The program that is written. @full: it would be longer than a program may be. */
struct writer {
	uint32_t words[WORDS_MAX];
	size_t count, conditions;
	bool full;
};

static void put(struct writer *w, uint32_t word)
{
	if (w->count == WORDS_MAX)
		w->full = true;
	else
		w->words[w->count++] = word;
}

/* Bytes in the order of memory, whatever the machine's: padded to a word. */
static void put_bytes(struct writer *w, const uint8_t *bytes, size_t length, bool fold)
{
	uint32_t word = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		uint8_t c = bytes[i];

		if (fold && c >= 'A' && c <= 'Z')
			c |= 0x20;
		word |= (uint32_t)c << i % 4 * 8;
		if (i % 4 == 3 || i + 1 == length) {
			put(w, word);
			word = 0;
		}
	}
}

/* Begin a condition; its size follows when it ends. Return: where it begins. */
static size_t begin(struct writer *w, enum nfac_condition_type type, int buffer, uint32_t flags)
{
	size_t at = w->count;

	put(w, type | (uint32_t)buffer << 24);
	put(w, flags);
	w->conditions++;
	return at;
}

static void end(struct writer *w, size_t at)
{
	if (!w->full)
		w->words[at] |= (uint32_t)(w->count - at) << 8;
}

static void put_ports(struct writer *w, enum nfac_condition_type type, const struct rule_end *e)
{
	size_t at, i;

	if (!e->port_count)
		return;
	at = begin(w, type, 0, 0);
	for (i = 0; i < e->port_count; i++)
		put(w, e->ports[i].low | (uint32_t)e->ports[i].high << 16);
	end(w, at);
}

/* Those that are not negated, one of which holds; and those that are, none of which does. */
static void put_addresses(struct writer *w, enum nfac_condition_type type, const struct rule_end *e)
{
	int negated;
	size_t i;

	for (negated = 0; negated < 2; negated++) {
		size_t at = w->count, count = w->conditions;

		for (i = 0; i < e->prefix_count; i++) {
			if (e->prefixes[i].negated != negated)
				continue;
			if (count == w->conditions)
				at = begin(w, type, 0, negated ? NFAC_CONDITION_NEGATED : 0);
			put_bytes(w, e->prefixes[i].bytes, 16, false);
			put(w, e->prefixes[i].bits);
		}
		if (count != w->conditions)
			end(w, at);
	}
}

static void put_content(struct writer *w, const struct rule *rule, size_t index, size_t anchor)
{
	const struct content *c = &rule->contents[index];
	/* to_uppercase: the program's buffer is in lower case */
	bool nocase = c->nocase || c->raised || (c->buffer && c->buffer->folded);
	uint32_t flags = c->place_flags;
	size_t at;

	flags |= c->negated ? NFAC_CONDITION_NEGATED : 0;
	flags |= nocase ? NFAC_CONDITION_NOCASE : 0;
	flags |= c->relative ? NFAC_CONDITION_RELATIVE : 0;
	flags |= c->endswith ? NFAC_CONDITION_ENDSWITH : 0;
	flags |= index == anchor ? NFAC_CONDITION_ANCHOR : 0;
	/* where the distance is a variable, a number as within limits nothing in Suricata 7 */
	if (c->relative && flags & NFAC_CONDITION_OFFSET_VARIABLE &&
	    !(flags & NFAC_CONDITION_DEPTH_VARIABLE))
		flags &= ~(uint32_t)NFAC_CONDITION_HAS_DEPTH;
	at = begin(w, NFAC_CONDITION_CONTENT, c->buffer ? c->buffer->id : 0,
		   flags | c->transforms << 16);
	put(w, c->length);
	put(w, c->place[0]);
	put(w, flags & NFAC_CONDITION_HAS_DEPTH ? c->place[1] : 0);
	put_bytes(w, c->bytes, c->length, nocase);
	end(w, at);
}

static bool is_grouped(const struct rule_condition *c)
{
	return c->type <= NFAC_CONDITION_BYTE_MATH || c->type == NFAC_CONDITION_USER;
}

static const struct buffer *buffer_of(const struct rule *rule, const struct rule_condition *c)
{
	return c->content >= 0 ? rule->contents[c->content].buffer : c->buffer;
}

static uint32_t transforms_of(const struct rule *rule, const struct rule_condition *c)
{
	return c->content >= 0 ? rule->contents[c->content].transforms : c->transforms;
}

static int id_of(const struct buffer *buffer)
{
	return buffer ? buffer->id : NFAC_BUFFER_PAYLOAD;
}

/* Can the condition be in a program: does the engine have its buffer? */
static bool expressible(const struct rule *rule, const struct rule_condition *c)
{
	if (id_of(buffer_of(rule, c)) < 0)
		return false;
	return c->type != NFAC_CONDITION_CONTENT || !rule->contents[c->content].transform;
}

static void put_condition(struct writer *w, const struct rule *rule, const struct rule_condition *c,
			  size_t anchor)
{
	size_t at, i;

	if (c->type == NFAC_CONDITION_CONTENT) {
		put_content(w, rule, c->content, anchor);
		return;
	}
	at = begin(w, c->type, is_grouped(c) ? id_of(buffer_of(rule, c)) : 0,
		   c->flags | (is_grouped(c) ? transforms_of(rule, c) << 16 : 0));
	for (i = 0; i < c->count; i++)
		put(w, c->words[i]);
	end(w, at);
}

/* The conditions of each buffer, where its first one is. */
static void put_groups(struct writer *w, const struct rule *rule, size_t anchor)
{
	bool done[RULE_CONDITIONS] = { false };
	size_t i, k;

	for (i = 0; i < rule->condition_count; i++) {
		const struct rule_condition *first = &rule->conditions[i];

		if (done[i] || !is_grouped(first) || !expressible(rule, first))
			continue;
		for (k = i; k < rule->condition_count; k++) {
			const struct rule_condition *c = &rule->conditions[k];

			if (done[k] || !is_grouped(c) || !expressible(rule, c) ||
			    id_of(buffer_of(rule, c)) != id_of(buffer_of(rule, first)) ||
			    transforms_of(rule, c) != transforms_of(rule, first))
				continue;
			put_condition(w, rule, c, anchor);
			done[k] = true;
		}
	}
}

bool rule_is_inexact(const struct rule *rule)
{
	return rule->pcre_unchecked ||
	       rule->note_count > (size_t)(rule->pcre_count > 0) + rule->counted;
}

const uint32_t *rule_program(struct pattern_list *list, const struct rule *rule, size_t anchor,
			     uint32_t *words)
{
	const uint8_t *transports = rule->protocol.transports;
	uint8_t protocol = !transports[1] ? transports[0] :
			   transports[0] == IPPROTO_ICMP ? NFAC_PROTOCOL_ICMP : 0;
	struct writer w = { .count = sizeof(struct nfac_program) / 4 };
	uint32_t *copy, flags = rule->program_flags;
	size_t i;

	if (rule->both_ways)
		flags |= NFAC_PROGRAM_BIDIRECTIONAL;
	put_ports(&w, NFAC_CONDITION_SPORT, &rule->ends[0]);
	put_ports(&w, NFAC_CONDITION_DPORT, &rule->ends[1]);
	put_addresses(&w, NFAC_CONDITION_SADDR, &rule->ends[0]);
	put_addresses(&w, NFAC_CONDITION_DADDR, &rule->ends[1]);
	for (i = 0; i < rule->condition_count; i++)
		if (!is_grouped(&rule->conditions[i]))
			put_condition(&w, rule, &rule->conditions[i], anchor);
	put_groups(&w, rule, anchor);
	/* a rule that is longer than a program is inexact, with its first conditions */
	if (w.full || w.conditions > NFAC_PROGRAM_CONDITIONS_MAX) {
		w = (struct writer) { .count = sizeof(struct nfac_program) / 4 };
		put_content(&w, rule, anchor, anchor);
		flags &= ~(NFAC_PROGRAM_SETS_FLOWBITS | NFAC_PROGRAM_TESTS_FLOWBITS);
		flags |= NFAC_PROGRAM_INEXACT;
	}
	if (rule->pcre_count || rule->counted)
		flags |= NFAC_PROGRAM_CONFIRM;
	if (rule_is_inexact(rule))
		flags |= NFAC_PROGRAM_INEXACT;
	w.words[0] = w.count;
	w.words[1] = rule->id;
	w.words[2] = flags;
	w.words[3] = rule->app | (uint32_t)protocol << 8 | (uint32_t)w.conditions << 16;
	copy = pattern_list_alloc(list, w.count * sizeof(*copy));
	if (!copy)
		return NULL;
	memcpy(copy, w.words, w.count * sizeof(*copy));
	*words = w.count;
	return copy;
}
