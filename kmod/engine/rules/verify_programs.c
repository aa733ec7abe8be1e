// SPDX-License-Identifier: GPL-2.0
/*
 * Verifying programs: all that the interpreter relies on.
 *
 * The blob verifier calls it once, at load. A program that passes cannot make the interpreter read
 * outside the programs or the window, use a variable that no earlier condition has set, or loop:
 * every condition has at least two words, ends within its program, and has as many arguments as its
 * type reads. Padding is zero, so that a program has one form.
 *
 * Cost: each word is read once.
 */
#include "conditions.h"

#define HEAD_WORDS	((u32)(sizeof(struct nfac_program) / 4))
#define CONDITION_WORDS	((u32)(sizeof(struct nfac_condition) / 4))
#define CONTENT_WORDS	((u32)(sizeof(struct nfac_condition_content) / 4))
#define BYTE_WORDS	((u32)(sizeof(struct nfac_condition_byte) / 4))
#define CONTENT_MAX	(255u * 4)
#define OFFSET_MAX	65535

/*
 * The verification of one program.
 *
 * @set: variables that conditions so far have set, a bit each
 * @flowbits: NFAC_PROGRAM_*_FLOWBITS, as its conditions so far have it
 */
struct check {
	u32 set;
	u32 flowbits;
};

static bool number_fits(u32 word, s32 low, s32 high)
{
	return (s32)word >= low && (s32)word <= high;
}

/* An offset or a depth: a number, or a variable that is set. */
static bool place_fits(const struct check *c, u32 word, bool variable, s32 low)
{
	if (variable)
		return word < NFAC_PROGRAM_VARIABLES && c->set >> word & 1;
	return number_fits(word, low, OFFSET_MAX);
}

static const char *content_fault(const struct check *check, const struct nfac_condition *c,
				 u32 arguments)
{
	const u32 flags = le32_to_cpu(c->flags);
	const u8 *bytes = (const u8 *)((const __le32 *)(c + 1) + CONTENT_WORDS);
	u32 length, i;

	if (arguments < CONTENT_WORDS + 1)
		return "content without bytes";
	length = nfac_condition_word(c, 0);
	if (!length || length > CONTENT_MAX || arguments != CONTENT_WORDS + (length + 3) / 4)
		return "content of a wrong length";
	if (!place_fits(check, nfac_condition_word(c, 1), flags & NFAC_CONDITION_OFFSET_VARIABLE,
			-OFFSET_MAX) ||
	    !place_fits(check, nfac_condition_word(c, 2), flags & NFAC_CONDITION_DEPTH_VARIABLE, 0))
		return "offset or depth out of range";
	for (i = 0; flags & NFAC_CONDITION_NOCASE && i < length; i++)
		if (bytes[i] != nfac_lower(bytes[i]))
			return "upper-case byte in a nocase content";
	for (i = length; i % 4; i++)
		if (bytes[i])
			return "padding is not zero";
	return NULL;
}

static const char *byte_fault(struct check *check, const struct nfac_condition *c, u32 arguments)
{
	const enum nfac_condition_type type = nfac_condition_type(c);
	u32 form, bytes, operator, base, most;

	if (arguments != BYTE_WORDS)
		return "byte_* condition of a wrong size";
	form = nfac_condition_word(c, 0);
	bytes = form >> 16 & 0xff;
	operator = form >> 24;
	base = form >> 8 & 0xff;
	most = form & NFAC_BYTE_STRING ? 23 : 8;
	if (form & 0xff & ~(NFAC_BYTE_FORMS & 0xff))
		return "unknown form of a number";
	if (form & NFAC_BYTE_STRING ? base != 8 && base != 10 && base != 16 : base)
		return "unknown base of a number";
	if (!bytes || bytes > most)
		return "number of a wrong size";
	if (operator > (type == NFAC_CONDITION_BYTE_TEST ? 6u : type == NFAC_CONDITION_BYTE_MATH ?
			5u : 0u))
		return "unknown operator";
	if (!number_fits(nfac_condition_word(c, 1), -OFFSET_MAX, OFFSET_MAX))
		return "offset out of range";
	if (form & NFAC_BYTE_VALUE_VARIABLE &&
	    (nfac_condition_word(c, 2) >= NFAC_PROGRAM_VARIABLES ||
	     !(check->set >> nfac_condition_word(c, 2) & 1)))
		return "variable that is not set";
	if (type == NFAC_CONDITION_BYTE_JUMP &&
	    !number_fits(nfac_condition_word(c, 2), -OFFSET_MAX, OFFSET_MAX))
		return "post_offset out of range";
	if ((type == NFAC_CONDITION_BYTE_JUMP || type == NFAC_CONDITION_BYTE_EXTRACT) &&
	    (!nfac_condition_word(c, 3) || nfac_condition_word(c, 3) > OFFSET_MAX))
		return "multiplier out of range";
	if (type == NFAC_CONDITION_BYTE_EXTRACT || type == NFAC_CONDITION_BYTE_MATH) {
		if (nfac_condition_word(c, 5) >= NFAC_PROGRAM_VARIABLES)
			return "unknown variable";
		check->set |= BIT(nfac_condition_word(c, 5));
	} else if (nfac_condition_word(c, 5)) {
		return "result of a condition that has none";
	}
	return NULL;
}

static const char *ports_fault(const struct nfac_condition *c, u32 arguments)
{
	u32 i, range;

	if (!arguments)
		return "ports without a range";
	for (i = 0; i < arguments; i++) {
		range = nfac_condition_word(c, i);
		if ((range & 0xffff) > range >> 16)
			return "ports the wrong way round";
	}
	return NULL;
}

static const char *addresses_fault(const struct nfac_condition *c, u32 arguments)
{
	u32 i;

	if (!arguments || arguments % 5)
		return "addresses of a wrong size";
	for (i = 4; i < arguments; i += 5)
		if (nfac_condition_word(c, i) > 128)
			return "prefix of more than 128 bits";
	return NULL;
}

static const char *flowbits_fault(struct check *check, const struct nfac_condition *c,
				  u32 arguments)
{
	if (arguments != 3 || nfac_condition_word(c, 0) >= NFAC_FLOWBITS_MAX)
		return "unknown action on flowbits";
	check->flowbits |= nfac_condition_word(c, 0) > NFAC_FLOWBITS_ISNOTSET ?
			   NFAC_PROGRAM_SETS_FLOWBITS : NFAC_PROGRAM_TESTS_FLOWBITS;
	return NULL;
}

static const char *arguments_fault(struct check *check, const struct nfac_condition *c,
				   u32 arguments)
{
	switch (nfac_condition_type(c)) {
	case NFAC_CONDITION_CONTENT:
		return content_fault(check, c, arguments);
	case NFAC_CONDITION_ISDATAAT:
		return arguments == 1 && nfac_condition_word(c, 0) <= OFFSET_MAX ? NULL :
		       "isdataat out of range";
	case NFAC_CONDITION_SIZE:
		return arguments == 2 && nfac_condition_word(c, 0) <= nfac_condition_word(c, 1) ?
		       NULL : "sizes the wrong way round";
	case NFAC_CONDITION_BYTE_TEST:
	case NFAC_CONDITION_BYTE_JUMP:
	case NFAC_CONDITION_BYTE_EXTRACT:
	case NFAC_CONDITION_BYTE_MATH:
		return byte_fault(check, c, arguments);
	case NFAC_CONDITION_SPORT:
	case NFAC_CONDITION_DPORT:
		return ports_fault(c, arguments);
	case NFAC_CONDITION_SADDR:
	case NFAC_CONDITION_DADDR:
		return addresses_fault(c, arguments);
	case NFAC_CONDITION_FIELD:
		return arguments == 3 && nfac_condition_word(c, 0) < NFAC_FIELD_MAX &&
		       nfac_condition_word(c, 1) <= nfac_condition_word(c, 2) ? NULL :
		       "unknown field, or its range the wrong way round";
	case NFAC_CONDITION_TCP_FLAGS:
		return arguments == 3 && nfac_condition_word(c, 0) <= 0xff &&
		       nfac_condition_word(c, 1) <= 0xff && nfac_condition_word(c, 2) <= 3 ? NULL :
		       "flags out of range";
	case NFAC_CONDITION_FLOWBITS:
		return flowbits_fault(check, c, arguments);
	case NFAC_CONDITION_USER:
		return arguments == 1 ? NULL : "condition of user space of a wrong size";
	default:
		return "unknown condition";
	}
}

static const char *condition_fault(struct check *check, const struct nfac_condition *c)
{
	const u32 flags = le32_to_cpu(c->flags);

	if (flags & 0xffff & ~NFAC_CONDITION_FLAGS)
		return "unknown flags of a condition";
	if (flags >> 16 & ~NFAC_TRANSFORMS)
		return "unknown transform";
	if (nfac_condition_buffer(c) >= NFAC_BUFFER_MAX)
		return "unknown buffer";
	if (nfac_condition_type(c) >= NFAC_CONDITION_MAX)
		return "unknown condition";
	if (!nfac_condition_is_grouped(c) && (nfac_condition_buffer(c) || flags >> 16))
		return "buffer of a condition that has none";
	return arguments_fault(check, c, nfac_condition_words(c) - CONDITION_WORDS);
}

static const char *head_fault(const struct nfac_program *head, u32 left)
{
	const u32 words = le32_to_cpu(head->words), app = le32_to_cpu(head->app);

	if (words < HEAD_WORDS || words > NFAC_PROGRAM_WORDS_MAX || words > left)
		return "program of a wrong size";
	if (le32_to_cpu(head->flags) & ~NFAC_PROGRAM_FLAGS)
		return "unknown flags of a program";
	if ((app & 0xff) >= NFAC_APP_MAX)
		return "unknown application protocol";
	if (app >> 16 > NFAC_PROGRAM_CONDITIONS_MAX)
		return "too many conditions";
	if (head->reserved[0] || head->reserved[1])
		return "reserved word is not zero";
	return NULL;
}

/* One program, at word *@at. Moves *@at to its end, or to the faulty word. */
static const char *program_fault(const __le32 *words, u32 count, u32 *at)
{
	const struct nfac_program *head = (const struct nfac_program *)(words + *at);
	struct check check = { 0 };
	const u32 flowbits = NFAC_PROGRAM_SETS_FLOWBITS | NFAC_PROGRAM_TESTS_FLOWBITS;
	u32 end, conditions = 0;
	const char *what;

	if (count - *at < HEAD_WORDS)
		return "program of a wrong size";
	what = head_fault(head, count - *at);
	if (what)
		return what;
	end = *at + le32_to_cpu(head->words);
	*at += HEAD_WORDS;
	while (*at < end) {
		const struct nfac_condition *c = (const struct nfac_condition *)(words + *at);

		if (end - *at < CONDITION_WORDS || nfac_condition_words(c) < CONDITION_WORDS ||
		    nfac_condition_words(c) > end - *at)
			return "condition of a wrong size";
		what = condition_fault(&check, c);
		if (what)
			return what;
		conditions++;
		*at += nfac_condition_words(c);
	}
	if ((le32_to_cpu(head->flags) & flowbits) != check.flowbits)
		return "flags that its flowbits do not have";
	return conditions == le32_to_cpu(head->app) >> 16 ? NULL : "wrong number of conditions";
}

const char *nfac_programs_verify(const __le32 *words, u32 count, u8 *starts, u32 *at)
{
	const char *what;
	u32 begin, relax = 0;

	for (*at = 0; *at < count;) {
		begin = *at;
		what = program_fault(words, count, at);
		if (what)
			return what;
		starts[begin / 8] |= 1u << begin % 8;
		if (!(++relax & 0xff))
			nfac_relax();
	}
	return NULL;
}
