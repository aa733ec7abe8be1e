// SPDX-License-Identifier: GPL-2.0
/*
 * The payload: found in whatever shape a packet has, and never believed beyond its end.
 */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "../kmod/engine/header_options.h"
#include "../kmod/payload.h"
#include "help.h"
#include "suites.h"

static struct help_packet pkt;

static u8 payload_proto(void)
{
	return pkt.family == AF_INET6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
}

/* Find it in every shape of skb; the answers are one and the same. */
static bool payload_find(struct kunit *test, bool raw, struct nfac_payload *payload)
{
	struct nfac_payload other;
	enum help_shape shape;
	bool found = false;
	u32 head;

	for (shape = 0; shape < HELP_SHAPES; shape++) {
		for (head = 0; head <= pkt.len; head += 13) {
			struct sk_buff *skb;
			bool now;

			skb = help_skb(test, pkt.bytes, pkt.len, shape, head,
				       max(pkt.len / 8, 8u));
			now = nfac_payload_find(skb, payload_proto(), raw, &other);
			kfree_skb(skb);
			if (!shape && !head) {
				found = now;
				*payload = other;
			}
			KUNIT_EXPECT_EQ(test, now, found);
			KUNIT_EXPECT_EQ_MSG(test, memcmp(payload, &other, sizeof(other)), 0,
					    "shape %d, %u bytes linear", shape, head);
		}
	}
	return found;
}

static void payload_is(struct kunit *test, u32 from, u32 to, u8 protocol)
{
	struct nfac_payload payload;

	KUNIT_EXPECT_TRUE_MSG(test, payload_find(test, false, &payload), "skip %d",
			      payload.skip);
	KUNIT_EXPECT_EQ(test, payload.from, from);
	KUNIT_EXPECT_EQ(test, payload.to, to);
	KUNIT_EXPECT_EQ(test, payload.protocol, protocol);
	KUNIT_EXPECT_EQ(test, payload.family, pkt.family);
}

static void payload_skips(struct kunit *test, enum nfac_skip why)
{
	struct nfac_payload payload;

	KUNIT_EXPECT_FALSE(test, payload_find(test, false, &payload));
	KUNIT_EXPECT_EQ(test, (int)payload.skip, (int)why);
}

static void payload_ipv4(struct kunit *test)
{
	struct nfac_payload payload;
	struct tcphdr *th;

	help_udp4(&pkt, "hello");
	payload_is(test, 28, 33, IPPROTO_UDP);
	help_tcp4(&pkt, "hello");
	payload_is(test, 40, 45, IPPROTO_TCP);
	KUNIT_EXPECT_TRUE(test, payload_find(test, false, &payload));
	KUNIT_EXPECT_EQ(test, payload.sport, (u16)1000);
	KUNIT_EXPECT_EQ(test, payload.dport, (u16)80);
	KUNIT_EXPECT_TRUE(test, payload.ports);
	KUNIT_EXPECT_EQ(test, payload.seq, 1000u);
	KUNIT_EXPECT_EQ(test, payload.tcp_flags, (u8)0x10);

	th = (struct tcphdr *)(pkt.bytes + 20);
	th->syn = 1;
	KUNIT_EXPECT_TRUE(test, payload_find(test, false, &payload));
	KUNIT_EXPECT_EQ_MSG(test, payload.seq, 1001u, "SYN has a number of its own");
	/* options */
	th->doff = 6;
	payload_is(test, 44, 45, IPPROTO_TCP);
}

static void payload_ip_options(struct kunit *test)
{
	struct iphdr *iph = (struct iphdr *)pkt.bytes;

	help_ip4(&pkt, IPPROTO_UDP);
	help_bytes(&pkt, "\1\1\1\0\1\1\1\0", 8);
	iph->ihl = 7;
	help_udp(&pkt, 1, 2);
	help_bytes(&pkt, "abc", 3);
	help_close(&pkt);
	payload_is(test, 36, 39, IPPROTO_UDP);
}

/* Bytes past what the headers say are the link's padding. */
static void payload_padding(struct kunit *test)
{
	struct iphdr *iph = (struct iphdr *)pkt.bytes;
	struct udphdr *uh = (struct udphdr *)(pkt.bytes + 20);

	help_tcp4(&pkt, "hello");
	help_bytes(&pkt, "\0\0\0\0\0\0", 6);
	payload_is(test, 40, 45, IPPROTO_TCP);
	help_udp4(&pkt, "hello");
	help_bytes(&pkt, "\0\0\0\0\0\0", 6);
	payload_is(test, 28, 33, IPPROTO_UDP);
	/* the UDP header may say less than the IP header */
	help_udp4(&pkt, "hello");
	uh->len = htons(10);
	payload_is(test, 28, 30, IPPROTO_UDP);
	help_udp4(&pkt, "hello");
	uh->len = htons(14);
	payload_skips(test, NFAC_SKIP_TRUNCATED);
	uh->len = htons(7);
	payload_skips(test, NFAC_SKIP_TRUNCATED);
	uh->len = 0;
	payload_skips(test, NFAC_SKIP_TRUNCATED);
	help_udp4(&pkt, "hello");
	iph->tot_len = htons(pkt.len + 1);
	payload_skips(test, NFAC_SKIP_TRUNCATED);
}

static void payload_none(struct kunit *test)
{
	help_tcp4(&pkt, "");
	payload_is(test, 40, 40, IPPROTO_TCP);
	help_udp4(&pkt, "");
	payload_is(test, 28, 28, IPPROTO_UDP);
	help_udp6(&pkt, "");
	payload_is(test, 48, 48, IPPROTO_UDP);
}

/* Cut at each byte: never found past the end, each time a reason. */
static void payload_cut(struct kunit *test)
{
	struct nfac_payload payload;
	u32 len, whole, way;

	for (way = 0; way < 4; way++) {
		switch (way) {
		case 0:
			help_udp4(&pkt, "some text");
			break;
		case 1:
			help_tcp4(&pkt, "some text");
			break;
		case 2:
			help_udp6(&pkt, "some text");
			break;
		default:
			help_ip6(&pkt, NEXTHDR_HOP);
			help_ext(&pkt, NEXTHDR_DEST, 8);
			help_ext(&pkt, NEXTHDR_ROUTING, 24);
			help_ext(&pkt, IPPROTO_TCP, 16);
			help_tcp(&pkt, 1, 2);
			help_bytes(&pkt, "some text", 9);
			help_close(&pkt);
		}
		whole = pkt.len;
		/* the bytes are gone, the headers say that they are there */
		for (len = 0; len < whole; len++) {
			pkt.len = len;
			payload_skips(test, NFAC_SKIP_TRUNCATED);
		}
		/* the headers say so too */
		for (len = 20; len < whole; len++) {
			pkt.len = len;
			if (pkt.family == AF_INET6 && len < 40)
				continue;
			pkt.udp = U32_MAX;
			help_close(&pkt);
			if (payload_find(test, false, &payload))
				KUNIT_EXPECT_LE(test, payload.to, len);
			else
				KUNIT_EXPECT_EQ(test, (int)payload.skip,
						NFAC_SKIP_TRUNCATED);
		}
	}
}

/* Headers with wrong lengths. */
static void payload_lies(struct kunit *test)
{
	struct iphdr *iph = (struct iphdr *)pkt.bytes;
	struct ipv6hdr *ip6h = (struct ipv6hdr *)pkt.bytes;
	struct tcphdr *th = (struct tcphdr *)(pkt.bytes + 20);
	u32 i;

	for (i = 0; i < 16; i++) {
		help_udp4(&pkt, "hello");
		iph->version = i;
		if (i != 4)
			payload_skips(test, NFAC_SKIP_TRUNCATED);
		help_udp6(&pkt, "hello");
		ip6h->version = i;
		if (i != 6)
			payload_skips(test, NFAC_SKIP_TRUNCATED);
		help_udp4(&pkt, "hello");
		iph->ihl = i;
		if (i < 5)
			payload_skips(test, NFAC_SKIP_TRUNCATED);
		help_tcp4(&pkt, "hello");
		th->doff = i;
		if (i < 5 || i > 6)
			payload_skips(test, NFAC_SKIP_TRUNCATED);
	}
	help_udp4(&pkt, "hello");
	iph->tot_len = htons(19);
	payload_skips(test, NFAC_SKIP_TRUNCATED);
	iph->tot_len = 0;
	payload_skips(test, NFAC_SKIP_TRUNCATED);
	help_udp6(&pkt, "hello");
	ip6h->payload_len = htons(14);
	payload_skips(test, NFAC_SKIP_TRUNCATED);
	ip6h->payload_len = 0;
	payload_skips(test, NFAC_SKIP_TRUNCATED);
	/* Linux takes this one, and only over IPv6 */
	help_udp6(&pkt, "hello");
	((struct udphdr *)(pkt.bytes + pkt.udp))->len = 0;
	payload_is(test, 48, 53, IPPROTO_UDP);
	help_udp4(&pkt, "hello");
	((struct udphdr *)(pkt.bytes + pkt.udp))->len = 0;
	payload_skips(test, NFAC_SKIP_TRUNCATED);
}

static void payload_fragments(struct kunit *test)
{
	struct iphdr *iph = (struct iphdr *)pkt.bytes;
	struct nfac_payload payload;

	help_udp4(&pkt, "hello");
	iph->frag_off = htons(IP_MF);
	payload_skips(test, NFAC_SKIP_FRAGMENT);
	iph->frag_off = htons(100);
	payload_skips(test, NFAC_SKIP_FRAGMENT);
	iph->frag_off = htons(IP_DF);
	payload_is(test, 28, 33, IPPROTO_UDP);

	help_ip6(&pkt, NEXTHDR_FRAGMENT);
	help_frag6(&pkt, IPPROTO_UDP, 0, true);
	help_udp(&pkt, 1, 2);
	help_close(&pkt);
	payload_skips(test, NFAC_SKIP_FRAGMENT);
	payload_find(test, false, &payload);
	KUNIT_EXPECT_EQ_MSG(test, payload.protocol, (u8)IPPROTO_UDP,
			    "a fragment's protocol is reported");

	help_ip6(&pkt, NEXTHDR_FRAGMENT);
	help_frag6(&pkt, NEXTHDR_DEST, 0, true);
	help_ext(&pkt, IPPROTO_UDP, 8);
	help_udp(&pkt, 1, 2);
	help_close(&pkt);
	payload_skips(test, NFAC_SKIP_FRAGMENT);
	payload_find(test, false, &payload);
	KUNIT_EXPECT_EQ_MSG(test, payload.protocol, (u8)0, "one behind its headers is not");

	help_ip6(&pkt, NEXTHDR_FRAGMENT);
	help_frag6(&pkt, IPPROTO_UDP, 1480, false);
	help_bytes(&pkt, "rest", 4);
	help_close(&pkt);
	payload_skips(test, NFAC_SKIP_FRAGMENT);

	/* whole all the same (RFC 6946) */
	help_ip6(&pkt, NEXTHDR_FRAGMENT);
	help_frag6(&pkt, IPPROTO_UDP, 0, false);
	help_udp(&pkt, 1, 2);
	help_bytes(&pkt, "rest", 4);
	help_close(&pkt);
	payload_is(test, 56, 60, IPPROTO_UDP);

	help_ip6(&pkt, NEXTHDR_FRAGMENT);
	help_bytes(&pkt, "\21\0\0\0", 4);
	help_close(&pkt);
	payload_skips(test, NFAC_SKIP_TRUNCATED);
}

static void payload_extensions(struct kunit *test)
{
	struct nfac_payload payload;
	struct ipv6_opt_hdr *auth;
	u32 n, i;

	help_ip6(&pkt, NEXTHDR_HOP);
	help_ext(&pkt, NEXTHDR_DEST, 8);
	help_ext(&pkt, NEXTHDR_ROUTING, 8);
	help_ext(&pkt, IPPROTO_UDP, 24);
	help_udp(&pkt, 1, 2);
	help_bytes(&pkt, "text", 4);
	help_close(&pkt);
	payload_is(test, 88, 92, IPPROTO_UDP);

	/* the authentication header counts in fours */
	help_ip6(&pkt, NEXTHDR_AUTH);
	help_bytes(&pkt, "\21\1\0\0\0\0\0\0\0\0\0\0", 12);
	auth = (struct ipv6_opt_hdr *)(pkt.bytes + 40);
	auth->hdrlen = 1;
	help_udp(&pkt, 1, 2);
	help_bytes(&pkt, "text", 4);
	help_close(&pkt);
	payload_is(test, 60, 64, IPPROTO_UDP);

	for (n = 1; n <= NFAC_EXT_HEADERS_MAX + 2; n++) {
		help_ip6(&pkt, NEXTHDR_DEST);
		for (i = 1; i <= n; i++)
			help_ext(&pkt, i < n ? NEXTHDR_DEST : IPPROTO_UDP, 8);
		help_udp(&pkt, 1, 2);
		help_bytes(&pkt, "text", 4);
		help_close(&pkt);
		if (n <= NFAC_EXT_HEADERS_MAX)
			payload_is(test, 48 + 8 * n, 52 + 8 * n, IPPROTO_UDP);
		else
			payload_skips(test, NFAC_SKIP_TOO_DEEP);
		payload_find(test, false, &payload);
		KUNIT_EXPECT_EQ_MSG(test, payload.protocol,
				    (u8)(n <= NFAC_EXT_HEADERS_MAX ? IPPROTO_UDP : 0),
				    "one that was not reached is not reported");
	}

	/* nothing follows, and says so */
	help_ip6(&pkt, NEXTHDR_NONE);
	help_bytes(&pkt, "text", 4);
	help_close(&pkt);
	payload_skips(test, NFAC_SKIP_PROTOCOL);
	/* a header that reaches past the packet */
	help_ip6(&pkt, NEXTHDR_DEST);
	help_ext(&pkt, IPPROTO_UDP, 8);
	((struct ipv6_opt_hdr *)(pkt.bytes + 40))->hdrlen = 255;
	help_udp(&pkt, 1, 2);
	help_close(&pkt);
	payload_skips(test, NFAC_SKIP_TRUNCATED);
}

static void payload_protocols(struct kunit *test)
{
	static const u8 ported[] = { IPPROTO_SCTP, IPPROTO_UDPLITE, IPPROTO_DCCP };
	struct nfac_payload payload;
	u32 i;

	help_ip4(&pkt, IPPROTO_ICMP);
	help_bytes(&pkt, "\10\0ping", 6);
	help_close(&pkt);
	payload_skips(test, NFAC_SKIP_PROTOCOL);
	KUNIT_EXPECT_TRUE(test, payload_find(test, true, &payload));
	KUNIT_EXPECT_EQ(test, payload.from, 20u);
	KUNIT_EXPECT_EQ(test, payload.to, 26u);
	KUNIT_EXPECT_FALSE(test, payload.ports);

	for (i = 0; i < ARRAY_SIZE(ported); i++) {
		help_ip4(&pkt, ported[i]);
		help_bytes(&pkt, "\0\7\0\11data", 8);
		help_close(&pkt);
		payload_skips(test, NFAC_SKIP_PROTOCOL);
		KUNIT_EXPECT_TRUE(test, payload_find(test, true, &payload));
		KUNIT_EXPECT_TRUE(test, payload.ports);
		KUNIT_EXPECT_EQ(test, payload.sport, (u16)7);
		KUNIT_EXPECT_EQ(test, payload.dport, (u16)9);
		/* too short for ports: none are reported */
		pkt.len = 23;
		help_close(&pkt);
		KUNIT_EXPECT_TRUE(test, payload_find(test, true, &payload));
		KUNIT_EXPECT_FALSE(test, payload.ports);
	}
}

static struct sk_buff *payload_large(struct kunit *test, u32 len)
{
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL);
	u32 at, n;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, pkt.bytes, pkt.len);
	skb_reset_network_header(skb);
	for (at = pkt.len; at < len; at += n) {
		struct page *pages = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);

		KUNIT_ASSERT_NOT_NULL(test, pages);
		n = min_t(u32, len - at, PAGE_SIZE << 3);
		skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, pages, 0, n, PAGE_SIZE << 3);
	}
	skb_shinfo(skb)->gso_size = 1448;
	return skb;
}

/* A segment that the device will cut: 64 KiB, and past it, where lengths say 0. */
static void payload_gso(struct kunit *test)
{
	static const u32 lengths[] = { 65535, 65536, 180000 };
	struct nfac_payload payload;
	struct sk_buff *skb;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		u32 len = lengths[i];

		help_tcp4(&pkt, "");
		((struct iphdr *)pkt.bytes)->tot_len = htons(len > 65535 ? 0 : len);
		skb = payload_large(test, len);
		KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV4, false, &payload));
		KUNIT_EXPECT_EQ(test, payload.from, 40u);
		KUNIT_EXPECT_EQ(test, payload.to, len);
		/* but not when it is no such segment */
		skb_shinfo(skb)->gso_size = 0;
		KUNIT_EXPECT_EQ(test, nfac_payload_find(skb, NFPROTO_IPV4, false, &payload),
				len <= 65535);
		kfree_skb(skb);
	}
	help_ip6(&pkt, IPPROTO_TCP);
	help_tcp(&pkt, 1, 2);
	skb = payload_large(test, 100000);
	KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV6, false, &payload));
	KUNIT_EXPECT_EQ(test, payload.from, 60u);
	KUNIT_EXPECT_EQ(test, payload.to, 100000u);
	KUNIT_EXPECT_FALSE(test, payload.ambiguous);
	kfree_skb(skb);
	/* Linux says how long it is in a header that no segment gets */
	help_ip6(&pkt, NEXTHDR_HOP);
	help_ext(&pkt, IPPROTO_TCP, 8);
	pkt.bytes[42] = IPV6_TLV_JUMBO;
	pkt.bytes[43] = 4;
	help_tcp(&pkt, 1, 2);
	skb = payload_large(test, 100000);
	KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV6, false, &payload));
	KUNIT_EXPECT_FALSE(test, payload.ambiguous);
	skb_shinfo(skb)->gso_size = 0;
	KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV6, false, &payload));
	KUNIT_EXPECT_TRUE(test, payload.ambiguous);
	kfree_skb(skb);
	/* a datagram's length is made anew when it is cut, whatever it says */
	help_udp4(&pkt, "x");
	((struct iphdr *)pkt.bytes)->tot_len = htons(5000);
	skb = payload_large(test, 5000);
	KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV4, false, &payload));
	KUNIT_EXPECT_EQ(test, payload.to, 5000u);
	skb_shinfo(skb)->gso_size = 0;
	KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV4, false, &payload));
	KUNIT_EXPECT_EQ(test, payload.to, 29u);
	kfree_skb(skb);
	/* a jumbogram of UDP has no length in either header (RFC 2675) */
	help_ip6(&pkt, NEXTHDR_HOP);
	help_ext(&pkt, IPPROTO_UDP, 8);
	help_udp(&pkt, 1, 2);
	skb = payload_large(test, 100000);
	skb_shinfo(skb)->gso_size = 0;
	KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV6, false, &payload));
	KUNIT_EXPECT_EQ(test, payload.from, 56u);
	KUNIT_EXPECT_EQ(test, payload.to, 100000u);
	kfree_skb(skb);
}

/* The network header need not be where the skb's data begin. */
static void payload_offset(struct kunit *test)
{
	struct nfac_payload payload;
	struct sk_buff *skb;

	help_udp4(&pkt, "hello");
	skb = alloc_skb(pkt.len + 14, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, 14);
	skb_put_data(skb, pkt.bytes, pkt.len);
	skb_set_network_header(skb, 14);
	KUNIT_EXPECT_TRUE(test, nfac_payload_find(skb, NFPROTO_IPV4, false, &payload));
	KUNIT_EXPECT_EQ(test, payload.from, 42u);
	KUNIT_EXPECT_EQ(test, payload.to, 47u);
	kfree_skb(skb);
}

/* Any bytes at all: an answer within the packet, and the same in every shape. */
static void payload_noise(struct kunit *test)
{
	struct nfac_payload payload;
	u32 round, i, seed = 3;

	for (round = 0; round < 600; round++) {
		if (round & 1)
			help_udp6(&pkt, "some payload to be found");
		else
			help_tcp4(&pkt, "some payload to be found");
		for (i = 0; i < 3; i++) {
			seed = seed * 1664525 + 1013904223;
			pkt.bytes[(seed >> 8) % 48] = seed >> 24;
		}
		if (payload_find(test, round & 2, &payload)) {
			KUNIT_EXPECT_LE(test, payload.from, payload.to);
			KUNIT_EXPECT_LE(test, payload.to, pkt.len);
		} else {
			KUNIT_EXPECT_LT(test, (int)payload.skip, (int)NFAC_SKIP_NONE);
		}
	}
}

static struct kunit_case payload_cases[] = {
	KUNIT_CASE(payload_ipv4),
	KUNIT_CASE(payload_ip_options),
	KUNIT_CASE(payload_padding),
	KUNIT_CASE(payload_none),
	KUNIT_CASE(payload_cut),
	KUNIT_CASE(payload_lies),
	KUNIT_CASE(payload_fragments),
	KUNIT_CASE(payload_extensions),
	KUNIT_CASE(payload_protocols),
	KUNIT_CASE(payload_gso),
	KUNIT_CASE(payload_offset),
	KUNIT_CASE(payload_noise),
	{}
};

struct kunit_suite suite_payload = {
	.name = "nfac_payload",
	.test_cases = payload_cases,
};
