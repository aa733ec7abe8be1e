// SPDX-License-Identifier: GPL-2.0
/*
 * nfac compile: pattern files in, a compiled set out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/file.h"
#include "common/human.h"
#include "common/message.h"
#include "common/options.h"
#include "common/pattern_text.h"
#include "common/set_source.h"

struct arguments {
	struct format_options format;
	const char *output;
	bool json;
	uint32_t once;
	char **files;
	int count;
};

enum { OPTION_JSON = OPTION_KEYS };

static const struct argp_option options[] = {
	{ "output", 'o', "SET.nfac", 0,
	  "Write the set here ('-': standard output); without it patterns are checked only", 0 },
	{ "json", OPTION_JSON, NULL, 0,
	  "Print the set's figures, and the state of each rule, as JSON", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	if (option_once(options, key, &args->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->format;
		break;
	case 'o':
		args->output = arg;
		break;
	case OPTION_JSON:
		args->json = true;
		break;
	case ARGP_KEY_ARGS:
		args->files = state->argv + state->next;
		args->count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no pattern file given");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print_json(FILE *to, const struct nfac_image_figures *f, json_t *rules)
{
	json_t *object = json_object();

	json_object_set_new(object, "patterns", json_integer(f->patterns));
	json_object_set_new(object, "states", json_integer(f->states));
	json_object_set_new(object, "node_bytes", json_integer(f->node_bytes));
	json_object_set_new(object, "total_bytes", json_integer(f->total_bytes));
	if (rules)
		json_object_set(object, "rules", rules);
	json_print(to, object);
}

static void print_text(FILE *to, const struct nfac_image_figures *f,
		       const struct set_source *set, const char *output)
{
	struct human nodes, total, size, time;

	fprintf(to,
		"%" PRIu64 " patterns, %" PRIu64 " states: %s of nodes, %s in the kernel, compiled in %s\n",
		f->patterns, f->states, human_size(&nodes, f->node_bytes),
		human_size(&total, f->total_bytes), human_time(&time, set->compile_seconds));
	if (output)
		fprintf(to, "%s: %s\n", output, human_size(&size, set->size));
	else
		fputs("nothing written: -o SET.nfac says where to\n", to);
}

int cmd_compile(int argc, char **argv)
{
	static const struct argp_child children[] = { { &format_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Turn pattern files ('-': standard input) into a compiled set.",
		.children = children,
	};
	struct arguments args = { 0 };
	struct nfac_image_figures figures;
	struct set_source set;
	int status = NFAC_EXIT_ERROR;
	bool piped;
	FILE *to;
	int i;

	options_parse(&argp, argc, argv, &args);
	args.format.rules = args.json;
	for (i = 0; args.output && i < args.count; i++)
		if (file_is_same(args.output, args.files[i])) {
			complain_at(args.output, 0, "this is a list of patterns, the set needs a name of its own");
			return NFAC_EXIT_ERROR;
		}
	/* "-o *.txt" makes the first list the output's name, and no input */
	if (args.output && set_source_may_replace(args.output))
		return NFAC_EXIT_ERROR;
	/* nothing else goes to where the set goes */
	piped = args.output && file_is_stdout(args.output);
	to = piped ? stderr : stdout;
	if (set_source_compile(&set, &args.format, args.files, args.count))
		return NFAC_EXIT_ERROR;
	/* never write what the verifier would refuse */
	if (set_source_bind(&set, args.output ? args.output : args.files[0]))
		goto out;
	nfac_image_figures(set.image, &figures);
	if (args.output && file_write(args.output, set.blob, set.size, 0666))
		goto out;
	if (args.json)
		print_json(to, &figures, set.rules);
	else
		print_text(to, &figures, &set, piped ? "standard output" : args.output);
	status = NFAC_EXIT_OK;
out:
	set_source_close(&set);
	return status;
}
