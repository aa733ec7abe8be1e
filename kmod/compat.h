/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions, all of them.
 *
 * NFAC_HAVE_* come from kmod/Kbuild, which compiles a line that uses the feature; the rest
 * tests a macro that comes with it.
 */
#ifndef _NFAC_COMPAT_H
#define _NFAC_COMPAT_H

#include <linux/kobject.h>
#include <linux/netfilter.h>
#include <linux/poll.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#ifdef CONFIG_X86_64	/* UML too, whose host keeps a process' registers */
#include <asm/fpu/api.h>
#endif
#if defined(CONFIG_ARM64) && defined(CONFIG_KERNEL_MODE_NEON)
#include <asm/neon.h>
#include <asm/simd.h>
#endif

/* kobj_type's callbacks take a constant kobject since 6.2 or so, and give an ns_common in 7.2. */
#if defined(NFAC_HAVE_CONST_KOBJECT) || defined(NFAC_HAVE_KOBJECT_NS)
#define NFAC_KOBJECT		const struct kobject
#else
#define NFAC_KOBJECT		struct kobject
#endif

#ifdef NFAC_HAVE_KOBJECT_NS
#define NFAC_KOBJECT_NS		const struct ns_common
#define nfac_kobject_ns(net)	(&(net)->ns)
#else
#define NFAC_KOBJECT_NS		const void
#define nfac_kobject_ns(net)	(net)
#endif

/* Since 5.16 a device has a hook for what it sends, if the kernel is configured so. */
#if defined(NFAC_HAVE_NETDEV_EGRESS) && IS_ENABLED(CONFIG_NETFILTER_EGRESS)
#define NFAC_EGRESS		true
#define NFAC_NETDEV_EGRESS	NF_NETDEV_EGRESS
#else
#define NFAC_EGRESS		false
#define NFAC_NETDEV_EGRESS	NF_NETDEV_NUMHOOKS
#endif

static inline void nfac_poll_wait(struct file *file, wait_queue_head_t *queue,
				  struct poll_table_struct *wait)
{
	poll_wait(file, queue, wait);
	/* pairs with wq_has_sleeper(); until 6.13 or so poll_wait() had none of its own */
	smp_mb();
}

/* Since 6.12 or so a packet's bytes may be in device memory, which the CPU cannot read. */
static inline bool nfac_frags_readable(const struct sk_buff *skb)
{
#ifdef NFAC_HAVE_FRAGS_READABLE
	return skb_frags_readable(skb);
#else
	return true;
#endif
}

/**
 * nfac_cache_create() - a kmem_cache that is never merged into another
 * @name: in /proc/slabinfo
 * @size: of an object, bytes
 * @align: of an object, bytes
 *
 * Before SLAB_NO_MERGE a usercopy region has the same effect. Unlike a constructor it
 * leaves SLUB's free pointer inside the free object, and so costs no memory. Nothing is
 * ever copied to user space from such an object.
 *
 * Context: process, may sleep.
 * Return: the cache, or NULL.
 */
static inline struct kmem_cache *nfac_cache_create(const char *name,
						   unsigned int size,
						   unsigned int align)
{
#ifdef SLAB_NO_MERGE
	return kmem_cache_create(name, size, align,
				 SLAB_ACCOUNT | SLAB_NO_MERGE, NULL);
#else
	return kmem_cache_create_usercopy(name, size, align, SLAB_ACCOUNT,
					  0, sizeof(u32), NULL);
#endif
}

#ifdef NFAC_COMPAT_HELPER	/* for ct_helper.c alone: the header needs conntrack */
#include <linux/module.h>
#include <net/netfilter/nf_conntrack_helper.h>

/* Since 7.3 a helper has no tuple, so its ports are no arguments. */
static inline void nfac_helper_init(struct nf_conntrack_helper *helper, u8 protocol,
				    const char *name, u16 port,
				    const struct nf_conntrack_expect_policy *policy,
				    int (*help)(struct sk_buff *skb, unsigned int protoff,
						struct nf_conn *ct,
						enum ip_conntrack_info ctinfo))
{
#ifdef NFAC_HAVE_HELPER_WITHOUT_TUPLE
	nf_ct_helper_init(helper, NFPROTO_UNSPEC, protocol, name, policy, 0, help, NULL,
			  THIS_MODULE);
#else
	nf_ct_helper_init(helper, NFPROTO_UNSPEC, protocol, name, port, port, 0, policy, 0, help,
			  NULL, THIS_MODULE);
#endif
}

/* Since 7.2 netfilter registers a copy, which has another name for its references. */
static inline int nfac_helper_register(struct nf_conntrack_helper *helper,
				       struct nf_conntrack_helper **registered)
{
#ifdef NFAC_HAVE_HELPER_COPY
	return nf_conntrack_helper_register(helper, registered);
#else
	*registered = helper;
	return nf_conntrack_helper_register(helper);
#endif
}

/*
 * Does a rule name the helper? In 7.2 a connection holds it, too, but only a rule's object holds
 * the module.
 */
static inline bool nfac_helper_referenced(const struct nf_conntrack_helper *registered)
{
#ifdef NFAC_HAVE_HELPER_COPY
	return module_refcount(THIS_MODULE) > 0 && refcount_read(&registered->ct_refcnt) > 1;
#else
	return refcount_read(&registered->refcnt) > 1;
#endif
}
#endif /* NFAC_COMPAT_HELPER */

#ifdef NFAC_COMPAT_KFUNCS	/* for bpf.c alone: the header needs BPF */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>

/* Since 6.9 a set of functions that programs call has a mark of its own. */
#ifdef BTF_KFUNCS_START
#define NFAC_KFUNCS_START(name)	BTF_KFUNCS_START(name)
#define NFAC_KFUNCS_END(name)	BTF_KFUNCS_END(name)
#else
#define NFAC_KFUNCS_START(name)	BTF_SET8_START(name)
#define NFAC_KFUNCS_END(name)	BTF_SET8_END(name)
#endif

/* Since 6.3 the kernel has a word for such a function. */
#ifndef __bpf_kfunc
#define __bpf_kfunc		noinline
#endif
#endif /* NFAC_COMPAT_KFUNCS */

/*
 * Where nfac_simd_begin() keeps what the registers held: on arm64 since 7.0, on the caller's stack.
 * Declared nfac_uninitialized, for the kernel writes it before it reads it.
 */
struct nfac_simd {
#ifdef NFAC_HAVE_NEON_STATE
	struct user_fpsimd_state state;
#endif
};

/**
 * nfac_simd_begin() - take the vector registers (AVX, NEON) if they may be used here, now
 * @simd: valid until nfac_simd_end()
 *
 * Context: any but NMI. After true, no sleeping until nfac_simd_end().
 */
static inline bool nfac_simd_begin(struct nfac_simd *simd)
{
#if defined(CONFIG_X86_64)
	if (!irq_fpu_usable())
		return false;
	kernel_fpu_begin();
	return true;
#elif defined(CONFIG_ARM64) && defined(CONFIG_KERNEL_MODE_NEON)
	if (!may_use_simd())
		return false;
#ifdef NFAC_HAVE_NEON_STATE
	kernel_neon_begin(&simd->state);
#else
	kernel_neon_begin();
#endif
	return true;
#else
	return false;
#endif
}

static inline void nfac_simd_end(struct nfac_simd *simd)
{
#if defined(CONFIG_X86_64)
	kernel_fpu_end();
#elif defined(NFAC_HAVE_NEON_STATE)
	kernel_neon_end(&simd->state);
#elif defined(CONFIG_ARM64) && defined(CONFIG_KERNEL_MODE_NEON)
	kernel_neon_end();
#endif
}

#endif /* _NFAC_COMPAT_H */
