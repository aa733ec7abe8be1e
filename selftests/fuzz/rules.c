// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: rules. The first byte says what the rest is:
 *
 *   0  a program as it would be in a hostile blob, then a payload
 *   1  conditions, of which a sound program is made, flowbits and a payload: the
 *      interpreter's result is compared with that of a plain one, which is below
 *   2  a payload that the parsers of HTTP, DNS, TLS and SSH read, and each of their buffers is
 *      searched, with each transform
 */
#include <stdlib.h>
#include <string.h>

#include "kmod/engine/rules/conditions.h"
#include "libfuzzer.h"

#define WORDS_MAX	512u
#define CONDITIONS	4u
#define CONDITION_BYTES	8u

#define HEAD_WORDS	(sizeof(struct nfac_program) / 4)

/* The bytes that are left of the input. */
struct input {
	const uint8_t *at;
	size_t length;
};

static uint8_t take(struct input *in)
{
	if (!in->length)
		return 0;
	in->length--;
	return *in->at++;
}

struct program {
	__le32 words[WORDS_MAX];
	u32 count, conditions;
};

static void put(struct program *p, u32 word)
{
	p->words[p->count++] = cpu_to_le32(word);
}

static void begin(struct program *p, u32 flags)
{
	memset(p, 0, sizeof(*p));
	p->count = HEAD_WORDS;
	p->words[2] = cpu_to_le32(flags);
}

static u32 condition(struct program *p, u32 type, u32 buffer, u32 flags)
{
	u32 at = p->count;

	put(p, type | buffer << 24);
	put(p, flags);
	p->conditions++;
	return at;
}

static void end_condition(struct program *p, u32 at)
{
	p->words[at] |= cpu_to_le32((p->count - at) << 8);
}

static void end(struct program *p)
{
	p->words[0] = cpu_to_le32(p->count);
	p->words[3] = cpu_to_le32(p->conditions << 16);
}

static bool is_sound(const struct program *p)
{
	static uint8_t starts[WORDS_MAX / 8 + 1];
	u32 at;

	memset(starts, 0, sizeof(starts));
	return !nfac_programs_verify(p->words, p->count, starts, &at);
}

/* What all modes share: the payload at its exact size, so that a byte behind it is a fault. */
static uint8_t *window_of(struct nfac_window *w, struct input *in, uint8_t how)
{
	uint8_t *bytes = malloc(in->length + !in->length);

	memcpy(bytes, in->at, in->length);
	memset(w, 0, sizeof(*w));
	w->bytes = bytes;
	w->length = in->length < 65535 ? in->length : 65535;
	w->protocol = how & 1 ? 17 : 6;
	w->stream = how & 2;
	w->whole = how & 4 || !w->stream;
	w->packet = w->bytes;
	w->packet_length = w->length;
	w->established = 1;
	w->sport = 53;
	w->dport = how & 8 ? 53 : 80;
	w->ports = true;
	return bytes;
}

static enum nfac_outcome run(const struct program *p, const struct nfac_window *w)
{
	static struct nfac_rules_scratch *scratch;
	u64 budget = nfac_rules_budget(w->length);
	enum nfac_outcome outcome;
	u32 failed = 0;

	if (!scratch)
		scratch = malloc(nfac_rules_scratch_bytes());
	nfac_rules_begin(scratch, w, budget);
	outcome = nfac_rules_evaluate(scratch, p->words, 0, &failed);
	if (outcome > NFAC_RULE_BUDGET || failed >= p->count)
		abort();
	/* the step that exceeds the budget is the last one: it reads the window once at most */
	if (nfac_rules_cost(scratch) > budget + w->length + NFAC_RULES_DECODED_MAX)
		abort();
	return outcome;
}

static void hostile(struct input *in)
{
	uint8_t how = take(in), *bytes;
	struct nfac_flowbits bits = { how, how >> 4 };
	struct nfac_window w;
	struct program p = { .count = take(in) * 2u };
	size_t size;

	if (p.count < HEAD_WORDS)
		p.count = HEAD_WORDS;
	size = p.count * 4 < in->length ? p.count * 4 : in->length;
	memcpy(p.words, in->at, size);
	in->at += size;
	in->length -= size;
	p.words[0] = cpu_to_le32(p.count);
	if (!is_sound(&p))
		return;
	bytes = window_of(&w, in, how);
	if (how & 16)
		w.bits = &bits;
	run(&p, &w);
	free(bytes);
}

/* A condition of the plain interpreter. */
struct plain {
	enum nfac_condition_type type;
	bool negated, nocase, relative, endswith, has_offset, has_depth;
	int offset, depth;
	uint8_t bytes[3];
	unsigned int length;
	u32 low, high;
};

static void take_condition(struct plain *c, struct input *in)
{
	uint8_t kind = take(in), flags = take(in);
	unsigned int i;

	memset(c, 0, sizeof(*c));
	c->type = kind % 8 < 6 ? NFAC_CONDITION_CONTENT :
		  kind % 8 == 6 ? NFAC_CONDITION_ISDATAAT : NFAC_CONDITION_SIZE;
	c->negated = (flags & 7) == 7;
	c->nocase = flags & 8;
	c->relative = flags & 16 && c->type != NFAC_CONDITION_SIZE;
	c->endswith = (flags & 0x60) == 0x60;
	c->has_offset = flags & 0x20;
	c->has_depth = flags & 0x40;
	c->length = 1 + take(in) % 3;
	c->offset = (int8_t)take(in) / 8;
	c->depth = take(in) % 16;
	if (!c->relative && c->offset < 0)
		c->offset = -c->offset;
	if (c->depth < (int)c->length)
		c->depth = c->length;
	if (!c->has_offset)
		c->offset = 0;
	if (!c->has_depth)
		c->depth = 0;
	/* few letters, so that they occur */
	for (i = 0; i < c->length; i++)
		c->bytes[i] = (c->nocase ? 'a' : "aAbB"[kind >> 3 & 3]) + (take(in) & 1);
	c->low = c->offset < 0 ? 0 : c->offset;
	c->high = c->low + c->depth;
}

static void put_plain(struct program *p, const struct plain *c)
{
	u32 flags = (c->negated ? NFAC_CONDITION_NEGATED : 0) |
		    (c->nocase ? NFAC_CONDITION_NOCASE : 0) |
		    (c->relative ? NFAC_CONDITION_RELATIVE : 0) |
		    (c->endswith ? NFAC_CONDITION_ENDSWITH : 0) |
		    (c->has_offset ? NFAC_CONDITION_HAS_OFFSET : 0) |
		    (c->has_depth ? NFAC_CONDITION_HAS_DEPTH : 0);
	u32 at, word = 0;
	unsigned int i;

	if (c->type != NFAC_CONDITION_CONTENT)
		flags &= NFAC_CONDITION_NEGATED | NFAC_CONDITION_RELATIVE;
	at = condition(p, c->type, NFAC_BUFFER_PAYLOAD, flags);
	if (c->type == NFAC_CONDITION_CONTENT) {
		put(p, c->length);
		put(p, c->offset);
		put(p, c->depth);
		for (i = 0; i < c->length; i++)
			word |= (u32)c->bytes[i] << 8 * i;
		put(p, word);
	} else {
		put(p, c->low);
		if (c->type == NFAC_CONDITION_SIZE)
			put(p, c->high);
	}
	end_condition(p, at);
}

static bool occurs_at(const struct plain *c, const struct nfac_window *w, long at)
{
	unsigned int i;

	for (i = 0; i < c->length; i++) {
		uint8_t text = w->bytes[at + i];

		if (c->nocase && text >= 'A' && text <= 'Z')
			text += 'a' - 'A';
		if (text != c->bytes[i])
			return false;
	}
	return true;
}

/* May the content be here, by offset, depth, distance, within, endswith? */
static bool may_be_at(const struct plain *c, const struct nfac_window *w, long at, long behind)
{
	long from = c->relative ? behind + c->offset : c->offset;
	long to = c->has_depth && from + c->depth >= 0 ? from + c->depth : (long)w->length;

	if (to > (long)w->length)
		to = w->length;
	if (at < from || at + (long)c->length > to)
		return false;
	if (c->endswith && c->negated)
		return to == (long)w->length;
	return !c->endswith || at + (long)c->length == (long)w->length;
}

/* A negated endswith is about the first occurrence; its end counts from where the search began. */
static bool ends_there(const struct plain *c, const struct nfac_window *w, long at, long behind)
{
	long from = c->relative ? behind + c->offset : c->offset;

	return at + (long)c->length == (long)w->length - (from > 0 ? from : 0);
}

/*
 * Do the conditions from @c on hold, if the last match ended at @behind? Of a content each
 * occurrence is tried if the next condition counts from it, as the interpreter has it.
 */
static bool holds(const struct plain *c, unsigned int left, const struct nfac_window *w,
		  long behind)
{
	bool found = false, there;
	long at;

	if (!left)
		return true;
	if (c->type == NFAC_CONDITION_ISDATAAT) {
		there = c->relative ? behind + (long)c->low <= (long)w->length : c->low < w->length;
		return there != c->negated && holds(c + 1, left - 1, w, behind);
	}
	if (c->type == NFAC_CONDITION_SIZE) {
		there = w->length >= c->low && w->length <= c->high;
		return there != c->negated && holds(c + 1, left - 1, w, behind);
	}
	for (at = 0; at + (long)c->length <= (long)w->length; at++) {
		if (!may_be_at(c, w, at, behind) || !occurs_at(c, w, at))
			continue;
		found = !c->negated || !c->endswith || ends_there(c, w, at, behind);
		if (c->negated)
			break;
		if (holds(c + 1, left - 1, w, at + c->length))
			return true;
		if (left == 1 || !c[1].relative)
			return false;
	}
	return c->negated && !found && holds(c + 1, left - 1, w, behind);
}

/*
 * What a rule does with flowbits: at most one condition, on two bits of eight.
 *
 * @set, @unsure: the connection's, before the rule and, once it was evaluated, behind it
 */
struct plain_bits {
	u32 action, mask;
	bool set[8], unsure[8];
};

static void take_bits(struct plain_bits *b, struct input *in)
{
	uint8_t kind = take(in), set = take(in), unsure = take(in);
	unsigned int i;

	b->action = kind % 8;
	b->mask = 1u << (kind >> 3 & 3) | 1u << (kind >> 5);
	for (i = 0; i < 8; i++) {
		b->set[i] = set >> i & 1;
		b->unsure[i] = unsure >> i & 1;
	}
}

static u32 put_bits(struct program *p, const struct plain_bits *b)
{
	u32 at;

	if (b->action >= NFAC_FLOWBITS_MAX)
		return 0;
	at = condition(p, NFAC_CONDITION_FLOWBITS, 0, 0);
	put(p, b->action);
	put(p, b->mask);
	put(p, 0);
	end_condition(p, at);
	return b->action > NFAC_FLOWBITS_ISNOTSET ? NFAC_PROGRAM_SETS_FLOWBITS :
						    NFAC_PROGRAM_TESTS_FLOWBITS;
}

/* Bit by bit: one that is as the rule wants it is enough. */
static enum nfac_outcome test_bits(const struct plain_bits *b)
{
	enum nfac_outcome outcome = NFAC_RULE_FAILS;
	unsigned int i;

	if (b->action > NFAC_FLOWBITS_ISNOTSET)
		return NFAC_RULE_HOLDS;
	for (i = 0; i < 8; i++) {
		if (!(b->mask >> i & 1))
			continue;
		if (b->unsure[i])
			outcome = NFAC_RULE_UNCHECKED;
		else if (b->set[i] == (b->action == NFAC_FLOWBITS_ISSET))
			return NFAC_RULE_HOLDS;
	}
	return outcome;
}

/* The rule holds: each bit behind it. */
static void change_bits(struct plain_bits *b)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		if (!(b->mask >> i & 1))
			continue;
		if (b->action == NFAC_FLOWBITS_TOGGLE)
			b->set[i] = !b->set[i];
		if (b->action != NFAC_FLOWBITS_SET && b->action != NFAC_FLOWBITS_UNSET)
			continue;
		b->set[i] = b->action == NFAC_FLOWBITS_SET;
		b->unsure[i] = false;
	}
}

static struct nfac_flowbits pack_bits(const struct plain_bits *b)
{
	struct nfac_flowbits bits = { 0 };
	unsigned int i;

	for (i = 0; i < 8; i++) {
		bits.set |= (u64)b->set[i] << i;
		bits.unsure |= (u64)b->unsure[i] << i;
	}
	return bits;
}

static void compare(struct input *in)
{
	unsigned int count = 1 + take(in) % CONDITIONS, i;
	struct plain conditions[CONDITIONS];
	enum nfac_outcome outcome, wanted;
	struct nfac_flowbits bits, behind;
	struct plain_bits plain;
	struct nfac_window w;
	struct program p;
	uint8_t *bytes;

	begin(&p, NFAC_PROGRAM_PACKET);
	for (i = 0; i < count; i++) {
		take_condition(&conditions[i], in);
		put_plain(&p, &conditions[i]);
	}
	take_bits(&plain, in);
	p.words[2] |= cpu_to_le32(put_bits(&p, &plain));
	end(&p);
	if (in->length > 64)
		in->length = 64;
	if (!is_sound(&p))
		abort();
	bytes = window_of(&w, in, 4);
	bits = pack_bits(&plain);
	w.bits = &bits;
	outcome = run(&p, &w);
	wanted = holds(conditions, count, &w, 0) ? test_bits(&plain) : NFAC_RULE_FAILS;
	if (wanted != NFAC_RULE_FAILS)
		change_bits(&plain);
	behind = pack_bits(&plain);
	if (outcome != NFAC_RULE_BUDGET &&
	    (outcome != wanted || bits.set != behind.set || bits.unsure != behind.unsure))
		abort();
	free(bytes);
}

static void on_decoded(void *context, const u8 *bytes, u32 length, u32 begins)
{
	const struct nfac_window *w = context;

	/* ASan checks that all of it is there */
	if (begins > w->length || memchr(bytes, 0, length) == bytes - 1)
		abort();
}

static void parsers(struct input *in)
{
	static struct nfac_rules_scratch *scratch;
	uint8_t how = take(in), transforms = take(in) & NFAC_TRANSFORMS;
	struct nfac_window w;
	uint8_t *bytes = window_of(&w, in, how);
	struct program p;
	u32 buffer, at;

	if (!scratch)
		scratch = malloc(nfac_rules_scratch_bytes());
	nfac_rules_begin(scratch, &w, nfac_rules_budget(w.length));
	nfac_rules_decoded(scratch, on_decoded, &w);
	/* a byte that is hardly there, so that all of the buffer is read, in each message */
	for (buffer = 0; buffer < NFAC_BUFFER_MAX; buffer++) {
		begin(&p, 0);
		at = condition(&p, NFAC_CONDITION_CONTENT, buffer, (u32)transforms << 16);
		put(&p, 1);
		put(&p, 0);
		put(&p, 0);
		put(&p, 0xee);
		end_condition(&p, at);
		end(&p);
		if (!is_sound(&p))
			abort();
		run(&p, &w);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	switch (take(&in) % 3) {
	case 0:
		hostile(&in);
		break;
	case 1:
		compare(&in);
		break;
	default:
		parsers(&in);
		break;
	}
	return 0;
}
