// SPDX-License-Identifier: GPL-2.0
/*
 * nfac list: the sets of this network namespace and where they are attached.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/attachment.h"
#include "commands.h"
#include "common/device.h"
#include "common/human.h"
#include "common/message.h"
#include "common/options.h"
#include "common/pattern_text.h"

enum { OPTION_JSON = OPTION_KEYS };

static const struct argp_option options[] = {
	{ "json", OPTION_JSON, NULL, 0, "Print a line of JSON for each set", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	(void)arg;
	if (key != OPTION_JSON)
		return ARGP_ERR_UNKNOWN;
	*json = true;
	return 0;
}

static void print_text(const struct nfac_ioc_set *set, const struct device_attachments *all)
{
	struct human nodes, total, slab;
	size_t i;

	printf("%.*s: %" PRIu32 " patterns, %" PRIu64 " states, ", NFAC_NAME_LEN, set->name,
	       set->patterns, (uint64_t)set->states);
	printf("%s of nodes, %s in all, %s of slab pages, generation %" PRIu32,
	       human_size(&nodes, set->node_bytes), human_size(&total, set->total_bytes),
	       human_size(&slab, set->slab_bytes), set->generation);
	if (set->references)
		printf(", held by %" PRIu32 " rules", set->references);
	putchar('\n');
	for (i = 0; i < all->count; i++) {
		char *text;

		if (strncmp(all->items[i].name, set->name, NFAC_NAME_LEN))
			continue;
		text = attachment_text(&all->items[i]);
		printf("  %" PRIu32 ": %s\n", all->items[i].id, text ? text : "?");
		free(text);
	}
}

static void print_json(const struct nfac_ioc_set *set, const struct device_attachments *all)
{
	json_t *object = json_object(), *list = json_array();
	char checksum[20];
	size_t i;

	snprintf(checksum, sizeof(checksum), "%016" PRIx64, (uint64_t)set->checksum);
	json_object_set_new(object, "set", json_string(set->name));
	json_object_set_new(object, "generation", json_integer(set->generation));
	json_object_set_new(object, "patterns", json_integer(set->patterns));
	json_object_set_new(object, "states", json_integer(set->states));
	json_object_set_new(object, "node_bytes", json_integer(set->node_bytes));
	json_object_set_new(object, "total_bytes", json_integer(set->total_bytes));
	json_object_set_new(object, "slab_bytes", json_integer(set->slab_bytes));
	json_object_set_new(object, "references", json_integer(set->references));
	json_object_set_new(object, "checksum", json_string(checksum));
	for (i = 0; i < all->count; i++)
		if (!strncmp(all->items[i].name, set->name, NFAC_NAME_LEN))
			json_array_append_new(list, attachment_json(&all->items[i]));
	json_object_set_new(object, "attachments", list);
	json_print(stdout, object);
}

static int list(int device, bool json)
{
	struct device_attachments all;
	struct nfac_ioc_set set = { 0 };
	int got = -1;

	if (device_attachments(device, &all))
		goto out;
	while ((got = device_next_set(device, &set)) == 1) {
		if (json)
			print_json(&set, &all);
		else
			print_text(&set, &all);
	}
out:
	free(all.items);
	return got;
}

int cmd_list(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Show the sets of this network namespace and their attachments.",
	};
	bool json = false;
	int device, err;

	options_parse(&argp, argc, argv, &json);
	device = device_open();
	if (device < 0)
		return NFAC_EXIT_ERROR;
	err = list(device, json);
	close(device);
	return err ? NFAC_EXIT_ERROR : NFAC_EXIT_OK;
}
