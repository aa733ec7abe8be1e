// SPDX-License-Identifier: GPL-2.0
/*
 * Confirmation: rules whose anchors matched are evaluated over the packet, or its stream.
 *
 * The hook, the xt match and the ct helper call it around a scan. It lends the scan a CPU's
 * memory for pending programs, and fills in the header fields from the skb; the engine does
 * the rest (engine/stream/window.c).
 *
 * Memory: NFAC_CONFIRM_BYTES and the interpreter's scratch memory for each possible CPU, from the
 * first loaded set that has programs until the last one is freed. A packet allocates nothing.
 *
 * Cost: a linear payload is evaluated in place, unless a window is before it. Else its first
 * NFAC_CONFIRM_BYTES are copied, once for each packet. The engine's budget bounds the rest.
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
#include "skb_scan.h"

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
		nfac_pending_key(&memory->pending, get_random_u64());
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

static void nfac_confirm_window(const struct nfac_confirm *confirm, struct nfac_window *w)
{
	const struct nfac_skb_confirm *c = container_of(confirm, struct nfac_skb_confirm, confirm);
	const struct nfac_payload *payload = c->payload;

	w->protocol = payload->protocol;
	w->ports = payload->ports;
	w->sport = payload->sport;
	w->dport = payload->dport;
	nfac_confirm_addresses(w, c->skb, payload);
	nfac_confirm_fields(w, c->skb, payload);
	w->direction = nfac_conntrack_direction(c->skb, &w->established);
}

/**
 * nfac_confirm_begin() - lend a scan the CPU's memory for pending programs
 * @c: to be filled in
 * @scan: initialised, of a set that has programs
 * @held: rules that the budget leaves unevaluated count as holding
 *
 * Context: softirq, or process; disables softirqs until nfac_confirm_end().
 */
void nfac_confirm_begin(struct nfac_skb_confirm *c, struct nfac_scan *scan, bool held)
	__acquires(nfac_confirm_cpus)
{
	struct nfac_confirm_cpu *memory;

	local_bh_disable();
	memory = this_cpu_read(nfac_confirm_cpus);
	spin_lock(&memory->lock);
	if (scan->automaton->programs) {
		nfac_pending_init(&memory->pending);
		scan->pending = &memory->pending;
	}
	c->confirm.scratch = memory->scratch;
	c->confirm.copy = memory->copy;
	c->confirm.held = held;
	c->confirm.segment = NULL;
	c->confirm.fields = nfac_confirm_window;
}

/**
 * nfac_confirm_skb() - what follows the scan of a packet by itself: its rules, its decoded view
 * @c: begun, with its packet
 * @scan: of the payload; what is found are its matches
 * @from: offset of the first byte of which the decoded view is searched, in the payload or, where
 *	it is several datagrams', in each; rules are evaluated over the whole payload
 * @to: one past the last one
 *
 * Context: between nfac_confirm_begin() and nfac_confirm_end().
 */
void nfac_confirm_skb(const struct nfac_skb_confirm *c, struct nfac_scan *scan, u32 from, u32 to)
{
	const struct nfac_payload *payload = c->payload;
	/* skb_copy_bits() takes no const skb on older kernels, but changes nothing of it */
	const struct nfac_source source = { (struct sk_buff *)c->skb, payload->from };
	u32 length = payload->to - payload->from, header = 0;
	u32 size = nfac_datagram_bytes(c->skb, length), at;

	/* of each datagram by itself, as the payload is scanned */
	for (at = 0; at < length && from < size; at += size)
		nfac_confirm_decoded(&c->confirm, scan, &source, min(at + from, length),
				     min3(at + to, at + size, length));
	/* rules apply to the bytes behind ICMP's header */
	if (payload->protocol == IPPROTO_ICMP || payload->protocol == IPPROTO_ICMPV6)
		header = min(8u, length);
	nfac_confirm_packet(&c->confirm, scan, &source, header, length, NULL);
}

/**
 * nfac_confirm_end() - return the CPU's memory
 * @scan: from nfac_confirm_begin()
 *
 * Context: as nfac_confirm_begin(), on the same CPU; enables softirqs again.
 */
void nfac_confirm_end(struct nfac_scan *scan)
	__releases(nfac_confirm_cpus)
{
	struct nfac_confirm_cpu *memory = this_cpu_read(nfac_confirm_cpus);

	scan->pending = NULL;
	spin_unlock(&memory->lock);
	local_bh_enable();
}
