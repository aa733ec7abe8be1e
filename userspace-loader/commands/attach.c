// SPDX-License-Identifier: GPL-2.0
/*
 * nfac attach: attach a set to a hook, to inspect packets.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach_options.h"
#include "commands.h"
#include "common/attachment.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"

struct arguments {
	struct attach_options options;
	const char *name;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->options;
		state->child_inputs[1] = &args->options;
		break;
	case ARGP_KEY_ARG:
		if (args->name)
			argp_error(state, "one set at a time");
		args->name = arg;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no set named");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int attach_error(const char *name, const struct nfac_ioc_attach *attach)
{
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
static void warn_of_twin(int device, const struct nfac_ioc_attach *attach)
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

int cmd_attach(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &attach_where_argp, 0, NULL, 0 },
		{ &attach_argp, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "NAME",
		.doc = "Attach a set to a hook of this network namespace, to inspect packets; prints the attachment's id.",
		.children = children,
	};
	struct arguments args = { 0 };
	struct nfac_ioc_attach *attach = &args.options.attach;
	int device, err;

	attach_defaults(&args.options);
	options_parse(&argp, argc, argv, &args);
	if (attach_check(&args.options) || set_name_check(args.name))
		return NFAC_EXIT_ERROR;
	strcpy(attach->name, args.name);
	device = device_open();
	if (device < 0)
		return NFAC_EXIT_ERROR;
	if (attach_can_defrag(attach) && !args.options.no_defrag)
		attach->flags |= NFAC_ATTACH_DEFRAG;
	err = attach_to_hook(device, attach);
	if (err)
		attach_error(args.name, attach);
	else
		printf("%u\n", attach->id);
	if (!err) {
		warn_of_twin(device, attach);
		warn_of_port(attach, "--iif", attach->iif);
		warn_of_port(attach, "--oif", attach->oif);
	}
	close(device);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
