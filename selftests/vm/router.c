// SPDX-License-Identifier: GPL-2.0
/*
 * router: the only process of a guest that is a small router
 *
 * Inserts nfac.ko, mounts the disk at /disk, makes a bridge of two pairs of devices, and runs the
 * commands of /commands, one a line, words separated by blanks. "send" in place of a command sends
 * the frames of /frames, a capture of Ethernet frames, into one end of the bridge, and counts what
 * arrives at the other end; "readlink" prints where a link leads; what follows "not" has to fail.
 * After each line, the least memory that was available meanwhile, memory and slab caches are
 * printed. ./router reads the lines that begin with "@".
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* of syslog(2) */
#define CONSOLE_OFF	6
#define CONSOLE_ON	7
#define FRAME_MAX	1514
/* after the last frame, until the other end counts as silent */
#define SILENCE_MS	1000
#define WORDS_MAX	32
/* between two readings of the available memory */
#define SAMPLE_US	5000

static const unsigned char sender[] = { 2, 0, 0, 0, 0, 1 }, receiver[] = { 2, 0, 0, 0, 0, 2 };

static int failed(const char *what)
{
	printf("@ error %s: %s\n", what, strerror(errno));
	return 1;
}

/* Print the lines of a file that begin with one of @words. */
static void print_lines(const char *path, const char *const *words)
{
	FILE *file = fopen(path, "r");
	char line[512];
	size_t i;

	if (!file) {
		failed(path);
		return;
	}
	while (fgets(line, sizeof(line), file))
		for (i = 0; words[i]; i++)
			if (!strncmp(line, words[i], strlen(words[i])))
				printf("@   %s", line);
	fclose(file);
}

static void print_memory(const char *when)
{
	static const char *const memory[] = {
		"MemTotal:", "MemFree:", "MemAvailable:", "Slab:", NULL
	};
	static const char *const caches[] = { "nfac", NULL };

	printf("@ memory %s\n", when);
	print_lines("/proc/meminfo", memory);
	print_lines("/proc/slabinfo", caches);
	printf("@ end\n");
}

static int mounts(void)
{
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mkdir("/run", 0755);
	if (mount("proc", "/proc", "proc", 0, NULL) || mount("sysfs", "/sys", "sysfs", 0, NULL))
		return failed("mount");
	return 0;
}

/* This kernel has no devtmpfs. @numbers: the file of sysfs with the device's numbers */
static int make_device(const char *path, mode_t type, const char *numbers)
{
	FILE *file = fopen(numbers, "r");
	unsigned int major, minor;

	if (!file || fscanf(file, "%u:%u", &major, &minor) != 2)
		return failed(numbers);
	fclose(file);
	return mknod(path, type | 0600, makedev(major, minor)) ? failed(path) : 0;
}

/* Sets are in flash memory or on a stick, not in the guest's memory as the initrd's files are. */
static int mount_disk(void)
{
	mkdir("/disk", 0755);
	if (make_device("/dev/vda", S_IFBLK, "/sys/block/vda/dev"))
		return 1;
	return mount("/dev/vda", "/disk", "ext2", MS_RDONLY, NULL) ? failed("/disk") : 0;
}

static int insert(const char *path)
{
	int fd = open(path, O_RDONLY), err;

	if (fd < 0)
		return failed(path);
	err = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return err ? failed(path) : 0;
}

/* A request of rtnetlink that grows. */
struct request {
	struct nlmsghdr head;
	struct ifinfomsg info;
	char attributes[512];
};

static struct rtattr *put(struct request *r, int type, const void *data, size_t bytes)
{
	struct rtattr *a = (struct rtattr *)((char *)r + NLMSG_ALIGN(r->head.nlmsg_len));

	a->rta_type = type;
	a->rta_len = RTA_LENGTH(bytes);
	if (bytes)
		memcpy(RTA_DATA(a), data, bytes);
	r->head.nlmsg_len = NLMSG_ALIGN(r->head.nlmsg_len) + RTA_ALIGN(a->rta_len);
	return a;
}

static void close_nest(struct request *r, struct rtattr *a)
{
	a->rta_len = (char *)r + r->head.nlmsg_len - (char *)a;
}

/* Make two devices that are the ends of one cable. */
static int make_pair(const char *name, const char *peer)
{
	struct request r = {
		.head = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
			.nlmsg_type = RTM_NEWLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK,
		},
	};
	static const struct ifinfomsg none;
	struct rtattr *link, *data, *other;
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[512];
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), bad;

	put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	link = put(&r, IFLA_LINKINFO, NULL, 0);
	put(&r, IFLA_INFO_KIND, "veth", 5);
	data = put(&r, IFLA_INFO_DATA, NULL, 0);
	other = put(&r, VETH_INFO_PEER, &none, sizeof(none));
	put(&r, IFLA_IFNAME, peer, strlen(peer) + 1);
	close_nest(&r, other);
	close_nest(&r, data);
	close_nest(&r, link);
	bad = fd < 0 || send(fd, &r, r.head.nlmsg_len, 0) < 0 ||
	      recv(fd, &answer, sizeof(answer), 0) < 0;
	if (!bad && answer.error.error) {
		errno = -answer.error.error;
		bad = 1;
	}
	if (fd >= 0)
		close(fd);
	return bad ? failed(name) : 0;
}

static int switch_on(int fd, const char *name)
{
	struct ifreq r = { .ifr_flags = IFF_UP | IFF_PROMISC };

	strcpy(r.ifr_name, name);
	return ioctl(fd, SIOCSIFFLAGS, &r) ? failed(name) : 0;
}

static int add_port(int fd, const char *name)
{
	struct ifreq r = { .ifr_ifindex = if_nametoindex(name) };

	strcpy(r.ifr_name, "br0");
	return ioctl(fd, SIOCBRADDIF, &r) ? failed(name) : 0;
}

/* lan0 -- lan1 br0 wan1 -- wan0 */
static int make_bridge(void)
{
	static const char *const devices[] = { "lan0", "lan1", "wan0", "wan1", "br0" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	size_t i;

	if (make_pair("lan0", "lan1") || make_pair("wan0", "wan1"))
		return 1;
	if (ioctl(fd, SIOCBRADDBR, "br0"))
		return failed("br0");
	if (add_port(fd, "lan1") || add_port(fd, "wan1"))
		return 1;
	for (i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (switch_on(fd, devices[i]))
			return 1;
	close(fd);
	return 0;
}

static int packet_socket(const char *device)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(device),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), room = 4 << 20;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at))) {
		failed(device);
		exit(1);
	}
	return fd;
}

/* Count the frames from @sender that have arrived. Return: whether there was any frame. */
static int receive(int fd, int wait_ms, unsigned int *arrived)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	unsigned char frame[FRAME_MAX + 4];
	int any = 0;
	ssize_t n;

	if (wait_ms && poll(&ready, 1, wait_ms) <= 0)
		return 0;
	while ((n = recv(fd, frame, sizeof(frame), MSG_DONTWAIT)) > 0) {
		*arrived += n > 12 && !memcmp(frame + 6, sender, 6);
		any = 1;
	}
	return any;
}

static unsigned int word(const unsigned char *at, int swapped)
{
	unsigned int x;

	memcpy(&x, at, sizeof(x));
	return swapped ? __builtin_bswap32(x) : x;
}

static int send_frames(void)
{
	int from = packet_socket("lan0"), to = packet_socket("wan0"), swapped;
	unsigned int sent = 0, arrived = 0, bytes = 0, n;
	unsigned char head[24], frame[FRAME_MAX];
	struct tpacket_stats lost = { 0 };
	socklen_t size = sizeof(lost);
	FILE *capture = fopen("/frames", "r");
	struct timespec begin, end;

	if (!capture || fread(head, sizeof(head), 1, capture) != 1)
		return failed("/frames");
	swapped = word(head, 0) != 0xa1b2c3d4;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (fread(head, 16, 1, capture) == 1) {
		n = word(head + 8, swapped);
		if (n > sizeof(frame) || fread(frame, n, 1, capture) != 1)
			return failed("a frame of /frames");
		/* one direction, or the bridge would learn that both are at one port */
		memcpy(frame, receiver, 6);
		memcpy(frame + 6, sender, 6);
		if (send(from, frame, n, 0) != (ssize_t)n)
			return failed("send");
		sent++;
		bytes += n;
		receive(to, 0, &arrived);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	while (receive(to, SILENCE_MS, &arrived))
		;
	/* arrived, but found no room in the socket's buffer */
	getsockopt(to, SOL_PACKET, PACKET_STATISTICS, &lost, &size);
	printf("@ frames %u sent, %u bytes, %u arrived, %u lost by the receiver, %ld ms\n", sent,
	       bytes, arrived, lost.tp_drops,
	       (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000);
	fclose(capture);
	close(from);
	close(to);
	return 0;
}

static long available(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];
	long kb = -1;

	while (file && kb < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "MemAvailable: %ld", &kb);
	if (file)
		fclose(file);
	return kb;
}

static int run(char **words, long *least)
{
	int status;
	pid_t pid, ended;
	long now;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		execv(words[0], words);
		_exit(127);
	}
	if (pid < 0)
		return failed(words[0]);
	do {
		usleep(SAMPLE_US);
		now = available();
		if (now < *least)
			*least = now;
		ended = waitpid(pid, &status, WNOHANG);
	} while (!ended);
	if (ended != pid)
		return failed(words[0]);
	return status != 0;
}

static int print_link(const char *path)
{
	char to[256];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n < 0)
		return failed(path);
	printf("@ link %s to %.*s\n", path, (int)n, to);
	return 0;
}

static int command(char *line)
{
	char *words[WORDS_MAX + 1] = { 0 }, *rest = line, copy[256];
	long least = available();
	size_t n = 0;
	int bad;

	snprintf(copy, sizeof(copy), "%s", line);
	while (n < WORDS_MAX && (words[n] = strtok_r(rest, " ", &rest)))
		n++;
	if (!n)
		return 0;
	if (!strcmp(words[0], "send"))
		bad = send_frames();
	else if (!strcmp(words[0], "not"))
		bad = !run(words + 1, &least);
	else if (!strcmp(words[0], "readlink"))
		bad = print_link(words[1]);
	else
		bad = run(words, &least);
	printf("@ done %d %s\n@ least %ld\n", bad, copy, least);
	print_memory(copy);
	return bad;
}

int main(void)
{
	FILE *commands = fopen("/commands", "r");
	int status = mounts();
	char line[256];

	klogctl(CONSOLE_OFF, NULL, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	print_memory("before the module");
	status = status || insert("/nfac.ko") ||
		 make_device("/dev/nfac", S_IFCHR, "/sys/class/misc/nfac/dev") || mount_disk() ||
		 make_bridge();
	print_memory("with the module and a bridge");
	while (!status && commands && fgets(line, sizeof(line), commands)) {
		line[strcspn(line, "\n")] = 0;
		status = command(line);
	}
	if (!commands)
		status = failed("/commands");
	if (!status && syscall(SYS_delete_module, "nfac", O_NONBLOCK))
		status = failed("rmmod");
	print_memory("after the module");
	printf("@ status %d\n", status);
	fflush(stdout);
	/* the kernel's complaints, for ./scan-log */
	klogctl(CONSOLE_ON, NULL, 0);
	reboot(RB_POWER_OFF);
	return status;
}
