/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans: what has to change in the kernel so that a configuration is in force, and the steps that
 * change it.
 *
 * Order of the steps: sets are loaded, attachments made, attachments removed, sets unloaded. A
 * packet that both configurations inspect is therefore inspected at each moment, also when the
 * process is killed between two steps.
 */
#ifndef _NFAC_PLAN_H
#define _NFAC_PLAN_H

#include <linux/nfac.h>

#include "common/device.h"
#include "config.h"

/**
 * struct plan_set - a set that is loaded, replaced or unloaded
 * @wanted: NULL: it is unloaded
 * @now: as the kernel has it; without a name: it has none
 * @before: the blob that is in force, if there is a copy of it
 * @done: the step was made
 */
struct plan_set {
	struct config_set *wanted;
	struct nfac_ioc_set now;
	struct set_source before;
	bool done;
};

/**
 * struct plan_attachment - an attachment that is made, replaced or removed
 * @line: of the configuration
 * @wanted: without a name: it is removed; its id is that of the new one
 * @now: without a name: there was none
 * @attached, @detached: the steps that were made
 */
struct plan_attachment {
	unsigned int line;
	struct nfac_ioc_attach wanted, now;
	bool attached, detached;
};

/**
 * struct plan - the difference between a configuration and the kernel
 * @partial: a step that fails is left out, and what has a fault stays as it is
 * @faults: of this plan's
 */
struct plan {
	struct config *config;
	bool partial;
	unsigned int faults;
	struct plan_set *sets;
	size_t set_count;
	struct plan_attachment *attachments;
	size_t attachment_count;
};

/**
 * plan_make() - compare a configuration, compiled, with what is in force
 * @plan: with @config and @partial, else zero; to be freed by plan_free() in either case
 *
 * Return: 0; -1 after saying why it cannot be done.
 */
int plan_make(struct plan *plan, int device);
void plan_free(struct plan *plan);

/* Print a line for each difference, "+", "-" or "~"; @made: for the steps that were made alone. */
void plan_print(const struct plan *plan, bool made);

/**
 * plan_run() - make the steps
 *
 * Context: with SIGINT, SIGTERM and SIGHUP blocked.
 * Return: 0; -1 after saying what failed. The steps are undone then, unless the plan is partial.
 */
int plan_run(struct plan *plan, int device);

#endif /* _NFAC_PLAN_H */
