// SPDX-License-Identifier: GPL-2.0
/*
 * Standard output as a file that is opened again when it was renamed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "output.h"

int output_open(const char *name)
{
	int fd, err = 0;

	if (!name)
		return 0;
	/* a line that was begun ends in the file that has its beginning */
	fflush(stdout);
	fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
	if (fd < 0)
		return complain_at(name, 0, "%s", strerror(errno));
	if (dup2(fd, STDOUT_FILENO) < 0)
		err = complain_at(name, 0, "%s", strerror(errno));
	close(fd);
	return err;
}
