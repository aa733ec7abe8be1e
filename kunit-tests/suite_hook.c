// SPDX-License-Identifier: GPL-2.0
/*
 * The hook: what it selects, its verdict, the bits it changes, what it counts.
 */

#include <linux/in.h>
#include <linux/ip.h>
#include <linux/netfilter.h>
#include <net/ip.h>
#include <net/netfilter/nf_conntrack.h>

#include "help_hook.h"
#include "suites.h"

static struct help_packet pkt;
static struct nfac_set *hook_set;

static int hook_init(struct kunit *test)
{
	hook_set = help_set_in_force(test, "kunit", "small");
	return 0;
}

static void hook_exit(struct kunit *test)
{
	help_set_gone(hook_set);
}

static struct nfac_attachment *hook_attach(struct kunit *test, struct nfac_ioc_attach want)
{
	const char *fault;
	struct nfac_attachment *att;

	strscpy(want.name, "kunit", sizeof(want.name));
	KUNIT_ASSERT_EQ(test, nfac_attach_check(&want, &fault), 0);
	att = help_attach(&want);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(att), "%ld", PTR_ERR(att));
	return att;
}

#define ATTACH(test, ...)	hook_attach(test, (struct nfac_ioc_attach){ __VA_ARGS__ })

/* Pass the packet with this mark to the hook. Return: the verdict; sets @mark. */
static unsigned int hook_pass(struct kunit *test, struct nfac_attachment *att, u32 *mark)
{
	struct sk_buff *skb = help_skb_of(test, &pkt);
	unsigned int verdict;

	skb->protocol = htons(pkt.family == AF_INET6 ? ETH_P_IPV6 : ETH_P_IP);
	skb->mark = mark ? *mark : 0;
	verdict = help_hook(att, skb);
	if (mark)
		*mark = skb->mark;
	kfree_skb(skb);
	return verdict;
}

static void hook_verdicts(struct kunit *test)
{
	struct nfac_attachment *att = ATTACH(test, .flags = NFAC_ATTACH_DROP);

	help_tcp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_DROP);
	help_tcp4(&pkt, "nothing of the kind");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT);
	help_udp6(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_DROP);
	help_tcp4(&pkt, "");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_PACKETS), 3ull,
			    "no payload, nothing inspected");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_BYTES), 9ull + 19 + 9);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_MATCHED_PACKETS), 2ull);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_DROPPED_PACKETS), 2ull);
	/* attack, tack, ta twice: in either packet */
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_MATCHES), 8ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(hook_set->stats, NFAC_COUNT_MATCHES), 8ull);
	KUNIT_EXPECT_EQ(test, nfac_stats_sum(hook_set->stats, NFAC_COUNT_PACKETS), 3ull);
	help_detach(att);

	att = ATTACH(test, .flags = NFAC_ATTACH_REPORT);
	help_tcp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_DROPPED_PACKETS), 0ull);
	help_detach(att);
}

/* Every bit that was not given stays, whatever it was. */
static void hook_marks(struct kunit *test)
{
	static const u32 marks[] = { 0, U32_MAX, 0x12345678, 0x0f000000, 0xf0ffffff };
	static const u32 masks[] = { 0x0f000000, 1, 0x80000000, U32_MAX, 0x00ff00ff };
	u32 i, j, k;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		for (j = 0; j < 3; j++) {
			u32 value = j == 0 ? 0 : j == 1 ? masks[i] : masks[i] & 0x5a5a5a5a;
			struct nfac_attachment *att = ATTACH(test, .flags = NFAC_ATTACH_MARK,
							     .mark = value,
							     .mark_mask = masks[i]);

			for (k = 0; k < ARRAY_SIZE(marks); k++) {
				u32 mark = marks[k];

				help_udp4(&pkt, "an attack");
				KUNIT_EXPECT_EQ(test, hook_pass(test, att, &mark),
						(unsigned int)NF_ACCEPT);
				KUNIT_EXPECT_EQ(test, mark & masks[i], value);
				KUNIT_EXPECT_EQ(test, mark & ~masks[i], marks[k] & ~masks[i]);
				mark = marks[k];
				help_udp4(&pkt, "nothing");
				hook_pass(test, att, &mark);
				KUNIT_EXPECT_EQ_MSG(test, mark, marks[k], "no match, no mark");
			}
			help_detach(att);
		}
	}
}

static void hook_when(struct kunit *test)
{
	struct nfac_attachment *att = ATTACH(test, .flags = NFAC_ATTACH_DROP |
					     NFAC_ATTACH_WHEN_MARK, .when_mark = 0x10,
					     .when_mask = 0x30);
	u32 mark;

	help_udp4(&pkt, "an attack");
	for (mark = 0; mark < 0x80; mark++) {
		u32 was = mark;

		KUNIT_EXPECT_EQ(test, hook_pass(test, att, &was),
				(unsigned int)((mark & 0x30) == 0x10 ? NF_DROP : NF_ACCEPT));
		KUNIT_EXPECT_EQ(test, was, mark);
	}
	KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_PACKETS), 32ull,
			    "packets of other ports are not counted");
	help_detach(att);
}

static void hook_selects(struct kunit *test)
{
	struct nfac_attachment *att;

	att = ATTACH(test, .flags = NFAC_ATTACH_DROP, .protocol = IPPROTO_UDP, .nports = 2,
		     .ports = { 52, 53 });
	help_udp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_DROP);
	help_tcp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT, "TCP");
	help_udp4(&pkt, "an attack");
	pkt.bytes[23] = 54;
	KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT, "port 54");
	help_detach(att);

	att = ATTACH(test, .flags = NFAC_ATTACH_DROP, .iif = "lo");
	help_udp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_DROP);
	help_detach(att);
	att = ATTACH(test, .flags = NFAC_ATTACH_DROP, .iif = "lo0");
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT);
	help_detach(att);
	att = ATTACH(test, .flags = NFAC_ATTACH_DROP, .oif = "eth0",
		     .hook = NFAC_HOOK_POSTROUTING);
	KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT,
			    "there is no such device");
	help_detach(att);
}

/* Each port at a range's ends and beside them, and none where a pair is cut. */
static void hook_selects_ranges(struct kunit *test)
{
	static const struct {
		u16 port;
		unsigned int verdict;
	} cases[] = {
		{ 0, NF_ACCEPT }, { 49, NF_ACCEPT }, { 50, NF_DROP }, { 53, NF_DROP },
		{ 60, NF_DROP }, { 61, NF_ACCEPT }, { 79, NF_ACCEPT }, { 80, NF_DROP },
		{ 81, NF_ACCEPT }, { 65534, NF_ACCEPT }, { 65535, NF_DROP },
	};
	struct nfac_attachment *att;
	u32 i;

	att = ATTACH(test, .flags = NFAC_ATTACH_DROP | NFAC_ATTACH_PORT_RANGES, .nports = 6,
		     .ports = { 50, 60, 80, 80, 65535, 65535 });
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		help_udp4(&pkt, "an attack");
		pkt.bytes[22] = cases[i].port >> 8;
		pkt.bytes[23] = cases[i].port;
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, att, NULL), cases[i].verdict,
				    "port %u", cases[i].port);
	}
	help_detach(att);
}

/* The packets come in by lo. */
static void hook_selects_names(struct kunit *test)
{
	static const struct {
		const char *name;
		unsigned int verdict;
	} cases[] = {
		{ "lo", NF_DROP }, { "l*", NF_DROP }, { "*", NF_DROP }, { "lo*", NF_DROP },
		{ "l", NF_ACCEPT }, { "lo0", NF_ACCEPT }, { "lo0*", NF_ACCEPT },
		{ "*o", NF_ACCEPT }, { "l*o", NF_ACCEPT }, { "**", NF_ACCEPT },
		{ "eth*", NF_ACCEPT },
	};
	struct nfac_attachment *att;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nfac_ioc_attach want = { .flags = NFAC_ATTACH_DROP };

		strscpy_pad(want.iif, cases[i].name, sizeof(want.iif));
		att = hook_attach(test, want);
		help_udp4(&pkt, "an attack");
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, att, NULL), cases[i].verdict, "%s",
				    cases[i].name);
		help_detach(att);
	}
}

/* A port that is not known may be the one that is wanted: counted, not passed over. */
static void hook_skips(struct kunit *test)
{
	struct iphdr *iph = (struct iphdr *)pkt.bytes;
	struct nfac_attachment *open, *closed;

	open = ATTACH(test, .flags = NFAC_ATTACH_DROP, .nports = 1, .ports = { 99 });
	closed = ATTACH(test, .flags = NFAC_ATTACH_DROP | NFAC_ATTACH_SKIP_DROP);

	help_udp4(&pkt, "an attack");
	iph->frag_off = htons(IP_MF);
	KUNIT_EXPECT_EQ(test, hook_pass(test, open, NULL), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, hook_pass(test, closed, NULL), (unsigned int)NF_DROP);
	KUNIT_EXPECT_EQ(test, help_count(open, NFAC_COUNT_SKIPPED + NFAC_SKIP_FRAGMENT), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(closed, NFAC_COUNT_SKIPPED + NFAC_SKIP_FRAGMENT), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(closed, NFAC_COUNT_DROPPED_PACKETS), 1ull);

	help_udp4(&pkt, "an attack");
	pkt.len -= 3;
	KUNIT_EXPECT_EQ(test, hook_pass(test, open, NULL), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, hook_pass(test, closed, NULL), (unsigned int)NF_DROP);
	KUNIT_EXPECT_EQ(test, help_count(open, NFAC_COUNT_SKIPPED + NFAC_SKIP_TRUNCATED), 1ull);

	/* not to be inspected: it passes even where skipped ones do not */
	help_ip4(&pkt, IPPROTO_ICMP);
	help_bytes(&pkt, "an attack", 9);
	help_close(&pkt);
	KUNIT_EXPECT_EQ(test, hook_pass(test, closed, NULL), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, help_count(closed, NFAC_COUNT_SKIPPED + NFAC_SKIP_PROTOCOL), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(closed, NFAC_COUNT_PACKETS), 0ull);
	help_detach(open);
	help_detach(closed);

	/* so may a protocol that was not reached */
	open = ATTACH(test, .flags = NFAC_ATTACH_SKIP_DROP, .protocol = IPPROTO_TCP);
	help_ip6(&pkt, NEXTHDR_FRAGMENT);
	help_frag6(&pkt, NEXTHDR_DEST, 0, true);
	help_ext(&pkt, IPPROTO_TCP, 8);
	help_close(&pkt);
	KUNIT_EXPECT_EQ(test, hook_pass(test, open, NULL), (unsigned int)NF_DROP);
	KUNIT_EXPECT_EQ(test, help_count(open, NFAC_COUNT_SKIPPED + NFAC_SKIP_FRAGMENT), 1ull);
	help_ip6(&pkt, NEXTHDR_FRAGMENT);
	help_frag6(&pkt, IPPROTO_UDP, 0, true);
	help_close(&pkt);
	KUNIT_EXPECT_EQ(test, hook_pass(test, open, NULL), (unsigned int)NF_ACCEPT);
	help_detach(open);

	help_ip4(&pkt, IPPROTO_ICMP);
	help_bytes(&pkt, "an attack", 9);
	help_close(&pkt);
	open = ATTACH(test, .flags = NFAC_ATTACH_DROP | NFAC_ATTACH_RAW, .protocol = IPPROTO_ICMP);
	KUNIT_EXPECT_EQ(test, hook_pass(test, open, NULL), (unsigned int)NF_DROP);
	help_detach(open);
}

/* An IPv6 packet of @protocol that begins with @type. */
static void hook_packet6(u8 protocol, u8 type, u8 hop_limit)
{
	help_ip6(&pkt, protocol);
	((struct ipv6hdr *)pkt.bytes)->hop_limit = hop_limit;
	help_bytes(&pkt, &type, 1);
	help_bytes(&pkt, "an attack", 9);
	help_close(&pkt);
}

/* With PROTOCOL_DROP a protocol that is not inspected passes only if it is allowed. */
static void hook_protocols(struct kunit *test)
{
	const u32 flags = NFAC_ATTACH_SKIP_DROP | NFAC_ATTACH_PROTOCOL_DROP;
	struct nfac_attachment *none = ATTACH(test, .flags = flags);
	struct nfac_attachment *some = ATTACH(test, .flags = flags, .allow = {
		BIT(IPPROTO_ICMP), BIT(IPPROTO_GRE - 32), [7] = BIT(31) });
	struct nfac_attachment *ports = ATTACH(test, .flags = flags, .nports = 1, .ports = { 80 });
	u16 sctp[2] = { htons(1), htons(80) };
	u32 i, type, dropped;

	for (i = 0; i < 256; i++) {
		bool listed = i == IPPROTO_ICMP || i == IPPROTO_GRE || i == 255;

		if (i == IPPROTO_TCP || i == IPPROTO_UDP)
			continue;
		help_ip4(&pkt, i);
		help_close(&pkt);
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, none, NULL), (unsigned int)NF_DROP,
				    "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, some, NULL),
				    (unsigned int)(listed ? NF_ACCEPT : NF_DROP), "%u", i);
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, ports, NULL), (unsigned int)NF_ACCEPT,
				    "%u", i);
	}
	KUNIT_EXPECT_EQ(test, help_count(none, NFAC_COUNT_SKIPPED + NFAC_SKIP_PROTOCOL), 254ull);
	KUNIT_EXPECT_EQ(test, help_count(none, NFAC_COUNT_DROPPED_PACKETS), 254ull);
	KUNIT_EXPECT_EQ(test, help_count(some, NFAC_COUNT_DROPPED_PACKETS), 251ull);

	/* one with the wanted port is the attachment's */
	help_ip4(&pkt, IPPROTO_SCTP);
	help_bytes(&pkt, sctp, sizeof(sctp));
	help_close(&pkt);
	KUNIT_EXPECT_EQ(test, hook_pass(test, ports, NULL), (unsigned int)NF_DROP);

	/* neighbour discovery, as no router forwards it */
	for (type = 0; type < 256; type++) {
		bool neighbour = type >= 133 && type <= 137;

		hook_packet6(IPPROTO_ICMPV6, type, 255);
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, none, NULL),
				    (unsigned int)(neighbour ? NF_ACCEPT : NF_DROP), "%u", type);
		hook_packet6(IPPROTO_ICMPV6, type, 254);
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, none, NULL), (unsigned int)NF_DROP,
				    "%u", type);
		hook_packet6(IPPROTO_GRE + 1, type, 255);
		KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, none, NULL), (unsigned int)NF_DROP,
				    "%u", type);
	}
	help_ip6(&pkt, NEXTHDR_DEST);
	((struct ipv6hdr *)pkt.bytes)->hop_limit = 255;
	help_ext(&pkt, IPPROTO_ICMPV6, 8);
	help_bytes(&pkt, "\x87", 1);
	help_close(&pkt);
	KUNIT_EXPECT_EQ(test, hook_pass(test, none, NULL), (unsigned int)NF_ACCEPT);
	/* without a type it is none */
	help_ip6(&pkt, IPPROTO_ICMPV6);
	((struct ipv6hdr *)pkt.bytes)->hop_limit = 255;
	help_close(&pkt);
	KUNIT_EXPECT_EQ(test, hook_pass(test, none, NULL), (unsigned int)NF_DROP);

	/* other reasons are not excused by an allowed protocol */
	dropped = help_count(some, NFAC_COUNT_DROPPED_PACKETS);
	help_ip4(&pkt, IPPROTO_ICMP);
	((struct iphdr *)pkt.bytes)->frag_off = htons(IP_MF);
	help_close(&pkt);
	KUNIT_EXPECT_EQ(test, hook_pass(test, some, NULL), (unsigned int)NF_DROP);
	KUNIT_EXPECT_EQ(test, help_count(some, NFAC_COUNT_DROPPED_PACKETS), dropped + 1ull);
	help_detach(none);
	help_detach(some);
	help_detach(ports);
}

/* Found damaged: no longer matched against, counted, and treated as the flags say. */
static void hook_damaged(struct kunit *test)
{
	struct nfac_attachment *open = ATTACH(test, .flags = NFAC_ATTACH_DROP |
							     NFAC_ATTACH_DAMAGED_PASS);
	struct nfac_attachment *closed = ATTACH(test, .flags = NFAC_ATTACH_DROP);
	struct nfac_net *nn = nfac_net(&init_net);
	struct nfac_load *load;
	u8 *byte;

	mutex_lock(&nn->lock);
	load = nfac_set_load_locked(nn, hook_set);
	byte = (u8 *)load->tiles.tile[0] + 5;
	KUNIT_EXPECT_EQ(test, nfac_set_scrub(nn, hook_set), NFAC_RESULT_SOUND);
	*byte ^= 4;
	KUNIT_EXPECT_EQ(test, nfac_set_scrub(nn, hook_set), 0u);
	*byte ^= 4;
	*(u8 *)load->tables ^= 4;
	KUNIT_EXPECT_EQ(test, nfac_set_scrub(nn, hook_set), NFAC_RESULT_TABLES);
	*(u8 *)load->tables ^= 4;
	mutex_unlock(&nn->lock);

	help_udp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ(test, hook_pass(test, open, NULL), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, hook_pass(test, closed, NULL), (unsigned int)NF_DROP);
	KUNIT_EXPECT_EQ(test, help_count(open, NFAC_COUNT_SKIPPED + NFAC_SKIP_CORRUPT), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(closed, NFAC_COUNT_SKIPPED + NFAC_SKIP_CORRUPT), 1ull);
	/* reloaded, all is well, for the same attachments */
	help_set_in_force(test, "kunit", "plain");
	KUNIT_EXPECT_EQ(test, hook_pass(test, open, NULL), (unsigned int)NF_DROP);
	KUNIT_EXPECT_EQ(test, hook_set->generation, 2u);
	help_detach(open);
	help_detach(closed);
}

/* More matches than are reported: the packet counts as matched, and as capped. */
static void hook_capped(struct kunit *test)
{
	struct nfac_attachment *att = ATTACH(test, .flags = NFAC_ATTACH_DROP);
	static char text[1501];

	/* "ta" counts twice, it has two ids */
	memset(text, 't', 1500);
	for (int i = 1; i < 1500; i += 2)
		text[i] = 'a';
	help_udp4(&pkt, text);
	KUNIT_EXPECT_EQ(test, hook_pass(test, att, NULL), (unsigned int)NF_DROP);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_MATCHES), 1024ull);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_OUTPUT_CAP), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_BYTES), 1500ull);
	help_detach(att);
}

static void hook_events(struct kunit *test)
{
	struct nfac_attachment *att = ATTACH(test, .flags = NFAC_ATTACH_REPORT | NFAC_ATTACH_MARK |
					     NFAC_ATTACH_DROP, .mark = 0x100, .mark_mask = 0xf00);
	struct nfac_net *nn = nfac_net(&init_net);
	char name[NFAC_NAME_LEN] = "";
	const struct nfac_event *event;
	struct nfac_reader *reader;
	u32 mark = 0xabc, i;

	help_udp4(&pkt, "without a reader: attack");
	hook_pass(test, att, NULL);
	reader = nfac_reader_create(&nn->events, name, nfac_reader_bytes());
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, reader);
	help_udp6(&pkt, "x acid jazz");
	hook_pass(test, att, &mark);
	KUNIT_EXPECT_TRUE(test, nfac_reader_ready(reader));
	event = &reader->slots[0].event;
	KUNIT_EXPECT_EQ(test, event->size, (u32)sizeof(*event));
	KUNIT_EXPECT_EQ(test, event->offset, 2ll);
	KUNIT_EXPECT_EQ(test, event->stream_offset, 2ll);
	KUNIT_EXPECT_EQ(test, event->length, 9u);
	KUNIT_EXPECT_EQ(test, event->pattern, 9u);
	KUNIT_EXPECT_EQ(test, event->payload_len, 11u);
	KUNIT_EXPECT_EQ(test, event->mark, 0x1bcu);
	KUNIT_EXPECT_EQ(test, event->attachment, att->want.id);
	KUNIT_EXPECT_EQ(test, event->packet, 2ull);
	KUNIT_EXPECT_EQ(test, event->ifindex_in, (u32)init_net.loopback_dev->ifindex);
	KUNIT_EXPECT_EQ(test, event->sport, (u16)1000);
	KUNIT_EXPECT_EQ(test, event->dport, (u16)53);
	KUNIT_EXPECT_EQ(test, event->family, (u8)AF_INET6);
	KUNIT_EXPECT_EQ(test, event->protocol, (u8)IPPROTO_UDP);
	KUNIT_EXPECT_EQ(test, event->verdict, (u8)NFAC_VERDICT_DROP);
	KUNIT_EXPECT_EQ(test, event->saddr[15], (u8)2);
	KUNIT_EXPECT_EQ(test, event->daddr[15], (u8)1);
	KUNIT_EXPECT_STREQ(test, event->set, "kunit");
	/* nothing of the stack leaks */
	for (i = 6; i < NFAC_NAME_LEN; i++)
		KUNIT_EXPECT_EQ(test, event->set[i], (char)0);

	help_udp4(&pkt, "acid test");
	hook_pass(test, att, NULL);
	event = &reader->slots[1].event;
	KUNIT_EXPECT_EQ(test, event->family, (u8)AF_INET);
	KUNIT_EXPECT_EQ(test, event->saddr[3], (u8)2);
	KUNIT_EXPECT_EQ(test, event->saddr[4], (u8)0);
	nfac_reader_destroy(&nn->events, reader);
	help_detach(att);
}

/* The connection's mark and label: bits given, no others; a template has none. */
static void hook_conntrack(struct kunit *test)
{
	struct nfac_attachment *att = ATTACH(test, .flags = NFAC_ATTACH_CT_MARK |
					     NFAC_ATTACH_CT_LABEL, .ct_mark = 0x50,
					     .ct_mask = 0xf0, .ct_label = 3);
	struct nf_conn *ct = nf_ct_tmpl_alloc(&init_net, &nf_ct_zone_dflt, GFP_KERNEL);
	struct sk_buff *skb;

	KUNIT_ASSERT_NOT_NULL(test, ct);
	help_udp4(&pkt, "an attack");
	KUNIT_EXPECT_EQ_MSG(test, hook_pass(test, att, NULL), (unsigned int)NF_ACCEPT,
			    "without a connection");
	skb = help_skb_of(test, &pkt);
	skb->protocol = htons(ETH_P_IP);
	ct->mark = 0xabc;
	/* a template's mark is not the connection's */
	nf_ct_set(skb, ct, IP_CT_NEW);
	KUNIT_EXPECT_EQ(test, help_hook(att, skb), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, ct->mark, 0xabcu);
	clear_bit(IPS_TEMPLATE_BIT, &ct->status);
	KUNIT_EXPECT_EQ(test, help_hook(att, skb), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, ct->mark, 0xa5cu);
	KUNIT_EXPECT_EQ(test, help_hook(att, skb), (unsigned int)NF_ACCEPT);
	KUNIT_EXPECT_EQ(test, ct->mark, 0xa5cu);
	set_bit(IPS_TEMPLATE_BIT, &ct->status);
	skb->_nfct = 0;
	kfree_skb(skb);
	nf_ct_tmpl_free(ct);
	help_detach(att);
}

static struct kunit_case hook_cases[] = {
	KUNIT_CASE(hook_verdicts),
	KUNIT_CASE(hook_marks),
	KUNIT_CASE(hook_when),
	KUNIT_CASE(hook_selects),
	KUNIT_CASE(hook_selects_ranges),
	KUNIT_CASE(hook_selects_names),
	KUNIT_CASE(hook_skips),
	KUNIT_CASE(hook_protocols),
	KUNIT_CASE(hook_damaged),
	KUNIT_CASE(hook_capped),
	KUNIT_CASE(hook_events),
	KUNIT_CASE(hook_conntrack),
	{}
};

struct kunit_suite suite_hook = {
	.name = "nfac_hook",
	.init = hook_init,
	.exit = hook_exit,
	.test_cases = hook_cases,
};
