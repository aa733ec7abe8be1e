// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

#include "attachment.h"
#include "device.h"

/* Options that are on or off. */
static const struct {
	__u32 flag;
	const char *option;
	const char *member;
} switches[] = {
	{ NFAC_ATTACH_BRIDGE, "--family bridge", "bridge" },
	{ NFAC_ATTACH_IPV4, "--ipv4", "ipv4" },
	{ NFAC_ATTACH_IPV6, "--ipv6", "ipv6" },
	{ NFAC_ATTACH_RAW, "--raw", "raw" },
	{ NFAC_ATTACH_DROP, "--drop", "drop" },
	{ NFAC_ATTACH_STREAM, "--stream", "stream" },
	{ NFAC_ATTACH_GAP_PASS, "--gap pass", "gap_pass" },
	{ NFAC_ATTACH_GAP_DROP, "--gap drop", "gap_drop" },
	{ NFAC_ATTACH_PICKUP, "--pickup", "pickup" },
	{ NFAC_ATTACH_FULL_DROP, "--full drop", "full_drop" },
	{ NFAC_ATTACH_FULL_PASS, "--full pass", "full_pass" },
	{ NFAC_ATTACH_DEFRAG, NULL, "defrag" },
	{ NFAC_ATTACH_BUDGET_MATCH, "--budget match", "budget_match" },
	{ NFAC_ATTACH_BUDGET_PASS, "--budget pass", "budget_pass" },
	{ NFAC_ATTACH_DAMAGED_PASS, "--damaged pass", "damaged_pass" },
	{ NFAC_ATTACH_SKIP_DROP, "--skip drop", "skip_drop" },
	{ NFAC_ATTACH_ACT_INEXACT, "--act inexact", "act_inexact" },
	{ NFAC_ATTACH_REPORT, NULL, "report" },
};

#define SWITCHES	(sizeof(switches) / sizeof(*switches))

static const char *protocol_name(unsigned int protocol)
{
	return protocol == IPPROTO_TCP ? "tcp" : protocol == IPPROTO_UDP ? "udp" : NULL;
}

bool attach_at_device(const struct nfac_ioc_attach *a)
{
	return a->hook == NFAC_HOOK_INGRESS || a->hook == NFAC_HOOK_EGRESS;
}

bool attach_can_defrag(const struct nfac_ioc_attach *attach)
{
	return attach->flags & NFAC_ATTACH_DROP && !(attach->flags & NFAC_ATTACH_BRIDGE) &&
	       !attach_at_device(attach);
}

static const char *device_name(const struct nfac_ioc_attach *a)
{
	return a->hook == NFAC_HOOK_INGRESS ? a->iif : a->oif;
}

static void print_interfaces(FILE *to, const struct nfac_ioc_attach *a)
{
	if (attach_at_device(a)) {
		fprintf(to, " --dev %.*s", NFAC_IFNAME_LEN, device_name(a));
		return;
	}
	if (*a->iif)
		fprintf(to, " --iif %.*s", NFAC_IFNAME_LEN, a->iif);
	if (*a->oif)
		fprintf(to, " --oif %.*s", NFAC_IFNAME_LEN, a->oif);
}

static void print_ports(FILE *to, const struct nfac_ioc_attach *a)
{
	int i;

	for (i = 0; i < a->nports && i < NFAC_PORTS_MAX; i++)
		fprintf(to, "%s%u", i ? "," : " --dport ", a->ports[i]);
}

char *attachment_text(const struct nfac_ioc_attach *a)
{
	char *text = NULL;
	size_t length, i;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		return NULL;
	fprintf(to, "%s %d", hook_name(a->hook), a->priority);
	if (protocol_name(a->protocol))
		fprintf(to, " --proto %s", protocol_name(a->protocol));
	else if (a->protocol)
		fprintf(to, " --proto %u", a->protocol);
	print_ports(to, a);
	print_interfaces(to, a);
	if (a->flags & NFAC_ATTACH_WHEN_MARK)
		fprintf(to, " --when-mark 0x%x/0x%x", a->when_mark, a->when_mask);
	if (a->flags & NFAC_ATTACH_MARK)
		fprintf(to, " --mark 0x%x/0x%x", a->mark, a->mark_mask);
	if (a->flags & NFAC_ATTACH_CT_MARK)
		fprintf(to, " --ct-mark 0x%x/0x%x", a->ct_mark, a->ct_mask);
	if (a->flags & NFAC_ATTACH_CT_LABEL)
		fprintf(to, " --ct-label %u", a->ct_label);
	for (i = 0; i < SWITCHES; i++)
		if (switches[i].option && a->flags & switches[i].flag)
			fprintf(to, " %s", switches[i].option);
	if (attach_can_defrag(a) && !(a->flags & NFAC_ATTACH_DEFRAG))
		fputs(" --no-defrag", to);
	if (!(a->flags & NFAC_ATTACH_REPORT))
		fputs(" --no-report", to);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

static void add_mark(json_t *object, const char *member, __u32 value, __u32 mask)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%x/0x%x", value, mask);
	json_object_set_new(object, member, json_string(text));
}

json_t *attachment_json(const struct nfac_ioc_attach *a)
{
	json_t *object = json_object(), *ports = json_array();
	__u32 flags = a->flags;
	size_t i;

	/* neither stands for both */
	if (!(flags & (NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6)))
		flags |= NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6;

	json_object_set_new(object, "id", json_integer(a->id));
	json_object_set_new(object, "hook", json_string(hook_name(a->hook)));
	json_object_set_new(object, "priority", json_integer(a->priority));
	if (protocol_name(a->protocol))
		json_object_set_new(object, "proto", json_string(protocol_name(a->protocol)));
	else if (a->protocol)
		json_object_set_new(object, "proto", json_integer(a->protocol));
	for (i = 0; i < a->nports && i < NFAC_PORTS_MAX; i++)
		json_array_append_new(ports, json_integer(a->ports[i]));
	if (a->nports)
		json_object_set(object, "dport", ports);
	json_decref(ports);
	if (attach_at_device(a))
		json_object_set_new(object, "dev", json_string(device_name(a)));
	else if (*a->iif)
		json_object_set_new(object, "iif", json_string(a->iif));
	if (*a->oif && !attach_at_device(a))
		json_object_set_new(object, "oif", json_string(a->oif));
	if (a->flags & NFAC_ATTACH_WHEN_MARK)
		add_mark(object, "when_mark", a->when_mark, a->when_mask);
	if (a->flags & NFAC_ATTACH_MARK)
		add_mark(object, "mark", a->mark, a->mark_mask);
	if (a->flags & NFAC_ATTACH_CT_MARK)
		add_mark(object, "ct_mark", a->ct_mark, a->ct_mask);
	if (a->flags & NFAC_ATTACH_CT_LABEL)
		json_object_set_new(object, "ct_label", json_integer(a->ct_label));
	for (i = 0; i < SWITCHES; i++)
		json_object_set_new(object, switches[i].member,
				    json_boolean(flags & switches[i].flag));
	return object;
}
