// SPDX-License-Identifier: GPL-2.0
/*
 * The request for one element of an nftables set, by libnftnl over netlink.
 */
#ifdef HAVE_NFTABLES

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <libnftnl/set.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "common/message.h"
#include "nft_element.h"

struct mnl_socket *nft_element_open(void)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_NETFILTER);

	if (!socket || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID)) {
		complain("cannot speak to nftables: %s", strerror(errno));
		if (socket)
			mnl_socket_close(socket);
		return NULL;
	}
	return socket;
}

static uint16_t family_number(const char *name)
{
	static const struct {
		const char *name;
		uint16_t number;
	} families[] = {
		{ "inet", NFPROTO_INET },
		{ "ip", NFPROTO_IPV4 },
		{ "ip6", NFPROTO_IPV6 },
		{ "arp", NFPROTO_ARP },
		{ "bridge", NFPROTO_BRIDGE },
		{ "netdev", NFPROTO_NETDEV },
	};
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (!strcmp(families[i].name, name))
			return families[i].number;
	return NFPROTO_UNSPEC;
}

static int on_answer(const struct nlmsghdr *message, void *context)
{
	struct nftnl_set_elems_iter *all = NULL;
	struct nftnl_set *set = nftnl_set_alloc();
	struct nftnl_set_elem *element = NULL;
	uint64_t *left = context;

	if (set && !nftnl_set_elems_nlmsg_parse(message, set))
		all = nftnl_set_elems_iter_create(set);
	if (all)
		element = nftnl_set_elems_iter_next(all);
	if (element && nftnl_set_elem_is_set(element, NFTNL_SET_ELEM_EXPIRATION))
		*left = nftnl_set_elem_get_u64(element, NFTNL_SET_ELEM_EXPIRATION) / 1000;
	else if (element)
		*left = NFT_ELEMENT_FOR_EVER;
	if (all)
		nftnl_set_elems_iter_destroy(all);
	if (set)
		nftnl_set_free(set);
	return MNL_CB_OK;
}

/* The request, in @buffer; NULL: no memory. */
static struct nlmsghdr *question(char *buffer, const char *family, const char *table,
				 const char *name, const void *key, size_t length)
{
	struct nftnl_set_elem *element = nftnl_set_elem_alloc();
	struct nftnl_set *set = nftnl_set_alloc();
	struct nlmsghdr *message = NULL;

	if (!set || !element)
		goto out;
	nftnl_set_set_str(set, NFTNL_SET_TABLE, table);
	nftnl_set_set_str(set, NFTNL_SET_NAME, name);
	nftnl_set_elem_set(element, NFTNL_SET_ELEM_KEY, key, length);
	nftnl_set_elem_add(set, element);
	element = NULL;		/* owned by the set */
	message = nftnl_nlmsg_build_hdr(buffer, NFT_MSG_GETSETELEM, family_number(family),
					NLM_F_ACK, 0);
	nftnl_set_elems_nlmsg_build_payload(message, set);
out:
	if (element)
		nftnl_set_elem_free(element);
	if (set)
		nftnl_set_free(set);
	return message;
}

uint64_t nft_element_left(struct mnl_socket *socket, const char *family, const char *table,
			  const char *set, const void *key, size_t length)
{
	static char buffer[1 << 15];
	struct nlmsghdr *message = question(buffer, family, table, set, key, length);
	uint64_t left = 0;
	ssize_t got;

	if (!message || mnl_socket_sendto(socket, message, message->nlmsg_len) < 0)
		return 0;
	/* the answer if there is one, then the acknowledgment or an error */
	do {
		got = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		if (got > 0)
			got = mnl_cb_run(buffer, got, 0, mnl_socket_get_portid(socket),
					 on_answer, &left);
	} while (got > 0);
	return left;
}

#endif
