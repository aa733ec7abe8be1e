/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: what an open /dev/nfac holds, its staged blob and its events.
 */
#ifndef _NFAC_SESSION_H
#define _NFAC_SESSION_H

#include <linux/mutex.h>
#include <net/net_namespace.h>

#include "pattern_set.h"

/**
 * struct nfac_session - an open /dev/nfac
 *
 * Owned by the open file.
 *
 * @net: the opener's network namespace, held as long as the file is open
 * @lock: guards @staged, @used, @room, and the creation of @reader. Taken outside
 *	the namespace's lock
 * @staged: the blob that is being written; vmalloc, or NULL
 * @used: bytes written
 * @room: bytes allocated, and taken from the budget
 * @reader: of events, NULL until the file subscribes, then constant; written with
 *	release, read with acquire
 * @reader_bytes: taken from the budget for it
 */
struct nfac_session {
	struct net *net;
	struct mutex lock;	/* the staged blob */
	u8 *staged;
	size_t used;
	size_t room;
	struct nfac_reader *reader;
	size_t reader_bytes;
};

struct nfac_session *nfac_session_create(struct net *net);
void nfac_session_destroy(struct nfac_session *session);
ssize_t nfac_session_write(struct nfac_session *session, const char __user *from,
			   size_t bytes);
void nfac_session_discard(struct nfac_session *session);
int nfac_session_subscribe(struct nfac_session *session, const char *set);

/* The session's reader, or NULL when it has not subscribed to events. */
static inline struct nfac_reader *nfac_session_reader(struct nfac_session *session)
{
	/* pairs with the release in nfac_session_subscribe() */
	return smp_load_acquire(&session->reader);
}

#endif /* _NFAC_SESSION_H */
