// SPDX-License-Identifier: GPL-2.0
/*
 * Input: what nfac-bench --export wrote, made into packets, automata and rules.
 */
#include <linux/ip.h>
#include <linux/kernel_read_file.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/vmalloc.h>

#include "bench.h"
#include "engine/match/matcher.h"

#define FILE_MAX	(64 << 20)

const char * const bench_hostile_kinds[BENCH_HOSTILE] = {
	"hostile-patterns", "hostile-prefixes", "hostile-runs",
};

static const u32 bench_counts[BENCH_SETS] = { 1, 10, 100, 2358 };

static void *read_file(const char *folder, const char *name, size_t *bytes)
{
	void *data = NULL;
	char *path = kasprintf(GFP_KERNEL, "%s/%s", folder, name);
	ssize_t got;

	if (!path)
		return ERR_PTR(-ENOMEM);
	got = kernel_read_file_from_path(path, 0, &data, FILE_MAX, NULL, READING_UNKNOWN);
	if (got < 0)
		pr_err("nfac_bench: %s: error %zd\n", path, got);
	kfree(path);
	if (got < 0)
		return ERR_PTR(got);
	*bytes = got;
	return data;
}

static int text_read(struct bench_text *text, const char *folder, const char *name)
{
	void *data = read_file(folder, name, &text->bytes);

	if (IS_ERR(data))
		return PTR_ERR(data);
	text->records = data;
	return 0;
}

static struct sk_buff *make_packet(const void *payload, u32 len)
{
	struct sk_buff *skb = alloc_skb(BENCH_HEADERS + len, GFP_KERNEL);
	struct tcphdr *th;
	struct iphdr *iph;

	if (!skb)
		return NULL;
	skb->protocol = htons(ETH_P_IP);
	skb_reset_network_header(skb);
	iph = skb_put_zero(skb, sizeof(*iph));
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->protocol = IPPROTO_TCP;
	iph->tot_len = htons(BENCH_HEADERS + len);
	skb_set_transport_header(skb, sizeof(*iph));
	th = skb_put_zero(skb, sizeof(*th));
	th->doff = sizeof(*th) / 4;
	th->ack = 1;	/* as all data behind a SYN have */
	th->source = htons(1024);
	th->dest = htons(80);
	skb_put_data(skb, payload, len);
	return skb;
}

static int packets_add(struct bench_packets *p, const void *payload, u32 len)
{
	struct sk_buff *skb = make_packet(payload, len);

	if (!skb)
		return -ENOMEM;
	p->skb[p->count++] = skb;
	p->bytes += len;
	return 0;
}

int bench_packets_make(struct bench_packets *p, const struct bench_text *text, u32 size,
		       u32 most)
{
	const u8 *at = text->records, *end = at + text->bytes;
	int err = 0;

	p->skb = kvcalloc(most, sizeof(*p->skb), GFP_KERNEL);
	if (!p->skb)
		return -ENOMEM;
	while (!err && at + 4 <= end && p->count < most) {
		u32 len = nfac_get32(at);
		u32 take;

		at += 4;
		if (len > end - at)
			return -EINVAL;
		if (!size) {
			err = packets_add(p, at, len);
			at += len;
			continue;
		}
		for (take = 0; !err && take + size <= len && p->count < most; take += size)
			err = packets_add(p, at + take, size);
		at += len;
	}
	return err;
}

void bench_packets_free(struct bench_packets *p)
{
	while (p->count)
		kfree_skb(p->skb[--p->count]);
	kvfree(p->skb);
	memset(p, 0, sizeof(*p));
}

static struct ts_config *make_rule(const char *algorithm, const void *pattern, u32 len)
{
	struct ts_config *ts = textsearch_prepare(algorithm, pattern, len, GFP_KERNEL,
						  TS_AUTOLOAD);

	return IS_ERR(ts) ? NULL : ts;
}

static int rules_read(struct bench_rules *r, const char *folder, u32 count)
{
	const u8 *data, *at, *end;
	char name[32];
	size_t bytes;
	int err = 0;

	snprintf(name, sizeof(name), "words-%u.patterns", count);
	data = read_file(folder, name, &bytes);
	if (IS_ERR(data))
		return PTR_ERR(data);
	r->bm = kvcalloc(count, sizeof(*r->bm), GFP_KERNEL);
	r->kmp = kvcalloc(count, sizeof(*r->kmp), GFP_KERNEL);
	if (!r->bm || !r->kmp)
		err = -ENOMEM;
	end = data + bytes;
	for (at = data; !err && at + 4 <= end && r->count < count; r->count++) {
		u32 len = nfac_get32(at);

		at += 4;
		r->bm[r->count] = make_rule("bm", at, len);
		r->kmp[r->count] = make_rule("kmp", at, len);
		if (!r->bm[r->count] || !r->kmp[r->count])
			err = -ENOENT;
		at += len;
	}
	vfree(data);
	return err;
}

/* Return: the load of the blob in the file, or an ERR_PTR. */
static struct nfac_load *load_read(struct nfac_budget *budget, const char *folder,
				   const char *name)
{
	struct nfac_load *load;
	struct nfac_fault fault;
	size_t bytes;
	void *blob;
	u64 ns;

	blob = read_file(folder, name, &bytes);
	if (IS_ERR(blob))
		return ERR_CAST(blob);
	load = nfac_load_create(budget, blob, bytes, &fault, &ns);
	vfree(blob);
	if (IS_ERR(load) && fault.what)
		pr_err("nfac_bench: %s: word %u: %s\n", name, fault.word, fault.what);
	return load;
}

static int automaton_read(struct bench_rules *r, struct nfac_budget *budget,
			  const char *folder, u32 count)
{
	char name[32];

	snprintf(name, sizeof(name), "words-%u.nfac", count);
	r->load = load_read(budget, folder, name);
	return PTR_ERR_OR_ZERO(r->load);
}

int bench_input_read(struct bench_input *in, const char *folder)
{
	size_t bytes;
	void *data;
	int i, err;

	in->budget = nfac_budget_alloc();
	if (!in->budget)
		return -ENOMEM;
	data = read_file(folder, "gen-100k.nfac", &in->big_bytes);
	if (IS_ERR(data))
		return PTR_ERR(data);
	in->big = data;
	err = text_read(&in->honest, folder, "honest");
	for (i = 0; !err && i < BENCH_HOSTILE; i++)
		err = text_read(&in->hostile[i], folder, bench_hostile_kinds[i]);
	if (err)
		return err;
	data = read_file(folder, "nodes", &bytes);
	if (IS_ERR(data))
		return PTR_ERR(data);
	in->nodes = data;
	in->nodes_count = bytes / 4;
	err = bench_packets_make(&in->packets, &in->honest, 0, in->honest.bytes / 32 + 1);
	if (!err) {
		in->confirmed = load_read(in->budget, folder, "rules.nfac");
		err = PTR_ERR_OR_ZERO(in->confirmed);
	}
	if (!err) {
		in->decoded = load_read(in->budget, folder, "decoded.nfac");
		err = PTR_ERR_OR_ZERO(in->decoded);
	}
	/* the largest first: its slack is reported, and its first page shall be its own */
	for (i = BENCH_SETS; !err && i--; ) {
		err = automaton_read(&in->rules[i], in->budget, folder, bench_counts[i]);
		if (!err)
			err = rules_read(&in->rules[i], folder, bench_counts[i]);
	}
	return err;
}

static void rules_free(struct bench_rules *r)
{
	while (r->count) {
		r->count--;
		textsearch_destroy(r->bm[r->count]);
		textsearch_destroy(r->kmp[r->count]);
	}
	kvfree(r->bm);
	kvfree(r->kmp);
	if (!IS_ERR_OR_NULL(r->load))
		nfac_load_free(r->load);
}

void bench_input_free(struct bench_input *in)
{
	int i;

	for (i = 0; i < BENCH_SETS; i++)
		rules_free(&in->rules[i]);
	if (!IS_ERR_OR_NULL(in->confirmed))
		nfac_load_free(in->confirmed);
	if (!IS_ERR_OR_NULL(in->decoded))
		nfac_load_free(in->decoded);
	bench_packets_free(&in->packets);
	vfree(in->nodes);
	vfree(in->honest.records);
	for (i = 0; i < BENCH_HOSTILE; i++)
		vfree(in->hostile[i].records);
	vfree(in->big);
	if (in->budget)
		nfac_budget_put(in->budget);
	memset(in, 0, sizeof(*in));
}
