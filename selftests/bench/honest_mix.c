// SPDX-License-Identifier: GPL-2.0
/*
 * A larger mix of traffic, made from a seed: pages in the manner of the benign
 * capture (a Markov chain over its bytes), scripts and JSON, the same deflated,
 * base64, encrypted payload, DNS answers and media-like binary.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "random.h"
#include "text.h"

#define ORDER		6		/* bytes of context of the chain */
#define CHAIN_BITS	18
#define FLOW_MAX	24000		/* bytes of one made-up answer */

/* Positions in the sample by the hash of the ORDER bytes before them. */
struct chain {
	const uint8_t *text;
	size_t len;
	uint32_t *first;	/* 1 << CHAIN_BITS, plus one */
	uint32_t *positions;
};

static uint32_t context(const uint8_t *at)
{
	uint64_t h = 0;

	for (int i = 0; i < ORDER; i++)
		h = (h ^ at[i]) * 0x9e3779b97f4a7c15ull;
	return h >> (64 - CHAIN_BITS);
}

static int chain_init(struct chain *c, const struct bench_text *sample)
{
	size_t slots = (size_t)1 << CHAIN_BITS;

	c->text = sample->raw;
	c->len = sample->bytes;
	c->first = calloc(slots + 1, sizeof(*c->first));
	c->positions = calloc(c->len, sizeof(*c->positions));
	if (!c->first || !c->positions)
		return -1;
	for (size_t i = ORDER; i < c->len; i++)
		c->first[context(c->text + i - ORDER)]++;
	for (size_t i = 0; i < slots; i++)
		c->first[i + 1] += c->first[i];
	/* filling each slot from its end leaves first[] at its start */
	for (size_t i = c->len; i-- > ORDER; )
		c->positions[--c->first[context(c->text + i - ORDER)]] = i;
	return 0;
}

static void chain_fini(struct chain *c)
{
	free(c->first);
	free(c->positions);
}

static void chain_write(const struct chain *c, struct rng *r, uint8_t *out, size_t len)
{
	size_t at = rng_below(r, c->len - ORDER);

	if (len < ORDER)
		return;
	memcpy(out, c->text + at, ORDER);
	for (size_t i = ORDER; i < len; i++) {
		uint32_t slot = context(out + i - ORDER);
		uint32_t from = c->first[slot];
		uint32_t to = c->first[slot + 1];

		at = to > from ? c->positions[from + rng_below(r, to - from)] :
				 ORDER + rng_below(r, c->len - ORDER);
		out[i] = c->text[at];
	}
}

static void write_random(struct rng *r, uint8_t *out, size_t len)
{
	for (size_t i = 0; i < len; i++)
		out[i] = rng_next(r) >> 56;
}

static void write_base64(struct rng *r, uint8_t *out, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i++)
		out[i] = i % 78 == 76 ? '\r' : i % 78 == 77 ? '\n' : digits[rng_below(r, 64)];
}

/* Keys from the sample's words, numbers and nesting as an API answers. */
static void write_json(const struct chain *c, struct rng *r, uint8_t *out, size_t len)
{
	size_t at = 0;

	while (at < len) {
		char word[16], item[128];
		size_t n = 0;
		const uint8_t *from = c->text + rng_below(r, c->len - 64);

		while (n < 12 && (from[n] | 0x20) >= 'a' && (from[n] | 0x20) <= 'z') {
			word[n] = from[n];
			n++;
		}
		word[n] = 0;
		switch (rng_below(r, 3)) {
		case 0:
			n = snprintf(item, sizeof(item), "{\"id\":%u,\"%s\":\"%s\",\"ok\":true},",
				     rng_below(r, 100000), word, word);
			break;
		case 1:
			n = snprintf(item, sizeof(item), "function %s(e,t){return e[%u]||t.%s};",
				     word, rng_below(r, 64), word);
			break;
		default:
			n = snprintf(item, sizeof(item), "\"%s\":[%u,%u,null],\n", word,
				     rng_below(r, 1000), rng_below(r, 1000));
			break;
		}
		if (n > len - at)
			n = len - at;
		memcpy(out + at, item, n);
		at += n;
	}
}

static size_t write_deflated(const struct chain *c, struct rng *r, uint8_t *out, size_t len)
{
	uint8_t plain[FLOW_MAX];
	uLongf room = len;

	chain_write(c, r, plain, len);
	if (compress2(out, &room, plain, len, 6) != Z_OK) {
		write_random(r, out, len);
		return len;
	}
	return room;
}

/* Labels, types and addresses: short binary with words inside. */
static void write_dns(const struct chain *c, struct rng *r, uint8_t *out, size_t len)
{
	size_t at = 0;

	while (at + 64 < len) {
		memcpy(out + at, "\x00\x00\x81\x80\x00\x01\x00\x02\x00\x00\x00\x00", 12);
		out[at] = rng_next(r);
		out[at + 1] = rng_next(r);
		at += 12;
		for (int label = 0; label < 3; label++) {
			size_t n = 3 + rng_below(r, 9);

			out[at] = n;
			memcpy(out + at + 1, c->text + rng_below(r, c->len - 16), n);
			at += 1 + n;
		}
		memcpy(out + at, "\x00\x00\x01\x00\x01\xc0\x0c", 7);
		at += 7;
	}
	memset(out + at, 0, len - at);
}

/* Media: frames of noise between headers with long runs of zero. */
static void write_media(struct rng *r, uint8_t *out, size_t len)
{
	size_t at = 0;

	while (at < len) {
		size_t zeros = 8 + rng_below(r, 56), noise = 100 + rng_below(r, 900);

		for (; zeros-- && at < len; at++)
			out[at] = 0;
		for (; noise-- && at < len; at++)
			out[at] = rng_next(r) >> 58;
	}
}

int honest_mix(struct bench_text *text, const struct bench_text *sample, size_t bytes)
{
	struct rng r = { 0x68746d6c };
	uint8_t flow[FLOW_MAX];
	struct chain c;
	int ret = chain_init(&c, sample);

	while (!ret && text->bytes < bytes) {
		size_t len = 200 + rng_below(&r, FLOW_MAX - 200);
		uint32_t dice = rng_below(&r, 100);

		if (dice < 40)
			chain_write(&c, &r, flow, len);
		else if (dice < 55)
			write_json(&c, &r, flow, len);
		else if (dice < 65)
			len = write_deflated(&c, &r, flow, len);
		else if (dice < 72)
			write_base64(&r, flow, len);
		else if (dice < 87)
			write_random(&r, flow, len);
		else if (dice < 92)
			write_dns(&c, &r, flow, len);
		else
			write_media(&r, flow, len);
		ret = text_stream(text, flow, len);
		/* a flow ends with a short segment */
		if (!ret && (!text->records || text->ends[text->records - 1] != text->bytes))
			ret = text_end_record(text);
	}
	chain_fini(&c);
	return ret;
}
