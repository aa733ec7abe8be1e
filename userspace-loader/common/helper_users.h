/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Users of a set's conntrack helper: rulesets of nftables, in any network namespace.
 */
#ifndef _NFAC_HELPER_USERS_H
#define _NFAC_HELPER_USERS_H

/**
 * helper_users_report() - say which rulesets name the helper of a set
 * @set: the set's name
 *
 * A helper is the kernel's, not a namespace's: while any ruleset names it, no namespace can unload
 * its set of that name, and the kernel does not say which ruleset it is. This looks for objects
 * `ct helper` in each network namespace that has a name of ip-netns(8) or a process, as far as
 * this process may enter it. Rules of iptables (-j CT --helper) are not found.
 */
void helper_users_report(const char *set);

#endif /* _NFAC_HELPER_USERS_H */
