/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of running queues (`nfac queue`), as text: a table for people, JSON, and Prometheus'
 * text format. Each prints to stdout; @name: queues with this set alone, NULL: all.
 */
#ifndef _NFAC_STATS_QUEUE_H
#define _NFAC_STATS_QUEUE_H

#include <jansson.h>
#include <stdbool.h>

/* @queues: what queue_status_read() returned. Has any of them the set @name? */
bool stats_queue_has(const json_t *queues, const char *name);

void stats_queue_table(const json_t *queues, const char *name);
/* A line for each queue. */
void stats_queue_json(const json_t *queues, const char *name);
/* The metrics' names never change; new ones may come. */
void stats_queue_prometheus(const json_t *queues, const char *name);

#endif /* _NFAC_STATS_QUEUE_H */
