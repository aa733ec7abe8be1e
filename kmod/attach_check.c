// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of an attachment's options: what is out of range, and what excludes each other.
 *
 * The ioctl calls it before the attachment is made. attachment.c relies on what it refuses.
 */

#include <linux/in.h>

#include "attachment.h"
#include "conntrack.h"

static const char *nfac_attach_fault_flags(const struct nfac_ioc_attach *want)
{
	u32 flags = want->flags;

	if (flags & ~NFAC_ATTACH_FLAGS)
		return "unknown flag";
	if ((flags & NFAC_ATTACH_GAP_DROP) && (flags & NFAC_ATTACH_GAP_PASS))
		return "a gap either drops or passes";
	if ((flags & (NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_GAP_PASS)) &&
	    !(flags & NFAC_ATTACH_STREAM))
		return "gaps are only in streams";
	if ((flags & NFAC_ATTACH_FULL_DROP) && (flags & NFAC_ATTACH_FULL_PASS))
		return "a full flow table either drops or passes";
	if ((flags & (NFAC_ATTACH_FULL_DROP | NFAC_ATTACH_FULL_PASS)) &&
	    !(flags & NFAC_ATTACH_STREAM))
		return "only streams need the flow table";
	if ((flags & NFAC_ATTACH_DEFRAG) &&
	    (nfac_attach_at_device(want) || (flags & NFAC_ATTACH_BRIDGE)))
		return "fragments are put together for the hooks of IP alone";
	if ((flags & NFAC_ATTACH_BUDGET_MATCH) && (flags & NFAC_ATTACH_BUDGET_PASS))
		return "a rule past its budget either holds or not";
	if ((flags & NFAC_ATTACH_PICKUP) && !(flags & NFAC_ATTACH_GAP_DROP))
		return "only a gap that drops makes pickup an option";
	if ((flags & NFAC_ATTACH_STREAM) && want->protocol &&
	    want->protocol != IPPROTO_TCP)
		return "only TCP has streams";
	return NULL;
}

static const char *nfac_attach_fault_marks(const struct nfac_ioc_attach *want)
{
	u32 flags = want->flags;

	if (want->mark & ~want->mark_mask)
		return "mark has bits outside its mask";
	if (want->ct_mark & ~want->ct_mask)
		return "conntrack mark has bits outside its mask";
	if (want->when_mark & ~want->when_mask)
		return "wanted mark has bits outside its mask";
	if (!(flags & NFAC_ATTACH_MARK) != !want->mark_mask)
		return "a mark needs flag and mask, or neither";
	if (!(flags & NFAC_ATTACH_CT_MARK) != !want->ct_mask)
		return "a conntrack mark needs flag and mask, or neither";
	if (!(flags & NFAC_ATTACH_WHEN_MARK) != !want->when_mask)
		return "a wanted mark needs flag and mask, or neither";
	if (want->candidate_mark & ~want->candidate_mask)
		return "candidate mark has bits outside its mask";
	if (!(flags & NFAC_ATTACH_CANDIDATE) != !want->candidate_mask)
		return "a candidate mark needs flag and mask, or neither";
	if (want->candidate_mask & want->mark_mask)
		return "mark and candidate mark have bits in common";
	if (want->ct_label >= NFAC_CT_LABELS ||
	    (want->ct_label && !(flags & NFAC_ATTACH_CT_LABEL)))
		return "conntrack label past 127, or without its flag";
	return NULL;
}

static const char *nfac_attach_fault_device(const struct nfac_ioc_attach *want)
{
	bool in = want->hook != NFAC_HOOK_EGRESS;

	if (!nfac_attach_at_device(want))
		return NULL;
	if (!(in ? want->iif : want->oif)[0])
		return "the hook of a device needs the device";
	if ((in ? want->oif : want->iif)[0])
		return "the hook of a device has no other device";
	if (in && (want->flags & (NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL)))
		return "at ingress conntrack has not seen the packet";
	return NULL;
}

static const char *nfac_attach_fault_program(const struct nfac_ioc_attach *want)
{
	if (!nfac_attach_at_program(want))
		return NULL;
	if (want->flags & NFAC_ATTACH_STREAM)
		return "a BPF program's packets have no other direction, which streams take";
	if (want->hook == NFAC_HOOK_XDP &&
	    (want->flags & (NFAC_ATTACH_MARK | NFAC_ATTACH_WHEN_MARK | NFAC_ATTACH_CANDIDATE)))
		return "at XDP a packet has no mark";
	return NULL;
}

static const char *nfac_attach_fault_bridge(const struct nfac_ioc_attach *want)
{
	if (!(want->flags & NFAC_ATTACH_BRIDGE))
		return NULL;
	if (nfac_attach_at_device(want))
		return "a bridge has no hooks of devices";
	if (want->iif[0] && want->hook == NFAC_HOOK_POSTROUTING)
		return "at a bridge's postrouting nothing says where a packet came in";
	return NULL;
}

static const char *nfac_attach_fault_where(const struct nfac_ioc_attach *want)
{
	if (want->hook > NFAC_HOOK_TC)
		return "unknown hook";
	if (want->priority == S32_MIN || want->priority == S32_MAX)
		return "priority out of range";
	if (strnlen(want->iif, sizeof(want->iif)) == sizeof(want->iif) ||
	    strnlen(want->oif, sizeof(want->oif)) == sizeof(want->oif))
		return "interface name too long";
	if (want->iif[0] && want->hook == NFAC_HOOK_OUTPUT)
		return "nothing comes in at this hook";
	if (want->oif[0] && (want->hook == NFAC_HOOK_PREROUTING ||
			     want->hook == NFAC_HOOK_INPUT))
		return "nothing goes out at this hook";
	return nfac_attach_fault_device(want) ?: nfac_attach_fault_program(want) ?:
	       nfac_attach_fault_bridge(want);
}

static const char *nfac_attach_fault_ports(const struct nfac_ioc_attach *want)
{
	unsigned int i;

	if (want->nports > NFAC_PORTS_MAX)
		return "too many ports";
	for (i = want->nports; i < NFAC_PORTS_MAX; i++)
		if (want->ports[i])
			return "port past their number";
	if (!(want->flags & NFAC_ATTACH_PORT_RANGES))
		return NULL;
	if (!want->nports || want->nports % 2)
		return "a range of ports has a first and a last one";
	for (i = 0; i < want->nports; i += 2)
		if (want->ports[i] > want->ports[i + 1])
			return "a range of ports ends before it begins";
	return NULL;
}

static const char *nfac_attach_fault_allow(const struct nfac_ioc_attach *want)
{
	bool drop = want->flags & NFAC_ATTACH_PROTOCOL_DROP;

	if (drop && !(want->flags & NFAC_ATTACH_SKIP_DROP))
		return "other protocols are dropped only with what cannot be inspected";
	if (!drop && memchr_inv(want->allow, 0, sizeof(want->allow)))
		return "allowed protocols, where none is dropped";
	return NULL;
}

static const char *nfac_attach_fault_what(const struct nfac_ioc_attach *want)
{
	if (want->protocol > U8_MAX)
		return "protocol out of range";
	if (want->protocol && want->protocol != IPPROTO_TCP &&
	    want->protocol != IPPROTO_UDP && !(want->flags & NFAC_ATTACH_RAW))
		return "protocol is neither TCP nor UDP, and not raw";
	if (want->pad)
		return "padding is not zero";
	return nfac_attach_fault_allow(want) ?: nfac_attach_fault_ports(want);
}

/**
 * nfac_attach_check() - validate the options of an attachment
 * @want: from user space
 * @fault: set to what is wrong, without capital and full stop; NULL when valid
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int nfac_attach_check(const struct nfac_ioc_attach *want, const char **fault)
{
	*fault = nfac_attach_fault_flags(want);
	if (!*fault)
		*fault = nfac_attach_fault_marks(want);
	if (!*fault)
		*fault = nfac_attach_fault_where(want);
	if (!*fault)
		*fault = nfac_attach_fault_what(want);
	return *fault ? -EINVAL : 0;
}
