// SPDX-License-Identifier: GPL-2.0
/*
 * A command's set: reads a blob, or compiles pattern files, and verifies the result.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../kmod/engine/blob.h"

#include "human.h"
#include "message.h"
#include "options.h"
#include "set_source.h"

enum { OPTION_FORMAT = OPTION_KEYS, OPTION_NOCASE, OPTION_SET_VAR, OPTION_VARS, OPTION_DECODE };

static const struct argp_option format_option_table[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "Pattern files are plain (default), crs, suricata or domains; see nfac-patterns(5)", 10 },
	{ "decode", OPTION_DECODE, "HOW", 0,
	  "Search what a web server reads, too: url (default for crs) or none (for plain)", 10 },
	{ "nocase", OPTION_NOCASE, NULL, 0,
	  "Letters of plain patterns match in either case", 10 },
	{ "set-var", OPTION_SET_VAR, "NAME=VALUE", 0,
	  "Give a variable of rules its value, as HOME_NET=10.0.0.0/8 (may be repeated)", 10 },
	{ "vars", OPTION_VARS, "FILE", 0,
	  "Read the rules' variables from a suricata.yaml (may be repeated)", 10 },
	{ "quiet", 'q', NULL, 0, "Do not list rules that cannot be expressed, count them", 10 },
	{ 0 }
};

static int remember(const char **list, size_t *count, const char *arg)
{
	if (*count == FORMAT_VARIABLES)
		return complain("more than %d variables, or files of them", FORMAT_VARIABLES);
	list[(*count)++] = arg;
	return 0;
}

/* Return: 0; ARGP_ERR_UNKNOWN; -1 after saying what is wrong. */
static int give_option(struct format_options *options, int key, const char *arg)
{
	/* variables accumulate */
	if (key != OPTION_SET_VAR && key != OPTION_VARS &&
	    option_once(format_option_table, key, &options->once))
		return -1;
	switch (key) {
	case OPTION_FORMAT:
		if (!format_known(arg))
			return -1;
		options->format = arg;
		return 0;
	case OPTION_DECODE:
		if (strcmp(arg, "url") && strcmp(arg, "none"))
			return complain("--decode is url or none, not '%s'", arg);
		options->decode = arg;
		return 0;
	case OPTION_NOCASE:
		options->nocase = true;
		return 0;
	case OPTION_SET_VAR:
		return remember(options->set_vars, &options->set_var_count, arg) ?:
		       rule_variable_set(arg);
	case OPTION_VARS:
		return remember(options->vars, &options->vars_count, arg) ?:
		       rule_variables_read(arg);
	case 'q':
		options->quiet = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int format_option_give(struct format_options *options, const struct argp_option *option,
		       const char *value)
{
	return give_option(options, option->key, value) ? -1 : 0;
}

const struct argp_option *format_option_find(const char *name, struct nearest *nearest)
{
	return option_find(format_option_table, name, nearest);
}

static error_t parse_format_option(int key, char *arg, struct argp_state *state)
{
	int err = give_option(state->input, key, arg);

	if (err == -1)
		exit(NFAC_EXIT_ERROR);
	return err;
}

const struct argp format_argp = {
	.options = format_option_table,
	.parser = parse_format_option,
};

static const char not_a_set[] =
	"this is not a compiled set; nfac compile makes one of a list of patterns";

static int not_set(const struct file *file)
{
	if (file->size < FILE_SET_BYTES || file_is_set(file->bytes, file->size))
		return 0;
	return complain_at(file->name, 0, not_a_set);
}

static int not_set_nor_list(const struct file *file)
{
	return file_is_set(file->bytes, file->size) ? 0 : pattern_list_unfit(file);
}

static bool is_piped(const char *file)
{
	struct stat st;

	return !strcmp(file, "-") || (!stat(file, &st) && !S_ISREG(st.st_mode));
}

int set_source_blob(struct set_source *source, const char *file)
{
	struct file in;

	memset(source, 0, sizeof(*source));
	if (file_read(&in, file, NFAC_BLOB_MAX, not_set))
		return -1;
	if (!file_is_set(in.bytes, in.size)) {
		complain_at(in.name, 0, in.size ? not_a_set : "the file is empty, not a compiled set");
		file_close(&in);
		return -1;
	}
	source->blob = in.bytes;
	source->size = in.size;
	if (!is_piped(file))
		source->file = realpath(file, NULL);
	return 0;
}

/* A progress line on a terminal, after half a second. */
struct progress {
	double start;
	bool shown;
};

static void show_progress(void *context, unsigned int percent)
{
	struct progress *progress = context;

	if (clock_seconds() - progress->start < 0.5)
		return;
	progress->shown = true;
	fprintf(stderr, "\rcompiling: %3u %%", percent > 100 ? 100 : percent);
}

static int compile_error(int err, const struct pattern_list *list, size_t culprit)
{
	const struct place *places = list->places, *last = &places[list->count - 1];

	switch (err) {
	case -ERANGE:
		return complain_at(places[culprit].file, places[culprit].line,
				   "too many patterns, or too long ones, end where this one ends and ask for their letters' case, a place or a port; put some of them into a set of their own");
	case -E2BIG:
		/* all of them together: no line is to blame */
		return complain_at(places->file, 0,
				   "%stoo many patterns, or too many states for a set; put some of them into a set of their own",
				   strcmp(places->file, last->file) ? "with the other files: " : "");
	case -ENOMEM:
		return complain("out of memory while compiling");
	}
	return complain("the patterns do not compile: %s", strerror(-err));
}

/* Is the set searched for in the decoded view, too? Return: 0, 1; -1 after saying why. */
static int decodes(const struct format_options *options)
{
	const char *format = options->format ? options->format : "plain";

	if (!options->decode)
		return format_decodes(format);
	if (strcmp(options->decode, "url"))
		return 0;
	if (strcmp(format, "plain") && strcmp(format, "crs"))
		return complain("--decode url is for lists of format plain and crs: %s name what they are searched in",
				strcmp(format, "domains") ? "rules" : "domain lists");
	return 1;
}

static int compile(struct set_source *source, const struct format_options *options,
		   const struct pattern_list *list)
{
	struct progress progress = { .start = clock_seconds() };
	size_t culprit = 0;
	struct nfac_compile_options how = { .context = &progress, .culprit = &culprit };
	int err = decodes(options);

	if (err < 0)
		return err;
	how.decode_url = err;
	if (isatty(STDERR_FILENO))
		how.progress = show_progress;
	err = nfac_compile(list->items, list->count, &how, &source->blob, &source->size);
	source->compile_seconds = clock_seconds() - progress.start;
	if (progress.shown)
		fputs("\r                \r", stderr);
	return err ? compile_error(err, list, culprit) : 0;
}

int set_source_compile(struct set_source *source, const struct format_options *options,
		       char *const *files, size_t count)
{
	struct pattern_list list = { 0 };
	int err;

	memset(source, 0, sizeof(*source));
	err = pattern_list_read(&list, options, files, count);
	if (!err)
		err = compile(source, options, &list);
	if (!err && options->rules && list.rules)
		source->rules = rules_json(&list);
	pattern_list_free(&list);
	return err;
}

int set_source_bind(struct set_source *source, const char *name)
{
	const char *why = NULL;
	uint32_t word = 0;

	source->image = nfac_image_open(source->blob, source->size, &why, &word);
	if (source->image)
		return 0;
	name = file_shown_name(name);
	if (errno == ENOMEM)
		return complain("out of memory");
	if (errno == EPROTO)
		return complain_at(name, 0, "%s: this nfac reads version %u, compile the patterns again",
				   why, NFAC_BLOB_VERSION);
	return complain_at(name, 0, "not a sound compiled set: word %u: %s", word,
			   why ? why : strerror(errno));
}

/*
 * Does this file begin as a compiled set does? False when unreadable, and for a pipe, of
 * which nothing can be read twice.
 */
static bool begins_as_set(const char *file)
{
	uint8_t bytes[FILE_SET_BYTES];
	struct stat st;
	size_t got;
	FILE *in;

	if (stat(file, &st) || !S_ISREG(st.st_mode))
		return false;
	in = fopen(file, "re");
	if (!in)
		return false;
	got = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	return file_is_set(bytes, got);
}

static bool is_compiled_set(const char *file)
{
	size_t length = strlen(file);

	if (length > 5 && !strcmp(file + length - 5, ".nfac"))
		return true;
	return strcmp(file, "-") && begins_as_set(file);
}

int set_source_may_replace(const char *file)
{
	struct stat st;

	if (file_is_stdout(file) || stat(file, &st) || !S_ISREG(st.st_mode) || !st.st_size ||
	    begins_as_set(file))
		return 0;
	return complain_at(file, 0, "this is no compiled set, and would be lost: remove it, or give the set a name of its own");
}

int set_source_no_format(const struct format_options *options, const char *file)
{
	if (!options->format && !options->nocase && !options->decode)
		return 0;
	return complain_at(file, 0, "%s is for lists of patterns, this is a compiled set: say it to nfac compile",
			   options->format ? "--format" : options->decode ? "--decode" : "--nocase");
}

/* What can be read but once is read before it is known what it is. */
static int read_piped(struct set_source *source, const struct format_options *options,
		      const char *name)
{
	struct pattern_list list = { 0 };
	struct file in;
	int err;

	memset(source, 0, sizeof(*source));
	if (file_read(&in, name, NFAC_BLOB_MAX, not_set_nor_list))
		return -1;
	if (file_is_set(in.bytes, in.size)) {
		err = set_source_no_format(options, in.name);
		if (!err) {
			source->blob = in.bytes;
			source->size = in.size;
			return 0;
		}
	} else {
		err = pattern_list_read_bytes(&list, options, &in) ||
		      compile(source, options, &list);
		pattern_list_free(&list);
	}
	file_close(&in);
	return err ? -1 : 0;
}

/* Return: 0; -1, silently: this is no regular file with a set, or it cannot be mapped. */
static int map_blob(struct set_source *source, const char *name)
{
	struct nfac_blob head;
	struct file file;
	int fd, err = -1;

	memset(source, 0, sizeof(*source));
	if (is_piped(name))
		return -1;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	    file_is_set((uint8_t *)&head, sizeof(head)) && !file_map(&file, name, fd)) {
		source->blob = file.bytes;
		source->size = file.size;
		source->mapped = true;
		source->checksum = le64toh(head.checksum);
		source->file = realpath(name, NULL);
		err = 0;
	}
	close(fd);
	return err;
}

static int source_any(struct set_source *source, const struct format_options *options,
		      char *const *files, size_t count, bool map)
{
	size_t i, compiled = 0;

	for (i = 0; i < count; i++)
		compiled += is_compiled_set(files[i]);
	if (!compiled && count == 1 && is_piped(files[0]))
		return read_piped(source, options, files[0]);
	if (!compiled)
		return set_source_compile(source, options, files, count);
	if (count > 1)
		return complain("a set is one compiled file, or any number of pattern files");
	if (set_source_no_format(options, files[0]))
		return -1;
	if (map && !map_blob(source, files[0]))
		return 0;
	return set_source_blob(source, files[0]);
}

int set_source_any(struct set_source *source, const struct format_options *options,
		   char *const *files, size_t count)
{
	return source_any(source, options, files, count, false);
}

int set_source_to_send(struct set_source *source, const struct format_options *options,
		       char *const *files, size_t count)
{
	return source_any(source, options, files, count, true);
}

uint64_t set_source_checksum(const struct set_source *source)
{
	return source->mapped ? source->checksum :
	       le64toh(((const struct nfac_blob *)source->blob)->checksum);
}

void set_source_close(struct set_source *source)
{
	json_decref(source->rules);
	free(source->file);
	nfac_image_close(source->image);
	if (source->mapped)
		munmap(source->blob, source->size);
	else
		free(source->blob);
	memset(source, 0, sizeof(*source));
}
