/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queue socket: receives packets from NFQUEUE and sends verdicts.
 */
#ifndef _NFAC_QUEUE_SOCKET_H
#define _NFAC_QUEUE_SOCKET_H

#include "capture/inspect.h"

#define QUEUES_MAX	64

struct queue_counts;

/**
 * struct queue_options - the queues to bind to
 * @first: lowest number
 * @last: highest
 * @length: packets that may wait in each
 * @fail_open: packets pass when a queue is full
 * @conntrack: verdicts set marks or labels of connections
 * @connections: rules ask for a connection's direction and state, where the kernel knows it
 * @reload: called for each SIGHUP, between two packets
 * @status: called for each SIGUSR1, with the counts so far
 * @answer: called when @readers, a socket, has a connection, with the counts so far; -1: none
 * @context: for @reload, @status and @answer
 */
struct queue_options {
	uint16_t first, last;
	uint32_t length;
	bool fail_open, conntrack, connections;
	void (*reload)(void *context);
	void (*status)(void *context, const struct queue_counts *counts);
	void (*answer)(void *context, const struct queue_counts *counts);
	int readers;
	void *context;
};

/**
 * struct queue_counts - packets that did not reach the inspector or their connection
 * @queue_dropped: the queue was full
 * @user_dropped: the socket's buffer was full
 * @overruns: ENOBUFS errors of the socket
 * @without_connection: packets that matched but had no connection to be marked
 */
struct queue_counts {
	uint64_t queue_dropped, user_dropped, overruns, without_connection;
};

/**
 * queue_run() - inspect packets until SIGINT or SIGTERM
 *
 * Prints what the inspector's callback prints, flushed whenever nothing waits.
 *
 * Return: 0; -1 after saying why.
 */
int queue_run(const struct queue_options *options, struct inspector *inspector,
	      struct queue_counts *counts);

#endif /* _NFAC_QUEUE_SOCKET_H */
