/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs: statistics for people and scripts, one value a file, under
 * /sys/class/misc/nfac. A namespace's sysfs shows its own sets.
 */
#ifndef _NFAC_SYSFS_H
#define _NFAC_SYSFS_H

#include "attachment.h"

/* Of the device itself: values of the module as a whole. */
extern const struct attribute_group *nfac_sysfs_device_groups[];

int nfac_sysfs_init(struct device *device);
int nfac_sysfs_add_memory_used(struct device *device);
void nfac_sysfs_remove_memory_used(struct device *device);
void nfac_sysfs_exit(void);

int nfac_sysfs_add_set(struct nfac_set *set);
void nfac_sysfs_remove_set(struct nfac_set *set);
int nfac_sysfs_add_attachment(struct nfac_attachment *att);
void nfac_sysfs_remove_attachment(struct nfac_attachment *att);
void nfac_sysfs_net_exit(struct nfac_net *nn);

#endif /* _NFAC_SYSFS_H */
