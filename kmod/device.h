/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device: /dev/nfac.
 */
#ifndef _NFAC_DEVICE_H
#define _NFAC_DEVICE_H

#include <linux/device.h>

int nfac_device_init(void);
void nfac_device_exit(void);
void nfac_device_ready(void);
struct device *nfac_device_dev(void);

#endif /* _NFAC_DEVICE_H */
