/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as entries of systemd's journal, each figure a field of its own.
 */
#ifndef _NFAC_EVENT_JOURNAL_H
#define _NFAC_EVENT_JOURNAL_H

#include <stdint.h>

#include <linux/nfac.h>

#include "common/pattern_text.h"

/* Can the journal be reached? Return: 0; -1 after saying why not. */
int event_journal_check(void);

/* Send one event, with the number of those folded into it. The first failure is reported. */
void event_journal(const struct nfac_event *event, const struct pattern_text *text,
		   uint64_t folded);

#endif /* _NFAC_EVENT_JOURNAL_H */
