// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of matches into nftables sets: collected in batches, sent by libnftables' text commands.
 *
 * Memory is bounded: KNOWN addresses are remembered as being in the set, so that an attacker's
 * repeated packets cost no transaction each.
 */
#include "common/message.h"
#include "nft_set.h"

#ifdef HAVE_NFTABLES

#include <arpa/inet.h>
#include <jansson.h>
#include <libmnl/libmnl.h>
#include <nftables/libnftables.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/human.h"
#include "nft_element.h"

#define SETS_MAX	8
/* Addresses remembered as being in the set; another one takes over a slot. */
#define KNOWN		4096
/* Addresses that one transaction puts into the sets. */
#define BATCH		256
/* Seconds after which a remembered address is looked up in its set again. */
#define RECHECK		1.0

struct target {
	char family[8], table[64], set[64];
	int addresses;		/* AF_INET or AF_INET6 */
	bool merges;		/* auto-merge: neighbours become one element */
};

struct address {
	uint8_t family;
	uint8_t bytes[16];	/* of IPv4 the first four, and zeroes */
};

struct known {
	struct address address;
	double until, checked;
};

/* Owned by the one command that made it. */
struct nft_sets {
	struct nft_ctx *nft;
	struct mnl_socket *socket;	/* to ask for one element */
	uint64_t seconds;
	struct target targets[SETS_MAX];
	unsigned int count;
	struct address batch[BATCH];	/* not yet put into the sets, each once */
	unsigned int batched;
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
	sets->socket = nft_element_open();
	if (!sets->socket) {
		free(sets);
		return NULL;
	}
	sets->nft = nft_ctx_new(NFT_CTX_DEFAULT);
	if (!sets->nft) {
		complain("libnftables cannot start");
		mnl_socket_close(sets->socket);
		free(sets);
		return NULL;
	}
	nft_ctx_buffer_output(sets->nft);
	nft_ctx_buffer_error(sets->nft);
	return sets;
}

/* Letters, digits and few others: nothing that nft's grammar could take for syntax. */
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

/* The first line alone: nft adds others that point at a column. */
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

/* True if it was added before, perhaps by a path without the family. */
static bool is_target(const struct nft_sets *sets, const struct target *target)
{
	unsigned int i;

	for (i = 0; i < sets->count; i++)
		if (!strcmp(sets->targets[i].family, target->family) &&
		    !strcmp(sets->targets[i].table, target->table) &&
		    !strcmp(sets->targets[i].set, target->set))
			return true;
	return false;
}

/* Return: nft's output, valid until the next command; NULL after saying why. */
static const char *list_set(struct nft_sets *sets, const struct target *target,
			    const char *path, unsigned int output)
{
	char *command;
	int err;

	if (asprintf(&command, "list set %s %s %s", target->family, target->table,
		     target->set) < 0) {
		out_of_memory();
		return NULL;
	}
	nft_ctx_output_set_flags(sets->nft, output);
	err = nft_run_cmd_from_buffer(sets->nft, command);
	nft_ctx_output_set_flags(sets->nft, 0);
	free(command);
	if (!err)
		return nft_ctx_get_output_buffer(sets->nft);
	nft_error(sets, path);
	return NULL;
}

int nft_sets_add(struct nft_sets *sets, const char *path)
{
	struct target *target = &sets->targets[sets->count];
	const char *answer;

	if (sets->count == SETS_MAX)
		return complain("--nft-set: at most %d sets", SETS_MAX);
	if (parse_path(path, target))
		return -1;
	if (is_target(sets, target))
		return 0;
	answer = list_set(sets, target, path, NFT_CTX_OUTPUT_JSON);
	if (!answer || check_type(target, path, answer))
		return -1;
	/* many versions do not print that as JSON */
	answer = list_set(sets, target, path, NFT_CTX_OUTPUT_TERSE);
	if (!answer)
		return -1;
	target->merges = strstr(answer, "\n\t\tauto-merge\n");
	sets->count++;
	return 0;
}

static size_t address_length(const struct address *address)
{
	return address->family == AF_INET ? 4 : 16;
}

/*
 * True if the address stays in the set for as long as we would put it there, or longer: an
 * offender must not shorten what the administrator put there for ever or for a month.
 */
static bool stays(struct nft_sets *sets, const struct target *target,
		  const struct address *address)
{
	return nft_element_left(sets->socket, target->family, target->table, target->set,
				address->bytes, address_length(address)) >= sets->seconds;
}

/* True if it is in each set for its kind; nft -f may have emptied them since. */
static bool is_there(struct nft_sets *sets, const struct address *address)
{
	unsigned int i;

	for (i = 0; i < sets->count; i++)
		if (sets->targets[i].addresses == address->family &&
		    !nft_element_left(sets->socket, sets->targets[i].family,
				      sets->targets[i].table, sets->targets[i].set,
				      address->bytes, address_length(address)))
			return false;
	return true;
}

/* True if the address has to be put into the set (again). */
static bool is_new(struct nft_sets *sets, const struct address *address)
{
	double now = clock_seconds();
	uint32_t hash = address->family;
	struct known *known;
	size_t i;

	for (i = 0; i < address_length(address); i++)
		hash = (hash ^ address->bytes[i]) * 0x01000193;
	known = &sets->known[(hash >> 7) % KNOWN];
	if (known->until > now && !memcmp(&known->address, address, sizeof(*address))) {
		if (now < known->checked + RECHECK)
			return false;
		known->checked = now;
		if (is_there(sets, address))
			return false;
	}
	known->address = *address;
	known->checked = now;
	known->until = now + sets->seconds;
	/* it may have lost its slot to another, and have been put there again, in one batch */
	for (i = 0; i < sets->batched; i++)
		if (!memcmp(&sets->batch[i], address, sizeof(*address)))
			return false;
	return true;
}

void nft_sets_event(struct nft_sets *sets, const struct nfac_event *event)
{
	struct address address = { .family = event->family };

	if (event->family != AF_INET && event->family != AF_INET6)
		return;
	memcpy(address.bytes, event->saddr, address_length(&address));
	if (!is_new(sets, &address))
		return;
	sets->batch[sets->batched++] = address;
	if (sets->batched == BATCH)
		nft_sets_flush(sets);
}

/* One command; @seconds 0: elements without a timeout of their own. */
static void put_command(FILE *commands, const char *verb, const struct target *target,
			const struct address **addresses, unsigned int count, uint64_t seconds)
{
	char text[INET6_ADDRSTRLEN];
	unsigned int i;

	fprintf(commands, "%s element %s %s %s {", verb, target->family, target->table,
		target->set);
	for (i = 0; i < count; i++) {
		inet_ntop(addresses[i]->family, addresses[i]->bytes, text, sizeof(text));
		fprintf(commands, "%s %s", i ? "," : "", text);
		if (seconds)
			fprintf(commands, " timeout %llus", (unsigned long long)seconds);
	}
	fputs(" }\n", commands);
}

/*
 * The kernel accepts an element that is there already and, before 6.12, keeps its old
 * timeout, which may be about to expire. So the element is deleted and added again in one
 * transaction, and no packet sees the set without it. What is not there cannot be deleted,
 * hence the first command. An interval set accepts that once per element and transaction.
 * With auto-merge, libnftables sets the new timeout on the range that the element belongs
 * to by itself, cannot find the single element to delete it, and fails on neighbours that
 * come by several commands.
 */
static void put_target(FILE *commands, struct nft_sets *sets, const struct target *target)
{
	const struct address *addresses[BATCH];
	unsigned int i, count = 0;

	for (i = 0; i < sets->batched; i++)
		if (sets->batch[i].family == target->addresses &&
		    !stays(sets, target, &sets->batch[i]))
			addresses[count++] = &sets->batch[i];
	if (!count)
		return;
	if (!target->merges) {
		put_command(commands, "add", target, addresses, count, 0);
		put_command(commands, "delete", target, addresses, count, 0);
	}
	put_command(commands, "add", target, addresses, count, sets->seconds);
}

int nft_sets_flush(struct nft_sets *sets)
{
	size_t length = 0;
	char *text = NULL;
	FILE *commands;
	unsigned int i;
	int err = -1;

	if (!sets->batched)
		return 0;
	commands = open_memstream(&text, &length);
	if (commands) {
		for (i = 0; i < sets->count; i++)
			put_target(commands, sets, &sets->targets[i]);
		err = fclose(commands);
	}
	sets->batched = 0;
	if (err)
		out_of_memory();
	else if (length && nft_run_cmd_from_buffer(sets->nft, text))
		nft_error(sets, sets->targets[0].set);
	else
		goto out;
	err = -1;
	/* they were not added: try again with the next event */
	memset(sets->known, 0, sizeof(sets->known));
out:
	free(text);
	return err;
}

void nft_sets_free(struct nft_sets *sets)
{
	if (!sets)
		return;
	nft_sets_flush(sets);
	nft_ctx_free(sets->nft);
	mnl_socket_close(sets->socket);
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
