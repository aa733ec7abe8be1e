// SPDX-License-Identifier: GPL-2.0
/*
 * Transforms: a buffer's copy, as a rule's keywords change it before its contents are looked for.
 *
 * Each transform reads the result of the one before it. What exceeds the decoded memory is cut:
 * contents behind the cut are not found.
 *
 * Cost: a byte of the budget for each byte and transform.
 */
#include "conditions.h"

static void dotprefix(struct nfac_rules_scratch *s, const u8 *at, u32 length)
{
	u32 i;

	nfac_decoded_put(s, '.');
	for (i = 0; i < length && nfac_decoded_put(s, at[i]); i++)
		;
}

static void lowercase(struct nfac_rules_scratch *s, const u8 *at, u32 length)
{
	u32 i;

	for (i = 0; i < length && nfac_decoded_put(s, nfac_lower(at[i])); i++)
		;
}

static void whitespace(struct nfac_rules_scratch *s, const u8 *at, u32 length, bool keep_one)
{
	bool space = false;
	u32 i;

	for (i = 0; i < length; i++) {
		if (nfac_is_space(at[i])) {
			if (keep_one && !space && !nfac_decoded_put(s, at[i]))
				return;
			space = true;
			continue;
		}
		space = false;
		if (!nfac_decoded_put(s, at[i]))
			return;
	}
}

static void url_decode(struct nfac_rules_scratch *s, const u8 *at, u32 length)
{
	u32 i = 0, code;

	while (i < length) {
		code = nfac_percent(at + i, length - i);
		if (code < 0x100) {
			i += 3;
		} else {
			code = at[i] == '+' ? ' ' : at[i];
			i++;
		}
		if (!nfac_decoded_put(s, code))
			return;
	}
}

/* The names of headers, up to each line's colon. */
static void header_lowercase(struct nfac_rules_scratch *s, const u8 *at, u32 length)
{
	bool name = true;
	u32 i;

	for (i = 0; i < length; i++) {
		if (at[i] == ':')
			name = false;
		if (at[i] == '\n')
			name = true;
		if (!nfac_decoded_put(s, name ? nfac_lower(at[i]) : at[i]))
			return;
	}
}

void nfac_transform(struct nfac_rules_scratch *s, struct nfac_slice *slice, u32 transforms)
{
	u32 bit, from;

	for (; transforms; transforms &= transforms - 1) {
		bit = transforms & -transforms;
		from = s->used;
		if (!nfac_rules_spend(s, slice->length))
			return;
		switch (bit) {
		case NFAC_TRANSFORM_DOTPREFIX:
			dotprefix(s, slice->at, slice->length);
			break;
		case NFAC_TRANSFORM_LOWERCASE:
			lowercase(s, slice->at, slice->length);
			break;
		case NFAC_TRANSFORM_STRIP_WHITESPACE:
		case NFAC_TRANSFORM_COMPRESS_WHITESPACE:
			whitespace(s, slice->at, slice->length,
				   bit == NFAC_TRANSFORM_COMPRESS_WHITESPACE);
			break;
		case NFAC_TRANSFORM_URL_DECODE:
			url_decode(s, slice->at, slice->length);
			break;
		case NFAC_TRANSFORM_HEADER_LOWERCASE:
			header_lowercase(s, slice->at, slice->length);
			break;
		}
		slice->at = s->decoded + from;
		slice->length = s->used - from;
	}
}
