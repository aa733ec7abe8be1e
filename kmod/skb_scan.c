// SPDX-License-Identifier: GPL-2.0
/*
 * Scans in the kernel: over a packet's bytes, wherever the skb has them.
 */

#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
/* behind sched.h: with lock debugging it uses current, which it does not declare */
#include <linux/local_lock.h>

#include "compat.h"
#include "engine/match/memory.h"
#include "engine/stream/window.h"
#include "skb_scan.h"

/*
 * Bytes scanned with the FPU held, that is without preemption: about 0.1 ms at 140 MB/s,
 * which is the slowest that hostile text was measured to make a matcher. What a set's case
 * and limits refuse comes on top of that, see NFAC_OUTPUT_COMPARES_MAX.
 */
#define NFAC_SIMD_MAX	16384u

#define NFAC_PATH_AUTO	NFAC_PATH_MAX

static enum nfac_path nfac_path_wanted = NFAC_PATH_AUTO;
static enum nfac_path nfac_path_now __read_mostly = NFAC_PATH_PORTABLE;

static int nfac_path_set(const char *value, const struct kernel_param *kp)
{
	enum nfac_path best = nfac_path_best();
	int path;

	if (sysfs_streq(value, "auto")) {
		WRITE_ONCE(nfac_path_wanted, NFAC_PATH_AUTO);
		WRITE_ONCE(nfac_path_now, best);
		return 0;
	}
	for (path = 0; path < NFAC_PATH_MAX; path++) {
		if (!sysfs_streq(value, nfac_path_names[path]))
			continue;
		if (path > best)
			return -EOPNOTSUPP;
		WRITE_ONCE(nfac_path_wanted, path);
		WRITE_ONCE(nfac_path_now, path);
		return 0;
	}
	return -EINVAL;
}

/* "auto (avx2)": the configured path, and the one that this CPU uses. */
static int nfac_path_get(char *buffer, const struct kernel_param *kp)
{
	enum nfac_path wanted = READ_ONCE(nfac_path_wanted);

	if (wanted == NFAC_PATH_AUTO)
		return sysfs_emit(buffer, "auto (%s)\n",
				  nfac_path_names[READ_ONCE(nfac_path_now)]);
	return sysfs_emit(buffer, "%s\n", nfac_path_names[wanted]);
}

static const struct kernel_param_ops nfac_path_ops = {
	.set = nfac_path_set,
	.get = nfac_path_get,
};

module_param_cb(path, &nfac_path_ops, NULL, 0644);
MODULE_PARM_DESC(path, "how to scan: auto, nofilter, portable, avx2 or neon (auto)");

/*
 * Below this, saving and restoring the FPU may cost more than AVX gains: about 80 ns of
 * 310 for 512 bytes of HTTP against 2,358 patterns (UML on a Zen 4). What saving costs is
 * estimated: UML has nothing to save, and elsewhere the test machines are emulated.
 */
static unsigned int simd_min = 256;
module_param(simd_min, uint, 0644);
MODULE_PARM_DESC(simd_min, "shortest block scanned with vectors, bytes (256)");

/**
 * struct nfac_scan_cpu - what the matcher works in on one CPU
 *
 * Owned by this file, from the module's init to its exit. @lock guards @memory, with softirqs
 * disabled, while a part of a packet is scanned. Without PREEMPT_RT it is no more than that; with
 * it, it keeps a second task of the CPU out.
 *
 * @lock: see above
 * @memory: lent to the matcher
 */
struct nfac_scan_cpu {
	local_lock_t lock;	/* guards memory */
	struct nfac_match_memory memory;
};

static struct nfac_scan_cpu __percpu *nfac_scan_cpus;

/**
 * nfac_scan_setup() - choose the path unless the parameter names one, and allocate the CPUs' memory
 *
 * Context: process, at the module's init; may sleep.
 * Return: 0, -ENOMEM.
 */
int nfac_scan_setup(void)
{
	int cpu;

	if (nfac_path_wanted == NFAC_PATH_AUTO)
		nfac_path_now = nfac_path_best();
	nfac_scan_cpus = alloc_percpu(struct nfac_scan_cpu);
	if (!nfac_scan_cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		local_lock_init(per_cpu_ptr(&nfac_scan_cpus->lock, cpu));
	return 0;
}

/**
 * nfac_scan_exit() - free the CPUs' memory
 *
 * Context: process, at the module's exit, or where its init fails; no scan runs any more.
 */
void nfac_scan_exit(void)
{
	free_percpu(nfac_scan_cpus);
}

static void nfac_scan_part(struct nfac_scan *scan, struct nfac_match_memory *memory,
			   const u8 *text, u32 len)
{
	enum nfac_path path = READ_ONCE(nfac_path_now);
	struct nfac_simd simd nfac_uninitialized;

	if (path >= NFAC_PATH_VECTOR) {
		if (len >= READ_ONCE(simd_min) && nfac_simd_begin(&simd)) {
			nfac_scan_text(scan, memory, text, len, path);
			nfac_simd_end(&simd);
			return;
		}
		path = NFAC_PATH_PORTABLE;
	}
	nfac_scan_text(scan, memory, text, len, path);
}

/**
 * nfac_scan_block() - scan the next bytes
 * @scan: initialised
 * @text: bytes that follow those of the previous call
 * @len: of @text
 *
 * Context: softirq, or process; disables softirqs while it scans. The caller holds the automaton.
 */
void nfac_scan_block(struct nfac_scan *scan, const u8 *text, u32 len)
{
	/* the hook has disabled them already; once more costs it 6 ns a packet (UML, Zen 4) */
	const bool disable = !softirq_count();

	while (len) {
		u32 part = min(len, NFAC_SIMD_MAX);

		if (nfac_scan_over(scan))
			return;
		if (disable)
			local_bh_disable();
		local_lock(&nfac_scan_cpus->lock);
		nfac_scan_part(scan, this_cpu_ptr(&nfac_scan_cpus->memory), text, part);
		local_unlock(&nfac_scan_cpus->lock);
		if (disable)
			local_bh_enable();
		text += part;
		len -= part;
	}
}
EXPORT_SYMBOL_GPL(nfac_scan_block);

/* By itself: what kernels that zero their stack clear for it no other packet shall pay for. */
static noinline u32 nfac_scan_frags(struct nfac_scan *scan, struct sk_buff *skb, u32 from, u32 to)
{
	struct skb_seq_state seq;
	const u8 *text;
	u32 done = 0;
	u32 len;

	skb_prepare_seq_read(skb, from, to, &seq);
	while ((len = skb_seq_read(done, &text, &seq))) {
		/* the last block may reach past @to */
		len = min(len, to - from - done);
		nfac_scan_block(scan, text, len);
		done += len;
		if (done == to - from || nfac_scan_over(scan)) {
			skb_abort_seq_read(&seq);
			return to - from;
		}
	}
	return done;
}

/**
 * nfac_scan_skb() - scan a packet's bytes in place
 * @scan: initialised
 * @skb: not changed, not copied; linear or not, with a fragment list or not
 * @from: offset of the first byte, at most @to
 * @to: one past the last byte, at most skb->len
 *
 * Context: as for nfac_scan_block().
 * Return: bytes scanned: @to - @from, or less when the rest cannot be read.
 */
u32 nfac_scan_skb(struct nfac_scan *scan, struct sk_buff *skb, u32 from, u32 to)
{
	/* the common case needs no walk */
	if (likely(to <= skb_headlen(skb))) {
		nfac_scan_block(scan, skb->data + from, to - from);
		return to - from;
	}
	return nfac_scan_frags(scan, skb, from, to);
}
EXPORT_SYMBOL_GPL(nfac_scan_skb);

/**
 * nfac_datagram_bytes() - how long is each datagram in a packet's payload?
 * @skb: a UDP GSO packet holds datagrams of gso_size bytes each, and a last one. An
 *	encapsulated packet's gso_size is that of what is inside, and not of the payload found
 * @bytes: of the payload
 *
 * Context: any.
 * Return: bytes of each datagram but the last, which may be shorter; @bytes if there is one.
 */
u32 nfac_datagram_bytes(const struct sk_buff *skb, u32 bytes)
{
	const struct skb_shared_info *info = skb_shinfo(skb);

	/* the common case */
	if (likely(!info->gso_size || !(info->gso_type & SKB_GSO_UDP_L4) ||
		   skb->encapsulation))
		return bytes;
	return info->gso_size;
}

/**
 * nfac_scan_datagrams() - scan a payload that may be of several UDP datagrams
 * @scan: initialised
 * @skb: as for nfac_scan_skb()
 * @from: offset of the payload's first byte, at most @to
 * @to: one past its last byte, at most skb->len
 *
 * No match goes across datagrams, and the patterns' limits count from each one's first byte.
 *
 * Context: as for nfac_scan_block().
 * Return: bytes scanned: @to - @from, or less when the rest cannot be read.
 */
u32 nfac_scan_datagrams(struct nfac_scan *scan, struct sk_buff *skb, u32 from, u32 to)
{
	u32 size = nfac_datagram_bytes(skb, to - from), at, done = 0;

	if (likely(size == to - from))
		return nfac_scan_skb(scan, skb, from, to);
	for (at = from; at < to; at += size) {
		u32 end = min(to, at + size);

		nfac_cursor_init(scan->cursor);
		scan->base = 0;
		done += nfac_scan_skb(scan, skb, at, end);
		if (done < end - from)
			break;
	}
	return done;
}

/* See scan_text.h. */
u32 nfac_scan_source(struct nfac_scan *scan, const struct nfac_source *source,
		     u32 from, u32 to)
{
	return nfac_scan_skb(scan, source->skb, source->at + from,
			     source->at + to);
}

/* See engine/stream/window.h. */
const u8 *nfac_source_bytes(const struct nfac_source *source, u32 from, u32 to, u8 *copy)
{
	if (source->at + to <= skb_headlen(source->skb))
		return source->skb->data + source->at + from;
	if (!nfac_frags_readable(source->skb) ||
	    skb_copy_bits(source->skb, source->at + from, copy, to - from))
		return NULL;
	return copy;
}
