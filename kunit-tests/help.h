/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites share: compiled sets, packets, failing allocations, parameters.
 */
#ifndef _NFAC_KUNIT_HELP_H
#define _NFAC_KUNIT_HELP_H

#include <kunit/test.h>
#include <linux/skbuff.h>

#include "../kmod/load.h"
#include "../kmod/engine/match/memory.h"

/*
 * Sets (help_set.c), made by generate.c.
 */

struct help_pattern {
	u32 id;
	u32 length;
	bool nocase;
	bool limited;		/* has limits of its own */
};

/* @text: the patterns' bytes, one after the other. All constant. */
struct help_set {
	const char *name;
	const u8 *blob;
	size_t size;
	const u8 *text;
	size_t text_size;
	const struct help_pattern *patterns;
	u32 count;
};

extern const struct help_set help_sets[];
extern const size_t help_sets_count;

/* Fails the test when there is no set of that name. */
const struct help_set *help_set(struct kunit *test, const char *name);

/* A copy that may be changed, freed with the test; *@size as the set's. */
void *help_blob(struct kunit *test, const char *name, size_t *size);

/* Update the checksum of a blob that was changed. */
void help_seal(void *blob, size_t size);

/* Check header and body, with scratch of its own: no two at once. Return: as the verifier's. */
int help_verify(const void *blob, size_t size, struct nfac_fault *fault);

/* A load of a set, charged to @budget; freed by nfac_load_free(). */
struct nfac_load *help_load(struct kunit *test, struct nfac_budget *budget,
			    const char *name);

/*
 * Allocations of the module (help_fault.c, fault.h): from now on the @nth of this
 * task fails, counted from 1; 0: none.
 */
void help_fault_at(unsigned int nth);

/* Stop. Return: did an allocation fail? */
bool help_fault_end(void);

/* A parameter of the module, as if written to or read from sysfs; 32 bytes of it. */
int help_param_set(const char *name, const char *value);
int help_param_get(const char *name, char *buffer);

/*
 * Packets (help_skb.c). Headers are appended from the outside in; help_close() then fills
 * in their lengths.
 */

#define HELP_PACKET_MAX	2560

struct help_packet {
	u8 bytes[HELP_PACKET_MAX];
	u32 len;
	u32 ip;			/* offsets of headers; U32_MAX: there is none */
	u32 udp;
	u8 family;
	u8 *next;		/* protocol field of the last IP header */
};

void help_ip4(struct help_packet *p, u8 protocol);
void help_ip6(struct help_packet *p, u8 nexthdr);
void help_ext(struct help_packet *p, u8 nexthdr, u32 bytes);
void help_frag6(struct help_packet *p, u8 nexthdr, u16 offset, bool more);
void help_tcp(struct help_packet *p, u16 sport, u16 dport);
void help_udp(struct help_packet *p, u16 sport, u16 dport);
void help_bytes(struct help_packet *p, const void *bytes, u32 n);
void help_close(struct help_packet *p);

/* Whole packets with @text as their payload. */
void help_udp4(struct help_packet *p, const char *text);
void help_tcp4(struct help_packet *p, const char *text);
void help_udp6(struct help_packet *p, const char *text);

enum help_shape {
	HELP_LINEAR,
	HELP_FRAGS,		/* the rest in page fragments */
	HELP_LIST,		/* the rest in skbs of a fragment list */
	HELP_BOTH,
	HELP_SHAPES,
};

/*
 * An skb of these bytes: the first @head linear, the rest in pieces of @piece. Freed
 * by kfree_skb().
 */
struct sk_buff *help_skb(struct kunit *test, const void *bytes, u32 len,
			 enum help_shape shape, u32 head, u32 piece);

static inline struct sk_buff *help_skb_of(struct kunit *test,
					  const struct help_packet *p)
{
	return help_skb(test, p->bytes, p->len, HELP_LINEAR, p->len, 1);
}

#endif /* _NFAC_KUNIT_HELP_H */
