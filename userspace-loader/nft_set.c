// SPDX-License-Identifier: GPL-2.0
#include "message.h"
#include "nft_set.h"

#ifdef HAVE_NFTABLES

#include <arpa/inet.h>
#include <jansson.h>
#include <nftables/libnftables.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "human.h"

#define SETS_MAX	8
/* Addresses that are remembered as being in the set; another takes a slot over. */
#define KNOWN		4096

struct target {
	char family[8], table[64], set[64];
	int addresses;		/* AF_INET or AF_INET6 */
};

struct known {
	uint8_t family;
	uint8_t address[16];
	double until;
};

/* Owned by the one command that made it. */
struct nft_sets {
	struct nft_ctx *nft;
	uint64_t seconds;
	struct target targets[SETS_MAX];
	unsigned int count;
	char *batch;		/* commands not yet run */
	size_t batch_length;
	FILE *commands;
	struct known known[KNOWN];
};

static int out_of_memory(void)
{
	return complain("out of memory");
}

struct nft_sets *nft_sets_new(uint64_t seconds)
{
	struct nft_sets *sets = calloc(1, sizeof(*sets));

	if (!sets) {
		out_of_memory();
		return NULL;
	}
	sets->seconds = seconds;
	sets->nft = nft_ctx_new(NFT_CTX_DEFAULT);
	if (!sets->nft) {
		complain("libnftables cannot start");
		free(sets);
		return NULL;
	}
	nft_ctx_buffer_output(sets->nft);
	nft_ctx_buffer_error(sets->nft);
	return sets;
}

/* Letters, digits and few others: nothing that nft's grammar would read as more. */
static bool plain_word(const char *word)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";

	return *word && strspn(word, allowed) == strlen(word);
}

static int parse_path(const char *path, struct target *target)
{
	char *copy = strdup(path), *parts[3], *rest = copy;
	int count = 0, err = -1;

	if (!copy)
		return out_of_memory();
	while (rest && count < 3)
		parts[count++] = strsep(&rest, "/");
	memset(target, 0, sizeof(*target));
	if (!rest && count >= 2) {
		snprintf(target->family, sizeof(target->family), "%s",
			 count == 3 ? parts[0] : "inet");
		err = snprintf(target->table, sizeof(target->table), "%s",
			       parts[count - 2]) >= (int)sizeof(target->table) ||
		      snprintf(target->set, sizeof(target->set), "%s",
			       parts[count - 1]) >= (int)sizeof(target->set) ||
		      !plain_word(target->family) || !plain_word(target->table) ||
		      !plain_word(target->set);
	}
	free(copy);
	if (err)
		return complain("--nft-set %s: not of the form TABLE/SET or FAMILY/TABLE/SET",
				path);
	return 0;
}

/* Without the line's end and what nft adds to point at a place. */
static void nft_error(struct nft_sets *sets, const char *path)
{
	const char *why = nft_ctx_get_error_buffer(sets->nft);
	int length = strcspn(why, "\n");

	complain("--nft-set %s: %.*s", path, length, length ? why : "nftables refused");
}

/* The member "type" of the one object "set" in nft's answer. */
static char *set_type(const char *answer, bool *timeouts)
{
	json_t *root = json_loads(answer, 0, NULL), *entry, *set, *flag;
	char *type = NULL;
	size_t i, j;

	*timeouts = false;
	json_array_foreach(json_object_get(root, "nftables"), i, entry) {
		set = json_object_get(entry, "set");
		if (!set)
			continue;
		if (json_string_value(json_object_get(set, "type")) && !type)
			type = strdup(json_string_value(json_object_get(set, "type")));
		json_array_foreach(json_object_get(set, "flags"), j, flag)
			if (!strcmp(json_string_value(flag) ? json_string_value(flag) : "",
				    "timeout"))
				*timeouts = true;
		if (json_object_get(set, "timeout"))
			*timeouts = true;
	}
	json_decref(root);
	return type;
}

static int check_type(struct target *target, const char *path, const char *answer)
{
	bool timeouts;
	char *type = set_type(answer, &timeouts);
	int err = 0;

	if (type && !strcmp(type, "ipv4_addr"))
		target->addresses = AF_INET;
	else if (type && !strcmp(type, "ipv6_addr"))
		target->addresses = AF_INET6;
	else
		err = complain("--nft-set %s: the set is of type %s, not ipv4_addr or ipv6_addr",
			       path, type ? type : "(several)");
	if (!err && !timeouts)
		err = complain("--nft-set %s: the set lacks `flags timeout', addresses would stay for ever",
			       path);
	free(type);
	return err;
}

int nft_sets_add(struct nft_sets *sets, const char *path)
{
	struct target *target = &sets->targets[sets->count];
	char *command;
	int err;

	if (sets->count == SETS_MAX)
		return complain("--nft-set: at most %d sets", SETS_MAX);
	if (parse_path(path, target))
		return -1;
	if (asprintf(&command, "list set %s %s %s", target->family, target->table,
		     target->set) < 0)
		return out_of_memory();
	nft_ctx_output_set_flags(sets->nft, NFT_CTX_OUTPUT_JSON);
	err = nft_run_cmd_from_buffer(sets->nft, command);
	nft_ctx_output_set_flags(sets->nft, 0);
	free(command);
	if (err) {
		nft_error(sets, path);
		return -1;
	}
	if (check_type(target, path, nft_ctx_get_output_buffer(sets->nft)))
		return -1;
	sets->count++;
	return 0;
}

/* True if the address has to be put into the set (again). */
static bool is_new(struct nft_sets *sets, const struct nfac_event *event)
{
	size_t length = event->family == AF_INET ? 4 : 16, i;
	double now = clock_seconds();
	uint32_t hash = event->family;
	struct known *known;

	for (i = 0; i < length; i++)
		hash = (hash ^ event->saddr[i]) * 0x01000193;
	known = &sets->known[(hash >> 7) % KNOWN];
	if (known->family == event->family && known->until > now &&
	    !memcmp(known->address, event->saddr, length))
		return false;
	known->family = event->family;
	memset(known->address, 0, sizeof(known->address));
	memcpy(known->address, event->saddr, length);
	known->until = now + sets->seconds;
	return true;
}

void nft_sets_event(struct nft_sets *sets, const struct nfac_event *event)
{
	char address[INET6_ADDRSTRLEN];
	unsigned int i;

	if (!inet_ntop(event->family, event->saddr, address, sizeof(address)) ||
	    !is_new(sets, event))
		return;
	if (!sets->commands)
		sets->commands = open_memstream(&sets->batch, &sets->batch_length);
	if (!sets->commands)
		return;
	for (i = 0; i < sets->count; i++)
		if (sets->targets[i].addresses == event->family)
			fprintf(sets->commands, "add element %s %s %s { %s timeout %llus }\n",
				sets->targets[i].family, sets->targets[i].table,
				sets->targets[i].set, address,
				(unsigned long long)sets->seconds);
}

int nft_sets_flush(struct nft_sets *sets)
{
	int err;

	if (!sets->commands)
		return 0;
	err = fclose(sets->commands);
	sets->commands = NULL;
	if (!err && sets->batch_length)
		err = nft_run_cmd_from_buffer(sets->nft, sets->batch);
	free(sets->batch);
	sets->batch = NULL;
	if (!err)
		return 0;
	/* not there after all: try again with the next event */
	memset(sets->known, 0, sizeof(sets->known));
	nft_error(sets, sets->targets[0].set);
	return -1;
}

void nft_sets_free(struct nft_sets *sets)
{
	if (!sets)
		return;
	nft_sets_flush(sets);
	nft_ctx_free(sets->nft);
	free(sets);
}

#else /* !HAVE_NFTABLES */

#include <stddef.h>

struct nft_sets *nft_sets_new(uint64_t seconds)
{
	(void)seconds;
	complain("--nft-set: this nfac was built without libnftables");
	return NULL;
}

int nft_sets_add(struct nft_sets *sets, const char *path)
{
	(void)sets;
	(void)path;
	return -1;
}

void nft_sets_event(struct nft_sets *sets, const struct nfac_event *event)
{
	(void)sets;
	(void)event;
}

int nft_sets_flush(struct nft_sets *sets)
{
	(void)sets;
	return 0;
}

void nft_sets_free(struct nft_sets *sets)
{
	(void)sets;
}

#endif /* HAVE_NFTABLES */
