/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the engine needs of its environment, in the kernel and in user space.
 *
 * The engine's files are compiled into nfac.ko, the tool, the fuzzers and the benchmark. Only this
 * header depends on which of them is built.
 */
#ifndef _NFAC_FREESTANDING_H
#define _NFAC_FREESTANDING_H

#ifdef __KERNEL__

#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/prefetch.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#endif
#if defined(CONFIG_ARM64) && defined(CONFIG_KERNEL_MODE_NEON)
#include <asm/neon.h>
#endif

#define nfac_lock_t		spinlock_t
#define nfac_relax()		cond_resched()
#define nfac_ctz64(x)		__ffs64(x)

/* the header of get_unaligned() moved between 6.1 and 6.12, and sparse has no __has_include */
struct nfac_any32 {
	u32 x;
} __packed;

struct nfac_any64 {
	u64 x;
} __packed;

#define nfac_get32(p)		(((const struct nfac_any32 *)(p))->x)
#define nfac_get64(p)		(((const struct nfac_any64 *)(p))->x)

/**
 * nfac_have_vector() - does the processor have the vectors of match/vector.h, and does the kernel
 *	save their registers?
 * / With AVX2, tests for BMI, too, which came with it: results of vectors are bit masks.
 * / Context: any.
 */
static inline bool nfac_have_vector(void)
{
#ifdef CONFIG_X86_64
	if (!boot_cpu_has(X86_FEATURE_AVX2) || !boot_cpu_has(X86_FEATURE_BMI1) ||
	    !boot_cpu_has(X86_FEATURE_BMI2))
		return false;
#endif
#if defined(CONFIG_ARM64) && defined(CONFIG_KERNEL_MODE_NEON)
	return cpu_has_neon();
#elif defined(CONFIG_X86_64) && !defined(CONFIG_UML)
	return cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
#else
	/* UML's registers are saved by its host */
	return IS_ENABLED(CONFIG_X86_64);
#endif
}

#else /* !__KERNEL__ */

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int64_t s64;
typedef int32_t s32;

#ifndef U32_MAX
#define U32_MAX			0xffffffffu
#endif

#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#ifndef noinline
#define noinline		__attribute__((noinline))
#endif
#define __aligned(n)		__attribute__((aligned(n)))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#ifndef __force
#define __force
#endif
#define le32_to_cpu(x)		le32toh(x)
#define cpu_to_le32(x)		htole32(x)
#define le16_to_cpu(x)		le16toh(x)
#define cpu_to_le16(x)		htole16(x)
#define le64_to_cpu(x)		le64toh(x)
#define cpu_to_le64(x)		htole64(x)
#define prefetch(p)		__builtin_prefetch(p)
#define scnprintf		snprintf
#define BIT(n)			(1u << (n))
#define BIT_ULL(n)		(1ull << (n))
#define OPTIMIZER_HIDE_VAR(v)	__asm__("" : "+r" (v))
#define lower_32_bits(n)	((u32)(n))
#define upper_32_bits(n)	((u32)((n) >> 32))
/* single-threaded: as large as the lock, so that structures have the same layout */
#define nfac_lock_t		u32
#define nfac_relax()		do { } while (0)
#define nfac_ctz64(x)		__builtin_ctzll(x)

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

/* Map @value from 32 bits to 0 .. @range - 1. */
static inline u32 reciprocal_scale(u32 value, u32 range)
{
	return (u64)value * range >> 32;
}

static inline u32 nfac_get32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline u64 nfac_get64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline bool nfac_have_vector(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2");
#elif defined(__AARCH64EL__)
	return true;	/* part of the instruction set */
#else
	return false;
#endif
}

#endif /* __KERNEL__ */

/*
 * A variable on the stack that the compiler must not clear where the kernel zeroes all of them
 * (CONFIG_INIT_STACK_ALL_ZERO, as Debian's): some hundred bytes for each packet, of which each is
 * written before it is read. A kernel that fills variables with a pattern, to find reads of
 * uninitialised memory, fills this one too.
 */
#if __has_attribute(__uninitialized__) && !defined(CONFIG_INIT_STACK_ALL_PATTERN)
#define nfac_uninitialized	__attribute__((__uninitialized__))
#else
#define nfac_uninitialized
#endif

/*
 * Shift @bits up by one, and append bit @n % 64 of @word. x86 has two operations for it, where GCC
 * takes five: web traffic was 1.13 to 1.9 times as fast, in plain C.
 */
static __always_inline u64 nfac_append_bit(u64 bits, u64 word, u64 n)
{
#ifdef __x86_64__
	asm("bt %2, %1\n\tadc %0, %0" : "+r" (bits) : "r" (word), "r" (n) : "cc");
	return bits;
#else
	return 2 * bits + (word >> (n & 63) & 1);
#endif
}

#endif /* _NFAC_FREESTANDING_H */
