/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * xt_nfac: the match "nfac" of iptables and ip6tables, revision 0
 */
#ifndef _UAPI_LINUX_XT_NFAC_H
#define _UAPI_LINUX_XT_NFAC_H

#include <linux/types.h>

#define XT_NFAC_NAME_LEN	32	/* NFAC_NAME_LEN */

#define XT_NFAC_INVERT		(1u << 0)	/* match when nothing is found */
#define XT_NFAC_FLAGS		((1u << 1) - 1)

/**
 * struct xt_nfac_info - a rule's match
 * @set: name of the set, NUL-padded; in the rule's network namespace
 * @from: first byte of the payload that is searched, from 0
 * @to: one past the last; ~0: all to the end. More than @from
 * @flags: XT_NFAC_*
 * @pad: 0
 * @held: the kernel's own
 *
 * A pattern counts when all of it is between @from and @to. The payload begins
 * after the TCP or UDP header, in other protocols after the IP headers; each datagram
 * of a UDP GSO packet has its own. A packet that cannot be inspected matches neither
 * with nor without XT_NFAC_INVERT.
 *
 * Errors when the rule is added: ENOENT (no such set), EINVAL (a value outside
 * its range).
 */
struct xt_nfac_info {
	char set[XT_NFAC_NAME_LEN];
	__u32 from;
	__u32 to;
	__u32 flags;
	__u32 pad;
	struct nfac_set *held __attribute__((aligned(8)));
};

#endif /* _UAPI_LINUX_XT_NFAC_H */
