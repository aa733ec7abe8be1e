// SPDX-License-Identifier: GPL-2.0
/*
 * Segments of a TCP direction, at an attachment of the set "small" that follows it.
 */

#include <linux/ip.h>
#include <net/tcp.h>

#include "help_flow.h"

static struct help_packet pkt;
static struct nfac_set *flow_set;

int flow_init(struct kunit *test)
{
	flow_set = help_set_in_force(test, "kunit", "small");
	return 0;
}

void flow_exit(struct kunit *test)
{
	help_set_gone(flow_set);
}

struct nfac_attachment *flow_attach(struct kunit *test, u32 flags)
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

struct nfac_attachment *flow_attach_small(struct kunit *test, u32 flags)
{
	struct nfac_attachment *att;
	char was[32];

	KUNIT_ASSERT_GT(test, help_param_get("flows_max", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("flows_max", "1"), 0);
	att = flow_attach(test, flags);
	KUNIT_EXPECT_EQ(test, help_param_set("flows_max", was), 0);
	return att;
}

static unsigned int flow_packet(struct kunit *test, struct nfac_attachment *att, u16 sport,
				bool back, u32 flags, u32 at, u16 urgent, const void *text,
				u32 len)
{
	struct tcphdr *th = (struct tcphdr *)(pkt.bytes + 20);
	struct iphdr *iph = (struct iphdr *)pkt.bytes;
	struct sk_buff *skb;
	unsigned int verdict;

	help_ip4(&pkt, IPPROTO_TCP);
	if (back) {
		swap(iph->saddr, iph->daddr);
		help_tcp(&pkt, 80, sport);
	} else {
		help_tcp(&pkt, sport, 80);
	}
	help_bytes(&pkt, text, len);
	help_close(&pkt);
	th->seq = htonl(FLOW_START + at);
	((u8 *)th)[13] = flags;
	th->urg_ptr = htons(urgent);
	skb = help_skb_of(test, &pkt);
	skb->protocol = htons(ETH_P_IP);
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	verdict = help_hook(att, skb);
	kfree_skb(skb);
	return verdict;
}

unsigned int flow_send(struct kunit *test, struct nfac_attachment *att, u16 sport,
		       u32 flags, u32 at, const void *text, u32 len)
{
	return flow_packet(test, att, sport, false, flags, at, 0, text, len);
}

unsigned int flow_back(struct kunit *test, struct nfac_attachment *att, u16 sport,
		       u32 flags, u32 at, const char *text)
{
	return flow_packet(test, att, sport, true, flags, at, 0, text, strlen(text));
}

unsigned int flow_point(struct kunit *test, struct nfac_attachment *att, u16 sport,
			u32 flags, u32 at, u16 urgent, const char *text)
{
	return flow_packet(test, att, sport, false, flags | TCPHDR_URG, at, urgent, text,
			   strlen(text));
}

unsigned int flow_text(struct kunit *test, struct nfac_attachment *att, u16 sport, u32 at,
		       const char *text)
{
	return flow_send(test, att, sport, TCPHDR_ACK, at, text, strlen(text));
}

void flow_syn(struct kunit *test, struct nfac_attachment *att, u16 sport)
{
	flow_send(test, att, sport, TCPHDR_SYN, -1, "", 0);
}

u64 flow_matches(const struct nfac_attachment *att)
{
	return help_count(att, NFAC_COUNT_MATCHES);
}
