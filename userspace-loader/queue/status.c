// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends of a queue's status socket: nfac queue answers, nfac stats reads.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/message.h"
#include "common/run_folder.h"
#include "status.h"

#define NAME_BEGIN	"queue-"
#define NAME_FORM	NAME_BEGIN "%u-%u.sock%n"
/* Readers that may wait for one burst of packets. */
#define READERS		16
/* A queue that reads its set anew answers afterwards. */
#define ANSWER_SECONDS	5
#define ANSWER_MAX	65536u

/* Is it a queue's socket? */
static bool is_socket(const char *name, unsigned int *number, unsigned int *pid)
{
	int length = 0;

	return sscanf(name, NAME_FORM, number, pid, &length) == 2 && length && !name[length];
}

static bool set_address(struct sockaddr_un *to, const char *path)
{
	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	return snprintf(to->sun_path, sizeof(to->sun_path), "%s", path) < (int)sizeof(to->sun_path);
}

/* Return: a socket, -1 with errno: ECONNREFUSED if its process is gone. */
static int connect_to(const char *path)
{
	const struct timeval patience = { .tv_sec = ANSWER_SECONDS };
	struct sockaddr_un address;
	int fd;

	if (!set_address(&address, path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	/* the time for sending is also that for connecting */
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
	    !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) &&
	    !connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

/* Remove the sockets of processes that were killed. */
static void remove_stale(const char *folder)
{
	char path[RUN_FOLDER_ROOM + NAME_MAX + 2];
	unsigned int number, pid;
	struct dirent *entry;
	DIR *list = opendir(folder);
	int fd;

	while (list && (entry = readdir(list))) {
		if (!is_socket(entry->d_name, &number, &pid))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		fd = connect_to(path);
		if (fd >= 0)
			close(fd);
		else if (errno == ECONNREFUSED)
			unlink(path);
	}
	if (list)
		closedir(list);
}

static int listen_at(const char *path)
{
	struct sockaddr_un address;
	int fd = -1, err;
	mode_t mask;

	if (!set_address(&address, path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	mask = umask(0177);
	err = bind(fd, (const struct sockaddr *)&address, sizeof(address));
	umask(mask);
	if (!err && !listen(fd, READERS))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

void queue_status_open(struct queue_status *status, uint16_t number)
{
	char folder[RUN_FOLDER_ROOM];

	run_folder(folder);
	snprintf(status->path, sizeof(status->path), "%s/" NAME_BEGIN "%u-%u.sock", folder, number,
		 (unsigned int)getpid());
	status->fd = -1;
	if (!run_folder_make(folder)) {
		remove_stale(folder);
		status->fd = listen_at(status->path);
	}
	if (status->fd < 0)
		complain_at(status->path, 0, "%s; nfac stats will not show this queue",
			    strerror(errno));
}

void queue_status_answer(const struct queue_status *status, const char *line)
{
	int fd = accept4(status->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	/* a reader that is gone, or does not read, misses the answer */
	if (fd < 0)
		return;
	if (line && send(fd, line, strlen(line), MSG_NOSIGNAL) < 0)
		shutdown(fd, SHUT_RDWR);
	close(fd);
}

void queue_status_close(struct queue_status *status)
{
	if (status->fd < 0)
		return;
	unlink(status->path);
	close(status->fd);
	status->fd = -1;
	run_folder_drop();
}

/* What a queue answers. Return: NULL: nothing, after saying why unless its process is gone. */
static json_t *ask(const char *path)
{
	char *answer = malloc(ANSWER_MAX);
	size_t length = 0;
	json_t *status = NULL;
	ssize_t got = 0;
	int fd;

	if (!answer)
		return NULL;
	fd = connect_to(path);
	if (fd < 0 && errno != ECONNREFUSED && errno != ENOENT)
		complain_at(path, 0, "%s", strerror(errno));
	while (fd >= 0 && length < ANSWER_MAX) {
		got = recv(fd, answer + length, ANSWER_MAX - length, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += got;
	}
	if (fd >= 0) {
		status = got < 0 ? NULL : json_loadb(answer, length, 0, NULL);
		if (!status)
			complain_at(path, 0, "the queue does not answer");
		close(fd);
	}
	free(answer);
	return status;
}

static json_int_t number_of(const json_t *status)
{
	return json_integer_value(json_object_get(status, "queue"));
}

/* By number, and then by process. */
static int insert(json_t *statuses, json_t *status)
{
	size_t at = json_array_size(statuses);
	const json_t *before;

	for (; at; at--) {
		before = json_array_get(statuses, at - 1);
		if (number_of(before) <= number_of(status))
			break;
	}
	return json_array_insert_new(statuses, at, status);
}

json_t *queue_status_read(void)
{
	char folder[RUN_FOLDER_ROOM], path[RUN_FOLDER_ROOM + NAME_MAX + 2];
	const json_int_t netns = run_folder_netns();
	json_t *statuses = json_array(), *status;
	unsigned int number, pid;
	struct dirent *entry;
	DIR *list;

	run_folder(folder);
	/* of a folder that is another user's nothing is known, and statistics are for all users */
	list = opendir(folder);
	while (statuses && list && (entry = readdir(list))) {
		if (!is_socket(entry->d_name, &number, &pid))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		status = ask(path);
		if (!status)
			continue;
		/* one folder may serve several namespaces */
		if (json_integer_value(json_object_get(status, "netns")) != netns) {
			json_decref(status);
			continue;
		}
		json_object_del(status, "netns");
		insert(statuses, status);
	}
	if (list)
		closedir(list);
	return statuses;
}
