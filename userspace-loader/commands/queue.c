// SPDX-License-Identifier: GPL-2.0
/*
 * nfac queue: the module's work in user space, on packets from NFQUEUE, for machines where
 * no module may be loaded.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach_options.h"
#include "commands.h"
#include "common/confirm.h"
#include "common/device.h"
#include "common/human.h"
#include "events/fold.h"
#include "events/output.h"
#include "events/text.h"
#include "capture/inspect.h"
#include "common/message.h"
#include "common/options.h"
#include "common/pattern_text.h"
#include "common/run_folder.h"
#include "capture/payload.h"
#include "queue/socket.h"
#include "queue/status.h"
#include "reader_options.h"
#include "common/set_source.h"
#include "common/threshold_config.h"
#include "stream_options.h"

enum {
	OPTION_NUM = OPTION_KEYS, OPTION_FAIL_OPEN, OPTION_NAME, OPTION_LENGTH, OPTION_CONFIRM,
};

static const struct argp_option option_table[] = {
	{ "num", OPTION_NUM, "N[-M]", 0, "Number of the queue, or of several", 0 },
	{ "fail-open", OPTION_FAIL_OPEN, NULL, 0,
	  "Packets pass when the queue is full, instead of being dropped", 0 },
	{ "length", OPTION_LENGTH, "N", 0, "Packets that may wait in a queue, default 8192", 0 },
	{ "name", OPTION_NAME, "NAME", 0, "The set's name in events, default the file's", 0 },
	{ "confirm", OPTION_CONFIRM, NULL, 0,
	  "Check conditions of rules that the kernel cannot, too: pcre", 0 },
	{ 0 }
};

struct arguments {
	struct attach_options attach;
	struct format_options format;
	struct queue_options queue;
	struct reader_options reader;
	const char *name;
	struct stream_options stream;
	bool num, confirm;
	uint32_t once;
	char **files;
	int count;
};

static void parse_num(struct argp_state *state, struct queue_options *queue, const char *text)
{
	const char *dash = strchr(text, '-');
	char *first = strndup(text, dash ? (size_t)(dash - text) : strlen(text));
	uint64_t low = 0, high = 0;

	if (!first || parse_number(first, 0, 65535, &low) ||
	    parse_number(dash ? dash + 1 : first, low, 65535, &high) ||
	    high - low >= QUEUES_MAX)
		argp_error(state, "--num %s: not a queue's number (0 to 65535), nor a range of up to %d",
			   text, QUEUES_MAX);
	free(first);
	queue->first = low;
	queue->last = high;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	if (option_once(option_table, key, &args->once))
		exit(NFAC_EXIT_ERROR);
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->attach;
		state->child_inputs[1] = &args->format;
		state->child_inputs[2] = &args->stream;
		state->child_inputs[3] = &args->reader;
		break;
	case OPTION_NUM:
		parse_num(state, &args->queue, arg);
		args->num = true;
		break;
	case OPTION_FAIL_OPEN:
		args->queue.fail_open = true;
		break;
	case OPTION_CONFIRM:
		args->confirm = true;
		break;
	case OPTION_LENGTH:
		args->queue.length = parse_limit(state, "--length", arg, 1, 1 << 24);
		break;
	case OPTION_NAME:
		args->name = arg;
		break;
	case ARGP_KEY_ARGS:
		args->files = state->argv + state->next;
		args->count = state->argc - state->next;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no set given");
		break;
	case ARGP_KEY_END:
		if (!args->num)
			argp_error(state, "--num says which queue");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The file's name without directory and suffix, as far as it can be a set's name. */
static void default_name(char *name, const char *file)
{
	const char *slash = strrchr(file, '/');
	size_t i, length;

	file = slash ? slash + 1 : file;
	length = strcspn(file, ".");
	for (i = 0; i < length && i < NFAC_NAME_LEN - 1; i++)
		name[i] = file[i] > ' ' && file[i] <= '~' ? file[i] : '_';
	name[i] = 0;
	if (!i || !strcmp(name, "-"))
		strcpy(name, "queue");
}

/*
 * @packet: the packet under inspection, as of struct nfac_event
 * @payload: its payload; NULL: none is under inspection
 */
struct printing {
	struct pattern_texts *texts;
	struct event_fold *fold;
	enum event_format format;
	uint64_t packet;
	const struct payload *payload;
};

/* Folded events are printed later than their packet, whose payload is gone then. */
static void print(void *context, const struct nfac_event *event, uint64_t folded)
{
	const struct printing *printing = context;
	const struct pattern_text *text = pattern_text(printing->texts, event->pattern);

	if (printing->format == EVENT_EVE)
		event_print_eve(stdout, event, text, folded,
				event->packet == printing->packet ? printing->payload : NULL);
	else
		event_print(stdout, event, text, folded, printing->format);
}

static void on_event(void *context, const struct nfac_event *event, const struct payload *payload)
{
	struct printing *printing = context;

	printing->packet = event->packet;
	printing->payload = payload;
	event_fold_add(printing->fold, event);
	printing->payload = NULL;
}

static void add_count(json_t *counts, const char *name, uint64_t value)
{
	json_object_set_new(counts, name, json_integer(value));
}

/* All counts, in the order in which they are printed. Return: freed by the caller. */
static json_t *statistics(const struct inspector *in, const struct queue_counts *queue)
{
	struct stream_count streams[STREAM_COUNTS];
	json_t *counts = json_object();
	char name[40];
	int i;

	add_count(counts, "generation", in->generation);
	add_count(counts, "packets", in->packets);
	add_count(counts, "bytes", in->bytes);
	add_count(counts, "matches", in->matches);
	add_count(counts, "matched_packets", in->matched_packets);
	add_count(counts, "dropped_packets", in->dropped_packets);
	if (in->streams) {
		streams_counts(in->streams, streams);
		for (i = 0; i < STREAM_COUNTS; i++)
			add_count(counts, streams[i].name, streams[i].value);
	}
	for (i = 0; i < NFAC_SKIP_MAX; i++) {
		snprintf(name, sizeof(name), "skipped_%s", skip_name(i));
		add_count(counts, name, in->skipped[i]);
	}
	add_count(counts, "queue_dropped", queue->queue_dropped);
	add_count(counts, "user_dropped", queue->user_dropped);
	add_count(counts, "overruns", queue->overruns);
	add_count(counts, "without_connection", queue->without_connection);
	return counts;
}

/* What SIGHUP replaces, and the socket for `nfac stats`. On run()'s stack. */
struct running {
	const struct arguments *args;
	struct set_source *set;
	struct inspector *inspector;
	struct printing *printing;
	struct queue_status status;
	double began;
};

/* What Suricata's schema has of the counters. */
static void print_eve_statistics(const struct running *r, const struct queue_counts *queue)
{
	const struct inspector *in = r->inspector;
	struct timespec now;
	char when[40];
	json_t *eve;

	clock_gettime(CLOCK_REALTIME, &now);
	event_time(when, sizeof(when) - 5, now.tv_sec * 1000000000ull + now.tv_nsec, 'T');
	strcat(when, "+0000");
	eve = json_pack("{s:s,s:s,s:{s:I,s:{s:I},s:{s:I},s:{s:I},s:{s:I,s:I}}}",
			"timestamp", when, "event_type", "stats",
			"stats", "uptime", (json_int_t)(clock_seconds() - r->began),
			"capture", "kernel_drops",
			(json_int_t)(queue->queue_dropped + queue->user_dropped),
			"decoder", "pkts", (json_int_t)in->packets,
			"detect", "alert", (json_int_t)in->matches,
			"ips", "accepted", (json_int_t)(in->packets - in->dropped_packets),
			"blocked", (json_int_t)in->dropped_packets);
	json_print(stdout, eve);
}

/* JSON to stdout, among the events, where EVE has no more than a part; text to stderr. */
static void print_statistics(const struct running *r, const struct queue_counts *queue)
{
	json_t *counts = statistics(r->inspector, queue), *object, *value;
	const enum event_format format = r->printing->format;
	const char *name;

	if (format == EVENT_EVE)
		print_eve_statistics(r, queue);
	if (format == EVENT_JSON) {
		object = json_pack("{s:s,s:o}", "type", "stats",
				   "set", json_text(r->inspector->want.name));
		json_object_update(object, counts);
		json_print(stdout, object);
	} else {
		json_object_foreach(counts, name, value)
			fprintf(stderr, "%s %" JSON_INTEGER_FORMAT "\n", name,
				json_integer_value(value));
	}
	json_decref(counts);
}

/* Rules in a stream need windows. Return: 0; -1 after saying why. */
static int prepare_windows(const struct inspector *inspector, const struct set_source *set)
{
	if (!inspector->streams || !nfac_automaton_confirms(nfac_image_automaton(set->image)))
		return 0;
	return streams_windows(inspector->streams, NFAC_WINDOW_DEFAULT);
}

/* Read the set from its files again; if it is refused the old one stays in force. */
static void reload(void *context)
{
	struct running *r = context;
	const struct arguments *args = r->args;
	struct set_source fresh = { 0 };
	struct threshold_config *limits = NULL;
	struct confirm *confirm = NULL;
	bool bad;

	output_open(args->reader.output);
	bad = set_source_any(&fresh, &args->format, args->files, args->count) ||
	      set_source_bind(&fresh, args->files[0]);
	bad = bad || prepare_windows(r->inspector, &fresh);
	if (!bad && args->reader.threshold_config) {
		limits = threshold_config_read(args->reader.threshold_config);
		bad = !limits;
	}
	if (!bad && args->confirm) {
		confirm = confirm_new(fresh.image);
		bad = !confirm;
	}
	if (bad) {
		threshold_config_free(limits);
		set_source_close(&fresh);
		complain("set '%s' stays as it is, generation %u", r->inspector->want.name,
			 r->inspector->generation);
		return;
	}
	/* what was counted is of the patterns so far */
	event_fold_flush(r->printing->fold, NULL);
	pattern_texts_free(r->printing->texts);
	set_source_close(r->set);
	*r->set = fresh;
	r->printing->texts = pattern_texts_new(fresh.image);
	confirm_free(r->inspector->confirm);
	r->inspector->confirm = confirm;
	threshold_config_free(r->inspector->limits);
	r->inspector->limits = limits;
	r->inspector->texts = r->printing->texts;
	r->inspector->automaton = nfac_image_automaton(fresh.image);
	r->inspector->generation++;
	fprintf(stderr, "set '%s' loaded, generation %u\n", r->inspector->want.name,
		r->inspector->generation);
}

/* SIGUSR1: the statistics so far, as at the end. */
static void status(void *context, const struct queue_counts *counts)
{
	struct running *r = context;

	print_statistics(r, counts);
	fflush(stdout);
}

/* A process that connected to the socket. */
static void answer(void *context, const struct queue_counts *counts)
{
	const struct running *r = context;
	const struct queue_options *queue = &r->args->queue;
	json_t *counters = statistics(r->inspector, counts), *object;
	char *line;

	object = json_pack("{s:I,s:i,s:i,s:i,s:o}", "netns", (json_int_t)run_folder_netns(),
			   "queue", queue->first, "last_queue", queue->last, "pid", (int)getpid(),
			   "set", json_text(r->inspector->want.name));
	json_object_update(object, counters);
	json_decref(counters);
	line = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	queue_status_answer(&r->status, line);
	free(line);
}

/* What the options ask for. Return: 0; -1 after saying why; release() frees what there is. */
static int prepare(const struct arguments *args, struct set_source *set,
		   struct inspector *inspector, struct printing *printing)
{
	if (inspector_init(inspector) || output_open(args->reader.output))
		return -1;
	if (args->attach.attach.flags & NFAC_ATTACH_STREAM) {
		inspector->streams = streams_new(args->stream.places, args->stream.idle);
		if (!inspector->streams || prepare_windows(inspector, set))
			return -1;
	}
	if (args->confirm) {
		inspector->confirm = confirm_new(set->image);
		if (!inspector->confirm)
			return -1;
	}
	if (args->reader.threshold_config) {
		inspector->limits = threshold_config_read(args->reader.threshold_config);
		if (!inspector->limits)
			return -1;
	}
	printing->fold = event_fold_new(args->reader.all_events, print, printing);
	if (!printing->fold)
		return -1;
	printing->texts = pattern_texts_new(set->image);
	inspector->texts = printing->texts;
	return 0;
}

static void release(struct inspector *inspector, struct printing *printing)
{
	pattern_texts_free(printing->texts);
	event_fold_free(printing->fold);
	streams_free(inspector->streams);
	confirm_free(inspector->confirm);
	threshold_config_free(inspector->limits);
	inspector_free(inspector);
}

static int run(struct arguments *args, struct set_source *set)
{
	struct printing printing = { .format = args->reader.format };
	struct queue_counts counts = { 0 };
	struct inspector inspector = {
		.automaton = nfac_image_automaton(set->image),
		.generation = 1,
		.path = nfac_path_best(),
		.want = args->attach.attach,
		.found = on_event,
		.context = &printing,
	};
	struct running running = {
		.args = args,
		.set = set,
		.inspector = &inspector,
		.printing = &printing,
		.status.fd = -1,
		.began = clock_seconds(),
	};
	int err = prepare(args, set, &inspector, &printing);

	if (!err) {
		args->queue.reload = reload;
		args->queue.status = status;
		args->queue.answer = answer;
		queue_status_open(&running.status, args->queue.first);
		args->queue.readers = running.status.fd;
		args->queue.context = &running;
		err = queue_run(&args->queue, &inspector, &counts);
		queue_status_close(&running.status);
		event_fold_flush(printing.fold, NULL);
		if (!err)
			print_statistics(&running, &counts);
	}
	release(&inspector, &printing);
	return err;
}

static int check(struct arguments *args)
{
	struct nfac_ioc_attach *attach = &args->attach.attach;

	if (stream_check(&args->stream, attach->flags & NFAC_ATTACH_STREAM))
		return -1;
	if (args->name && set_name_check(args->name))
		return -1;
	/* the hook is the rule's, so no interface can be wrong for it */
	attach->hook = NFAC_HOOK_FORWARD;
	if (attach_check(&args->attach))
		return -1;
	if (args->name)
		strcpy(attach->name, args->name);
	else
		default_name(attach->name, args->files[0]);
	args->queue.conntrack = attach->flags & (NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL);
	/* the kernel puts together what it knows of a connection for each packet */
	args->queue.connections = args->confirm;
	attach->id = args->queue.first;
	return 0;
}

int cmd_queue(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &attach_argp, 0, NULL, 0 },
		{ &format_argp, 0, NULL, 0 },
		{ &stream_argp, 0, NULL, 0 },
		{ &reader_argp, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "SET.nfac|FILE...",
		.doc = "Inspect the packets that a rule of nftables or iptables sends to a queue, without the module: same matches, same actions, same events, until interrupted.",
		.children = children,
	};
	struct arguments args = { .queue.length = 8192 };
	struct set_source set;
	int err;

	attach_defaults(&args.attach);
	stream_defaults(&args.stream);
	options_parse(&argp, argc, argv, &args);
	if (check(&args) || set_source_any(&set, &args.format, args.files, args.count))
		return NFAC_EXIT_ERROR;
	err = set_source_bind(&set, args.files[0]) || run(&args, &set);
	set_source_close(&set);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
