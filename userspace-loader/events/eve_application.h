/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields http, dns and tls of an alert in Suricata's EVE.
 *
 * Called by text.c for `nfac scan --eve` and `nfac queue --eve`; reads the packet's payload by the
 * engine's parsers of rules' buffers. Events of the kernel carry no payload, so that `nfac watch`
 * has none of these fields. Cost: one parse of the packet for each alert, within the budget of
 * nfac_rules_budget().
 */
#ifndef _NFAC_EVE_APPLICATION_H
#define _NFAC_EVE_APPLICATION_H

#include <jansson.h>

struct payload;

/* Add app_proto and the message's object to @eve, if the payload begins with such a message. */
void eve_application(json_t *eve, const struct payload *payload);

#endif /* _NFAC_EVE_APPLICATION_H */
