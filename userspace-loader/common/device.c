// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to /dev/nfac that several commands make, with the words for each error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "helper_users.h"
#include "message.h"

const char *const hook_names[] = {
	[NFAC_HOOK_PREROUTING] = "prerouting",
	[NFAC_HOOK_INPUT] = "input",
	[NFAC_HOOK_FORWARD] = "forward",
	[NFAC_HOOK_OUTPUT] = "output",
	[NFAC_HOOK_POSTROUTING] = "postrouting",
	[NFAC_HOOK_INGRESS] = "ingress",
	[NFAC_HOOK_EGRESS] = "egress",
	[NFAC_HOOK_XDP] = "xdp",
	[NFAC_HOOK_TC] = "tc",
	NULL
};

const char *hook_name(unsigned int hook)
{
	return hook <= NFAC_HOOK_TC ? hook_names[hook] : "?";
}

const char *device_strerror(int err)
{
	return err == EPERM ?
	       "operation not permitted: it takes CAP_NET_ADMIN over this network namespace" :
	       strerror(err);
}

int device_set_error(const char *name, int err)
{
	if (err == ENOENT)
		return complain("no set '%s' is loaded; `nfac list` shows those that are", name);
	return complain("set '%s': %s", name, device_strerror(err));
}

int device_open(void)
{
	int device = open(DEVICE_PATH, O_RDWR | O_CLOEXEC);

	if (device >= 0)
		return device;
	switch (errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return complain_at(DEVICE_PATH, 0,
				   "%s: is the module loaded? try: modprobe nfac",
				   strerror(errno));
	case EACCES:
		return complain_at(DEVICE_PATH, 0,
				   "permission denied: the device's file mode lets only root open it; try sudo");
	}
	return complain_at(DEVICE_PATH, 0, "%s", device_strerror(errno));
}

static int send_blob(int device, const uint8_t *blob, size_t size)
{
	while (size) {
		ssize_t done = write(device, blob, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		blob += done;
		size -= done;
	}
	return 0;
}

static int refused(const struct nfac_ioc_commit *commit)
{
	int err = errno;

	switch (err) {
	case EBADMSG:
		return complain("set '%s': the kernel refused the blob: word %u: %.*s",
				commit->name, commit->fault_word, NFAC_FAULT_LEN,
				*commit->fault ? commit->fault : "damaged");
	case EPROTO:
		return complain("set '%s': the kernel refused the blob's version: %.*s; compile the patterns with the nfac that came with the module",
				commit->name, NFAC_FAULT_LEN,
				*commit->fault ? commit->fault : "not its own");
	case EDQUOT:
		return complain("set '%s': past this network namespace's memory limit%s%.*s",
				commit->name, *commit->fault ? ": " : "", NFAC_FAULT_LEN,
				commit->fault);
	}
	return complain("set '%s': %s%s%.*s", commit->name, device_strerror(err),
			*commit->fault ? ": " : "", NFAC_FAULT_LEN, commit->fault);
}

int device_commit(int device, const void *blob, size_t size, struct nfac_ioc_commit *commit)
{
	commit->size = sizeof(*commit);
	commit->version = NFAC_VERSION;
	if (send_blob(device, blob, size)) {
		if (errno == EFBIG || errno == EDQUOT)
			return complain("set '%s': a blob of %zu bytes is past this network namespace's memory limit",
					commit->name, size);
		return complain("set '%s': cannot send the blob: %s", commit->name,
				device_strerror(errno));
	}
	if (ioctl(device, NFAC_IOC_COMMIT, commit))
		return refused(commit);
	return 0;
}

int device_unload(int device, const char *name)
{
	struct nfac_ioc_name arg = { .size = sizeof(arg), .version = NFAC_VERSION };

	strncpy(arg.name, name, sizeof(arg.name) - 1);
	if (!ioctl(device, NFAC_IOC_UNLOAD, &arg))
		return 0;
	if (errno != EBUSY)
		return device_set_error(name, errno);
	complain("set '%s' is in use: detach its attachments (`nfac list` shows them), delete the rules that name it",
		 name);
	helper_users_report(name);
	return -1;
}

int device_next_set(int device, struct nfac_ioc_set *set)
{
	char after[NFAC_NAME_LEN];

	memcpy(after, set->name, sizeof(after));
	memset(set, 0, sizeof(*set));
	set->size = sizeof(*set);
	set->version = NFAC_VERSION;
	memcpy(set->after, after, sizeof(after));
	if (!ioctl(device, NFAC_IOC_GET_SET, set)) {
		set->name[sizeof(set->name) - 1] = 0;
		return 1;
	}
	if (errno == ENOENT)
		return 0;
	return complain("cannot list the sets: %s", device_strerror(errno));
}

int device_find_set(int device, const char *name, struct nfac_ioc_set *set)
{
	int got;

	memset(set, 0, sizeof(*set));
	do {
		got = device_next_set(device, set);
	} while (got == 1 && strcmp(set->name, name));
	return got;
}

int device_next_attach(int device, struct nfac_ioc_attach *attach)
{
	__u32 id = attach->id + 1;

	/* that was the last id there is */
	if (!id)
		return 0;
	memset(attach, 0, sizeof(*attach));
	attach->size = sizeof(*attach);
	attach->version = NFAC_VERSION;
	attach->id = id;
	if (!ioctl(device, NFAC_IOC_GET_ATTACH, attach))
		return 1;
	if (errno == ENOENT)
		return 0;
	return complain("cannot list the attachments: %s", device_strerror(errno));
}

int device_attachments(int device, struct device_attachments *all)
{
	struct nfac_ioc_attach one = { 0 }, *larger;
	int got;

	memset(all, 0, sizeof(*all));
	while ((got = device_next_attach(device, &one)) == 1) {
		larger = realloc(all->items, (all->count + 1) * sizeof(one));
		if (!larger)
			return complain("out of memory");
		all->items = larger;
		all->items[all->count++] = one;
	}
	return got < 0 ? -1 : 0;
}

int set_name_check(const char *name)
{
	const char *at;

	if (!*name)
		return complain("the set's name is empty");
	if (strlen(name) >= NFAC_NAME_LEN)
		return complain("set name '%s' is too long: %zu bytes, the limit is %d", name,
				strlen(name), NFAC_NAME_LEN - 1);
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return complain("a set cannot be named '%s'", name);
	for (at = name; *at; at++) {
		if (*at == '/')
			return complain("set name '%s' holds a slash", name);
		if (*at <= ' ' || *at > '~')
			return complain("set name '%s': byte %zu is a space or not printable ASCII",
					name, at - name + 1);
	}
	return 0;
}

int device_subscribe(int device, const char *name)
{
	struct nfac_ioc_name arg = { .size = sizeof(arg), .version = NFAC_VERSION };

	if (name)
		strncpy(arg.name, name, sizeof(arg.name) - 1);
	if (!ioctl(device, NFAC_IOC_SUBSCRIBE, &arg))
		return 0;
	if (errno == ENOENT)
		return device_set_error(name, ENOENT);
	if (errno == EDQUOT)
		return complain_at(DEVICE_PATH, 0,
				   "no room for events: this network namespace's memory limit is reached");
	if (errno == ENOSPC)
		return complain_at(DEVICE_PATH, 0,
				   "too many read this network namespace's events already");
	return complain_at(DEVICE_PATH, 0, "cannot subscribe to events: %s",
			   device_strerror(errno));
}
