// SPDX-License-Identifier: GPL-2.0
/*
 * The starts in a row, whatever its stride.
 */
#include "matcher_row.h"

/* A function of its own: inlined, it would take registers from walk(). */
size_t nfac_row_next(const struct nfac_run *run, size_t from)
{
	switch (run->row->stride) {
	case 2: return nfac_row_find(run, run->row, from, 2);
	case 3: return nfac_row_find(run, run->row, from, 3);
	case 4: return nfac_row_find(run, run->row, from, 4);
	default: return nfac_row_find(run, run->row, from, 1);
	}
}
