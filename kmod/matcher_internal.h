/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the matcher's files share: one call's state, and the filter's kernels.
 */
#ifndef _NFAC_MATCHER_INTERNAL_H
#define _NFAC_MATCHER_INTERNAL_H

#include "matcher.h"

/*
 * One call of nfac_match_block(). On its stack, nobody else's.
 *
 * The short patterns are looked for lazily: up to @short_done everything has been
 * reported; before a long match is told, the shorts are brought up to it. So both
 * kinds run in loops of their own and the matches still come in order.
 */
struct nfac_run {
	const struct nfac_automaton *a;
	struct nfac_cursor *cur;
	const u8 *text;
	size_t len;
	nfac_hit_fn fn;
	void *ctx;
	u64 calls;
	size_t short_done;
	enum nfac_path path;
	u8 have;		/* bytes of cur->last that there are */
	bool deaf;		/* fn wants to hear no more */
};

/* Report an output and all that it implies, at @end. */
void nfac_report(struct nfac_run *run, u32 output, size_t end);

/* Report the short patterns that end after run->short_done, up to @upto. */
void nfac_shorts(struct nfac_run *run, size_t upto);

/*
 * Byte at @pos, which may be up to three before the block; the caller knows that
 * there are so many.
 */
static __always_inline u8 nfac_text_at(const struct nfac_run *run, s64 pos)
{
	return pos < 0 ? run->cur->last[NFAC_GRAM - 1 + pos] : run->text[pos];
}

static __always_inline u32 nfac_gram_at(const u8 *text)
{
	return le32_to_cpu((__force __le32)nfac_get32(text));
}

/*
 * nfac_filter_*() - first position from @from on where a long pattern may start
 *
 * Return: the position, or @len - 3 when there is none up to @len - 4, the last
 * one that has a whole gram. @len is at least 4, @from at most @len - 3.
 */
size_t nfac_filter_portable(const struct nfac_automaton *a, const u8 *text,
			    size_t from, size_t len);
size_t nfac_filter_avx2(const struct nfac_automaton *a, const u8 *text,
			size_t from, size_t len);

/*
 * nfac_short_*() - first end in (@from, @upto] at which a short pattern may end
 *
 * Return: the end, or @upto + 1. @from is at least 2.
 */
size_t nfac_short_portable(const struct nfac_automaton *a, const u8 *text,
			   size_t from, size_t upto);
size_t nfac_short_avx2(const struct nfac_automaton *a, const u8 *text,
		       size_t from, size_t upto);

#endif /* _NFAC_MATCHER_INTERNAL_H */
