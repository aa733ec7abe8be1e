// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the next candidate in a batch: one loop for each stride.
 */
#include "candidates.h"

/* not inlined: it would take registers from walk() */
size_t nfac_candidates_next(const struct nfac_run *run, size_t from)
{
	const u32 stride = run->batch->stride;

	if (stride == NFAC_GRAM)
		return nfac_candidates_find(run, from, NFAC_GRAM, NFAC_GRAM);
	if (stride == 2)
		return nfac_candidates_find(run, from, 2, 2);
	if (stride == 1)
		return nfac_candidates_find(run, from, 1, 1);
	if (run->batch->group > 3)
		return nfac_candidates_find(run, from, 3, 4);
	return nfac_candidates_find(run, from, 3, 3);
}
