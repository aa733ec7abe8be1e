/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attachments as text: what one selects and does, as options of `nfac attach`.
 */
#ifndef _NFAC_ATTACHMENT_H
#define _NFAC_ATTACHMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <linux/nfac.h>

/* Is its hook that of a device? */
bool attach_at_device(const struct nfac_ioc_attach *attach);

/* Does a BPF program bring its packets? */
bool attach_at_program(const struct nfac_ioc_attach *attach);

/* The device, where its hook is that of one. */
const char *attach_device(const struct nfac_ioc_attach *attach);

/* Does it drop, at a hook of IP, where fragments can be put together before it? */
bool attach_can_defrag(const struct nfac_ioc_attach *attach);

/* Receives an option by its long name, with its value, or NULL. */
typedef void (*attachment_option)(void *context, const char *option, const char *value);

/* All options but hook and priority that `nfac attach` takes for this attachment. */
void attachment_options(const struct nfac_ioc_attach *attach, attachment_option each,
			void *context);

/* "prerouting -190 --proto tcp --drop"; the caller frees it; NULL without memory. */
char *attachment_text(const struct nfac_ioc_attach *attach);

/* The same as an object; NULL without memory. */
json_t *attachment_json(const struct nfac_ioc_attach *attach);

#endif /* _NFAC_ATTACHMENT_H */
