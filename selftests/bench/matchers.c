// SPDX-License-Identifier: GPL-2.0
/*
 * The matchers of a run, in the order of the table, and the Rust peers' calls.
 */
#include <string.h>

#include "bench.h"
#include "peers.h"

/* A DFA row is a u32 for each class of bytes; more than this is not built. */
#define DFA_BYTES_MAX	(6ull << 30)

static void *rust_build(const struct bench_matcher *m, const struct bench_set *set,
			const char **why)
{
	uint64_t bytes = 0;
	void *peer;

	for (size_t i = 0; i < set->count; i++)
		bytes += set->patterns[i].len;
	if (m->kind == PEER_DFA && bytes * 1024 > DFA_BYTES_MAX) {
		*why = "the table would take more than 6 GB";
		return NULL;
	}
	peer = peer_build(m->kind, set->patterns, set->count);
	if (!peer)
		*why = "the crate refuses the set";
	return peer;
}

static size_t rust_bytes(const struct bench_matcher *m, void *automaton)
{
	(void)m;
	return peer_bytes(automaton);
}

static unsigned int rust_variants(const struct bench_matcher *m)
{
	return peer_variants(m->kind);
}

static struct bench_hits rust_count(const struct bench_matcher *m, void *automaton,
				    unsigned int variant, const struct bench_text *text)
{
	(void)m;
	return peer_count(automaton, variant, text->raw, text->folded, text->ends,
			  text->records);
}

static void rust_free(const struct bench_matcher *m, void *automaton)
{
	(void)m;
	peer_free(automaton);
}

#define NFAC(_name, _kind, _same) {				\
	.name = _name, .kind = _kind, .same_as = _same,		\
	.build = nfac_build, .bytes = nfac_bytes,		\
	.count = nfac_count, .free = nfac_free }

#define RUST(_name, _kind) {					\
	.name = _name, .kind = _kind,				\
	.build = rust_build, .bytes = rust_bytes,		\
	.variants = rust_variants,				\
	.count = rust_count, .free = rust_free }

const struct bench_matcher bench_matchers[] = {
	NFAC("nfac", 0, NULL),
	NFAC("nfac-portable", 1, "nfac"),
	NFAC("nfac-nofilter", 2, "nfac"),
	{
		.name = "hyperscan",
		.build = hyperscan_build, .bytes = hyperscan_bytes,
		.count = hyperscan_count, .free = hyperscan_free,
	},
	RUST("daachorse", PEER_DAACHORSE1),
	RUST("rust-nfa", PEER_NFA),
	RUST("rust-dfa", PEER_DFA),
	RUST("daachorse-5", PEER_DAACHORSE5),
};

const size_t bench_matchers_count = ARRAY_SIZE(bench_matchers);
