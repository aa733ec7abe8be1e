// SPDX-License-Identifier: GPL-2.0
/*
 * Flows: what is cut over segments is found, once; what is missing is counted; and the
 * table gives up nobody who is alive.
 */

#include <linux/delay.h>
#include <linux/in.h>
#include <linux/netfilter.h>
#include <linux/tcp.h>
#include <net/tcp.h>

#include "../kmod/stream.h"
#include "help_hook.h"
#include "suites.h"

#define FLOW_START	1000u	/* sequence number of the first byte */

#define DROPPED		((unsigned int)NF_DROP)
#define PASSED		((unsigned int)NF_ACCEPT)

static struct help_packet pkt;
static struct nfac_set *flow_set;

static int flow_init(struct kunit *test)
{
	flow_set = help_set_in_force(test, "kunit", "small");
	return 0;
}

static void flow_exit(struct kunit *test)
{
	help_set_gone(flow_set);
}

static struct nfac_attachment *flow_attach(struct kunit *test, u32 flags)
{
	struct nfac_ioc_attach want = {
		.name = "kunit",
		.flags = flags | NFAC_ATTACH_STREAM,
	};
	struct nfac_attachment *att;
	const char *fault;

	KUNIT_ASSERT_EQ(test, nfac_attach_check(&want, &fault), 0);
	att = help_attach(&want);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(att), "%ld", PTR_ERR(att));
	return att;
}

/* One segment: @at bytes behind the stream's first one. */
static unsigned int flow_send(struct kunit *test, struct nfac_attachment *att, u16 sport,
			      u32 flags, u32 at, const void *text, u32 len)
{
	struct tcphdr *th = (struct tcphdr *)(pkt.bytes + 20);
	struct sk_buff *skb;
	unsigned int verdict;

	help_ip4(&pkt, IPPROTO_TCP);
	help_tcp(&pkt, sport, 80);
	help_bytes(&pkt, text, len);
	help_close(&pkt);
	th->seq = htonl(FLOW_START + at);
	((u8 *)th)[13] = flags;
	skb = help_skb_of(test, &pkt);
	skb->protocol = htons(ETH_P_IP);
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	verdict = help_hook(att, skb);
	kfree_skb(skb);
	return verdict;
}

static unsigned int flow_text(struct kunit *test, struct nfac_attachment *att, u16 sport, u32 at,
			      const char *text)
{
	return flow_send(test, att, sport, TCPHDR_ACK, at, text, strlen(text));
}

static void flow_syn(struct kunit *test, struct nfac_attachment *att, u16 sport)
{
	flow_send(test, att, sport, TCPHDR_SYN, -1, "", 0);
}

static u64 flow_matches(const struct nfac_attachment *att)
{
	return help_count(att, NFAC_COUNT_MATCHES);
}

/* Cut in two and in three, everywhere: each match once, in the segment that ends it. */
static void flow_cuts(struct kunit *test)
{
	static const char text[] = "an acid test, acid jazz";
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	u32 len = sizeof(text) - 1, a, b;
	u16 sport = 1;
	u64 before;

	for (a = 0; a <= len; a++)
		for (b = a; b <= len; b += 3) {
			before = flow_matches(att);
			flow_syn(test, att, ++sport);
			flow_send(test, att, sport, TCPHDR_ACK, 0, text, a);
			flow_send(test, att, sport, TCPHDR_ACK, a, text + a, b - a);
			flow_send(test, att, sport, TCPHDR_ACK, b, text + b, len - b);
			KUNIT_EXPECT_EQ_MSG(test, flow_matches(att) - before, 2ull,
					    "cut at %u and %u", a, b);
			flow_send(test, att, sport, TCPHDR_ACK | TCPHDR_FIN, len, "", 0);
		}
	/* without its beginning too */
	before = flow_matches(att);
	flow_text(test, att, 60001, 500, "acid j");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 60001, 506, "azz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att) - before, 1ull);
	/* the other direction, and another connection, are others */
	flow_text(test, att, 60002, 0, "acid j");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 60003, 6, "azz"), PASSED);
	help_detach(att);
}

/* Sent again: not scanned again, but judged again. */
static void flow_again(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 1ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid jazz"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_matches(att), 1ull, "reported once");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_RETRANSMITTED_BYTES), 4ull + 5 + 9);
	/* half of it new */
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz acid t"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "acid test"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 2ull);
	help_detach(att);
}

/* Bytes are missing: three policies, each counted. */
static void flow_gaps(struct kunit *test)
{
	struct nfac_attachment *att;

	att = flow_attach(test, NFAC_ATTACH_DROP);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "aci");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 10, "an acid test"),
			    DROPPED, "restart: scanned by itself");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 1ull);
	/* what fills the gap is looked at as well */
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 3, " tack  "), DROPPED);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_PASS);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "aci");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "acid test"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 19, "acid test"), PASSED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 2ull);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 0ull);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "aci"), PASSED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 10, "harmless"), DROPPED,
			    "nothing behind a gap passes");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 3, "d ja"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 7, "zz."), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "harmless"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 1ull);
	/* a SYN with data comes again without */
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 2, TCPHDR_SYN, -1, "data", 4),
			DROPPED);
	help_detach(att);
}

/* What a packet whose checksum is wrong may say of it. */
enum flow_doubt {
	DOUBT_NONE,
	DOUBT_VALID,	/* of a tunnel's outer header */
	DOUBT_COMPLETE,	/* it was verified before us */
	DOUBT_LEVEL,	/* as WireGuard has it */
	DOUBT_PARTIAL,	/* a sum is asked for, in another place */
	DOUBTS
};

static void flow_wrong(struct kunit *test, struct nfac_attachment *att, enum flow_doubt doubt)
{
	struct sk_buff *skb;

	help_ip4(&pkt, IPPROTO_TCP);
	help_tcp(&pkt, 1, 80);
	help_bytes(&pkt, "yyyy", 4);
	help_close(&pkt);
	((struct tcphdr *)(pkt.bytes + 20))->seq = htonl(FLOW_START + 5);
	skb = help_skb_of(test, &pkt);
	skb->protocol = htons(ETH_P_IP);
	switch (doubt) {
	case DOUBT_VALID:
		skb->csum_valid = 1;
		break;
	case DOUBT_COMPLETE:
		skb->ip_summed = CHECKSUM_COMPLETE;
		skb->csum = skb_checksum(skb, 0, skb->len, 0);
		break;
	case DOUBT_LEVEL:
		skb->ip_summed = CHECKSUM_UNNECESSARY;
		skb->csum_level = SKB_MAX_CSUM_LEVEL;
		break;
	case DOUBT_PARTIAL:
		skb->ip_summed = CHECKSUM_PARTIAL;
		skb->csum_start = skb_headroom(skb) + 40;
		skb->csum_offset = 2;
		break;
	default:
		break;
	}
	help_hook(att, skb);
	kfree_skb(skb);
}

/* What no receiver takes cannot make us lose our place. */
static void flow_unsound(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	enum flow_doubt i;

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	flow_syn(test, att, 1);
	flow_send(test, att, 1, TCPHDR_RST, 77, "", 0);
	flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_FIN, 77, "", 0);
	flow_send(test, att, 1, 0, 5, "xxxx", 4);
	/* out of its place; in it, it would end the connection */
	flow_send(test, att, 1, TCPHDR_RST | TCPHDR_ACK, 6, "xx", 2);
	flow_send(test, att, 1, TCPHDR_SYN | TCPHDR_ACK, 5, "xx", 2);
	for (i = 0; i < DOUBTS; i++)
		flow_wrong(test, att, i);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_RETRANSMITTED_BYTES), 0ull);
	KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 2ull,
			    "a level, and a sum elsewhere: this machine would take them");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 1ull);
	help_detach(att);
}

/* What makes some receivers discard a segment whose checksum is right. */
enum flow_odd {
	ODD_BROADCAST,
	ODD_OPTIONS,	/* of IPv4 */
	ODD_MD5,
	ODD_AO,
	ODD_URGENT,	/* and to be segmented: a byte in each */
	ODD_IPV6,	/* from here on */
	ODD_DESTINATION = ODD_IPV6,
	ODD_ROUTING,
	ODD_AUTH,
	ODDS,
	ODD_HOP = ODDS,	/* looked at before any hook */
	ODD_PADDED,	/* nothing but padding */
	ODD_TIMESTAMP	/* everybody has it */
};

/* The extension header before TCP, or 0. */
static u8 flow_odd_header(enum flow_odd odd)
{
	switch (odd) {
	case ODD_DESTINATION:
	case ODD_PADDED:
		return NEXTHDR_DEST;
	case ODD_ROUTING:
		return NEXTHDR_ROUTING;
	case ODD_AUTH:
		return NEXTHDR_AUTH;
	case ODD_HOP:
		return NEXTHDR_HOP;
	default:
		return 0;
	}
}

static unsigned int flow_oddly(struct kunit *test, struct nfac_attachment *att, u16 sport,
			       enum flow_odd odd, bool is_odd, u32 at, const char *text)
{
	static const u8 md5[20] = { 1, 1, 19, 18 }, ao[20] = { 1, 1, 29, 18 };
	static const u8 timestamp[20] = { 1, 1, 8, 10, [12] = 0, 19 }, route[4] = { 131, 3, 4, 0 };
	const u8 *options = odd == ODD_MD5 ? md5 : odd == ODD_AO ? ao : timestamp;
	bool ipv6 = odd >= ODD_IPV6 && odd != ODD_TIMESTAMP;
	struct tcphdr *th;
	struct sk_buff *skb;
	unsigned int verdict;
	u32 tcp;

	if (ipv6) {
		help_ip6(&pkt, is_odd ? flow_odd_header(odd) : IPPROTO_TCP);
		if (is_odd)
			help_ext(&pkt, IPPROTO_TCP, 8);
		/* an option that nobody knows; segments left */
		if (is_odd && (odd == ODD_DESTINATION || odd == ODD_HOP))
			pkt.bytes[42] = 0xde;
		if (is_odd && odd == ODD_ROUTING)
			pkt.bytes[43] = 1;
	} else {
		help_ip4(&pkt, IPPROTO_TCP);
		if (is_odd && odd == ODD_OPTIONS) {
			((struct iphdr *)pkt.bytes)->ihl = 6;
			help_bytes(&pkt, route, sizeof(route));
		}
	}
	tcp = pkt.len;
	help_tcp(&pkt, sport, 80);
	th = (struct tcphdr *)(pkt.bytes + tcp);
	th->seq = htonl(FLOW_START + at);
	if (is_odd && (odd == ODD_MD5 || odd == ODD_AO || odd == ODD_TIMESTAMP)) {
		th->doff = 10;
		help_bytes(&pkt, options, sizeof(md5));
	}
	th->urg = is_odd && odd == ODD_URGENT;
	help_bytes(&pkt, text, strlen(text));
	help_close(&pkt);
	skb = help_skb_of(test, &pkt);
	skb->protocol = htons(ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	if (is_odd && odd == ODD_BROADCAST)
		skb->pkt_type = PACKET_BROADCAST;
	if (is_odd && odd == ODD_URGENT)
		skb_shinfo(skb)->gso_size = 2;
	verdict = help_hook(att, skb);
	kfree_skb(skb);
	return verdict;
}

/* What only some receivers take is no first copy; it is looked at by itself. */
static void flow_doubtful(struct kunit *test)
{
	struct nfac_attachment *att;
	u32 i;

	for (i = 0; i < ODDS; i++) {
		att = flow_attach(test, NFAC_ATTACH_DROP);
		flow_oddly(test, att, 1, i, false, 0, "acid ");
		KUNIT_EXPECT_EQ(test, flow_oddly(test, att, 1, i, true, 5, "yyyy"), PASSED);
		KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP),
				    1ull, "odd %u", i);
		KUNIT_EXPECT_EQ_MSG(test, flow_oddly(test, att, 1, i, false, 5, "jazz"), DROPPED,
				    "odd %u", i);
		flow_oddly(test, att, 1, i, true, 9, "acid test");
		KUNIT_EXPECT_EQ_MSG(test, flow_matches(att), 2ull, "odd %u", i);
		help_detach(att);

		att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
		flow_oddly(test, att, 1, i, false, 0, "acid ");
		KUNIT_EXPECT_EQ_MSG(test, flow_oddly(test, att, 1, i, true, 5, "yyyy"), DROPPED,
				    "odd %u", i);
		KUNIT_EXPECT_EQ(test, flow_oddly(test, att, 1, i, false, 5, "yyyy"), PASSED);
		help_detach(att);
	}
	att = flow_attach(test, NFAC_ATTACH_DROP);
	/* those that all take */
	for (i = ODD_HOP; i <= ODD_TIMESTAMP; i++) {
		flow_oddly(test, att, 1, i, true, 0, "acid ");
		KUNIT_EXPECT_EQ_MSG(test, flow_oddly(test, att, 1, i, true, 5, "jazz"), DROPPED,
				    "odd %u", i);
	}
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 0ull);
	help_detach(att);
}

/* A receiver that has closed on its own begins anew at a SYN that we took for a stray one. */
static void flow_reopened(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "0123456789");
	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 0, "acid test"), DROPPED,
			    "where something was scanned before");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 1ull);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "0123456789");
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, -1, "", 0), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 1, TCPHDR_SYN, 4, "acid ", 5), DROPPED,
			    "with data that end where we stand");
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 1, TCPHDR_SYN, 9, "", 0), DROPPED,
			    "right where we stand");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 3ull);
	/* ahead of it, so that a live receiver may say that it lives */
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, 500, "", 0), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 501, "x"), DROPPED);
	/* ended, and a stray byte behind */
	flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_FIN, 10, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "x"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, -1, "", 0), DROPPED);
	help_detach(att);
}

/* What is dropped ends nothing. */
static void flow_dropped_ends(struct kunit *test)
{
	struct nfac_attachment *att;

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_FIN, -1, "xxxxxx", 6),
			    DROPPED, "late, and up to where we stand");
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);

	flow_syn(test, att, 2);
	flow_text(test, att, 2, 0, "acid ");
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 2, TCPHDR_ACK | TCPHDR_RST, 5, "acid test", 9),
			    DROPPED, "for what is in it");
	flow_send(test, att, 2, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 5, "jazz"), DROPPED);
	help_detach(att);
}

/* An end that no receiver takes, and a SYN behind it: that must not make us forget. */
static void flow_ends(struct kunit *test)
{
	static const struct {
		u32 flags, at;
	} ends[] = {
		{ TCPHDR_FIN, 5 },
		{ TCPHDR_FIN | TCPHDR_URG, 5 },
		{ TCPHDR_SYN | TCPHDR_RST, 4 },
		{ TCPHDR_SYN | TCPHDR_FIN, 4 },
		{ TCPHDR_SYN | TCPHDR_FIN | TCPHDR_ACK, 4 },
	};
	struct nfac_attachment *att;
	u32 i;

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		flow_syn(test, att, i);
		flow_text(test, att, i, 0, "acid ");
		flow_send(test, att, i, ends[i].flags, ends[i].at, "", 0);
		flow_send(test, att, i, TCPHDR_SYN, 4, "", 0);
		KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, i, 5, "jazz"), DROPPED,
				    "flags %x", ends[i].flags);
	}
	/* with data, it is looked at by itself */
	flow_syn(test, att, 50);
	flow_text(test, att, 50, 0, "acid ");
	flow_send(test, att, 50, TCPHDR_FIN, 5, "x", 1);
	flow_send(test, att, 50, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 50, 5, "jazz"), DROPPED);
	/* those that are taken */
	for (i = 0; i < 2; i++) {
		flow_syn(test, att, 60 + i);
		flow_text(test, att, 60 + i, 0, "acid ");
		flow_send(test, att, 60 + i, i ? TCPHDR_RST : TCPHDR_FIN | TCPHDR_ACK, 5, "", 0);
		flow_send(test, att, 60 + i, TCPHDR_SYN, 4, "", 0);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 60 + i, 5, "jazz"), PASSED);
	}
	help_detach(att);
}

/* What was dropped is no receiver's first copy, and no end after it is one. */
static void flow_judged(struct kunit *test)
{
	struct nfac_attachment *att;
	u64 gaps;
	u32 i;

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "before"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 6, "0123456789acid jazz"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 6, "acid test0123456789"), DROPPED,
			    "other bytes in its stead");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 8, "id t"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 20, "jazz.and more"), DROPPED,
			    "with new ones behind it");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 25, "and.more"), DROPPED,
			    "which were dropped too");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 0, "before"), PASSED,
			    "what came before was not");

	/* an end at a place that only we have reached */
	for (i = 0; i < 2; i++) {
		flow_syn(test, att, 10 + i);
		flow_text(test, att, 10 + i, 0, "acid ");
		flow_send(test, att, 10 + i, i ? TCPHDR_ACK | TCPHDR_FIN : TCPHDR_ACK, 5,
			  "attack", 6);
		flow_send(test, att, 10 + i, TCPHDR_RST, 11, "", 0);
		flow_send(test, att, 10 + i, TCPHDR_SYN, 4, "", 0);
		KUNIT_EXPECT_EQ(test, flow_text(test, att, 10 + i, 5, "jazz"), DROPPED);
	}
	/* nor behind a connection that was none */
	flow_syn(test, att, 15);
	flow_text(test, att, 15, 0, "acid ");
	flow_text(test, att, 15, 5, "attack");
	flow_send(test, att, 15, TCPHDR_RST, 11, "", 0);
	flow_send(test, att, 15, TCPHDR_SYN, 200, "", 0);
	flow_send(test, att, 15, TCPHDR_RST, 201, "", 0);
	flow_send(test, att, 15, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 15, 5, "jazz"), DROPPED);

	/* the receiver's, and a connection that begins ahead of the old one */
	flow_syn(test, att, 20);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 20, 0, "attack"), DROPPED);
	flow_send(test, att, 20, TCPHDR_RST, 0, "", 0);
	flow_send(test, att, 20, TCPHDR_SYN, 1000, "", 0);
	gaps = help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 20, 1001, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 20, 1006, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), gaps);
	help_detach(att);

	/* where nothing is dropped the end is one, and its place the first to go */
	att = flow_attach(test, 0);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid jazz");
	flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_FIN, 9, "", 0);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid jazz");
	KUNIT_EXPECT_EQ(test, flow_matches(att), 2ull);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_RETRANSMITTED_BYTES), 0ull);
	help_detach(att);
}

/* The byte before the first keeps a connection alive, or the SYN was not the receiver's. */
static void flow_alive(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);

	flow_syn(test, att, 1);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, -1, "a"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, -1, "x"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "cid jazz"), DROPPED);
	flow_syn(test, att, 2);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 0, "cid jazz"), PASSED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 2, -1, "a"), DROPPED,
			    "it comes too late");
	help_detach(att);
}

/* A SYN after long silence counts, and so do the bytes it may make us miss. */
static void flow_silence(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	char was[32];

	KUNIT_ASSERT_GT(test, help_param_get("flow_idle", was), 0);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 0ull);
	KUNIT_ASSERT_EQ(test, help_param_set("flow_idle", "0"), 0);
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, help_param_set("flow_idle", was), 0);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 1ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), PASSED);
	help_detach(att);
}

/* A SYN's data, passed over by what comes next, and then filled in: a gap. */
static void flow_syn_data(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_send(test, att, 1, TCPHDR_SYN, -1, "xxxxx", 5);
	flow_text(test, att, 1, 5, "jazz");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 0ull);
	flow_text(test, att, 1, 0, "acid ");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 1ull);
	help_detach(att);
}

/* The numbers run over, and the offsets do not. */
static void flow_wraps(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	u32 at = -FLOW_START - 4;

	flow_send(test, att, 1, TCPHDR_SYN, at - 1, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, at, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, at + 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 0ull);
	help_detach(att);
}

/* An urgent byte is read both ways: within the text, and left out. */
static void flow_urgent(struct kunit *test)
{
	static const char *const texts[] = { "acid jazz", "acidX jazz" };
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	struct sk_buff *skb;
	u32 i;

	for (i = 0; i < 2; i++) {
		struct tcphdr *th = (struct tcphdr *)(pkt.bytes + 20);

		flow_syn(test, att, 10 + i);
		help_ip4(&pkt, IPPROTO_TCP);
		help_tcp(&pkt, 10 + i, 80);
		help_bytes(&pkt, texts[i], strlen(texts[i]));
		help_close(&pkt);
		th->seq = htonl(FLOW_START);
		th->urg = 1;
		th->urg_ptr = htons(5);
		skb = help_skb_of(test, &pkt);
		skb->protocol = htons(ETH_P_IP);
		skb->ip_summed = CHECKSUM_UNNECESSARY;
		KUNIT_EXPECT_EQ_MSG(test, help_hook(att, skb), DROPPED, "%s",
				    texts[i]);
		kfree_skb(skb);
	}
	help_detach(att);
}

/* A new load cannot go on where the old one was: counted. */
static void flow_loads(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	help_set_in_force(test, "kunit", "plain");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "rain"), PASSED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_RESTARTS), 1ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 9, "acid rain"), DROPPED);
	help_detach(att);
}

/* One bucket: who is alive stays, who only knocked goes. */
static void flow_table(struct kunit *test)
{
	struct nfac_attachment *att;
	char was[32];
	u16 i;

	KUNIT_ASSERT_GT(test, help_param_get("flows_max", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("flows_max", "1"), 0);
	att = flow_attach(test, NFAC_ATTACH_DROP);
	KUNIT_EXPECT_EQ(test, help_param_set("flows_max", was), 0);
	for (i = 1; i <= NFAC_FLOW_WAYS; i++)
		flow_syn(test, att, i);
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id),
			(u64)NFAC_FLOW_WAYS);
	/* a flood of SYNs pushes out its own */
	for (i = 100; i < 200; i++)
		flow_syn(test, att, i);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_FLOW_EVICTIONS), 100ull);
	for (i = 1; i <= NFAC_FLOW_WAYS; i++) {
		flow_syn(test, att, i);
		flow_text(test, att, i, 0, "acid ");
	}
	/* no room: looked at by itself, and counted */
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 300, 0, "acid jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_TABLE_FULL), 1ull);
	for (i = 1; i <= NFAC_FLOW_WAYS; i++)
		KUNIT_EXPECT_EQ(test, flow_text(test, att, i, 5, "jazz"), DROPPED);
	/* one that was closed makes room */
	flow_send(test, att, 3, TCPHDR_ACK | TCPHDR_FIN, 9, "", 0);
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id),
			(u64)NFAC_FLOW_WAYS - 1);
	flow_text(test, att, 301, 0, "acid ");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 301, 5, "jazz"), DROPPED);
	nfac_flows_forget(att->flows, att->want.id);
	KUNIT_EXPECT_EQ(test, nfac_flows_count(att->flows, att->want.id), 0ull);
	help_detach(att);
}

static void flow_fail(struct kunit *test)
{
	struct nfac_budget *budget = nfac_budget_alloc();
	unsigned int nth, failed = 0, wait;
	struct nfac_flows *flows;
	bool hit = true;
	char was[32];

	for (nth = 1; hit; nth++) {
		KUNIT_ASSERT_LT(test, nth, 500u);
		help_fault_at(nth);
		flows = nfac_flows_create(budget);
		hit = help_fault_end();
		if (IS_ERR(flows)) {
			failed++;
			KUNIT_EXPECT_EQ(test, PTR_ERR(flows), (long)-ENOMEM);
			KUNIT_EXPECT_EQ(test, (s64)atomic64_read(&budget->used), 0ll);
			continue;
		}
		nfac_flows_free_rcu(flows);
		rcu_barrier();
		/* then a workqueue frees it: at most two seconds are waited */
		for (wait = 0; wait < 100 && atomic64_read(&budget->used); wait++)
			msleep(20);
	}
	KUNIT_EXPECT_GT(test, failed, 10u);
	KUNIT_ASSERT_GT(test, help_param_get("netns_memory_limit", was), 0);
	help_param_set("netns_memory_limit", "1000");
	/* the last one may still be on its way to be freed: refused all the same */
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(nfac_flows_create(budget)), -EDQUOT);
	help_param_set("netns_memory_limit", was);
	nfac_budget_put(budget);
}

static struct kunit_case flow_cases[] = {
	KUNIT_CASE(flow_cuts),
	KUNIT_CASE(flow_again),
	KUNIT_CASE(flow_gaps),
	KUNIT_CASE(flow_unsound),
	KUNIT_CASE(flow_doubtful),
	KUNIT_CASE(flow_reopened),
	KUNIT_CASE(flow_dropped_ends),
	KUNIT_CASE(flow_ends),
	KUNIT_CASE(flow_judged),
	KUNIT_CASE(flow_alive),
	KUNIT_CASE(flow_silence),
	KUNIT_CASE(flow_syn_data),
	KUNIT_CASE(flow_wraps),
	KUNIT_CASE(flow_urgent),
	KUNIT_CASE(flow_loads),
	KUNIT_CASE(flow_table),
	KUNIT_CASE(flow_fail),
	{}
};

struct kunit_suite suite_flow = {
	.name = "nfac_flow",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = flow_cases,
};
