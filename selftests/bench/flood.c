// SPDX-License-Identifier: GPL-2.0
/*
 * flood DEVICE MAC SECONDS TEXT: sends the same UDP datagram from 10.0.0.2 to 10.0.0.1:9999 as
 * often as a packet socket can, and prints how many it sent, and in how many nanoseconds.
 *
 * hooks measures with it. The payload is 512 bytes of a web request, with TEXT at its end.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define PAYLOAD	512
#define BATCH	64

static struct {
	struct ether_header eth;
	struct iphdr ip;
	struct udphdr udp;
	char payload[PAYLOAD];
} __attribute__((packed)) frame;

static void fill(const char *mac, const char *text)
{
	static const char request[] =
		"GET /catalogue/2026/items?page=17&order=price&view=list HTTP/1.1\r\n"
		"Host: shop.example.org\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
		"Accept: text/html,application/xhtml+xml;q=0.9\r\nAccept-Language: en\r\n";
	const size_t end = PAYLOAD - strlen(text);
	unsigned short words[sizeof(frame.ip) / 2];
	unsigned int sum = 0, i;

	memcpy(frame.eth.ether_dhost, ether_aton(mac), ETH_ALEN);
	frame.eth.ether_shost[0] = 2;
	frame.eth.ether_type = htons(ETHERTYPE_IP);
	frame.ip.version = 4;
	frame.ip.ihl = 5;
	frame.ip.tot_len = htons(sizeof(frame) - sizeof(frame.eth));
	frame.ip.ttl = 64;
	frame.ip.protocol = IPPROTO_UDP;
	frame.ip.saddr = inet_addr("10.0.0.2");
	frame.ip.daddr = inet_addr("10.0.0.1");
	memcpy(words, &frame.ip, sizeof(words));
	for (i = 0; i < sizeof(frame.ip) / 2; i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	frame.ip.check = ~(sum + (sum >> 16));
	frame.udp.source = htons(1000);
	frame.udp.dest = htons(9999);
	frame.udp.len = htons(sizeof(frame.udp) + PAYLOAD);
	for (i = 0; i < end; i++)
		frame.payload[i] = request[i % (sizeof(request) - 1)];
	memcpy(frame.payload + end, text, PAYLOAD - end);
}

static long long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int main(int argc, char **argv)
{
	struct iovec part = { &frame, sizeof(frame) };
	struct mmsghdr batch[BATCH] = { 0 };
	struct sockaddr_ll to = { 0 };
	unsigned long sent = 0;
	int fd, i, on = 1;
	long long begin, now;

	if (argc != 5)
		return 2;
	fill(argv[2], argv[4]);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	to.sll_family = AF_PACKET;
	to.sll_ifindex = if_nametoindex(argv[1]);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on))) {
		perror("flood");
		return 1;
	}
	for (i = 0; i < BATCH; i++) {
		batch[i].msg_hdr.msg_iov = &part;
		batch[i].msg_hdr.msg_iovlen = 1;
	}
	for (begin = now = nanoseconds(); now < begin + atoi(argv[3]) * 1000000000ll;
	     now = nanoseconds()) {
		int done = sendmmsg(fd, batch, BATCH, 0);

		if (done > 0)
			sent += done;
	}
	printf("%lu %lld\n", sent, now - begin);
	return 0;
}
