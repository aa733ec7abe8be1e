// SPDX-License-Identifier: GPL-2.0
/*
 * Decoded view: see decoded_view.h.
 *
 * A piece is cut into regions: the bytes that a match with a changed byte can have, which are the
 * longest pattern's length around each escape. All else is searched as it is, and never here.
 *
 * Sources: RFC 3986, 2.1 (percent-encoding); WHATWG URL, 5.1 ("+"); MS04-011's %u of IIS; RFC 3629,
 * 10 (overlong UTF-8 in attacks).
 */
#include "decoded_view.h"
#include "match/run.h"
#include "rules/buffers.h"

#define EACH_BYTE	0x0101010101010101ull

#define OVERLONG_BYTES	4u	/* of an ASCII character, at most */

/* Not 0: one of the bytes of @word is 0. (Mycroft 1987) */
static u64 zero_bytes(u64 word)
{
	return (word - EACH_BYTE) & ~word & EACH_BYTE << 7;
}

/*
 * Read the escape at @at. Return: its bytes, and the character in *@code; 1: @at begins no
 * escape, and *@code is the byte itself, or a space for "+".
 */
static u32 escape_read(const u8 *at, u32 length, u32 *code)
{
	*code = nfac_percent(at, length);
	if (*code < 0x100)
		return 3;
	*code = nfac_percent_u(at, length);
	if (*code < 0x10000) {
		/* full-width forms of ASCII */
		if (*code - 0xff01 < 0x5e)
			*code -= 0xfee0;
		return 6;
	}
	*code = at[0] == '+' ? ' ' : at[0];
	return 1;
}

static bool space_between(const u8 *spaces, u8 before, u8 behind)
{
	u32 bit = nfac_space_pair(before, behind);

	return spaces[bit / 8] >> bit % 8 & 1;
}

/* Has a pattern a space between these bytes? Either may be a space, too. */
static bool is_space(const u8 *spaces, u8 before, u8 behind)
{
	return space_between(spaces, before, behind) ||
	       (before == '+' && space_between(spaces, ' ', behind)) ||
	       (behind == '+' && space_between(spaces, before, ' ')) ||
	       (before == '+' && behind == '+' && space_between(spaces, ' ', ' '));
}

/*
 * Does the byte @at of the @end bytes begin an escape that a match can have? At the end of the
 * bytes it may. Beside another escape it need not: the region of that one has both.
 */
static bool is_escape(const u8 *spaces, const u8 *raw, u32 at, u32 end)
{
	u32 code;

	if (raw[at] == '%')
		return end - at < NFAC_DECODED_ESCAPE || escape_read(raw + at, end - at, &code) > 1;
	return !at || at + 1 == end || is_space(spaces, raw[at - 1], raw[at + 1]);
}

/* The first byte from @from on that is "%" or "+"; else @end. */
static u32 next_sign(const u8 *text, u32 from, u32 end, enum nfac_path path)
{
	u64 word;

#ifdef NFAC_HAVE_VECTOR
	if (path == NFAC_PATH_VECTOR)
		from = nfac_next_sign_vector(text, from, end);
#endif
	for (; end - from >= 8; from += 8) {
		word = nfac_get64(text + from);
		if (zero_bytes(word ^ '%' * EACH_BYTE) | zero_bytes(word ^ '+' * EACH_BYTE))
			break;
	}
	while (from < end && text[from] != '%' && text[from] != '+')
		from++;
	return from;
}

static u32 next_escape(const u8 *spaces, const u8 *raw, u32 from, u32 end, enum nfac_path path)
{
	for (from = next_sign(raw, from, end, path); from < end;
	     from = next_sign(raw, from + 1, end, path))
		if (is_escape(spaces, raw, from, end))
			break;
	return from;
}

bool nfac_decoded_wanted(const struct nfac_automaton *a, const u8 *bytes, u32 length,
			 enum nfac_path path)
{
	return next_escape(a->spaces, bytes, 0, length, path) < length;
}

/* Write a character of %uXXXX: as one byte where it is of Latin-1, else as UTF-8. */
static u32 character_put(u8 *out, u32 code)
{
	if (code < 0x100) {
		out[0] = code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = 0xc0 | code >> 6;
		out[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	out[0] = 0xe0 | code >> 12;
	out[1] = 0x80 | (code >> 6 & 0x3f);
	out[2] = 0x80 | (code & 0x3f);
	return 3;
}

static bool follows(u8 c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * Do the bytes before @end end with an overlong form of an ASCII character? Return: its bytes, and
 * the character in *@c; 0: they do not.
 */
static u32 overlong(const u8 *text, u32 end, u8 *c)
{
	const u8 *at = text + end;
	u32 code;

	if (end < 2 || !follows(at[-1]))
		return 0;
	if (at[-2] == 0xc0 || at[-2] == 0xc1) {
		*c = (at[-2] & 1) << 6 | (at[-1] & 0x3f);
		return 2;
	}
	code = (u32)(at[-2] & 0x3f) << 6 | (at[-1] & 0x3f);
	if (end < 3 || !follows(at[-2]) || code >= 0x80)
		return 0;
	*c = code;
	if (at[-3] == 0xe0)
		return 3;
	return end >= 4 && at[-3] == 0x80 && at[-4] == 0xf0 ? 4 : 0;
}

/**
 * struct reading - one reading of the escapes, in place
 * @length: bytes of the text so far
 * @changed: bytes up to the last changed one; 0: nothing was changed
 */
struct reading {
	u32 length;
	u32 changed;
};

/* Append one byte, that came from the piece's byte @at. */
static void reading_put(struct nfac_decoded *d, struct reading *r, u8 byte, u16 at, bool changed)
{
	u32 bytes;
	u8 c;

	d->text[r->length] = byte;
	d->at[r->length] = at;
	bytes = overlong(d->text, r->length + 1, &c);
	/* bytes of the payload itself are no escape */
	if (bytes && (changed || r->changed + bytes > r->length + 1)) {
		r->length -= bytes - 1;
		d->text[r->length] = c;
		changed = true;
	}
	r->length++;
	if (changed)
		r->changed = r->length;
	d->changed[r->length - 1] = r->changed;
}

/*
 * Move the bytes @from .. @to - 1, among which nothing is to be read: no escape, and no byte that
 * could end an overlong character with a changed byte.
 */
static void reading_move(struct nfac_decoded *d, struct reading *r, u32 from, u32 to)
{
	u32 count = to - from, i;

	memmove(d->text + r->length, d->text + from, count);
	memmove(d->at + r->length, d->at + from, count * sizeof(*d->at));
	for (i = 0; i < count; i++)
		d->changed[r->length + i] = r->changed;
	r->length += count;
}

/* Read one character, or byte, at @i. Return: its bytes. */
static u32 reading_step(struct nfac_decoded *d, struct reading *r, u32 i, u32 length)
{
	const u16 at = d->at[i];
	u32 j, took, count, code;
	bool changed;
	u8 out[3];

	took = escape_read(d->text + i, length - i, &code);
	changed = took > 1 || code != d->text[i];
	count = character_put(out, code);
	for (j = 0; j < count; j++)
		reading_put(d, r, out[j], at, changed);
	return took;
}

/* Read the escapes of the @length bytes of @d->text. What is written is behind what is read. */
static void escapes_read(struct nfac_decoded *d, u32 length, struct reading *r)
{
	const u16 end = d->at[length];
	u32 i = 0, to;

	memset(r, 0, sizeof(*r));
	while (i < length) {
		/* an overlong character may end so far behind its last changed byte */
		if (!r->changed || r->length - r->changed >= OVERLONG_BYTES - 1) {
			to = next_sign(d->text, i, length, NFAC_PATH_PORTABLE);
			reading_move(d, r, i, to);
			i = to;
		}
		if (i < length)
			i += reading_step(d, r, i, length);
	}
	d->at[r->length] = end;
}

static bool on_hit(void *context, const struct nfac_hit *hit)
{
	struct nfac_decoded *d = context;
	struct nfac_view *view = &d->view;
	u32 begin = hit->end - hit->length, end = hit->end;

	/* no byte of it was changed, or it ended in an earlier piece */
	if (d->changed[end - 1] <= begin || d->at[end] <= view->before)
		view->stopped = ++view->ignored > view->most;
	else
		view->stopped = !view->fn(view->ctx, hit, d->at[begin], d->at[end]);
	return !view->stopped;
}

/* Search one reading of a region. */
static void view_scan(struct nfac_decoded *d, const struct reading *r)
{
	struct nfac_view *view = &d->view;

	if (!r->changed || view->stopped)
		return;
	nfac_cursor_init(&view->cursor);
	nfac_match_block(&d->match, view->a, &view->cursor, d->text, r->length, view->path, on_hit,
			 d);
}

static void region_scan(struct nfac_decoded *d, const u8 *raw, u32 begin, u32 end)
{
	struct reading r;
	u32 i;

	memcpy(d->text, raw + begin, end - begin);
	for (i = 0; i <= end - begin; i++)
		d->at[i] = begin + i;
	escapes_read(d, end - begin, &r);
	view_scan(d, &r);
	if (r.changed && next_sign(d->text, 0, r.length, NFAC_PATH_PORTABLE) < r.length) {
		escapes_read(d, r.length, &r);
		view_scan(d, &r);
	}
}

bool nfac_decoded_scan(const struct nfac_automaton *a, struct nfac_decoded *memory, const u8 *raw,
		       u32 before, u32 length, enum nfac_path path, u32 most, nfac_view_fn fn,
		       void *ctx)
{
	struct nfac_view *view = &memory->view;
	const u32 end = before + length;
	const u32 longest = a->longest < NFAC_DECODED_REACH ? a->longest : NFAC_DECODED_REACH;
	/* overlong UTF-8 may have bytes before its first escape */
	const u32 back = longest + OVERLONG_BYTES - 1, reach = longest + NFAC_DECODED_ESCAPE;
	u32 at = next_escape(a->spaces, raw, 0, end, path), begin, to;

	*view = (struct nfac_view) {
		.a = a, .before = before, .path = path, .most = most, .fn = fn, .ctx = ctx,
	};
	while (at < end && !view->stopped) {
		begin = at > back ? at - back : 0;
		do {
			to = end - at > reach ? at + reach : end;
			at = next_escape(a->spaces, raw, at + 1, end, path);
		} while (at < to);
		region_scan(memory, raw, begin, to);
	}
	return view->ignored <= most;
}
