// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of a large text: where each one begins, its search, and its place in the output.
 *
 * scan_pool.c runs scan_part() in its threads. The file may be cut meanwhile, so all reading is
 * done within file_walk(), in steps of STEP_BYTES.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "compiler/compiler.h"
#include "scan.h"
#include "scan_parts.h"

/* Bytes of a part: some ten milliseconds of work; a file of two parts is worth it. */
#define PART_BYTES	(16ll << 20)

/* Bytes of it that are searched at once. */
#define STEP_BYTES	(1ll << 20)

/**
 * struct scan_parts - a text, mapped
 * @count: of parts
 * @lines: lines before each part, with -n: known for parts below @known
 * @lock, @change: of @lines, @known and @ends
 * @ends: a part has ended printing; set by its thread, read when it is over
 * @has_line: one ends near the text's beginning
 * @stopped: one that is over had
 * @failed: one that is over could not be read
 * @selected: lines of the parts that are over
 */
struct scan_parts {
	char *name;
	struct input *in;
	struct file file;
	unsigned int count, known;
	uint64_t *lines;
	bool *ends;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool has_line, stopped, failed;
	uint64_t selected;
};

/* One part, while a thread searches it. */
struct part {
	struct scan *scan;
	struct scan_parts *parts;
	unsigned int number;
	bool counted, ends;
};

bool scan_parts_wanted(struct scan *scan, int64_t size)
{
	const struct scan_options *options = scan->options;

	/* matches of the decoded view are printed behind those of their block, which parts move */
	if (options->json && (scan->automaton->flags & NFAC_SET_DECODE_URL))
		return false;
	if (options->before || options->after || options->limited || options->list ||
	    size < 2 * PART_BYTES)
		return false;
	if (!scan->across_known)
		scan->across = nfac_image_has_byte(scan->image, '\n');
	scan->across_known = true;
	return !scan->across;
}

static bool is_binary(const struct input *in)
{
	size_t size;
	const uint8_t *head = input_head(in, &size);

	return memchr(head, 0, size < SCAN_BINARY_SAMPLE ? size : SCAN_BINARY_SAMPLE);
}

/* A text that begins with a very long line may be nothing else, and is not divided. */
static void find_line(void *context)
{
	struct scan_parts *parts = context;

	parts->has_line = memchr(parts->file.bytes, '\n', STEP_BYTES);
}

static void close_parts(struct scan_parts *parts)
{
	if (parts->file.bytes)
		file_close(&parts->file);
	if (parts->in)
		input_close(parts->in);
	pthread_mutex_destroy(&parts->lock);
	pthread_cond_destroy(&parts->change);
	free(parts->lines);
	free(parts->ends);
	free(parts->name);
	free(parts);
}

struct scan_parts *scan_parts_open(struct scan *scan, const char *name, int64_t size)
{
	struct scan_parts *parts;

	if (!scan_parts_wanted(scan, size) || access(name, R_OK))
		return NULL;
	parts = calloc(1, sizeof(*parts));
	if (!parts)
		return NULL;
	pthread_mutex_init(&parts->lock, NULL);
	pthread_cond_init(&parts->change, NULL);
	parts->name = strdup(name);
	parts->in = parts->name ? input_open(parts->name) : NULL;
	if (!parts->in || input_kind(parts->in) ||
	    (!scan->options->binary_text && !scan->options->json && is_binary(parts->in)) ||
	    !input_map(parts->in, &parts->file) || file_walk(&parts->file, find_line, parts) ||
	    !parts->has_line)
		goto whole;
	parts->count = (parts->file.size + PART_BYTES - 1) / PART_BYTES;
	parts->lines = calloc(parts->count + 1, sizeof(*parts->lines));
	parts->ends = calloc(parts->count, sizeof(*parts->ends));
	if (parts->lines && parts->ends)
		return parts;
whole:
	close_parts(parts);
	return NULL;
}

unsigned int scan_parts_count(const struct scan_parts *parts)
{
	return parts->count;
}

/* Where the first line begins that begins at @at or behind it; @to: none begins before. */
static int64_t line_from(const struct file *file, int64_t at, int64_t to)
{
	const uint8_t *end;

	if (at <= 0 || at >= to)
		return at <= 0 ? 0 : to;
	end = memchr(file->bytes + at - 1, '\n', to - at);
	return end ? end + 1 - file->bytes : to;
}

static uint64_t count_ends(const uint8_t *text, const uint8_t *end)
{
	uint64_t count = 0;

	while ((text = memchr(text, '\n', end - text))) {
		text++;
		count++;
	}
	return count;
}

/* Publish how many lines a part has, as soon as those before it are known. */
static void add_lines(struct part *part, uint64_t count)
{
	struct scan_parts *parts = part->parts;

	pthread_mutex_lock(&parts->lock);
	while (parts->known < part->number)
		pthread_cond_wait(&parts->change, &parts->lock);
	parts->lines[part->number + 1] = parts->lines[part->number] + count;
	parts->known++;
	pthread_cond_broadcast(&parts->change);
	pthread_mutex_unlock(&parts->lock);
	part->counted = true;
}

/*
 * Where the lines end that are searched next, from @from on: those that end within STEP_BYTES, or a
 * longer one. What is found in them is kept if the file is cut behind them.
 */
static int64_t step_end(const struct file *file, int64_t from, int64_t next)
{
	const int64_t end = next - from < STEP_BYTES ? next : from + STEP_BYTES;
	const uint8_t *line = memrchr(file->bytes + from, '\n', end - from);

	return line ? line + 1 - file->bytes : line_from(file, end, file->size);
}

static void search_part(void *context)
{
	struct part *part = context;
	struct scan_parts *parts = part->parts;
	const struct file *file = &parts->file;
	const int64_t size = file->size, end = (part->number + 1) * PART_BYTES;
	const int64_t next = end < size ? end : size;
	/* without one, all of it is in a line of a part before, which has that line to its end */
	int64_t from = line_from(file, part->number * PART_BYTES, next), to, passed = from;

	if (part->scan->options->number) {
		to = from < next ? line_from(file, next, size) : from;
		add_lines(part, count_ends(file->bytes + from, file->bytes + to));
		part->ends = scan_lines_part(part->scan, file->bytes, from, to,
					     parts->lines[part->number] + 1);
		file_passed(file, from, to);
		return;
	}
	for (; from < next && !part->ends; from = to) {
		to = step_end(file, from, next);
		part->ends = scan_lines_part(part->scan, file->bytes, from, to, 1);
		if (to - passed >= FILE_STEP || to >= next) {
			file_passed(file, passed, to);
			passed = to;
		}
	}
}

int scan_part(struct scan *scan, struct scan_parts *parts, unsigned int number)
{
	struct part part = { .scan = scan, .parts = parts, .number = number };
	int err = scan_name(scan, parts->name);

	if (!err)
		err = file_walk(&parts->file, search_part, &part);
	/* those behind it wait for it, also where it failed */
	if (scan->options->number && !part.counted)
		add_lines(&part, 0);
	parts->ends[number] = part.ends;
	scan_forget_name(scan);
	return err;
}

bool scan_parts_fails(struct scan_parts *parts)
{
	bool first = !parts->failed;

	parts->failed = true;
	return first;
}

bool scan_parts_stopped(const struct scan_parts *parts)
{
	return parts->stopped;
}

int scan_parts_done(struct scan_parts *parts, struct scan *scan, unsigned int part,
		    uint64_t selected)
{
	int err = 0;

	parts->stopped |= parts->ends[part];
	parts->selected += selected;
	if (part + 1 < parts->count)
		return 0;
	err = scan_name(scan, parts->name);
	if (!err)
		scan_print_input(scan, parts->selected);
	scan_forget_name(scan);
	close_parts(parts);
	return err;
}
