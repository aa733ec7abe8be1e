/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One element of an nftables set: how long it stays.
 *
 * By libnftnl, which reads the one element in 9 us. libnftables (1.0.6) dumps the sets first:
 * `get element` takes 0.49 s in a table with two sets of 100,000 elements, and its JSON has no
 * such command. docs/development.md has the comparison.
 */
#ifndef _NFAC_NFT_ELEMENT_H
#define _NFAC_NFT_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

struct mnl_socket;

#define NFT_ELEMENT_FOR_EVER	UINT64_MAX

/* Return: a socket, closed by the caller (mnl_socket_close()); NULL after saying why. */
struct mnl_socket *nft_element_open(void);

/**
 * nft_element_left() - how long an element, or the range that holds it, stays in its set
 * @family: as nft(8) names it
 * @key: @length bytes, in network order
 *
 * Return: seconds, NFT_ELEMENT_FOR_EVER when it has no timeout; 0 when the set does not hold it,
 * or the kernel refuses the request.
 */
uint64_t nft_element_left(struct mnl_socket *socket, const char *family, const char *table,
			  const char *set, const void *key, size_t length);

#endif /* _NFAC_NFT_ELEMENT_H */
