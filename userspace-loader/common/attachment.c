// SPDX-License-Identifier: GPL-2.0
/*
 * An attachment as the kernel has it, as options: for nfac list, nfac save and messages. The
 * inverse of attach_options.c.
 */
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attachment.h"
#include "device.h"

/* Options that are on or off. */
static const struct {
	__u32 flag;
	const char *option, *value;
	const char *member;
} switches[] = {
	{ NFAC_ATTACH_BRIDGE, "family", "bridge", "bridge" },
	{ NFAC_ATTACH_IPV4, "ipv4", NULL, "ipv4" },
	{ NFAC_ATTACH_IPV6, "ipv6", NULL, "ipv6" },
	{ NFAC_ATTACH_RAW, "raw", NULL, "raw" },
	{ NFAC_ATTACH_DROP, "drop", NULL, "drop" },
	{ NFAC_ATTACH_STREAM, "stream", NULL, "stream" },
	{ NFAC_ATTACH_GAP_PASS, "gap", "pass", "gap_pass" },
	{ NFAC_ATTACH_GAP_DROP, "gap", "drop", "gap_drop" },
	{ NFAC_ATTACH_PICKUP, "pickup", NULL, "pickup" },
	{ NFAC_ATTACH_FULL_DROP, "full", "drop", "full_drop" },
	{ NFAC_ATTACH_FULL_PASS, "full", "pass", "full_pass" },
	{ NFAC_ATTACH_DEFRAG, NULL, NULL, "defrag" },
	{ NFAC_ATTACH_BUDGET_MATCH, "budget", "match", "budget_match" },
	{ NFAC_ATTACH_BUDGET_PASS, "budget", "pass", "budget_pass" },
	{ NFAC_ATTACH_DAMAGED_PASS, "damaged", "pass", "damaged_pass" },
	{ NFAC_ATTACH_SKIP_DROP, "skip", "drop", "skip_drop" },
	{ NFAC_ATTACH_PROTOCOL_DROP, NULL, NULL, "protocol_drop" },
	{ NFAC_ATTACH_ACT_INEXACT, "act", "inexact", "act_inexact" },
	{ NFAC_ATTACH_REPORT, NULL, NULL, "report" },
};

/* A name of /etc/protocols has at most 15 bytes. */
#define ALLOW_TEXT	(NFAC_PROTOCOL_WORDS * 32 * 16 + 1)

#define SWITCHES	(sizeof(switches) / sizeof(*switches))

static const char *protocol_name(unsigned int protocol)
{
	return protocol == IPPROTO_TCP ? "tcp" : protocol == IPPROTO_UDP ? "udp" : NULL;
}

bool attach_at_device(const struct nfac_ioc_attach *a)
{
	return a->hook >= NFAC_HOOK_INGRESS && a->hook <= NFAC_HOOK_TC;
}

bool attach_at_program(const struct nfac_ioc_attach *a)
{
	return a->hook == NFAC_HOOK_XDP || a->hook == NFAC_HOOK_TC;
}

bool attach_can_defrag(const struct nfac_ioc_attach *attach)
{
	return attach->flags & NFAC_ATTACH_DROP && !(attach->flags & NFAC_ATTACH_BRIDGE) &&
	       !attach_at_device(attach);
}

const char *attach_device(const struct nfac_ioc_attach *a)
{
	return a->hook == NFAC_HOOK_EGRESS ? a->oif : a->iif;
}

static void each_interface(const struct nfac_ioc_attach *a, attachment_option each,
			   void *context)
{
	char name[NFAC_IFNAME_LEN + 1] = "";

	if (attach_at_device(a)) {
		memcpy(name, attach_device(a), NFAC_IFNAME_LEN);
		each(context, "dev", name);
		return;
	}
	memcpy(name, a->iif, NFAC_IFNAME_LEN);
	if (*name)
		each(context, "iif", name);
	memcpy(name, a->oif, NFAC_IFNAME_LEN);
	if (*name)
		each(context, "oif", name);
}

/* The text of the port or the range at @i, which goes on to the next one. */
static int port_text(char *to, const struct nfac_ioc_attach *a, int *i)
{
	unsigned int first = a->ports[*i], last = first;

	if (a->flags & NFAC_ATTACH_PORT_RANGES && *i + 1 < NFAC_PORTS_MAX)
		last = a->ports[++*i];
	++*i;
	return first == last ? sprintf(to, "%u", first) : sprintf(to, "%u-%u", first, last);
}

static void each_selector(const struct nfac_ioc_attach *a, attachment_option each, void *context)
{
	char ports[NFAC_PORTS_MAX * 6 + 1] = "", *to = ports, number[8];
	int i;

	if (a->protocol) {
		snprintf(number, sizeof(number), "%u", a->protocol);
		each(context, "proto", protocol_name(a->protocol) ?: number);
	}
	for (i = 0; i < a->nports && i < NFAC_PORTS_MAX;) {
		if (i)
			*to++ = ',';
		to += port_text(to, a, &i);
	}
	if (*ports)
		each(context, "dport", ports);
	each_interface(a, each, context);
}

/* The name of a protocol, or its number where /etc/protocols has none. */
static int protocol_text(char *to, size_t room, unsigned int number)
{
	const struct protoent *known = getprotobynumber(number);

	return known ? snprintf(to, room, "%s", known->p_name) :
		       snprintf(to, room, "%u", number);
}

/* What --allow-protocol was given; "" if nothing. */
static void allow_text(const struct nfac_ioc_attach *a, char *to, size_t room)
{
	size_t at = 0;
	int i;

	*to = 0;
	for (i = 0; i < NFAC_PROTOCOL_WORDS * 32 && at < room; i++) {
		if (!(a->allow[i / 32] >> i % 32 & 1))
			continue;
		if (at && at + 1 < room)
			to[at++] = ',';
		at += protocol_text(to + at, room - at, i);
	}
}

static void each_protocol(const struct nfac_ioc_attach *a, attachment_option each, void *context)
{
	char text[ALLOW_TEXT];

	if (!(a->flags & NFAC_ATTACH_SKIP_DROP))
		return;
	allow_text(a, text, sizeof(text));
	if (!(a->flags & NFAC_ATTACH_PROTOCOL_DROP))
		each(context, "allow-protocol", "all");
	else if (*text)
		each(context, "allow-protocol", text);
}

static void each_mark(attachment_option each, void *context, const char *option, __u32 value,
		      __u32 mask)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%x/0x%x", value, mask);
	each(context, option, text);
}

void attachment_options(const struct nfac_ioc_attach *a, attachment_option each, void *context)
{
	char number[16];
	size_t i;

	each_selector(a, each, context);
	if (a->flags & NFAC_ATTACH_WHEN_MARK)
		each_mark(each, context, "when-mark", a->when_mark, a->when_mask);
	if (a->flags & NFAC_ATTACH_MARK)
		each_mark(each, context, "mark", a->mark, a->mark_mask);
	if (a->flags & NFAC_ATTACH_CANDIDATE)
		each_mark(each, context, "candidate-mark", a->candidate_mark, a->candidate_mask);
	if (a->flags & NFAC_ATTACH_CT_MARK)
		each_mark(each, context, "ct-mark", a->ct_mark, a->ct_mask);
	snprintf(number, sizeof(number), "%u", a->ct_label);
	if (a->flags & NFAC_ATTACH_CT_LABEL)
		each(context, "ct-label", number);
	for (i = 0; i < SWITCHES; i++)
		if (switches[i].option && a->flags & switches[i].flag)
			each(context, switches[i].option, switches[i].value);
	each_protocol(a, each, context);
	if (attach_can_defrag(a) && !(a->flags & NFAC_ATTACH_DEFRAG))
		each(context, "no-defrag", NULL);
	if (!(a->flags & NFAC_ATTACH_REPORT))
		each(context, "no-report", NULL);
}

static void print_option(void *to, const char *option, const char *value)
{
	fprintf(to, " --%s%s%s", option, value ? " " : "", value ?: "");
}

char *attachment_text(const struct nfac_ioc_attach *a)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		return NULL;
	fprintf(to, "%s %d", hook_name(a->hook), a->priority);
	attachment_options(a, print_option, to);
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

static json_t *allow_json(const struct nfac_ioc_attach *a)
{
	json_t *names = json_array();
	char text[ALLOW_TEXT], *rest = text, *one;

	allow_text(a, text, sizeof(text));
	while (*text && (one = strsep(&rest, ",")))
		json_array_append_new(names, json_string(one));
	return names;
}

json_t *attachment_json(const struct nfac_ioc_attach *a)
{
	json_t *object = json_object(), *ports = json_array();
	__u32 flags = a->flags;
	char port[16];
	int at;
	size_t i;

	/* neither flag means both families */
	if (!(flags & (NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6)))
		flags |= NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6;

	json_object_set_new(object, "id", json_integer(a->id));
	json_object_set_new(object, "hook", json_string(hook_name(a->hook)));
	json_object_set_new(object, "priority", json_integer(a->priority));
	if (protocol_name(a->protocol))
		json_object_set_new(object, "proto", json_string(protocol_name(a->protocol)));
	else if (a->protocol)
		json_object_set_new(object, "proto", json_integer(a->protocol));
	for (at = 0; at < a->nports && at < NFAC_PORTS_MAX;) {
		port_text(port, a, &at);
		json_array_append_new(ports, strchr(port, '-') ? json_string(port) :
				      json_integer(atoi(port)));
	}
	if (a->nports)
		json_object_set(object, "dport", ports);
	json_decref(ports);
	if (attach_at_device(a))
		json_object_set_new(object, "dev", json_string(attach_device(a)));
	else if (*a->iif)
		json_object_set_new(object, "iif", json_string(a->iif));
	if (*a->oif && !attach_at_device(a))
		json_object_set_new(object, "oif", json_string(a->oif));
	if (a->flags & NFAC_ATTACH_WHEN_MARK)
		add_mark(object, "when_mark", a->when_mark, a->when_mask);
	if (a->flags & NFAC_ATTACH_MARK)
		add_mark(object, "mark", a->mark, a->mark_mask);
	if (a->flags & NFAC_ATTACH_CANDIDATE)
		add_mark(object, "candidate_mark", a->candidate_mark, a->candidate_mask);
	if (a->flags & NFAC_ATTACH_CT_MARK)
		add_mark(object, "ct_mark", a->ct_mark, a->ct_mask);
	if (a->flags & NFAC_ATTACH_CT_LABEL)
		json_object_set_new(object, "ct_label", json_integer(a->ct_label));
	if (a->flags & NFAC_ATTACH_PROTOCOL_DROP)
		json_object_set_new(object, "allow_protocol", allow_json(a));
	for (i = 0; i < SWITCHES; i++)
		json_object_set_new(object, switches[i].member,
				    json_boolean(flags & switches[i].flag));
	return object;
}
