// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions that user space checks: expressions by PCRE2, compiled once for each program;
 * compressed bodies by zlib; thresholds.
 *
 * Cost: PCRE2's limits of matches and recursion bound each expression, as in Suricata.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/automaton.h"
#include "confirm.h"
#include "inflate.h"
#include "message.h"
#include "rule_details.h"

#ifdef HAVE_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Suricata's defaults (suricata.yaml, pcre): beyond them an expression does not match. */
#define MATCH_LIMIT	3500
#define DEPTH_LIMIT	1500

/* An expression of a program. @index: among its expressions; @bad: it did not compile. */
struct expression {
	struct expression *next;
	uint32_t index;
	bool bad;
	pcre2_code *code;
};

/* @expressions: by word offset of the program; @unpacked: INFLATED_MAX bytes, of one body. */
struct confirm {
	struct nfac_image *image;
	struct thresholds *thresholds;
	struct expression **expressions;
	uint32_t words;
	uint8_t *unpacked;
	pcre2_match_context *limits;
	pcre2_match_data *data;
};

static uint32_t option_bits(const char *options, size_t length)
{
	static const struct {
		char letter;
		uint32_t bits;
	} letters[] = {
		{ 'i', PCRE2_CASELESS }, { 's', PCRE2_DOTALL }, { 'm', PCRE2_MULTILINE },
		{ 'x', PCRE2_EXTENDED }, { 'A', PCRE2_ANCHORED }, { 'E', PCRE2_DOLLAR_ENDONLY },
		{ 'G', PCRE2_UNGREEDY },
	};
	uint32_t bits = 0;
	size_t i, k;

	for (i = 0; i < length; i++)
		for (k = 0; k < sizeof(letters) / sizeof(*letters); k++)
			if (options[i] == letters[k].letter)
				bits |= letters[k].bits;
	return bits;
}

static pcre2_code *compile(const char *expression, size_t length, uint32_t bits, int *err)
{
	PCRE2_SIZE at;

	return pcre2_compile((PCRE2_SPTR)expression, length, bits, err, &at, NULL);
}

const char *pcre_check(const char *options, const char *expression)
{
	static char what[160];
	int err = 0;
	pcre2_code *code = compile(expression, strlen(expression),
				   option_bits(options, strlen(options)), &err);

	if (code) {
		pcre2_code_free(code);
		return NULL;
	}
	pcre2_get_error_message(err, (PCRE2_UCHAR *)what, sizeof(what));
	return what;
}

bool confirm_available(void)
{
	return true;
}

struct confirm *confirm_new(struct nfac_image *image)
{
	struct confirm *c = calloc(1, sizeof(*c));

	if (!c)
		goto no_memory;
	c->image = image;
	c->words = nfac_image_program_words(image);
	c->expressions = calloc(c->words + 1, sizeof(*c->expressions));
	c->limits = pcre2_match_context_create(NULL);
	c->thresholds = thresholds_new();
	c->unpacked = malloc(INFLATED_MAX);
	c->data = pcre2_match_data_create(1, NULL);
	if (!c->expressions || !c->limits || !c->data || !c->thresholds || !c->unpacked)
		goto no_memory;
	pcre2_set_match_limit(c->limits, MATCH_LIMIT);
	pcre2_set_depth_limit(c->limits, DEPTH_LIMIT);
	return c;
no_memory:
	confirm_free(c);
	complain("out of memory");
	return NULL;
}

void confirm_free(struct confirm *c)
{
	uint32_t i;

	if (!c)
		return;
	for (i = 0; c->expressions && i < c->words; i++) {
		while (c->expressions[i]) {
			struct expression *next = c->expressions[i]->next;

			pcre2_code_free(c->expressions[i]->code);
			free(c->expressions[i]);
			c->expressions[i] = next;
		}
	}
	free(c->expressions);
	free(c->unpacked);
	pcre2_match_context_free(c->limits);
	pcre2_match_data_free(c->data);
	thresholds_free(c->thresholds);
	free(c);
}

/* The expression's text: "OPTIONS EXPRESSION" among the details of the program's pattern. */
static const char *expression_text(const struct confirm *c, uint32_t program, uint32_t index,
				   size_t *length)
{
	const struct nfac_program *head = (const struct nfac_program *)
		(nfac_image_automaton(c->image)->programs + program);
	struct nfac_pattern pattern;
	const char *text;

	if (!nfac_image_pattern(c->image, le32_to_cpu(head->id), &pattern))
		return NULL;
	text = rule_detail(pattern.details, RULE_DETAIL_PCRE, length);
	while (text && index--)
		text = rule_detail(text + *length, RULE_DETAIL_PCRE, length);
	return text;
}

static struct expression *expression_of(struct confirm *c, uint32_t program, uint32_t index)
{
	struct expression *e = c->expressions[program];
	const char *text, *blank;
	size_t length;
	int err;

	while (e && e->index != index)
		e = e->next;
	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->index = index;
	e->next = c->expressions[program];
	c->expressions[program] = e;
	text = expression_text(c, program, index, &length);
	blank = text ? memchr(text, ' ', length) : NULL;
	if (blank)
		e->code = compile(blank + 1, text + length - blank - 1,
				  option_bits(text, blank - text), &err);
	e->bad = !e->code;
	if (e->code)
		pcre2_jit_compile(e->code, PCRE2_JIT_COMPLETE);
	return e;
}

bool confirm_pcre(void *context, struct nfac_user_match *m)
{
	struct confirm *c = context;
	struct expression *e = expression_of(c, m->program, m->index);
	size_t *found;
	int got;

	/* unknown: the rule is not ruled out by what cannot be checked */
	if (!e || e->bad) {
		m->start = m->from;
		m->end = m->from;
		return true;
	}
	got = pcre2_match(e->code, m->text + m->base, m->length - m->base, m->from - m->base, 0,
			  c->data, c->limits);
	if (got < 0)
		return false;
	found = pcre2_get_ovector_pointer(c->data);
	m->start = m->base + found[0];
	m->end = m->base + found[1];
	/* \K in a lookahead */
	return m->start <= m->end && m->end <= m->length;
}

uint32_t confirm_unpack(void *context, const uint8_t *bytes, uint32_t length, const uint8_t **out)
{
	struct confirm *c = context;

	*out = c->unpacked;
	return inflate_body(bytes, length, c->unpacked);
}

/* The value of a detail as a text of its own, NULL: the rule has none. */
static char *detail_copy(const char *details, const char *key)
{
	size_t length;
	const char *value = rule_detail(details, key, &length);

	return value ? strndup(value, length) : NULL;
}

enum threshold_result confirm_count(struct confirm *c, uint32_t id, const uint8_t *saddr,
				    const uint8_t *daddr, int64_t now)
{
	struct threshold threshold;
	struct nfac_pattern pattern;
	bool filter = false, good;
	char *text;

	if (!nfac_image_pattern(c->image, id, &pattern) || !pattern.details)
		return THRESHOLD_ABSENT;
	text = detail_copy(pattern.details, RULE_DETAIL_THRESHOLD);
	if (!text) {
		text = detail_copy(pattern.details, RULE_DETAIL_FILTER);
		filter = true;
	}
	if (!text)
		return THRESHOLD_ABSENT;
	good = threshold_parse(&threshold, text, filter);
	free(text);
	if (!good)
		return THRESHOLD_ABSENT;
	return threshold_count(c->thresholds, &threshold, id, saddr, daddr, now);
}

#else /* !HAVE_PCRE2 */

uint32_t confirm_unpack(void *context, const uint8_t *bytes, uint32_t length, const uint8_t **out)
{
	(void)context;
	(void)bytes;
	(void)length;
	(void)out;
	return 0;
}

enum threshold_result confirm_count(struct confirm *c, uint32_t id, const uint8_t *saddr,
				    const uint8_t *daddr, int64_t now)
{
	(void)c;
	(void)id;
	(void)saddr;
	(void)daddr;
	(void)now;
	return THRESHOLD_ABSENT;
}

struct confirm *confirm_new(struct nfac_image *image)
{
	(void)image;
	complain("--confirm: nfac was built without libpcre2");
	return NULL;
}

void confirm_free(struct confirm *c)
{
	(void)c;
}

bool confirm_pcre(void *context, struct nfac_user_match *match)
{
	(void)context;
	(void)match;
	return false;
}

bool confirm_available(void)
{
	return false;
}

const char *pcre_check(const char *options, const char *expression)
{
	(void)options;
	(void)expression;
	return NULL;
}

#endif /* HAVE_PCRE2 */
