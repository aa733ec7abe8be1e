// SPDX-License-Identifier: GPL-2.0
/*
 * ioctls of /dev/nfac: commit, attach, list, statistics, counts.
 *
 * An ioctl's argument begins with its size and version. It may be longer than the struct
 * known here, as copy_struct_from_user() has it: the bytes past that must be zero, and are
 * not written to by the answer. It may be as short as the first version of the struct.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "attachment.h"
#include "conntrack.h"
#include "defrag.h"
#include "ioctl.h"
#include "program.h"
#include "sysfs.h"

/* What every argument begins with. */
struct nfac_ioc_head {
	u32 size;
	u32 version;
};

/*
 * Copy an argument of at most @size bytes from user space, zeros behind a shorter one. -EINVAL: it
 * is shorter than @least, or has non-zero bytes past @size; -EPROTO: it is of another version.
 */
static int nfac_control_fetch_from(void *arg, size_t least, size_t size, void __user *from)
{
	struct nfac_ioc_head head;
	int err;

	if (copy_from_user(&head, from, sizeof(head)))
		return -EFAULT;
	if (head.version != NFAC_VERSION)
		return -EPROTO;
	/* bounded, as copy_struct_from_user() checks every byte */
	if (head.size < least || head.size > PAGE_SIZE)
		return -EINVAL;
	err = copy_struct_from_user(arg, size, from, head.size);
	if (err)
		return err == -E2BIG ? -EINVAL : err;
	/* another thread may have changed it in between */
	memcpy(arg, &head, sizeof(head));
	return 0;
}

/* The same for a struct that has not grown. */
static int nfac_control_fetch(void *arg, size_t size, void __user *from)
{
	return nfac_control_fetch_from(arg, size, size, from);
}

static int nfac_control_fetch_attach(struct nfac_ioc_attach *want, void __user *from)
{
	BUILD_BUG_ON(offsetofend(struct nfac_ioc_attach, pad) != NFAC_ATTACH_SIZE_MIN);
	return nfac_control_fetch_from(want, NFAC_ATTACH_SIZE_MIN, sizeof(*want), from);
}

static int nfac_control_answer(void __user *to, const void *arg, size_t size)
{
	return copy_to_user(to, arg, size) ? -EFAULT : 0;
}

/* --- commit --- */

static void nfac_fault_copy(struct nfac_ioc_commit *commit, const char *what)
{
	strscpy_pad(commit->fault, what, sizeof(commit->fault));
}

/* Explain an error that is not the verifier's. */
static void nfac_fault_explain(struct nfac_ioc_commit *commit, int err,
			       struct nfac_net *nn)
{
	switch (err) {
	case -EDQUOT:
		snprintf(commit->fault, sizeof(commit->fault),
			 "namespace has %lld of %llu bytes (netns_memory_limit), the set does not fit",
			 atomic64_read(&nn->budget->used), nfac_budget_limit());
		break;
	case -ENOMEM:
		nfac_fault_copy(commit, "no memory");
		break;
	case -ENOSPC:
		nfac_fault_copy(commit, "too many sets in this namespace");
		break;
	case -EINTR:
		nfac_fault_copy(commit, "interrupted");
		break;
	}
}

static struct nfac_set *nfac_commit_set(struct nfac_net *nn, const char *name)
{
	struct nfac_set *set = nfac_set_find(nn, name);
	int err;

	if (set)
		return set;
	set = nfac_set_create(nn, name);
	if (IS_ERR(set))
		return set;
	err = nfac_sysfs_add_set(set);
	if (err) {
		nfac_set_remove(nn, set);
		return ERR_PTR(err);
	}
	return set;
}

static int nfac_commit_publish(struct nfac_net *nn, const char *name,
			       struct nfac_load *load)
{
	struct nfac_set *set;
	int err = 0;

	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	/* an attachment that follows streams may be this set's */
	if (nn->flows && nfac_automaton_confirms(&load->automaton))
		err = nfac_flows_windows(nn->flows);
	set = err ? ERR_PTR(err) : nfac_commit_set(nn, name);
	if (!IS_ERR(set))
		nfac_set_publish(nn, set, load);
	mutex_unlock(&nn->lock);
	return PTR_ERR_OR_ZERO(set);
}

/* the session is locked: no other thread can write to the blob that is verified */
static int nfac_commit_locked(struct nfac_session *session,
			      struct nfac_ioc_commit *commit)
{
	struct nfac_net *nn = nfac_net(session->net);
	struct nfac_fault fault = {};
	struct nfac_load *load;
	u64 verify_ns;
	int err;

	if (!session->used) {
		nfac_fault_copy(commit, "no staged blob: nothing was written");
		return -EINVAL;
	}
	load = nfac_load_create(nn->budget, session->staged, session->used,
				&fault, &verify_ns);
	commit->verify_ns = verify_ns;
	if (IS_ERR(load)) {
		err = PTR_ERR(load);
		commit->fault_word = fault.word;
		if (fault.what)
			nfac_fault_copy(commit, fault.what);
		else
			nfac_fault_explain(commit, err, nn);
		pr_notice_ratelimited("set \"%s\" refused: %s (word %u)\n",
				      commit->name, commit->fault, fault.word);
		return err;
	}
	err = nfac_commit_publish(nn, commit->name, load);
	if (err) {
		nfac_load_free(load);
		nfac_fault_explain(commit, err, nn);
	}
	return err;
}

static int nfac_ioctl_commit(struct nfac_session *session, void __user *arg)
{
	u64 start = ktime_get_ns();
	struct nfac_ioc_commit commit;
	int err, copied;

	err = nfac_control_fetch(&commit, sizeof(commit), arg);
	if (err)
		return err;
	commit.fault_word = 0;
	commit.verify_ns = 0;
	commit.load_ns = 0;
	memset(commit.fault, 0, sizeof(commit.fault));

	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	if (commit.flags) {
		nfac_fault_copy(&commit, "unknown flag");
		err = -EINVAL;
	} else if (!nfac_set_name_valid(commit.name)) {
		nfac_fault_copy(&commit,
				"a name is 1 to 31 printable bytes without space and '/', not \".\" or \"..\"");
		err = -EINVAL;
	} else {
		/* names are compared by memcmp(): nothing may follow the NUL */
		strscpy_pad(commit.name, commit.name, sizeof(commit.name));
		err = nfac_commit_locked(session, &commit);
	}
	if (!err)
		commit.load_ns = ktime_get_ns() - start;
	nfac_session_discard(session);
	mutex_unlock(&session->lock);

	copied = nfac_control_answer(arg, &commit, sizeof(commit));
	return err ?: copied;
}

/* --- requests that name a set --- */

static int nfac_fetch_name(struct nfac_ioc_name *name, void __user *arg)
{
	int err = nfac_control_fetch(name, sizeof(*name), arg);

	if (err)
		return err;
	if (name->flags)
		return -EINVAL;
	if (name->name[0] && !nfac_set_name_valid(name->name))
		return -EINVAL;
	name->name[NFAC_NAME_LEN - 1] = '\0';
	return 0;
}

static int nfac_ioctl_unload(struct nfac_session *session, void __user *arg)
{
	struct nfac_net *nn = nfac_net(session->net);
	struct nfac_ioc_name name;
	struct nfac_set *set;
	int err;

	err = nfac_fetch_name(&name, arg);
	if (err)
		return err;
	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	set = nfac_set_find(nn, name.name);
	if (!set) {
		err = -ENOENT;
	} else if (nfac_set_busy(set)) {
		err = -EBUSY;
	} else {
		nfac_sysfs_remove_set(set);
		nfac_set_remove(nn, set);
	}
	mutex_unlock(&nn->lock);
	/* return when the memory is free, not before */
	if (!err)
		nfac_free_flush();
	return err;
}

static int nfac_ioctl_verify(struct nfac_session *session, void __user *arg)
{
	struct nfac_net *nn = nfac_net(session->net);
	struct nfac_ioc_name name;
	struct nfac_set *set;
	int err, copied;

	err = nfac_fetch_name(&name, arg);
	if (err)
		return err;
	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	set = nfac_set_find(nn, name.name);
	name.result = set ? nfac_set_scrub(nn, set) : NFAC_RESULT_SOUND;
	mutex_unlock(&nn->lock);
	if (!set)
		return -ENOENT;
	err = name.result == NFAC_RESULT_SOUND ? 0 : -EUCLEAN;
	copied = nfac_control_answer(arg, &name, sizeof(name));
	return err ?: copied;
}

static int nfac_ioctl_subscribe(struct nfac_session *session, void __user *arg)
{
	struct nfac_net *nn = nfac_net(session->net);
	char set[NFAC_NAME_LEN];
	struct nfac_ioc_name name;
	bool known;
	int err;

	err = nfac_fetch_name(&name, arg);
	if (err)
		return err;
	strscpy_pad(set, name.name, sizeof(set));
	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	known = !set[0] || nfac_set_find(nn, set);
	mutex_unlock(&nn->lock);
	return known ? nfac_session_subscribe(session, set) : -ENOENT;
}

/* --- attachments --- */

static int nfac_attach_locked(struct nfac_net *nn, struct nfac_ioc_attach *want)
{
	struct nfac_attachment *att = nfac_attach(nn, want);
	int err;

	if (IS_ERR(att))
		return PTR_ERR(att);
	err = nfac_sysfs_add_attachment(att);
	if (err) {
		nfac_detach(att);
		return err;
	}
	want->id = att->want.id;
	return 0;
}

static int nfac_ioctl_attach(struct nfac_session *session, void __user *arg)
{
	struct nfac_net *nn = nfac_net(session->net);
	struct nfac_ioc_attach want;
	const char *fault;
	int err;

	err = nfac_control_fetch_attach(&want, arg);
	if (err)
		return err;
	if (!nfac_set_name_valid(want.name))
		return -EINVAL;
	err = nfac_attach_check(&want, &fault);
	if (err) {
		pr_notice_ratelimited("attachment of \"%s\" refused: %s\n",
				      want.name, fault);
		return err;
	}
	/* read back by others: nothing of the caller's may follow the NUL */
	strscpy_pad(want.name, want.name, sizeof(want.name));
	strscpy_pad(want.iif, want.iif, sizeof(want.iif));
	strscpy_pad(want.oif, want.oif, sizeof(want.oif));
	/* before the lock: a module's init may wait for a namespace to exit */
	if (want.flags & (NFAC_ATTACH_CT_MARK | NFAC_ATTACH_CT_LABEL))
		nfac_conntrack_request(want.flags & NFAC_ATTACH_BRIDGE);
	if (want.flags & NFAC_ATTACH_DEFRAG)
		nfac_defrag_request();
	if (nfac_attach_at_program(&want))
		nfac_program_request();

	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	err = nfac_attach_locked(nn, &want);
	mutex_unlock(&nn->lock);
	return err ?: nfac_control_answer(arg, &want, min_t(size_t, want.size, sizeof(want)));
}

static int nfac_ioctl_detach(struct nfac_session *session, void __user *arg)
{
	struct nfac_net *nn = nfac_net(session->net);
	struct nfac_ioc_detach want;
	struct nfac_attachment *att;
	int err;

	err = nfac_control_fetch(&want, sizeof(want), arg);
	if (err)
		return err;
	if (want.flags)
		return -EINVAL;
	/*
	 * A new attachment at an earlier hook may take this one's place. A packet that passed that
	 * hook before has then passed this one, too, and none is uninspected.
	 */
	synchronize_rcu();
	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	att = nfac_attachment_from(nn, want.id);
	if (att && att->want.id == want.id) {
		nfac_sysfs_remove_attachment(att);
		nfac_detach(att);
	} else {
		err = -ENOENT;
	}
	mutex_unlock(&nn->lock);
	return err;
}

static int nfac_ioctl_get_attach(struct nfac_session *session, void __user *arg)
{
	struct nfac_net *nn = nfac_net(session->net);
	const struct nfac_attachment *att;
	struct nfac_ioc_attach want;
	size_t size;
	int err;

	err = nfac_control_fetch_attach(&want, arg);
	if (err)
		return err;
	size = min_t(size_t, want.size, sizeof(want));
	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	att = nfac_attachment_from(nn, want.id);
	if (att) {
		nfac_attachment_read(att, &want);
		want.size = size;
		want.version = NFAC_VERSION;
	}
	mutex_unlock(&nn->lock);
	if (!att)
		return -ENOENT;
	return nfac_control_answer(arg, &want, size);
}

/* --- a set's figures --- */

static void nfac_set_figures(const struct nfac_net *nn, const struct nfac_set *set,
			     struct nfac_ioc_set *answer)
{
	const struct nfac_load *load = nfac_set_load_locked(nn, set);

	memset(answer, 0, sizeof(*answer));
	answer->size = sizeof(*answer);
	answer->version = NFAC_VERSION;
	memcpy(answer->name, set->name, sizeof(answer->name));
	answer->generation = set->generation;
	answer->attachments = set->attachments;
	answer->references = atomic_read(&set->rules);
	if (!load)
		return;
	answer->patterns = load->patterns;
	answer->states = load->states;
	answer->node_bytes = load->node_bytes;
	answer->total_bytes = load->total_bytes;
	answer->slab_bytes = load->tiles.slab_bytes;
	answer->checksum = load->checksum;
}

static int nfac_ioctl_get_set(struct nfac_session *session, void __user *arg)
{
	struct nfac_net *nn = nfac_net(session->net);
	const struct nfac_set *set;
	struct nfac_ioc_set want;
	char after[NFAC_NAME_LEN];
	int err;

	err = nfac_control_fetch(&want, sizeof(want), arg);
	if (err)
		return err;
	strscpy_pad(after, want.after, sizeof(after));
	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	set = nfac_set_after(nn, after);
	if (set)
		nfac_set_figures(nn, set, &want);
	mutex_unlock(&nn->lock);
	if (!set)
		return -ENOENT;
	memcpy(want.after, after, sizeof(after));
	return nfac_control_answer(arg, &want, sizeof(want));
}

/* --- counts of a set's patterns --- */

static int nfac_counts_answer(const struct nfac_load *load, struct nfac_ioc_counts *want)
{
	if (want->cursor && want->generation != load->generation)
		return -ESTALE;
	want->size = sizeof(*want);
	want->generation = load->generation;
	want->checksum = load->checksum;
	want->count = 0;
	want->slots = 0;
	want->uncounted = 0;
	memset(want->entry, 0, sizeof(want->entry));
	if (!load->counts)
		return 0;
	want->slots = load->counts->slots;
	want->uncounted = nfac_counts_uncounted(load->counts);
	want->count = nfac_counts_read(load->counts, &want->cursor, want->entry,
				       ARRAY_SIZE(want->entry));
	return 0;
}

static int nfac_counts_read_set(struct nfac_net *nn, struct nfac_ioc_counts *want)
{
	const struct nfac_load *load = NULL;
	const struct nfac_set *set;
	int err = -ENOENT;

	if (mutex_lock_killable(&nn->lock))
		return -EINTR;
	set = nfac_set_find(nn, want->name);
	if (set)
		load = nfac_set_load_locked(nn, set);
	if (load)
		err = nfac_counts_answer(load, want);
	mutex_unlock(&nn->lock);
	return err;
}

static int nfac_ioctl_get_counts(struct nfac_session *session, void __user *arg)
{
	/* 3 KiB: too large for the stack */
	struct nfac_ioc_counts *want = kmalloc(sizeof(*want), GFP_KERNEL);
	int err;

	if (!want)
		return -ENOMEM;
	err = nfac_control_fetch(want, sizeof(*want), arg);
	if (!err && (want->flags || !nfac_set_name_valid(want->name)))
		err = -EINVAL;
	if (!err)
		err = nfac_counts_read_set(nfac_net(session->net), want);
	if (!err)
		err = nfac_control_answer(arg, want, sizeof(*want));
	kfree(want);
	return err;
}

static int nfac_ioctl_discard(struct nfac_session *session)
{
	if (mutex_lock_killable(&session->lock))
		return -EINTR;
	nfac_session_discard(session);
	mutex_unlock(&session->lock);
	return 0;
}

/**
 * nfac_control() - handle an ioctl on /dev/nfac
 * @session: of the file
 * @cmd: NFAC_IOC_*; its size is ignored, the argument has its own
 * @arg: in user space
 *
 * The caller needs the capability, not only the process that opened the file.
 *
 * Context: process, may sleep.
 * Return: 0, or a negative errno see uapi/linux/nfac.h.
 */
long nfac_control(struct nfac_session *session, unsigned int cmd, void __user *arg)
{
	if (_IOC_TYPE(cmd) != NFAC_IOC_MAGIC)
		return -ENOTTY;
	if (!ns_capable(session->net->user_ns, CAP_NET_ADMIN))
		return -EPERM;

	switch (_IOC_NR(cmd)) {
	case _IOC_NR(NFAC_IOC_COMMIT):
		return nfac_ioctl_commit(session, arg);
	case _IOC_NR(NFAC_IOC_DISCARD):
		return nfac_ioctl_discard(session);
	case _IOC_NR(NFAC_IOC_UNLOAD):
		return nfac_ioctl_unload(session, arg);
	case _IOC_NR(NFAC_IOC_ATTACH):
		return nfac_ioctl_attach(session, arg);
	case _IOC_NR(NFAC_IOC_DETACH):
		return nfac_ioctl_detach(session, arg);
	case _IOC_NR(NFAC_IOC_GET_SET):
		return nfac_ioctl_get_set(session, arg);
	case _IOC_NR(NFAC_IOC_GET_ATTACH):
		return nfac_ioctl_get_attach(session, arg);
	case _IOC_NR(NFAC_IOC_SUBSCRIBE):
		return nfac_ioctl_subscribe(session, arg);
	case _IOC_NR(NFAC_IOC_VERIFY):
		return nfac_ioctl_verify(session, arg);
	case _IOC_NR(NFAC_IOC_GET_COUNTS):
		return nfac_ioctl_get_counts(session, arg);
	}
	return -ENOTTY;
}
