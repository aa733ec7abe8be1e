// SPDX-License-Identifier: GPL-2.0
/*
 * Packets made by hand.
 */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ipv6.h>

#include "help.h"

static void *help_push(struct help_packet *p, u32 n)
{
	void *at = p->bytes + p->len;

	if (WARN_ON(p->len + n > sizeof(p->bytes)))
		return p->bytes;
	memset(at, 0, n);
	p->len += n;
	return at;
}

static void help_begin(struct help_packet *p, u8 family)
{
	p->len = 0;
	p->ip = 0;
	p->udp = U32_MAX;
	p->family = family;
}

void help_ip4(struct help_packet *p, u8 protocol)
{
	struct iphdr *iph;

	help_begin(p, AF_INET);
	iph = help_push(p, sizeof(*iph));
	iph->version = 4;
	iph->ihl = 5;
	iph->ttl = 64;
	iph->protocol = protocol;
	iph->saddr = htonl(0x0a000002);
	iph->daddr = htonl(0x0a000001);
	p->next = &iph->protocol;
}

void help_ip6(struct help_packet *p, u8 nexthdr)
{
	struct ipv6hdr *ip6h;

	help_begin(p, AF_INET6);
	ip6h = help_push(p, sizeof(*ip6h));
	ip6h->version = 6;
	ip6h->hop_limit = 64;
	ip6h->nexthdr = nexthdr;
	ip6h->saddr.s6_addr[0] = 0xfd;
	ip6h->saddr.s6_addr[15] = 2;
	ip6h->daddr.s6_addr[0] = 0xfd;
	ip6h->daddr.s6_addr[15] = 1;
}

/* Its type is in the header before; @nexthdr is what follows it. */
void help_ext(struct help_packet *p, u8 nexthdr, u32 bytes)
{
	struct ipv6_opt_hdr *hdr = help_push(p, bytes);

	hdr->nexthdr = nexthdr;
	hdr->hdrlen = bytes / 8 - 1;
}

void help_frag6(struct help_packet *p, u8 nexthdr, u16 offset, bool more)
{
	struct frag_hdr *hdr = help_push(p, sizeof(*hdr));

	hdr->nexthdr = nexthdr;
	hdr->frag_off = htons(offset | (more ? IP6_MF : 0));
	hdr->identification = htonl(7);
}

void help_tcp(struct help_packet *p, u16 sport, u16 dport)
{
	struct tcphdr *th = help_push(p, sizeof(*th));

	th->source = htons(sport);
	th->dest = htons(dport);
	th->doff = 5;
	th->seq = htonl(1000);
	th->ack = 1;
}

void help_udp(struct help_packet *p, u16 sport, u16 dport)
{
	struct udphdr *uh;

	p->udp = p->len;
	uh = help_push(p, sizeof(*uh));
	uh->source = htons(sport);
	uh->dest = htons(dport);
}

void help_bytes(struct help_packet *p, const void *bytes, u32 n)
{
	memcpy(help_push(p, n), bytes, n);
}

void help_close(struct help_packet *p)
{
	struct ipv6hdr *ip6h = (void *)p->bytes;
	struct iphdr *iph = (void *)p->bytes;

	if (p->udp != U32_MAX)
		((struct udphdr *)(p->bytes + p->udp))->len = htons(p->len - p->udp);
	if (p->family == AF_INET)
		iph->tot_len = htons(p->len);
	else
		ip6h->payload_len = htons(p->len - sizeof(*ip6h));
}

void help_udp4(struct help_packet *p, const char *text)
{
	help_ip4(p, IPPROTO_UDP);
	help_udp(p, 1000, 53);
	help_bytes(p, text, strlen(text));
	help_close(p);
}

void help_tcp4(struct help_packet *p, const char *text)
{
	help_ip4(p, IPPROTO_TCP);
	help_tcp(p, 1000, 80);
	help_bytes(p, text, strlen(text));
	help_close(p);
}

void help_udp6(struct help_packet *p, const char *text)
{
	help_ip6(p, IPPROTO_UDP);
	help_udp(p, 1000, 53);
	help_bytes(p, text, strlen(text));
	help_close(p);
}

static struct sk_buff *help_skb_linear(struct kunit *test, const void *bytes, u32 len)
{
	/* exactly as long as it is, so that KASAN sees a step past its end */
	struct sk_buff *skb = alloc_skb(len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, bytes, len);
	skb_reset_network_header(skb);
	return skb;
}

static void help_skb_frag(struct kunit *test, struct sk_buff *skb, const void *bytes,
			  u32 len)
{
	struct page *page = alloc_page(GFP_KERNEL);
	u32 at = skb_shinfo(skb)->nr_frags * 8;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_LE(test, at + len, (u32)PAGE_SIZE);
	memcpy(page_address(page) + at, bytes, len);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, at, len, PAGE_SIZE);
}

struct sk_buff *help_skb(struct kunit *test, const void *bytes, u32 len,
			 enum help_shape shape, u32 head, u32 piece)
{
	struct sk_buff *skb, **tail;
	u32 at;

	if (shape == HELP_LINEAR || head >= len)
		return help_skb_linear(test, bytes, len);
	skb = help_skb_linear(test, bytes, head);
	tail = &skb_shinfo(skb)->frag_list;
	for (at = head; at < len; at += piece) {
		u32 n = min(piece, len - at);

		if (shape == HELP_FRAGS ||
		    (shape == HELP_BOTH && skb_shinfo(skb)->nr_frags < 3)) {
			help_skb_frag(test, skb, bytes + at, n);
			continue;
		}
		*tail = help_skb_linear(test, bytes + at, n);
		tail = &(*tail)->next;
		skb->len += n;
		skb->data_len += n;
	}
	return skb;
}
