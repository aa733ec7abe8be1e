/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Device: /dev/nfac, and messages for its errors.
 */
#ifndef _NFAC_CLI_DEVICE_H
#define _NFAC_CLI_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/nfac.h>

#define DEVICE_PATH	"/dev/" NFAC_DEVICE

/* strerror(), with more to say of some of the device's errors. */
const char *device_strerror(int err);

/* Report @err of a command that named a set. Return: -1. */
int device_set_error(const char *name, int err);

/**
 * device_open() - open /dev/nfac
 *
 * Return: a descriptor, or -1 after saying why and what to do about it.
 */
int device_open(void);

/**
 * device_commit() - send a blob and publish it as a set
 * @commit: name filled in; on return the kernel's answer
 *
 * Return: 0; -1 after saying why, the old set of that name being in force.
 */
int device_commit(int device, const void *blob, size_t size, struct nfac_ioc_commit *commit);

/* Take a set out of the kernel. Return: 0; -1 after saying why not. */
int device_unload(int device, const char *name);

/*
 * The set that follows @set by name, or the first one if @set is all zero: a walk is
 * while (device_next_set(device, &set) == 1).
 * Return: 1; 0: no more; -1 after saying why.
 */
int device_next_set(int device, struct nfac_ioc_set *set);

/* The set of that name. Return: 1; 0: there is none; -1 after saying why. */
int device_find_set(int device, const char *name, struct nfac_ioc_set *set);

/* The same for attachments, by id. */
int device_next_attach(int device, struct nfac_ioc_attach *attach);

/**
 * struct device_attachments - attachments of all sets, in the order of their ids
 * @items: to be freed
 */
struct device_attachments {
	struct nfac_ioc_attach *items;
	size_t count;
};

/* Read them all. Return: 0; -1 after saying why; @all is to be freed in either case. */
int device_attachments(int device, struct device_attachments *all);

/**
 * device_subscribe() - have read() give match events from now on
 * @name: of the set; NULL: all
 *
 * Return: 0; -1 after saying why.
 */
int device_subscribe(int device, const char *name);

/**
 * set_name_check() - may a set have this name?
 *
 * Return: 0; -1 after saying why not.
 */
int set_name_check(const char *name);

/* Names of hooks, by enum nfac_hook; NULL past the last. */
extern const char *const hook_names[];
const char *hook_name(unsigned int hook);

#endif /* _NFAC_CLI_DEVICE_H */
