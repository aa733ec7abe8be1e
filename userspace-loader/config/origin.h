/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Origins: from which files and options each loaded set was made, kept under /run/nfac beside its
 * blob, so that `nfac save` can write it.
 */
#ifndef _NFAC_ORIGIN_H
#define _NFAC_ORIGIN_H

#include "config.h"

/*
 * Keep blob and origin of a set that is in force, unless they are there already.
 * Return: 0; -1 after saying why not.
 */
int origin_keep(const struct config_set *set);

/* What a command line of `nfac load` says. Return: 0; -1 after saying why not. */
int origin_of_load(struct config_set *set, const char *name, const struct format_options *format,
		   char *const *files, size_t count);

/*
 * Print the table of a set. Where its origin is not known, the file is the blob's copy.
 * Return: 0; -1 after saying why it cannot be written.
 */
int origin_print(FILE *to, const struct nfac_ioc_set *set);

#endif /* _NFAC_ORIGIN_H */
