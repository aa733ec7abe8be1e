/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Network namespaces by name, as of ip-netns(8).
 */
#ifndef _NFAC_NETNS_H
#define _NFAC_NETNS_H

/* Where ip-netns(8) keeps the names. */
#define NETNS_DIR	"/run/netns"

/**
 * netns_enter() - go on in another network namespace
 * @name: of `ip netns`, or with a slash the file of one, as /proc/123/ns/net
 *
 * /sys shows that namespace's interfaces and counters afterwards.
 *
 * Return: 0; -1 after saying why not.
 */
int netns_enter(const char *name);

#endif /* _NFAC_NETNS_H */
