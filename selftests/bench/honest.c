// SPDX-License-Identifier: GPL-2.0
/*
 * Honest traffic: the TCP payloads of the shared captures, and a larger mix made
 * from their words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <pcap/pcap.h>
#include <zlib.h>

#include "text.h"

#define ETHERNET_HEADER	14

static const uint8_t *tcp_payload(const uint8_t *packet, size_t len, int link, size_t *out)
{
	const struct iphdr *ip;
	const struct tcphdr *tcp;
	size_t at = link == DLT_RAW ? 0 : ETHERNET_HEADER;
	size_t end, header;

	if (len < at + sizeof(*ip))
		return NULL;
	ip = (const void *)(packet + at);
	header = ip->ihl * 4;
	if (ip->version != 4 || ip->protocol != IPPROTO_TCP ||
	    len < at + header + sizeof(*tcp))
		return NULL;
	end = at + ntohs(ip->tot_len);
	if (end > len)
		end = len;
	tcp = (const void *)(packet + at + header);
	at += header + tcp->doff * 4;
	if (at >= end)
		return NULL;
	*out = end - at;
	return packet + at;
}

/* zlib reads it, libpcap takes it from a pipe of its own: a FILE in memory. */
static FILE *open_gz(const char *path)
{
	gzFile gz = gzopen(path, "rb");
	FILE *f = tmpfile();
	char chunk[65536];
	int got;

	if (!gz || !f) {
		perror(path);
		if (gz)
			gzclose(gz);
		if (f)
			fclose(f);
		return NULL;
	}
	while ((got = gzread(gz, chunk, sizeof(chunk))) > 0)
		fwrite(chunk, 1, got, f);
	gzclose(gz);
	rewind(f);
	return f;
}

static int read_capture(struct bench_text *text, const char *path, size_t thin)
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *head;
	const u_char *packet;
	FILE *f = open_gz(path);
	size_t seen = 0;
	pcap_t *cap;
	int ret = 0;

	if (!f)
		return -1;
	cap = pcap_fopen_offline(f, error);
	if (!cap) {
		fprintf(stderr, "%s: %s\n", path, error);
		fclose(f);
		return -1;
	}
	while (!ret && pcap_next_ex(cap, &head, &packet) == 1) {
		size_t len;
		const uint8_t *payload = tcp_payload(packet, head->caplen,
						     pcap_datalink(cap), &len);

		if (!payload || seen++ % thin)
			continue;
		while (!ret && len) {
			size_t take = len < BENCH_RECORD ? len : BENCH_RECORD;

			ret = text_append(text, payload, take) || text_end_record(text);
			payload += take;
			len -= take;
		}
	}
	pcap_close(cap);
	return ret;
}

int honest_load(struct bench_text *text, const char *data, size_t bytes, size_t thin)
{
	struct bench_text sample = { .bytes = 0 };
	char path[4096];
	int ret;

	snprintf(path, sizeof(path), "%s/benign-http.pcap.gz", data);
	ret = read_capture(&sample, path, 1) || read_capture(text, path, thin);
	snprintf(path, sizeof(path), "%s/crs-attacks.pcap.gz", data);
	ret = ret || read_capture(text, path, thin) || honest_mix(text, &sample, bytes);
	snprintf(text->name, sizeof(text->name), "honest");
	text_free(&sample);
	return ret;
}
