// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach_request.h"
#include "attachment.h"
#include "device.h"
#include "message.h"

static int attach_error(const struct nfac_ioc_attach *attach)
{
	const char *name = attach->name;
	const char *hook = hook_name(attach->hook);

	switch (errno) {
	case ENODEV:
		if (!attach_at_device(attach))
			break;
		return complain("set '%s': this network namespace has no device '%s'", name,
				*attach->iif ? attach->iif : attach->oif);
	case ENOSPC:
		return complain("set '%s': too many attachments", name);
	case E2BIG:
		return complain("set '%s': netfilter takes no more hooks there", name);
	case EDQUOT:
		return complain("set '%s': past this network namespace's memory limit: no room for the table that --stream takes",
				name);
	case EOPNOTSUPP:
		if (attach_at_device(attach) && (attach->flags & NFAC_ATTACH_STREAM))
			return complain("set '%s': this kernel lacks one of the hooks ingress and egress, and --stream takes both",
					name);
		if (attach_at_device(attach))
			return complain("set '%s': this kernel has no hook %s", name, hook);
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

/* At the hooks of IP the interface is the bridge, whether there is br_netfilter or not. */
static void warn_of_port(const struct nfac_ioc_attach *attach, const char *option,
			 const char *interface)
{
	char path[64], bridge[256];
	ssize_t length;

	if (!*interface || attach_at_device(attach) || (attach->flags & NFAC_ATTACH_BRIDGE))
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/brport/bridge", interface);
	length = readlink(path, bridge, sizeof(bridge) - 1);
	if (length < 0)
		return;
	bridge[length] = 0;
	complain("set '%s': %s %s sees nothing: it is a port of the bridge %s, and packets have the bridge as their interface at hook %s; take --family bridge, or %s %s%s",
		 attach->name, option, interface, basename(bridge), hook_name(attach->hook),
		 option, basename(bridge),
		 bridged_reach_ip() ? "" : " for what is not only bridged (without br_netfilter)");
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

int attach_request(int device, struct nfac_ioc_attach *attach)
{
	return attach_to_hook(device, attach) ? attach_error(attach) : 0;
}

int detach_request(int device, __u32 id)
{
	struct nfac_ioc_detach arg = { .size = sizeof(arg), .version = NFAC_VERSION, .id = id };

	return ioctl(device, NFAC_IOC_DETACH, &arg) ? -errno : 0;
}
