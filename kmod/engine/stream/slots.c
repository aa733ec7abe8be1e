// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of the flow table, and the order in which their directions are evicted.
 */
#include "slots.h"

/**
 * nfac_flow_search() - find the slot of a direction that is not in its first slot
 * @bucket: where it can be, locked
 * @hash: of the direction
 *
 * Return: the slot, or NULL when it has none.
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

/* Eviction classes, the last one first. */
enum nfac_flow_class {
	NFAC_FLOW_STAYS,
	NFAC_FLOW_IDLE,		/* assured, but idle; or ended where a match was dropped */
	NFAC_FLOW_ONE_SIDED,	/* carried data in order, but the other side did not answer */
	NFAC_FLOW_BEGUN,	/* one segment, which any host can send */
	NFAC_FLOW_OVER,		/* ended */
};

static enum nfac_flow_class nfac_flow_class(const struct nfac_flow *flow,
					    struct nfac_flow_clock clock)
{
	bool matched = flow->flags & NFAC_FLOW_MATCHED;
	bool ended = flow->flags & NFAC_FLOW_ENDED;

	/* where a match was dropped, the receiver may not have seen the end */
	if (ended && !matched)
		return NFAC_FLOW_OVER;
	if (flow->flags & NFAC_FLOW_ASSURED)
		return ended || nfac_flow_idle(flow, clock) ? NFAC_FLOW_IDLE : NFAC_FLOW_STAYS;
	return flow->flags & NFAC_FLOW_CONFIRMED ? NFAC_FLOW_ONE_SIDED : NFAC_FLOW_BEGUN;
}

/*
 * Every direction of a full bucket is assured and live. One client may have opened them all:
 * then its oldest one yields to another client's.
 */
static u32 nfac_flow_over_share(const struct nfac_flow_bucket *bucket, u32 client,
				struct nfac_flow_clock clock)
{
	u32 i, k, count, chosen;

	for (i = 0; i < NFAC_FLOW_SLOTS - NFAC_FLOW_SHARE + 1; i++) {
		if (bucket->flow[i].client == client)
			continue;
		count = 1;
		chosen = i;
		for (k = i + 1; k < NFAC_FLOW_SLOTS; k++) {
			if (bucket->flow[k].client != bucket->flow[i].client)
				continue;
			count++;
			if (nfac_flow_silent(&bucket->flow[k], clock) >
			    nfac_flow_silent(&bucket->flow[chosen], clock))
				chosen = k;
		}
		if (count >= NFAC_FLOW_SHARE)
			return chosen;
	}
	return NFAC_FLOW_SLOTS;
}

/* The slot to evict: of the last class the one that was silent longest. */
static u32 nfac_flow_victim(const struct nfac_flow_bucket *bucket, u32 client,
			    struct nfac_flow_clock clock)
{
	enum nfac_flow_class class, last = NFAC_FLOW_STAYS;
	u32 i, silent, longest = 0, chosen = NFAC_FLOW_SLOTS;

	for (i = 0; i < NFAC_FLOW_SLOTS; i++) {
		class = nfac_flow_class(&bucket->flow[i], clock);
		silent = nfac_flow_silent(&bucket->flow[i], clock);
		if (class < last || class == NFAC_FLOW_STAYS ||
		    (class == last && silent <= longest))
			continue;
		last = class;
		longest = silent;
		chosen = i;
	}
	return chosen < NFAC_FLOW_SLOTS ? chosen : nfac_flow_over_share(bucket, client, clock);
}

static u32 nfac_flow_free_slot(const struct nfac_flow_bucket *bucket, u64 hash)
{
	u32 i = nfac_flow_first_slot(nfac_flow_tag(hash));

	if (!bucket->tag[i])
		return i;
	for (i = 0; i < NFAC_FLOW_SLOTS; i++)
		if (!bucket->tag[i])
			break;
	return i;
}

/**
 * nfac_flow_take() - take a slot for a new direction
 * @bucket: where it can be, locked; does not have it yet
 * @hash: of the direction
 * @attachment: id
 * @client: hash of the address that began the connection
 * @clock: the time
 * @evicted: set when a direction that had not ended lost its slot
 *
 * In a full bucket the first that there is of these is evicted, of several the one that was
 * silent longest: an ended direction; one that began and carried no data in order; one that
 * no answer assured; an idle one. So a flood evicts its own directions, and a direction that
 * both sides agreed to loses its slot to idleness only, or to another client when its own
 * client has NFAC_FLOW_SHARE of the bucket's slots. While a bucket has a free slot, no direction
 * has lost one there.
 *
 * Return: the slot, zero but for the arguments, its window and @peer_scale; NULL when all stay.
 */
struct nfac_flow *nfac_flow_take(struct nfac_flow_bucket *bucket, u64 hash,
				 u32 attachment, u32 client, struct nfac_flow_clock clock,
				 bool *evicted)
{
	u32 chosen = nfac_flow_free_slot(bucket, hash);
	bool full = chosen == NFAC_FLOW_SLOTS;
	struct nfac_flow_window *window;
	struct nfac_flow *flow;

	*evicted = false;
	if (full) {
		chosen = nfac_flow_victim(bucket, client, clock);
		if (chosen == NFAC_FLOW_SLOTS)
			return NULL;
		/* with a match, the receiver may go on behind the end */
		*evicted = (bucket->flow[chosen].flags & (NFAC_FLOW_ENDED | NFAC_FLOW_MATCHED)) !=
			   NFAC_FLOW_ENDED;
	}
	flow = &bucket->flow[chosen];
	window = flow->window;
	memset(flow, 0, sizeof(*flow));
	flow->window = window;
	flow->key = lower_32_bits(hash);
	flow->attachment = attachment;
	flow->client = client;
	flow->seen = clock.now;
	flow->peer_scale = full ? NFAC_SCALE_UNPROVEN : NFAC_SCALE_NONE;
	bucket->tag[chosen] = nfac_flow_tag(hash);
	return flow;
}
