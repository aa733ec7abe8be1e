/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Program: the ready BPF program of a device, which brings its packets to attachments.
 *
 * One program serves all attachments of its device and hook: it is loaded with the first one, and
 * removed with the last one.
 */
#ifndef _NFAC_PROGRAM_H
#define _NFAC_PROGRAM_H

#include <linux/nfac.h>

/**
 * program_attach() - see that a program brings the packets of a device
 * @hook: NFAC_HOOK_XDP or NFAC_HOOK_TC
 * @device: its name
 *
 * A program at XDP that is there already stays, for a device has one: a notice says what it has to
 * call.
 *
 * Return: 0; -1 after saying why not.
 */
int program_attach(unsigned int hook, const char *device);

/* Remove the ready program, if it is there; a message reports a failure. */
void program_detach(unsigned int hook, const char *device);

#endif /* _NFAC_PROGRAM_H */
