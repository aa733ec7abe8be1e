// SPDX-License-Identifier: GPL-2.0
/*
 * Pending programs: the rules whose anchors matched in a packet, each once.
 *
 * The scan adds them; the inspecting function evaluates them when the payload was scanned.
 *
 * The hash has a secret factor (multiply-shift; Dietzfelbinger et al. 1997), so that no sender can
 * choose anchors whose programs share a slot and displace another rule. The second factor separates
 * programs of one size, which are an arithmetic progression.
 *
 * Cost: one search of a hash table for each anchor that matched, at most PROBES_MAX slots long.
 */
#include "rules.h"

#define SECOND_FACTOR	0x9e3779b97f4a7c15ull
#define SLOTS_LOG2	9
#define SLOTS		BIT(SLOTS_LOG2)

/* Of 2 million random factors none made a sequence of more than 55 full slots of 512. */
#define PROBES_MAX	128u

static_assert(SLOTS == 2 * NFAC_PENDING_MAX, "half full at most: short sequences of full slots");

void nfac_pending_key(struct nfac_pending *pending, u64 secret)
{
	pending->factor = secret | 1;
}

void nfac_pending_init(struct nfac_pending *pending)
{
	pending->count = 0;
	pending->overflow = false;
	memset(pending->slot, 0, sizeof(pending->slot));
}

void nfac_pending_add(struct nfac_pending *pending, u32 program, s32 at, u16 length)
{
	u64 mix = pending->factor * program;
	u32 hash = (mix ^ mix >> 32) * SECOND_FACTOR >> (64 - SLOTS_LOG2), i;

	for (i = 0; i < PROBES_MAX; i++) {
		u16 *slot = &pending->slot[(hash + i) & (SLOTS - 1)];

		if (*slot && pending->program[*slot - 1] == program)
			return;
		if (*slot)
			continue;
		if (pending->count == NFAC_PENDING_MAX)
			break;
		pending->program[pending->count] = program;
		pending->at[pending->count] = at;
		pending->length[pending->count] = length;
		*slot = ++pending->count;
		return;
	}
	pending->overflow = true;
}
