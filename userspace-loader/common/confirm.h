/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Confirmation: conditions of rules that user space alone checks, pcre by PCRE2, and how often
 * a rule is reported (threshold.h).
 *
 * The interpreter calls confirm_pcre() by way of nfac_window.user for conditions of the type
 * NFAC_CONDITION_USER. Their expressions are among the details of the rule's pattern.
 */
#ifndef _NFAC_CONFIRM_TOOL_H
#define _NFAC_CONFIRM_TOOL_H

#include <stdbool.h>

#include "../../kmod/engine/rules/rules.h"
#include "compiler/compiler.h"
#include "threshold.h"

struct confirm;

/* Of an open image, which must outlive it. Return: NULL after saying why. */
struct confirm *confirm_new(struct nfac_image *image);
void confirm_free(struct confirm *confirm);

/* An nfac_user_fn; its context is a struct confirm. Expressions are compiled at their first use. */
bool confirm_pcre(void *context, struct nfac_user_match *match);

/**
 * confirm_count() - count a rule that holds, for its own threshold
 * @id: what its match reports
 * @saddr: address of 16 bytes; @daddr: the same
 * @now: seconds, ascending
 */
enum threshold_result confirm_count(struct confirm *confirm, uint32_t id, const uint8_t *saddr,
				    const uint8_t *daddr, int64_t now);

/* An nfac_unpack_fn; its context is a struct confirm. */
uint32_t confirm_unpack(void *context, const uint8_t *bytes, uint32_t length, const uint8_t **out);

/* Was nfac built with PCRE2? */
bool confirm_available(void);

/**
 * pcre_check() - can the expression be compiled?
 * @options: letters, as in Suricata: i s m x A E G
 *
 * Return: NULL, or what is wrong (static storage).
 */
const char *pcre_check(const char *options, const char *expression);

#endif /* _NFAC_CONFIRM_TOOL_H */
