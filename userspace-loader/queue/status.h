/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Status of a running queue: the socket by which `nfac stats` reads its counters.
 *
 * The socket is queue-NUMBER-PID.sock in the run folder (run_folder.h), mode 0600. A connection
 * receives one JSON object and its end. What the kernel's buffer does not take at once is cut, so
 * a reader never delays a packet.
 */
#ifndef _NFAC_QUEUE_STATUS_H
#define _NFAC_QUEUE_STATUS_H

#include <jansson.h>
#include <stdint.h>

#define QUEUE_STATUS_ROOM	200

/**
 * struct queue_status - the socket of one process
 * @fd: listens; -1: there is none
 * @path: of the socket
 */
struct queue_status {
	int fd;
	char path[QUEUE_STATUS_ROOM];
};

/*
 * Listen, for the queue @number, and remove sockets of processes that were killed. Where that is
 * not possible, as without a writable /run, one message says so.
 */
void queue_status_open(struct queue_status *status, uint16_t number);

/* Answer a connection. @line: NULL without memory; the reader then has no answer */
void queue_status_answer(const struct queue_status *status, const char *line);
void queue_status_close(struct queue_status *status);

/*
 * Return: what the queues of this network namespace answer, an array of objects in the order of
 * their numbers; empty where there are none, NULL without memory. A queue that is busy for seconds
 * is named in a message and left out.
 */
json_t *queue_status_read(void);

#endif /* _NFAC_QUEUE_STATUS_H */
