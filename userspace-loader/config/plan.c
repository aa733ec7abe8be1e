// SPDX-License-Identifier: GPL-2.0
/*
 * The difference between a configuration and the kernel, as steps.
 *
 * apply.c calls plan_make(); run.c makes the steps.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/blob.h"

#include "common/attachment.h"
#include "common/message.h"
#include "common/set_file.h"
#include "origin.h"
#include "plan.h"

static struct plan_set *add_set(struct plan *plan)
{
	struct plan_set *larger = realloc(plan->sets, (plan->set_count + 1) * sizeof(*larger));

	if (!larger) {
		complain("out of memory");
		return NULL;
	}
	plan->sets = larger;
	memset(&larger[plan->set_count], 0, sizeof(*larger));
	return &larger[plan->set_count++];
}

static struct plan_attachment *add_attachment(struct plan *plan)
{
	size_t count = plan->attachment_count;
	struct plan_attachment *larger = realloc(plan->attachments,
						 (count + 1) * sizeof(*larger));

	if (!larger) {
		complain("out of memory");
		return NULL;
	}
	plan->attachments = larger;
	memset(&larger[count], 0, sizeof(*larger));
	plan->attachment_count++;
	return &larger[count];
}

/* Keep what it takes to go back. */
static void remember(struct plan_set *step)
{
	if (set_file_open(&step->before, step->now.name, step->now.checksum))
		complain("set '%s': there is no copy of what is in force in /run/nfac: if a later step fails, this one cannot be undone",
			 step->now.name);
}

static int plan_wanted_set(struct plan *plan, int device, struct config_set *wanted)
{
	struct nfac_ioc_set now;
	struct plan_set *step;
	int found;

	if (wanted->faulty)
		return 0;
	found = device_find_set(device, wanted->name, &now);
	if (found < 0)
		return -1;
	if (found && now.checksum == set_source_checksum(&wanted->source))
		return 0;
	step = add_set(plan);
	if (!step)
		return -1;
	step->wanted = wanted;
	if (found) {
		step->now = now;
		remember(step);
	}
	return 0;
}

/* What is not in the file goes, unless a part of the file could not be read. */
static bool removes(const struct plan *plan)
{
	return !plan->config->faults;
}

static int plan_other_sets(struct plan *plan, int device)
{
	struct nfac_ioc_set now = { 0 };
	struct plan_set *step;
	int got;

	while (removes(plan) && (got = device_next_set(device, &now))) {
		if (got < 0)
			return -1;
		if (config_find_set(plan->config, now.name))
			continue;
		if (now.references) {
			plan->faults++;
			complain("set '%s' is not in %s, and cannot be unloaded: %" PRIu32 " rules hold it; delete them first",
				 now.name, plan->config->file, now.references);
			if (!plan->partial)
				return -1;
			continue;
		}
		step = add_set(plan);
		if (!step)
			return -1;
		step->now = now;
		remember(step);
	}
	return 0;
}

/* Are both the same but for the id? */
static bool same(const struct nfac_ioc_attach *a, const struct nfac_ioc_attach *b)
{
	struct nfac_ioc_attach twin = *a;

	twin.id = b->id;
	return !memcmp(&twin, b, sizeof(twin));
}

/* May one be the changed other one: the same set in the same hook? */
static bool akin(const struct nfac_ioc_attach *a, const struct nfac_ioc_attach *b)
{
	return !strncmp(a->name, b->name, NFAC_NAME_LEN) && a->hook == b->hook &&
	       !((a->flags ^ b->flags) & NFAC_ATTACH_BRIDGE);
}

/* Take what fits an attachment out of those that are there. Return: true: there is one. */
static bool take(struct device_attachments *all, const struct nfac_ioc_attach *wanted,
		 bool (*fits)(const struct nfac_ioc_attach *, const struct nfac_ioc_attach *),
		 struct nfac_ioc_attach *taken)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		if (!*all->items[i].name || !fits(&all->items[i], wanted))
			continue;
		*taken = all->items[i];
		*all->items[i].name = 0;
		return true;
	}
	return false;
}

/* First those that stay, then those that change, then those that have to go. */
static int plan_attachments(struct plan *plan, struct device_attachments *all)
{
	struct config *config = plan->config;
	struct plan_attachment *step;
	struct nfac_ioc_attach taken;
	size_t i;

	for (i = 0; i < config->attachment_count; i++) {
		const struct config_attachment *at = &config->attachments[i];

		if (at->faulty || take(all, &at->options.attach, same, &taken))
			continue;
		step = add_attachment(plan);
		if (!step)
			return -1;
		step->wanted = at->options.attach;
		step->line = at->line;
	}
	if (!removes(plan))
		return 0;
	for (i = 0; i < plan->attachment_count; i++)
		take(all, &plan->attachments[i].wanted, akin, &plan->attachments[i].now);
	for (i = 0; i < all->count; i++) {
		if (!*all->items[i].name)
			continue;
		step = add_attachment(plan);
		if (!step)
			return -1;
		step->now = all->items[i];
	}
	return 0;
}

int plan_make(struct plan *plan, int device)
{
	struct device_attachments all;
	size_t i;
	int err = 0;

	for (i = 0; i < plan->config->set_count && !err; i++)
		err = plan_wanted_set(plan, device, &plan->config->sets[i]);
	if (err || plan_other_sets(plan, device))
		return -1;
	err = device_attachments(device, &all) || plan_attachments(plan, &all);
	free(all.items);
	return err ? -1 : 0;
}

void plan_free(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->set_count; i++)
		set_source_close(&plan->sets[i].before);
	free(plan->sets);
	free(plan->attachments);
}

static void print_set(const struct plan_set *step)
{
	const struct nfac_blob *blob;

	if (!step->wanted) {
		printf("- set %s: %" PRIu32 " patterns\n", step->now.name, step->now.patterns);
		return;
	}
	blob = step->wanted->source.blob;
	if (!*step->now.name)
		printf("+ set %s: %" PRIu32 " patterns\n", step->wanted->name,
		       le32toh(blob->patterns));
	else
		printf("~ set %s: %" PRIu32 " patterns, were %" PRIu32 "\n", step->wanted->name,
		       le32toh(blob->patterns), step->now.patterns);
}

static void print_attachment(const struct plan_attachment *step)
{
	bool is = *step->wanted.name, was = *step->now.name;
	char *wanted = is ? attachment_text(&step->wanted) : NULL;
	char *now = was ? attachment_text(&step->now) : NULL;

	if (is && was)
		printf("~ attach %s: %s, was %s\n", step->wanted.name, wanted, now);
	else if (is)
		printf("+ attach %s: %s\n", step->wanted.name, wanted);
	else
		printf("- attach %s: %s\n", step->now.name, now);
	free(wanted);
	free(now);
}

void plan_print(const struct plan *plan, bool made)
{
	size_t i;

	for (i = 0; i < plan->set_count; i++)
		if (!made || plan->sets[i].done)
			print_set(&plan->sets[i]);
	for (i = 0; i < plan->attachment_count; i++)
		if (!made || plan->attachments[i].attached || plan->attachments[i].detached)
			print_attachment(&plan->attachments[i]);
}
