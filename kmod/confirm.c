// SPDX-License-Identifier: GPL-2.0
/*
 * Confirmation: rules whose anchors matched are evaluated over the packet.
 *
 * The hook, the xt match and the ct helper call it around a scan. It lends the scan a CPU's
 * memory for pending programs, builds the window from the skb, and calls the engine's interpreter.
 *
 * Memory: NFAC_CONFIRM_BYTES and the interpreter's scratch memory for each possible CPU, from the
 * first loaded set that has programs until the last one is freed. A packet allocates nothing.
 *
 * Cost: a linear payload is evaluated in place. Else its first NFAC_CONFIRM_BYTES are copied, once
 * for each packet in which an anchor matched. The engine's budget bounds the rest.
 */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/vmalloc.h>

#include "confirm.h"
#include "conntrack.h"

/* Bytes of a window: the largest that nfac_rules_begin() takes. */
#define NFAC_CONFIRM_BYTES	65535u

/**
 * struct nfac_confirm_cpu - memory of one CPU
 *
 * Owned by this file. @lock is held from nfac_confirm_begin() to nfac_confirm_end() and guards
 * all of it. Only its own CPU takes it, with softirqs disabled, so it is never contended; with
 * PREEMPT_RT it keeps a second task of the CPU out.
 *
 * @lock: see above
 * @pending: lent to the scan
 * @scratch: of the interpreter
 * @copy: a payload that is not linear
 */
struct nfac_confirm_cpu {
	spinlock_t lock;	/* guards all that follows */
	struct nfac_pending pending;
	struct nfac_rules_scratch *scratch;
	u8 copy[NFAC_CONFIRM_BYTES];
};

static DEFINE_PER_CPU(struct nfac_confirm_cpu *, nfac_confirm_cpus);

/* Guards nfac_confirm_users and the allocation of all CPUs' memory. */
static DEFINE_MUTEX(nfac_confirm_lock);
static u32 nfac_confirm_users;

static void nfac_confirm_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct nfac_confirm_cpu *memory = per_cpu(nfac_confirm_cpus, cpu);

		per_cpu(nfac_confirm_cpus, cpu) = NULL;
		if (!memory)
			continue;
		kvfree(memory->scratch);
		kvfree(memory);
	}
}

static int nfac_confirm_alloc(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const int node = cpu_to_node(cpu);
		struct nfac_confirm_cpu *memory = kvzalloc_node(sizeof(*memory), GFP_KERNEL, node);

		if (!memory)
			return -ENOMEM;
		per_cpu(nfac_confirm_cpus, cpu) = memory;
		spin_lock_init(&memory->lock);
		memory->scratch = kvzalloc_node(nfac_rules_scratch_bytes(), GFP_KERNEL, node);
		if (!memory->scratch)
			return -ENOMEM;
	}
	return 0;
}

/**
 * nfac_confirm_hold() - have memory for a set that has programs
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM.
 */
int nfac_confirm_hold(void)
{
	int err = 0;

	mutex_lock(&nfac_confirm_lock);
	if (!nfac_confirm_users)
		err = nfac_confirm_alloc();
	if (err)
		nfac_confirm_free();
	else
		nfac_confirm_users++;
	mutex_unlock(&nfac_confirm_lock);
	return err;
}

/**
 * nfac_confirm_release() - the set is gone, and no packet sees it any more
 *
 * Context: process, may sleep.
 */
void nfac_confirm_release(void)
{
	mutex_lock(&nfac_confirm_lock);
	if (!--nfac_confirm_users)
		nfac_confirm_free();
	mutex_unlock(&nfac_confirm_lock);
}

/**
 * nfac_confirm_begin() - lend a scan the CPU's memory for pending programs
 * @scan: initialised, of a set that has programs
 *
 * Context: softirq, or process; disables softirqs until nfac_confirm_end().
 */
void nfac_confirm_begin(struct nfac_scan *scan)
	__acquires(nfac_confirm_cpus)
{
	struct nfac_confirm_cpu *memory;

	local_bh_disable();
	memory = this_cpu_read(nfac_confirm_cpus);
	spin_lock(&memory->lock);
	nfac_pending_init(&memory->pending);
	scan->pending = &memory->pending;
}

static void nfac_confirm_addresses(struct nfac_window *w, const struct sk_buff *skb,
				   const struct nfac_payload *payload)
{
	__be32 buf[8];
	const __be32 *addr = nfac_payload_addresses(skb, payload, buf);

	w->addresses = addr;
	if (!addr)
		return;
	if (payload->family == AF_INET6) {
		memcpy(w->saddr, addr, sizeof(w->saddr));
		memcpy(w->daddr, addr + 4, sizeof(w->daddr));
		return;
	}
	/* ::ffff:a.b.c.d, as the programs have it */
	w->saddr[10] = 0xff;
	w->saddr[11] = 0xff;
	w->daddr[10] = 0xff;
	w->daddr[11] = 0xff;
	memcpy(w->saddr + 12, addr, 4);
	memcpy(w->daddr + 12, addr + 1, 4);
}

static void nfac_confirm_field(struct nfac_window *w, enum nfac_field field, u32 value)
{
	w->fields[field] = value;
	w->known |= BIT(field);
}

static void nfac_confirm_fields(struct nfac_window *w, const struct sk_buff *skb,
				const struct nfac_payload *payload)
{
	union {
		struct iphdr ip4;
		struct ipv6hdr ip6;
		struct tcphdr tcp;
		u8 icmp[8];
	} h;

	nfac_confirm_field(w, NFAC_FIELD_IP_PROTO, payload->protocol);
	if (payload->family == AF_INET) {
		if (!skb_copy_bits(skb, payload->ip, &h.ip4, sizeof(h.ip4))) {
			nfac_confirm_field(w, NFAC_FIELD_TTL, h.ip4.ttl);
			nfac_confirm_field(w, NFAC_FIELD_IP_ID, ntohs(h.ip4.id));
			nfac_confirm_field(w, NFAC_FIELD_FRAGMENT, ntohs(h.ip4.frag_off));
		}
	} else if (!skb_copy_bits(skb, payload->ip, &h.ip6, sizeof(h.ip6))) {
		nfac_confirm_field(w, NFAC_FIELD_TTL, h.ip6.hop_limit);
	}
	if (payload->protocol == IPPROTO_TCP &&
	    !skb_copy_bits(skb, payload->header, &h.tcp, sizeof(h.tcp))) {
		nfac_confirm_field(w, NFAC_FIELD_TCP_SEQ, ntohl(h.tcp.seq));
		nfac_confirm_field(w, NFAC_FIELD_TCP_ACK, ntohl(h.tcp.ack_seq));
		nfac_confirm_field(w, NFAC_FIELD_TCP_WINDOW, ntohs(h.tcp.window));
		w->tcp_flags = payload->tcp_flags;
	}
	if ((payload->protocol == IPPROTO_ICMP || payload->protocol == IPPROTO_ICMPV6) &&
	    !skb_copy_bits(skb, payload->from, h.icmp, sizeof(h.icmp))) {
		nfac_confirm_field(w, NFAC_FIELD_ICMP_TYPE, h.icmp[0]);
		nfac_confirm_field(w, NFAC_FIELD_ICMP_CODE, h.icmp[1]);
		nfac_confirm_field(w, NFAC_FIELD_ICMP_ID, h.icmp[4] << 8 | h.icmp[5]);
		nfac_confirm_field(w, NFAC_FIELD_ICMP_SEQ, h.icmp[6] << 8 | h.icmp[7]);
	}
}

/* The payload's first bytes, in place or as a copy. False: they cannot be read. */
static bool nfac_confirm_bytes(struct nfac_window *w, struct nfac_confirm_cpu *memory,
			       const struct sk_buff *skb, const struct nfac_payload *payload)
{
	u32 from = payload->from;

	/* a rule speaks of what follows ICMP's header */
	if (payload->protocol == IPPROTO_ICMP || payload->protocol == IPPROTO_ICMPV6)
		from = min(from + 8, payload->to);
	w->length = min(payload->to - from, NFAC_CONFIRM_BYTES);
	w->whole = true;
	if (from + w->length <= skb_headlen(skb)) {
		w->bytes = skb->data + from;
	} else {
		if (skb_copy_bits(skb, from, memory->copy, w->length))
			return false;
		w->bytes = memory->copy;
	}
	w->packet = w->bytes;
	w->packet_length = w->length;
	return true;
}

/**
 * nfac_confirm_end() - evaluate the pending programs, and return the CPU's memory
 * @scan: of the whole payload; rules that hold are its matches
 * @packet: the packet; NULL: there is none, and no rule is evaluated
 * @held: rules that the budget left unevaluated count as holding, inexactly
 *
 * Context: as nfac_confirm_begin(), on the same CPU; enables softirqs again.
 */
void nfac_confirm_end(struct nfac_scan *scan, const struct nfac_confirm_packet *packet, bool held)
	__releases(nfac_confirm_cpus)
{
	struct nfac_confirm_cpu *memory = this_cpu_read(nfac_confirm_cpus);
	struct nfac_window window;

	if (!packet) {
		scan->unevaluated += memory->pending.count;
	} else if (memory->pending.count || memory->pending.overflow) {
		const struct nfac_payload *payload = packet->payload;

		memset(&window, 0, sizeof(window));
		window.protocol = payload->protocol;
		window.ports = payload->ports;
		window.sport = payload->sport;
		window.dport = payload->dport;
		nfac_confirm_addresses(&window, packet->skb, payload);
		nfac_confirm_fields(&window, packet->skb, payload);
		window.direction = nfac_conntrack_direction(packet->skb, &window.established);
		if (nfac_confirm_bytes(&window, memory, packet->skb, payload))
			nfac_scan_confirm(scan, &window, memory->scratch, held);
		else
			scan->unevaluated += memory->pending.count;
	}
	scan->pending = NULL;
	spin_unlock(&memory->lock);
	local_bh_enable();
}
