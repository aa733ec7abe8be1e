// SPDX-License-Identifier: GPL-2.0
/*
 * The steps of a plan, and their undoing.
 *
 * Undoing has the order of doing: blobs first, then what has to be attached again, then what has
 * to be detached, then what has to be unloaded. So it leaves no moment without inspection either.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/attach_request.h"
#include "common/message.h"
#include "common/set_file.h"
#include "origin.h"
#include "plan.h"

/* @name: NFAC_NAME_LEN bytes, padded with NULs */
static int commit(int device, const char *name, const struct set_source *source)
{
	struct nfac_ioc_commit commit = { 0 };

	memcpy(commit.name, name, sizeof(commit.name));
	return device_commit(device, source->blob, source->size, &commit);
}

/* A step failed: left out where that is wanted. Return: 0: go on; -1. */
static int failed(struct plan *plan)
{
	plan->faults++;
	return plan->partial ? 0 : -1;
}

static int load_sets(struct plan *plan, int device)
{
	size_t i;

	for (i = 0; i < plan->set_count; i++) {
		struct plan_set *step = &plan->sets[i];

		if (!step->wanted)
			continue;
		message_place(plan->config->file, step->wanted->line);
		step->done = !commit(device, step->wanted->name, &step->wanted->source);
		message_place(NULL, 0);
		if (!step->done && failed(plan))
			return -1;
	}
	return 0;
}

static int attach_all(struct plan *plan, int device)
{
	size_t i;

	for (i = 0; i < plan->attachment_count; i++) {
		struct plan_attachment *step = &plan->attachments[i];

		if (!*step->wanted.name)
			continue;
		message_place(plan->config->file, step->line);
		step->attached = !attach_request(device, &step->wanted);
		if (step->attached)
			attach_warn(&step->wanted);
		message_place(NULL, 0);
		if (!step->attached && failed(plan))
			return -1;
	}
	return 0;
}

/* What is gone already, with its device or by another's hand, is what is wanted. */
static int detach(int device, const struct nfac_ioc_attach *attach)
{
	int err = detach_request(device, attach->id);

	if (!err || err == -ENOENT)
		return 0;
	return complain("attachment %u: %s", attach->id, device_strerror(-err));
}

static int detach_all(struct plan *plan, int device)
{
	size_t i;

	for (i = 0; i < plan->attachment_count; i++) {
		struct plan_attachment *step = &plan->attachments[i];

		/* what the new one would have replaced stays without it */
		if (!*step->now.name || (*step->wanted.name && !step->attached))
			continue;
		step->detached = !detach(device, &step->now);
		if (!step->detached && failed(plan))
			return -1;
	}
	return 0;
}

static int unload_sets(struct plan *plan, int device)
{
	size_t i;

	for (i = 0; i < plan->set_count; i++) {
		struct plan_set *step = &plan->sets[i];

		if (step->wanted)
			continue;
		step->done = !device_unload(device, step->now.name);
		if (!step->done && failed(plan))
			return -1;
	}
	return 0;
}

/* Return: how many steps could not be undone. */
static unsigned int undo(struct plan *plan, int device)
{
	unsigned int left = 0;
	size_t i;

	for (i = 0; i < plan->set_count; i++) {
		struct plan_set *step = &plan->sets[i];

		if (step->done && *step->now.name)
			left += !step->before.blob ||
				commit(device, step->now.name, &step->before);
	}
	for (i = 0; i < plan->attachment_count; i++)
		if (plan->attachments[i].detached)
			left += !!attach_request(device, &plan->attachments[i].now);
	for (i = 0; i < plan->attachment_count; i++)
		if (plan->attachments[i].attached)
			left += !!detach(device, &plan->attachments[i].wanted);
	for (i = 0; i < plan->set_count; i++)
		if (plan->sets[i].done && !*plan->sets[i].now.name)
			left += !!device_unload(device, plan->sets[i].wanted->name);
	return left;
}

/* All is in force: what /run/nfac says of the sets follows. */
static void keep_origins(struct plan *plan)
{
	struct config *config = plan->config;
	size_t i;

	for (i = 0; i < plan->set_count; i++)
		if (plan->sets[i].done && !plan->sets[i].wanted)
			set_file_forget(plan->sets[i].now.name);
		else if (!plan->sets[i].done && plan->sets[i].wanted)
			plan->sets[i].wanted->faulty = true;
	for (i = 0; i < config->set_count; i++)
		if (!config->sets[i].faulty && origin_keep(&config->sets[i]))
			complain("set '%s' is in force, but `nfac watch` cannot show its patterns, or `nfac save` its files",
				 config->sets[i].name);
}

int plan_run(struct plan *plan, int device)
{
	unsigned int left;

	if (load_sets(plan, device) || attach_all(plan, device) || detach_all(plan, device) ||
	    unload_sets(plan, device)) {
		left = undo(plan, device);
		if (left)
			complain("%u steps could not be undone: compare with `nfac list`", left);
		else
			complain("nothing was changed");
		return -1;
	}
	keep_origins(plan);
	return plan->faults ? -1 : 0;
}
