// SPDX-License-Identifier: GPL-2.0
/*
 * The benchmark module: sets up and tears down in mirror order.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sort.h>

#include "bench.h"
#include "flow_table.h"
#include "skb_scan.h"

static char *folder = "";
module_param(folder, charp, 0400);
MODULE_PARM_DESC(folder, "where nfac-bench --export has put its files");

struct bench_input bench_input;

static struct dentry *bench_dir;
static DEFINE_MUTEX(bench_lock);	/* one measurement at a time */

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x > *y ? 1 : -(*x < *y);
}

void bench_sort(u64 *ns, u32 n)
{
	sort(ns, n, sizeof(*ns), by_value, NULL);
}

typedef int (*bench_show_fn)(struct seq_file *m, void *v);

static int bench_show(struct seq_file *m, void *v)
{
	bench_show_fn show = m->private;
	int err;

	mutex_lock(&bench_lock);
	err = show(m, v);
	mutex_unlock(&bench_lock);
	return err;
}

static int bench_open(struct inode *inode, struct file *file)
{
	/* large enough for every table: a second call would measure again */
	return single_open_size(file, bench_show, inode->i_private, 65536);
}

static const struct file_operations bench_fops = {
	.owner = THIS_MODULE,
	.open = bench_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init bench_init(void)
{
	int err;

	err = nfac_scan_setup();
	if (err)
		return err;
	err = nfac_tiles_init();
	if (err)
		goto err_scan;
	err = nfac_flows_init();
	if (err)
		goto err_tiles;
	err = nfac_free_init();
	if (err)
		goto err_flows;
	err = bench_input_read(&bench_input, folder);
	if (err)
		goto err_input;
	bench_dir = debugfs_create_dir("nfac_bench", NULL);
	debugfs_create_file("speed", 0400, bench_dir, bench_speed_show, &bench_fops);
	debugfs_create_file("packets", 0400, bench_dir, bench_packets_show, &bench_fops);
	debugfs_create_file("streams", 0400, bench_dir, bench_streams_show, &bench_fops);
	debugfs_create_file("load", 0400, bench_dir, bench_load_show, &bench_fops);
	debugfs_create_file("objects", 0400, bench_dir, bench_objects_show, &bench_fops);
	debugfs_create_file("memory", 0400, bench_dir, bench_memory_show, &bench_fops);
	return 0;

err_input:
	bench_input_free(&bench_input);
	nfac_free_exit();
err_flows:
	nfac_flows_exit();
err_tiles:
	nfac_tiles_exit();
err_scan:
	nfac_scan_exit();
	return err;
}

static void __exit bench_exit(void)
{
	debugfs_remove_recursive(bench_dir);
	bench_input_free(&bench_input);
	nfac_free_exit();
	nfac_flows_exit();
	nfac_tiles_exit();
	nfac_scan_exit();
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("nfac: benchmark inside the kernel, for developers");
MODULE_LICENSE("GPL");
