// SPDX-License-Identifier: GPL-2.0
/*
 * The hook: what happens to a packet at an attachment.
 *
 * nfac_hook() is read top to bottom: select the packet, find its payload, scan it, count,
 * decide the verdict. Nothing here allocates, sleeps or prints, and nothing waits except a
 * segment of a stream, on the lock of its bucket.
 */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/sched.h>
/* behind sched.h: with lock debugging it uses current, which it does not declare */
#include <linux/local_lock.h>

#include "attachment.h"
#include "confirm.h"
#include "conntrack.h"
#include "event.h"
#include "frame.h"
#include "hook.h"
#include "payload.h"
#include "skb_scan.h"
#include "stream.h"
#include "engine/stream/policy.h"

/**
 * struct nfac_packet - a packet under inspection
 *
 * In the CPU's memory (struct nfac_hook_cpu); at nfac_hook_reverse() on the stack.
 *
 * @scan: the scan of its payload
 * @att: where it is inspected
 * @skb: the packet
 * @state: of the hook
 * @payload: the bytes to scan
 * @stream: whose part they are, where the attachment follows it
 * @tally: what it adds to the counters
 * @confirm: how its rules are evaluated, where the set has some
 * @hits: its matches, to report them after the verdict; NULL: there is no reader of events
 * @match: its first match that the attachment acts on, for the program; NULL: there is no program
 * @again: stream: bytes of an earlier match were sent again
 * @candidate: stream: bytes that got the candidate mark were sent again
 * @skips: bits 1 << NFAC_SKIP_*: what could not be done; each is counted
 * @unseen: those of @skips that left some of its new bytes unscanned
 * @number: of the packet
 */
struct nfac_packet {
	struct nfac_scan scan;
	struct nfac_attachment *att;
	struct sk_buff *skb;
	const struct nf_hook_state *state;
	struct nfac_payload payload;
	struct nfac_stream stream;
	struct nfac_tally tally;
	struct nfac_skb_confirm confirm;
	struct nfac_hits *hits;
	struct nfac_bpf_match *match;
	bool again;
	bool candidate;
	u32 skips;
	u32 unseen;
	u64 number;
};

/**
 * struct nfac_hook_cpu - the packet that a CPU inspects
 *
 * Not on the stack, of which a 32-bit kernel has 8 KB. Softirqs are disabled while @lock is held,
 * so that no other packet comes between on the CPU. Without PREEMPT_RT the lock is no more than
 * that; with it, it keeps a second task of the CPU out.
 *
 * @lock: see above
 * @packet: valid during one call of nfac_hook_inspect()
 */
struct nfac_hook_cpu {
	local_lock_t lock;	/* guards packet */
	struct nfac_packet packet;
};

static DEFINE_PER_CPU(struct nfac_hook_cpu, nfac_hook_cpus) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

static bool nfac_select_device(const char *want, const struct net_device *dev)
{
	return !want[0] || (dev && nfac_selects_name(want, dev->name));
}

/* Criteria that need none of the packet's headers. */
static bool nfac_select_early(const struct nfac_attachment *att, const struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	const struct nfac_ioc_attach *want = &att->want;

	if (!nfac_selects_mark(want, skb->mark))
		return false;
	/* the hook of a device sees no other device's packets, whatever its name is now */
	if (att->dev)
		return true;
	return nfac_select_device(want->iif, state->in) &&
	       nfac_select_device(want->oif, state->out);
}

/* At the hooks of IP only the wanted family's are registered. */
static bool nfac_select_family(const struct nfac_packet *pkt)
{
	switch (pkt->payload.family) {
	case AF_INET:
		return pkt->att->nfproto != NFPROTO_IPV6;
	case AF_INET6:
		return pkt->att->nfproto != NFPROTO_IPV4;
	default:
		return true;
	}
}

/* Criteria that need them. */
static bool nfac_select_late(const struct nfac_packet *pkt)
{
	const struct nfac_payload *p = &pkt->payload;

	return nfac_selects_ports(&pkt->att->want, p->protocol, p->ports, p->dport);
}

static bool nfac_hook_find(struct nfac_packet *pkt, bool raw)
{
	const struct nf_hook_state *state = pkt->state;

	if (state->pf == NFPROTO_NETDEV || state->pf == NFPROTO_BRIDGE)
		return nfac_frame_find(pkt->skb, state, raw, &pkt->payload);
	return nfac_payload_find(pkt->skb, state->pf, raw, &pkt->payload);
}

static bool nfac_hook_follows(const struct nfac_packet *pkt)
{
	return pkt->att->flows && pkt->payload.protocol == IPPROTO_TCP;
}

/* Would the attachment select the other direction of the packet's connection? */
static bool nfac_hook_answers(const struct nfac_packet *pkt)
{
	const struct nfac_payload *p = &pkt->payload;

	return nfac_hook_follows(pkt) &&
	       nfac_selects_ports(&pkt->att->want, p->protocol, p->ports, p->sport);
}

static void nfac_event_addresses(const struct nfac_packet *pkt, struct nfac_event *event)
{
	const u32 bytes = pkt->payload.family == AF_INET6 ? sizeof(struct in6_addr) :
							    sizeof(struct in_addr);
	__be32 buf[8];
	const void *addr = nfac_payload_addresses(pkt->skb, &pkt->payload, buf);

	if (!addr)
		return;
	memcpy(event->saddr, addr, bytes);
	memcpy(event->daddr, addr + bytes, bytes);
}

/* Fill in what is the same for all matches of the packet. */
static void nfac_event_begin(const struct nfac_packet *pkt, struct nfac_event *event)
{
	const struct nfac_attachment *att = pkt->att;

	memset(event, 0, sizeof(*event));
	event->size = sizeof(*event);
	event->time_ns = ktime_get_real_ns();
	event->packet = pkt->number;
	event->payload_len = pkt->payload.to - pkt->payload.from;
	event->mark = pkt->skb->mark;
	event->attachment = att->want.id;
	event->ifindex_in = pkt->state->in ? pkt->state->in->ifindex : 0;
	event->sport = pkt->payload.sport;
	event->dport = pkt->payload.dport;
	event->family = pkt->payload.family;
	event->protocol = pkt->payload.protocol;
	event->hook = pkt->att->want.hook;
	memcpy(event->set, att->set->name, sizeof(event->set));
	nfac_event_addresses(pkt, event);
}

/* The attachment acts on matches of rules that were checked in full, or on all. */
static bool nfac_hook_acts(const struct nfac_packet *pkt, bool inexact)
{
	return !inexact || (pkt->att->want.flags & NFAC_ATTACH_ACT_INEXACT);
}

/* Keep the first match of all attachments that the program goes through. */
static void nfac_hook_keep(const struct nfac_packet *pkt, const struct nfac_hit *hit, s64 offset)
{
	struct nfac_bpf_match *match = pkt->match;

	if (match->matches++)
		return;
	match->attachment = pkt->att->want.id;
	match->pattern = hit->id;
	match->offset = offset;
	match->length = hit->length;
}

static bool nfac_hook_found(struct nfac_scan *scan, const struct nfac_hit *hit,
			    s64 offset)
{
	struct nfac_packet *pkt = container_of(scan, struct nfac_packet, scan);

	nfac_load_hit(scan->automaton, hit->id);
	if (pkt->match && nfac_hook_acts(pkt, scan->inexact && !scan->held))
		nfac_hook_keep(pkt, hit, offset);
	if (pkt->hits)
		nfac_hits_add(pkt->hits, hit, offset, scan->origin,
			      (scan->inexact ? NFAC_EVENT_INEXACT : 0) |
			      (scan->decoded ? NFAC_EVENT_DECODED : 0));
	return true;
}

/* Send the packet's matches to the readers, with the verdict that it got. */
static noinline_for_stack void nfac_hook_report(struct nfac_packet *pkt, u8 verdict)
{
	struct nfac_event event;
	u32 i;

	if (!pkt->hits->count)
		return;
	nfac_event_begin(pkt, &event);
	event.verdict = verdict;
	for (i = 0; i < pkt->hits->count; i++) {
		const struct nfac_hits_entry *hit = &pkt->hits->entry[i];

		event.offset = hit->offset;
		event.stream_offset = hit->stream_offset;
		event.pattern = hit->pattern;
		event.length = hit->length;
		event.flags = hit->flags;
		pkt->tally.lost_events += nfac_events_push(&pkt->att->nn->events, &event);
	}
}

static void nfac_hook_stream(struct nfac_packet *pkt)
{
	const struct nfac_ioc_attach *want = &pkt->att->want;
	struct nfac_stream *stream = &pkt->stream;

	stream->flows = pkt->att->flows;
	stream->source.skb = pkt->skb;
	stream->payload = &pkt->payload;
	stream->stats = pkt->att->stats;
	stream->segment.attachment = want->id;
	stream->segment.policy = want->flags;
	nfac_stream_begin(stream);
}

/*
 * A segment of a connection that the attachment follows in the other direction, or a packet that is
 * not selected: record its acknowledgment, which shows what the receiver has.
 */
static void nfac_hook_answer(struct nfac_packet *pkt)
{
	const struct nfac_load *load = nfac_set_load(pkt->att->set);

	if (load)
		nfac_stream_answer(&pkt->stream, load->generation);
}

static u32 nfac_hook_acting(const struct nfac_packet *pkt)
{
	return nfac_acting_matches(pkt->att->want.flags, pkt->scan.matches,
				   pkt->scan.inexact_matches);
}

/* Scan the payload as part of its stream. */
static void nfac_hook_follow(struct nfac_packet *pkt, const struct nfac_load *load)
{
	const struct nfac_segment *seg = &pkt->stream.segment;

	pkt->confirm.confirm.segment = seg;
	pkt->stream.segment.confirm = &pkt->confirm.confirm;
	nfac_stream_scan(&pkt->stream, &pkt->scan, load->generation);
	pkt->tally.bytes = seg->scanned;
	pkt->again = seg->again;
	pkt->candidate = seg->candidate;
	pkt->skips = seg->skips;
	pkt->unseen = seg->unseen;
}

/* Scan the payload by itself. */
static void nfac_hook_alone(struct nfac_packet *pkt)
{
	const struct nfac_payload *payload = &pkt->payload;

	pkt->tally.bytes = nfac_scan_datagrams(&pkt->scan, pkt->skb, payload->from, payload->to);
	if (nfac_automaton_confirms(pkt->scan.automaton))
		nfac_confirm_skb(&pkt->confirm, &pkt->scan, 0, payload->to - payload->from);
	pkt->unseen = pkt->tally.bytes < payload->to - payload->from ?
		      BIT(NFAC_SKIP_UNREADABLE) : 0;
	pkt->skips = pkt->unseen;
}

static void nfac_hook_scan(struct nfac_packet *pkt, const struct nfac_load *load)
{
	struct nfac_payload *payload = &pkt->payload;
	struct nfac_scan *scan = &pkt->scan;

	nfac_scan_init(scan, &load->automaton, nfac_hook_found);
	scan->protocol = payload->protocol;
	scan->sport = payload->sport;
	scan->dport = payload->dport;
	if (nfac_automaton_confirms(&load->automaton)) {
		pkt->confirm.skb = pkt->skb;
		pkt->confirm.payload = payload;
		nfac_confirm_begin(&pkt->confirm, scan,
				   nfac_budget_holds(pkt->att->want.flags));
	}
	if (nfac_hook_follows(pkt))
		nfac_hook_follow(pkt, load);
	else
		nfac_hook_alone(pkt);
	if (nfac_automaton_confirms(scan->automaton))
		nfac_confirm_end(scan);
	pkt->tally.matches = scan->matches;
	if (scan->unevaluated)
		pkt->skips |= BIT(NFAC_SKIP_BUDGET);
	if (scan->crowded)
		pkt->unseen |= BIT(NFAC_SKIP_BUDGET);
}

/* Only the bits of the masks are changed. */
static void nfac_hook_mark(const struct nfac_packet *pkt)
{
	const struct nfac_ioc_attach *want = &pkt->att->want;

	if (want->flags & NFAC_ATTACH_MARK)
		pkt->skb->mark = nfac_mark_after(want, pkt->skb->mark);
	if (want->flags & NFAC_ATTACH_CT_MARK)
		nfac_conntrack_mark(pkt->skb, want->ct_mark, want->ct_mask);
	if (want->flags & NFAC_ATTACH_CT_LABEL)
		nfac_conntrack_label(pkt->skb, want->ct_label);
}

/* Each reason counts, whatever the verdict. */
static void nfac_hook_skips(const struct nfac_packet *pkt)
{
	u32 why, skips = pkt->skips;

	if (pkt->match)
		pkt->match->skips |= skips;
	for (why = 0; skips; why++, skips >>= 1)
		if (skips & 1)
			nfac_stats_skip(pkt->att->stats, why);
}

/* Is the packet dropped because its protocol is not inspected? Frames without an IP header pass. */
static bool nfac_hook_protocol_drops(const struct nfac_packet *pkt)
{
	const struct nfac_payload *p = &pkt->payload;

	return (pkt->skips & BIT(NFAC_SKIP_PROTOCOL)) && p->family != AF_UNSPEC &&
	       nfac_protocol_drops(&pkt->att->want, p->protocol, p->ports) &&
	       !nfac_payload_neighbour(pkt->skb, p);
}

/* A packet of which nothing was inspected, because of @skips. */
static unsigned int nfac_hook_skip(struct nfac_packet *pkt, u32 skips)
{
	pkt->skips = skips;
	nfac_hook_skips(pkt);
	if (!nfac_found_drops(pkt->att->want.flags, false, skips) &&
	    !nfac_hook_protocol_drops(pkt))
		return NF_ACCEPT;
	nfac_stats_add(pkt->att->stats, NFAC_COUNT_DROPPED_PACKETS, 1);
	return NF_DROP;
}

static void nfac_hook_count(const struct nfac_packet *pkt)
{
	nfac_stats_packet(pkt->att->stats, &pkt->tally);
	nfac_stats_packet(pkt->att->set->stats, &pkt->tally);
}

/* A segment without data has nothing to scan, but it may begin or end a stream. */
static unsigned int nfac_hook_bare(struct nfac_packet *pkt)
{
	const struct nfac_load *load = nfac_set_load(pkt->att->set);
	const struct nfac_segment *seg = &pkt->stream.segment;

	if (!load || !nfac_hook_follows(pkt))
		return NF_ACCEPT;
	nfac_stream_bare(&pkt->stream, load->generation);
	if (seg->unseen)
		return nfac_hook_skip(pkt, seg->skips);
	pkt->skips = seg->skips;
	nfac_hook_skips(pkt);
	return NF_ACCEPT;
}

/* The packet was scanned: its verdict, its mark, and what is counted and reported. */
static unsigned int nfac_hook_verdict(struct nfac_packet *pkt)
{
	u32 flags = pkt->att->want.flags;
	bool found = nfac_hook_acting(pkt) || pkt->again;
	bool candidate = nfac_is_candidate(flags, pkt->scan.inexact_matches, pkt->candidate);
	u8 verdict = NFAC_VERDICT_ACCEPT;

	if (pkt->scan.capped)
		pkt->skips |= BIT(NFAC_SKIP_OUTPUT_CAP);
	if (pkt->unseen && !found && !candidate && !pkt->tally.matches)
		return nfac_hook_skip(pkt, pkt->skips);

	pkt->tally.dropped = nfac_found_drops(flags, found, pkt->unseen);
	if (found)
		nfac_hook_mark(pkt);
	if (candidate)
		pkt->skb->mark = nfac_candidate_mark_after(&pkt->att->want, pkt->skb->mark);
	if (pkt->tally.dropped)
		verdict = NFAC_VERDICT_DROP;
	else if (candidate || (found && (flags & NFAC_ATTACH_MARKS)))
		verdict = NFAC_VERDICT_MARK;
	if (pkt->hits)
		nfac_hook_report(pkt, verdict);
	nfac_hook_count(pkt);
	nfac_hook_skips(pkt);
	return pkt->tally.dropped ? NF_DROP : NF_ACCEPT;
}

/* @selected: by what needs none of its headers */
static __always_inline unsigned int nfac_hook_packet(struct nfac_packet *pkt, bool selected)
{
	struct nfac_attachment *att = pkt->att;
	u32 flags = att->want.flags;
	const struct nfac_load *load;
	unsigned int verdict;
	bool found;

	found = nfac_hook_find(pkt, flags & NFAC_ATTACH_RAW);
	if (!nfac_select_family(pkt))
		return NF_ACCEPT;
	if (found && nfac_hook_follows(pkt)) {
		nfac_hook_stream(pkt);
		if (nfac_hook_answers(pkt))
			nfac_hook_answer(pkt);
	}
	if (!selected || !nfac_select_late(pkt))
		return NF_ACCEPT;
	if (!found)
		return nfac_hook_skip(pkt, BIT(pkt->payload.skip));
	if (pkt->payload.from == pkt->payload.to)
		return nfac_hook_bare(pkt);
	if (nfac_hook_follows(pkt))
		nfac_stream_expect(&pkt->stream);
	load = nfac_set_load(att->set);
	if (!load || READ_ONCE(load->damaged))
		return nfac_hook_skip(pkt, BIT(NFAC_SKIP_CORRUPT));

	memset(&pkt->tally, 0, sizeof(pkt->tally));
	pkt->again = false;
	pkt->candidate = false;
	pkt->hits = NULL;
	if (flags & NFAC_ATTACH_REPORT) {
		pkt->number = atomic64_inc_return(&att->packets);
		if (nfac_events_wanted(&att->nn->events))
			pkt->hits = nfac_hits_begin();
	}
	nfac_hook_scan(pkt, load);
	verdict = nfac_hook_verdict(pkt);
	if (pkt->hits)
		nfac_hits_end(pkt->hits);
	return verdict;
}

/* For a program @match is filled; it is NULL at a hook. */
static __always_inline unsigned int nfac_hook_inspect(struct nfac_attachment *att,
						      struct sk_buff *skb,
						      const struct nf_hook_state *state,
						      struct nfac_bpf_match *match)
{
	bool selected = nfac_select_early(att, skb, state);
	struct nfac_packet *pkt;
	unsigned int verdict;

	if (!selected && !att->flows)
		return NF_ACCEPT;
	local_bh_disable();
	local_lock(&nfac_hook_cpus.lock);
	pkt = this_cpu_ptr(&nfac_hook_cpus.packet);
	pkt->att = att;
	pkt->skb = skb;
	pkt->state = state;
	pkt->match = match;
	verdict = nfac_hook_packet(pkt, selected);
	local_unlock(&nfac_hook_cpus.lock);
	local_bh_enable();
	return verdict;
}

/**
 * nfac_hook() - inspect a packet at an attachment
 * @priv: the attachment
 * @skb: an IPv4 or IPv6 packet, or a frame at the hook of a device or bridge; only its mark and its
 *	connection's are changed
 * @state: of the hook
 *
 * Context: softirq, or process for locally generated packets; under rcu_read_lock(). Disables
 * softirqs meanwhile.
 * Return: NF_ACCEPT or NF_DROP.
 */
unsigned int nfac_hook(void *priv, struct sk_buff *skb,
		       const struct nf_hook_state *state)
{
	return nfac_hook_inspect(priv, skb, state, NULL);
}

/**
 * nfac_hook_program() - inspect a packet at an attachment that a program calls
 * @att: the attachment
 * @skb: as of nfac_hook() at the hook of a device
 * @state: likewise
 * @match: zero, or filled by other attachments; what was found and skipped is added
 *
 * Context: as nfac_hook().
 * Return: NFAC_VERDICT_*.
 */
int nfac_hook_program(struct nfac_attachment *att, struct sk_buff *skb,
		      const struct nf_hook_state *state, struct nfac_bpf_match *match)
{
	const u32 before = match->matches;

	if (nfac_hook_inspect(att, skb, state, match) == NF_DROP)
		return NFAC_VERDICT_DROP;
	if (match->matches > before && (att->want.flags & NFAC_ATTACH_MARKS))
		return NFAC_VERDICT_MARK;
	return NFAC_VERDICT_ACCEPT;
}

/**
 * nfac_hook_reverse() - learn from a packet at the hook where only answers pass
 * @priv: an attachment that follows streams
 * @skb: as of nfac_hook(); it is not changed
 * @state: of the hook
 *
 * An attachment at input does not see what this host answers, at output it does not see what
 * arrives. The answer's acknowledgment and window belong to the stream.
 *
 * Context: as nfac_hook().
 * Return: NF_ACCEPT.
 */
unsigned int nfac_hook_reverse(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	struct nfac_packet pkt nfac_uninitialized;

	pkt.att = priv;
	pkt.skb = skb;
	pkt.state = state;
	if (!nfac_hook_find(&pkt, false) || !nfac_select_family(&pkt) || !nfac_hook_answers(&pkt))
		return NF_ACCEPT;
	local_bh_disable();
	nfac_hook_stream(&pkt);
	nfac_hook_answer(&pkt);
	local_bh_enable();
	return NF_ACCEPT;
}
