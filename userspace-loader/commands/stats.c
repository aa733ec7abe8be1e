// SPDX-License-Identifier: GPL-2.0
/*
 * nfac stats: what was inspected and what it cost, from sysfs, and from running queues.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/device.h"
#include "common/human.h"
#include "common/message.h"
#include "common/options.h"
#include "queue/status.h"
#include "stats_format.h"
#include "stats_patterns.h"
#include "stats_queue.h"

enum {
	OPTION_JSON = OPTION_KEYS, OPTION_WATCH, OPTION_PROMETHEUS, OPTION_PATTERNS, OPTION_TOP,
};

static const struct argp_option options[] = {
	{ "json", OPTION_JSON, NULL, 0, "Print a line of JSON for each set and queue", 0 },
	{ "prometheus", OPTION_PROMETHEUS, NULL, 0, "Print Prometheus' text format", 0 },
	{ "patterns", OPTION_PATTERNS, NULL, 0,
	  "Print how often each pattern matched, and when last", 0 },
	{ "top", OPTION_TOP, "N", 0,
	  "With --patterns: the N patterns of each set that matched most; with --prometheus: these, too",
	  0 },
	{ "watch", OPTION_WATCH, NULL, 0, "Print again each second, until interrupted", 0 },
	{ 0 }
};

struct arguments {
	const char *name;
	bool json, prometheus, watch, patterns;
	uint64_t top;	/* 0: not given */
	uint32_t once;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	if (option_once(options, key, &args->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case OPTION_PATTERNS:
		args->patterns = true;
		break;
	case OPTION_TOP:
		args->top = parse_limit(state, "--top", arg, 1, UINT32_MAX);
		break;
	case OPTION_JSON:
		args->json = true;
		break;
	case OPTION_PROMETHEUS:
		args->prometheus = true;
		break;
	case OPTION_WATCH:
		args->watch = true;
		break;
	case ARGP_KEY_ARG:
		if (args->name)
			argp_error(state, "one set at a time");
		args->name = arg;
		break;
	case ARGP_KEY_END:
		if (args->json && args->prometheus)
			argp_error(state, "either --json or --prometheus");
		if (args->patterns && args->prometheus)
			argp_error(state, "--prometheus has patterns with --top");
		if (args->top && !args->patterns && !args->prometheus)
			argp_error(state, "--top says nothing without --patterns or --prometheus");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* What the module counts. Return: 0; -1 after saying why. */
static int print_module(const struct arguments *args)
{
	struct sysfs_dir root;
	int err = 0;

	if (sysfs_read(&root))
		return -1;
	if (args->json) {
		stats_json(&root, args->name);
	} else if (args->prometheus) {
		stats_prometheus(&root, args->name);
		err = args->top ? stats_patterns(args->name, args->top, STATS_PROMETHEUS) : 0;
	} else {
		stats_table(&root, args->name);
	}
	sysfs_free(&root);
	return err;
}

/* Has the module the set? Without a name: is it loaded? */
static bool module_has(const struct arguments *args)
{
	struct sysfs_dir root;
	const struct sysfs_dir *sets;
	bool has;

	if (access(SYSFS_ROOT, F_OK) || (args->name && sysfs_read(&root)))
		return false;
	if (!args->name)
		return true;
	sets = sysfs_subdir(&root, "sets");
	has = sets && sysfs_subdir(sets, args->name);
	sysfs_free(&root);
	return has;
}

static void print_queues(const struct arguments *args, const json_t *queues)
{
	if (args->json)
		stats_queue_json(queues, args->name);
	else if (args->prometheus)
		stats_queue_prometheus(queues, args->name);
	else
		stats_queue_table(queues, args->name);
}

/* The module's, and those of queues, which need no module. Return: 0; -1 after saying why. */
static int print_once(const struct arguments *args)
{
	const bool loaded = !access(SYSFS_ROOT, F_OK), module = module_has(args);
	json_t *queues;
	bool queue;
	int err = 0;

	if (args->patterns)
		return stats_patterns(args->name, args->top, args->json ? STATS_JSON : STATS_TABLE);
	queues = queue_status_read();
	queue = stats_queue_has(queues, args->name);
	if (args->prometheus && (queue || module || !loaded))
		stats_prometheus_up(loaded);
	if (module || (!loaded && !queue && !args->prometheus))
		err = print_module(args);
	else if (loaded && !queue)
		err = device_set_error(args->name, ENOENT);
	print_queues(args, queues);
	json_decref(queues);
	return err;
}

static volatile sig_atomic_t interrupted;

static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static int print_again(const struct arguments *args)
{
	struct sigaction action = { .sa_handler = interrupt };
	bool terminal = isatty(STDOUT_FILENO) && !args->json;
	int err = 0;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	while (!interrupted && !err) {
		if (terminal)
			fputs("\033[H\033[2J", stdout);
		err = print_once(args);
		if (fflush(stdout))
			break;
		if (!interrupted && !err)
			sleep(1);
	}
	return err;
}

int cmd_stats(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[NAME]",
		.doc = "Show what the sets (or one) inspected, in the kernel and in running `nfac queue` processes, what matched, and why packets passed uninspected.",
	};
	struct arguments args = { 0 };
	int err;

	options_parse(&argp, argc, argv, &args);
	if (args.name && set_name_check(args.name))
		return NFAC_EXIT_ERROR;
	err = args.watch ? print_again(&args) : print_once(&args);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
