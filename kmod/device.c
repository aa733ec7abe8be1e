// SPDX-License-Identifier: GPL-2.0
/*
 * The device: /dev/nfac.
 *
 * The file operations and nothing else: what they do is in session.c and ioctl.c.
 */

#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/poll.h>

#include "compat.h"
#include "ioctl.h"
#include "device.h"
#include "session.h"
#include "sysfs.h"

/* Namespaces and sysfs are set up; open() fails before that. */
static bool nfac_device_is_ready;

/* The file may have been passed to a process with fewer rights since it was opened. */
static bool nfac_device_allowed(const struct nfac_session *session)
{
	return ns_capable(session->net->user_ns, CAP_NET_ADMIN);
}

static int nfac_device_open(struct inode *inode, struct file *file)
{
	struct net *net = current->nsproxy->net_ns;
	struct nfac_session *session;

	/* pairs with the release in nfac_device_ready() */
	if (!smp_load_acquire(&nfac_device_is_ready))
		return -ENXIO;
	if (!ns_capable(net->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	session = nfac_session_create(net);
	if (!session)
		return -ENOMEM;
	file->private_data = session;
	return stream_open(inode, file);
}

static int nfac_device_release(struct inode *inode, struct file *file)
{
	nfac_session_destroy(file->private_data);
	return 0;
}

static ssize_t nfac_device_write(struct file *file, const char __user *from,
				 size_t bytes, loff_t *pos)
{
	if (!nfac_device_allowed(file->private_data))
		return -EPERM;
	return nfac_session_write(file->private_data, from, bytes);
}

/* The file's reader. A file that is not subscribed yet is now, to all sets. */
static struct nfac_reader *nfac_device_reader(struct nfac_session *session)
{
	static const char all_sets[NFAC_NAME_LEN];
	struct nfac_reader *reader = nfac_session_reader(session);
	int err;

	if (reader)
		return reader;
	if (!nfac_device_allowed(session))
		return ERR_PTR(-EPERM);
	err = nfac_session_subscribe(session, all_sets);
	/* -EBUSY: another thread was faster */
	if (err && err != -EBUSY)
		return ERR_PTR(err);
	return nfac_session_reader(session);
}

static ssize_t nfac_device_read(struct file *file, char __user *to, size_t bytes,
				loff_t *pos)
{
	struct nfac_reader *reader;
	ssize_t done;

	if (bytes < sizeof(struct nfac_event))
		return -EINVAL;
	reader = nfac_device_reader(file->private_data);
	if (IS_ERR(reader))
		return PTR_ERR(reader);
	for (;;) {
		done = nfac_reader_read(reader, to, bytes);
		if (done)
			return done;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(reader->wait,
					     nfac_reader_ready(reader)))
			return -ERESTARTSYS;
	}
}

static __poll_t nfac_device_poll(struct file *file, poll_table *wait)
{
	struct nfac_reader *reader = nfac_device_reader(file->private_data);

	if (IS_ERR(reader))
		return EPOLLERR;
	nfac_poll_wait(file, &reader->wait, wait);
	/* write() never blocks */
	return EPOLLOUT | EPOLLWRNORM |
	       (nfac_reader_ready(reader) ? EPOLLIN | EPOLLRDNORM : 0);
}

static long nfac_device_ioctl(struct file *file, unsigned int cmd,
			      unsigned long arg)
{
	return nfac_control(file->private_data, cmd, (void __user *)arg);
}

static const struct file_operations nfac_device_fops = {
	.owner		= THIS_MODULE,
	.open		= nfac_device_open,
	.release	= nfac_device_release,
	.read		= nfac_device_read,
	.write		= nfac_device_write,
	.poll		= nfac_device_poll,
	.unlocked_ioctl	= nfac_device_ioctl,
	/* the structs have the same layout for 32-bit programs */
	.compat_ioctl	= compat_ptr_ioctl,
};

static struct miscdevice nfac_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= NFAC_DEVICE,
	.fops	= &nfac_device_fops,
	.mode	= 0600,
	.groups	= nfac_sysfs_device_groups,
};

/**
 * nfac_device_init() - register /dev/nfac; open() fails until nfac_device_ready()
 *
 * Context: process, may sleep.
 * Return: as misc_register().
 */
int nfac_device_init(void)
{
	return misc_register(&nfac_misc);
}

/* No process has it open: an open file holds the module. */
void nfac_device_exit(void)
{
	misc_deregister(&nfac_misc);
}

/* From here on it may be opened. */
void nfac_device_ready(void)
{
	/* pairs with the acquire in nfac_device_open() */
	smp_store_release(&nfac_device_is_ready, true);
}

/* The device in sysfs; there is one from nfac_device_init() to nfac_device_exit(). */
struct device *nfac_device_dev(void)
{
	return nfac_misc.this_device;
}
