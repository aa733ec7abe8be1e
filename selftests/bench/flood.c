// SPDX-License-Identifier: GPL-2.0
/*
 * flood DEVICE MAC SECONDS BYTES TEXT PROGRAM [QUEUES]: sends the same UDP datagram from 10.0.0.2
 * to 10.0.0.1:9999 as often as a packet socket can, and prints how many it sent, and in how many
 * nanoseconds. The payload is BYTES of a web request, at most 512, with TEXT at its end.
 *
 * With the id of an XDP program, not 0, DEVICE receives the datagrams in place of sending them: the
 * kernel runs the program on frames in a page pool's pages, as a network card's driver does
 * (BPF_F_TEST_XDP_LIVE_FRAMES), and makes an skb of each frame that the program passes.
 *
 * QUEUES is a file as /proc/net/netfilter/nfnetlink_queue: no datagram is sent while it lists a
 * queue with more than BACKLOG packets, so that none finds the queue full.
 *
 * hooks and queues measure with it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PAYLOAD_MAX	512
#define BATCH	64
/* runs of a program for one system call, where no queue can overflow */
#define FRAMES	8192
#define BACKLOG	256
#define WAIT_US	50

static struct {
	struct ether_header eth;
	struct iphdr ip;
	struct udphdr udp;
	char payload[PAYLOAD_MAX];
} __attribute__((packed)) frame;

static size_t frame_bytes;

static void fill(const char *mac, size_t payload, const char *text)
{
	static const char request[] =
		"GET /catalogue/2026/items?page=17&order=price&view=list HTTP/1.1\r\n"
		"Host: shop.example.org\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
		"Accept: text/html,application/xhtml+xml;q=0.9\r\nAccept-Language: en\r\n";
	const size_t end = payload - strlen(text);
	unsigned short words[sizeof(frame.ip) / 2];
	unsigned int sum = 0, i;

	frame_bytes = sizeof(frame) - PAYLOAD_MAX + payload;
	memcpy(frame.eth.ether_dhost, ether_aton(mac), ETH_ALEN);
	frame.eth.ether_shost[0] = 2;
	frame.eth.ether_type = htons(ETHERTYPE_IP);
	frame.ip.version = 4;
	frame.ip.ihl = 5;
	frame.ip.tot_len = htons(frame_bytes - sizeof(frame.eth));
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
	frame.udp.len = htons(sizeof(frame.udp) + payload);
	for (i = 0; i < end; i++)
		frame.payload[i] = request[i % (sizeof(request) - 1)];
	memcpy(frame.payload + end, text, payload - end);
}

static long long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Return: datagrams sent. */
static int send_batch(int fd)
{
	struct iovec part = { &frame, frame_bytes };
	struct mmsghdr batch[BATCH] = { 0 };
	int i;

	for (i = 0; i < BATCH; i++) {
		batch[i].msg_hdr.msg_iov = &part;
		batch[i].msg_hdr.msg_iovlen = 1;
	}
	i = sendmmsg(fd, batch, BATCH, 0);
	/* the device's queue may be full */
	return i < 0 ? 0 : i;
}

/* Return: frames that the device received; -1. */
static int receive_frames(int program, int device, int count)
{
	struct xdp_md context = { .data_end = frame_bytes, .ingress_ifindex = device };
	struct bpf_test_run_opts run = {
		.sz = sizeof(run), .data_in = &frame, .data_size_in = frame_bytes,
		.ctx_in = &context, .ctx_size_in = sizeof(context), .repeat = count,
		.flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = BATCH,
	};

	return bpf_prog_test_run_opts(program, &run) ? -1 : count;
}

static int packet_socket(int device)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = device };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1;

	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)))
		return -1;
	return fd;
}

static bool is_behind(const char *queues)
{
	unsigned int waiting = 0;
	FILE *file = fopen(queues, "r");

	if (!file || fscanf(file, "%*u %*u %u", &waiting) != 1)
		waiting = 0;
	if (file)
		fclose(file);
	return waiting > BACKLOG;
}

int main(int argc, char **argv)
{
	const char *queues = argc == 8 ? argv[7] : NULL;
	int fd, device, program, done;
	unsigned long sent = 0;
	long long begin, now;
	size_t payload;

	if (argc != 7 && argc != 8)
		return 2;
	payload = atoi(argv[4]);
	program = atoi(argv[6]);
	if (payload > PAYLOAD_MAX || strlen(argv[5]) > payload)
		return 2;
	fill(argv[2], payload, argv[5]);
	device = if_nametoindex(argv[1]);
	fd = program ? bpf_prog_get_fd_by_id(program) : packet_socket(device);
	if (fd < 0) {
		perror("flood");
		return 1;
	}
	for (begin = now = nanoseconds(); now < begin + atoi(argv[3]) * 1000000000ll;
	     now = nanoseconds()) {
		done = program ? receive_frames(fd, device, queues ? BATCH : FRAMES) :
				 send_batch(fd);
		if (done < 0) {
			perror("flood: the program does not run");
			return 1;
		}
		sent += done;
		while (queues && is_behind(queues))
			usleep(WAIT_US);
	}
	printf("%lu %lld\n", sent, now - begin);
	return 0;
}
