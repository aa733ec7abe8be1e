// SPDX-License-Identifier: GPL-2.0
/*
 * sysfs: statistics for people and scripts, one value a file, under
 * /sys/class/misc/nfac.
 *
 *	tiles, slab_bytes	of all sets of all namespaces
 *	memory_limit		bytes that a namespace may have
 *	memory_used		bytes that the reader's namespace has
 *	sets/NAME/...		of the namespace that the sysfs was mounted in
 *	sets/NAME/attachments/ID/...
 *
 * Rates are per second, over the interval between the last two samples.
 *
 * A directory is removed under the namespace's lock, and its removal waits for its
 * readers: nothing here may wait for that lock.
 */

#include <linux/device.h>
#include <linux/nsproxy.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "sysfs.h"

/**
 * struct nfac_dir - a set's or an attachment's directory
 * @kobj: in sysfs; the last reference frees
 * @set: whose values it shows, or NULL
 * @att: whose values it shows, or NULL
 * @attachments: directory of the set's attachments
 *
 * Owned by the set or attachment, under the namespace's lock; a reader holds a reference
 * to it, and so to what it points to.
 */
struct nfac_dir {
	struct kobject kobj;
	struct nfac_set *set;
	struct nfac_attachment *att;
	struct kobject *attachments;
};

static struct kobject *nfac_sets_dir;

static struct nfac_dir *nfac_dir_of(const struct kobject *kobj)
{
	return container_of(kobj, struct nfac_dir, kobj);
}

static void nfac_dir_free(struct kobject *kobj)
{
	kfree(nfac_dir_of(kobj));
}

/* --- a set's files --- */

struct nfac_set_file {
	struct attribute attr;
	const char *format;
	u64 (*value)(const struct nfac_set *set, const struct nfac_load *load);
};

/* From the load; 0 until the first one is published. */
#define NFAC_LOAD_FILE(_name, _format, _expression)			\
static u64 nfac_value_##_name(const struct nfac_set *set,		\
			      const struct nfac_load *load)		\
{									\
	return load ? (_expression) : 0;				\
}									\
static struct nfac_set_file nfac_file_##_name = {			\
	.attr = { .name = #_name, .mode = 0444 },			\
	.format = _format,						\
	.value = nfac_value_##_name,					\
}

#define NFAC_SET_FILE(_name, _expression)				\
static u64 nfac_value_##_name(const struct nfac_set *set,		\
			      const struct nfac_load *load)		\
{									\
	return _expression;						\
}									\
static struct nfac_set_file nfac_file_##_name = {			\
	.attr = { .name = #_name, .mode = 0444 },			\
	.format = "%llu\n",						\
	.value = nfac_value_##_name,					\
}

NFAC_LOAD_FILE(patterns, "%llu\n", load->patterns);
NFAC_LOAD_FILE(states, "%llu\n", load->states);
NFAC_LOAD_FILE(node_bytes, "%llu\n", load->node_bytes);
NFAC_LOAD_FILE(total_bytes, "%llu\n", load->total_bytes);
NFAC_LOAD_FILE(slab_bytes, "%llu\n", load->tiles.slab_bytes);
NFAC_LOAD_FILE(generation, "%llu\n", load->generation);
NFAC_LOAD_FILE(checksum, "%016llx\n", load->checksum);
NFAC_LOAD_FILE(damaged, "%llu\n", READ_ONCE(load->damaged));
NFAC_SET_FILE(packets, nfac_stats_sum(set->stats, NFAC_COUNT_PACKETS));
NFAC_SET_FILE(bytes, nfac_stats_sum(set->stats, NFAC_COUNT_BYTES));
NFAC_SET_FILE(matches, nfac_stats_sum(set->stats, NFAC_COUNT_MATCHES));
NFAC_SET_FILE(matched_packets,
	      nfac_stats_sum(set->stats, NFAC_COUNT_MATCHED_PACKETS));
NFAC_SET_FILE(dropped_packets,
	      nfac_stats_sum(set->stats, NFAC_COUNT_DROPPED_PACKETS));
NFAC_SET_FILE(dropped_events,
	      nfac_stats_sum(set->stats, NFAC_COUNT_LOST_EVENTS));
NFAC_SET_FILE(packet_rate, READ_ONCE(set->packet_rate.per_second));
NFAC_SET_FILE(scan_rate, READ_ONCE(set->scan_rate.per_second));
NFAC_SET_FILE(match_rate, READ_ONCE(set->match_rate.per_second));
NFAC_SET_FILE(references, atomic_read(&set->rules));
NFAC_SET_FILE(rule_skipped, nfac_stats_skipped(set->stats));

/* a write searches for damaged tiles at once */
static struct attribute nfac_file_scrub = { .name = "scrub", .mode = 0200 };

static struct attribute *nfac_set_attrs[] = {
	&nfac_file_patterns.attr,
	&nfac_file_states.attr,
	&nfac_file_node_bytes.attr,
	&nfac_file_total_bytes.attr,
	&nfac_file_slab_bytes.attr,
	&nfac_file_generation.attr,
	&nfac_file_checksum.attr,
	&nfac_file_damaged.attr,
	&nfac_file_packets.attr,
	&nfac_file_bytes.attr,
	&nfac_file_matches.attr,
	&nfac_file_matched_packets.attr,
	&nfac_file_dropped_packets.attr,
	&nfac_file_dropped_events.attr,
	&nfac_file_packet_rate.attr,
	&nfac_file_scan_rate.attr,
	&nfac_file_match_rate.attr,
	&nfac_file_references.attr,
	&nfac_file_rule_skipped.attr,
	&nfac_file_scrub,
	NULL
};
ATTRIBUTE_GROUPS(nfac_set);

static ssize_t nfac_set_show(struct kobject *kobj, struct attribute *attr,
			     char *buf)
{
	const struct nfac_set_file *file = container_of(attr, struct nfac_set_file,
							attr);
	const struct nfac_set *set = nfac_dir_of(kobj)->set;
	u64 value;

	rcu_read_lock();
	value = file->value(set, nfac_set_load(set));
	rcu_read_unlock();
	return sysfs_emit(buf, file->format, value);
}

static ssize_t nfac_set_store(struct kobject *kobj, struct attribute *attr,
			      const char *buf, size_t count)
{
	struct nfac_set *set = nfac_dir_of(kobj)->set;
	struct nfac_net *nn = nfac_net(set->net);
	u32 bad;

	/* the lock's holder may be waiting for us to leave the directory */
	if (!mutex_trylock(&nn->lock))
		return restart_syscall();
	bad = nfac_set_scrub(nn, set);
	mutex_unlock(&nn->lock);
	return bad == NFAC_RESULT_SOUND ? count : -EUCLEAN;
}

static const struct sysfs_ops nfac_set_ops = {
	.show = nfac_set_show,
	.store = nfac_set_store,
};

static NFAC_KOBJECT_NS *nfac_set_namespace(NFAC_KOBJECT *kobj)
{
	return nfac_kobject_ns(nfac_dir_of(kobj)->set->net);
}

static struct kobj_type nfac_set_ktype = {
	.release = nfac_dir_free,
	.sysfs_ops = &nfac_set_ops,
	.default_groups = nfac_set_groups,
	.namespace = nfac_set_namespace,
};

/* --- an attachment's files --- */

static const char *const nfac_hook_names[] = {
	[NFAC_HOOK_PREROUTING] = "prerouting",
	[NFAC_HOOK_INPUT] = "input",
	[NFAC_HOOK_FORWARD] = "forward",
	[NFAC_HOOK_OUTPUT] = "output",
	[NFAC_HOOK_POSTROUTING] = "postrouting",
	[NFAC_HOOK_INGRESS] = "ingress",
	[NFAC_HOOK_EGRESS] = "egress",
	[NFAC_HOOK_XDP] = "xdp",
	[NFAC_HOOK_TC] = "tc",
};

static struct attribute nfac_file_hook = { .name = "hook", .mode = 0444 };
static struct attribute nfac_file_family = { .name = "family", .mode = 0444 };
/* Empty, unless the hook is that of a device. */
static struct attribute nfac_file_device = { .name = "device", .mode = 0444 };
static struct attribute nfac_file_priority = { .name = "priority", .mode = 0444 };
static struct attribute nfac_file_flags = { .name = "flags", .mode = 0444 };
/* It takes the lock of each bucket, which packets wait for. */
static struct attribute nfac_file_flows = { .name = "flows", .mode = 0400 };

static struct attribute *const nfac_own_files[] = {
	&nfac_file_family,
	&nfac_file_hook,
	&nfac_file_device,
	&nfac_file_priority,
	&nfac_file_flags,
	&nfac_file_flows,
};

/* Named by nfac_counter_names, at init. */
static struct attribute nfac_counter_files[NFAC_COUNT_MAX];

/* Both, and a NULL. */
static struct attribute *nfac_attachment_attrs[ARRAY_SIZE(nfac_own_files) + NFAC_COUNT_MAX + 1];
ATTRIBUTE_GROUPS(nfac_attachment);

static void nfac_attachment_attrs_init(void)
{
	struct attribute **next = nfac_attachment_attrs;
	int i;

	for (i = 0; i < ARRAY_SIZE(nfac_own_files); i++)
		*next++ = nfac_own_files[i];
	for (i = 0; i < NFAC_COUNT_MAX; i++) {
		nfac_counter_files[i].name = nfac_counter_names[i];
		nfac_counter_files[i].mode = 0444;
		*next++ = &nfac_counter_files[i];
	}
	*next = NULL;
}

static const char *nfac_attachment_family(const struct nfac_attachment *att)
{
	if (att->want.flags & NFAC_ATTACH_BRIDGE)
		return "bridge";
	switch (att->nfproto) {
	case NFPROTO_IPV4:
		return "ip";
	case NFPROTO_IPV6:
		return "ip6";
	default:
		return "inet";
	}
}

static ssize_t nfac_attachment_show(struct kobject *kobj, struct attribute *attr,
				    char *buf)
{
	const struct nfac_attachment *att = nfac_dir_of(kobj)->att;

	if (attr == &nfac_file_family)
		return sysfs_emit(buf, "%s\n", nfac_attachment_family(att));
	if (attr == &nfac_file_hook)
		return sysfs_emit(buf, "%s\n", nfac_hook_names[att->want.hook]);
	/* the file is removed before the device is */
	if (attr == &nfac_file_device)
		return sysfs_emit(buf, "%.*s\n", IFNAMSIZ, att->dev ? att->dev->name : "");
	if (attr == &nfac_file_priority)
		return sysfs_emit(buf, "%d\n", att->want.priority);
	if (attr == &nfac_file_flags)
		return sysfs_emit(buf, "%#x\n", att->want.flags);
	if (attr == &nfac_file_flows)
		return sysfs_emit(buf, "%llu\n", !att->flows ? 0 :
				  nfac_flows_count(att->flows, att->want.id));
	return sysfs_emit(buf, "%llu\n",
			  nfac_stats_sum(att->stats, attr - nfac_counter_files));
}

static const struct sysfs_ops nfac_attachment_ops = {
	.show = nfac_attachment_show,
};

static struct kobj_type nfac_attachment_ktype = {
	.release = nfac_dir_free,
	.sysfs_ops = &nfac_attachment_ops,
	.default_groups = nfac_attachment_groups,
};

/* --- the module's files --- */

static ssize_t tiles_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	u64 tiles, bytes;
	int err = nfac_tiles_total(&tiles, &bytes);

	return err ?: sysfs_emit(buf, "%llu\n", tiles);
}
static DEVICE_ATTR_RO(tiles);

static ssize_t slab_bytes_show(struct device *dev, struct device_attribute *attr,
			       char *buf)
{
	u64 tiles, bytes;
	int err = nfac_tiles_total(&tiles, &bytes);

	return err ?: sysfs_emit(buf, "%llu\n", bytes);
}
static DEVICE_ATTR_RO(slab_bytes);

static ssize_t memory_limit_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", nfac_budget_limit());
}
static DEVICE_ATTR_RO(memory_limit);

static ssize_t memory_used_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct nfac_net *nn = nfac_net(current->nsproxy->net_ns);

	return sysfs_emit(buf, "%lld\n", atomic64_read(&nn->budget->used));
}
static DEVICE_ATTR_RO(memory_used);

/**
 * nfac_sysfs_add_memory_used() - show how much memory a namespace holds
 * @device: in whose directory
 *
 * Not one of the device's own files: those are there before the namespaces have what this
 * one shows, and after.
 *
 * Context: process, may sleep; the namespaces are set up.
 * Return: 0 or what device_create_file() says.
 */
int nfac_sysfs_add_memory_used(struct device *device)
{
	return device_create_file(device, &dev_attr_memory_used);
}

/* waits for its readers */
void nfac_sysfs_remove_memory_used(struct device *device)
{
	device_remove_file(device, &dev_attr_memory_used);
}

static struct attribute *nfac_sysfs_device_attrs[] = {
	&dev_attr_tiles.attr,
	&dev_attr_slab_bytes.attr,
	&dev_attr_memory_limit.attr,
	NULL
};

static const struct attribute_group nfac_sysfs_device_group = {
	.attrs = nfac_sysfs_device_attrs,
};

const struct attribute_group *nfac_sysfs_device_groups[] = {
	&nfac_sysfs_device_group,
	NULL
};

/* --- adding and removing directories --- */

static void nfac_sets_free(struct kobject *kobj)
{
	kfree(kobj);
}

static const struct kobj_ns_type_operations *nfac_sets_child_ns(NFAC_KOBJECT *kobj)
{
	return &net_ns_type_operations;
}

static struct kobj_type nfac_sets_ktype = {
	.release = nfac_sets_free,
	.sysfs_ops = &kobj_sysfs_ops,
	.child_ns_type = nfac_sets_child_ns,
};

/**
 * nfac_sysfs_init() - create the directory of the sets
 * @device: where
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_sysfs_init(struct device *device)
{
	struct kobject *dir = kzalloc(sizeof(*dir), GFP_KERNEL);
	int err;

	if (!dir)
		return -ENOMEM;
	nfac_attachment_attrs_init();
	err = kobject_init_and_add(dir, &nfac_sets_ktype, &device->kobj, "sets");
	if (err) {
		kobject_put(dir);
		return err;
	}
	nfac_sets_dir = dir;
	return 0;
}

/* All sets of all namespaces are gone. */
void nfac_sysfs_exit(void)
{
	kobject_del(nfac_sets_dir);
	kobject_put(nfac_sets_dir);
}

static struct nfac_dir *nfac_dir_add(struct nfac_set *set, struct nfac_attachment *att,
				     struct kobj_type *ktype, struct kobject *parent,
				     const char *name)
{
	struct nfac_dir *dir = kzalloc(sizeof(*dir), GFP_KERNEL_ACCOUNT);
	int err;

	if (!dir)
		return ERR_PTR(-ENOMEM);
	dir->set = set;
	dir->att = att;
	err = kobject_init_and_add(&dir->kobj, ktype, parent, "%s", name);
	if (err) {
		kobject_put(&dir->kobj);
		return ERR_PTR(err);
	}
	return dir;
}

static void nfac_dir_remove(struct nfac_dir *dir)
{
	/* waits for its readers */
	kobject_del(&dir->kobj);
	kobject_put(&dir->kobj);
}

/**
 * nfac_sysfs_add_set() - add a set's directory
 * @set: in its namespace's list, the namespace locked
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_sysfs_add_set(struct nfac_set *set)
{
	struct nfac_dir *dir;

	dir = nfac_dir_add(set, NULL, &nfac_set_ktype, nfac_sets_dir, set->name);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	dir->attachments = kobject_create_and_add("attachments", &dir->kobj);
	if (!dir->attachments) {
		nfac_dir_remove(dir);
		return -ENOMEM;
	}
	set->kobj = &dir->kobj;
	return 0;
}

/**
 * nfac_sysfs_remove_set() - remove a set's directory
 * @set: has no attachment in sysfs, or is not there itself; the namespace locked
 *
 * Context: process, may sleep.
 */
void nfac_sysfs_remove_set(struct nfac_set *set)
{
	struct nfac_dir *dir;

	if (!set->kobj)
		return;
	dir = nfac_dir_of(set->kobj);
	set->kobj = NULL;
	kobject_del(dir->attachments);
	kobject_put(dir->attachments);
	nfac_dir_remove(dir);
}

/**
 * nfac_sysfs_add_attachment() - add an attachment's directory
 * @att: in its namespace's list, the namespace locked; its set is in sysfs
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int nfac_sysfs_add_attachment(struct nfac_attachment *att)
{
	struct nfac_dir *dir;
	char name[12];

	scnprintf(name, sizeof(name), "%u", att->want.id);
	dir = nfac_dir_add(NULL, att, &nfac_attachment_ktype,
			   nfac_dir_of(att->set->kobj)->attachments, name);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	att->kobj = &dir->kobj;
	return 0;
}

/**
 * nfac_sysfs_remove_attachment() - remove an attachment's directory
 * @att: in sysfs, or not; the namespace locked
 *
 * Context: process, may sleep.
 */
void nfac_sysfs_remove_attachment(struct nfac_attachment *att)
{
	struct kobject *kobj = att->kobj;

	if (!kobj)
		return;
	att->kobj = NULL;
	nfac_dir_remove(nfac_dir_of(kobj));
}

/**
 * nfac_sysfs_net_exit() - remove all of a namespace
 * @nn: the namespace, not locked
 *
 * Context: process, may sleep.
 */
void nfac_sysfs_net_exit(struct nfac_net *nn)
{
	struct nfac_attachment *att;
	struct nfac_set *set;

	mutex_lock(&nn->lock);
	list_for_each_entry(att, &nn->attachments, link)
		nfac_sysfs_remove_attachment(att);
	list_for_each_entry(set, &nn->sets, link)
		nfac_sysfs_remove_set(set);
	mutex_unlock(&nn->lock);
}
