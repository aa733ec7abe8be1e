// SPDX-License-Identifier: GPL-2.0
/*
 * A session: what an open /dev/nfac holds, its staged blob and its events.
 */

#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "session.h"

/* Initial size of the buffer for a staged blob; it doubles as needed. */
#define NFAC_STAGE_MIN		SZ_64K

/* Bytes copied between two checks for a fatal signal. */
#define NFAC_STAGE_CHUNK	SZ_256K

/**
 * nfac_session_create() - allocate the session of a file that is opened
 * @net: the opener's namespace
 *
 * Context: process, may sleep.
 * Return: the session, holding @net, or NULL.
 */
struct nfac_session *nfac_session_create(struct net *net)
{
	struct nfac_session *session = kzalloc(sizeof(*session),
					       GFP_KERNEL_ACCOUNT);

	if (!session)
		return NULL;
	session->net = get_net(net);
	mutex_init(&session->lock);
	return session;
}

/**
 * nfac_session_discard() - free the staged blob
 * @session: locked, or not shared
 *
 * Context: process, may sleep.
 */
void nfac_session_discard(struct nfac_session *session)
{
	vfree(session->staged);
	nfac_budget_return(nfac_net(session->net)->budget, session->room);
	session->staged = NULL;
	session->used = 0;
	session->room = 0;
}

/**
 * nfac_session_destroy() - free the session of a file that is closed
 * @session: of the file
 *
 * Context: process, may sleep.
 */
void nfac_session_destroy(struct nfac_session *session)
{
	struct nfac_net *nn = nfac_net(session->net);

	nfac_session_discard(session);
	if (session->reader) {
		nfac_reader_destroy(&nn->events, session->reader);
		nfac_budget_return(nn->budget, session->reader_bytes);
	}
	put_net(session->net);
	kfree(session);
}

/*
 * Make room for @need bytes in all. The buffer doubles, so that a blob that comes in small
 * writes is copied a few times only, unless the namespace's limit is nearer. The old buffer
 * is freed once the new one is there.
 */
static int nfac_session_grow(struct nfac_session *session, u64 need)
{
	struct nfac_budget *budget = nfac_net(session->net)->budget;
	const struct nfac_blob *head = (const void *)session->staged;
	u64 room = max_t(u64, session->room * 2, NFAC_STAGE_MIN);
	u8 *staged;

	if (need <= session->room)
		return 0;
	if (need > min_t(u64, NFAC_BLOB_MAX, nfac_budget_limit()))
		return -EFBIG;
	/* the header gives the final size: allocate that, and copy no more */
	if (session->used >= sizeof(*head) && le64_to_cpu(head->bytes) >= need &&
	    le64_to_cpu(head->bytes) <= nfac_budget_limit())
		room = le64_to_cpu(head->bytes);
	room = clamp_t(u64, room, need, NFAC_BLOB_MAX);
	/* a set is refused before the kernel kills a process to make room for it */
	if (room >> PAGE_SHIFT > max(si_mem_available(), 0l))
		return -ENOMEM;
	if (nfac_budget_take(budget, room)) {
		room = need;
		if (nfac_budget_take(budget, room))
			return -EFBIG;
	}
	staged = __vmalloc(room, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!staged) {
		nfac_budget_return(budget, room);
		return -ENOMEM;
	}
	if (session->used)
		memcpy(staged, session->staged, session->used);
	vfree(session->staged);
	nfac_budget_return(budget, session->room);
	session->staged = staged;
	session->room = room;
	return 0;
}

/**
 * nfac_session_write() - append to the staged blob
 * @session: of the file that is written to
 * @from: the writer's bytes
 * @bytes: of them
 *
 * A write that fails at its first byte leaves the staged blob as it was; a later
 * failure ends the write short, as write(2) allows.
 *
 * Context: process, may sleep.
 * Return: bytes appended; -EFBIG, -ENOMEM, -EFAULT, -EINTR (killed).
 */
ssize_t nfac_session_write(struct nfac_session *session, const char __user *from,
			   size_t bytes)
{
	ssize_t done = 0;
	int err = 0;

	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	while (done < bytes) {
		size_t part = min_t(size_t, bytes - done, NFAC_STAGE_CHUNK);

		if (fatal_signal_pending(current)) {
			err = -EINTR;
			break;
		}
		err = nfac_session_grow(session, (u64)session->used + part);
		if (err)
			break;
		if (copy_from_user(session->staged + session->used, from + done,
				   part)) {
			err = -EFAULT;
			break;
		}
		session->used += part;
		done += part;
		cond_resched();
	}
	mutex_unlock(&session->lock);
	return done ?: err;
}

/**
 * nfac_session_subscribe() - subscribe to events
 * @session: of the file
 * @set: name of the set, NUL-padded to NFAC_NAME_LEN; empty: all
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY: it is subscribed already; -EDQUOT; -ENOMEM; -ENOSPC; -EINTR.
 */
int nfac_session_subscribe(struct nfac_session *session, const char *set)
{
	struct nfac_net *nn = nfac_net(session->net);
	size_t bytes = nfac_reader_bytes();
	struct nfac_reader *reader;
	int err;

	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	err = -EBUSY;
	if (session->reader)
		goto out;
	err = nfac_budget_take(nn->budget, bytes);
	if (err)
		goto out;
	reader = nfac_reader_create(&nn->events, set, bytes);
	if (IS_ERR(reader)) {
		nfac_budget_return(nn->budget, bytes);
		err = PTR_ERR(reader);
		goto out;
	}
	session->reader_bytes = bytes;
	/* pairs with the acquire in nfac_session_reader() */
	smp_store_release(&session->reader, reader);
out:
	mutex_unlock(&session->lock);
	return err;
}
