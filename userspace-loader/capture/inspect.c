// SPDX-License-Identifier: GPL-2.0
/*
 * The inspection of one packet from a queue, in the order of the module's nfac_hook(): select it,
 * find its payload, scan it, decide its verdict, count it, report its matches.
 *
 * queue/socket.c calls inspect() for each packet. It relies on the verifier for the set, and on
 * the attachment's options being checked by attach_check().
 */
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

#include "../../kmod/engine/stream/policy.h"
#include "common/confirm.h"
#include "common/message.h"
#include "common/pattern_text.h"
#include "common/threshold_config.h"
#include "inspect.h"

#define ICMP_HEADER	8u

/*
 * A packet under inspection, on the stack.
 *
 * @segment: what was done of it, as a part of its stream or by itself
 * @confirm: how its rules are evaluated
 */
struct inspection {
	struct nfac_scan scan;
	struct inspector *inspector;
	const struct inspect_packet *packet;
	struct payload payload;
	struct nfac_source source;
	struct nfac_segment segment;
	struct nfac_confirm confirm;
};

static bool select_device(const char *want, uint32_t index)
{
	char name[IF_NAMESIZE];

	return !*want || (index && if_indextoname(index, name) && nfac_selects_name(want, name));
}

/* Criteria that need none of the transport headers. */
static bool select_early(const struct nfac_ioc_attach *want, const struct inspect_packet *packet)
{
	uint8_t version = packet->there ? packet->bytes[0] >> 4 : 0;
	uint32_t families = want->flags & (NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6);

	if (families == NFAC_ATTACH_IPV4 && version != 4)
		return false;
	if (families == NFAC_ATTACH_IPV6 && version != 6)
		return false;
	return nfac_selects_mark(want, packet->mark) &&
	       select_device(want->iif, packet->in) && select_device(want->oif, packet->out);
}

/* Fill in what is the same for all matches of the packet. */
static void begin_event(const struct inspection *in, struct nfac_event *event)
{
	const struct nfac_ioc_attach *want = &in->inspector->want;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	memset(event, 0, sizeof(*event));
	event->size = sizeof(*event);
	event->time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	event->packet = in->inspector->number;
	event->attachment = want->id;
	event->ifindex_in = in->packet->in;
	event->hook = in->packet->hook;
	memcpy(event->set, want->name, sizeof(event->set));
	payload_describe(&in->payload, event);
}

/* Count the rule for its thresholds. */
static enum threshold_result count(const struct inspection *in, uint32_t id)
{
	const struct inspector *inspector = in->inspector;
	enum threshold_result own = THRESHOLD_ABSENT;
	struct threshold_match match;
	uint8_t source[16], target[16];
	struct timespec now;

	if (!inspector->confirm && !inspector->limits)
		return THRESHOLD_ABSENT;
	clock_gettime(CLOCK_MONOTONIC, &now);
	payload_addresses(&in->payload, source, target);
	if (inspector->confirm)
		own = confirm_count(inspector->confirm, id, source, target, now.tv_sec);
	if (!inspector->limits)
		return own;
	match = threshold_match(pattern_text(inspector->texts, id), source, target, now.tv_sec);
	return threshold_config_count(inspector->limits, &match, own);
}

static bool on_found(struct nfac_scan *scan, const struct nfac_hit *hit, s64 offset)
{
	/* the scan is its first member */
	struct inspection *in = (struct inspection *)scan;

	struct inspector *inspector = in->inspector;
	enum threshold_result limited;
	struct inspect_hit *entry;

	limited = count(in, hit->id);
	if (limited == THRESHOLD_NO_EFFECT) {
		scan->inexact_matches -= scan->inexact && !scan->held;
		scan->matches--;
		return true;
	}
	if (limited == THRESHOLD_SILENT || !(inspector->want.flags & NFAC_ATTACH_REPORT) ||
	    inspector->hits == NFAC_MATCHES_MAX)
		return true;
	entry = &inspector->hit[inspector->hits++];
	entry->offset = offset;
	entry->stream_offset = offset + scan->origin;
	entry->pattern = hit->id;
	entry->length = hit->length;
	entry->flags = (scan->inexact ? NFAC_EVENT_INEXACT : 0) |
		       (scan->decoded ? NFAC_EVENT_DECODED : 0);
	return true;
}

/* Report the packet's matches, with the verdict that it gets. */
static void report(const struct inspection *in, const struct verdict *verdict)
{
	struct inspector *inspector = in->inspector;
	struct nfac_event event;
	uint32_t i;

	if (!inspector->hits)
		return;
	begin_event(in, &event);
	event.mark = verdict->mark;
	if (verdict->drop)
		event.verdict = NFAC_VERDICT_DROP;
	else if (verdict->candidate ||
		 (verdict->matched && inspector->want.flags & NFAC_ATTACH_MARKS))
		event.verdict = NFAC_VERDICT_MARK;
	for (i = 0; i < inspector->hits; i++) {
		const struct inspect_hit *hit = &inspector->hit[i];

		event.offset = hit->offset;
		event.stream_offset = hit->stream_offset;
		event.pattern = hit->pattern;
		event.length = hit->length;
		event.flags = hit->flags;
		inspector->found(inspector->context, &event, &in->payload);
	}
}

static uint32_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

/* Fill in the segment. Return: whether its checksum is right. */
static bool begin_segment(struct inspection *in)
{
	const struct nfac_ioc_attach *want = &in->inspector->want;
	bool whole = in->packet->unready || payload_checksum(&in->payload);

	in->segment = (struct nfac_segment) {
		.source = &in->source,
		.attachment = want->id,
		.policy = want->flags,
		.generation = in->inspector->generation,
		.clock.now = milliseconds(),
		.confirm = &in->confirm,
	};
	/* this machine accepts what it believes to be verified, another one does not */
	in->payload.ambiguous |= !whole && !in->packet->unchecked;
	in->payload.ambiguous |= in->packet->offload && nfac_gso_ambiguous(in->payload.tcp_flags);
	return whole;
}

/* Without a connection, rules that name its direction or state are inexact. */
static void fill_window(const struct nfac_confirm *confirm, struct nfac_window *window)
{
	const struct inspection *in = (const struct inspection *)
		((const char *)confirm - offsetof(struct inspection, confirm));
	const struct payload *p = &in->payload;

	window->protocol = p->protocol;
	window->ports = p->ports;
	window->sport = p->sport;
	window->dport = p->dport;
	window->tcp_flags = p->tcp_flags;
	window->direction = in->packet->direction;
	window->established = in->packet->established;
	if (in->inspector->confirm) {
		window->user = confirm_pcre;
		window->unpack = confirm_unpack;
		window->context = in->inspector->confirm;
	}
	payload_addresses(p, window->saddr, window->daddr);
	window->addresses = true;
	payload_fields(p, window);
}

/* A rule speaks of what follows ICMP's header. */
static uint32_t icmp_header(const struct payload *p)
{
	if (p->protocol != IPPROTO_ICMP && p->protocol != IPPROTO_ICMPV6)
		return 0;
	return p->captured < ICMP_HEADER ? p->captured : ICMP_HEADER;
}

/* A packet of the other direction, whose acknowledgment belongs to a stream. */
static void answer(struct inspection *in)
{
	bool whole = begin_segment(in);

	stream_answer(in->inspector->streams, &in->payload, whole, &in->segment);
}

/* Scan the payload as part of its stream. */
static void follow(struct inspection *in)
{
	bool whole = begin_segment(in);

	in->confirm.segment = &in->segment;
	stream_scan(in->inspector->streams, &in->payload, whole, &in->segment, &in->scan);
}

/* Scan the payload by itself. A queue passes on at most 64 KiB of a packet. */
static void scan_alone(struct inspection *in)
{
	struct nfac_segment *seg = &in->segment;

	nfac_segment_init(seg);
	if (in->payload.cut)
		nfac_segment_uninspected(seg, NFAC_SKIP_UNREADABLE);
	seg->scanned = nfac_scan_source(&in->scan, &in->source, 0, in->payload.length);
	nfac_confirm_decoded(&in->confirm, &in->scan, &in->source, 0, in->payload.captured);
	nfac_confirm_packet(&in->confirm, &in->scan, &in->source, icmp_header(&in->payload),
			    in->payload.captured, NULL);
}

/* Each reason counts, whatever the verdict. */
static void count_skips(struct inspector *inspector, uint32_t skips)
{
	uint32_t why;

	for (why = 0; why < NFAC_SKIP_MAX; why++)
		inspector->skipped[why] += skips >> why & 1;
}

/* A packet of which nothing was inspected, because of @skips. */
static struct verdict skip(const struct inspection *in, uint32_t skips, struct verdict verdict)
{
	struct inspector *inspector = in->inspector;
	const struct payload *p = &in->payload;
	bool other = skips & BIT(NFAC_SKIP_PROTOCOL) && p->family && !p->neighbour;

	count_skips(inspector, skips);
	verdict.drop = nfac_found_drops(inspector->want.flags, false, skips) ||
		       (other && nfac_protocol_drops(&inspector->want, p->protocol, p->ports));
	inspector->dropped_packets += verdict.drop;
	return verdict;
}

/* The verdict, by what was found. */
static struct verdict decide(struct inspection *in, struct verdict verdict)
{
	struct inspector *inspector = in->inspector;
	const struct nfac_ioc_attach *want = &inspector->want;
	struct nfac_segment *seg = &in->segment;
	uint32_t matches = in->scan.matches;

	if (in->scan.capped)
		nfac_segment_note(seg, NFAC_SKIP_OUTPUT_CAP);
	if (in->scan.unevaluated)
		nfac_segment_note(seg, NFAC_SKIP_BUDGET);
	if (in->scan.crowded)
		nfac_segment_uninspected(seg, NFAC_SKIP_BUDGET);
	/* a rule with a condition that was not checked reports, and no more */
	verdict.matched = nfac_acting_matches(want->flags, matches, in->scan.inexact_matches) ||
			  seg->again;
	verdict.candidate = nfac_is_candidate(want->flags, in->scan.inexact_matches,
					      seg->candidate);
	if (seg->unseen && !verdict.matched && !verdict.candidate)
		return skip(in, seg->skips, verdict);
	verdict.drop = nfac_found_drops(want->flags, verdict.matched, seg->unseen);
	if (verdict.matched && want->flags & NFAC_ATTACH_MARK)
		verdict.mark = nfac_mark_after(want, in->packet->mark);
	if (verdict.candidate)
		verdict.mark = nfac_candidate_mark_after(want, verdict.mark);
	inspector->packets++;
	inspector->bytes += seg->scanned;
	inspector->matches += matches;
	inspector->matched_packets += !!matches;
	inspector->dropped_packets += verdict.drop;
	count_skips(inspector, seg->skips);
	report(in, &verdict);
	return verdict;
}

struct verdict inspect(struct inspector *inspector, const struct inspect_packet *packet)
{
	const struct nfac_ioc_attach *want = &inspector->want;
	struct verdict verdict = { .mark = packet->mark };
	struct inspection in = { .inspector = inspector, .packet = packet };
	unsigned int flags = (want->flags & NFAC_ATTACH_RAW ? PAYLOAD_RAW : 0) |
			     (packet->offload ? PAYLOAD_OFFLOAD | PAYLOAD_GSO : 0);
	struct payload *payload = &in.payload;
	enum nfac_skip why;
	bool found, stream;

	if (!select_early(want, packet))
		return verdict;
	found = payload_locate(packet->bytes, packet->there, packet->sent, flags, payload, &why);
	stream = inspector->streams && payload->protocol == IPPROTO_TCP;
	if (!nfac_selects_ports(want, payload->protocol, payload->ports, payload->dport)) {
		if (found && stream &&
		    nfac_selects_ports(want, payload->protocol, payload->ports, payload->sport))
			answer(&in);
		return verdict;
	}
	if (!found)
		return skip(&in, BIT(why), verdict);

	nfac_scan_init(&in.scan, inspector->automaton, on_found);
	in.scan.protocol = payload->protocol;
	in.scan.sport = payload->sport;
	in.scan.dport = payload->dport;
	if (inspector->automaton->programs) {
		nfac_pending_init(&inspector->pending);
		in.scan.pending = &inspector->pending;
	}
	if (nfac_automaton_confirms(inspector->automaton)) {
		in.confirm = (struct nfac_confirm) {
			.scratch = inspector->scratch,
			.copy = inspector->copy,
			.held = nfac_budget_holds(want->flags),
			.fields = fill_window,
		};
	}
	in.source = (struct nfac_source) {
		.bytes = payload->bytes,
		.there = payload->captured,
		.path = inspector->path,
	};
	inspector->hits = 0;
	/* without data there is nothing to scan, but it may begin or end a stream */
	if (!payload->length) {
		if (stream)
			follow(&in);
		if (in.segment.unseen)
			return skip(&in, in.segment.skips, verdict);
		count_skips(inspector, in.segment.skips);
		return verdict;
	}
	inspector->number++;
	if (stream)
		follow(&in);
	else
		scan_alone(&in);
	return decide(&in, verdict);
}

int inspector_init(struct inspector *inspector)
{
	uint64_t secret;

	inspector->scratch = malloc(nfac_rules_scratch_bytes());
	inspector->copy = malloc(NFAC_CONFIRM_BYTES);
	if (!inspector->scratch || !inspector->copy)
		return complain("out of memory");
	if (getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
		return complain("no random numbers: %s", strerror(errno));
	nfac_pending_key(&inspector->pending, secret);
	return 0;
}

void inspector_free(struct inspector *inspector)
{
	free(inspector->scratch);
	free(inspector->copy);
}
