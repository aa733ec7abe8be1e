// SPDX-License-Identifier: GPL-2.0
/*
 * nfac top: what the sets do now, again and again: on a terminal, or as text in batch mode.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "commands.h"
#include "common/human.h"
#include "common/message.h"
#include "common/options.h"
#include "top_lines.h"
#include "top_sample.h"
#include "top_screen.h"

#define BATCH_WIDTH	(TOP_LINE - 1)
#define BATCH_ROWS	10	/* of patterns and of sources */

enum { OPTION_SOURCES = OPTION_KEYS, OPTION_TOP };

static const struct argp_option options[] = {
	{ "batch", 'b', NULL, 0, "Print screens as text, for scripts and without a terminal", 0 },
	{ "delay", 'd', "SECONDS", 0, "From one screen to the next, 0.1 to 3600; default: 2", 0 },
	{ "iterations", 'n', "N", 0, "Leave after N screens", 0 },
	{ "sources", OPTION_SOURCES, NULL, 0,
	  "Show sources of matches, too: takes a reader's ring of events", 0 },
	{ "top", OPTION_TOP, "N", 0,
	  "With -b: patterns and sources of a screen at most; default: 10", 0 },
	{ 0 }
};

struct arguments {
	bool batch, sources;
	double delay;
	uint32_t screens;	/* 0: until it is ended */
	uint32_t rows;
	uint32_t once;
};

static double parse_delay(struct argp_state *state, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	/* the comparison fails for what is no number, too */
	if (end == text || *end || !(seconds >= 0.1 && seconds <= 3600))
		argp_error(state, "-d %s: not seconds from 0.1 to 3600", text);
	return seconds;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	if (option_once(options, key, &args->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case 'b':
		args->batch = true;
		break;
	case 'd':
		args->delay = parse_delay(state, arg);
		break;
	case 'n':
		args->screens = parse_limit(state, "-n", arg, 1, UINT32_MAX);
		break;
	case OPTION_SOURCES:
		args->sources = true;
		break;
	case OPTION_TOP:
		args->rows = parse_limit(state, "--top", arg, 1, UINT32_MAX);
		break;
	case ARGP_KEY_END:
		if (args->rows && !args->batch)
			argp_error(state, "--top says nothing without -b: on a terminal its height decides");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/**
 * struct session - the command while it runs
 * @signals: a signalfd of what ends it
 * @shown: screens so far
 * @due: time of the next one
 */
struct session {
	const struct arguments *args;
	struct top top;
	struct top_lines lines;
	int signals;
	uint32_t shown;
	double due;
};

static int print_batch(struct session *session)
{
	size_t i;

	if (session->shown)
		putchar('\n');
	for (i = 0; i < session->lines.count; i++)
		puts(session->lines.line[i].text);
	/* finish_output() says why */
	return fflush(stdout) ? -1 : 0;
}

static int draw(struct session *session)
{
	size_t width = BATCH_WIDTH, height = 0;
	int err;

	top_lines_free(&session->lines);
#ifdef HAVE_NCURSES
	if (!session->args->batch)
		top_screen_size(&width, &height);
#endif
	err = top_lines(&session->top, session->args->delay, width, height,
			session->args->rows ? session->args->rows : BATCH_ROWS, &session->lines);
	if (err)
		return err;
	if (session->args->batch)
		return print_batch(session);
#ifdef HAVE_NCURSES
	top_screen_draw(&session->lines);
#endif
	return 0;
}

static int next_screen(struct session *session)
{
	int err;

	session->due = clock_seconds() + session->args->delay;
	err = top_sample(&session->top);
	if (!err)
		err = draw(session);
	session->shown++;
	return err;
}

#ifdef HAVE_NCURSES
/* All keys that wait. Return: 1: go on, 0: leave, -1 after saying why. */
static int on_keys(struct session *session)
{
	int err = 0;

	while (!err) {
		switch (top_screen_key(&session->lines)) {
		case TOP_KEY_NONE:
			return 1;
		case TOP_KEY_OTHER:
			break;
		case TOP_KEY_QUIT:
			return 0;
		case TOP_KEY_NOW:
			session->due = clock_seconds();
			break;
		case TOP_KEY_SOURCES:
			err = top_sources(&session->top, session->top.events < 0);
			if (!err)
				err = draw(session);
			break;
		case TOP_KEY_RESIZED:
			err = draw(session);
			break;
		}
	}
	return err;
}
#else
static int on_keys(struct session *session)
{
	(void)session;
	return 1;
}
#endif

static int milliseconds_left(const struct session *session)
{
	double left = session->due - clock_seconds();

	return left > 0 ? left * 1000 + 1 : 0;
}

/* Until the next screen is due. Return: 1: go on, 0: leave, -1 after saying why. */
static int wait_for_next(struct session *session)
{
	int left, go = 1;

	while (go == 1 && (left = milliseconds_left(session)) > 0) {
		struct pollfd fds[] = {
			{ .fd = session->signals, .events = POLLIN },
			{ .fd = session->top.events, .events = POLLIN },
			{ .fd = session->args->batch ? -1 : STDIN_FILENO, .events = POLLIN },
		};

		/* a new size of the window interrupts it, and is a key */
		if (poll(fds, 3, left) < 0 && errno != EINTR)
			return complain("poll: %s", strerror(errno));
		if (fds[0].revents)
			return 0;
		if (fds[1].revents && top_read_events(&session->top))
			return -1;
		/* a terminal that is gone */
		if (fds[2].revents & (POLLERR | POLLHUP | POLLNVAL))
			return 0;
		if (!session->args->batch)
			go = on_keys(session);
	}
	return go;
}

static int loop(struct session *session)
{
	int go;

	/* a batch's first screen has rates: it covers the time before it, as the others do */
	if (session->args->batch) {
		session->due = clock_seconds() + session->args->delay;
		if (top_sample(&session->top))
			return -1;
	} else if (next_screen(session)) {
		return -1;
	}
	while (!session->args->screens || session->shown < session->args->screens) {
		go = wait_for_next(session);
		if (go < 1)
			return go;
		if (next_screen(session))
			return -1;
	}
	return 0;
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? complain("signalfd: %s", strerror(errno)) : fd;
}

static int run_screen(struct session *session)
{
#ifdef HAVE_NCURSES
	int err;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return complain("this is no terminal; -b prints screens as text");
	if (top_screen_open())
		return -1;
	err = loop(session);
	top_screen_close();
	return err;
#else
	(void)session;
	return complain("this nfac was built without ncurses; -b prints screens as text");
#endif
}

static int run(struct session *session)
{
	int err = 0;

	session->signals = open_signals();
	if (session->signals < 0)
		return -1;
	top_open(&session->top);
	if (session->args->sources)
		err = top_sources(&session->top, true);
	if (!err)
		err = session->args->batch ? loop(session) : run_screen(session);
	top_lines_free(&session->lines);
	top_close(&session->top);
	close(session->signals);
	return err;
}

int cmd_top(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Show what the sets do now: rates, patterns that match most, packets that are not inspected, memory.\vKeys: q quits, space takes a sample, s shows sources or no longer, arrows and page keys scroll.",
	};
	struct arguments args = { .delay = 2 };
	/* the sources alone are 48 KB */
	struct session *session = calloc(1, sizeof(*session));
	int err;

	if (!session) {
		complain("out of memory");
		return NFAC_EXIT_ERROR;
	}
	options_parse(&argp, argc, argv, &args);
	session->args = &args;
	err = run(session);
	free(session);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
