// SPDX-License-Identifier: GPL-2.0
/*
 * nfac load: load a set into the kernel, from a compiled set or from pattern files.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/device.h"
#include "common/human.h"
#include "common/message.h"
#include "common/options.h"
#include "common/set_source.h"
#include "config/origin.h"

struct arguments {
	struct format_options format;
	const char *name;
	char **files;
	int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->format;
		break;
	case ARGP_KEY_ARGS:
		args->name = state->argv[state->next];
		args->files = state->argv + state->next + 1;
		args->count = state->argc - state->next - 1;
		break;
	case ARGP_KEY_END:
		if (args->count < 1)
			argp_error(state, "give a name and a file");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print_loaded(const struct nfac_ioc_commit *commit, const struct nfac_ioc_set *set)
{
	struct human nodes, total, slab, load, verify;

	printf("set '%s': %" PRIu32 " patterns, %" PRIu64 " states: %s of nodes, %s in all, %s of slab pages\n",
	       commit->name, set->patterns, (uint64_t)set->states,
	       human_size(&nodes, set->node_bytes), human_size(&total, set->total_bytes),
	       human_size(&slab, set->slab_bytes));
	printf("loaded in %s inside the kernel (%s of it to verify), generation %" PRIu32 "\n",
	       human_time(&load, commit->load_ns / 1e9),
	       human_time(&verify, commit->verify_ns / 1e9), set->generation);
}

/* The set is in force: without its file matches have an id, but no text. */
static void keep(const struct arguments *args, const struct set_source *source)
{
	struct config_set set = { .source = *source };

	if (origin_of_load(&set, args->name, &args->format, args->files, args->count) ||
	    origin_keep(&set))
		complain("set '%s' is loaded, but `nfac watch` cannot show its patterns, or `nfac save` its files",
			 args->name);
	texts_free(&set.files);
	texts_free(&set.vars);
	texts_free(&set.set_vars);
}

static int load(const struct arguments *args, const struct set_source *source)
{
	struct nfac_ioc_commit commit = { 0 };
	struct nfac_ioc_set set;
	int device = device_open();
	int err, found;

	if (device < 0)
		return -1;
	strncpy(commit.name, args->name, sizeof(commit.name) - 1);
	err = device_commit(device, source->blob, source->size, &commit);
	if (err)
		goto out;
	keep(args, source);
	found = device_find_set(device, args->name, &set);
	if (found == 1)
		print_loaded(&commit, &set);
	else
		err = found ? -1 : device_set_error(args->name, ENOENT);
out:
	close(device);
	return err;
}

int cmd_load(int argc, char **argv)
{
	static const struct argp_child children[] = { { &format_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "NAME SET.nfac|FILE...",
		.doc = "Put a set into the kernel under a name. A set of that name that is there already is replaced at once, with no packet uninspected in between; if the new one is refused, the old one stays.",
		.children = children,
	};
	struct arguments args = { 0 };
	struct set_source set;
	int err;

	options_parse(&argp, argc, argv, &args);
	if (set_name_check(args.name) ||
	    set_source_to_send(&set, &args.format, args.files, args.count))
		return NFAC_EXIT_ERROR;
	err = load(&args, &set);
	set_source_close(&set);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
