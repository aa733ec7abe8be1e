// SPDX-License-Identifier: GPL-2.0
/*
 * Options of nfac scan. Letters mean what they mean to grep, but for -p, -q and -s.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/file.h"
#include "common/message.h"
#include "common/options.h"
#include "scan.h"

#define THREADS_MAX		256u
/* More threads wait for the memory, and for the one that prints. */
#define THREADS_DEFAULT_MAX	16

enum {
	OPTION_JSON = OPTION_KEYS, OPTION_PATH, OPTION_PCAP, OPTION_STREAM, OPTION_TIME,
	OPTION_CONFIRM, OPTION_MATCHES, OPTION_INCLUDE, OPTION_NO_NAME, OPTION_COLOR,
	OPTION_EXCLUDE, OPTION_EXCLUDE_DIR,
	OPTION_EVE, OPTION_SUMMARY, OPTION_WRITE, OPTION_FLOW, OPTION_INTERFACE,
};

static const struct argp_option option_table[] = {
	{ "set", 's', "SET.nfac", 0, "Look for the patterns of a compiled set", 0 },
	{ "patterns", 'p', "FILE", 0, "Look for the patterns in this file (may be repeated)", 0 },
	{ "file", 'f', NULL, OPTION_ALIAS, NULL, 0 },
	{ "literal", 'e', "WORD", 0, "Look for these bytes, as they are (may be repeated)", 0 },
	{ "json", OPTION_JSON, NULL, 0, "Print a line of JSON for each match", 0 },
	{ "count", 'c', NULL, 0,
	  "Print the number of lines for each text, of matches for each capture", 0 },
	{ "count-matches", OPTION_MATCHES, NULL, 0,
	  "Print the number of all matches in all inputs alone", 0 },
	{ "line-number", 'n', NULL, 0, "Print each line's number, with --json as a member", 0 },
	{ "no-line-number", 'N', NULL, 0,
	  "Print no numbers of lines on a terminal either, where they are printed by default", 0 },
	{ "byte-offset", 'b', NULL, 0, "Print the offset of each line, with -o of each match", 0 },
	{ "only-matching", 'o', NULL, 0, "Print the matches of a line alone, each on a line", 0 },
	{ "files-with-matches", 'l', NULL, 0, "Print the names of inputs with matches alone", 0 },
	{ "files-without-match", 'L', NULL, 0,
	  "Print the names of inputs without a match alone", 0 },
	{ "max-count", 'm', "N", 0, "Stop searching a text after N lines", 0 },
	{ "invert-match", 'v', NULL, 0, "Select the lines without a match", 0 },
	{ "after-context", 'A', "N", 0, "Print N lines behind each line with a match", 0 },
	{ "before-context", 'B', "N", 0, "Print N lines before each line with a match", 0 },
	{ "context", 'C', "N", 0, "Print N lines before and behind", 0 },
	{ "word-regexp", 'w', NULL, 0, "Only matches that are whole words", 0 },
	{ "line-regexp", 'x', NULL, 0, "Only matches that are whole lines", 0 },
	{ "fixed-strings", 'F', NULL, 0, "As always: patterns are bytes, as with grep -F", 0 },
	{ "ignore-case", 'i', NULL, 0, "Letters of plain patterns match in either case", 0 },
	{ "recursive", 'r', NULL, 0, "Search the files of folders (default: of this one)", 0 },
	{ "include", OPTION_INCLUDE, "GLOB", 0,
	  "Of folders, search files whose names match alone (may be repeated)", 0 },
	{ "exclude", OPTION_EXCLUDE, "GLOB", 0,
	  "Of folders, search no files whose names match (may be repeated)", 0 },
	{ "exclude-dir", OPTION_EXCLUDE_DIR, "GLOB", 0,
	  "Of folders, search none whose names match (may be repeated)", 0 },
	{ "null", '0', NULL, 0, "End a file's name by a NUL", 0 },
	{ NULL, 'Z', NULL, OPTION_ALIAS, NULL, 0 },
	{ "with-filename", 'H', NULL, 0, "Print the file's name with each line", 0 },
	{ "no-filename", OPTION_NO_NAME, NULL, 0, "Print no file's name with lines", 0 },
	{ "text", 'a', NULL, 0, "Print lines of binary files, too", 0 },
	{ "color", OPTION_COLOR, "WHEN", OPTION_ARG_OPTIONAL,
	  "Colour matches: always, never or auto (default): on a terminal", 0 },
	{ "pcap", OPTION_PCAP, NULL, 0, "All inputs are captures; report any other", 0 },
	{ "eve", OPTION_EVE, NULL, 0,
	  "Print matches in captures as alerts of Suricata's EVE JSON", 0 },
	{ "summary", OPTION_SUMMARY, NULL, 0,
	  "Of captures, print matches by pattern, source, destination and hour alone; with --json as JSON",
	  0 },
	{ "write", OPTION_WRITE, "HITS.pcap", 0,
	  "Write packets of captures that match to this capture ('-': standard output)", 0 },
	{ "flow", OPTION_FLOW, NULL, 0,
	  "With --write, all packets of connections that match", 0 },
	{ "interface", OPTION_INTERFACE, "IFACE", 0,
	  "Search what an interface sends and receives, until interrupted", 0 },
	{ "stream", OPTION_STREAM, NULL, 0, "Follow the TCP streams of captures", 0 },
	{ "checksums", 'k', "HOW", 0,
	  "With --stream: all (default) of segments' checksums are verified, or none", 0 },
	{ "confirm", OPTION_CONFIRM, NULL, 0, "Check what the kernel cannot, too: pcre", 0 },
	{ "path", OPTION_PATH, "PATH", 0,
	  "How to scan: nofilter, portable, avx2 (arm64: neon) or auto (default)", 0 },
	{ "threads", 'j', "N", 0, "Search files with N threads (default: as many as CPUs)", 0 },
	{ "time", OPTION_TIME, NULL, 0, "Report on stderr how long it took", 0 },
	{ 0 }
};

static enum nfac_path parse_path(struct argp_state *state, const char *name)
{
	enum nfac_path best = nfac_path_best();
	int i;

	if (!strcmp(name, "auto"))
		return best;
	for (i = 0; i < NFAC_PATH_MAX; i++) {
		if (strcmp(nfac_path_names[i], name))
			continue;
		if (i > (int)best)
			argp_error(state, "--path %s: this CPU or this build has no such path",
				   name);
		return i;
	}
	argp_error(state, "unknown path '%s': there are nofilter, portable, avx2 (arm64: neon) and auto",
		   name);
	return best;
}

static bool parse_color(struct argp_state *state, const char *when)
{
	const char *terminal = getenv("TERM"), *off = getenv("NO_COLOR");

	if (!when || !strcmp(when, "always"))
		return true;
	if (strcmp(when, "never") && strcmp(when, "auto"))
		argp_error(state, "--color=%s: there are always, never and auto", when);
	return !strcmp(when, "auto") && isatty(STDOUT_FILENO) && !(off && *off) && terminal &&
	       strcmp(terminal, "dumb");
}

/* The options that say what is printed. Return: is it one of them? */
static bool parse_output(int key, char *arg, struct argp_state *state,
			 struct scan_options *options)
{
	switch (key) {
	case OPTION_JSON:
		options->json = true;
		break;
	case OPTION_EVE:
		options->eve = true;
		break;
	case OPTION_SUMMARY:
		options->summary = true;
		break;
	case OPTION_WRITE:
		options->write = arg;
		break;
	case OPTION_FLOW:
		options->flow = true;
		break;
	case 'c':
		options->count = true;
		break;
	case OPTION_MATCHES:
		options->matches = true;
		break;
	case 'n':
		options->number = true;
		break;
	case 'N':
		options->no_number = true;
		break;
	case 'b':
		options->byte_offset = true;
		break;
	case 'o':
		options->only = true;
		break;
	case 'l':
		options->list = true;
		break;
	case 'L':
		options->list_without = true;
		break;
	case 'm':
		options->limited = true;
		options->most = parse_limit(state, "-m", arg, 0, INT32_MAX);
		break;
	case 'A':
		options->separated = true;
		options->after = parse_limit(state, "-A", arg, 0, INT32_MAX);
		break;
	case 'B':
		options->separated = true;
		options->before = parse_limit(state, "-B", arg, 0, INT32_MAX);
		break;
	case 'C':
		options->separated = true;
		options->around = parse_limit(state, "-C", arg, 0, INT32_MAX);
		break;
	case '0':
	case 'Z':
		options->null = true;
		break;
	case 'H':
		options->name = true;
		break;
	case OPTION_NO_NAME:
		options->no_name = true;
		break;
	case 'a':
		options->binary_text = true;
		break;
	case OPTION_COLOR:
		options->color = parse_color(state, arg);
		break;
	case OPTION_TIME:
		options->time = true;
		break;
	default:
		return false;
	}
	return true;
}

/* The options that say what is searched, and how. */
static bool parse_search(int key, char *arg, struct argp_state *state,
			 struct scan_options *options)
{
	switch (key) {
	case 's':
		options->set = arg;
		break;
	case 'p':
	case 'f':
		options->patterns[options->pattern_count++] = arg;
		break;
	case 'e':
		options->format.words[options->format.word_count++] = arg;
		break;
	case 'k':
		if (strcmp(arg, "all") && strcmp(arg, "none"))
			argp_error(state, "--checksums %s: there are all and none", arg);
		options->table.unchecked = !strcmp(arg, "none");
		break;
	case 'v':
		options->invert = true;
		break;
	case 'w':
		options->word = true;
		break;
	case 'j':
		options->threads = parse_limit(state, "-j", arg, 1, THREADS_MAX);
		break;
	case 'x':
		options->whole = true;
		break;
	case 'F':
		break;
	case 'i':
		options->format.nocase = true;
		break;
	case 'r':
		options->recursive = true;
		break;
	case OPTION_INCLUDE:
		options->includes[options->include_count++] = arg;
		break;
	case OPTION_EXCLUDE:
		options->excludes[options->exclude_count++] = arg;
		break;
	case OPTION_EXCLUDE_DIR:
		options->exclude_folders[options->exclude_folder_count++] = arg;
		break;
	case OPTION_PCAP:
		options->pcap = true;
		break;
	case OPTION_STREAM:
		options->stream = true;
		break;
	case OPTION_INTERFACE:
		options->interface = arg;
		break;
	case OPTION_CONFIRM:
		options->confirm = true;
		break;
	case OPTION_PATH:
		options->path = parse_path(state, arg);
		break;
	default:
		return false;
	}
	return true;
}

static void check_captures(struct argp_state *state, const struct scan_options *options)
{
	const bool silent = options->count || options->matches || options->list;

	if (options->eve && (options->json || options->summary || silent))
		argp_error(state, "--eve prints matches: it goes without --json, --summary, -c, -l and --count-matches");
	if (options->summary && silent)
		argp_error(state, "--summary counts by itself: it goes without -c, -l and --count-matches");
	if (options->flow && !options->write)
		argp_error(state, "--flow is for --write HITS.pcap");
	if (options->write && file_is_stdout(options->write) && isatty(STDOUT_FILENO))
		argp_error(state, "a capture is not for a terminal: --write HITS.pcap");
	if (options->write && file_is_stdout(options->write) && (silent || options->summary))
		argp_error(state, "--write - has standard output for itself");
	if (options->interface && (options->input_count || options->recursive))
		argp_error(state, "--interface goes without inputs");
	if (options->interface && options->flow)
		argp_error(state, "--flow reads a capture twice: write one first, with tcpdump");
}

/* Refuse options that do not go together. */
static void check(struct argp_state *state, struct scan_options *options)
{
	const bool lines = options->invert || options->only || options->separated;

	check_captures(state, options);
	if (!options->set == !(options->pattern_count + options->format.word_count))
		argp_error(state, "give either -s SET.nfac, or -p FILE and -e WORD");
	if (options->include_count && !options->recursive)
		argp_error(state, "--include is for the files of folders: -r");
	if ((options->exclude_count || options->exclude_folder_count) && !options->recursive)
		argp_error(state, "--exclude and --exclude-dir are for folders: -r");
	if (options->list && options->list_without)
		argp_error(state, "either -l or -L");
	options->list |= options->list_without;
	if (options->json && lines)
		argp_error(state, "--json prints matches, and not lines: it goes without -v, -o, -A, -B and -C");
	if (options->matches && options->invert)
		argp_error(state, "--count-matches counts matches, and -v selects lines without any");
	/* for people, as ripgrep does */
	if (!options->json && isatty(STDOUT_FILENO))
		options->number = true;
	if (options->no_number || options->count || options->list || options->matches)
		options->number = false;
	if (!options->after)
		options->after = options->around;
	if (!options->before)
		options->before = options->around;
	/* as with grep: matches alone have no context */
	if (options->only) {
		options->before = 0;
		options->after = 0;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct scan_options *options = state->input;

	/* patterns and globs accumulate */
	if (key != 'p' && key != 'f' && key != 'e' && key != OPTION_INCLUDE &&
	    key != OPTION_EXCLUDE && key != OPTION_EXCLUDE_DIR &&
	    option_once(option_table, key, &options->once))
		exit(NFAC_EXIT_ERROR);
	if (parse_output(key, arg, state, options) || parse_search(key, arg, state, options))
		return 0;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->format;
		state->child_inputs[1] = &options->table;
		break;
	case ARGP_KEY_ARGS:
		options->inputs = state->argv + state->next;
		options->input_count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		if (options->interface)
			break;
		if (!options->recursive)
			argp_error(state, "no input given ('-': standard input)");
		options->dot[0] = '.';
		options->here = options->dot;
		options->inputs = &options->here;
		options->input_count = 1;
		break;
	case ARGP_KEY_END:
		check(state, options);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	{ &format_argp, 0, NULL, 0 },
	{ &stream_argp, 0, NULL, 0 },
	{ 0 }
};

const struct argp scan_argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "INPUT...",
	.doc = "Look for patterns in files ('-': standard input) and in captures (pcap, pcapng), compressed or not.\v"
	       "Lines of text with a match are printed as by grep -F. A match in a capture is printed as INPUT:PACKET:OFFSET: ID: PATTERN with the offset in the packet's TCP or UDP payload, with --stream as INPUT:PACKET:OFFSET:STREAM_OFFSET: ID: PATTERN. Exit status: 0: found, 1: nothing found, 2: error.",
	.children = children,
};

/* A thread for each CPU that the process may use. */
static uint32_t default_threads(void)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	return count < THREADS_DEFAULT_MAX ? count : THREADS_DEFAULT_MAX;
}

int scan_options_new(struct scan_options *options, int argc)
{
	memset(options, 0, sizeof(*options));
	options->path = nfac_path_best();
	options->threads = default_threads();
	options->color = parse_color(NULL, "auto");
	stream_defaults(&options->table);
	options->patterns = calloc(argc, sizeof(*options->patterns));
	options->includes = calloc(argc, sizeof(*options->includes));
	options->excludes = calloc(argc, sizeof(*options->excludes));
	options->exclude_folders = calloc(argc, sizeof(*options->exclude_folders));
	options->format.words = calloc(argc, sizeof(*options->format.words));
	if (options->patterns && options->includes && options->excludes &&
	    options->exclude_folders && options->format.words)
		return 0;
	scan_options_free(options);
	return complain("out of memory");
}

void scan_options_free(struct scan_options *options)
{
	free(options->patterns);
	free(options->includes);
	free(options->excludes);
	free(options->exclude_folders);
	free(options->format.words);
}
