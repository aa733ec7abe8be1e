// SPDX-License-Identifier: GPL-2.0
/*
 * Entering a network namespace, with a /sys that shows its interfaces, as `ip netns exec` does.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "message.h"
#include "netns.h"

/* Files under /sys are those of the namespace that it was mounted in. As ip(8) does it. */
static int mount_sysfs(void)
{
	if (unshare(CLONE_NEWNS) || mount("", "/", "none", MS_SLAVE | MS_REC, NULL))
		return -1;
	umount2("/sys", MNT_DETACH);
	return mount("nfac", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

int netns_enter(const char *name)
{
	char path[PATH_MAX];
	int fd, err;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return complain("'%s' is no name of a network namespace", name);
	if (snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : NETNS_DIR "/", name) >=
	    (int)sizeof(path))
		return complain("the network namespace's name is too long");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return complain("no network namespace '%s'; `ip netns` lists them", name);
	if (fd < 0)
		return complain_at(path, 0, "%s", strerror(errno));
	err = setns(fd, CLONE_NEWNET);
	if (err)
		complain("network namespace '%s': %s", name, strerror(errno));
	close(fd);
	if (!err && mount_sysfs())
		err = complain("network namespace '%s': cannot mount its /sys: %s", name,
			       strerror(errno));
	return err;
}
