/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nfac scan: what its files share. scan.c opens each input; scan_capture.c searches packets,
 * scan_lines.c text; scan_print.c prints what they find.
 */
#ifndef _NFAC_SCAN_H
#define _NFAC_SCAN_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../kmod/engine/decoded_view.h"
#include "capture/capture_search.h"
#include "common/input.h"
#include "common/set_source.h"
#include "stream_options.h"

struct confirm;
struct nfac_image;
struct scan_pool;
struct distinct;
struct findings;
struct packet_writer;
struct payload;

/**
 * struct scan_options - the command line
 * @patterns, @includes, @excludes, @exclude_folders: point into argv; room for all of its words
 * @count: print a number for each input; @matches: one number of all matches
 * @number, @no_number, @byte_offset, @only, @list: -n -N -b -o -l, also with @list_without: -L
 * @whole: -x; @limited: -m, @most lines of each text; @threads: -j
 * @invert, @word, @binary_text, @null: -v -w -a -0
 * @before, @after, @around: lines of context: -B -A -C
 * @separated: one of them was given, if only as 0: "--" separates lines that do not adjoin
 * @eve, @summary: how matches in captures are printed
 * @write: where packets of captures are written that match, or NULL; @flow: with all others of
 *	their connections
 * @interface: is searched instead of inputs, or NULL
 * @name, @no_name: print the names of files with lines, or not; neither: if there are several
 * @color: matches are coloured
 * @here, @dot: the folder that is searched where none is named
 */
struct scan_options {
	struct format_options format;
	struct stream_options table;
	const char *set, *write, *interface;
	char **patterns, **includes, **excludes, **exclude_folders;
	int pattern_count, include_count, exclude_count, exclude_folder_count;
	enum nfac_path path;
	bool json, count, matches, pcap, stream, time, confirm;
	bool separated, number, no_number, byte_offset, only, list, invert, word, binary_text, null;
	bool name, no_name, color, recursive;
	bool eve, summary, flow;
	bool list_without, whole, limited;
	uint32_t most, threads;
	uint32_t before, after, around;
	uint32_t once;
	char **inputs, *here, dot[2];
	int input_count;
};

/* Its input is a struct scan_options. */
extern const struct argp scan_argp;

/* Defaults, and room for the words of a command line. Return: 0; -1 after saying why. */
int scan_options_new(struct scan_options *options, int argc);
void scan_options_free(struct scan_options *options);

/**
 * struct scan - one scan: what the matcher's callbacks need
 * @set: the set's name, for events
 * @search: of captures: figures of all of them; @before: packets of those before this one;
 *	@captures: number of them
 * @out: where lines are printed
 * @image: the set's; @across: some pattern has the end of a line in it, if @across_known
 * @pool: threads that search files, or NULL: there is one
 * @large_found: of a thread: set to the size of a text that is to be divided, which it leaves alone
 * @capture_found: of a thread that leaves captures to the adding one: set where the input is one
 * @findings: with --summary, else NULL
 * @writer: with --write, else NULL
 * @kept: connections or packets of this capture that a second pass writes, or NULL
 * @input: the file's name for a line of text
 * @input_json: its name as a member of a JSON object; NULL when there is one input only
 * @payload: of the capture's packet that has the match, or NULL
 * @packet: number of a capture's packet; 0: none
 * @line: number of the match's line; 0: it is not printed
 * @inexact: a condition of the rule that holds was not checked
 * @in_view: the match is one of the decoded view
 * @base: offset of the next block
 * @origin: offset of a packet's payload in its stream
 * @matches: all of them; @selected: lines, or matches in captures, that were found
 * @printed: a line was printed, of any input
 */
struct scan {
	const struct scan_options *options;
	const struct nfac_automaton *automaton;
	struct pattern_texts *texts;
	const char *set;
	struct capture_search search;
	uint64_t before, captures;
	FILE *out;
	struct nfac_image *image;
	struct scan_pool *pool;
	int64_t *large_found;
	bool *capture_found, across, across_known;
	struct findings *findings;
	struct packet_writer *writer;
	struct distinct *kept;
	char *input, *input_json;
	const struct payload *payload;
	struct confirm *confirm;
	uint64_t packet, line;
	bool inexact, in_view, printed;
	int64_t base, origin;
	uint64_t matches, selected, bytes;
};

/* Bytes at the beginning that decide on a binary file: one buffer of GNU grep. */
#define SCAN_BINARY_SAMPLE	(32 << 10)

/* Search the input @name, or report why not. Return: 0; -1. */
int scan_input(struct scan *scan, const char *name);

/* Set the name that an input's lines are printed with; free it. Return: 0; -1 after saying why. */
int scan_name(struct scan *scan, const char *name);
void scan_forget_name(struct scan *scan);

/*
 * Search the lines of bytes @from to @to - 1 of @text, the first of which has the number @number.
 * Return: the lines behind it are not to be printed, as it is binary.
 */
bool scan_lines_part(struct scan *scan, const uint8_t *text, int64_t from, int64_t to,
		     uint64_t number);

/* What all captures have in common. Return: 0; -1 after saying why. */
int scan_captures_begin(struct scan *scan);
int scan_captures_end(struct scan *scan);

/* Search an input called @name; @in NULL: an interface. Return: 0; -1 after saying why. */
int scan_capture(struct scan *scan, const char *name, struct input *in);
int scan_lines(struct scan *scan, const char *name, struct input *in);

/* Count a match whose first byte is at @offset, and print it if matches are printed one by one. */
void scan_found(struct scan *scan, const struct nfac_hit *hit, int64_t offset);

/* A line of JSON for a match. */
void scan_print_json(const struct scan *scan, const struct nfac_hit *hit, int64_t offset);

/* What @options have printed once for an input in which @selected lines or matches were found. */
void scan_print_input(const struct scan *scan, uint64_t selected);

/* A match within a text: bytes @begin to @end - 1; @decoded: one of the decoded view. */
struct span {
	int64_t begin, end;
	uint32_t id;
	bool decoded;
};

/**
 * struct scan_line - a line to print
 * @text: its bytes, without those that end it
 * @begin, @end: its offsets
 * @number: from 1, if numbers are printed
 * @spans: matches to be coloured, or printed alone, by ascending begin; the longest first
 */
struct scan_line {
	const uint8_t *text;
	int64_t begin, end;
	uint64_t number;
	const struct span *spans;
	size_t count;
};

/* @mark: ':' in a line that was found, '-' in one of context */
void scan_print_line(struct scan *scan, const struct scan_line *line, char mark);

/* Print each of the line's matches by itself; of overlapping ones the first. */
void scan_print_matches(struct scan *scan, const struct scan_line *line);

#endif /* _NFAC_SCAN_H */
