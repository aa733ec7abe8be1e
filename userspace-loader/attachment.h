/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attachments as text: what one looks at and does, in the options' own words.
 */
#ifndef _NFAC_ATTACHMENT_H
#define _NFAC_ATTACHMENT_H

#include <jansson.h>
#include <linux/nfac.h>

/* "prerouting -190 --proto tcp --drop"; the caller frees it; NULL without memory. */
char *attachment_text(const struct nfac_ioc_attach *attach);

/* The same as an object; NULL without memory. */
json_t *attachment_json(const struct nfac_ioc_attach *attach);

#endif /* _NFAC_ATTACHMENT_H */
