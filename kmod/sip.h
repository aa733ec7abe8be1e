/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SipHash-1-3 of words: what hsiphash() is on 64 bits (Documentation/security/siphash.rst), but
 * all 64 bits of it, and in line.
 *
 * It serves tables whose hash nobody sees. Against siphash(), which is SipHash-2-4, it saves
 * four rounds and more, by which what the hash leads to is fetched earlier.
 */
#ifndef _NFAC_SIP_H
#define _NFAC_SIP_H

#include <linux/bitops.h>
#include <linux/siphash.h>

/**
 * struct nfac_sip - what has been hashed so far
 *
 * On the stack: nfac_sip_init(), nfac_sip_word() for each word, nfac_sip_end().
 */
struct nfac_sip {
	u64 v0, v1, v2, v3;
};

static __always_inline void nfac_sip_round(struct nfac_sip *sip)
{
	sip->v0 += sip->v1;
	sip->v1 = rol64(sip->v1, 13) ^ sip->v0;
	sip->v0 = rol64(sip->v0, 32);
	sip->v2 += sip->v3;
	sip->v3 = rol64(sip->v3, 16) ^ sip->v2;
	sip->v0 += sip->v3;
	sip->v3 = rol64(sip->v3, 21) ^ sip->v0;
	sip->v2 += sip->v1;
	sip->v1 = rol64(sip->v1, 17) ^ sip->v2;
	sip->v2 = rol64(sip->v2, 32);
}

static __always_inline void nfac_sip_init(struct nfac_sip *sip, const siphash_key_t *key)
{
	sip->v0 = 0x736f6d6570736575ull ^ key->key[0];
	sip->v1 = 0x646f72616e646f6dull ^ key->key[1];
	sip->v2 = 0x6c7967656e657261ull ^ key->key[0];
	sip->v3 = 0x7465646279746573ull ^ key->key[1];
}

static __always_inline void nfac_sip_word(struct nfac_sip *sip, u64 word)
{
	sip->v3 ^= word;
	nfac_sip_round(sip);
	sip->v0 ^= word;
}

/* @words: how many there were */
static __always_inline u64 nfac_sip_end(struct nfac_sip *sip, u64 words)
{
	nfac_sip_word(sip, words * sizeof(u64) << 56);
	sip->v2 ^= 0xff;
	nfac_sip_round(sip);
	nfac_sip_round(sip);
	nfac_sip_round(sip);
	return sip->v0 ^ sip->v1 ^ sip->v2 ^ sip->v3;
}

#endif /* _NFAC_SIP_H */
