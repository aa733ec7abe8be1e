// SPDX-License-Identifier: GPL-2.0
/*
 * nfac: netfilter by Aho-Corasick.
 *
 * Module init and exit, and those of a network namespace.
 */

#include <linux/module.h>
#include <net/net_namespace.h>

#include "attachment.h"
#include "device.h"
#include "version.h"
#include "sysfs.h"

static int __net_init nfac_net_init(struct net *net)
{
	struct nfac_net *nn = nfac_net(net);

	nn->net = net;
	nfac_attachments_net_init(nn);
	return nfac_sets_net_init(nn);
}

static void __net_exit nfac_net_exit(struct net *net)
{
	struct nfac_net *nn = nfac_net(net);

	nfac_sysfs_net_exit(nn);
	nfac_attachments_net_exit(nn);
	nfac_sets_net_exit(nn);
}

static struct pernet_operations nfac_net_ops = {
	.init = nfac_net_init,
	.exit = nfac_net_exit,
	.id = &nfac_net_id,
	.size = sizeof(struct nfac_net),
};

static int __init nfac_init(void)
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
	err = nfac_device_init();
	if (err)
		goto err_free;
	err = nfac_sysfs_init(nfac_device_dev());
	if (err)
		goto err_device;
	err = register_pernet_subsys(&nfac_net_ops);
	if (err)
		goto err_sysfs;
	err = nfac_attachments_init();
	if (err)
		goto err_net;
	err = nfac_sysfs_add_memory_used(nfac_device_dev());
	if (err)
		goto err_attachments;
	nfac_device_ready();
	return 0;

err_attachments:
	nfac_attachments_exit();
err_net:
	unregister_pernet_subsys(&nfac_net_ops);
err_sysfs:
	nfac_sysfs_exit();
err_device:
	nfac_device_exit();
err_free:
	nfac_free_exit();
err_flows:
	nfac_flows_exit();
err_tiles:
	nfac_tiles_exit();
err_scan:
	nfac_scan_exit();
	return err;
}

/* No file is open and nothing is attached: both hold the module. */
static void __exit nfac_exit(void)
{
	nfac_sysfs_remove_memory_used(nfac_device_dev());
	nfac_attachments_exit();
	unregister_pernet_subsys(&nfac_net_ops);
	nfac_sysfs_exit();
	nfac_device_exit();
	nfac_free_exit();
	nfac_events_exit();
	nfac_flows_exit();
	nfac_tiles_exit();
	nfac_scan_exit();
}

module_init(nfac_init);
module_exit(nfac_exit);

MODULE_DESCRIPTION("netfilter by Aho-Corasick: thousands of patterns in every packet at once");
MODULE_LICENSE("GPL");
MODULE_VERSION(NFAC_RELEASE);
