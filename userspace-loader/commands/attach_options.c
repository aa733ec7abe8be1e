// SPDX-License-Identifier: GPL-2.0
/*
 * Options of an attachment: parsing each one, then checking that they go together.
 *
 * The checks repeat those of kmod/attach_check.c, so that a message names options and not fields.
 */
#include <ctype.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "attach_options.h"
#include "common/attachment.h"
#include "common/device.h"
#include "common/message.h"
#include "common/options.h"

enum {
	OPTION_HOOK = OPTION_KEYS, OPTION_PRIORITY, OPTION_PROTO, OPTION_DPORT, OPTION_IIF,
	OPTION_OIF, OPTION_IPV4, OPTION_IPV6, OPTION_RAW, OPTION_WHEN_MARK, OPTION_MARK,
	OPTION_CT_MARK, OPTION_CT_LABEL, OPTION_DROP, OPTION_NO_REPORT, OPTION_STREAM, OPTION_GAP,
	OPTION_SKIP, OPTION_ACT, OPTION_PICKUP, OPTION_FULL, OPTION_DAMAGED, OPTION_STRICT,
	OPTION_DEV, OPTION_FAMILY, OPTION_BUDGET, OPTION_NO_DEFRAG,
	OPTION_ALLOW_PROTOCOL,
	OPTION_CANDIDATE_MARK,
};

static const struct argp_option where_table[] = {
	{ "hook", OPTION_HOOK, "HOOK", 0,
	  "prerouting (default), input, forward, output, postrouting; ingress, egress, xdp or tc of a device",
	  1 },
	{ "family", OPTION_FAMILY, "FAMILY", 0,
	  "inet (default), ip or ip6: as without, with --ipv4 or with --ipv6; bridge: the hook of bridges, not that of IP",
	  1 },
	{ "dev", OPTION_DEV, "IFACE", 0,
	  "With --hook ingress, egress, xdp or tc: the device whose frames to inspect", 1 },
	{ "priority", OPTION_PRIORITY, "N", 0,
	  "Place in the hook, default -190: a number or raw, conntrack, mangle, dstnat, filter, security, srcnat, with or without +N or -N",
	  1 },
	{ 0 }
};

static const struct argp_option option_table[] = {
	{ NULL, 0, NULL, 0, "Which packets:", 1 },
	{ "proto", OPTION_PROTO, "tcp|udp", 0, "This protocol alone, default both", 1 },
	{ "dport", OPTION_DPORT, "P,...", 0,
	  "To one of these ports: numbers, ranges as 8000-8100, names of services", 1 },
	{ "iif", OPTION_IIF, "IFACE", 0, "That came in by this interface, as eth0 or eth*", 1 },
	{ "oif", OPTION_OIF, "IFACE", 0, "That go out by this interface, as eth0 or eth*", 1 },
	{ "ipv4", OPTION_IPV4, NULL, 0, "IPv4 alone", 1 },
	{ "ipv6", OPTION_IPV6, NULL, 0, "IPv6 alone", 1 },
	{ "raw", OPTION_RAW, NULL, 0,
	  "Also protocols other than TCP and UDP: all that follows the IP header", 1 },
	{ "when-mark", OPTION_WHEN_MARK, "V/M", 0, "Whose mark has value V in the bits of M", 1 },
	{ NULL, 0, NULL, 0, "What to do with a packet that matches, apart from reporting it:", 2 },
	{ "mark", OPTION_MARK, "V/M", 0,
	  "Set the mark to V in the bits of M: numbers, or names of /etc/iproute2/rt_marks", 2 },
	{ "ct-mark", OPTION_CT_MARK, "V/M", 0, "The same with the connection's mark", 2 },
	{ "ct-label", OPTION_CT_LABEL, "N", 0,
	  "Set bit N (0 to 127, or a name of connlabel.conf) of the connection's label", 2 },
	{ "drop", OPTION_DROP, NULL, 0, "Drop it", 2 },
	{ "act", OPTION_ACT, "inexact", 0,
	  "Also drop and mark for rules with conditions that were not checked", 2 },
	{ "candidate-mark", OPTION_CANDIDATE_MARK, "V/M", 0,
	  "Where a rule with conditions that were not checked may hold, set the mark to V in the bits of M, for nfac queue --confirm",
	  2 },
	{ "no-report", OPTION_NO_REPORT, NULL, 0, "Report no event", 2 },
	{ NULL, 0, NULL, 0, "How:", 3 },
	{ "stream", OPTION_STREAM, NULL, 0, "Follow TCP streams across segments", 3 },
	{ "gap", OPTION_GAP, "restart|pass|drop", 0,
	  "With --stream, where bytes are missing: search anew behind the gap (default), leave the rest of the flow, or drop what comes before it is filled",
	  3 },
	{ "skip", OPTION_SKIP, "drop|pass", 0,
	  "Packets that cannot be inspected, default pass", 3 },
	{ "allow-protocol", OPTION_ALLOW_PROTOCOL, "PROTO,...|all", 0,
	  "With --skip drop: protocols other than TCP and UDP that pass, by number or name; neighbour discovery always passes",
	  3 },
	{ "pickup", OPTION_PICKUP, NULL, 0,
	  "With --gap drop: follow connections that were there before, too; their data are dropped otherwise",
	  3 },
	{ "full", OPTION_FULL, "drop|pass", 0,
	  "With --stream: segments of new connections that find no slot in the flow table, default drop with --gap drop or --skip drop, else pass",
	  3 },
	{ "damaged", OPTION_DAMAGED, "drop|pass", 0,
	  "With --drop: all packets while the set's memory is damaged, default drop", 3 },
	{ "budget", OPTION_BUDGET, "match|pass", 0,
	  "Rules that a packet's budget leaves unevaluated: they match, or not; default match with --drop, else pass",
	  3 },
	{ "no-defrag", OPTION_NO_DEFRAG, NULL, 0,
	  "With --drop, at hooks of IP: leave fragments as they are; they are put together before the hook otherwise",
	  3 },
	{ "strict", OPTION_STRICT, NULL, 0,
	  "--drop --stream --gap drop --skip drop --full drop in one word", 3 },
	{ 0 }
};

static int set_protocol(struct nfac_ioc_attach *attach, const char *text)
{
	if (!strcmp(text, "tcp"))
		attach->protocol = IPPROTO_TCP;
	else if (!strcmp(text, "udp"))
		attach->protocol = IPPROTO_UDP;
	else
		return complain("unknown protocol '%s': there are tcp and udp", text);
	return 0;
}

static int set_family(struct nfac_ioc_attach *attach, const char *text)
{
	if (!strcmp(text, "ip"))
		attach->flags |= NFAC_ATTACH_IPV4;
	else if (!strcmp(text, "ip6"))
		attach->flags |= NFAC_ATTACH_IPV6;
	else if (!strcmp(text, "bridge"))
		attach->flags |= NFAC_ATTACH_BRIDGE;
	else if (strcmp(text, "inet"))
		return complain("--family %s: there are inet, ip, ip6 and bridge", text);
	return 0;
}

static int set_gap(struct nfac_ioc_attach *attach, const char *text)
{
	attach->flags &= ~(NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_GAP_PASS);
	if (!strcmp(text, "drop"))
		attach->flags |= NFAC_ATTACH_GAP_DROP;
	else if (!strcmp(text, "pass"))
		attach->flags |= NFAC_ATTACH_GAP_PASS;
	else if (strcmp(text, "restart"))
		return complain("--gap %s: there are restart, pass and drop", text);
	return 0;
}

static int set_skip(struct nfac_ioc_attach *attach, const char *text)
{
	attach->flags &= ~NFAC_ATTACH_SKIP_DROP;
	if (!strcmp(text, "drop"))
		attach->flags |= NFAC_ATTACH_SKIP_DROP;
	else if (strcmp(text, "pass"))
		return complain("--skip %s: there are pass and drop", text);
	return 0;
}

static int set_full(struct nfac_ioc_attach *attach, const char *text)
{
	attach->flags &= ~(NFAC_ATTACH_FULL_DROP | NFAC_ATTACH_FULL_PASS);
	if (!strcmp(text, "drop"))
		attach->flags |= NFAC_ATTACH_FULL_DROP;
	else if (!strcmp(text, "pass"))
		attach->flags |= NFAC_ATTACH_FULL_PASS;
	else
		return complain("--full %s: there are drop and pass", text);
	return 0;
}

static int set_damaged(struct nfac_ioc_attach *attach, const char *text)
{
	attach->flags &= ~NFAC_ATTACH_DAMAGED_PASS;
	if (!strcmp(text, "pass"))
		attach->flags |= NFAC_ATTACH_DAMAGED_PASS;
	else if (strcmp(text, "drop"))
		return complain("--damaged %s: there are drop and pass", text);
	return 0;
}

static int set_budget(struct nfac_ioc_attach *attach, const char *text)
{
	attach->flags &= ~(NFAC_ATTACH_BUDGET_MATCH | NFAC_ATTACH_BUDGET_PASS);
	if (!strcmp(text, "match"))
		attach->flags |= NFAC_ATTACH_BUDGET_MATCH;
	else if (!strcmp(text, "pass"))
		attach->flags |= NFAC_ATTACH_BUDGET_PASS;
	else
		return complain("--budget %s: there are match and pass", text);
	return 0;
}

static int set_option(struct attach_options *options, int key, const char *arg)
{
	struct nfac_ioc_attach *a = &options->attach;

	switch (key) {
	case OPTION_HOOK:
		return parse_hook(arg, &a->hook);
	case OPTION_DEV:
		return parse_interface("--dev", arg, options->device);
	case OPTION_FAMILY:
		return set_family(a, arg);
	case OPTION_PRIORITY:
		options->named = isalpha((unsigned char)*arg);
		return parse_priority(arg, &a->priority);
	case OPTION_PROTO:
		return set_protocol(a, arg);
	case OPTION_DPORT:
		return parse_ports("--dport", arg, &options->ports);
	case OPTION_IIF:
		return parse_interface("--iif", arg, a->iif);
	case OPTION_OIF:
		return parse_interface("--oif", arg, a->oif);
	case OPTION_IPV4:
		a->flags |= NFAC_ATTACH_IPV4;
		return 0;
	case OPTION_IPV6:
		a->flags |= NFAC_ATTACH_IPV6;
		return 0;
	case OPTION_RAW:
		a->flags |= NFAC_ATTACH_RAW;
		return 0;
	case OPTION_WHEN_MARK:
		a->flags |= NFAC_ATTACH_WHEN_MARK;
		return parse_mark("--when-mark", arg, &a->when_mark, &a->when_mask);
	case OPTION_MARK:
		a->flags |= NFAC_ATTACH_MARK;
		return parse_mark("--mark", arg, &a->mark, &a->mark_mask);
	case OPTION_CANDIDATE_MARK:
		a->flags |= NFAC_ATTACH_CANDIDATE;
		return parse_mark("--candidate-mark", arg, &a->candidate_mark, &a->candidate_mask);
	case OPTION_CT_MARK:
		a->flags |= NFAC_ATTACH_CT_MARK;
		return parse_mark("--ct-mark", arg, &a->ct_mark, &a->ct_mask);
	case OPTION_CT_LABEL:
		a->flags |= NFAC_ATTACH_CT_LABEL;
		return parse_label("--ct-label", arg, &a->ct_label);
	case OPTION_DROP:
		a->flags |= NFAC_ATTACH_DROP;
		return 0;
	case OPTION_NO_REPORT:
		options->silent = true;
		return 0;
	case OPTION_STREAM:
		a->flags |= NFAC_ATTACH_STREAM;
		return 0;
	case OPTION_GAP:
		options->gap = true;
		return set_gap(a, arg);
	case OPTION_SKIP:
		return set_skip(a, arg);
	case OPTION_ALLOW_PROTOCOL:
		options->allow = true;
		return parse_protocols("--allow-protocol", arg, a->allow, &options->allow_all);
	case OPTION_PICKUP:
		a->flags |= NFAC_ATTACH_PICKUP;
		return 0;
	case OPTION_FULL:
		return set_full(a, arg);
	case OPTION_DAMAGED:
		return set_damaged(a, arg);
	case OPTION_BUDGET:
		return set_budget(a, arg);
	case OPTION_NO_DEFRAG:
		options->no_defrag = true;
		return 0;
	case OPTION_STRICT:
		a->flags |= NFAC_ATTACH_DROP | NFAC_ATTACH_STREAM | NFAC_ATTACH_GAP_DROP |
			    NFAC_ATTACH_SKIP_DROP | NFAC_ATTACH_FULL_DROP;
		return 0;
	case OPTION_ACT:
		if (strcmp(arg, "inexact"))
			return complain("--act %s: there is inexact", arg);
		a->flags |= NFAC_ATTACH_ACT_INEXACT;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Return: 0; ARGP_ERR_UNKNOWN; -1 after saying what is wrong. */
static int give_option(struct attach_options *options, int key, const char *arg)
{
	/* ports and protocols accumulate */
	if (key != OPTION_DPORT && key != OPTION_ALLOW_PROTOCOL &&
	    (option_once(option_table, key, &options->once) ||
	     option_once(where_table, key, &options->where_once)))
		return -1;
	return set_option(options, key, arg);
}

int attach_option_give(struct attach_options *options, const struct argp_option *option,
		       const char *value)
{
	return give_option(options, option->key, value) ? -1 : 0;
}

const struct argp_option *attach_option_find(const char *name, struct nearest *nearest)
{
	const struct argp_option *where = option_find(where_table, name, nearest);
	const struct argp_option *option = option_find(option_table, name, nearest);

	return where ? where : option;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	int err = give_option(state->input, key, arg);

	if (err == -1)
		exit(NFAC_EXIT_ERROR);
	return err;
}

const struct argp attach_argp = { .options = option_table, .parser = parse };
const struct argp attach_where_argp = { .options = where_table, .parser = parse };

void attach_defaults(struct attach_options *options)
{
	memset(options, 0, sizeof(*options));
	options->attach.size = sizeof(options->attach);
	options->attach.version = NFAC_VERSION;
	options->attach.hook = NFAC_HOOK_PREROUTING;
	options->attach.priority = NFAC_PRIORITY_DEFAULT;
}

/* The hooks of a device: --dev names it, and nothing else does. */
static int check_device(struct attach_options *options)
{
	struct nfac_ioc_attach *a = &options->attach;

	if ((a->flags & NFAC_ATTACH_BRIDGE) && attach_at_device(a))
		return complain("--family bridge: hook %s is that of a device", hook_name(a->hook));
	if (!attach_at_device(a))
		return *options->device ?
		       complain("--dev: hook %s is not that of a device, as ingress, egress, xdp and tc are",
				hook_name(a->hook)) : 0;
	if (*a->iif || *a->oif)
		return complain("--iif, --oif: hook %s is that of one device, which --dev names",
				hook_name(a->hook));
	if (!*options->device)
		return complain("hook %s takes the device: --dev", hook_name(a->hook));
	if (strchr(options->device, '*'))
		return complain("--dev %s: hook %s is that of one device, without '*'",
				options->device, hook_name(a->hook));
	if (a->hook != NFAC_HOOK_EGRESS &&
	    (a->flags & (NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL)))
		return complain("--ct-mark, --ct-label: hook %s comes before conntrack, no connection is known there; take hook prerouting",
				hook_name(a->hook));
	if (attach_at_program(a) && (a->flags & NFAC_ATTACH_STREAM))
		return complain("--stream, --strict: hook %s sees no answers, which streams take; take hook ingress",
				hook_name(a->hook));
	if (a->hook == NFAC_HOOK_XDP &&
	    (a->flags & (NFAC_ATTACH_MARK | NFAC_ATTACH_WHEN_MARK | NFAC_ATTACH_CANDIDATE)))
		return complain("--mark, --candidate-mark, --when-mark: in hook xdp a packet has no mark yet; hook tc has");
	memcpy(a->hook == NFAC_HOOK_EGRESS ? a->oif : a->iif, options->device,
	       sizeof(options->device));
	return 0;
}

static int check_bridge(const struct attach_options *options)
{
	const struct nfac_ioc_attach *a = &options->attach;

	if (!(a->flags & NFAC_ATTACH_BRIDGE))
		return 0;
	if (options->named)
		return complain("--family bridge: the names of priorities are those of IP; give a number");
	if (*a->iif && a->hook == NFAC_HOOK_POSTROUTING)
		return complain("--iif: at a bridge's postrouting nothing says where a packet came in");
	return 0;
}

/* The ports as the kernel takes them: alone, or if there is a range in pairs. */
static void put_ports(struct attach_options *options)
{
	struct nfac_ioc_attach *a = &options->attach;
	const struct ports *ports = &options->ports;
	unsigned int i;

	a->nports = 0;
	for (i = 0; i < ports->count; i++) {
		a->ports[a->nports++] = ports->items[i].first;
		if (ports->ranges)
			a->ports[a->nports++] = ports->items[i].last;
	}
	if (ports->ranges)
		a->flags |= NFAC_ATTACH_PORT_RANGES;
}

/* Which of the protocols that are not inspected pass. */
static int check_protocols(struct attach_options *options)
{
	struct nfac_ioc_attach *a = &options->attach;

	if (options->allow && !(a->flags & NFAC_ATTACH_SKIP_DROP))
		return complain("--allow-protocol says nothing without --skip drop");
	if (options->allow_all)
		memset(a->allow, 0, sizeof(a->allow));
	else if (a->flags & NFAC_ATTACH_SKIP_DROP)
		a->flags |= NFAC_ATTACH_PROTOCOL_DROP;
	return 0;
}

int attach_check(struct attach_options *options)
{
	struct nfac_ioc_attach *a = &options->attach;

	put_ports(options);
	if (check_device(options) || check_bridge(options) || check_protocols(options))
		return -1;
	if ((a->flags & (NFAC_ATTACH_FULL_DROP | NFAC_ATTACH_FULL_PASS)) &&
	    !(a->flags & NFAC_ATTACH_STREAM))
		return complain("--full says nothing without --stream");
	if ((a->flags & NFAC_ATTACH_PICKUP) && !(a->flags & NFAC_ATTACH_GAP_DROP))
		return complain("--pickup says nothing without --gap drop");
	if (a->mark_mask & a->candidate_mask)
		return complain("--candidate-mark has bits of --mark: 0x%x",
				a->mark_mask & a->candidate_mask);
	if (options->gap && !(a->flags & NFAC_ATTACH_STREAM))
		return complain("--gap says nothing without --stream");
	if ((a->flags & NFAC_ATTACH_STREAM) && a->protocol == IPPROTO_UDP)
		return complain("--stream follows TCP, --proto udp leaves none");
	if (*a->iif && a->hook == NFAC_HOOK_OUTPUT)
		return complain("--iif: packets in hook %s came in by no interface",
				hook_name(a->hook));
	if (*a->oif && (a->hook == NFAC_HOOK_PREROUTING || a->hook == NFAC_HOOK_INPUT))
		return complain("--oif: packets in hook %s have no outgoing interface",
				hook_name(a->hook));
	if ((a->flags & (NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL)) &&
	    (a->hook == NFAC_HOOK_PREROUTING || a->hook == NFAC_HOOK_OUTPUT) &&
	    a->priority <= PRIORITY_CONNTRACK)
		return complain("--ct-mark, --ct-label: in hook %s conntrack sees packets at priority %d, it takes one behind that",
				hook_name(a->hook), PRIORITY_CONNTRACK);
	if (!options->silent)
		a->flags |= NFAC_ATTACH_REPORT;
	return 0;
}

int attach_check_hook(struct attach_options *options)
{
	if (attach_check(options))
		return -1;
	if (attach_can_defrag(&options->attach) && !options->no_defrag)
		options->attach.flags |= NFAC_ATTACH_DEFRAG;
	return 0;
}
