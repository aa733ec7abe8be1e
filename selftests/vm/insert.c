// SPDX-License-Identifier: GPL-2.0
/*
 * insert: the only process of a guest whose machine is another one than ours
 *
 * Inserts each module that /modules names, a line each with its parameters behind it, prints
 * KUnit's results, removes the module, and switches the guest off. It prints to the console, which
 * the kernel leaves to it meanwhile: "@ results SUITE" before a file of KUnit's, at last
 * "@ status N", which is 0 only if all modules came and went.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RESULTS		"/sys/kernel/debug/kunit"

/* Of syslog(2): what the kernel says stays in its buffer, or comes to the console again. */
#define CONSOLE_OFF	6
#define CONSOLE_ON	7

static int failed(const char *what)
{
	printf("@ %s: %s\n", what, strerror(errno));
	return 1;
}

static void tell(const char *suite)
{
	char path[512], line[1024];
	FILE *file;

	snprintf(path, sizeof(path), RESULTS "/%s/results", suite);
	file = fopen(path, "r");
	if (!file)
		return;
	printf("@ results %s\n", suite);
	while (fgets(line, sizeof(line), file))
		fputs(line, stdout);
	printf("@ end\n");
	fclose(file);
}

/* Results are there while their module is. */
static void tell_all(void)
{
	DIR *folder = opendir(RESULTS);
	struct dirent *entry;

	if (!folder)
		return;
	klogctl(CONSOLE_OFF, NULL, 0);
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			tell(entry->d_name);
	fflush(stdout);
	klogctl(CONSOLE_ON, NULL, 0);
	closedir(folder);
}

static int insert(const char *name, const char *parameters)
{
	char path[300];
	int fd, err;

	snprintf(path, sizeof(path), "/%s.ko", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return failed(path);
	err = syscall(SYS_finit_module, fd, parameters, 0);
	close(fd);
	if (err)
		return failed(name);
	tell_all();
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? failed(name) : 0;
}

static int mounts(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	if (mount("proc", "/proc", "proc", 0, NULL) || mount("sysfs", "/sys", "sysfs", 0, NULL) ||
	    mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL))
		return failed("mount");
	return 0;
}

int main(void)
{
	int status = mounts();
	char line[300], *parameters;
	FILE *modules = fopen("/modules", "r");

	if (!modules)
		status = failed("/modules");
	while (modules && fgets(line, sizeof(line), modules)) {
		line[strcspn(line, "\n")] = 0;
		parameters = line + strcspn(line, " ");
		if (*parameters)
			*parameters++ = 0;
		status |= insert(line, parameters);
	}
	printf("@ status %d\n", status);
	fflush(stdout);
	reboot(RB_POWER_OFF);
	return status;
}
