/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules by their number (sid): it identifies a match, and so must be unique.
 */
#ifndef _NFAC_SURICATA_SID_H
#define _NFAC_SURICATA_SID_H

#include "formats.h"

/**
 * sid_table_add() - add a rule's number
 * @err: set to 0, or to -1 after saying why
 *
 * Return: the place of the rule that already has this number, or NULL.
 */
const struct place *sid_table_add(struct sid_table *table, uint32_t sid,
				  const struct place *place, int *err);

#endif /* _NFAC_SURICATA_SID_H */
