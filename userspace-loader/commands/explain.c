// SPDX-License-Identifier: GPL-2.0
/*
 * nfac explain: a rule's program in words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../kmod/engine/automaton.h"
#include "commands.h"
#include "common/message.h"
#include "common/options.h"
#include "common/pattern_text.h"
#include "common/program_text.h"
#include "common/set_source.h"

struct arguments {
	struct format_options format;
	char **words;
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
		args->words = state->argv + state->next;
		args->count = state->argc - state->next;
		break;
	case ARGP_KEY_END:
		if (args->count != 2)
			argp_error(state, "give a set and a rule's sid");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Print the programs of this sid, of whatever group. Return: how many. */
static unsigned int explain(const struct set_source *set, struct pattern_texts *texts,
			    uint64_t sid)
{
	const __le32 *programs = nfac_image_automaton(set->image)->programs;
	uint32_t at = 0, words = nfac_image_program_words(set->image);
	const struct nfac_program *program;
	unsigned int count = 0;

	for (; at < words; at += le32_to_cpu(program->words)) {
		const struct pattern_text *text;

		program = (const struct nfac_program *)(programs + at);
		text = pattern_text(texts, le32_to_cpu(program->id));
		if (text->shown != sid)
			continue;
		if (text->details.sid)
			printf("gid %" PRIu32 " sid %" PRIu32 " rev %" PRIu32 "%s%s\n",
			       text->details.gid, text->shown, text->details.rev,
			       text->label ? ": " : "", text->label ? text->label : "");
		else
			printf("id %" PRIu32 "\n", text->shown);
		printf("  looks for \"%s\"\n", text->plain);
		program_print(stdout, program);
		count++;
	}
	return count;
}

int cmd_explain(int argc, char **argv)
{
	static const struct argp_child children[] = { { &format_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "SET.nfac|RULES SID",
		.doc = "Print what a rule's program checks, in its order.\vExit status: 0: printed, 1: the set has no such rule, 2: error.",
		.children = children,
	};
	struct arguments args = { 0 };
	struct pattern_texts *texts;
	int status = NFAC_EXIT_ERROR;
	struct set_source set;
	uint64_t sid;

	options_parse(&argp, argc, argv, &args);
	if (parse_number(args.words[1], 1, UINT32_MAX, &sid)) {
		complain("sid %s: not a number from 1 to 4294967295", args.words[1]);
		return NFAC_EXIT_ERROR;
	}
	if (set_source_any(&set, &args.format, args.words, 1))
		return NFAC_EXIT_ERROR;
	if (set_source_bind(&set, args.words[0]))
		goto out;
	texts = pattern_texts_new(set.image);
	if (!texts) {
		complain("out of memory");
		goto out;
	}
	status = explain(&set, texts, sid) ? NFAC_EXIT_OK : NFAC_EXIT_NOTHING;
	if (status == NFAC_EXIT_NOTHING)
		complain_at(args.words[0], 0, "no rule with sid %s has a program here",
			    args.words[1]);
	pattern_texts_free(texts);
out:
	set_source_close(&set);
	return status;
}
