// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching and detaching by /dev/nfac, and messages for the kernel's errors.
 *
 * attach.c, detach.c and config/run.c call it. The options were checked by attach_check() before.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../kmod/engine/stream/policy.h"

#include "attach_request.h"
#include "attachment.h"
#include "device.h"
#include "message.h"
#include "program.h"

static int attach_error(const struct nfac_ioc_attach *attach)
{
	const char *name = attach->name;
	const char *hook = hook_name(attach->hook);

	switch (errno) {
	case ENODEV:
		if (!attach_at_device(attach))
			break;
		return complain("set '%s': this network namespace has no device '%s'", name,
				attach_device(attach));
	case ENOSPC:
		return complain("set '%s': too many attachments", name);
	case E2BIG:
		return complain("set '%s': netfilter takes no more hooks there", name);
	case EDQUOT:
		return complain("set '%s': past this network namespace's memory limit: no room for the table that --stream takes",
				name);
	case EOPNOTSUPP:
		if (attach_at_program(attach))
			return complain("set '%s': hook %s takes the module nfac_bpf, which this kernel does not have; `make modules` says why",
					name, hook);
		if (attach_at_device(attach) && (attach->flags & NFAC_ATTACH_STREAM))
			return complain("set '%s': this kernel lacks one of the hooks ingress and egress, and --stream takes both",
					name);
		if (attach_at_device(attach))
			return complain("set '%s': this kernel has no hook %s", name, hook);
		if ((attach->flags & NFAC_ATTACH_BRIDGE) &&
		    (attach->flags & (NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL)))
			return complain("set '%s': --ct-mark and --ct-label take the module nf_conntrack_bridge with --family bridge, and this kernel does not have it",
					name);
		if (attach->flags & NFAC_ATTACH_BRIDGE)
			return complain("set '%s': this kernel has no hooks of bridges", name);
		return complain("set '%s': this kernel has no conntrack for --ct-mark, --ct-label or --stream",
				name);
	case EINVAL:
		return complain("set '%s': the kernel refused these options: a value is out of its range, two exclude each other, or the module is older than this tool",
				name);
	}
	return device_set_error(name, errno);
}

/* The kernel allows it, as both may be meant; most often the first one was forgotten. */
void attach_warn_of_twin(int device, const struct nfac_ioc_attach *attach)
{
	struct nfac_ioc_attach other = { 0 }, twin;

	while (device_next_attach(device, &other) == 1) {
		twin = other;
		twin.id = attach->id;
		if (other.id != attach->id && !memcmp(&twin, attach, sizeof(twin)))
			complain("set '%s': attachment %u does the same already, each match now counts in both",
				 attach->name, other.id);
	}
}

/* Does br_netfilter pass what is only bridged to the hooks of IP? */
static bool bridged_reach_ip(void)
{
	FILE *in = fopen("/proc/sys/net/bridge/bridge-nf-call-iptables", "re");
	bool on = in && fgetc(in) == '1';

	if (in)
		fclose(in);
	return on;
}

/*
 * The interfaces that a name selects: @all of them, and @ports that are a bridge's, @bridge of one.
 */
struct selected {
	unsigned int all, ports;
	char port[256], bridge[256];
};

static void select_interfaces(struct selected *selected, const char *want)
{
	DIR *folder = opendir("/sys/class/net");
	struct dirent *entry;

	memset(selected, 0, sizeof(*selected));
	while (folder && (entry = readdir(folder))) {
		char path[PATH_MAX], bridge[sizeof(selected->bridge)];
		ssize_t length;

		if (*entry->d_name == '.' || !nfac_selects_name(want, entry->d_name))
			continue;
		selected->all++;
		snprintf(path, sizeof(path), "/sys/class/net/%s/brport/bridge", entry->d_name);
		length = readlink(path, bridge, sizeof(bridge) - 1);
		if (length < 0)
			continue;
		bridge[length] = 0;
		strcpy(selected->bridge, basename(bridge));
		strcpy(selected->port, entry->d_name);
		selected->ports++;
	}
	if (folder)
		closedir(folder);
}

/* At the hooks of IP the interface is the bridge, whether there is br_netfilter or not. */
static void warn_of_port(const struct nfac_ioc_attach *attach, const char *option,
			 const char *want)
{
	struct selected selected;
	bool bridge = attach->flags & NFAC_ATTACH_BRIDGE;

	if (!*want || attach_at_device(attach))
		return;
	select_interfaces(&selected, want);
	if (!selected.all)
		complain("set '%s': %s %s: no interface has this name now; packets are inspected once there is one",
			 attach->name, option, want);
	else if (bridge && !selected.ports)
		complain("set '%s': %s %s sees nothing: it is no port of a bridge now, as --family bridge takes",
			 attach->name, option, want);
	else if (!bridge && selected.ports == selected.all)
		complain("set '%s': %s %s sees nothing: it is a port of the bridge %s, and packets have the bridge as their interface at hook %s; take --family bridge, or %s %s%s",
			 attach->name, option, selected.port, selected.bridge,
			 hook_name(attach->hook), option, selected.bridge,
			 bridged_reach_ip() ? "" :
			 " for what is not only bridged (without br_netfilter)");
}

void attach_warn(const struct nfac_ioc_attach *attach)
{
	warn_of_port(attach, "--iif", attach->iif);
	warn_of_port(attach, "--oif", attach->oif);
}

/* Without defragmentation where the kernel has none, after saying what that means. */
static int attach_to_hook(int device, struct nfac_ioc_attach *attach)
{
	int err = ioctl(device, NFAC_IOC_ATTACH, attach);

	if (!err || errno != EOPNOTSUPP || !(attach->flags & NFAC_ATTACH_DEFRAG))
		return err;
	attach->flags &= ~NFAC_ATTACH_DEFRAG;
	err = ioctl(device, NFAC_IOC_ATTACH, attach);
	if (!err)
		complain("set '%s': this kernel cannot put fragments together: they are not inspected, and %s",
			 attach->name, attach->flags & NFAC_ATTACH_SKIP_DROP ?
			 "dropped (--skip drop)" : "pass; --skip drop drops them");
	return err;
}

static int detach_from_hook(int device, __u32 id)
{
	struct nfac_ioc_detach arg = { .size = sizeof(arg), .version = NFAC_VERSION, .id = id };

	return ioctl(device, NFAC_IOC_DETACH, &arg) ? -errno : 0;
}

/* The program comes after its first attachment: once it is there, no packet passes uninspected. */
static int attach_program(int device, struct nfac_ioc_attach *attach)
{
	if (!attach_at_program(attach) || !program_attach(attach->hook, attach_device(attach)))
		return 0;
	detach_from_hook(device, attach->id);
	return -1;
}

int attach_request(int device, struct nfac_ioc_attach *attach)
{
	int err;

	/* another nfac may remove the program with its device's last attachment */
	flock(device, LOCK_EX);
	err = attach_to_hook(device, attach) ? attach_error(attach) :
					       attach_program(device, attach);
	flock(device, LOCK_UN);
	return err;
}

static bool find(int device, __u32 id, struct nfac_ioc_attach *found)
{
	memset(found, 0, sizeof(*found));
	found->id = id - 1;
	return device_next_attach(device, found) == 1 && found->id == id;
}

/* Remove the device's program if that was its last attachment; a failure is a warning. */
static void detach_program(int device, const struct nfac_ioc_attach *was)
{
	struct nfac_ioc_attach other = { 0 };

	while (device_next_attach(device, &other) == 1)
		if (other.hook == was->hook && !strcmp(other.iif, was->iif))
			return;
	program_detach(was->hook, attach_device(was));
}

int detach_request(int device, __u32 id)
{
	struct nfac_ioc_attach was;
	bool known;
	int err;

	flock(device, LOCK_EX);
	known = find(device, id, &was);
	err = detach_from_hook(device, id);
	if (!err && known && attach_at_program(&was))
		detach_program(device, &was);
	flock(device, LOCK_UN);
	return err;
}
