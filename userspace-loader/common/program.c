// SPDX-License-Identifier: GPL-2.0
/*
 * The ready BPF program at XDP (by netlink) or tc (a filter of the qdisc clsact): loading,
 * attaching and removing it by libbpf.
 *
 * attach_request.c calls it with the device locked, so that no two processes change one device.
 */
#include "program.h"

#include "device.h"
#include "message.h"

#ifdef HAVE_BPF
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>

/* The object that clang built of nfac.bpf.c, in the tool's own memory. */
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"program_object: .incbin \"" BPF_OBJECT "\"\n"
	"program_object_end:\n"
	".popsection\n");
extern const char program_object[] __attribute__((visibility("hidden")));
extern const char program_object_end[] __attribute__((visibility("hidden")));

/*
 * The filter of tc: its priority is early, so that other filters get the packets that it passes. tc
 * chooses handles from 1 on, so this one is no other filter's.
 */
#define TC_PRIORITY	0xac
#define TC_HANDLE	0xfac

/* The first that libbpf had to say; it names the cause, what follows are consequences. */
static char cause[256];

static int keep_cause(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_WARN && !*cause) {
		vsnprintf(cause, sizeof(cause), format, args);
		cause[strcspn(cause, "\n")] = 0;
	}
	return 0;
}

static const char *program_name(unsigned int hook)
{
	return hook == NFAC_HOOK_XDP ? "nfac_xdp" : "nfac_tc";
}

static int program_error(unsigned int hook, const char *device, int err)
{
	return complain("hook %s of '%s': %s%s%s", hook_name(hook), device,
			device_strerror(err < 0 ? -err : err), *cause ? ": " : "", cause);
}

/* Is the program with that id the ready one? @name has room for BPF_OBJ_NAME_LEN bytes. */
static bool is_ready(unsigned int hook, __u32 id, char *name)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	*name = 0;
	if (fd < 0)
		return false;
	if (!bpf_obj_get_info_by_fd(fd, &info, &size))
		memcpy(name, info.name, BPF_OBJ_NAME_LEN);
	close(fd);
	return !strcmp(name, program_name(hook));
}

/* Load the program of @hook alone. Return: the object, NULL: errno. */
static struct bpf_object *load(unsigned int hook, int *fd)
{
	const size_t size = program_object_end - program_object;
	struct bpf_object *object;
	struct bpf_program *program;
	int err;

	object = bpf_object__open_mem(program_object, size, NULL);
	if (!object)
		return NULL;
	bpf_object__for_each_program(program, object)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program),
							   program_name(hook)));
	err = bpf_object__load(object);
	if (err) {
		bpf_object__close(object);
		errno = -err;
		return NULL;
	}
	*fd = bpf_program__fd(bpf_object__find_program_by_name(object, program_name(hook)));
	return object;
}

/* The program at XDP, and the flag of its mode. Return: its id; 0: there is none; -errno. */
static long xdp_program(int ifindex, __u32 *mode)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	int err = bpf_xdp_query(ifindex, 0, &query);

	if (err)
		return err;
	*mode = XDP_FLAGS_SKB_MODE;
	if (query.skb_prog_id)
		return query.skb_prog_id;
	*mode = query.drv_prog_id ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_HW_MODE;
	return query.drv_prog_id ? query.drv_prog_id : query.hw_prog_id;
}

/* In the driver if it can, which is what costs the least. */
static int xdp_set(int ifindex, const char *device, int fd)
{
	int err = bpf_xdp_attach(ifindex, fd, XDP_FLAGS_UPDATE_IF_NOEXIST, NULL), native = err;

	if (!err || err == -EBUSY || err == -EEXIST)
		return err;
	err = bpf_xdp_attach(ifindex, fd, XDP_FLAGS_UPDATE_IF_NOEXIST | XDP_FLAGS_SKB_MODE, NULL);
	if (!err)
		complain("hook xdp of '%s': its driver refuses the program (%s), so it is generic XDP, which costs more",
			 device, strerror(-native));
	return err;
}

/* Return: 1: a program is there already, after saying what that means; 0; -errno. */
static int xdp_taken(int ifindex, const char *device)
{
	char name[BPF_OBJ_NAME_LEN];
	__u32 mode;
	long id = xdp_program(ifindex, &mode);

	if (id <= 0)
		return id;
	if (!is_ready(NFAC_HOOK_XDP, id, name))
		complain("hook xdp of '%s': the program '%s' (id %ld) is there already, and a device has one: it must call bpf_nfac_xdp_match(), see docs/bpf.md",
			 device, name, id);
	return 1;
}

static struct bpf_tc_hook tc_hook(int ifindex)
{
	return (struct bpf_tc_hook){
		.sz = sizeof(struct bpf_tc_hook),
		.ifindex = ifindex,
		.attach_point = BPF_TC_INGRESS,
	};
}

/* Return: 1: the ready program is there; 0: no filter is in its place; -errno. */
static int tc_taken(int ifindex)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = TC_HANDLE, .priority = TC_PRIORITY);
	struct bpf_tc_hook hook = tc_hook(ifindex);
	char name[BPF_OBJ_NAME_LEN];
	int err = bpf_tc_query(&hook, &opts);

	/* EINVAL: there is no qdisc whose filters could be searched */
	if (err == -ENOENT || err == -EINVAL)
		return 0;
	if (err)
		return err;
	return is_ready(NFAC_HOOK_TC, opts.prog_id, name) ? 1 : -EEXIST;
}

static int tc_set(int ifindex, int fd)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = TC_HANDLE, .priority = TC_PRIORITY, .prog_fd = fd);
	struct bpf_tc_hook hook = tc_hook(ifindex);
	int err = bpf_tc_hook_create(&hook);

	if (err && err != -EEXIST)
		return err;
	return bpf_tc_attach(&hook, &opts);
}

int program_attach(unsigned int hook, const char *device)
{
	int ifindex = if_nametoindex(device), err, fd;
	struct bpf_object *object;

	*cause = 0;
	libbpf_set_print(keep_cause);
	if (!ifindex)
		return program_error(hook, device, errno);
	err = hook == NFAC_HOOK_XDP ? xdp_taken(ifindex, device) : tc_taken(ifindex);
	if (err > 0)
		return 0;
	*cause = 0;
	if (err)
		return program_error(hook, device, err);
	object = load(hook, &fd);
	if (!object)
		return program_error(hook, device, errno);
	err = hook == NFAC_HOOK_XDP ? xdp_set(ifindex, device, fd) : tc_set(ifindex, fd);
	/* the device holds the program from here on */
	bpf_object__close(object);
	return err ? program_error(hook, device, err) : 0;
}

static int xdp_clear(int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts);
	char name[BPF_OBJ_NAME_LEN];
	__u32 mode;
	long id = xdp_program(ifindex, &mode);
	int err;

	if (id <= 0 || !is_ready(NFAC_HOOK_XDP, id, name))
		return id < 0 ? id : 0;
	opts.old_prog_fd = bpf_prog_get_fd_by_id(id);
	if (opts.old_prog_fd < 0)
		return opts.old_prog_fd;
	err = bpf_xdp_detach(ifindex, mode, &opts);
	close(opts.old_prog_fd);
	return err;
}

/* The qdisc stays, for other filters may have come to it. */
static int tc_clear(int ifindex)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = TC_HANDLE, .priority = TC_PRIORITY);
	struct bpf_tc_hook hook = tc_hook(ifindex);

	return tc_taken(ifindex) == 1 ? bpf_tc_detach(&hook, &opts) : 0;
}

void program_detach(unsigned int hook, const char *device)
{
	int ifindex = if_nametoindex(device), err;

	*cause = 0;
	libbpf_set_print(keep_cause);
	/* it went, and its program with it */
	if (!ifindex)
		return;
	err = hook == NFAC_HOOK_XDP ? xdp_clear(ifindex) : tc_clear(ifindex);
	if (err)
		program_error(hook, device, err);
}

#else

int program_attach(unsigned int hook, const char *device)
{
	return complain("hook %s of '%s': this nfac was built without clang or libbpf, and has no program to load",
			hook_name(hook), device);
}

void program_detach(unsigned int hook, const char *device)
{
	(void)hook;
	(void)device;
}

#endif
