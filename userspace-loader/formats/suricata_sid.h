/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which rule has a number already: a match is told by it, so it must be one rule's.
 */
#ifndef _NFAC_SURICATA_SID_H
#define _NFAC_SURICATA_SID_H

#include "formats.h"

/**
 * sid_table_add() - a rule has this number
 * @err: 0, or -1 after saying why
 *
 * Return: where the rule stands that had it before, or NULL.
 */
const struct place *sid_table_add(struct sid_table *table, uint32_t sid,
				  const struct place *place, int *err);

#endif /* _NFAC_SURICATA_SID_H */
