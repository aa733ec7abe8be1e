// SPDX-License-Identifier: GPL-2.0
/*
 * UTF-16 and UTF-32 to UTF-8, one code unit after the other (Unicode 15, 3.9).
 */
#include "utf16.h"

size_t utf16_begin(struct utf16 *utf, const struct kind *kind)
{
	*utf = (struct utf16){ 0 };
	if (!kind || kind->form != KIND_UNICODE)
		return 0;
	utf->width = kind->length;
	utf->big = kind->magic[0] != '\xff';
	return kind->length;
}

static uint8_t *put(uint8_t *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = c;
		return to;
	}
	if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
	} else {
		if (c < 0x10000) {
			*to++ = 0xe0 | c >> 12;
		} else {
			*to++ = 0xf0 | c >> 18;
			*to++ = 0x80 | (c >> 12 & 0x3f);
		}
		*to++ = 0x80 | (c >> 6 & 0x3f);
	}
	*to++ = 0x80 | (c & 0x3f);
	return to;
}

static uint8_t *replace(struct utf16 *utf, uint8_t *to)
{
	utf->damaged = true;
	utf->high = 0;
	return put(to, 0xfffd);
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

static uint8_t *put_unit(struct utf16 *utf, uint8_t *to, uint32_t unit)
{
	uint32_t high = utf->high;

	if (high && is_low(unit)) {
		utf->high = 0;
		return put(to, 0x10000 + ((high & 0x3ff) << 10 | (unit & 0x3ff)));
	}
	if (high)
		to = replace(utf, to);
	if (utf->width == 2 && is_high(unit))
		utf->high = unit;
	else if (unit > 0x10ffff || is_high(unit) || is_low(unit))
		to = replace(utf, to);
	else
		to = put(to, unit);
	return to;
}

size_t utf16_decode(struct utf16 *utf, const uint8_t *bytes, size_t length, uint8_t *to)
{
	uint8_t *at = to;
	size_t i;

	for (i = 0; i < length; i++) {
		utf->unit |= (uint32_t)bytes[i] << 8 * (utf->big ? utf->width - 1 - utf->have :
								   utf->have);
		if (++utf->have < utf->width)
			continue;
		at = put_unit(utf, at, utf->unit);
		utf->have = 0;
		utf->unit = 0;
	}
	return at - to;
}

size_t utf16_end(struct utf16 *utf, uint8_t *to)
{
	size_t written = utf->have || utf->high ? replace(utf, to) - to : 0;

	utf->have = 0;
	return written;
}
