/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reporting the matches of double array states.
 */
#ifndef _NFAC_MATCH_DARRAY_REPORT_H
#define _NFAC_MATCH_DARRAY_REPORT_H

#include "run.h"
#include "../darray.h"

/* Element of an array of states: of 32 bits with @wide, else of 16. */
static __always_inline u32 nfac_state_get(const void *states, u32 i, const bool wide)
{
	return wide ? ((const u32 *)states)[i] : ((const u16 *)states)[i];
}

static __always_inline void nfac_state_put(void *states, u32 i, u32 state, const bool wide)
{
	if (wide)
		((u32 *)states)[i] = state;
	else
		((u16 *)states)[i] = state;
}

/* Output of a state that matches. */
static __always_inline u32 nfac_state_output(const struct nfac_automaton *a, u32 state,
					     const bool wide)
{
	return nfac_table_output(&a->matches, nfac_darray_base(state, wide));
}

/**
 * nfac_darray_report() - report the matches of @n states, and the short patterns, in order
 * @run: the call
 * @states: the state behind each of @n bytes of the block; readable in multiples of 64
 * @n: at least one
 * @pos: the first of these bytes; NFAC_GRAM - 1 bytes of the block are before it
 * @wide: states are of 32 bits
 */
void nfac_darray_report(struct nfac_run *run, const void *states, u32 n, size_t pos, bool wide);

#endif /* _NFAC_MATCH_DARRAY_REPORT_H */
