// SPDX-License-Identifier: GPL-2.0
/*
 * The matcher's entry point: one block of text is searched for all patterns of a set.
 *
 * Callers are nfac_scan_text() and the benchmark. Patterns of NFAC_GRAM bytes and more are found
 * by the walk over records (records.c) or over a double array (darray.c), shorter ones by
 * short_patterns.c. The cursor carries the state to the next block.
 */
#include "memory.h"
#include "entry.h"

/* Shift the block's last bytes into the cursor. Missing bytes are 0. */
static void remember_last(struct nfac_run *run)
{
	const u32 most = NFAC_GRAM - 1;
	const s64 from = (s64)run->len - NFAC_GRAM;
	struct nfac_cursor *cur = run->cur;
	u32 have = run->have + (run->len < most ? run->len : most);
	/* one load: bytes that were just stored one by one cannot be forwarded to a wider load */
	u32 gram = likely(from >= 0) ? nfac_gram_at(run->text + from) :
				       nfac_gram_across(run, from);
	u32 k;

	for (k = 0; k < most; k++)
		cur->last[k] = gram >> 8 * (k + 1);
	cur->position |= (have < most ? have : most) << 6;
}

u64 nfac_match_block(struct nfac_match_memory *memory, const struct nfac_automaton *a,
		     struct nfac_cursor *cur, const u8 *text, size_t len, enum nfac_path path,
		     nfac_hit_fn fn, void *ctx)
{
	struct nfac_run *run = &memory->run;

	if (!len)
		return 0;
	/* every member is set, so the compiler does not clear the structure first */
	*run = (struct nfac_run){
		.a = a, .cur = cur, .text = text, .len = len, .fn = fn, .ctx = ctx, .calls = 0,
		.short_done = 0, .short_from = 0, .short_to = 0, .short_ends = 0,
		.failure = NFAC_FLOOD_NONE, .false_cost = 0, .false_at = 0,
		.flood = &memory->flood, .letter_case = &memory->letter_case,
		.batch = &memory->batch, .lanes = &memory->lanes, .path = path,
		.have = cur->position >> 6, .stopped = false,
	};
	run->letter_case->from = 0;
	run->letter_case->to = 0;
	run->batch->to = 0;
	run->batch->suffix = false;
	nfac_flood_init(run->flood);
	if (!a->entries.slots_count)
		cur->position = 0;
	else if (a->flags & NFAC_SET_DARRAY)
		nfac_darray_scan(run);
	else
		nfac_records_scan(run);
	if (a->short_lengths)
		nfac_short_patterns(run, len);
	if (a->flags & NFAC_SET_LETTER_CASE)
		nfac_letter_case_save(run);
	remember_last(run);
	return run->calls;
}
