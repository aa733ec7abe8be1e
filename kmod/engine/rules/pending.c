// SPDX-License-Identifier: GPL-2.0
/*
 * Pending programs: the rules whose anchors matched in a packet, each once.
 *
 * The scan adds them; the inspecting function evaluates them when the payload was scanned.
 *
 * Cost: one probe of a hash table for each anchor that matched, at most PROBES_MAX slots long.
 */
#include "rules.h"

#define SLOTS		(2 * NFAC_PENDING_MAX)	/* half full at most: short probe sequences */
#define PROBES_MAX	16u

void nfac_pending_init(struct nfac_pending *pending)
{
	pending->count = 0;
	pending->overflow = false;
	memset(pending->slot, 0, sizeof(pending->slot));
}

void nfac_pending_add(struct nfac_pending *pending, u32 program, s32 at, u16 length)
{
	u32 hash = program * 0x9e3779b1u >> 16, i;

	for (i = 0; i < PROBES_MAX; i++) {
		u16 *slot = &pending->slot[(hash + i) % SLOTS];

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
