/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attachment options: which packets to inspect, and what to do with those that match.
 * Shared by `nfac attach`, `nfac queue` and configuration files.
 */
#ifndef _NFAC_ATTACH_OPTIONS_H
#define _NFAC_ATTACH_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/nfac.h>

#include "common/options.h"

/**
 * struct attach_options - the options that were given
 * @attach: ready for the kernel but for the set's name; begins as attach_defaults()
 * @device: --dev
 * @ports: --dport
 * @named: --priority was one of the names of IP's
 * @silent: --no-report
 * @gap: --gap was given
 * @no_defrag: --no-defrag
 * @allow: --allow-protocol was given
 * @allow_all: ... with "all"
 * @once, @where_once: for option_once()
 */
struct attach_options {
	struct nfac_ioc_attach attach;
	char device[NFAC_IFNAME_LEN];
	struct ports ports;
	bool named, silent, gap, no_defrag, allow, allow_all;
	uint32_t once, where_once;
};

/* Its input is a struct attach_options. */
extern const struct argp attach_argp;
/* Hook and priority, for `nfac attach` alone. Same input. */
extern const struct argp attach_where_argp;

void attach_defaults(struct attach_options *options);

/**
 * attach_check() - check that the options go together
 *
 * Puts the device where the kernel expects it, and sets NFAC_ATTACH_REPORT unless --no-report
 * was given.
 *
 * Return: 0; -1 after saying what does not go together.
 */
int attach_check(struct attach_options *options);

/* The same for an attachment to a hook: decides about defragmentation, too. */
int attach_check_hook(struct attach_options *options);

struct nearest;

/* An option of either table by its long name, or NULL; @nearest: as for option_find(). */
const struct argp_option *attach_option_find(const char *name, struct nearest *nearest);

/* As if it had been given on the command line. Return: 0; -1 after saying what is wrong. */
int attach_option_give(struct attach_options *options, const struct argp_option *option,
		       const char *value);

#endif /* _NFAC_ATTACH_OPTIONS_H */
