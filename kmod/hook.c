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

#include "attachment.h"
#include "confirm.h"
#include "conntrack.h"
#include "hook.h"
#include "payload.h"
#include "skb_scan.h"
#include "stream.h"
#include "engine/stream/policy.h"

/**
 * struct nfac_packet - a packet under inspection
 *
 * On the hook's stack.
 *
 * @scan: the scan of its payload
 * @att: where it is inspected
 * @skb: the packet
 * @state: of the hook
 * @payload: the bytes to scan
 * @stream: whose part they are, where the attachment follows it
 * @tally: what it adds to the counters
 * @report: there are readers of events, and the attachment reports
 * @event_ready: @event is filled in except for the match
 * @again: stream: bytes of an earlier match were sent again
 * @unseen: not all of its new bytes were scanned
 * @number: of the packet
 * @event: the next one to send
 */
struct nfac_packet {
	struct nfac_scan scan;
	const struct nfac_attachment *att;
	struct sk_buff *skb;
	const struct nf_hook_state *state;
	struct nfac_payload payload;
	struct nfac_stream stream;
	struct nfac_tally tally;
	bool report;
	bool event_ready;
	bool again;
	bool unseen;
	u64 number;
	struct nfac_event event;
};

static bool nfac_select_device(const char *want, const struct net_device *dev)
{
	return !want[0] || (dev && !strncmp(want, dev->name, NFAC_IFNAME_LEN));
}

/* Criteria that need none of the packet's headers. */
static bool nfac_select_early(const struct nfac_packet *pkt)
{
	const struct nfac_ioc_attach *want = &pkt->att->want;

	return nfac_selects_mark(want, pkt->skb->mark) &&
	       nfac_select_device(want->iif, pkt->state->in) &&
	       nfac_select_device(want->oif, pkt->state->out);
}

/* Criteria that need them. */
static bool nfac_select_late(const struct nfac_packet *pkt)
{
	const struct nfac_payload *p = &pkt->payload;

	return nfac_selects_ports(&pkt->att->want, p->protocol, p->ports, p->dport);
}

static bool nfac_hook_follows(const struct nfac_packet *pkt)
{
	return pkt->att->flows && pkt->payload.protocol == IPPROTO_TCP;
}

static void nfac_event_addresses(struct nfac_packet *pkt)
{
	struct nfac_event *event = &pkt->event;
	int at = skb_network_offset(pkt->skb);

	if (pkt->payload.family == AF_INET6) {
		skb_copy_bits(pkt->skb, at + offsetof(struct ipv6hdr, saddr),
			      event->saddr, sizeof(struct in6_addr));
		skb_copy_bits(pkt->skb, at + offsetof(struct ipv6hdr, daddr),
			      event->daddr, sizeof(struct in6_addr));
		return;
	}
	skb_copy_bits(pkt->skb, at + offsetof(struct iphdr, saddr), event->saddr,
		      sizeof(struct in_addr));
	skb_copy_bits(pkt->skb, at + offsetof(struct iphdr, daddr), event->daddr,
		      sizeof(struct in_addr));
}

/* Is the packet dropped? It matches; what cannot be read of it is not known yet. */
static bool nfac_event_drops(const struct nfac_packet *pkt)
{
	const struct nfac_segment *seg = &pkt->stream.segment;
	u32 flags = pkt->att->want.flags;

	if (nfac_hook_follows(pkt))
		return nfac_found_drops(flags, true, seg->unseen, seg->skip);
	return flags & NFAC_ATTACH_DROP;
}

/* Fill in what is the same for all matches of the packet. */
static void nfac_event_begin(struct nfac_packet *pkt)
{
	const struct nfac_attachment *att = pkt->att;
	struct nfac_event *event = &pkt->event;

	memset(event, 0, sizeof(*event));
	event->size = sizeof(*event);
	event->time_ns = ktime_get_real_ns();
	event->packet = pkt->number;
	event->payload_len = pkt->payload.to - pkt->payload.from;
	event->mark = nfac_mark_after(&att->want, pkt->skb->mark);
	event->attachment = att->want.id;
	event->ifindex_in = pkt->state->in ? pkt->state->in->ifindex : 0;
	event->sport = pkt->payload.sport;
	event->dport = pkt->payload.dport;
	event->family = pkt->payload.family;
	event->protocol = pkt->payload.protocol;
	event->hook = pkt->state->hook;
	memcpy(event->set, att->set->name, sizeof(event->set));
	nfac_event_addresses(pkt);
	pkt->event_ready = true;
}

/* Does the attachment act on the match that is reported? */
static bool nfac_hook_acts(const struct nfac_packet *pkt)
{
	return !pkt->scan.inexact || pkt->att->want.flags & NFAC_ATTACH_ACT_INEXACT;
}

static bool nfac_hook_found(struct nfac_scan *scan, const struct nfac_hit *hit,
			    s64 offset)
{
	struct nfac_packet *pkt = container_of(scan, struct nfac_packet, scan);

	if (!pkt->report)
		return true;
	if (!pkt->event_ready)
		nfac_event_begin(pkt);
	pkt->event.offset = offset;
	pkt->event.stream_offset = offset + scan->origin;
	pkt->event.pattern = hit->id;
	pkt->event.length = hit->length;
	pkt->event.flags = scan->inexact ? NFAC_EVENT_INEXACT : 0;
	pkt->event.verdict = nfac_event_drops(pkt) && nfac_hook_acts(pkt) ? NFAC_VERDICT_DROP :
									    NFAC_VERDICT_ACCEPT;
	pkt->tally.lost_events += nfac_events_push(&pkt->att->nn->events,
						   &pkt->event);
	return true;
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
}

/* Evaluate the rules whose anchors matched. Those that hold are matches. */
static void nfac_hook_confirm(struct nfac_packet *pkt)
{
	const struct nfac_confirm_packet packet = { pkt->skb, &pkt->payload };

	if (!pkt->scan.pending)
		return;
	nfac_confirm_end(&pkt->scan, &packet, false);
	if (pkt->scan.unevaluated)
		nfac_stats_skip(pkt->att->stats, NFAC_SKIP_BUDGET);
}

/* Matches that the attachment acts on: those of rules that were checked in full. */
static u32 nfac_hook_acting(const struct nfac_packet *pkt)
{
	if (pkt->att->want.flags & NFAC_ATTACH_ACT_INEXACT)
		return pkt->scan.matches;
	return pkt->scan.matches - pkt->scan.inexact_matches;
}

/* Scan the payload as part of its stream. */
static enum nfac_skip nfac_hook_follow(struct nfac_packet *pkt,
				       const struct nfac_load *load)
{
	const struct nfac_segment *seg = &pkt->stream.segment;

	nfac_stream_scan(&pkt->stream, &pkt->scan, load->generation);
	nfac_hook_confirm(pkt);
	pkt->tally.bytes = seg->scanned;
	pkt->tally.matches = pkt->scan.matches;
	pkt->again = seg->again;
	pkt->unseen = seg->unseen;
	return seg->skip;
}

/*
 * Scan the payload.
 *
 * Return: NFAC_SKIP_NONE when all of it was scanned, else why not.
 */
static enum nfac_skip nfac_hook_scan(struct nfac_packet *pkt,
				     const struct nfac_load *load)
{
	struct nfac_payload *payload = &pkt->payload;
	struct nfac_scan *scan = &pkt->scan;

	nfac_scan_init(scan, &load->automaton, nfac_hook_found);
	scan->protocol = payload->protocol;
	scan->sport = payload->sport;
	scan->dport = payload->dport;
	if (load->automaton.programs)
		nfac_confirm_begin(scan);
	if (nfac_hook_follows(pkt))
		return nfac_hook_follow(pkt, load);
	pkt->tally.bytes = nfac_scan_datagrams(scan, pkt->skb, payload->from,
					       payload->to);
	nfac_hook_confirm(pkt);
	pkt->tally.matches = scan->matches;

	pkt->unseen = pkt->tally.bytes < payload->to - payload->from;
	if (pkt->unseen)
		return NFAC_SKIP_UNREADABLE;
	return NFAC_SKIP_NONE;
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

/* A packet that was not inspected is counted, whatever its verdict. */
static unsigned int nfac_hook_skip(const struct nfac_packet *pkt,
				   enum nfac_skip why)
{
	nfac_stats_skip(pkt->att->stats, why);
	if (!nfac_skip_drops(pkt->att->want.flags, why))
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
	nfac_hook_stream(pkt);
	nfac_stream_bare(&pkt->stream, load->generation);
	if (seg->unseen)
		return nfac_hook_skip(pkt, seg->skip);
	if (seg->skip != NFAC_SKIP_NONE)
		nfac_stats_skip(pkt->att->stats, seg->skip);
	return NF_ACCEPT;
}

/**
 * nfac_hook() - inspect a packet at an attachment
 * @priv: the attachment
 * @skb: an IPv4 or IPv6 packet; only its mark and its connection's are changed
 * @state: of the hook
 *
 * Context: softirq, or process for locally generated packets; under rcu_read_lock().
 * Return: NF_ACCEPT or NF_DROP.
 */
unsigned int nfac_hook(void *priv, struct sk_buff *skb,
		       const struct nf_hook_state *state)
{
	struct nfac_attachment *att = priv;
	u32 flags = att->want.flags;
	const struct nfac_load *load;
	struct nfac_packet pkt nfac_uninitialized;
	enum nfac_skip skip;
	bool found;

	pkt.att = att;
	pkt.skb = skb;
	pkt.state = state;
	if (!nfac_select_early(&pkt))
		return NF_ACCEPT;

	found = nfac_payload_find(skb, state->pf, flags & NFAC_ATTACH_RAW,
				  &pkt.payload);
	if (!nfac_select_late(&pkt))
		return NF_ACCEPT;
	if (!found)
		return nfac_hook_skip(&pkt, pkt.payload.skip);
	if (pkt.payload.from == pkt.payload.to)
		return nfac_hook_bare(&pkt);
	if (nfac_hook_follows(&pkt)) {
		nfac_hook_stream(&pkt);
		nfac_stream_expect(&pkt.stream);
	}
	load = nfac_set_load(att->set);
	if (!load || READ_ONCE(load->damaged))
		return nfac_hook_skip(&pkt, NFAC_SKIP_CORRUPT);

	memset(&pkt.tally, 0, sizeof(pkt.tally));
	pkt.event_ready = false;
	pkt.again = false;
	pkt.report = false;
	if (flags & NFAC_ATTACH_REPORT) {
		pkt.number = atomic64_inc_return(&att->packets);
		pkt.report = nfac_events_wanted(&att->nn->events);
	}
	skip = nfac_hook_scan(&pkt, load);
	/* each reason counts: a segment behind a gap may reach the cap, too */
	if (pkt.scan.capped)
		nfac_stats_skip(att->stats, NFAC_SKIP_OUTPUT_CAP);
	found = nfac_hook_acting(&pkt) || pkt.again;
	if (pkt.unseen && !found && !pkt.tally.matches)
		return nfac_hook_skip(&pkt, skip);

	pkt.tally.dropped = nfac_found_drops(flags, found, pkt.unseen, skip);
	nfac_hook_count(&pkt);
	if (skip != NFAC_SKIP_NONE)
		nfac_stats_skip(att->stats, skip);
	if (found)
		nfac_hook_mark(&pkt);
	return pkt.tally.dropped ? NF_DROP : NF_ACCEPT;
}
