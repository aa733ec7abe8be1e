// SPDX-License-Identifier: GPL-2.0
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "inspect.h"
#include "payload.h"

/* A packet under inspection, on the stack. */
struct inspection {
	struct inspector *inspector;
	const struct inspect_packet *packet;
	struct payload payload;
	uint32_t matches;
	bool capped, told;
	struct nfac_event event;
};

static bool select_device(const char *want, uint32_t index)
{
	char name[IF_NAMESIZE];

	return !*want || (index && if_indextoname(index, name) &&
			  !strncmp(name, want, NFAC_IFNAME_LEN));
}

/* What can be asked before the packet's headers are looked at. */
static bool select_early(const struct nfac_ioc_attach *want, const struct inspect_packet *packet)
{
	uint8_t version = packet->there ? packet->bytes[0] >> 4 : 0;
	uint32_t families = want->flags & (NFAC_ATTACH_IPV4 | NFAC_ATTACH_IPV6);

	if (families == NFAC_ATTACH_IPV4 && version != 4)
		return false;
	if (families == NFAC_ATTACH_IPV6 && version != 6)
		return false;
	if (want->flags & NFAC_ATTACH_WHEN_MARK &&
	    (packet->mark & want->when_mask) != want->when_mark)
		return false;
	return select_device(want->iif, packet->in) && select_device(want->oif, packet->out);
}

/* And after. A port that is not known may be the one that is wanted. */
static bool select_late(const struct nfac_ioc_attach *want, const struct payload *payload)
{
	int i;

	if (want->protocol && want->protocol != payload->protocol)
		return false;
	if (!want->nports || !payload->ports)
		return true;
	for (i = 0; i < want->nports; i++)
		if (want->ports[i] == payload->dport)
			return true;
	return false;
}

static uint32_t mark_after(const struct nfac_ioc_attach *want, uint32_t mark)
{
	return (mark & ~want->mark_mask) | want->mark;
}

/* All of an event that is the same for every match of the packet. */
static void begin_event(struct inspection *in)
{
	const struct nfac_ioc_attach *want = &in->inspector->want;
	struct nfac_event *event = &in->event;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	memset(event, 0, sizeof(*event));
	event->size = sizeof(*event);
	event->time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	event->packet = in->inspector->packets + 1;
	event->payload_len = in->payload.length;
	event->mark = mark_after(want, in->packet->mark);
	event->attachment = want->id;
	event->ifindex_in = in->packet->in;
	event->sport = in->payload.sport;
	event->dport = in->payload.dport;
	event->family = in->payload.family;
	event->protocol = in->payload.protocol;
	event->hook = in->packet->hook;
	event->verdict = want->flags & NFAC_ATTACH_DROP ? NFAC_VERDICT_DROP :
							  NFAC_VERDICT_ACCEPT;
	memcpy(event->saddr, in->payload.saddr, sizeof(event->saddr));
	memcpy(event->daddr, in->payload.daddr, sizeof(event->daddr));
	memcpy(event->set, want->name, sizeof(event->set));
	in->told = true;
}

static bool on_hit(void *context, const struct nfac_hit *hit)
{
	struct inspection *in = context;

	if (!nfac_hit_allowed(hit, 0, in->payload.protocol, in->payload.sport,
			      in->payload.dport))
		return true;
	if (in->matches == INSPECT_MATCHES_MAX) {
		in->capped = true;
		return false;
	}
	in->matches++;
	if (!(in->inspector->want.flags & NFAC_ATTACH_REPORT))
		return true;
	if (!in->told)
		begin_event(in);
	in->event.offset = hit->end - hit->length;
	in->event.stream_offset = in->event.offset;
	in->event.pattern = hit->id;
	in->event.length = hit->length;
	in->inspector->found(in->inspector->context, &in->event);
	return true;
}

/* Counted, whatever becomes of it; protocols that nobody asked for are not dropped. */
static void skip(struct inspector *inspector, enum nfac_skip why, struct verdict *verdict)
{
	inspector->skipped[why]++;
	if (why == NFAC_SKIP_PROTOCOL || !(inspector->want.flags & NFAC_ATTACH_SKIP_DROP))
		return;
	inspector->dropped_packets++;
	verdict->drop = true;
}

static void count(struct inspection *in, const struct verdict *verdict)
{
	struct inspector *inspector = in->inspector;

	inspector->packets++;
	inspector->bytes += in->payload.length;
	inspector->matches += in->matches;
	inspector->matched_packets += verdict->matched;
	inspector->dropped_packets += verdict->drop;
	if (in->capped)
		inspector->skipped[NFAC_SKIP_OUTPUT_CAP]++;
}

struct verdict inspect(struct inspector *inspector, const struct inspect_packet *packet)
{
	const struct nfac_ioc_attach *want = &inspector->want;
	struct verdict verdict = { .mark = packet->mark };
	struct inspection in = { .inspector = inspector, .packet = packet };
	unsigned int flags = (want->flags & NFAC_ATTACH_RAW ? PAYLOAD_RAW : 0) |
			     (packet->offload ? PAYLOAD_OFFLOAD : 0);
	struct nfac_cursor cursor;
	enum nfac_skip why;
	bool found;

	if (!select_early(want, packet))
		return verdict;
	found = payload_locate(packet->bytes, packet->there, packet->sent, flags, &in.payload,
			       &why);
	if (!select_late(want, &in.payload))
		return verdict;
	if (!found) {
		skip(inspector, why, &verdict);
		return verdict;
	}
	if (!in.payload.length && !in.payload.cut)
		return verdict;
	nfac_cursor_init(&cursor);
	nfac_match_block(inspector->automaton, &cursor, in.payload.bytes, in.payload.length,
			 inspector->path, on_hit, &in);
	verdict.matched = in.matches;
	verdict.drop = in.matches && want->flags & NFAC_ATTACH_DROP;
	if (verdict.matched && want->flags & NFAC_ATTACH_MARK)
		verdict.mark = mark_after(want, packet->mark);
	count(&in, &verdict);
	/* a queue hands out no more than 64 KiB of a packet; the rest passes unseen */
	if (in.payload.cut && !verdict.drop)
		skip(inspector, NFAC_SKIP_TRUNCATED, &verdict);
	return verdict;
}
