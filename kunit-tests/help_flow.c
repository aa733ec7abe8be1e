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

static struct nfac_attachment *flow_attach_to(struct kunit *test, u32 flags, u16 port)
{
	struct nfac_ioc_attach want = {
		.name = "kunit",
		.flags = flags | NFAC_ATTACH_STREAM,
		.nports = !!port,
		.ports[0] = port,
	};
	struct nfac_attachment *att;
	const char *fault;

	KUNIT_ASSERT_EQ(test, nfac_attach_check(&want, &fault), 0);
	att = help_attach(&want);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(att), "%ld", PTR_ERR(att));
	return att;
}

struct nfac_attachment *flow_attach(struct kunit *test, u32 flags)
{
	return flow_attach_to(test, flags, 0);
}

struct nfac_attachment *flow_attach_small(struct kunit *test, u32 flags)
{
	struct nfac_attachment *att;
	char was[32];

	KUNIT_ASSERT_GT(test, help_param_get("flows_max", was), 0);
	KUNIT_ASSERT_EQ(test, help_param_set("flows_max", "1"), 0);
	att = flow_attach_to(test, flags, 80);
	KUNIT_EXPECT_EQ(test, help_param_set("flows_max", was), 0);
	return att;
}

static void flow_stamps(const struct flow_segment *segment)
{
	u8 options[12] = { TCPOPT_NOP, TCPOPT_NOP, TCPOPT_TIMESTAMP, TCPOLEN_TIMESTAMP };

	put_unaligned_be32(segment->value, options + 4);
	put_unaligned_be32(segment->echo, options + 8);
	help_bytes(&pkt, options, sizeof(options));
	((struct tcphdr *)(pkt.bytes + 20))->doff = 8;
}

unsigned int flow_segment(struct kunit *test, struct nfac_attachment *att,
			  const struct flow_segment *segment)
{
	struct tcphdr *th = (struct tcphdr *)(pkt.bytes + 20);
	struct iphdr *iph = (struct iphdr *)pkt.bytes;
	struct sk_buff *skb;
	unsigned int verdict;

	help_ip4(&pkt, IPPROTO_TCP);
	if (segment->back) {
		swap(iph->saddr, iph->daddr);
		help_tcp(&pkt, 80, segment->sport);
	} else {
		help_tcp(&pkt, segment->sport, 80);
	}
	if (segment->stamps)
		flow_stamps(segment);
	help_bytes(&pkt, segment->text, segment->len);
	help_close(&pkt);
	th->seq = htonl(FLOW_START + segment->at);
	th->ack_seq = htonl(FLOW_START + segment->ack);
	th->window = htons(segment->window);
	((u8 *)th)[13] = segment->flags;
	th->urg_ptr = htons(segment->urgent);
	skb = help_skb_of(test, &pkt);
	skb->protocol = htons(ETH_P_IP);
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	verdict = help_hook(att, skb);
	kfree_skb(skb);
	return verdict;
}

static unsigned int flow_packet(struct kunit *test, struct nfac_attachment *att, u16 sport,
				bool back, u32 flags, u32 at, u16 urgent, const void *text,
				u32 len)
{
	const struct flow_segment segment = {
		.sport = sport, .back = back, .flags = flags, .at = at, .urgent = urgent,
		.window = U16_MAX, .text = text, .len = len,
	};

	return flow_segment(test, att, &segment);
}

void flow_open(struct kunit *test, struct nfac_attachment *att, u16 sport)
{
	struct flow_segment segment = { .sport = sport, .flags = TCPHDR_SYN, .at = -1, .text = "" };

	flow_segment(test, att, &segment);
	segment = (struct flow_segment) {
		.sport = sport, .back = true, .flags = TCPHDR_SYN | TCPHDR_ACK,
		.at = FLOW_SERVER - 1, .window = U16_MAX, .text = "",
	};
	flow_segment(test, att, &segment);
	segment = (struct flow_segment) {
		.sport = sport, .flags = TCPHDR_ACK, .ack = FLOW_SERVER, .text = "",
	};
	flow_segment(test, att, &segment);
}

void flow_window(struct kunit *test, struct nfac_attachment *att, u16 sport, u32 ack,
		 u16 window)
{
	const struct flow_segment segment = {
		.sport = sport, .back = true, .flags = TCPHDR_ACK, .at = FLOW_SERVER,
		.ack = ack, .window = window, .text = "",
	};

	flow_segment(test, att, &segment);
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
