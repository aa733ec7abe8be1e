// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions of a group: contents, sizes and numbers in a buffer.
 *
 * Called by the interpreter for one condition at a time. Semantics are those of Suricata's keywords
 * of the same names (content, isdataat, bsize, byte_test, byte_jump, byte_extract, byte_math).
 *
 * Cost: a search spends a byte of the budget for each position, and for each byte compared there.
 */
#include "conditions.h"

static bool same_byte(u8 text, u8 pattern, bool nocase)
{
	return nocase ? nfac_lower(text) == pattern : text == pattern;
}

/*
 * The first occurrence of @pattern in @text from @from on that ends at @to or before. Return: its
 * offset, or -1; also where the budget is used up.
 */
static s64 search(struct nfac_rules_scratch *s, const u8 *text, u32 from, u32 to,
		  const u8 *pattern, u32 length, bool nocase)
{
	const u8 first = pattern[0];
	u32 i, at;

	if (to < length)
		return -1;
	for (at = from; at <= to - length; at++) {
		if (!nfac_rules_spend(s, 1))
			return -1;
		if (!same_byte(text[at], first, nocase))
			continue;
		for (i = 1; i < length && same_byte(text[at + i], pattern[i], nocase); i++)
			;
		if (i == length)
			return at;
		nfac_rules_spend(s, i);
	}
	return -1;
}

/* Of a variable the lower 32 bits: a distance may be negative, any other place is not. */
static s64 argument(const struct nfac_step *step, u32 word, bool variable, bool is_signed)
{
	const u32 value = variable ? (u32)step->scratch->variable[word] : word;

	return is_signed || !variable ? (s64)(s32)value : (s64)value;
}

/* The range in which a content may be: *@from, and *@to, one past its last byte. */
static bool content_range(const struct nfac_condition *c, const struct nfac_step *step, u32 length,
			  u32 *from, u32 *to)
{
	const u32 flags = le32_to_cpu(c->flags);
	const bool relative = flags & NFAC_CONDITION_RELATIVE;
	s64 offset = argument(step, nfac_condition_word(c, 1),
			      flags & NFAC_CONDITION_OFFSET_VARIABLE, relative);
	s64 depth = argument(step, nfac_condition_word(c, 2),
			     flags & NFAC_CONDITION_DEPTH_VARIABLE, false);
	s64 begin = relative ? (s64)step->base + offset : offset;
	s64 end = step->slice->length;

	/* a place that ends before the buffer begins is no limit, as Suricata has it */
	if (flags & NFAC_CONDITION_HAS_DEPTH && begin + depth < end && begin + depth >= 0)
		end = begin + depth;
	if (begin < 0)
		begin = 0;
	if (flags & NFAC_CONDITION_ENDSWITH) {
		if (end < step->slice->length)
			return false;
		/* negated, it is about the first occurrence, as Suricata has it */
		if (end - (s64)length > begin && !(flags & NFAC_CONDITION_NEGATED))
			begin = end - (s64)length;
	}
	if (step->resume > begin)
		begin = step->resume;
	if (end < begin + (s64)length)
		return false;
	*from = begin;
	*to = end;
	return true;
}

static bool content_holds(const struct nfac_condition *c, struct nfac_step *step)
{
	const u32 flags = le32_to_cpu(c->flags), length = nfac_condition_word(c, 0);
	const u8 *pattern = (const u8 *)((const __le32 *)(c + 1) + 3);
	u32 from = 0, to = 0;
	s64 at = -1;

	if (content_range(c, step, length, &from, &to))
		at = search(step->scratch, step->slice->at, from, to, pattern, length,
			    flags & NFAC_CONDITION_NOCASE);
	if (flags & NFAC_CONDITION_NEGATED) {
		if (step->scratch->left < 0)
			return false;
		return at < 0 || (flags & NFAC_CONDITION_ENDSWITH && at + length != to - from);
	}
	if (at < 0)
		return false;
	step->found = at;
	step->pos = at + length;
	step->lost = false;
	return true;
}

static bool isdataat_holds(const struct nfac_condition *c, const struct nfac_step *step)
{
	const u32 flags = le32_to_cpu(c->flags), bytes = nfac_condition_word(c, 0);
	bool there = flags & NFAC_CONDITION_RELATIVE ?
		     (u64)step->pos + bytes <= step->slice->length : bytes < step->slice->length;

	return there != !!(flags & NFAC_CONDITION_NEGATED);
}

/* bsize, urilen; of the payload: dsize, which is the packet's. */
static bool size_holds(const struct nfac_condition *c, const struct nfac_step *step)
{
	const struct nfac_window *w = step->scratch->window;
	u32 length = step->slice->length;
	bool within;

	if (nfac_condition_buffer(c) == NFAC_BUFFER_PAYLOAD && w->packet)
		length = w->packet_length;
	within = length >= nfac_condition_word(c, 0) && length <= nfac_condition_word(c, 1);
	return within != !!(le32_to_cpu(c->flags) & NFAC_CONDITION_NEGATED);
}

/*
 * Digits in @base from @at on, at most @length, as strtoull() reads them: behind blanks and a sign,
 * "0x" may precede hexadecimal ones. *@used: bytes. Return: false: no digit, or beyond 64 bits.
 */
static bool read_digits(const u8 *at, u32 length, u32 base, u64 *number, u32 *used)
{
	bool negative = false, some = false;
	u64 value = 0, high;
	u32 i = 0, digit;

	while (i < length && nfac_is_space(at[i]))
		i++;
	if (i < length && (at[i] == '-' || at[i] == '+'))
		negative = at[i++] == '-';
	if (base == 16 && length - i > 2 && at[i] == '0' && nfac_lower(at[i + 1]) == 'x' &&
	    nfac_hex(at[i + 2]) < 16)
		i += 2;
	for (; i < length; i++) {
		digit = nfac_hex(at[i]);
		if (digit >= base)
			break;
		high = (value >> 32) * base + ((u64)(u32)value * base >> 32);
		value = value * base + digit;
		if (high >> 32 || value < digit)
			return false;
		some = true;
	}
	*number = negative ? -value : value;
	*used = i;
	return some;
}

/* The number that a byte_* condition reads. @behind: set to the offset behind it. */
static bool read_number(const struct nfac_condition *c, const struct nfac_step *step, u64 *number,
			u32 *behind)
{
	const u32 form = nfac_condition_word(c, 0), bytes = form >> 16 & 0xff;
	const s64 offset = (s32)nfac_condition_word(c, 1);
	s64 at = le32_to_cpu(c->flags) & NFAC_CONDITION_RELATIVE ? step->pos + offset : offset;
	const u8 *from;
	u64 value = 0;
	u32 i, used = bytes;

	if (at < 0 || at + bytes > step->slice->length)
		return false;
	from = step->slice->at + at;
	if (form & NFAC_BYTE_STRING) {
		if (!read_digits(from, bytes, form >> 8 & 0xff, &value, &used))
			return false;
	} else {
		for (i = 0; i < bytes; i++)
			value = value << 8 | from[form & NFAC_BYTE_LITTLE ? bytes - 1 - i : i];
	}
	*number = value;
	*behind = at + used;
	return true;
}

static u64 masked(const struct nfac_condition *c, u64 number)
{
	const u32 mask = nfac_condition_word(c, 4);

	return mask ? (number & mask) >> nfac_ctz64(mask) : number;
}

static u64 value_of(const struct nfac_condition *c, const struct nfac_step *step)
{
	const u32 value = nfac_condition_word(c, 2);

	return nfac_condition_word(c, 0) & NFAC_BYTE_VALUE_VARIABLE ?
	       step->scratch->variable[value] : value;
}

static bool byte_test_holds(const struct nfac_condition *c, const struct nfac_step *step)
{
	const u64 value = value_of(c, step);
	bool holds = false;
	u64 number;
	u32 behind;

	if (!read_number(c, step, &number, &behind))
		return false;
	number = masked(c, number);
	switch (nfac_condition_word(c, 0) >> 24) {
	case 0:
		holds = number < value;
		break;
	case 1:
		holds = number > value;
		break;
	case 2:
		holds = number == value;
		break;
	case 3:
		holds = number <= value;
		break;
	case 4:
		holds = number >= value;
		break;
	case 5:
		holds = number & value;
		break;
	case 6:
		holds = number ^ value;
		break;
	}
	return holds != !!(le32_to_cpu(c->flags) & NFAC_CONDITION_NEGATED);
}

static bool byte_jump_holds(const struct nfac_condition *c, struct nfac_step *step)
{
	const u32 form = nfac_condition_word(c, 0);
	u32 behind;
	u64 number;
	s64 to;

	if (!read_number(c, step, &number, &behind))
		return false;
	number = masked(c, number) * nfac_condition_word(c, 3);
	if (form & NFAC_BYTE_ALIGN)
		number = (number + 3) & ~3ull;
	to = (s64)(number + (u64)(s64)(s32)nfac_condition_word(c, 2));
	if (form & NFAC_BYTE_FROM_END)
		to += step->slice->length;
	else if (!(form & NFAC_BYTE_FROM_BEGINNING))
		to += behind;
	if (to > step->slice->length)
		return false;
	/* a jump to before the buffer leads to its first byte */
	step->pos = to < 0 ? 0 : to;
	return true;
}

static bool byte_extract_holds(const struct nfac_condition *c, struct nfac_step *step)
{
	u64 number;
	u32 behind;

	if (!read_number(c, step, &number, &behind))
		return false;
	number = masked(c, number) * nfac_condition_word(c, 3);
	if (nfac_condition_word(c, 0) & NFAC_BYTE_ALIGN)
		number = (number + 3) & ~3ull;
	step->scratch->variable[nfac_condition_word(c, 5)] = number;
	step->pos = behind;
	return true;
}

static bool byte_math_holds(const struct nfac_condition *c, struct nfac_step *step)
{
	const u64 value = value_of(c, step);
	u64 number, result = 0;
	u32 behind;

	if (!read_number(c, step, &number, &behind))
		return false;
	switch (nfac_condition_word(c, 0) >> 24) {
	case 0:
		result = number + value;
		break;
	case 1:
		result = number - value;
		break;
	case 2:
		result = number * value;
		break;
	case 3:
		if (!value)
			return false;
		result = div64_u64(number, value);
		break;
	case 4:
		result = value < 64 ? number << value : 0;
		break;
	case 5:
		result = value < 64 ? number >> value : 0;
		break;
	}
	step->scratch->variable[nfac_condition_word(c, 5)] = masked(c, result);
	step->pos = behind;
	return true;
}

/* Without user space it holds, and what counts from its end is not checked either. */
static bool user_holds(const struct nfac_condition *c, struct nfac_step *step)
{
	const struct nfac_window *w = step->scratch->window;
	const u32 flags = le32_to_cpu(c->flags);
	struct nfac_user_match match = {
		.program = step->scratch->program,
		.index = nfac_condition_word(c, 0),
		.text = step->slice->at,
		.length = step->slice->length,
		.base = flags & NFAC_CONDITION_RELATIVE ? step->base : 0,
	};
	bool found = false;

	if (!w->user) {
		step->lost = true;
		return true;
	}
	match.from = step->resume > match.base ? step->resume : match.base;
	if (match.from <= match.length &&
	    nfac_rules_spend(step->scratch, match.length - match.from + 1))
		found = w->user(w->context, &match);
	if (flags & NFAC_CONDITION_NEGATED)
		return !found && step->scratch->left >= 0;
	if (!found)
		return false;
	step->found = match.start;
	step->pos = match.end;
	return true;
}

/* Does it need the result of an earlier byte_extract or byte_math? */
static bool has_variable(const struct nfac_condition *c)
{
	const enum nfac_condition_type type = nfac_condition_type(c);

	if (type == NFAC_CONDITION_CONTENT)
		return le32_to_cpu(c->flags) & (NFAC_CONDITION_OFFSET_VARIABLE |
						NFAC_CONDITION_DEPTH_VARIABLE);
	return type >= NFAC_CONDITION_BYTE_TEST && type <= NFAC_CONDITION_BYTE_MATH &&
	       nfac_condition_word(c, 0) & NFAC_BYTE_VALUE_VARIABLE;
}

bool nfac_condition_holds(const struct nfac_condition *c, struct nfac_step *step)
{
	if (step->scratch->lost && has_variable(c)) {
		step->lost = true;
		return true;
	}
	switch (nfac_condition_type(c)) {
	case NFAC_CONDITION_CONTENT:
		return content_holds(c, step);
	case NFAC_CONDITION_ISDATAAT:
		return isdataat_holds(c, step);
	case NFAC_CONDITION_SIZE:
		return size_holds(c, step);
	case NFAC_CONDITION_BYTE_TEST:
		return byte_test_holds(c, step);
	case NFAC_CONDITION_BYTE_JUMP:
		return byte_jump_holds(c, step);
	case NFAC_CONDITION_BYTE_EXTRACT:
		return byte_extract_holds(c, step);
	case NFAC_CONDITION_BYTE_MATH:
		return byte_math_holds(c, step);
	case NFAC_CONDITION_USER:
		return user_holds(c, step);
	default:
		return false;
	}
}
