/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ioctls of /dev/nfac: commit, attach, list, statistics, counts.
 */
#ifndef _NFAC_IOCTL_H
#define _NFAC_IOCTL_H

#include "session.h"

long nfac_control(struct nfac_session *session, unsigned int cmd, void __user *arg);

#endif /* _NFAC_IOCTL_H */
