// SPDX-License-Identifier: GPL-2.0
/*
 * Case checks: the letter case of the text, for exact patterns in a set that folds.
 *
 * One bit for each byte of the text, gathered where a case check needs it and kept for the next
 * check. An attacker can make each byte the end of a long match; a check then costs a word for 64
 * bytes of the pattern, and each byte of the text is gathered once. With a double array each match
 * gathers 64 bytes, without a branch.
 */
#include "run.h"

/* longest pattern that is compared with the text itself, bytes */
#define NFAC_LETTER_CASE_DIRECT		32

/* bytes of a longer pattern that are compared together: their words fit in nfac_letter_case */
#define NFAC_LETTER_CASE_PIECE	1024

/* multiplier that moves the bits of eight bytes to the upper byte, the first lowest */
#define NFAC_LETTER_CASE_ORDER	0x0102040810204080ull

/* Bit 5 of each of eight bytes. */
static __always_inline u64 gather_bits8(const u8 *text)
{
	return (nfac_eight_at(text) >> 5 & 0x0101010101010101ull) * NFAC_LETTER_CASE_ORDER >> 56;
}

/* Bit 5 of each of @n bytes, up to 64. */
static __always_inline u64 gather_bits(const u8 *text, const u32 n)
{
	u64 bits = 0;
	u32 i = 0;

	for (; i + 8 <= n; i += 8)
		bits |= gather_bits8(text + i) << i;
	for (; i < n; i++)
		bits |= (u64)(text[i] >> 5 & 1) << i;
	return bits;
}

/* The lowest @n bits, 1 .. 64. */
static __always_inline u64 low_bits(u32 n)
{
	return ~0ull >> (64 - n);
}

/* Word @at of the text's case bits. */
static u64 word_at(const struct nfac_run *run, s64 at)
{
	size_t pos = at * 64;

	if (at < 0)
		return at < -2 ? 0 : run->cur->letter_case[-at - 1];
	return gather_bits(run->text + pos, run->len - pos < 64 ? run->len - pos : 64);
}

/* Gather the words @from .. @to - 1, at most NFAC_LETTER_CASE_WORDS. */
static noinline void nfac_letter_case_gather(struct nfac_run *run, s64 from, s64 to)
{
	struct nfac_letter_case *c = run->letter_case;

	if (from < c->from || from > c->to) {
		c->from = from;
		c->to = from;
	}
	for (; c->to < to; c->to++)
		c->words[c->to & (NFAC_LETTER_CASE_WORDS - 1)] = word_at(run, c->to);
	if (c->to - c->from > NFAC_LETTER_CASE_WORDS)
		c->from = c->to - NFAC_LETTER_CASE_WORDS;
}

/*
 * Do the @length bytes from @pos on have the case bits @want? They may begin up to 159 bytes before
 * the block. Four bytes behind @want are readable. The first @skip bits are not compared.
 */
static __always_inline bool case_agrees(struct nfac_run *run, const u8 *want, u32 length, s64 pos,
					u32 skip)
{
	const struct nfac_letter_case *c = run->letter_case;
	s64 at = pos >> 6, to = ((pos + length - 1) >> 6) + 1;
	u64 lower, upper, differ;
	u32 k;

	if (unlikely(at < c->from || to > c->to))
		nfac_letter_case_gather(run, at, to);
	lower = c->words[at & (NFAC_LETTER_CASE_WORDS - 1)];
	for (k = 0; k < length; k += 64, lower = upper, skip = 0) {
		/* bits of a missing word are masked below */
		upper = c->words[++at & (NFAC_LETTER_CASE_WORDS - 1)];
		differ = lower >> (pos & 63) | upper << 1 << (63 - (pos & 63));
		differ ^= nfac_eight_at(want + k / 8);
		if (length - k < 64)
			differ &= low_bits(length - k);
		if (differ >> skip)
			return false;
	}
	return true;
}

/*
 * Matches depend on the letter case of this many @bytes before their end: repeat detection compares
 * them, too.
 */
static __always_inline void case_bytes_needed(const struct nfac_run *run, u32 bytes)
{
	if (run->flood->case_bytes < bytes)
		run->flood->case_bytes = bytes;
}

u64 nfac_letter_case_before(const struct nfac_run *run, size_t end)
{
	const u8 *text = run->text + end - NFAC_LETTER_CASE_BEFORE;

	case_bytes_needed(run, NFAC_LETTER_CASE_BEFORE);
#ifdef NFAC_HAVE_VECTOR
	if (run->path >= NFAC_PATH_VECTOR)
		return nfac_letter_case_vector(text);
#endif
	return gather_bits(text, NFAC_LETTER_CASE_BEFORE);
}

bool nfac_letter_case_agrees(struct nfac_run *run, const __le32 *bits, u32 length, size_t end)
{
	const u8 *want = (const u8 *)bits;	/* little-endian, so the bytes are in order */
	s64 pos = (s64)end - length;
	u32 skip = 0, n;

	case_bytes_needed(run, length);
	/* a fixed number of bytes: the pattern's length is unpredictable */
	if (length <= NFAC_LETTER_CASE_DIRECT && pos >= 0 &&
	    pos + NFAC_LETTER_CASE_DIRECT <= (s64)run->len)
		return !((gather_bits(run->text + pos, NFAC_LETTER_CASE_DIRECT) ^
			  le32_to_cpu(*bits)) & low_bits(length));
	/* bytes that the cursor no longer has count as equal */
	if (pos < -128) {
		skip = -128 - pos;
		n = skip & ~31;
		skip &= 31;
		if (n >= length)
			return true;
		want += n / 8;
		length -= n;
		pos += n;
	}
	for (; length > NFAC_LETTER_CASE_PIECE; want += n / 8, length -= n, pos += n) {
		n = NFAC_LETTER_CASE_PIECE;
		if (!case_agrees(run, want, n, pos, skip))
			return false;
		skip = 0;
	}
	/* an id follows the case bits: four more bytes are readable */
	return case_agrees(run, want, length, pos, skip);
}

void nfac_letter_case_save(struct nfac_run *run)
{
	u64 *letter_case = run->cur->letter_case;
	size_t pos = run->len > 128 ? run->len - 128 : 0;

	for (; pos + 8 <= run->len; pos += 8) {
		letter_case[1] = letter_case[1] >> 8 | letter_case[0] << 56;
		letter_case[0] = letter_case[0] >> 8 | gather_bits8(run->text + pos) << 56;
	}
	for (; pos < run->len; pos++) {
		letter_case[1] = letter_case[1] >> 1 | letter_case[0] << 63;
		letter_case[0] = letter_case[0] >> 1 | (u64)(run->text[pos] >> 5 & 1) << 63;
	}
}
