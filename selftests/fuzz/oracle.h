/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oracle: a naive search, what it finds and what the matcher finds in one form, and
 * how both are compared. For tests alone; slow, and short enough to be believed.
 */
#ifndef _NFAC_FUZZ_ORACLE_H
#define _NFAC_FUZZ_ORACLE_H

#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/match/memory.h"
#include "../../userspace-loader/compiler/compiler.h"

struct match {
	int64_t end;
	uint32_t length;
	uint32_t id;
};

/* @base: where the block begins that is matched. Owned by the test. */
struct matches {
	struct match *list;
	size_t room;
	size_t count;		/* what is past @room is counted alone */
	int64_t base;
};

static inline uint8_t fold(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static inline bool same(const struct nfac_pattern *p, const uint8_t *text)
{
	uint32_t i;

	for (i = 0; i < p->length; i++)
		if (p->nocase ? fold(p->bytes[i]) != fold(text[i]) : p->bytes[i] != text[i])
			return false;
	return true;
}

/* What nfac_hit_allowed() has to say of TCP from port 80 to port 99. */
static inline bool allowed(const struct nfac_pattern_limits *l, int64_t begin, int64_t end)
{
	uint16_t port;

	if (!l)
		return true;
	port = l->source_port ? 80 : 99;
	if (begin < l->offset || (l->end && end > l->end))
		return false;
	if (l->protocol && l->protocol != 6)
		return false;
	return !l->port_high || (port >= l->port_low && port <= l->port_high);
}

static inline void add(struct matches *m, int64_t end, uint32_t length, uint32_t id)
{
	if (m->count < m->room)
		m->list[m->count] = (struct match){ end, length, id };
	m->count++;
}

/*
 * Few patterns are looked up by nibbles alone. So many more, of 8 bytes, and the filter
 * probes for those; of 5, and it does for all.
 */
#define CROWD_MAX	100

static inline size_t crowd(struct nfac_pattern *p, size_t count, uint32_t length)
{
	static uint8_t bytes[CROWD_MAX][8];
	size_t i, k;

	for (i = 0; i < CROWD_MAX; i++) {
		uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull;

		for (k = 0; k < sizeof(bytes[i]); k++)
			bytes[i][k] = x >> 8 * (7 - k);
		p[count + i] = (struct nfac_pattern){
			.bytes = bytes[i], .length = length, .id = 1000 + i,
		};
	}
	return count + i;
}

static inline void naive(struct matches *m, const struct nfac_pattern *p, size_t count,
			 const uint8_t *text, size_t len)
{
	size_t end, i;

	for (end = 1; end <= len; end++)
		for (i = 0; i < count; i++)
			if (p[i].length <= end && same(&p[i], text + end - p[i].length) &&
			    allowed(p[i].limits, end - p[i].length, end))
				add(m, end, p[i].length, p[i].id);
}

static inline bool hit(void *ctx, const struct nfac_hit *h)
{
	struct matches *m = ctx;

	if (nfac_hit_allowed(h, m->base, 6, 80, 99))
		add(m, m->base + h->end, h->length, h->id);
	return true;
}

/* The next block; copied to the heap, so that a sanitizer sees a read past it. */
static inline void match_next(struct matches *m, const struct nfac_automaton *a,
			      struct nfac_cursor *cur, const uint8_t *block,
			      size_t len, enum nfac_path path)
{
	struct nfac_match_memory memory;
	uint8_t *copy = malloc(len);

	memcpy(copy, block, len);
	nfac_match_block(&memory, a, cur, copy, len, path, hit, m);
	free(copy);
	m->base += len;
}

/* Ends rise, lengths fall at one end; equal ones may come in any order. */
static inline bool in_order(const struct matches *m)
{
	size_t i;

	for (i = 1; i < m->count; i++)
		if (m->list[i].end < m->list[i - 1].end ||
		    (m->list[i].end == m->list[i - 1].end &&
		     m->list[i].length > m->list[i - 1].length))
			return false;
	return true;
}

static inline int by_all(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->length != y->length)
		return x->length > y->length ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

#endif /* _NFAC_FUZZ_ORACLE_H */
