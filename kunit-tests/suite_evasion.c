// SPDX-License-Identifier: GPL-2.0
/*
 * Evasion: what a sender may do so that a followed stream is another one than its receiver
 * reads, with segments that no receiver takes, that only some take, or that are dropped.
 */

#include <linux/in.h>
#include <linux/tcp.h>
#include <net/ipv6.h>
#include <net/tcp.h>

#include "help_flow.h"
#include "suites.h"

static struct help_packet pkt;

/* What a packet whose checksum is wrong may say of it. */
enum evade_doubt {
	DOUBT_NONE,
	DOUBT_VALID,	/* of a tunnel's outer header */
	DOUBT_COMPLETE,	/* it was verified before us */
	DOUBT_LEVEL,	/* as WireGuard has it */
	DOUBT_PARTIAL,	/* the checksum is to be written in another place */
	DOUBT_PSEUDO,	/* in its place, where the addresses' sum is not */
	DOUBT_ROUTE,	/* the address that it was made for is in a source route */
	DOUBTS
};

static void evade_wrong(struct kunit *test, struct nfac_attachment *att, enum evade_doubt doubt)
{
	static const u8 route[8] = { 131, 7, 4, 10, 0, 1, 2, 0 };
	struct sk_buff *skb;
	u32 tcp;

	help_ip4(&pkt, IPPROTO_TCP);
	if (doubt == DOUBT_ROUTE) {
		((struct iphdr *)pkt.bytes)->ihl = 7;
		help_bytes(&pkt, route, sizeof(route));
	}
	tcp = pkt.len;
	help_tcp(&pkt, 1, 80);
	help_bytes(&pkt, "yyyy", 4);
	help_close(&pkt);
	((struct tcphdr *)(pkt.bytes + tcp))->seq = htonl(FLOW_START + 5);
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
	case DOUBT_PSEUDO:
		skb->ip_summed = CHECKSUM_PARTIAL;
		skb->csum_start = skb_headroom(skb) + 20;
		skb->csum_offset = offsetof(struct tcphdr, check);
		break;
	default:
		break;
	}
	help_hook(att, skb);
	kfree_skb(skb);
}

/* What no receiver takes cannot make us lose our place. */
static void evade_unsound(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP);
	enum evade_doubt i;

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
		evade_wrong(test, att, i);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_RETRANSMITTED_BYTES), 0ull);
	KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 6ull,
			    "a level, and two sums: this machine would take them; a SYN; a route; "
			    "no ACK: BSD's may");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 1ull);
	help_detach(att);
}

/* What makes some receivers discard a segment whose checksum is right. */
enum evade_odd {
	ODD_BROADCAST,
	ODD_OPTIONS,	/* of IPv4 */
	ODD_MD5,
	ODD_AO,
	ODD_URGENT,	/* and to be segmented: a byte in each */
	ODD_IPV6,	/* from here on */
	ODD_DESTINATION = ODD_IPV6,
	ODD_ROUTING,
	ODD_AUTH,
	ODD_OLD_ROUTING,	/* type 0, at its end: OpenBSD takes none */
	ODD_HOP,	/* a bridge does not look at it */
	ODD_JUMBO,	/* without a length, and without the option for it */
	ODDS,
	ODD_PADDED = ODDS,	/* nothing but padding */
	ODD_HOP_PADDED,
	ODD_TIMESTAMP	/* everybody has it */
};

/* The extension header before TCP, or 0. */
static u8 evade_odd_header(enum evade_odd odd)
{
	switch (odd) {
	case ODD_DESTINATION:
	case ODD_PADDED:
		return NEXTHDR_DEST;
	case ODD_ROUTING:
	case ODD_OLD_ROUTING:
		return NEXTHDR_ROUTING;
	case ODD_AUTH:
		return NEXTHDR_AUTH;
	case ODD_HOP:
	case ODD_JUMBO:
	case ODD_HOP_PADDED:
		return NEXTHDR_HOP;
	default:
		return 0;
	}
}

/* A segment with these flags that has @odd; 0: one that has not. */
static unsigned int evade_oddly(struct kunit *test, struct nfac_attachment *att, u16 sport,
				enum evade_odd odd, u8 flags, u32 at, const char *text)
{
	static const u8 md5[20] = { 1, 1, 19, 18 }, ao[20] = { 1, 1, 29, 18 };
	static const u8 timestamp[20] = { 1, 1, 8, 10, [12] = 0, 19 }, route[4] = { 131, 3, 4, 0 };
	const u8 *options = odd == ODD_MD5 ? md5 : odd == ODD_AO ? ao : timestamp;
	bool ipv6 = odd >= ODD_IPV6 && odd != ODD_TIMESTAMP, is_odd = flags;
	struct tcphdr *th;
	struct sk_buff *skb;
	unsigned int verdict;
	u32 tcp;

	if (ipv6) {
		help_ip6(&pkt, is_odd ? evade_odd_header(odd) : IPPROTO_TCP);
		if (is_odd)
			help_ext(&pkt, IPPROTO_TCP, 8);
		/* an unassigned option; segments left */
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
	((u8 *)th)[13] = is_odd ? flags : TCPHDR_ACK;
	th->urg |= is_odd && odd == ODD_URGENT;
	help_bytes(&pkt, text, strlen(text));
	help_close(&pkt);
	if (is_odd && odd == ODD_JUMBO)
		((struct ipv6hdr *)pkt.bytes)->payload_len = 0;
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

/* A segment that only some receivers accept is no first copy; it is scanned by itself. */
static void evade_ambiguous(struct kunit *test)
{
	struct nfac_attachment *att;
	u32 i;

	for (i = 0; i < ODDS; i++) {
		att = flow_attach(test, NFAC_ATTACH_DROP);
		evade_oddly(test, att, 1, i, 0, 0, "acid ");
		KUNIT_EXPECT_EQ(test, evade_oddly(test, att, 1, i, TCPHDR_ACK, 5, "yyyy"), PASSED);
		KUNIT_EXPECT_EQ_MSG(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP),
				    1ull, "odd %u", i);
		KUNIT_EXPECT_EQ_MSG(test, evade_oddly(test, att, 1, i, 0, 5, "jazz"), DROPPED,
				    "odd %u", i);
		evade_oddly(test, att, 1, i, TCPHDR_ACK, 9, "acid test");
		KUNIT_EXPECT_EQ_MSG(test, flow_matches(att), 2ull, "odd %u", i);
		help_detach(att);

		att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP |
					NFAC_ATTACH_PICKUP);
		evade_oddly(test, att, 1, i, 0, 0, "acid ");
		KUNIT_EXPECT_EQ_MSG(test, evade_oddly(test, att, 1, i, TCPHDR_ACK, 5, "yyyy"),
				    DROPPED, "odd %u", i);
		KUNIT_EXPECT_EQ(test, evade_oddly(test, att, 1, i, 0, 5, "yyyy"), PASSED);
		help_detach(att);
	}
	/* a match does not let it pass, where nothing is dropped for one */
	att = flow_attach(test, NFAC_ATTACH_GAP_DROP | NFAC_ATTACH_PICKUP);
	KUNIT_EXPECT_EQ(test, evade_oddly(test, att, 1, ODD_OPTIONS, TCPHDR_ACK, 0, "acid test"),
			DROPPED);
	KUNIT_EXPECT_EQ(test, flow_matches(att), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_DROPPED_PACKETS), 1ull);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0, "acid test"), PASSED);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP);
	/* those that all take */
	for (i = ODD_PADDED; i <= ODD_TIMESTAMP; i++) {
		evade_oddly(test, att, 1, i, TCPHDR_ACK, 0, "acid ");
		KUNIT_EXPECT_EQ_MSG(test, evade_oddly(test, att, 1, i, TCPHDR_ACK, 5, "jazz"),
				    DROPPED, "odd %u", i);
	}
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 0ull);
	help_detach(att);
}

/* A receiver that has closed on its own begins anew at a SYN that we took for a stray one. */
static void evade_reopened(struct kunit *test)
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
			    "with data that end at the next byte");
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 1, TCPHDR_SYN, 9, "", 0), DROPPED,
			    "at the next byte");
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 3ull);
	/* ahead of it, so that a live receiver may say that it lives */
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, 500, "", 0), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 501, "x"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 1, TCPHDR_SYN, 11, "a", 1), DROPPED,
			    "but not with data, between which and us others fit");
	/* ended, and a stray byte behind */
	flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_FIN, 10, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 10, "x"), PASSED);
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, -1, "", 0), DROPPED);
	/* with a FIN it begins a connection too */
	flow_syn(test, att, 2);
	flow_text(test, att, 2, 0, "0123456789");
	flow_send(test, att, 2, TCPHDR_ACK | TCPHDR_FIN, 10, "", 0);
	flow_send(test, att, 2, TCPHDR_SYN | TCPHDR_FIN, -1, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 0, "acid test"), DROPPED);
	/* one that some take, and others do not */
	flow_syn(test, att, 3);
	flow_text(test, att, 3, 0, "0123456789");
	flow_send(test, att, 3, TCPHDR_ACK | TCPHDR_FIN, 10, "", 0);
	KUNIT_EXPECT_EQ(test, evade_oddly(test, att, 3, ODD_OPTIONS, TCPHDR_SYN, -1, ""),
			DROPPED);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP);
	flow_syn(test, att, 3);
	flow_text(test, att, 3, 0, "0123456789");
	flow_send(test, att, 3, TCPHDR_ACK | TCPHDR_FIN, 10, "", 0);
	evade_oddly(test, att, 3, ODD_OPTIONS, TCPHDR_SYN, -1, "");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 3, 0, "acid test"), DROPPED);
	help_detach(att);
}

/* Which byte an urgent pointer takes out of the stream is the receiver's to say. */
static void evade_urgent(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);

	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_URG, 5, "ja", 2),
			DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_URG, 5, "", 0),
			    DROPPED, "it points at what comes");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 2ull);
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 2, TCPHDR_SYN | TCPHDR_ACK | TCPHDR_URG,
					    -1, "", 0), DROPPED, "a server's SYN does, too");
	KUNIT_EXPECT_EQ_MSG(test, evade_oddly(test, att, 1, ODD_OPTIONS, TCPHDR_ACK | TCPHDR_URG,
					      5, ""), DROPPED, "one that only some take");
	KUNIT_EXPECT_EQ(test, evade_oddly(test, att, 1, ODD_OPTIONS, TCPHDR_ACK, 5, ""), PASSED);
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP);
	flow_text(test, att, 1, 0, "acid ");
	KUNIT_EXPECT_EQ(test, evade_oddly(test, att, 1, ODD_OPTIONS, TCPHDR_ACK | TCPHDR_URG, 5,
					  ""), PASSED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_GAP), 1ull);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 5, "jazz"), DROPPED,
			    "what was scanned still counts");
	help_detach(att);
}

/* With the ports alone, an attacker cannot stall a connection of others. */
static void evade_spoofed(struct kunit *test)
{
	struct nfac_attachment *att;
	u32 i;

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_send(test, att, 1, TCPHDR_SYN, 500, "", 0);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, flow_send(test, att, 1, TCPHDR_SYN, -1, "", 0), PASSED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 0, "xxx"), PASSED, "a SYN before it");
	flow_syn(test, att, 2);
	flow_send(test, att, 2, TCPHDR_SYN, 500, "", 0);
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 2, TCPHDR_SYN, -1, "", 0), PASSED,
			    "sent again, as no answer came");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 2, 0, "xxx"), PASSED, "and behind it");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 3, "xxx"), PASSED);
	flow_text(test, att, 3, 0x10000000, "x");
	flow_syn(test, att, 3);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 3, 0, "xxx"), PASSED, "data before it");
	help_detach(att);

	att = flow_attach(test, NFAC_ATTACH_DROP);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "xxxx");
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0x40000000, "acid test"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 0xc0000100, "acid test"), DROPPED);
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 1, 4, "xxxx"), PASSED,
			    "what was dropped on both sides of it");
	help_detach(att);
}

/* What is dropped ends nothing. */
static void evade_dropped_ends(struct kunit *test)
{
	struct nfac_attachment *att;

	att = flow_attach(test, NFAC_ATTACH_DROP | NFAC_ATTACH_GAP_DROP);
	flow_syn(test, att, 1);
	flow_text(test, att, 1, 0, "acid ");
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 1, TCPHDR_ACK | TCPHDR_FIN, -1,
					    "xxxxxx", 6), DROPPED, "late, up to the next byte");
	flow_send(test, att, 1, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 1, 5, "jazz"), DROPPED);

	flow_syn(test, att, 2);
	flow_text(test, att, 2, 0, "acid ");
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 2, TCPHDR_ACK | TCPHDR_RST, 5,
					    "acid test", 9), DROPPED, "for what is in it");
	flow_send(test, att, 2, TCPHDR_SYN, 4, "", 0);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 2, 5, "jazz"), DROPPED);
	help_detach(att);
}

/* An end that no receiver takes, and a SYN behind it: that must not make us forget. */
static void evade_ends(struct kunit *test)
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
	/* with data: BSD's takes them, when both sides have sent a SYN */
	flow_syn(test, att, 50);
	flow_text(test, att, 50, 0, "acid ");
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 50, TCPHDR_FIN, 5, "x", 1), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 50, 0, 5, "x", 1), DROPPED);
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
static void evade_verdict_applied(struct kunit *test)
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

/* No SYN passes that found no slot, because its stream would not be followed. */
static void evade_crowded(struct kunit *test)
{
	struct nfac_attachment *att = flow_attach_small(test, NFAC_ATTACH_DROP |
							NFAC_ATTACH_GAP_DROP |
							NFAC_ATTACH_SKIP_DROP);
	u32 i;

	for (i = 1; i <= NFAC_FLOW_SLOTS; i++) {
		flow_open(test, att, i);
		flow_text(test, att, i, 0, "xx");
	}
	KUNIT_EXPECT_EQ(test, flow_send(test, att, 100, TCPHDR_SYN, -1, "", 0), DROPPED);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_SKIPPED + NFAC_SKIP_TABLE_FULL), 1ull);
	KUNIT_EXPECT_EQ(test, help_count(att, NFAC_COUNT_DROPPED_PACKETS), 1ull);
	flow_send(test, att, 3, TCPHDR_ACK | TCPHDR_FIN, 2, "", 0);
	KUNIT_EXPECT_EQ_MSG(test, flow_send(test, att, 100, TCPHDR_SYN, -1, "", 0), PASSED,
			    "sent again, when there is a place");
	KUNIT_EXPECT_EQ_MSG(test, flow_text(test, att, 100, 0, "acid "), DROPPED,
			    "perhaps the receiver ignores the SYN");
	flow_open(test, att, 100);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 100, 5, "jazz"), DROPPED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 100, 0, "acid "), PASSED);
	KUNIT_EXPECT_EQ(test, flow_text(test, att, 100, 5, "jazz"), DROPPED);
	help_detach(att);
}

static struct kunit_case evade_cases[] = {
	KUNIT_CASE(evade_unsound),
	KUNIT_CASE(evade_ambiguous),
	KUNIT_CASE(evade_reopened),
	KUNIT_CASE(evade_urgent),
	KUNIT_CASE(evade_spoofed),
	KUNIT_CASE(evade_dropped_ends),
	KUNIT_CASE(evade_ends),
	KUNIT_CASE(evade_verdict_applied),
	KUNIT_CASE(evade_crowded),
	{}
};

struct kunit_suite suite_evasion = {
	.name = "nfac_evasion",
	.init = flow_init,
	.exit = flow_exit,
	.test_cases = evade_cases,
};
