// SPDX-License-Identifier: GPL-2.0
/*
 * Sets and attachments in the first network namespace, and packets for them.
 */

#include "../kmod/hook.h"
#include "help_hook.h"

struct nfac_set *help_set_in_force(struct kunit *test, const char *name, const char *blob)
{
	struct nfac_net *nn = nfac_net(&init_net);
	struct nfac_load *load = help_load(test, nn->budget, blob);
	struct nfac_set *set;

	mutex_lock(&nn->lock);
	set = nfac_set_find(nn, name) ?: nfac_set_create(nn, name);
	if (!IS_ERR(set))
		nfac_set_publish(nn, set, load);
	mutex_unlock(&nn->lock);
	KUNIT_ASSERT_FALSE(test, IS_ERR(set));
	return set;
}

void help_set_gone(struct nfac_set *set)
{
	struct nfac_net *nn = nfac_net(&init_net);

	mutex_lock(&nn->lock);
	nfac_set_remove(nn, set);
	mutex_unlock(&nn->lock);
	nfac_free_flush();
}

struct nfac_attachment *help_attach(const struct nfac_ioc_attach *want)
{
	struct nfac_net *nn = nfac_net(&init_net);
	struct nfac_attachment *att;

	mutex_lock(&nn->lock);
	att = nfac_attach(nn, want);
	mutex_unlock(&nn->lock);
	return att;
}

void help_detach(struct nfac_attachment *att)
{
	struct nfac_net *nn = nfac_net(&init_net);

	mutex_lock(&nn->lock);
	nfac_detach(att);
	mutex_unlock(&nn->lock);
}

unsigned int help_hook(struct nfac_attachment *att, struct sk_buff *skb)
{
	struct nf_hook_state state = {
		.hook = att->want.hook,
		.pf = skb->protocol == htons(ETH_P_IPV6) ? NFPROTO_IPV6 : NFPROTO_IPV4,
		.in = init_net.loopback_dev,
		.net = &init_net,
	};
	unsigned int verdict;

	rcu_read_lock();
	verdict = nfac_hook(att, skb, &state);
	rcu_read_unlock();
	return verdict;
}

u64 help_count(const struct nfac_attachment *att, enum nfac_counter counter)
{
	return nfac_stats_sum(att->stats, counter);
}
