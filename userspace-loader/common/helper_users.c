// SPDX-License-Identifier: GPL-2.0
/*
 * The search for nftables' `ct helper` objects of a set, in each network namespace that this
 * process may enter.
 */
#include "helper_users.h"

#ifdef HAVE_NFTABLES

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <libnftnl/object.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

#include "message.h"
#include "netns.h"

/*
 * A search over namespaces, on the stack.
 *
 * @set: the set's name
 * @type: its helper's
 * @where: the namespace that is searched, as it is reported
 * @seen, @count: namespaces that were searched; @seen is NULL while there are none
 * @away: this thread is in another namespace than at first
 */
struct search {
	const char *set;
	char type[64];
	char where[NAME_MAX + 64];
	struct stat *seen;
	size_t count;
	bool away;
};

static const char *family_name(uint32_t family)
{
	switch (family) {
	case NFPROTO_INET:
		return "inet";
	case NFPROTO_IPV4:
		return "ip";
	case NFPROTO_IPV6:
		return "ip6";
	case NFPROTO_BRIDGE:
		return "bridge";
	default:
		return "netdev";
	}
}

static int on_object(const struct nlmsghdr *message, void *context)
{
	struct nftnl_obj *object = nftnl_obj_alloc();
	const struct search *search = context;
	const char *type = NULL;

	if (object && !nftnl_obj_nlmsg_parse(message, object) &&
	    nftnl_obj_get_u32(object, NFTNL_OBJ_TYPE) == NFT_OBJECT_CT_HELPER)
		type = nftnl_obj_get_str(object, NFTNL_OBJ_CT_HELPER_NAME);
	if (type && !strcmp(type, search->type))
		complain("set '%s': %s holds it: ct helper %s in table %s %s of nftables",
			 search->set, search->where, nftnl_obj_get_str(object, NFTNL_OBJ_NAME),
			 family_name(nftnl_obj_get_u32(object, NFTNL_OBJ_FAMILY)),
			 nftnl_obj_get_str(object, NFTNL_OBJ_TABLE));
	if (object)
		nftnl_obj_free(object);
	return MNL_CB_OK;
}

/* Report the objects of the namespace that this thread is in. */
static void search_objects(struct search *search)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_NETFILTER);
	static char buffer[1 << 15];
	struct nlmsghdr *message;
	ssize_t got = -1;

	if (!socket)
		return;
	message = nftnl_nlmsg_build_hdr(buffer, NFT_MSG_GETOBJ, NFPROTO_UNSPEC, NLM_F_DUMP, 0);
	if (!mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) &&
	    mnl_socket_sendto(socket, message, message->nlmsg_len) >= 0)
		got = 1;
	while (got > 0) {
		got = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		if (got > 0)
			got = mnl_cb_run(buffer, got, 0, mnl_socket_get_portid(socket), on_object,
					 search);
	}
	mnl_socket_close(socket);
}

/* Note a namespace. Return: false: it was searched before, or there is no memory. */
static bool is_new(struct search *search, const struct stat *file)
{
	struct stat *larger;
	size_t i;

	for (i = 0; i < search->count; i++)
		if (search->seen[i].st_ino == file->st_ino &&
		    search->seen[i].st_dev == file->st_dev)
			return false;
	larger = realloc(search->seen, (search->count + 1) * sizeof(*larger));
	if (!larger)
		return false;
	search->seen = larger;
	search->seen[search->count++] = *file;
	return true;
}

/* Search the namespace of a file; one that cannot be entered has no line. */
static void search_namespace(struct search *search, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat file;

	if (fd < 0)
		return;
	if (!fstat(fd, &file) && is_new(search, &file) && !setns(fd, CLONE_NEWNET)) {
		search->away = true;
		search_objects(search);
	}
	close(fd);
}

static void search_names(struct search *search)
{
	DIR *folder = opendir(NETNS_DIR);
	const struct dirent *entry;
	char path[PATH_MAX];

	while (folder && (entry = readdir(folder))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), NETNS_DIR "/%s", entry->d_name);
		snprintf(search->where, sizeof(search->where), "network namespace '%s'",
			 entry->d_name);
		search_namespace(search, path);
	}
	if (folder)
		closedir(folder);
}

static void search_processes(struct search *search)
{
	DIR *folder = opendir("/proc");
	const struct dirent *entry;
	char path[PATH_MAX];
	struct stat file;

	while (folder && (entry = readdir(folder))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns/net", entry->d_name);
		if (stat(path, &file))
			continue;
		snprintf(search->where, sizeof(search->where),
			 "network namespace %llu of process %s", (unsigned long long)file.st_ino,
			 entry->d_name);
		search_namespace(search, path);
	}
	if (folder)
		closedir(folder);
}

void helper_users_report(const char *set)
{
	struct search search = { .set = set, .where = "this network namespace" };
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	struct stat file;

	if (own < 0)
		return;
	snprintf(search.type, sizeof(search.type), "nfac-%s", set);
	/* without entering it, which not every process with CAP_NET_ADMIN may */
	if (!fstat(own, &file) && is_new(&search, &file))
		search_objects(&search);
	search_names(&search);
	search_processes(&search);
	free(search.seen);
	/* what follows is of the own namespace: without it nothing is right */
	if (search.away && setns(own, CLONE_NEWNET)) {
		complain("cannot go back to the network namespace");
		exit(NFAC_EXIT_ERROR);
	}
	close(own);
}

#else

void helper_users_report(const char *set)
{
	(void)set;
}

#endif
