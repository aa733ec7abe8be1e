// SPDX-License-Identifier: GPL-2.0
/*
 * nfac apply: put a configuration file into force, all of it or nothing.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"
#include "common/set_file.h"
#include "config/config.h"
#include "config/plan.h"

#define CONFIG_DEFAULT	"/etc/nfac/nfac.toml"
#define CONFIG_OLD	"/etc/nfac/nfac.conf"

enum { OPTION_DRY_RUN = OPTION_KEYS, OPTION_CHECK, OPTION_EMPTY, OPTION_PARTIAL };

static const struct argp_option options[] = {
	{ "dry-run", OPTION_DRY_RUN, NULL, 0, "Print what would change, and change nothing", 0 },
	{ "check", OPTION_CHECK, NULL, 0,
	  "Read the file, compile its sets, and print it as `nfac save' would; needs neither the module nor root",
	  0 },
	{ "empty", OPTION_EMPTY, NULL, 0,
	  "Take no file: detach and unload everything", 0 },
	{ "partial", OPTION_PARTIAL, NULL, 0,
	  "Leave out what has a fault, and put the rest into force; while there are faults nothing is removed",
	  0 },
	{ 0 }
};

struct arguments {
	const char *file;
	bool dry_run, check, empty, partial;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPTION_DRY_RUN:
		args->dry_run = true;
		break;
	case OPTION_CHECK:
		args->check = true;
		break;
	case OPTION_EMPTY:
		args->empty = true;
		break;
	case OPTION_PARTIAL:
		args->partial = true;
		break;
	case ARGP_KEY_ARG:
		if (args->file)
			argp_error(state, "one file at a time");
		args->file = arg;
		break;
	case ARGP_KEY_END:
		if (args->empty && (args->file || args->check))
			argp_error(state, "--empty takes no file");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const char *default_file(void)
{
	return access(CONFIG_DEFAULT, F_OK) && !access(CONFIG_OLD, F_OK) ? CONFIG_OLD :
	       CONFIG_DEFAULT;
}

static void say_old(const struct config *config)
{
	if (config->old)
		complain_at(config->file, 0,
			    "has load and attach lines, as nfac-boot read them; they are still read. `nfac apply --check %s >%s` converts them",
			    config->file, CONFIG_DEFAULT);
}

/* Read and compile. Return: 0; -1: there are faults, and the rest is not wanted. */
static int prepare(struct config *config, const struct arguments *args)
{
	size_t i;

	if (args->empty)
		return (config->file = strdup("--empty")) ? 0 : complain("out of memory");
	if (config_read(config, args->file ?: default_file()))
		return -1;
	if (!args->check)
		say_old(config);
	/* as left behind by an editor or a script that failed: hardly what is wanted */
	if (!config->set_count && !config->faults)
		return complain_at(config->file, 0,
				   "no set; `nfac apply --empty` removes everything");
	for (i = 0; i < config->set_count; i++)
		if (!config->sets[i].faulty)
			config_compile(config, &config->sets[i]);
	return config->faults && !args->partial ? -1 : 0;
}

static int print(const struct config *config)
{
	size_t i, printed = 0;

	for (i = 0; i < config->set_count; i++)
		if (!config->sets[i].faulty &&
		    (printf("%s", printed++ ? "\n" : "") < 0 ||
		     config_print_set(stdout, &config->sets[i])))
			return -1;
	for (i = 0; i < config->attachment_count; i++)
		if (!config->attachments[i].faulty &&
		    (printf("\n") < 0 ||
		     config_print_attachment(stdout, &config->attachments[i].options.attach)))
			return -1;
	return config->faults ? -1 : 0;
}

/* A signal between two steps would leave both configurations in force. */
static void hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int apply(struct config *config, const struct arguments *args)
{
	struct plan plan = { .config = config, .partial = args->partial };
	int device = device_open();
	int err;

	if (device < 0)
		return -1;
	if (!args->dry_run) {
		err = set_file_lock();
		if (err)
			goto out;
		hold_signals();
	}
	err = plan_make(&plan, device);
	if (err && !args->dry_run)
		complain("nothing was changed");
	if (!err && !args->dry_run) {
		err = plan_run(&plan, device);
		if (!err || args->partial)
			plan_print(&plan, true);
	} else if (!err) {
		plan_print(&plan, false);
	}
	if (!err && (config->faults || plan.faults))
		err = -1;
out:
	plan_free(&plan);
	close(device);
	return err;
}

int cmd_apply(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE]",
		.doc = "Put the sets and attachments of a file into force in this network namespace, all of them or none, and remove others; prints what changed. Only that is touched, and no packet passes uninspected meanwhile.",
	};
	struct arguments args = { 0 };
	struct config config = { 0 };
	int err;

	options_parse(&argp, argc, argv, &args);
	err = prepare(&config, &args);
	if (!err)
		err = args.check ? print(&config) : apply(&config, &args);
	else if (!args.check && !args.dry_run)
		complain("nothing was changed");
	config_free(&config);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
