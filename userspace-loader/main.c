// SPDX-License-Identifier: GPL-2.0
/*
 * nfac: the command line tool. Runs the command that is named.
 */
#include <argp.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kmod/version.h"
#include "commands/commands.h"
#include "common/message.h"
#include "common/nearest.h"
#include "common/netns.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
	{ "compile", cmd_compile, "turn pattern files into a compiled set" },
	{ "scan", cmd_scan, "look for patterns in files and captures" },
	{ "load", cmd_load, "put a set into the kernel, or replace it" },
	{ "unload", cmd_unload, "take a set out of the kernel" },
	{ "list", cmd_list, "show the sets and where they are attached" },
	{ "attach", cmd_attach, "attach a set to a hook, to inspect packets" },
	{ "detach", cmd_detach, "remove an attachment" },
	{ "apply", cmd_apply, "put a configuration file into force, all or nothing" },
	{ "save", cmd_save, "print what is in force, as a configuration file" },
	{ "stats", cmd_stats, "show what was inspected, and what it cost" },
	{ "top", cmd_top, "show what the sets do now, on a live screen" },
	{ "watch", cmd_watch, "print matches as they happen" },
	{ "verify", cmd_verify, "check a set's memory in the kernel" },
	{ "explain", cmd_explain, "print in words what a rule checks" },
	{ "test", cmd_test, "try rules on captures: which held, and why others did not" },
	{ "report", cmd_report, "write a page of HTML: what a set would match, before it drops" },
	{ "queue", cmd_queue, "inspect packets in user space, by NFQUEUE" },
};

#define COMMANDS	(sizeof(commands) / sizeof(*commands))

const char *argp_program_version = "nfac " NFAC_RELEASE;

static void usage(FILE *to)
{
	size_t i;

	fputs("Usage: nfac [-n NETNS] COMMAND [OPTION]... [ARGUMENT]...\n"
	      "Looks for thousands of byte patterns at once, in packets and in files.\n\n",
	      to);
	for (i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].what);
	fputs("\n-n, --netns NETNS: in this network namespace, a name of `ip netns' or a file\n"
	      "`nfac COMMAND --help' lists a command's options; see also nfac(8).\n", to);
}

/* argp prints a command's help by itself, and leaves with 0 whatever became of it. */
static void finish_help(void)
{
	if (finish_output(NFAC_EXIT_OK) != NFAC_EXIT_OK)
		_exit(NFAC_EXIT_ERROR);
}

static int run(const struct command *command, int argc, char **argv)
{
	char name[32];

	/* argp prints it in messages and in the usage line */
	snprintf(name, sizeof(name), "nfac %s", command->name);
	argv[0] = name;
	program_invocation_name = name;
	atexit(finish_help);
	return finish_output(command->run(argc, argv));
}

/*
 * Where a standard stream was closed, the next file that is opened would take its place: what
 * is to be printed would go to the device, and a list of patterns be read as standard input.
 * In its place comes what can only be used the other way round.
 */
static void hold_standard_streams(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Options before the command. Return: how many arguments they are; -1 after saying why not. */
static int enter_namespace(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strncmp(word, "--netns=", 8))
		return netns_enter(word + 8) ? -1 : 1;
	if (strcmp(word, "-n") && strcmp(word, "--netns"))
		return 0;
	if (argc < 3)
		return complain("%s takes the name of a network namespace", word);
	return netns_enter(argv[2]) ? -1 : 2;
}

/* An option before the command, where only few are known. Return: the exit status. */
static int unknown_option(const char *word)
{
	struct nearest nearest = { .word = word };

	nearest_try(&nearest, "--help");
	nearest_try(&nearest, "--version");
	nearest_try(&nearest, "--netns");
	complain("unknown option '%s'%s; options of a command follow its name", word,
		 nearest_hint(&nearest));
	return NFAC_EXIT_ERROR;
}

int main(int argc, char **argv)
{
	char help[] = "--help";
	struct nearest nearest = { 0 };
	const char *word;
	int taken;
	size_t i;

	hold_standard_streams();
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	argp_err_exit_status = NFAC_EXIT_ERROR;
	taken = enter_namespace(argc, argv);
	if (taken < 0)
		return NFAC_EXIT_ERROR;
	argc -= taken;
	argv += taken;
	word = argc > 1 ? argv[1] : NULL;
	if (!word) {
		usage(stderr);
		return NFAC_EXIT_ERROR;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "-?") ||
	    (!strcmp(word, "help") && argc == 2)) {
		usage(stdout);
		return finish_output(NFAC_EXIT_OK);
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts(argp_program_version);
		return finish_output(NFAC_EXIT_OK);
	}
	if (!strcmp(word, "help")) {
		/* the same as: nfac COMMAND --help */
		argv[1] = argv[2];
		argv[2] = help;
		word = argv[1];
		argc = 3;
	}
	if (*word == '-')
		return unknown_option(word);
	nearest.word = word;
	for (i = 0; i < COMMANDS; i++) {
		if (!strcmp(commands[i].name, word))
			return run(&commands[i], argc - 1, argv + 1);
		nearest_try(&nearest, commands[i].name);
	}
	complain("unknown command '%s'%s; `nfac --help' lists them", word, nearest_hint(&nearest));
	return NFAC_EXIT_ERROR;
}
