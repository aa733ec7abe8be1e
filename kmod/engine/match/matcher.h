/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The matcher: text in, matches out.
 *
 * Finds every occurrence of every pattern of a set, overlapping ones too, in a text that comes in
 * blocks. Matches come in the order of their ends; at one end, the longest comes first. The
 * automaton's blob passed nfac_blob_verify(), and the matcher never checks again what the verifier
 * has proved.
 *
 * Freestanding: takes no lock, allocates nothing, calls nothing but @fn.
 */
#ifndef _NFAC_MATCH_MATCHER_H
#define _NFAC_MATCH_MATCHER_H

#include "../automaton.h"

struct nfac_match_memory;

/**
 * struct nfac_cursor - the scan state: what the matcher carries from one block to the next
 * / Owned by the caller: on the stack for a packet, in a flow for a stream, under the flow's lock.
 * Valid only for the automaton that wrote it.
 * / @node: reference of the state's record + 1, with NFAC_SET_DARRAY the state's word; 0: no state
 * deeper than the last three bytes determine
 * @last: the text's last three bytes, the newest at the end
 * @position: labels of a FORK or TAIL record that have been read (lower 6 bits; with
 *	NFAC_SET_DARRAY 0), and number of valid bytes in @last (upper 2 bits)
 * @letter_case: bit 5 of each of the last 128 bytes, [0] the newer 64, the newest byte highest. An
 *	exact pattern in a set that folds, which began more than 128 bytes before the block, is
 *	reported without a case check of the bytes before these
 */
struct nfac_cursor {
	u32 node;
	u8 last[NFAC_GRAM - 1];
	u8 position;
	u64 letter_case[2];
};

/**
 * struct nfac_hit - one match
 * @id: the pattern's id
 * @length: the pattern's length, bytes
 * @end: one past the match's last byte, counted from the block's first byte; the
 *	first byte is at @end - @length, before the block when that is negative
 * @limits: where the pattern may match (see nfac_hit_allowed()), or NULL
 */
struct nfac_hit {
	u32 id;
	u32 length;
	s64 end;
	const __le32 *limits;
};

/**
 * typedef nfac_hit_fn - called for each match
 * Return: true to go on; false to stop the calls in this block (the cursor still advances over all
 *	of it, at the automaton's own cost).
 */
typedef bool (*nfac_hit_fn)(void *ctx, const struct nfac_hit *hit);

/* How to scan; all paths give the same matches. */
enum nfac_path {
	NFAC_PATH_NOFILTER,	/* the automaton alone */
	NFAC_PATH_PORTABLE,	/* prefilter in plain C */
	NFAC_PATH_VECTOR,	/* vectors; the caller holds their registers (nfac_simd_begin()) */
	NFAC_PATH_MAX,
};

extern const char *const nfac_path_names[NFAC_PATH_MAX];

/**
 * nfac_path_best() - the fastest path that this CPU and this build have
 *
 * Context: any.
 */
enum nfac_path nfac_path_best(void);

/**
 * nfac_cursor_init() - start before the first byte of a text
 */
static inline void nfac_cursor_init(struct nfac_cursor *cur)
{
	memset(cur, 0, sizeof(*cur));
}

/**
 * nfac_match_block() - scan the next block of a text
 * @memory: to work in (memory.h)
 * @a: bound automaton
 * @cur: cursor left by the block before, or initialised
 * @text: the block; of any length and alignment
 * @len: bytes, 0 .. 2^31 - 1
 * @path: one that nfac_path_best() allows. For the vector path in the kernel the caller holds the
 *	vector registers (nfac_simd_begin() of compat.h)
 * @fn: called for each match
 * @ctx: for @fn
 * / Context: any.
 * Return: number of times @fn was called.
 */
u64 nfac_match_block(struct nfac_match_memory *memory, const struct nfac_automaton *a,
		     struct nfac_cursor *cur, const u8 *text, size_t len, enum nfac_path path,
		     nfac_hit_fn fn, void *ctx);

/**
 * nfac_hit_allowed() - do a pattern's limits allow this match?
 * @hit: the match
 * @base: offset of the block's first byte in the payload (or stream)
 * @protocol: IPPROTO_*; 0: not known, and protocol and ports are not compared
 * @sport: source port, host order
 * @dport: destination port, host order
 * / Rules with offset, depth or ports (Suricata) have limits; other patterns have none and are
 * always allowed. Offset and depth count from the payload of TCP or UDP. The text of another
 * protocol's packet begins with its header; only patterns with that protocol have their offset and
 * depth compared there.
 */
bool nfac_hit_allowed(const struct nfac_hit *hit, s64 base, u8 protocol,
		      u16 sport, u16 dport);

#endif /* _NFAC_MATCH_MATCHER_H */
