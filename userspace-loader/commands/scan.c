// SPDX-License-Identifier: GPL-2.0
/*
 * nfac scan: search files and captures for a set's patterns. Needs neither root nor the
 * module: the matcher is the same code.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "common/confirm.h"
#include "common/human.h"
#include "common/message.h"
#include "common/options.h"
#include "common/pattern_text.h"
#include "common/progress.h"
#include "scan.h"
#include "scan_parts.h"
#include "scan_pool.h"

/* Announce an input whose text the search cannot see. Return: 0: it can; -1. */
static int announce_closed(const char *name, const struct input *in)
{
	const struct kind *kind = input_kind(in), *packed = input_packed(in);

	if (!kind || kind->form > KIND_CLOSED)
		return 0;
	if (packed)
		return complain_at(name, 0, "%s, after decompression, and searched as it is; unpack it first: %s",
				   kind->what, packed->reader);
	return complain_at(name, 0, "%s, and searched as it is; its text: %s | nfac scan -",
			   kind->what, kind->reader);
}

int scan_name(struct scan *scan, const char *name)
{
	const struct scan_options *options = scan->options;
	json_t *member;

	name = strcmp(name, "-") ? name : "(standard input)";
	/* a name that a NUL ends is for programs */
	scan->input = options->null ? strdup(name) : name_on_line(name);
	if (!scan->input)
		return complain("out of memory");
	if (!options->json || (options->input_count <= 1 && !options->recursive))
		return 0;
	member = json_pack("{s:o}", "file", json_text(name));
	scan->input_json = json_dumps(member, JSON_COMPACT | JSON_EMBED);
	json_decref(member);
	return scan->input_json ? 0 : complain("out of memory");
}

void scan_forget_name(struct scan *scan)
{
	free(scan->input);
	free(scan->input_json);
	scan->input = NULL;
	scan->input_json = NULL;
}

static int scan_opened(struct scan *scan, const char *name, struct input *in)
{
	const struct kind *kind = input_kind(in);
	int err;

	if (scan_name(scan, name))
		return -1;
	if (scan->capture_found && kind && kind->form == KIND_CAPTURE) {
		*scan->capture_found = true;
		return 0;
	}
	if (scan->options->pcap || (kind && kind->form == KIND_CAPTURE))
		return scan_capture(scan, name, in);
	name = file_shown_name(name);
	if (scan->options->stream)
		return complain_at(name, 0,
				   "not a capture, and --stream follows streams in captures; if it is one: --pcap");
	if (scan->options->eve || scan->options->summary || scan->options->write)
		return complain_at(name, 0,
				   "not a capture, and --eve, --summary and --write are for captures; if it is one: --pcap");
	if (scan->large_found && !kind && scan_parts_wanted(scan, input_size(in))) {
		*scan->large_found = input_size(in);
		return 0;
	}
	err = announce_closed(name, in);
	return scan_lines(scan, name, in) || err ? -1 : 0;
}

int scan_input(struct scan *scan, const char *name)
{
	struct input *in = input_open(name);
	int err;

	if (!in)
		return -1;
	err = scan_opened(scan, name, in);
	input_close(in);
	scan_forget_name(scan);
	return err;
}

/* Threads search regular files; for anything else all that was added before is printed first. */
static int scan_next(struct scan *scan, const char *name, bool regular, int64_t size)
{
	int err = 0;

	if (!scan->pool)
		return scan_input(scan, name);
	if (regular) {
		scan_pool_add(scan->pool, name, size);
		return 0;
	}
	err = scan_pool_drain(scan->pool);
	return scan_input(scan, name) ? -1 : err;
}

static bool is_one_of(char *const *globs, int count, const char *name)
{
	int i;

	for (i = 0; i < count; i++)
		if (!fnmatch(globs[i], name, 0))
			return true;
	return false;
}

static bool is_included(const struct scan_options *options, const char *name)
{
	if (is_one_of(options->excludes, options->exclude_count, name))
		return false;
	return !options->include_count ||
	       is_one_of(options->includes, options->include_count, name);
}

static int by_name(const struct dirent **left, const struct dirent **right)
{
	return strcmp((*left)->d_name, (*right)->d_name);
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

/* DT_REG, DT_DIR, or what is not searched. Some file systems leave it to lstat(). */
static unsigned char type_of(const struct dirent *entry, const char *path)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	if (lstat(path, &st)) {
		complain_at(path, 0, "%s", strerror(errno));
		return DT_UNKNOWN;
	}
	return IFTODT(st.st_mode);
}

static int scan_folder(struct scan *scan, const char *name);

static int scan_entry(struct scan *scan, const char *folder, const struct dirent *entry)
{
	const struct scan_options *options = scan->options;
	size_t length = strlen(folder);
	unsigned char type;
	int err = 0;
	char *path;

	if (length > 1 && folder[length - 1] == '/')
		length--;
	if (asprintf(&path, "%.*s/%s", (int)length, folder, entry->d_name) < 0)
		return complain("out of memory");
	type = type_of(entry, path);
	if (type == DT_DIR && !is_one_of(options->exclude_folders, options->exclude_folder_count,
					 entry->d_name))
		err = scan_folder(scan, path);
	else if (type == DT_REG && is_included(options, entry->d_name))
		err = scan_next(scan, path, true, SIZE_UNKNOWN);
	else if (type == DT_UNKNOWN)
		err = -1;
	free(path);
	return err;
}

/* As with grep -r: links are followed on the command line alone, and devices are left out. */
static int scan_folder(struct scan *scan, const char *name)
{
	struct dirent **entries;
	int count = scandir(name, &entries, is_entry, by_name), i, err = 0;

	if (count < 0)
		return complain_at(name, 0, "%s", strerror(errno));
	for (i = 0; i < count; i++) {
		if (scan_entry(scan, name, entries[i]))
			err = -1;
		free(entries[i]);
	}
	free(entries);
	return err;
}

static int scan_interface(struct scan *scan)
{
	int err;

	if (scan_name(scan, scan->options->interface))
		return -1;
	err = scan_capture(scan, scan->options->interface, NULL);
	scan_forget_name(scan);
	return err;
}

static void report_time(const struct scan *scan, double seconds)
{
	struct human size, time, rate;

	fflush(stdout);
	complain("%s in %s: %s, %" PRIu64 " matches, path %s",
		 human_size(&size, scan->bytes), human_time(&time, seconds),
		 human_rate(&rate, seconds > 0 ? scan->bytes / seconds : 0), scan->matches,
		 nfac_path_names[scan->options->path]);
}

/* An input of the command line. */
static int scan_named(struct scan *scan, const char *name)
{
	struct stat st;

	if (!strcmp(name, "-") || stat(name, &st))
		return scan_next(scan, name, false, 0);
	if (scan->options->recursive && S_ISDIR(st.st_mode))
		return scan_folder(scan, name);
	return scan_next(scan, name, S_ISREG(st.st_mode), st.st_size);
}

static int scan_all(struct scan *scan)
{
	const struct scan_options *options = scan->options;
	double start = clock_seconds();
	int i, err = 0;

	/* as with grep: no input is read */
	if (options->limited && !options->most && !options->list_without)
		return NFAC_EXIT_NOTHING;
	if (scan_captures_begin(scan))
		return NFAC_EXIT_ERROR;
	progress_permit(options->count || options->matches || options->list || options->summary);
	if (options->interface)
		err = scan_interface(scan);
	/* an input that cannot be read does not keep the others from being read */
	for (i = 0; i < options->input_count; i++)
		if (scan_named(scan, options->inputs[i]))
			err = -1;
	if (scan->pool && scan_pool_drain(scan->pool))
		err = -1;
	if (scan_captures_end(scan))
		err = -1;
	if (options->matches)
		printf("%" PRIu64 "\n", scan->matches);
	if (options->time)
		report_time(scan, clock_seconds() - start);
	if (err)
		return NFAC_EXIT_ERROR;
	return scan->selected ? NFAC_EXIT_OK : NFAC_EXIT_NOTHING;
}

/* A second read of standard input finds nothing in it. */
static bool stdin_is_wanted_twice(const struct scan_options *options)
{
	size_t wanted = file_count_stdin(options->patterns, options->pattern_count) +
			file_count_stdin(options->inputs, options->input_count);

	if (options->set && !strcmp(options->set, "-"))
		wanted++;
	if (wanted > 1)
		complain("standard input is named more than once, and can be read but once");
	return wanted > 1;
}

static int get_set(struct set_source *set, const struct scan_options *options)
{
	if (!options->set)
		return set_source_compile(set, &options->format, options->patterns,
					  options->pattern_count);
	if (set_source_no_format(&options->format, options->set))
		return -1;
	return set_source_blob(set, options->set);
}

static const char *set_name(const struct scan_options *options)
{
	if (options->set)
		return options->set;
	return options->pattern_count ? options->patterns[0] : "-e";
}

int cmd_scan(int argc, char **argv)
{
	struct scan_options options;
	struct scan scan = { .options = &options, .out = stdout };
	struct set_source set;
	int status = NFAC_EXIT_ERROR;

	if (scan_options_new(&options, argc))
		return status;
	options_parse(&scan_argp, argc, argv, &options);
	if (stdin_is_wanted_twice(&options) || stream_check(&options.table, options.stream) ||
	    get_set(&set, &options))
		goto out;
	if (set_source_bind(&set, set_name(&options)))
		goto out_set;
	scan.automaton = nfac_image_automaton(set.image);
	scan.texts = pattern_texts_new(set.image);
	scan.set = set_name(&options);
	scan.image = set.image;
	if (options.confirm)
		scan.confirm = confirm_new(set.image);
	if (options.threads > 1 && scan_pool_serves(&scan))
		scan.pool = scan_pool_new(&scan, options.threads);
	if (!options.confirm || scan.confirm)
		status = scan_all(&scan);
	scan_pool_free(scan.pool);
	confirm_free(scan.confirm);
	pattern_texts_free(scan.texts);
out_set:
	set_source_close(&set);
out:
	scan_options_free(&options);
	return status;
}
