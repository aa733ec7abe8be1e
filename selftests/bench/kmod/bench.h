/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The benchmark inside the kernel: what its parts share.
 *
 * A debug-only module that belongs to no user's machine. It reads its input from
 * files that nfac-bench --export wrote (see export.c) when it is loaded, and
 * measures when a program reads speed, packets, streams, objects, memory or load in
 * /sys/kernel/debug/nfac_bench.
 * Reads take turns by a mutex; everything else is constant after init.
 */
#ifndef _NFAC_BENCH_KMOD_H
#define _NFAC_BENCH_KMOD_H

#include <linux/seq_file.h>
#include <linux/skbuff.h>
#include <linux/textsearch.h>

#include "load.h"

#define BENCH_HEADERS	40	/* IPv4 and TCP, without options */
#define BENCH_SETS	4	/* with 1, 10, 100 and 2,358 patterns */
#define BENCH_HOSTILE	3	/* the patterns, their beginnings, runs of one byte */
#define BENCH_RULES_MAX	4096

/**
 * struct bench_packets - packets as a hook sees them
 * @skb: linear, headers and payload
 * @count: of them
 * @bytes: of payload
 */
struct bench_packets {
	struct sk_buff **skb;
	u32 count;
	u64 bytes;
};

/**
 * struct bench_text - payload, one record after the other: length (u32), bytes
 */
struct bench_text {
	void *records;
	size_t bytes;
};

/**
 * struct bench_rules - patterns, as nfac has them and as xt_string has them
 * @load: the automaton in tiles, as a set has it
 * @bm: a configuration a pattern, as each xt_string rule holds one
 * @kmp: the same
 */
struct bench_rules {
	struct nfac_load *load;
	struct ts_config **bm;
	struct ts_config **kmp;
	u32 count;
};

/**
 * struct bench_input - all that is measured
 * @budget: pays for the loads, and for nothing else
 * @big: blob of 100,000 patterns, to be loaded against the clock
 * @confirmed: Suricata rules, with their programs
 * @decoded: CRS phrases, also searched in the decoded view
 * @honest: payload
 * @hostile: by kind, as nfac-bench names them
 * @nodes: for each state of the trie of 2,358 patterns: children, span (u16 each)
 */
struct bench_input {
	struct nfac_budget *budget;
	void *big;
	size_t big_bytes;
	struct nfac_load *confirmed;
	struct nfac_load *decoded;
	struct bench_text honest;
	struct bench_text hostile[BENCH_HOSTILE];
	__le16 *nodes;
	u32 nodes_count;
	struct bench_packets packets;
	struct bench_rules rules[BENCH_SETS];
};

extern struct bench_input bench_input;
extern const char * const bench_hostile_kinds[BENCH_HOSTILE];

int bench_input_read(struct bench_input *in, const char *folder);
void bench_input_free(struct bench_input *in);

/* A packet for each record, or @size not 0: cut anew into pieces of @size bytes; at most @most. */
int bench_packets_make(struct bench_packets *p, const struct bench_text *text, u32 size,
		       u32 most);
void bench_packets_free(struct bench_packets *p);

/* Times of @n rounds, the fastest first. */
void bench_sort(u64 *ns, u32 n);

int bench_speed_show(struct seq_file *m, void *v);
int bench_packets_show(struct seq_file *m, void *v);
int bench_load_show(struct seq_file *m, void *v);
int bench_streams_show(struct seq_file *m, void *v);
int bench_memory_show(struct seq_file *m, void *v);
int bench_objects_show(struct seq_file *m, void *v);

#endif /* _NFAC_BENCH_KMOD_H */
