// SPDX-License-Identifier: GPL-2.0
/*
 * nfac watch: match events as they happen.
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
#include "common/device.h"
#include "events/fold.h"
#include "events/text.h"
#include "reader_options.h"
#include "common/human.h"
#include "common/message.h"
#include "events/nft_set.h"
#include "events/output.h"
#include "common/options.h"
#include "common/prefix.h"
#include "common/set_file.h"
#include "common/set_source.h"
#include "common/threshold_config.h"

#define EVENTS		256	/* read at once */
#define RECHECK		1.0	/* seconds after which a set's checksum is compared again */
#define NFT_TIMEOUT	3600

enum {
	OPTION_COUNT = OPTION_KEYS, OPTION_NFT_SET, OPTION_NFT_TIMEOUT,
};

static const struct argp_option options[] = {
	{ "count", OPTION_COUNT, "N", 0, "Leave after N events are printed", 0 },
	{ "nft-set", OPTION_NFT_SET, "[FAMILY/]TABLE/SET", 0,
	  "Put the sources of matches into this nftables set (may be repeated: one for IPv4, one for IPv6)",
	  0 },
	{ "nft-timeout", OPTION_NFT_TIMEOUT, "TIME", 0,
	  "How long they stay there, default 1h", 0 },
	{ 0 }
};

struct arguments {
	const char *set;
	struct reader_options reader;
	uint64_t count;
	uint64_t nft_timeout;	/* 0: not given */
	char **nft_sets;
	int nft_count;
	uint32_t once;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;
	int err = 0;

	/* sets accumulate */
	if (key != OPTION_NFT_SET && option_once(options, key, &args->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->reader;
		break;
	case OPTION_COUNT:
		if (parse_number(arg, 1, UINT64_MAX, &args->count))
			argp_error(state, "--count %s: not a number from 1 on", arg);
		break;
	case OPTION_NFT_SET:
		args->nft_sets[args->nft_count++] = arg;
		break;
	case OPTION_NFT_TIMEOUT:
		err = parse_duration("--nft-timeout", arg, &args->nft_timeout);
		break;
	case ARGP_KEY_ARG:
		if (args->set)
			argp_error(state, "one set, or all");
		args->set = arg;
		break;
	case ARGP_KEY_END:
		if (args->nft_timeout && !args->nft_count)
			argp_error(state, "--nft-timeout says nothing without --nft-set");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (err)
		exit(NFAC_EXIT_ERROR);
	return 0;
}

/* The patterns of a set that had events, in a list of few. */
struct known_set {
	struct known_set *next;
	char name[NFAC_NAME_LEN];
	uint64_t checksum;
	double checked;
	struct set_source source;
	struct pattern_texts *texts;	/* NULL: not known */
};

struct watch {
	const struct arguments *args;
	const struct reader_options *reader;
	int device, signals;
	struct known_set *sets;
	struct nft_sets *nft;
	struct event_fold *fold;
	struct threshold_config *limits;
	uint64_t printed;
};

static void forget(struct known_set *set)
{
	pattern_texts_free(set->texts);
	set_source_close(&set->source);
	set->texts = NULL;
}

/* Read the patterns again if the set was reloaded: then its checksum differs. */
static void refresh(struct watch *watch, struct known_set *set)
{
	struct nfac_ioc_set now;

	set->checked = clock_seconds();
	if (device_find_set(watch->device, set->name, &now) != 1 ||
	    (set->texts && set->checksum == now.checksum))
		return;
	/* what was counted is of the patterns so far */
	if (set->texts)
		event_fold_flush(watch->fold, set->name);
	forget(set);
	set->checksum = now.checksum;
	if (!set_file_open(&set->source, set->name, now.checksum))
		set->texts = pattern_texts_new(set->source.image);
}

static struct known_set *find_set(struct watch *watch, const char *name)
{
	struct known_set *set;

	for (set = watch->sets; set; set = set->next)
		if (!strncmp(set->name, name, NFAC_NAME_LEN))
			break;
	if (!set) {
		set = calloc(1, sizeof(*set));
		if (!set)
			return NULL;
		memcpy(set->name, name, NFAC_NAME_LEN - 1);
		set->next = watch->sets;
		watch->sets = set;
		set->checked = -RECHECK;
	}
	if (clock_seconds() - set->checked >= RECHECK)
		refresh(watch, set);
	return set;
}

static void print(void *context, const struct nfac_event *event, uint64_t folded)
{
	struct watch *watch = context;
	struct known_set *set = find_set(watch, event->set);

	event_print(stdout, event, pattern_text(set ? set->texts : NULL, event->pattern), folded,
		    watch->reader->format);
	watch->printed++;
}

static enum threshold_result limit(struct watch *watch, const struct known_set *set,
				   const struct nfac_event *event)
{
	struct threshold_match match;
	uint8_t source[16], target[16];

	if (!watch->limits)
		return THRESHOLD_ABSENT;
	address_map(source, event->saddr, event->family);
	address_map(target, event->daddr, event->family);
	match = threshold_match(pattern_text(set ? set->texts : NULL, event->pattern), source,
				target, clock_seconds());
	return threshold_config_count(watch->limits, &match, THRESHOLD_ABSENT);
}

static void on_event(struct watch *watch, const struct nfac_event *event)
{
	/* a set that was reloaded is noticed before its event is counted */
	struct known_set *set = find_set(watch, event->set);
	enum threshold_result limited = limit(watch, set, event);

	if (limited == THRESHOLD_NO_EFFECT || limited == THRESHOLD_SILENT)
		event_fold_lost(watch->fold, event->lost);
	else
		event_fold_add(watch->fold, event);
	if (watch->nft && limited != THRESHOLD_NO_EFFECT)
		nft_sets_event(watch->nft, event);
}

static bool enough(const struct watch *watch)
{
	return watch->args->count && watch->printed >= watch->args->count;
}

/* Return: 1: go on, 0: leave, -1 after saying why. */
static int read_events(struct watch *watch)
{
	struct nfac_event events[EVENTS];
	ssize_t got = read(watch->device, events, sizeof(events));
	size_t i;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	if (got < 0)
		return complain_at(DEVICE_PATH, 0, "%s", device_strerror(errno));
	if (!got || got % sizeof(*events) || events[0].size != sizeof(*events))
		return complain_at(DEVICE_PATH, 0,
				   "events of another size: this nfac and the module are of different versions");
	for (i = 0; i < got / sizeof(*events) && !enough(watch); i++)
		on_event(watch, &events[i]);
	if (watch->nft) {
		nft_sets_flush(watch->nft);
		/* addresses reach the sets even where a full disk takes no events */
		event_flush("their sources are put into the nftables sets all the same");
	} else if (fflush(stdout)) {
		return 0;	/* finish_output() says why */
	}
	return !enough(watch);
}

/* Read the thresholds again; if they are refused the old ones stay. */
static void read_limits(struct watch *watch)
{
	struct threshold_config *limits = threshold_config_read(watch->reader->threshold_config);

	if (!limits) {
		complain("the thresholds stay as they are");
		return;
	}
	threshold_config_free(watch->limits);
	watch->limits = limits;
}

/* Return: 1: go on, 0: leave. */
static int on_signal(struct watch *watch)
{
	struct signalfd_siginfo info;

	if (read(watch->signals, &info, sizeof(info)) != sizeof(info))
		return 1;
	if (info.ssi_signo != SIGHUP)
		return 0;
	if (watch->reader->threshold_config)
		read_limits(watch);
	output_open(watch->reader->output);
	return 1;
}

static int loop(struct watch *watch)
{
	struct pollfd fds[] = {
		{ .fd = watch->signals, .events = POLLIN },
		{ .fd = watch->device, .events = POLLIN },
	};
	int go;

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return complain("poll: %s", strerror(errno));
		if (fds[1].revents & (POLLERR | POLLNVAL))
			return complain_at(DEVICE_PATH, 0, "the device is gone");
		/* print pending events before a signal ends the loop */
		if (fds[1].revents) {
			go = read_events(watch);
			if (go < 1)
				return go;
		}
		if (fds[0].revents && !on_signal(watch))
			return 0;
	}
}

/* Without a file the end of a terminal ends the watch, too. */
static int open_signals(const struct arguments *args)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (args->reader.output)
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int open_nft(struct watch *watch)
{
	int i;

	if (!watch->args->nft_count)
		return 0;
	/* the sets are filled on when the reader of the events ends */
	signal(SIGPIPE, SIG_IGN);
	watch->nft = nft_sets_new(watch->args->nft_timeout ?: NFT_TIMEOUT);
	if (!watch->nft)
		return -1;
	for (i = 0; i < watch->args->nft_count; i++)
		if (nft_sets_add(watch->nft, watch->args->nft_sets[i]))
			return -1;
	return 0;
}

static int run(struct watch *watch)
{
	int err = -1;

	watch->device = device_open();
	if (watch->device < 0)
		return -1;
	watch->signals = open_signals(watch->args);
	if (watch->signals < 0)
		complain("signalfd: %s", strerror(errno));
	else if (!open_nft(watch) && !device_subscribe(watch->device, watch->args->set))
		err = loop(watch);
	event_fold_flush(watch->fold, NULL);
	nft_sets_free(watch->nft);
	while (watch->sets) {
		struct known_set *next = watch->sets->next;

		forget(watch->sets);
		free(watch->sets);
		watch->sets = next;
	}
	if (watch->signals >= 0)
		close(watch->signals);
	close(watch->device);
	return err;
}

static int prepare(struct watch *watch)
{
	const struct arguments *args = watch->args;

	if (args->reader.threshold_config) {
		watch->limits = threshold_config_read(args->reader.threshold_config);
		if (!watch->limits)
			return -1;
	}
	if (output_open(args->reader.output))
		return -1;
	watch->fold = event_fold_new(args->reader.all_events, print, watch);
	return watch->fold ? 0 : -1;
}

int cmd_watch(int argc, char **argv)
{
	static const struct argp_child children[] = { { &reader_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "[NAME]",
		.doc = "Print the matches of all sets, or of one, as they happen, until interrupted.",
	};
	struct arguments args = { 0 };
	struct watch watch = { .args = &args, .reader = &args.reader };
	int err = -1;

	args.nft_sets = calloc(argc, sizeof(*args.nft_sets));
	if (!args.nft_sets) {
		complain("out of memory");
		return NFAC_EXIT_ERROR;
	}
	options_parse(&argp, argc, argv, &args);
	if ((!args.set || !set_name_check(args.set)) && !prepare(&watch))
		err = run(&watch);
	event_fold_free(watch.fold);
	threshold_config_free(watch.limits);
	free(args.nft_sets);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
