// SPDX-License-Identifier: GPL-2.0
/*
 * The list of patterns that the readers fill, and the choice of the reader.
 *
 * set_source.c calls pattern_list_read(). Bytes of patterns are in chunks that never move, because
 * patterns point into them.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/blob.h"

#include "common/file.h"
#include "common/kind.h"
#include "formats.h"
#include "common/message.h"
#include "common/nearest.h"

/* A list's first chunk; each next one is twice as large, up to the last. */
#define CHUNK_FIRST	(1 << 10)
#define CHUNK_LAST	(256 << 10)

/* Memory that patterns point into: never moved, given back all at once. */
struct chunk {
	struct chunk *next;
	size_t used, room;
	_Alignas(max_align_t) uint8_t bytes[];
};

/* A pattern file larger than the largest blob cannot become one. */
#define FILE_LIMIT	NFAC_BLOB_MAX
/* The longest line is a rule with all the contents it may have, each byte as " 00". */
/* Archives and encrypted files have a NUL among this many bytes at their beginning. */
#define SAMPLE	4096
#define LINE_LIMIT	(32u << 20)

/* @decodes: the list is meant for input that a server has decoded */
static const struct format {
	const char *name;
	bool decodes;
	int (*read)(struct pattern_list *list, const struct format_options *options,
		    struct line_reader *lines);
} formats[] = {
	{ "plain", false, plain_read },
	{ "crs", true, crs_read },
	{ "suricata", false, suricata_read },
	{ "domains", false, domains_read },
};

static const struct format *find(const char *name)
{
	struct nearest nearest = { .word = name ? name : "plain" };
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (!strcmp(formats[i].name, nearest.word))
			return &formats[i];
		nearest_try(&nearest, formats[i].name);
	}
	complain("unknown format '%s'%s: there are plain, crs, suricata and domains", name,
		 nearest_hint(&nearest));
	return NULL;
}

bool format_known(const char *name)
{
	return find(name);
}

bool format_decodes(const char *name)
{
	const struct format *format = find(name);

	return format && format->decodes;
}

void *pattern_list_alloc(struct pattern_list *list, size_t bytes)
{
	struct chunk *chunk = list->chunks;
	void *at;

	bytes = (bytes + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	if (!chunk || chunk->room - chunk->used < bytes) {
		size_t room = CHUNK_FIRST;

		if (chunk)
			room = chunk->room < CHUNK_LAST / 2 ? 2 * chunk->room : CHUNK_LAST;
		if (room < bytes)
			room = bytes;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk) {
			complain("out of memory");
			return NULL;
		}
		chunk->next = list->chunks;
		chunk->used = 0;
		chunk->room = room;
		list->chunks = chunk;
	}
	at = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return at;
}

struct nfac_pattern *pattern_list_add(struct pattern_list *list,
				      const struct place *place,
				      const uint8_t *bytes, size_t length)
{
	struct nfac_pattern *pattern;
	uint8_t *copy;

	if (!length) {
		complain_at(place->file, place->line, "empty pattern");
		return NULL;
	}
	if (length > NFAC_PATTERN_MAX) {
		complain_at(place->file, place->line,
			    "pattern of %zu bytes, the limit is %u", length, NFAC_PATTERN_MAX);
		return NULL;
	}
	if (list->count >= NFAC_PATTERNS_MAX) {
		complain_at(place->file, place->line,
			    "more than %u patterns, a set cannot hold them", NFAC_PATTERNS_MAX);
		return NULL;
	}
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 16;
		struct nfac_pattern *items = realloc(list->items, room * sizeof(*items));
		struct place *places;

		if (items)
			list->items = items;
		places = realloc(list->places, room * sizeof(*places));
		if (places)
			list->places = places;
		if (!items || !places) {
			complain("out of memory");
			return NULL;
		}
		list->room = room;
	}
	copy = pattern_list_alloc(list, length);
	if (!copy)
		return NULL;
	memcpy(copy, bytes, length);
	list->places[list->count] = *place;
	pattern = &list->items[list->count++];
	memset(pattern, 0, sizeof(*pattern));
	pattern->bytes = copy;
	pattern->length = length;
	pattern->id = list->count;
	return pattern;
}

void pattern_list_free(struct pattern_list *list)
{
	while (list->chunks) {
		struct chunk *next = list->chunks->next;

		free(list->chunks);
		list->chunks = next;
	}
	free(list->items);
	free(list->places);
	free(list->sids.slots);
	free(list->refusals);
	memset(list, 0, sizeof(*list));
}

bool line_next(struct line_reader *reader, const uint8_t **line, size_t *length)
{
	const uint8_t *newline;

	if (reader->at == reader->end)
		return false;
	*line = reader->at;
	newline = memchr(reader->at, '\n', reader->end - reader->at);
	*length = (newline ? newline : reader->end) - reader->at;
	reader->at = newline ? newline + 1 : reader->end;
	if (*length && (*line)[*length - 1] == '\r')
		--*length;
	reader->place.line++;
	return true;
}

static void warn_once(struct line_reader *reader, unsigned int kind, const char *what)
{
	if (reader->warned & kind)
		return;
	reader->warned |= kind;
	complain_at(reader->place.file, reader->place.line, "warning: %s", what);
}

void line_doubt(struct line_reader *reader, const uint8_t *line, size_t length)
{
	if (suricata_is_rule(line, length))
		warn_once(reader, 1, "this rule is taken as a pattern, letter for letter; rules are read with --format suricata");
	if (memchr(line, 0, length))
		warn_once(reader, 2, "this pattern holds a NUL, as no text does: is this UTF-16 (iconv makes UTF-8 of it), or no list at all?");
	else if (memchr(line, '\r', length))
		warn_once(reader, 4, "this pattern holds a CR: do lines end in CR alone here? They end in LF, or in CR LF");
}

static int read_bytes(struct pattern_list *list, const struct format *format,
		      const struct format_options *options, const struct file *file)
{
	const struct kind *kind = kind_of(file->bytes, file->size, NULL);
	struct line_reader lines = {
		.at = file->bytes,
		.end = file->bytes + file->size,
		.place = { .file = file->name },
	};

	/* editors that write CRLF put a byte order mark first */
	if (file->size >= 3 && !memcmp(file->bytes, "\xef\xbb\xbf", 3))
		lines.at += 3;
	if (file->size >= 2 && (!memcmp(file->bytes, "\xff\xfe", 2) ||
				!memcmp(file->bytes, "\xfe\xff", 2)))
		return complain_at(file->name, 0,
				   "this is UTF-16, in which no text would match: make it UTF-8 (iconv -f UTF-16 -t UTF-8); bytes are written as \\xff\\xfe");
	if (file_is_set(file->bytes, file->size))
		return complain_at(file->name, 0,
				   "this is a compiled set, not a list of patterns");
	if (kind && kind->form == KIND_CAPTURE)
		return complain_at(file->name, 0, "this is a capture, not a list of patterns");
	/* the first pattern of a list may be how documents begin */
	if (kind && (kind->form != KIND_CLOSED ||
		     memchr(file->bytes, 0, file->size < SAMPLE ? file->size : SAMPLE)))
		return complain_at(file->name, 0, "this is %s, and no list: %s | nfac ... -",
				   kind->what, kind->reader);
	return format->read(list, options, &lines);
}

/* Called for each megabyte: an endless line is read from its last bytes back alone. */
int pattern_list_unfit(const struct file *file)
{
	unsigned int line = 1;
	size_t i;

	if (file->size < LINE_LIMIT ||
	    memrchr(file->bytes + file->size - LINE_LIMIT, '\n', LINE_LIMIT))
		return 0;
	for (i = 0; i < file->size - LINE_LIMIT; i++)
		line += file->bytes[i] == '\n';
	return complain_at(file->name, line,
			   "a line of more than 32 MiB, as no list of patterns has");
}

static int read_file(struct pattern_list *list, const struct format *format,
		     const struct format_options *options, const char *name)
{
	struct file file;
	int err;

	if (file_read(&file, name, FILE_LIMIT, pattern_list_unfit))
		return -1;
	err = read_bytes(list, format, options, &file);
	file_close(&file);
	return err;
}

/* Say what there is to say of all files, of which @name is the first. */
static int finish(struct pattern_list *list, const char *name, size_t count)
{
	if (list->rules) {
		if (rules_settle(list))
			return -1;
		rules_summary(list);
	}
	if (!list->count)
		return complain_at(name, 0, count > 1 ?
				   "no pattern in this file, nor in the others" :
				   "no pattern in this file");
	return 0;
}

int pattern_list_read_bytes(struct pattern_list *list, const struct format_options *options,
			    const struct file *file)
{
	const struct format *format = find(options->format);

	if (!format || read_bytes(list, format, options, file))
		return -1;
	return finish(list, file->name, 1);
}

/* A pattern for each line of @words: bytes as they are, without escapes. */
static int add_words(struct pattern_list *list, const struct format_options *options,
		     const char *words)
{
	struct place place = { .file = "-e" };
	struct nfac_pattern *pattern;
	size_t length;

	for (;; words += length + 1) {
		length = strcspn(words, "\n");
		place.line++;
		pattern = pattern_list_add(list, &place, (const uint8_t *)words, length);
		if (!pattern)
			return -1;
		pattern->nocase = options->nocase;
		if (!words[length])
			return 0;
	}
}

int pattern_list_read(struct pattern_list *list, const struct format_options *options,
		      char *const *files, size_t count)
{
	const struct format *format = find(options->format);
	size_t i;

	if (!format)
		return -1;
	if (file_count_stdin(files, count) > 1)
		return complain("standard input is named more than once, and can be read but once");
	for (i = 0; i < count; i++)
		if (read_file(list, format, options, files[i]))
			return -1;
	for (i = 0; i < options->word_count; i++)
		if (add_words(list, options, options->words[i]))
			return -1;
	return finish(list, count ? file_shown_name(files[0]) : "-e", count);
}
