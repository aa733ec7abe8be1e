// SPDX-License-Identifier: GPL-2.0
/*
 * Defragmentation before the hooks of IP, for attachments with that option.
 *
 * Netfilter defragments at priority -400 of prerouting and output, in a namespace in which
 * conntrack or another user has enabled it; here an attachment enables it. Forwarded packets are
 * fragmented again behind the hooks.
 */

#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/netfilter.h>

#include "compat.h"
#include "defrag.h"

#if IS_ENABLED(CONFIG_NF_DEFRAG_IPV4)
#include <net/netfilter/ipv4/nf_defrag_ipv4.h>

static int nfac_defrag4_hold(struct net *net)
{
	typeof(nf_defrag_ipv4_enable) *enable = symbol_get(nf_defrag_ipv4_enable);
	int err;

	if (!enable)
		return -EOPNOTSUPP;
	err = enable(net);
	if (err)
		symbol_put(nf_defrag_ipv4_enable);
	return err;
}

static void nfac_defrag4_release(struct net *net)
{
#ifdef NFAC_HAVE_DEFRAG_DISABLE
	typeof(nf_defrag_ipv4_disable) *disable = symbol_get(nf_defrag_ipv4_disable);

	/* nfac_defrag4_hold() holds the module, so it is there */
	if (WARN_ON_ONCE(!disable))
		return;
	disable(net);
	symbol_put(nf_defrag_ipv4_disable);
#endif
	symbol_put(nf_defrag_ipv4_enable);
}

static void nfac_defrag4_request(void)
{
	if (symbol_get(nf_defrag_ipv4_enable))
		symbol_put(nf_defrag_ipv4_enable);
	else
		request_module("nf_defrag_ipv4");
}
#else
static int nfac_defrag4_hold(struct net *net)
{
	return -EOPNOTSUPP;
}

static void nfac_defrag4_release(struct net *net)
{
}

static void nfac_defrag4_request(void)
{
}
#endif

#if IS_ENABLED(CONFIG_NF_DEFRAG_IPV6)
#include <net/netfilter/ipv6/nf_defrag_ipv6.h>

static int nfac_defrag6_hold(struct net *net)
{
	typeof(nf_defrag_ipv6_enable) *enable = symbol_get(nf_defrag_ipv6_enable);
	int err;

	if (!enable)
		return -EOPNOTSUPP;
	err = enable(net);
	if (err)
		symbol_put(nf_defrag_ipv6_enable);
	return err;
}

static void nfac_defrag6_release(struct net *net)
{
#ifdef NFAC_HAVE_DEFRAG_DISABLE
	typeof(nf_defrag_ipv6_disable) *disable = symbol_get(nf_defrag_ipv6_disable);

	if (WARN_ON_ONCE(!disable))
		return;
	disable(net);
	symbol_put(nf_defrag_ipv6_disable);
#endif
	symbol_put(nf_defrag_ipv6_enable);
}

static void nfac_defrag6_request(void)
{
	if (symbol_get(nf_defrag_ipv6_enable))
		symbol_put(nf_defrag_ipv6_enable);
	else
		request_module("nf_defrag_ipv6");
}
#else
static int nfac_defrag6_hold(struct net *net)
{
	/* a kernel without IPv6 has none of its fragments */
	return IS_ENABLED(CONFIG_IPV6) ? -EOPNOTSUPP : 0;
}

static void nfac_defrag6_release(struct net *net)
{
}

static void nfac_defrag6_request(void)
{
}
#endif

/**
 * nfac_defrag_request() - load the modules if they are not there
 *
 * For nfac_defrag_hold(), which is called under locks that must not be held while a module is
 * loaded.
 *
 * Context: process, may sleep long; no locks held.
 */
void nfac_defrag_request(void)
{
	nfac_defrag4_request();
	nfac_defrag6_request();
}

/**
 * nfac_defrag_hold() - have a namespace's fragments put together
 * @net: the namespace
 * @nfproto: NFPROTO_IPV4, NFPROTO_IPV6 or NFPROTO_INET for both
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP: this kernel cannot; or as nf_register_net_hooks().
 */
int nfac_defrag_hold(struct net *net, u8 nfproto)
{
	int err = 0;

	if (nfproto != NFPROTO_IPV6)
		err = nfac_defrag4_hold(net);
	if (err || nfproto == NFPROTO_IPV4)
		return err;
	err = nfac_defrag6_hold(net);
	if (err && nfproto != NFPROTO_IPV6)
		nfac_defrag4_release(net);
	return err;
}

/**
 * nfac_defrag_release() - undo nfac_defrag_hold(), with the same arguments
 * @net: the namespace
 * @nfproto: as held
 *
 * Linux 5.10 and others that cannot stop it go on until the namespace ends.
 *
 * Context: process, may sleep.
 */
void nfac_defrag_release(struct net *net, u8 nfproto)
{
	if (nfproto != NFPROTO_IPV6)
		nfac_defrag4_release(net);
	if (nfproto != NFPROTO_IPV4)
		nfac_defrag6_release(net);
}
