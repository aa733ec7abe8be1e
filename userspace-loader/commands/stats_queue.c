// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of running queues as a table, as JSON, and as metrics; queue/status.c reads them from
 * the queues' sockets.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/human.h"
#include "stats_format.h"
#include "stats_queue.h"

#define LABEL_ROOM	44

/* A counter of the queue's that is a metric. @metric: without its prefix; @counter: else a gauge */
struct queue_metric {
	const char *member, *metric;
	bool counter;
	const char *help;
};

static const struct queue_metric metrics[] = {
	{ "generation", "generation", false, "Loads of the queue's set" },
	{ "packets", "packets_total", true, "Packets inspected" },
	{ "bytes", "scanned_bytes_total", true, "Payload bytes inspected" },
	{ "matches", "matches_total", true, "Matches" },
	{ "matched_packets", "matched_packets_total", true, "Packets with a match" },
	{ "dropped_packets", "dropped_packets_total", true, "Packets dropped because of a match" },
	{ "flows", "flows", false, "Directions of TCP connections that are followed" },
	{ "flow_evictions", "flow_evictions_total", true, "Flows given up for others" },
	{ "flow_restarts", "flow_restarts_total", true, "Flows begun anew by load or late SYN" },
	{ "retransmitted_bytes", "retransmitted_bytes_total", true, "Bytes not scanned again" },
	{ "queue_dropped", "full_dropped_packets_total", true, "Packets lost: the queue was full" },
	{ "user_dropped", "socket_dropped_packets_total", true,
	  "Packets lost: the socket's buffer was full" },
	{ "overruns", "overruns_total", true, "Times that packets were lost" },
	{ "without_connection", "without_connection_total", true,
	  "Packets with a match and without a connection to mark" },
};

static const char *text_of(const json_t *queue, const char *member)
{
	const char *text = json_string_value(json_object_get(queue, member));

	return text ? text : "?";
}

static uint64_t count_of(const json_t *queue, const char *member)
{
	return json_integer_value(json_object_get(queue, member));
}

static bool is_wanted(const json_t *queue, const char *name)
{
	return !name || !strcmp(text_of(queue, "set"), name);
}

/* "3", or "3-6" of a process with several queues. */
static const char *numbers(char *to, const json_t *queue)
{
	uint64_t first = count_of(queue, "queue"), last = count_of(queue, "last_queue");

	if (last > first)
		snprintf(to, LABEL_ROOM, "%" PRIu64 "-%" PRIu64, first, last);
	else
		snprintf(to, LABEL_ROOM, "%" PRIu64, first);
	return to;
}

bool stats_queue_has(const json_t *queues, const char *name)
{
	const json_t *queue;
	size_t i;

	json_array_foreach(queues, i, queue)
		if (is_wanted(queue, name))
			return true;
	return false;
}

static void queue_rows(const json_t *queue)
{
	struct human packets, matches, matched, bytes, dropped, lost;
	const uint64_t full = count_of(queue, "queue_dropped") + count_of(queue, "user_dropped");
	char label[LABEL_ROOM];
	const char *member;
	json_t *value;

	printf("%-12s %-16s %9s %9s %9s %10s %9s %9s\n", numbers(label, queue),
	       text_of(queue, "set"), human_count(&packets, count_of(queue, "packets")),
	       human_count(&matches, count_of(queue, "matches")),
	       human_count(&matched, count_of(queue, "matched_packets")),
	       human_size(&bytes, count_of(queue, "bytes")),
	       human_count(&dropped, count_of(queue, "dropped_packets")),
	       human_count(&lost, full));
	if (count_of(queue, "flows"))
		printf("     following %s flows, %s given up for others\n",
		       human_count(&packets, count_of(queue, "flows")),
		       human_count(&matches, count_of(queue, "flow_evictions")));
	json_object_foreach((json_t *)queue, member, value)
		if (!strncmp(member, STATS_SKIPPED, strlen(STATS_SKIPPED)) &&
		    json_integer_value(value))
			printf("     not inspected, %s: %s\n", member + strlen(STATS_SKIPPED),
			       human_count(&packets, json_integer_value(value)));
}

void stats_queue_table(const json_t *queues, const char *name)
{
	const json_t *queue;
	size_t i;

	if (!stats_queue_has(queues, name))
		return;
	printf("%-12s %-16s %9s %9s %9s %10s %9s %9s\n", "QUEUE", "SET", "PACKETS", "MATCHES",
	       "MATCHED", "SCANNED", "DROPPED", "LOST");
	json_array_foreach(queues, i, queue)
		if (is_wanted(queue, name))
			queue_rows(queue);
}

void stats_queue_json(const json_t *queues, const char *name)
{
	json_t *queue;
	size_t i;

	json_array_foreach(queues, i, queue) {
		if (!is_wanted(queue, name))
			continue;
		json_dumpf(queue, stdout, JSON_COMPACT);
		putchar('\n');
	}
}

static void labels(const json_t *queue)
{
	char label[LABEL_ROOM];

	stats_label("set", text_of(queue, "set"));
	printf(",queue=\"%s\"", numbers(label, queue));
}

static void metric_head(const char *metric, bool counter, const char *help)
{
	printf("# HELP nfac_queue_%s %s\n# TYPE nfac_queue_%s %s\n", metric, help, metric,
	       counter ? "counter" : "gauge");
}

static void metric_lines(const json_t *queues, const char *name, const struct queue_metric *metric)
{
	const json_t *queue;
	size_t i;

	metric_head(metric->metric, metric->counter, metric->help);
	json_array_foreach(queues, i, queue) {
		if (!is_wanted(queue, name) || !json_object_get(queue, metric->member))
			continue;
		printf("nfac_queue_%s{", metric->metric);
		labels(queue);
		printf("} %" PRIu64 "\n", count_of(queue, metric->member));
	}
}

static void skipped_lines(const json_t *queue)
{
	const char *member;
	json_t *value;

	json_object_foreach((json_t *)queue, member, value) {
		if (strncmp(member, STATS_SKIPPED, strlen(STATS_SKIPPED)))
			continue;
		printf("nfac_queue_skipped_packets_total{");
		labels(queue);
		printf(",reason=\"%s\"} %" PRIu64 "\n", member + strlen(STATS_SKIPPED),
		       (uint64_t)json_integer_value(value));
	}
}

void stats_queue_prometheus(const json_t *queues, const char *name)
{
	const json_t *queue;
	size_t i;

	if (!stats_queue_has(queues, name))
		return;
	for (i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		metric_lines(queues, name, &metrics[i]);
	metric_head("skipped_packets_total", true, "Packets not inspected, or in part only");
	json_array_foreach(queues, i, queue)
		if (is_wanted(queue, name))
			skipped_lines(queue);
}
