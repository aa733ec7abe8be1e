/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaching and detaching: the requests to the device, their errors in words, and warnings of
 * attachments that see nothing, or see it twice.
 */
#ifndef _NFAC_ATTACH_REQUEST_H
#define _NFAC_ATTACH_REQUEST_H

#include <linux/nfac.h>

/**
 * attach_request() - attach a set to a hook
 * @attach: on return with its id, and without NFAC_ATTACH_DEFRAG where this kernel cannot put
 *	fragments together, of which a message warns
 *
 * At XDP and tc the device gets the ready BPF program, if it has none.
 *
 * Return: 0; -1 after saying why not.
 */
int attach_request(int device, struct nfac_ioc_attach *attach);

/*
 * At XDP and tc the ready program goes with its device's last attachment. Return: 0, or an errno of
 * the device, negative; silently.
 */
int detach_request(int device, __u32 id);

/* Warn if another attachment has the same options. */
void attach_warn_of_twin(int device, const struct nfac_ioc_attach *attach);

/* Warn if the attachment can see no packet, by what this namespace's interfaces are now. */
void attach_warn(const struct nfac_ioc_attach *attach);

#endif /* _NFAC_ATTACH_REQUEST_H */
