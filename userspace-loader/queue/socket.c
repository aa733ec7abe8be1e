// SPDX-License-Identifier: GPL-2.0
/*
 * The loop of nfac queue: packets from NFQUEUE by libnetfilter_queue, verdicts back, and what
 * wakes it meanwhile (signals, the status socket).
 */
#include "events/text.h"
#include "common/message.h"
#include "socket.h"

#ifdef HAVE_NFQUEUE

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <libnetfilter_queue/libnetfilter_queue.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A message holds one packet of at most 64 KiB, and its attributes. */
#define MESSAGE_ROOM	(0xffff + 4096)
/* What the kernel copies of a packet at most: the length of an attribute has 16 bits. */
#define COPY_MAX	(0xffff - MNL_ATTR_HDRLEN)
/* Receive buffer, for bursts while we are not scheduled. */
#define SOCKET_ROOM	(32 << 20)
/* Packets read before verdicts and events are sent and signals are checked. */
#define BURST		64
#define LABEL_BYTES	16

/*
 * An open socket, bound to the queues. Owned by queue_run().
 *
 * @accepted: packets of queue @queue up to this id may pass unchanged, and their verdict
 *	is still to be sent; valid when @pending
 */
struct queue_socket {
	const struct queue_options *options;
	struct inspector *inspector;
	struct queue_counts *counts;
	struct mnl_socket *netlink;
	int signals;
	bool pending;
	uint16_t queue;
	uint32_t accepted;
	bool failed;

	/* aligned as netlink's structs need it */
	_Alignas(8) char message[MESSAGE_ROOM];
};

static int send_message(struct queue_socket *s, const struct nlmsghdr *message)
{
	if (mnl_socket_sendto(s->netlink, message, message->nlmsg_len) >= 0)
		return 0;
	return complain("cannot write to the queue's socket: %s", strerror(errno));
}

/* Accept all pending packets with one message. */
static int flush_accepted(struct queue_socket *s)
{
	_Alignas(8) char buffer[256];
	struct nlmsghdr *message;

	if (!s->pending)
		return 0;
	s->pending = false;
	message = nfq_nlmsg_put(buffer, NFQNL_MSG_VERDICT_BATCH, s->queue);
	nfq_nlmsg_verdict_put(message, s->accepted, NF_ACCEPT);
	return send_message(s, message);
}

static void put_conntrack(const struct inspector *inspector, struct nlmsghdr *message)
{
	const struct nfac_ioc_attach *want = &inspector->want;
	struct nlattr *nest = mnl_attr_nest_start(message, NFQA_CT);

	if (want->flags & NFAC_ATTACH_CT_MARK) {
		mnl_attr_put_u32(message, CTA_MARK, htonl(want->ct_mark));
		mnl_attr_put_u32(message, CTA_MARK_MASK, htonl(want->ct_mask));
	}
	if (want->flags & NFAC_ATTACH_CT_LABEL) {
		/* the kernel's bitmap: words of 32 bits in its own order */
		uint32_t label[LABEL_BYTES / 4] = { 0 };

		label[want->ct_label / 32] = 1u << want->ct_label % 32;
		mnl_attr_put(message, CTA_LABELS, sizeof(label), label);
		mnl_attr_put(message, CTA_LABELS_MASK, sizeof(label), label);
	}
	mnl_attr_nest_end(message, nest);
}

static int send_verdict(struct queue_socket *s, uint16_t queue, uint32_t id,
			const struct verdict *verdict)
{
	_Alignas(8) char buffer[512];
	struct nlmsghdr *message = nfq_nlmsg_put(buffer, NFQNL_MSG_VERDICT, queue);

	nfq_nlmsg_verdict_put(message, id, verdict->drop ? NF_DROP : NF_ACCEPT);
	if ((verdict->matched || verdict->candidate) && !verdict->drop)
		nfq_nlmsg_verdict_put_mark(message, verdict->mark);
	/* even of a packet that is dropped: the connection may outlive it */
	if (verdict->matched && s->options->conntrack)
		put_conntrack(s->inspector, message);
	return send_message(s, message);
}

/*
 * Packets that pass unchanged are accepted by one message, when another one comes that does
 * not pass or there is nothing more to read. Verdicts keep the packets' order, as those
 * that are pending are sent first.
 */
static int queue_verdict(struct queue_socket *s, uint16_t queue, uint32_t id,
			 const struct verdict *verdict)
{
	bool plain = !verdict->drop && !verdict->matched && !verdict->candidate;

	if (s->pending && (!plain || s->queue != queue) && flush_accepted(s))
		return -1;
	if (!plain)
		return send_verdict(s, queue, id, verdict);
	s->pending = true;
	s->queue = queue;
	s->accepted = id;
	return 0;
}

static uint32_t get_u32(struct nlattr *const *attributes, int type)
{
	return attributes[type] ? ntohl(mnl_attr_get_u32(attributes[type])) : 0;
}

/* What conntrack knows of the packet's connection. */
static void read_connection(struct nlattr *const *attributes, struct inspect_packet *packet)
{
	const struct nlattr *attribute;

	packet->established = -1;
	if (!attributes[NFQA_CT] || !attributes[NFQA_CT_INFO])
		return;
	packet->direction = get_u32(attributes, NFQA_CT_INFO) < IP_CT_IS_REPLY ?
			    NFAC_DIRECTION_TO_SERVER : NFAC_DIRECTION_TO_CLIENT;
	mnl_attr_for_each_nested(attribute, attributes[NFQA_CT])
		if (mnl_attr_get_type(attribute) == CTA_STATUS)
			packet->established = !!(ntohl(mnl_attr_get_u32(attribute)) &
						 IPS_SEEN_REPLY);
}

static int on_message(const struct nlmsghdr *message, void *context)
{
	struct queue_socket *s = context;
	struct nlattr *attributes[NFQA_MAX + 1] = { NULL };
	const struct nfqnl_msg_packet_hdr *head;
	const struct nfgenmsg *family;
	struct inspect_packet packet;
	struct verdict verdict;
	uint32_t info;

	if (nfq_nlmsg_parse(message, attributes) < 0 || !attributes[NFQA_PACKET_HDR])
		return MNL_CB_OK;
	family = mnl_nlmsg_get_payload(message);
	head = mnl_attr_get_payload(attributes[NFQA_PACKET_HDR]);
	info = get_u32(attributes, NFQA_SKB_INFO);
	packet = (struct inspect_packet) {
		.mark = get_u32(attributes, NFQA_MARK),
		.in = get_u32(attributes, NFQA_IFINDEX_INDEV),
		.out = get_u32(attributes, NFQA_IFINDEX_OUTDEV),
		.hook = head->hook,
		.offload = info & NFQA_SKB_GSO,
		/* of a GSO packet only the pseudo header's sum may be right */
		.unready = info & (NFQA_SKB_CSUMNOTREADY | NFQA_SKB_GSO),
		.unchecked = info & NFQA_SKB_CSUM_NOTVERIFIED,
	};
	if (attributes[NFQA_PAYLOAD]) {
		packet.bytes = mnl_attr_get_payload(attributes[NFQA_PAYLOAD]);
		packet.there = mnl_attr_get_payload_len(attributes[NFQA_PAYLOAD]);
	}
	packet.sent = packet.there;
	if (get_u32(attributes, NFQA_CAP_LEN) > packet.sent)
		packet.sent = get_u32(attributes, NFQA_CAP_LEN);
	read_connection(attributes, &packet);
	verdict = inspect(s->inspector, &packet);
	if (verdict.matched && s->options->conntrack && !attributes[NFQA_CT])
		s->counts->without_connection++;
	if (queue_verdict(s, ntohs(family->res_id), ntohl(head->packet_id), &verdict)) {
		s->failed = true;
		return MNL_CB_ERROR;
	}
	return MNL_CB_OK;
}

/* Read pending messages, at most a burst. Return: 0; -1 after saying why. */
static int drain(struct queue_socket *s)
{
	int fd = mnl_socket_get_fd(s->netlink), i;
	ssize_t got;

	for (i = 0; i < BURST; i++) {
		got = recv(fd, s->message, sizeof(s->message), MSG_DONTWAIT);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (got < 0 && errno == ENOBUFS) {
			/* the kernel dropped or accepted packets, and counted them */
			s->counts->overruns++;
			continue;
		}
		if (got < 0)
			return complain("cannot read from the queue's socket: %s", strerror(errno));
		mnl_cb_run(s->message, got, 0, mnl_socket_get_portid(s->netlink), on_message, s);
		if (s->failed)
			return -1;
	}
	return flush_accepted(s);
}

/* Send a command and read its acknowledgment. Return: 0 or an errno. */
static int exchange(struct queue_socket *s, struct nlmsghdr *message)
{
	ssize_t got;

	message->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(s->netlink, message, message->nlmsg_len) < 0)
		return errno;
	for (;;) {
		got = mnl_socket_recvfrom(s->netlink, s->message, sizeof(s->message));
		if (got < 0)
			break;
		got = mnl_cb_run(s->message, got, 0, mnl_socket_get_portid(s->netlink),
				 on_message, s);
		/* packets may come before the acknowledgment of a later command */
		if (got <= MNL_CB_STOP)
			break;
	}
	return got >= 0 ? 0 : errno;
}

/* Return: 0; -1 after saying why. */
static int command(struct queue_socket *s, struct nlmsghdr *message, uint16_t queue)
{
	int err = exchange(s, message);

	switch (err) {
	case 0:
		return 0;
	case EBUSY:
		return complain("queue %u is in use by another program", queue);
	case EPERM:
		/* the same error for both */
		return complain("queue %u: operation not permitted: another program has this queue, or CAP_NET_ADMIN over this network namespace is missing",
				queue);
	default:
		return complain("queue %u: %s", queue, strerror(err));
	}
}

static void set_flags(struct nlmsghdr *message, uint32_t flags)
{
	mnl_attr_put_u32(message, NFQA_CFG_FLAGS, htonl(flags));
	mnl_attr_put_u32(message, NFQA_CFG_MASK, htonl(flags));
}

static int bind_queue(struct queue_socket *s, uint16_t queue)
{
	uint32_t flags = NFQA_CFG_F_GSO | (s->options->fail_open ? NFQA_CFG_F_FAIL_OPEN : 0) |
			 (s->options->conntrack ? NFQA_CFG_F_CONNTRACK : 0);
	_Alignas(8) char buffer[256];
	struct nlmsghdr *message;

	message = nfq_nlmsg_put(buffer, NFQNL_MSG_CONFIG, queue);
	nfq_nlmsg_cfg_put_cmd(message, AF_UNSPEC, NFQNL_CFG_CMD_BIND);
	if (command(s, message, queue))
		return -1;
	message = nfq_nlmsg_put(buffer, NFQNL_MSG_CONFIG, queue);
	nfq_nlmsg_cfg_put_params(message, NFQNL_COPY_PACKET, COPY_MAX);
	nfq_nlmsg_cfg_put_qmaxlen(message, s->options->length);
	set_flags(message, flags);
	if (command(s, message, queue))
		return -1;
	if (s->options->connections && !s->options->conntrack) {
		message = nfq_nlmsg_put(buffer, NFQNL_MSG_CONFIG, queue);
		set_flags(message, NFQA_CFG_F_CONNTRACK);
		/* a kernel that cannot do that leaves such rules inexact */
		exchange(s, message);
	}
	return 0;
}

/*
 * Without nf_conntrack_netlink the kernel ignores the conntrack attributes of verdicts, and
 * nothing else may have loaded it. A request to it does.
 */
static int need_conntrack(void)
{
	_Alignas(8) char buffer[4096];
	struct mnl_socket *netlink;
	struct nlmsghdr *message;
	ssize_t got = -1;

	netlink = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	message = nfq_nlmsg_put(buffer, 0, 0);
	message->nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET_STATS;
	message->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (netlink && !mnl_socket_bind(netlink, 0, MNL_SOCKET_AUTOPID) &&
	    mnl_socket_sendto(netlink, message, message->nlmsg_len) >= 0)
		got = mnl_socket_recvfrom(netlink, buffer, sizeof(buffer));
	if (got >= 0)
		got = mnl_cb_run(buffer, got, 0, mnl_socket_get_portid(netlink), NULL, NULL);
	if (netlink)
		mnl_socket_close(netlink);
	return got < 0 ? -1 : 0;
}

/* Without it rules that name a direction are inexact; marks of connections cannot be without. */
static int open_conntrack(const struct queue_options *options)
{
	if ((!options->conntrack && !options->connections) || !need_conntrack())
		return 0;
	if (!options->conntrack)
		return 0;
	return complain("--ct-mark and --ct-label: the kernel's nf_conntrack_netlink does not answer: %s",
			strerror(errno));
}

static int open_socket(struct queue_socket *s)
{
	int room = SOCKET_ROOM;
	unsigned int queue;
	sigset_t set;

	if (open_conntrack(s->options))
		return -1;
	s->netlink = mnl_socket_open2(NETLINK_NETFILTER, SOCK_CLOEXEC);
	if (!s->netlink || mnl_socket_bind(s->netlink, 0, MNL_SOCKET_AUTOPID) < 0)
		return complain("cannot open a netfilter socket: %s", strerror(errno));
	if (setsockopt(mnl_socket_get_fd(s->netlink), SOL_SOCKET, SO_RCVBUFFORCE, &room,
		       sizeof(room)))
		setsockopt(mnl_socket_get_fd(s->netlink), SOL_SOCKET, SO_RCVBUF, &room,
			   sizeof(room));
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* the filter goes on when the reader of the events ends */
	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (s->signals < 0)
		return complain("signalfd: %s", strerror(errno));
	for (queue = s->options->first; queue <= s->options->last; queue++)
		if (bind_queue(s, queue))
			return -1;
	return 0;
}

/* Add the kernel's counters of our queues, which go away with the socket. */
static void add_drops(const struct queue_options *options, struct queue_counts *counts)
{
	FILE *in = fopen("/proc/net/netfilter/nfnetlink_queue", "re");
	unsigned int queue, portid, waiting, mode, range;
	unsigned long dropped, user;
	char line[256];

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%u %u %u %u %u %lu %lu", &queue, &portid, &waiting, &mode,
			   &range, &dropped, &user) != 7 ||
		    queue < options->first || queue > options->last)
			continue;
		counts->queue_dropped += dropped;
		counts->user_dropped += user;
	}
	if (in)
		fclose(in);
}

/* The counts so far, of a queue that goes on. */
static struct queue_counts counts_now(const struct queue_socket *s)
{
	struct queue_counts counts = *s->counts;

	add_drops(s->options, &counts);
	return counts;
}

/* Handle a signal. Return: false when it ends the loop. */
static bool goes_on(struct queue_socket *s)
{
	struct signalfd_siginfo info;
	struct queue_counts counts;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return false;
	switch (info.ssi_signo) {
	case SIGHUP:
		s->options->reload(s->options->context);
		return true;
	case SIGUSR1:
		counts = counts_now(s);
		s->options->status(s->options->context, &counts);
		return true;
	default:
		return false;
	}
}

static int loop(struct queue_socket *s)
{
	struct pollfd fds[] = {
		{ .fd = s->signals, .events = POLLIN },
		{ .fd = mnl_socket_get_fd(s->netlink), .events = POLLIN },
		{ .fd = s->options->readers, .events = POLLIN },
	};
	struct queue_counts counts;

	for (;;) {
		/* a log that cannot be written must not switch the filter off */
		event_flush("packets are inspected all the same");
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return complain("poll: %s", strerror(errno));
		if (fds[1].revents && drain(s))
			return -1;
		if (fds[2].revents) {
			counts = counts_now(s);
			s->options->answer(s->options->context, &counts);
		}
		if (fds[0].revents && !goes_on(s))
			return 0;
	}
}

int queue_run(const struct queue_options *options, struct inspector *inspector,
	      struct queue_counts *counts)
{
	struct queue_socket *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return complain("out of memory");
	s->options = options;
	s->inspector = inspector;
	s->counts = counts;
	s->signals = -1;
	err = open_socket(s);
	if (!err) {
		complain("queue %u%s: ready", options->first,
			 options->last > options->first ? " and on" : "");
		err = loop(s);
		add_drops(options, counts);
	}
	if (s->signals >= 0)
		close(s->signals);
	if (s->netlink)
		mnl_socket_close(s->netlink);
	free(s);
	return err;
}

#else /* !HAVE_NFQUEUE */

int queue_run(const struct queue_options *options, struct inspector *inspector,
	      struct queue_counts *counts)
{
	(void)options;
	(void)inspector;
	(void)counts;
	return complain("this nfac was built without libnetfilter_queue and libmnl");
}

#endif /* HAVE_NFQUEUE */
