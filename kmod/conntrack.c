// SPDX-License-Identifier: GPL-2.0
/*
 * Conntrack: its mark, its labels and its view of a TCP connection, where the kernel has it.
 */

#include <linux/kmod.h>
#include <linux/module.h>

#include "conntrack.h"

#if IS_ENABLED(CONFIG_NF_CONNTRACK)

#include <net/netfilter/nf_conntrack.h>
#include <net/netfilter/nf_conntrack_ecache.h>
#include <net/netfilter/nf_conntrack_extend.h>
#include <net/netfilter/nf_conntrack_l4proto.h>
#include <net/netfilter/nf_conntrack_labels.h>

/**
 * nfac_conntrack_request() - load nf_conntrack if it is not there
 * @bridge: and what lets it track the connections that pass bridges
 *
 * For nfac_conntrack_hold(), which is called under locks that must not be held while a
 * module is loaded.
 *
 * Context: process, may sleep long; no locks held.
 */
void nfac_conntrack_request(bool bridge)
{
	if (symbol_get(nf_ct_netns_get))
		symbol_put(nf_ct_netns_get);
	else
		request_module("nf_conntrack");
	if (bridge)
		request_module("nf_conntrack_bridge");
}

static int nfac_labels_hold(struct net *net, u32 label)
{
#ifdef CONFIG_NF_CONNTRACK_LABELS
	typeof(nf_connlabels_get) *get = symbol_get(nf_connlabels_get);
	int err;

	if (!get)
		return -EOPNOTSUPP;
	err = get(net, label);
	if (err)
		symbol_put(nf_connlabels_get);
	return err;
#else
	return -EOPNOTSUPP;
#endif
}

static void nfac_labels_release(struct net *net)
{
#ifdef CONFIG_NF_CONNTRACK_LABELS
	typeof(nf_connlabels_put) *put = symbol_get(nf_connlabels_put);

	/* nfac_labels_hold() took a reference on the module, so it is there */
	if (WARN_ON_ONCE(!put))
		return;
	put(net);
	symbol_put(nf_connlabels_put);
	symbol_put(nf_connlabels_get);
#endif
}

/**
 * nfac_conntrack_hold() - have a namespace's connections tracked
 * @net: the namespace
 * @nfproto: NFPROTO_IPV4, NFPROTO_IPV6, NFPROTO_INET for both, or NFPROTO_BRIDGE
 * @mark: marks will be set
 * @label: bit that will be set, 0 .. NFAC_CT_LABELS - 1, or NFAC_CT_NO_LABEL
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP: this kernel has no conntrack, or no marks or labels of it; or as
 * nf_ct_netns_get() or nf_connlabels_get().
 */
int nfac_conntrack_hold(struct net *net, u8 nfproto, bool mark, u32 label)
{
	typeof(nf_ct_netns_get) *get;
	int err;

	if (mark && !IS_ENABLED(CONFIG_NF_CONNTRACK_MARK))
		return -EOPNOTSUPP;
	get = symbol_get(nf_ct_netns_get);
	if (!get)
		return -EOPNOTSUPP;
	err = get(net, nfproto);
	/* conntrack's answer for a family whose module is not there */
	if (err == -EPROTO)
		err = -EOPNOTSUPP;
	if (err)
		goto err_symbol;
	if (label == NFAC_CT_NO_LABEL)
		return 0;
	err = nfac_labels_hold(net, label);
	if (!err)
		return 0;

	nfac_conntrack_release(net, nfproto, NFAC_CT_NO_LABEL);
	return err;
err_symbol:
	symbol_put(nf_ct_netns_get);
	return err;
}

/**
 * nfac_conntrack_release() - undo nfac_conntrack_hold(), with the same arguments
 * @net: the namespace
 * @nfproto: as held
 * @label: as held
 *
 * Context: process, may sleep.
 */
void nfac_conntrack_release(struct net *net, u8 nfproto, u32 label)
{
	typeof(nf_ct_netns_put) *put;

	if (label != NFAC_CT_NO_LABEL)
		nfac_labels_release(net);
	put = symbol_get(nf_ct_netns_put);
	if (WARN_ON_ONCE(!put))
		return;
	put(net, nfproto);
	symbol_put(nf_ct_netns_put);
	symbol_put(nf_ct_netns_get);
}

/* The packet's connection, if it has one that is more than a template. */
static struct nf_conn *nfac_conntrack_of(struct sk_buff *skb)
{
	enum ip_conntrack_info info;
	struct nf_conn *ct = nf_ct_get(skb, &info);

	return ct && !nf_ct_is_template(ct) ? ct : NULL;
}

/*
 * As nf_conntrack_event_cache(), without its symbols, and for unconfirmed connections too:
 * the first event of these has their mark, but their labels only if they changed.
 */
static void nfac_conntrack_event(struct nf_conn *ct, enum ip_conntrack_events event)
{
#ifdef CONFIG_NF_CONNTRACK_EVENTS
	struct nf_ct_ext *ext = ct->ext;
	struct nf_conntrack_ecache *cache;

	if (!ext || !__nf_ct_ext_exist(ext, NF_CT_EXT_ECACHE))
		return;
	cache = (void *)ext + ext->offset[NF_CT_EXT_ECACHE];
	set_bit(event, &cache->cache);
#endif
}

/**
 * nfac_conntrack_mark() - set bits of the connection's mark
 * @skb: a packet; without a connection nothing is done
 * @mark: the bits, within @mask
 * @mask: the only bits that change; others may be changed concurrently
 *
 * Context: any.
 */
void nfac_conntrack_mark(struct sk_buff *skb, u32 mark, u32 mask)
{
#ifdef CONFIG_NF_CONNTRACK_MARK
	struct nf_conn *ct = nfac_conntrack_of(skb);
	u32 old;

	if (!ct)
		return;
	old = READ_ONCE(ct->mark);
	do {
		if ((old & mask) == mark)
			return;
	} while (!try_cmpxchg(&ct->mark, &old, (old & ~mask) | mark));
	nfac_conntrack_event(ct, IPCT_MARK);
#endif
}
EXPORT_SYMBOL_GPL(nfac_conntrack_mark);

/**
 * nfac_conntrack_label() - set a label of the connection
 * @skb: a packet; without a connection, or with one that is older than the first request
 *	for labels, nothing is done
 * @label: 0 .. NFAC_CT_LABELS - 1
 *
 * Context: any.
 */
void nfac_conntrack_label(struct sk_buff *skb, u32 label)
{
	struct nf_conn *ct = nfac_conntrack_of(skb);
	struct nf_conn_labels *labels;

	if (!ct)
		return;
	labels = nf_ct_labels_find(ct);
	if (labels && !test_and_set_bit(label, labels->bits))
		nfac_conntrack_event(ct, IPCT_LABEL);
}

/**
 * nfac_conntrack_direction() - find the direction of a packet in its connection
 * @skb: the packet
 * @established: set to 1 if the other side has answered, else 0; -1: no connection is known
 *
 * Context: any.
 */
enum nfac_direction nfac_conntrack_direction(const struct sk_buff *skb, s8 *established)
{
	enum ip_conntrack_info info;
	const struct nf_conn *ct = nf_ct_get(skb, &info);

	if (!ct || nf_ct_is_template(ct)) {
		*established = -1;
		return NFAC_DIRECTION_UNKNOWN;
	}
	*established = test_bit(IPS_SEEN_REPLY_BIT, &ct->status);
	return CTINFO2DIR(info) == IP_CT_DIR_ORIGINAL ? NFAC_DIRECTION_TO_SERVER :
							NFAC_DIRECTION_TO_CLIENT;
}

/*
 * The right edge of the window that the other side has advertised, as conntrack accepts it, and
 * its last acknowledgment.
 * Not known: before an answer, of an entry that conntrack does not hold to its window, and
 * where a helper or NAT changes sequence numbers behind this hook.
 */
static bool nfac_conntrack_window(struct nf_conn *ct, enum ip_conntrack_dir dir,
				  struct nfac_track *track)
{
	const struct ip_ct_tcp_state *seen = ct->proto.tcp.seen;

	if (!test_bit(IPS_SEEN_REPLY_BIT, &ct->status) ||
	    test_bit(IPS_SEQ_ADJUST_BIT, &ct->status) ||
	    test_bit(IPS_OFFLOAD_BIT, &ct->status) ||
	    ((seen[0].flags | seen[1].flags) & IP_CT_TCP_FLAG_BE_LIBERAL) ||
	    !READ_ONCE(seen[0].td_maxwin) || !READ_ONCE(seen[1].td_maxwin) ||
	    nf_tcp_pernet(nf_ct_net(ct))->tcp_be_liberal)
		return false;
	track->window_end = READ_ONCE(seen[dir].td_maxend);
	track->acked = READ_ONCE(seen[!dir].td_maxack);
	return true;
}

/**
 * nfac_conntrack_track() - find the state of a TCP segment's connection in conntrack
 * @skb: the segment
 * @track: filled in; all false when conntrack has no entry, because it is not in use or found the
 *	segment invalid
 *
 * Context: any.
 */
void nfac_conntrack_track(const struct sk_buff *skb, struct nfac_track *track)
{
	enum ip_conntrack_info info;
	struct nf_conn *ct = nf_ct_get(skb, &info);

	memset(track, 0, sizeof(*track));
	track->ignored = info == IP_CT_UNTRACKED;
	if (!ct || nf_ct_is_template(ct) || nf_ct_protonum(ct) != IPPROTO_TCP)
		return;
	track->entry = true;
	track->assured = test_bit(IPS_ASSURED_BIT, &ct->status);
	track->window = nfac_conntrack_window(ct, CTINFO2DIR(info), track);
}

#else /* no conntrack in this kernel */

void nfac_conntrack_track(const struct sk_buff *skb, struct nfac_track *track)
{
	memset(track, 0, sizeof(*track));
}

enum nfac_direction nfac_conntrack_direction(const struct sk_buff *skb, s8 *established)
{
	*established = -1;
	return NFAC_DIRECTION_UNKNOWN;
}

void nfac_conntrack_request(bool bridge)
{
}

int nfac_conntrack_hold(struct net *net, u8 nfproto, bool mark, u32 label)
{
	return -EOPNOTSUPP;
}

void nfac_conntrack_release(struct net *net, u8 nfproto, u32 label)
{
}

void nfac_conntrack_mark(struct sk_buff *skb, u32 mark, u32 mask)
{
}

void nfac_conntrack_label(struct sk_buff *skb, u32 label)
{
}

#endif
