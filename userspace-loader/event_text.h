/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as text: a line for people, a line of JSON, a line of Suricata's EVE JSON.
 * What `nfac watch` and `nfac queue` share.
 */
#ifndef _NFAC_EVENT_TEXT_H
#define _NFAC_EVENT_TEXT_H

#include <linux/nfac.h>

#include "pattern_text.h"

enum event_format {
	EVENT_TEXT,
	EVENT_JSON,
	EVENT_EVE,
};

/**
 * event_print() - print one event to stdout
 * @text: of the event's pattern; may be one without a name
 */
void event_print(const struct nfac_event *event, const struct pattern_text *text,
		 enum event_format format);

#endif /* _NFAC_EVENT_TEXT_H */
