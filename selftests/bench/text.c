// SPDX-License-Identifier: GPL-2.0
/*
 * Texts grow by appending and are never changed after.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

int text_append(struct bench_text *text, const void *bytes, size_t len)
{
	if (text->bytes + len > text->bytes_room) {
		size_t room = (text->bytes + len) * 2;
		uint8_t *raw = realloc(text->raw, room);

		if (!raw)
			return -1;
		text->raw = raw;
		text->bytes_room = room;
	}
	memcpy(text->raw + text->bytes, bytes, len);
	text->bytes += len;
	return 0;
}

int text_end_record(struct bench_text *text)
{
	if (text->records == text->records_room) {
		size_t room = text->records_room ? text->records_room * 2 : 1024;
		uint32_t *ends = realloc(text->ends, room * sizeof(*ends));

		if (!ends)
			return -1;
		text->ends = ends;
		text->records_room = room;
	}
	text->ends[text->records++] = text->bytes;
	return 0;
}

int text_stream(struct bench_text *text, const void *bytes, size_t len)
{
	while (len) {
		size_t start = text->records ? text->ends[text->records - 1] : 0;
		size_t left = BENCH_RECORD - (text->bytes - start);
		size_t take = len < left ? len : left;

		if (text_append(text, bytes, take))
			return -1;
		bytes = (const uint8_t *)bytes + take;
		len -= take;
		if (take == left && text_end_record(text))
			return -1;
	}
	return 0;
}

int text_fold(struct bench_text *text)
{
	if (text->folded)
		return 0;
	text->folded = malloc(text->bytes + 1);
	if (!text->folded)
		return -1;
	for (size_t i = 0; i < text->bytes; i++)
		text->folded[i] = text->raw[i] >= 'A' && text->raw[i] <= 'Z' ?
				  text->raw[i] | 0x20 : text->raw[i];
	return 0;
}

void text_free(struct bench_text *text)
{
	free(text->raw);
	free(text->folded);
	free(text->ends);
	memset(text, 0, sizeof(*text));
}
