// SPDX-License-Identifier: GPL-2.0
/*
 * Places: who lies where in a bucket of the flow table, and who must go for whom.
 */
#include "slots.h"

/**
 * nfac_flow_search() - a direction's place, if it has not the first of its places
 * @bucket: where it can be, locked
 * @hash: its name
 *
 * Return: the place, or NULL when it has none.
 */
struct nfac_flow *nfac_flow_search(struct nfac_flow_bucket *bucket, u64 hash)
{
	u32 i, tag = nfac_flow_tag(hash);

	for (i = 0; i < NFAC_FLOW_SLOTS; i++)
		if (bucket->tag[i] == tag &&
		    bucket->flow[i].key == lower_32_bits(hash))
			return &bucket->flow[i];
	return NULL;
}

/* The greater the sooner it goes; 0: it stays. */
static u32 nfac_flow_spare(const struct nfac_flow *flow, struct nfac_flow_clock clock)
{
	bool matched = flow->flags & NFAC_FLOW_MATCHED;
	bool ended = flow->flags & NFAC_FLOW_ENDED;
	u32 rank;

	/* an end that perhaps only we saw, where a match was dropped, is none yet */
	if (ended && !matched)
		rank = 3;
	else if (!(flow->flags & NFAC_FLOW_CONFIRMED))
		rank = 2;
	else if (ended || nfac_flow_idle(flow, clock))
		rank = 1;
	else
		return 0;
	return rank << 16 | nfac_flow_silent(flow, clock);
}

/**
 * nfac_flow_take() - a place for a new direction
 * @bucket: where it can be, locked; does not have it yet
 * @hash: its name
 * @attachment: id
 * @clock: what the time is
 * @evicted: set when somebody else had to go who was not closed
 *
 * Return: the place, zero but for its name; NULL when all are live.
 */
struct nfac_flow *nfac_flow_take(struct nfac_flow_bucket *bucket, u64 hash,
				 u32 attachment, struct nfac_flow_clock clock,
				 bool *evicted)
{
	u32 i, best = 0, chosen = nfac_flow_first_slot(nfac_flow_tag(hash));
	struct nfac_flow *flow;

	*evicted = false;
	if (!bucket->tag[chosen])
		goto found;
	chosen = NFAC_FLOW_SLOTS;
	for (i = 0; i < NFAC_FLOW_SLOTS; i++) {
		u32 spare;

		if (!bucket->tag[i]) {
			chosen = i;
			goto found;
		}
		spare = nfac_flow_spare(&bucket->flow[i], clock);
		if (spare > best) {
			best = spare;
			chosen = i;
		}
	}
	if (chosen == NFAC_FLOW_SLOTS)
		return NULL;
	/* where only we saw the end, the receiver may go on */
	*evicted = (bucket->flow[chosen].flags & (NFAC_FLOW_ENDED | NFAC_FLOW_MATCHED)) !=
		   NFAC_FLOW_ENDED;
found:
	flow = &bucket->flow[chosen];
	memset(flow, 0, sizeof(*flow));
	flow->key = lower_32_bits(hash);
	flow->attachment = attachment;
	flow->seen = clock.now;
	bucket->tag[chosen] = nfac_flow_tag(hash);
	return flow;
}
