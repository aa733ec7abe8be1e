/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the benchmark share: sets, texts, matchers, results.
 *
 * One process holds every matcher of a set at once, so that their rounds can be
 * interleaved; all of it is single-threaded and pinned to one CPU.
 */
#ifndef _NFAC_BENCH_H
#define _NFAC_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_RECORD		1448	/* payload of a full Ethernet TCP segment */
#define BENCH_ROUNDS_MAX	64
#define BENCH_NAME_MAX		32

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/**
 * struct bench_pattern - one pattern; same layout as PeerPattern in peers/
 * @bytes: owned by the set
 */
struct bench_pattern {
	const uint8_t *bytes;
	uint32_t len;
	uint32_t nocase;
};

/**
 * struct bench_set - patterns that all matchers of a run are built from
 * @fold: some pattern is caseless, so texts also need a lower-case copy
 *
 * Owned by main(); constant once loaded. No two patterns are equal in bytes and
 * case, so every matcher must report the same matches.
 */
struct bench_set {
	char name[BENCH_NAME_MAX];
	struct bench_pattern *patterns;
	size_t count;
	size_t room;
	bool fold;
};

/**
 * struct bench_text - records, each of which every matcher scans from its start
 * @raw: the bytes
 * @folded: the same in lower case, for matchers that cannot fold; or NULL
 * @ends: where each record ends
 *
 * Owned by the caller that made it; text_free().
 */
struct bench_text {
	char name[BENCH_NAME_MAX];
	uint8_t *raw;
	uint8_t *folded;
	uint32_t *ends;
	size_t bytes;
	size_t bytes_room;
	size_t records;
	size_t records_room;
};

struct bench_hits {
	uint64_t matches;
	uint64_t sum;
};

/* What every matcher adds to the sum for a match; the same in peers/src/search.rs. */
static inline void bench_hit(struct bench_hits *hits, uint32_t id, uint64_t end)
{
	hits->matches++;
	hits->sum += (uint64_t)id * 0x9e3779b1u + end;
}

/**
 * struct bench_matcher - a way to find a set's patterns
 * @name: as in bench.json
 * @build: an automaton of the set, or NULL with *@why set to a sentence
 * @bytes: the memory of it, as the library reports it itself
 * @variants: ways to call it, of which each traffic's fastest is taken; NULL: one
 * @count: scan all records of a text
 * @same_as: name of the matcher whose automaton it shares; NULL: its own
 */
struct bench_matcher {
	const char *name;
	unsigned int kind;
	const char *same_as;
	void *(*build)(const struct bench_matcher *m, const struct bench_set *set,
		       const char **why);
	size_t (*bytes)(const struct bench_matcher *m, void *automaton);
	unsigned int (*variants)(const struct bench_matcher *m);
	struct bench_hits (*count)(const struct bench_matcher *m, void *automaton,
				   unsigned int variant, const struct bench_text *text);
	void (*free)(const struct bench_matcher *m, void *automaton);
};

extern const struct bench_matcher bench_matchers[];
extern const size_t bench_matchers_count;

/* matchers' parts: one file each */
void *hyperscan_build(const struct bench_matcher *m, const struct bench_set *set,
		      const char **why);
size_t hyperscan_bytes(const struct bench_matcher *m, void *automaton);
struct bench_hits hyperscan_count(const struct bench_matcher *m, void *automaton,
				  unsigned int variant, const struct bench_text *text);
void hyperscan_free(const struct bench_matcher *m, void *automaton);

void *nfac_build(const struct bench_matcher *m, const struct bench_set *set,
		 const char **why);
size_t nfac_bytes(const struct bench_matcher *m, void *automaton);
size_t nfac_states(void *automaton, size_t *node_bytes);
const void *nfac_blob(void *automaton, size_t *bytes);
struct bench_hits nfac_count(const struct bench_matcher *m, void *automaton,
			     unsigned int variant, const struct bench_text *text);
void nfac_free(const struct bench_matcher *m, void *automaton);

#endif /* _NFAC_BENCH_H */
