/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nftables sets: the source addresses of matches, put into the user's sets for a time. By
 * libnftables' text commands: with its JSON, libnftables (1.0.6) dumps the sets for each
 * command, and adding an address to a set of 100,000 takes 0.75 s instead of 29 us.
 */
#ifndef _NFAC_NFT_SET_H
#define _NFAC_NFT_SET_H

#include <stdint.h>

#include <linux/nfac.h>

struct nft_sets;

/**
 * nft_sets_new() - allocate, with no set
 * @seconds: how long an address stays in a set; one that is there for longer, or for
 *	ever, is left alone
 */
struct nft_sets *nft_sets_new(uint64_t seconds);

/**
 * nft_sets_add() - add a set to fill
 * @path: [FAMILY/]TABLE/SET, FAMILY inet by default; a set of ipv4_addr takes the IPv4
 *	sources, one of ipv6_addr the others
 *
 * Return: 0; -1 after saying why: there is no such set, or it is of another type.
 */
int nft_sets_add(struct nft_sets *sets, const char *path);

/* Remember an event's source; it is in the set after nft_sets_flush(). */
void nft_sets_event(struct nft_sets *sets, const struct nfac_event *event);

/* Put new addresses into the sets, in one transaction. Return: 0; -1 after saying why. */
int nft_sets_flush(struct nft_sets *sets);
void nft_sets_free(struct nft_sets *sets);

#endif /* _NFAC_NFT_SET_H */
