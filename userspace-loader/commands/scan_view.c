// SPDX-License-Identifier: GPL-2.0
/*
 * Matches of the decoded view in a block of text, sorted by their ends for scan_lines.c.
 */
#include <stdlib.h>

#include "scan_view.h"

bool span_put(struct span **spans, size_t *count, size_t *room, const struct span *span)
{
	struct span *more;

	if (*count == *room) {
		more = reallocarray(*spans, *room ? 2 * *room : 64, sizeof(**spans));
		if (!more)
			return false;
		*room = *room ? 2 * *room : 64;
		*spans = more;
	}
	(*spans)[(*count)++] = *span;
	return true;
}

static bool on_hit(void *context, const struct nfac_hit *hit, u32 begin, u32 end)
{
	struct scan_view *view = context;
	const struct span span = { view->piece + begin, view->piece + end, hit->id, true };

	if (hit->limits && !nfac_hit_allowed(hit, span.begin + hit->length - hit->end, 0, 0, 0))
		return true;
	view->failed = !span_put(&view->spans, &view->count, &view->room, &span);
	return !view->failed;
}

static int by_end(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return a->end < b->end ? -1 : a->end > b->end;
}

int scan_view_search(struct scan_view *view, const struct scan *scan, const uint8_t *text,
		     int64_t base, int64_t to)
{
	int64_t from = scan->base, before, length;

	view->count = 0;
	view->next = 0;
	if (!view->memory)
		view->memory = malloc(sizeof(*view->memory));
	view->failed = !view->memory;
	for (; from < to && !view->failed; from += length) {
		before = nfac_decoded_before(scan->automaton);
		if (before > from - base)
			before = from - base;
		length = to - from < NFAC_DECODED_PIECE ? to - from : NFAC_DECODED_PIECE;
		view->piece = from - before;
		nfac_decoded_scan(scan->automaton, view->memory, text + (view->piece - base),
				  before, length, scan->options->path, UINT32_MAX, on_hit, view);
	}
	if (view->count > 1)
		qsort(view->spans, view->count, sizeof(*view->spans), by_end);
	return view->failed ? -1 : 0;
}

void scan_view_free(struct scan_view *view)
{
	free(view->memory);
	free(view->spans);
}
