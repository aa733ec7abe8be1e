// SPDX-License-Identifier: GPL-2.0
/*
 * netns: what `ip netns exec` does, at a third of its cost
 *
 *   netns keep NAME           remember NAME's mounts; netns forget NAME: no more
 *   netns exec NAME CMD...    run CMD in the network namespace NAME
 *
 * Where a process costs 40 ms (under an emulator, on user-mode Linux), ip(8) takes as
 * long again: its libraries, a mount namespace for each command, a sysfs of its own.
 * Here that mount namespace is made once and entered. Static, for the same reason.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NETS	"/run/netns"
#define MOUNTS	"/run/netns-mounts"

static void enter(const char *folder, const char *name, int type)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", path);
	if (setns(fd, type))
		err(1, "setns: %s", path);
	close(fd);
}

/* As ip(8): the namespace's own sysfs, and mounts come in but do not go out. */
static void own_mounts(const char *name)
{
	enter(NETS, name, CLONE_NEWNET);
	if (unshare(CLONE_NEWNS) || mount("", "/", "none", MS_SLAVE | MS_REC, NULL))
		err(1, "mounts of its own");
	umount2("/sys", MNT_DETACH);
	if (mount(name, "/sys", "sysfs", 0, NULL))
		err(1, "/sys");
}

/* The folder must not be shared: a mount namespace cannot be mounted into itself. */
static void folder(void)
{
	if (!mkdir(MOUNTS, 0755) &&
	    (mount(MOUNTS, MOUNTS, "none", MS_BIND, NULL) ||
	     mount("", MOUNTS, "none", MS_PRIVATE, NULL)))
		err(1, "%s", MOUNTS);
}

static void keep(const char *name)
{
	char path[256], from[64];
	int up[2], down[2], fd;
	pid_t child;
	char c;

	folder();
	snprintf(path, sizeof(path), "%s/%s", MOUNTS, name);
	fd = open(path, O_WRONLY | O_CREAT, 0444);
	if (fd < 0 || pipe(up) || pipe(down))
		err(1, "%s", path);
	close(fd);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		close(down[1]);
		own_mounts(name);
		if (write(up[1], "", 1) != 1)
			err(1, "pipe");
		/* lives until it has been mounted */
		_exit(read(down[0], &c, 1) != 0);
	}
	close(up[1]);
	snprintf(from, sizeof(from), "/proc/%d/ns/mnt", child);
	if (read(up[0], &c, 1) != 1 || mount(from, path, "none", MS_BIND, NULL)) {
		unlink(path);
		errx(1, "%s: no mounts of its own", name);
	}
	close(down[1]);
	waitpid(child, NULL, 0);
}

static void forget(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", MOUNTS, name);
	if (umount2(path, MNT_DETACH) || unlink(path))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "keep")) {
		keep(argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "forget")) {
		forget(argv[2]);
	} else if (argc > 3 && !strcmp(argv[1], "exec")) {
		char *folder = getcwd(NULL, 0);

		enter(NETS, argv[2], CLONE_NEWNET);
		enter(MOUNTS, argv[2], CLONE_NEWNS);
		/* which the mounts' own root has become */
		if (!folder || chdir(folder))
			err(1, "%s", folder ? folder : "the folder");
		execvp(argv[3], argv + 3);
		err(126, "%s", argv[3]);
	} else {
		errx(2, "usage: netns {keep|forget} NAME | netns exec NAME CMD...");
	}
	return 0;
}
