// SPDX-License-Identifier: GPL-2.0
/*
 * nfac scan on text: collects the matcher's matches by lines and selects lines as grep does.
 *
 * The window holds the text from the first line that may still be printed on: of a mapped file all,
 * of a stream as much as its longest line has. A line is decided when its end and all matches
 * that end in it are known, so each byte is read a constant number of times besides the search.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "common/message.h"
#include "scan.h"
#include "scan_view.h"

#define BLOCK		(1u << 20)
#define NONE		(-1)

/**
 * struct lines - the search of one text
 * @file: a mapping that this search alone reads, or NULL
 * @text: the window: bytes @base to @end - 1 of the text
 * @raw: matches are printed or counted one by one, without lines
 * @binary: a NUL ends a line, too, and no line is printed
 * @spanned: each match's place is needed, not only whether there is one
 * @last: no more lines are selected, but those of its context are printed
 * @done: the rest of the text does not matter; @failed: because memory is out
 * @open: where the line begins whose end is not known yet
 * @next: where the first line begins that is not decided
 * @line: where the line begins that has the last matches; NONE
 * @line_end: where the one behind it begins; NONE: not known
 * @matched: a pattern matches in it; @spans: where
 * @shown: where the last line that was printed ends; NONE
 * @view: matches of the decoded view that end in the block
 * @context: lines of context that are still to be printed
 * @counted: where the line begins that has the number @number
 */
struct lines {
	struct scan *scan;
	const struct scan_options *options;
	const struct file *file;
	const uint8_t *text;
	int64_t base, end;
	bool raw, binary, spanned, matched, last, done, failed;
	int64_t open, next, line, line_end, shown, counted;
	struct span *spans;
	size_t count, room;
	struct scan_view view;
	uint32_t context;
	uint64_t number, selected;
	struct nfac_cursor cursor;
};

/* Is the set searched for in the decoded view, too? */
static bool has_view(const struct lines *l)
{
	return l->scan->automaton->flags & NFAC_SET_DECODE_URL;
}

static const uint8_t *at(const struct lines *l, int64_t offset)
{
	return l->text + (offset - l->base);
}

/* Return: one past the first end of a line in [from, to), or NONE. */
static int64_t line_after(const struct lines *l, int64_t from, int64_t to)
{
	const uint8_t *end = memchr(at(l, from), '\n', to - from), *nul = NULL;

	if (l->binary)
		nul = memchr(at(l, from), 0, end ? end - at(l, from) : to - from);
	if (nul)
		end = nul;
	return end ? end + 1 - l->text + l->base : NONE;
}

/* Return: where the line of the byte at @to begins; @from or more. */
static int64_t line_begin(const struct lines *l, int64_t from, int64_t to)
{
	const uint8_t *end = memrchr(at(l, from), '\n', to - from), *nul = NULL;

	if (l->binary)
		nul = memrchr(end ? end : at(l, from), 0, end ? at(l, to) - end : to - from);
	if (nul)
		end = nul;
	return end ? end + 1 - l->text + l->base : from;
}

static void count_lines(struct lines *l, int64_t to)
{
	int64_t end;

	if (!l->options->number)
		return;
	while (l->counted < to) {
		end = line_after(l, l->counted, to);
		if (end == NONE)
			break;
		l->counted = end;
		l->number++;
	}
}

static bool is_letter(wint_t c)
{
	return c == L'_' || iswalnum(c);
}

/* Is there a letter of a word before @offset or behind it, in the line's encoding? */
static bool letter_behind(const struct lines *l, int64_t offset)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t length = 0;

	if (offset < l->line_end)
		length = mbrtowc(&c, (const char *)at(l, offset), l->line_end - offset, &state);
	return length && length < (size_t)-2 && is_letter(c);
}

static bool letter_before(const struct lines *l, int64_t offset)
{
	mbstate_t state;
	wchar_t c;
	size_t length;

	for (length = 1; length <= MB_LEN_MAX && offset - (int64_t)length >= l->line; length++) {
		memset(&state, 0, sizeof(state));
		if (mbrtowc(&c, (const char *)at(l, offset - length), length, &state) == length)
			return is_letter(c);
	}
	return false;
}

/* Keep those matches that are words. */
static void keep_words(struct lines *l)
{
	size_t i, kept = 0;

	for (i = 0; i < l->count; i++)
		if (!letter_before(l, l->spans[i].begin) && !letter_behind(l, l->spans[i].end))
			l->spans[kept++] = l->spans[i];
	l->scan->matches -= l->count - kept;
	l->count = kept;
	l->matched = kept;
}

/* Keep those matches that are all of their line. */
static void keep_whole(struct lines *l)
{
	int64_t end = l->line_end;
	size_t i, kept = 0;

	if (end > l->line && (*at(l, end - 1) == '\n' || (l->binary && !*at(l, end - 1))))
		end--;
	for (i = 0; i < l->count; i++)
		if (l->spans[i].begin == l->line && l->spans[i].end == end)
			l->spans[kept++] = l->spans[i];
	l->scan->matches -= l->count - kept;
	l->count = kept;
	l->matched = kept;
}

static int by_begin(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* Print the line from @begin to before @end, the byte that ends it included. */
static void show(struct lines *l, int64_t begin, int64_t end, char mark)
{
	const bool matches = mark == ':' && !l->options->invert;
	struct scan_line line = { .text = at(l, begin), .begin = begin, .end = end };

	count_lines(l, begin);
	if (line.text[end - begin - 1] == '\n')
		line.end--;
	line.number = l->number;
	line.spans = l->spans;
	line.count = matches ? l->count : 0;
	if (l->options->only)
		scan_print_matches(l->scan, &line);
	else
		scan_print_line(l->scan, &line, mark);
	l->shown = end;
}

/* Print the lines before one that was selected, behind what was printed. */
static void show_before(struct lines *l, int64_t begin)
{
	int64_t from = begin, least = l->shown > l->base ? l->shown : l->base, end;
	uint32_t i;

	for (i = 0; i < l->options->before && from > least; i++)
		from = line_begin(l, least, from - 1);
	if (l->options->separated && l->scan->printed && from != l->shown)
		fputs("--\n", l->scan->out);
	for (; from < begin; from = end) {
		end = line_after(l, from, begin);
		show(l, from, end, '-');
	}
}

static void show_json(struct lines *l)
{
	struct scan *scan = l->scan;
	size_t i;

	count_lines(l, l->line);
	scan->line = l->options->number ? l->number : 0;
	for (i = 0; i < l->count; i++) {
		struct nfac_hit hit = {
			.id = l->spans[i].id,
			.length = l->spans[i].end - l->spans[i].begin,
		};

		scan->in_view = l->spans[i].decoded;
		scan_print_json(scan, &hit, l->spans[i].begin);
	}
	scan->in_view = false;
	scan->line = 0;
}

/* The line is one to print, or to count. */
static void select_line(struct lines *l, int64_t begin, int64_t end)
{
	const struct scan_options *options = l->options;

	l->selected++;
	l->last = options->limited && l->selected >= options->most;
	if (options->list || (l->last && !options->after))
		l->done = true;
	if (options->list || options->count || options->matches)
		return;
	if (options->json) {
		show_json(l);
		return;
	}
	if (l->binary || (!options->binary_text && memchr(at(l, begin), 0, end - begin))) {
		fflush(l->scan->out);
		complain("%s: binary file matches", l->scan->input);
		l->done = true;
		return;
	}
	if (l->options->only && l->options->invert)
		return;
	if (l->count > 1)
		qsort(l->spans, l->count, sizeof(*l->spans), by_begin);
	if (!l->options->only)
		show_before(l, begin);
	show(l, begin, end, ':');
	l->context = l->options->after;
}

static void pass_line(struct lines *l, int64_t begin, int64_t end)
{
	if (!l->context)
		return;
	l->context--;
	show(l, begin, end, '-');
	if (l->last && !l->context)
		l->done = true;
}

/* Decide on the lines before @to, in which nothing matches. */
static void advance(struct lines *l, int64_t to)
{
	int64_t end;

	while (l->next < to && !l->done) {
		if (!l->options->invert && !l->context)
			break;
		end = line_after(l, l->next, to);
		if (end == NONE)
			end = to;
		if (l->options->invert && !l->last)
			select_line(l, l->next, end);
		else
			pass_line(l, l->next, end);
		l->next = end;
	}
	l->next = to;
}

/* Decide on the line that has matches, whose end is known. */
static void decide(struct lines *l)
{
	const int64_t begin = l->line, end = l->line_end;

	if (l->options->whole)
		keep_whole(l);
	else if (l->options->word)
		keep_words(l);
	if (l->matched) {
		advance(l, begin);
		if (l->done)
			return;
		if (l->options->invert || l->last)
			pass_line(l, begin, end);
		else
			select_line(l, begin, end);
		l->next = end;
	}
	l->line = NONE;
	l->count = 0;
	l->matched = false;
}

static bool add_span(struct lines *l, const struct span *span)
{
	if (span_put(&l->spans, &l->count, &l->room, span))
		return true;
	l->failed = true;
	l->done = true;
	return false;
}

static bool is_allowed(const struct lines *l, const struct nfac_hit *hit)
{
	return !hit->limits || nfac_hit_allowed(hit, l->scan->base, 0, 0, 0);
}

static bool on_raw_hit(void *context, const struct nfac_hit *hit)
{
	struct lines *l = context;

	if (!is_allowed(l, hit))
		return true;
	l->selected++;
	scan_found(l->scan, hit, l->scan->base + hit->end - hit->length);
	return true;
}

/* The next match, in the order of their ends. Return: more are wanted. */
static bool line_hit(struct lines *l, const struct span *span)
{
	const int64_t end = span->end;

	if (l->done)
		return false;
	l->scan->matches++;
	if (l->line != NONE && l->line_end != NONE && end > l->line_end) {
		decide(l);
		if (l->done)
			return false;
	}
	if (l->line == NONE) {
		/* the line of the match's last byte, which may be what ends it */
		l->line = line_begin(l, l->next, end - 1);
		l->line_end = line_after(l, end - 1, l->end);
	}
	l->matched = true;
	if (l->spanned)
		return add_span(l, span);
	/* where a match is enough, its line's end does not matter */
	if (!l->options->invert && (l->options->list || (l->binary && !l->options->count)))
		select_line(l, l->line, l->line);
	return !l->done;
}

/* Pass on the matches of the decoded view that end before @end, or there. */
static bool view_hits(struct lines *l, int64_t end)
{
	while (l->view.next < l->view.count && l->view.spans[l->view.next].end <= end)
		if (!line_hit(l, &l->view.spans[l->view.next++]))
			return false;
	return true;
}

static bool on_hit(void *context, const struct nfac_hit *hit)
{
	struct lines *l = context;
	const int64_t end = l->scan->base + hit->end;
	const struct span span = { end - hit->length, end, hit->id, false };

	if (!is_allowed(l, hit))
		return !l->done;
	return view_hits(l, end) && line_hit(l, &span);
}

/* Collect the matches of the decoded view that end in the block up to @to. */
static void view_search(struct lines *l, int64_t to)
{
	if (!scan_view_search(&l->view, l->scan, l->text, l->base, to))
		return;
	l->failed = true;
	l->done = true;
}

/* Print or count the matches of the decoded view, where lines do not matter. */
static void view_raw_hits(struct lines *l)
{
	struct scan *scan = l->scan;

	scan->in_view = true;
	for (; l->view.next < l->view.count; l->view.next++) {
		const struct span *span = &l->view.spans[l->view.next];
		const struct nfac_hit hit = { .id = span->id, .length = span->end - span->begin };

		l->selected++;
		scan_found(scan, &hit, span->begin);
	}
	scan->in_view = false;
}

/* Match a block, up to @to, that the window holds, and decide on the lines that end in it. */
static void search(struct lines *l, int64_t to)
{
	struct scan *scan = l->scan;
	struct nfac_match_memory memory;
	const int64_t from = scan->base;
	int64_t open;

	if (!from)
		l->binary = !l->options->binary_text && !l->options->json &&
			    memchr(l->text, 0, to < SCAN_BINARY_SAMPLE ? to : SCAN_BINARY_SAMPLE);
	if (!l->raw && l->line != NONE && l->line_end == NONE)
		l->line_end = line_after(l, from, l->end);
	if (has_view(l))
		view_search(l, to);
	nfac_match_block(&memory, scan->automaton, &l->cursor, at(l, from), to - from,
			 scan->options->path, l->raw ? on_raw_hit : on_hit, l);
	scan->base = to;
	scan->bytes += to - from;
	if (l->raw)
		view_raw_hits(l);
	else
		view_hits(l, to);
	if (l->raw || l->done)
		return;
	open = line_begin(l, from, to);
	if (open > from)
		l->open = open;
	if (l->line != NONE && l->line_end != NONE && l->line_end <= l->open)
		decide(l);
	if (l->line == NONE && !l->done)
		advance(l, l->open);
}

static void finish(struct lines *l)
{
	if (!l->raw && !l->done && l->line != NONE) {
		if (l->line_end == NONE)
			l->line_end = l->end;
		decide(l);
	}
	if (!l->raw && !l->done)
		advance(l, l->end);
	l->scan->selected += l->selected;
}

/* Search a stream. The window begins with the first line that may still be printed. */
static int search_stream(struct lines *l, const char *name, struct input *in)
{
	size_t room = 2 * BLOCK, kept = 0, size;
	uint8_t *text = malloc(room), *more;
	int64_t keep, least;
	ssize_t got = 0;
	uint32_t i;

	while (text && !l->done && !ferror(l->scan->out)) {
		size = room - kept < BLOCK ? room - kept : BLOCK;
		got = input_read(in, text + kept, size);
		if (got <= 0)
			break;
		l->text = text;
		l->end = l->base + kept + got;
		search(l, l->end);
		keep = l->raw ? l->end : l->next;
		/* a match of the decoded view may begin there */
		if (has_view(l) && keep > l->end - (int64_t)NFAC_DECODED_BEFORE)
			keep = l->end - (int64_t)NFAC_DECODED_BEFORE;
		if (keep < l->base)
			keep = l->base;
		least = l->shown > l->base ? l->shown : l->base;
		for (i = 0; i < l->options->before && keep > least && !l->raw; i++)
			keep = line_begin(l, least, keep - 1);
		count_lines(l, keep);
		kept = l->end - keep;
		memmove(text, at(l, keep), kept);
		l->base = keep;
		if (room - kept >= BLOCK)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
		l->text = text;
	}
	if (!text)
		l->failed = true;
	else
		finish(l);
	if (got < 0)
		complain_at(name, 0, "%s", input_error(in));
	free(text);
	return got < 0 ? -1 : 0;
}

/* Search the window, which has all that is left of the text. */
static void search_window(void *context)
{
	struct lines *l = context;
	int64_t left = l->end - l->scan->base, size = SCAN_BINARY_SAMPLE, from;

	for (; left && !l->done; left = l->end - l->scan->base) {
		from = l->scan->base;
		search(l, from + (size < left ? size : left));
		if (l->file && size == FILE_STEP)
			file_passed(l->file, from, l->scan->base);
		/* where a match ends the search, little of what follows it is matched */
		size = l->options->list || l->binary || has_view(l) ? BLOCK : FILE_STEP;
	}
	finish(l);
}

/* A search of lines from offset @from on. */
static struct lines lines_new(struct scan *scan, int64_t from)
{
	const struct scan_options *options = scan->options;
	const bool silent = options->list || options->count || options->matches;
	const bool chosen = options->word || options->whole;
	struct lines l = {
		.scan = scan,
		.options = options,
		.raw = !chosen && !options->limited && !options->invert &&
		       (options->matches || (options->json && !options->number && !silent)),
		.spanned = chosen || (!options->invert && !silent &&
				      (options->only || options->color || options->json)),
		.open = from,
		.next = from,
		.counted = from,
		.line = NONE,
		.line_end = NONE,
		.shown = NONE,
		.number = 1,
	};

	scan->base = from;
	nfac_cursor_init(&l.cursor);
	return l;
}

bool scan_lines_part(struct scan *scan, const uint8_t *text, int64_t from, int64_t to,
		     uint64_t number)
{
	struct lines l = lines_new(scan, from);

	l.text = text;
	l.end = to;
	l.number = number;
	search_window(&l);
	free(l.spans);
	scan_view_free(&l.view);
	if (l.failed)
		complain("%s: out of memory for a line and its matches", scan->input);
	return l.done;
}

int scan_lines(struct scan *scan, const char *name, struct input *in)
{
	struct lines l = lines_new(scan, 0);
	struct file file;
	int err = 0, cut = 0;
	size_t size;

	if (scan->options->limited && !scan->options->most) {
		scan_print_input(scan, 0);
		return 0;
	}
	if (input_whole(in, &l.text, &size)) {
		l.end = size;
		search_window(&l);
	} else if (input_map(in, &file)) {
		l.file = &file;
		l.text = file.bytes;
		l.end = file.size;
		cut = file_walk(&file, search_window, &l);
		err = cut;
		file_close(&file);
	} else {
		err = search_stream(&l, name, in);
	}
	if (l.failed)
		err = complain_at(name, 0, "out of memory for a line and its matches");
	else if (!cut)
		scan_print_input(scan, l.selected);
	free(l.spans);
	scan_view_free(&l.view);
	return err;
}
