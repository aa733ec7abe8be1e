// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: the payload behind link headers, in every shape of skb, and no byte behind their end.
 */

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/netdevice.h>

#include "../kmod/frame.h"
#include "help.h"
#include "suites.h"

static struct help_packet pkt;
static u8 frame[128 + HELP_PACKET_MAX];
static u32 frame_headers, frame_len;
static struct net_device *frame_dev;

static int frame_init(struct kunit *test)
{
	frame_dev = kunit_kzalloc(test, sizeof(*frame_dev), GFP_KERNEL);
	if (!frame_dev)
		return -ENOMEM;
	frame_dev->type = ARPHRD_ETHER;
	return 0;
}

/* Link headers behind the frame's type, and the packet's first @bytes. */
static void frame_make(const void *headers, u32 count, u32 bytes)
{
	memcpy(frame, headers, count);
	memcpy(frame + count, pkt.bytes, bytes);
	frame_headers = count;
	frame_len = count + bytes;
}

static bool frame_find(struct sk_buff *skb, u16 type, struct nfac_payload *payload)
{
	struct nf_hook_state state = { .pf = NFPROTO_NETDEV, .hook = NF_NETDEV_INGRESS };
	bool found;

	skb->protocol = htons(type);
	skb->dev = frame_dev;
	state.in = frame_dev;
	rcu_read_lock();
	found = nfac_frame_find(skb, &state, false, payload);
	rcu_read_unlock();
	kfree_skb(skb);
	return found;
}

/* In every shape of skb it is the same. */
static bool frame_find_all(struct kunit *test, u16 type, struct nfac_payload *payload)
{
	enum help_shape shape;
	bool found = false;
	u32 head;

	for (shape = 0; shape < HELP_SHAPES; shape++) {
		for (head = 0; head <= frame_len; head += 13) {
			struct nfac_payload one;
			bool now = frame_find(help_skb(test, frame, frame_len, shape, head,
						       max(frame_len / 8, 8u)), type, &one);

			if (!shape && !head) {
				found = now;
				*payload = one;
			}
			KUNIT_EXPECT_EQ(test, now, found);
			KUNIT_EXPECT_EQ(test, one.from, payload->from);
			KUNIT_EXPECT_EQ(test, one.to, payload->to);
			KUNIT_EXPECT_EQ(test, one.link, payload->link);
			KUNIT_EXPECT_EQ(test, one.ambiguous, payload->ambiguous);
			KUNIT_EXPECT_EQ(test, one.skip, payload->skip);
		}
	}
	return found;
}

struct frame_case {
	u16 type;
	const char *headers;
	u32 count;
	u64 link;
	bool version;	/* the headers say which IP follows */
};

#define FRAME(type, bytes, link, version) { type, bytes, sizeof(bytes) - 1, link, version }

static const struct frame_case frames4[] = {
	FRAME(0x0800, "", 0, true),
	FRAME(0x8100, "\x60\x0a\x08\0", 0xa, true),
	FRAME(0x8100, "\0\0\x08\0", 0, true),
	FRAME(0x88a8, "\0\x14\x81\0\0\x0a\x08\0", 0x14000a, true),
	FRAME(0x8864, "\x11\0\x12\x34\0\x40\0\x21", 0x1234, true),
	FRAME(0x8864, "\x11\0\x12\x34\0\x40\xff\x03\x21", 0x1234, true),
	FRAME(0x8100, "\0\x05\x88\x64\x11\0\0\x07\0\x40\0\x21", 0x50007, true),
	FRAME(0x8847, "\0\x01\0\x40\0\x02\x01\x40", 0, false),
	FRAME(0x8100, "\0\x09\x88\x48\0\x01\x01\x40", 9, false),
};

static void frame_links(struct kunit *test)
{
	struct nfac_payload p;
	u32 i, len;

	for (i = 0; i < ARRAY_SIZE(frames4); i++) {
		const struct frame_case *c = &frames4[i];

		help_tcp4(&pkt, "an attack");
		((struct iphdr *)pkt.bytes)->check = 0;
		((struct iphdr *)pkt.bytes)->check = ip_fast_csum(pkt.bytes, 5);
		frame_make(c->headers, c->count, pkt.len);
		KUNIT_EXPECT_TRUE_MSG(test, frame_find_all(test, c->type, &p), "case %u", i);
		KUNIT_EXPECT_EQ(test, p.ip, frame_headers);
		KUNIT_EXPECT_EQ(test, p.from, frame_headers + 40);
		KUNIT_EXPECT_EQ(test, p.to, frame_len);
		KUNIT_EXPECT_EQ_MSG(test, p.link, c->link, "case %u", i);
		KUNIT_EXPECT_EQ(test, p.family, (u8)AF_INET);
		KUNIT_EXPECT_FALSE(test, p.ambiguous);
		/* IP would discard it */
		frame[frame_headers + 10] ^= 1;
		KUNIT_EXPECT_TRUE(test, frame_find_all(test, c->type, &p));
		KUNIT_EXPECT_TRUE_MSG(test, p.ambiguous, "case %u", i);

		/* cut anywhere before the TCP header's end */
		for (len = 0; len < frame_headers + 40; len++) {
			frame_len = len;
			KUNIT_EXPECT_FALSE(test, frame_find_all(test, c->type, &p));
			KUNIT_EXPECT_EQ_MSG(test, p.skip, NFAC_SKIP_TRUNCATED,
					    "case %u, %u bytes", i, len);
		}

		/* another version's packet */
		help_udp6(&pkt, "an attack");
		frame_make(c->headers, c->count, pkt.len);
		KUNIT_EXPECT_EQ(test, frame_find_all(test, c->type, &p), !c->version);
		if (c->version)
			KUNIT_EXPECT_EQ(test, p.skip, NFAC_SKIP_TRUNCATED);
		else
			KUNIT_EXPECT_EQ(test, p.family, (u8)AF_INET6);
	}
}

/* 16 tags are followed, and no more. */
static void frame_deep(struct kunit *test)
{
	struct nfac_payload p;
	u8 tags[17 * 4];
	u32 i, n;

	help_udp4(&pkt, "an attack");
	for (n = 14; n <= 17; n++) {
		for (i = 0; i < n; i++)
			memcpy(tags + 4 * i, i + 1 < n ? "\0\x01\x81\0" : "\0\x01\x08\0", 4);
		frame_make(tags, 4 * n, pkt.len);
		KUNIT_EXPECT_EQ_MSG(test, frame_find_all(test, 0x8100, &p), n < 16, "%u tags", n);
		if (n < 16)
			KUNIT_EXPECT_EQ(test, p.from, 4 * n + 28);
		else
			KUNIT_EXPECT_EQ(test, p.skip, NFAC_SKIP_TOO_DEEP);
	}
}

static void frame_others(struct kunit *test)
{
	static const u16 types[] = { 0x0806, 0x8863, 0x88cc, 4, 0, 0x6558 };
	struct nfac_payload p;
	u32 i;

	help_udp4(&pkt, "an attack");
	frame_make("", 0, pkt.len);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		KUNIT_EXPECT_FALSE(test, frame_find_all(test, types[i], &p));
		KUNIT_EXPECT_EQ(test, p.skip, NFAC_SKIP_PROTOCOL);
		KUNIT_EXPECT_EQ(test, p.family, (u8)AF_UNSPEC);
	}
	frame_make("\x11\0\0\1\0\2\xc0\x21", 8, pkt.len);
	KUNIT_EXPECT_FALSE(test, frame_find_all(test, 0x8864, &p));
	KUNIT_EXPECT_EQ(test, p.skip, NFAC_SKIP_PROTOCOL);
}

/* Of a device that is a bridge's port. */
static rx_handler_result_t frame_taken(struct sk_buff **skb)
{
	return RX_HANDLER_PASS;
}

/* The tag that a network card has taken out, and the address of another host. */
static void frame_metadata(struct kunit *test)
{
	struct nfac_payload p;
	struct sk_buff *skb;

	help_udp6(&pkt, "an attack");
	skb = help_skb_of(test, &pkt);
	__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021AD), 0x6123);
	KUNIT_EXPECT_TRUE(test, frame_find(skb, ETH_P_IPV6, &p));
	KUNIT_EXPECT_EQ(test, p.link, 0x123ull);
	KUNIT_EXPECT_FALSE(test, p.ambiguous);

	skb = help_skb_of(test, &pkt);
	skb->pkt_type = PACKET_OTHERHOST;
	KUNIT_EXPECT_TRUE(test, frame_find(skb, ETH_P_IPV6, &p));
	KUNIT_EXPECT_TRUE(test, p.ambiguous);
	skb = help_skb_of(test, &pkt);
	skb->pkt_type = PACKET_OTHERHOST;
	RCU_INIT_POINTER(frame_dev->rx_handler, frame_taken);
	KUNIT_EXPECT_TRUE(test, frame_find(skb, ETH_P_IPV6, &p));
	KUNIT_EXPECT_FALSE_MSG(test, p.ambiguous, "a bridge takes it");
}

static struct kunit_case frame_cases[] = {
	KUNIT_CASE(frame_links),
	KUNIT_CASE(frame_deep),
	KUNIT_CASE(frame_others),
	KUNIT_CASE(frame_metadata),
	{}
};

struct kunit_suite suite_frame = {
	.name = "nfac_frame",
	.init = frame_init,
	.test_cases = frame_cases,
};
