/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Control: what the device's ioctls do.
 */
#ifndef _NFAC_CONTROL_H
#define _NFAC_CONTROL_H

#include "session.h"

long nfac_control(struct nfac_session *session, unsigned int cmd, void __user *arg);

#endif /* _NFAC_CONTROL_H */
