// SPDX-License-Identifier: GPL-2.0
/*
 * nfac test: try rules on captures. For each rule: where it holds first; or where it came near,
 * and the condition that failed there; or that its anchor is in no packet.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../kmod/engine/match/matcher.h"
#include "capture/rule_scan.h"
#include "commands.h"
#include "common/confirm.h"
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

/*
 * What became of a rule. @failed: word of the condition that failed where it came nearest;
 * @packet, @offset: where it holds first, else where it came nearest.
 */
struct result {
	uint64_t holds, evaluations;
	bool inexact, budget;
	uint32_t failed;
	uint64_t packet;
	int64_t offset;
	const char *capture;
};

/* @results: by word offset of the program; @capture: that is read now. */
struct trial {
	const struct nfac_automaton *automaton;
	struct result *results;
	const char *capture;
	struct rule_scan *scan;
	struct confirm *confirm;
	bool some;
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
		if (args->count < 2)
			argp_error(state, "give rules, then captures");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void on_evaluation(void *context, uint32_t program, int outcome, uint32_t failed,
			  const struct rule_match *match)
{
	struct trial *trial = context;
	struct result *r = &trial->results[program];
	bool holds = outcome == NFAC_RULE_HOLDS || outcome == NFAC_RULE_UNCHECKED;

	r->evaluations++;
	r->budget |= outcome == NFAC_RULE_BUDGET;
	r->holds += holds;
	if (holds ? r->holds > 1 : r->holds || (r->evaluations > 1 && failed <= r->failed))
		return;
	r->inexact = match->inexact;
	r->failed = failed;
	r->packet = match->packet;
	r->offset = match->offset;
	r->capture = trial->capture;
	trial->some |= holds;
}

static bool on_match(void *context, const struct rule_match *match)
{
	(void)context;
	(void)match;
	return true;
}

static void on_packet(void *context, const struct capture_packet *packet,
		      const struct payload *payload)
{
	struct trial *trial = context;

	rule_scan_packet(trial->scan, payload, packet);
}

static int read_capture(struct trial *trial, const char *name)
{
	struct capture_counts counts = { 0 };
	struct input *in = input_open(name);
	int err = -1;

	if (!in)
		return -1;
	trial->capture = name;
	trial->scan = rule_scan_new(trial->automaton, nfac_path_best(), true, on_match, trial);
	if (!trial->scan)
		goto out;
	rule_scan_watch(trial->scan, on_evaluation);
	rule_scan_confirm(trial->scan, trial->confirm);
	err = capture_read(name, in, true, on_packet, trial, &counts);
	rule_scan_end(trial->scan);
	rule_scan_free(trial->scan);
out:
	input_close(in);
	return err;
}

static void print_result(const struct result *r, const __le32 *program,
			 const struct pattern_text *text)
{
	printf("sid %" PRIu32 ": ", text->shown);
	if (r->holds) {
		printf("holds%s, first in packet %" PRIu64 " of %s, at offset %" PRId64 "\n",
		       r->inexact ? " as far as it is checked" : "", r->packet, r->capture,
		       r->offset);
		return;
	}
	if (!r->evaluations) {
		printf("its anchor \"%s\" is in no packet\n", text->plain);
		return;
	}
	printf("came near in packet %" PRIu64 " of %s, by \"%s\" at offset %" PRId64 "; failed: ",
	       r->packet, r->capture, text->plain, r->offset);
	if (r->failed)
		condition_print(stdout, (const struct nfac_condition *)(program + r->failed));
	else
		fputs("protocol, direction or state of the connection", stdout);
	puts(r->budget ? "; not evaluated to the end elsewhere: budget" : "");
}

static void print_results(const struct trial *trial, struct pattern_texts *texts, uint32_t words)
{
	const __le32 *programs = trial->automaton->programs;
	const struct nfac_program *program;
	uint32_t at;

	for (at = 0; at < words; at += le32_to_cpu(program->words)) {
		program = (const struct nfac_program *)(programs + at);
		print_result(&trial->results[at], programs + at,
			     pattern_text(texts, le32_to_cpu(program->id)));
	}
}

static int run_trial(const struct arguments *args, const struct set_source *set)
{
	struct pattern_texts *texts = pattern_texts_new(set->image);
	struct trial trial = { .automaton = nfac_image_automaton(set->image) };
	uint32_t words = nfac_image_program_words(set->image);
	int i, err = 0;

	trial.results = calloc(words + 1, sizeof(*trial.results));
	if (!texts || !trial.results) {
		err = complain("out of memory");
		goto out;
	}
	if (!words) {
		err = complain_at(args->words[0], 0, "no rules: nfac scan looks for patterns");
		goto out;
	}
	if (confirm_available()) {
		trial.confirm = confirm_new(set->image);
		err = trial.confirm ? 0 : -1;
	}
	for (i = 1; !err && i < args->count; i++)
		err = read_capture(&trial, args->words[i]);
	if (!err)
		print_results(&trial, texts, words);
out:
	free(trial.results);
	confirm_free(trial.confirm);
	pattern_texts_free(texts);
	return err ? NFAC_EXIT_ERROR : trial.some ? NFAC_EXIT_OK : NFAC_EXIT_NOTHING;
}

int cmd_test(int argc, char **argv)
{
	static const struct argp_child children[] = { { &format_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "SET.nfac|RULES CAPTURE...",
		.doc = "Try rules on captures, whose streams are followed: for each rule print where it holds, or the condition that failed where it came nearest.\vFiles of rules are read with --format suricata.\nExit status: 0: a rule holds, 1: none does, 2: error.",
		.children = children,
	};
	struct arguments args = { 0 };
	int status = NFAC_EXIT_ERROR;
	struct set_source set;

	options_parse(&argp, argc, argv, &args);
	if (set_source_any(&set, &args.format, args.words, 1))
		return NFAC_EXIT_ERROR;
	if (!set_source_bind(&set, args.words[0]))
		status = run_trial(&args, &set);
	set_source_close(&set);
	return status;
}
