/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules: from an anchor that matched to a rule that holds.
 *
 * The scan (scan.c) collects the programs of the anchors that matched in a packet. When the
 * payload was scanned, the hook, the queue and `nfac scan` evaluate each collected program
 * once over a window: the packet's payload or, where a stream is followed, the direction's last
 * bytes in order. Only programs that hold are matches.
 *
 * Freestanding: allocates nothing, takes no lock. The caller supplies the scratch memory, per CPU
 * in the kernel.
 *
 * Cost: nfac_rules_evaluate() ends a program when the packet's budget is used up. The budget counts
 * the bytes that contents are compared with and the bytes that parsers read.
 */
#ifndef _NFAC_RULES_H
#define _NFAC_RULES_H

#include "../automaton.h"
#include "program.h"

/* Programs collected for one packet: a 1,448-byte segment has room for 362 anchors of 4 bytes. */
#define NFAC_PENDING_MAX	256

/* Bytes of decoded buffers (URI, header names, DNS names) that a window may need. */
#define NFAC_RULES_DECODED_MAX	16384

/*
 * Bytes examined for each payload byte of a packet, over all its programs; measured in
 * docs/rules.md.
 */
#define NFAC_RULES_BUDGET	64
#define NFAC_RULES_BUDGET_BASE	16384	/* and for a packet of any length: parsers read it whole */

static inline u64 nfac_rules_budget(u32 length)
{
	return NFAC_RULES_BUDGET_BASE + (u64)NFAC_RULES_BUDGET * length;
}

enum nfac_direction {
	NFAC_DIRECTION_UNKNOWN,
	NFAC_DIRECTION_TO_SERVER,
	NFAC_DIRECTION_TO_CLIENT,
};

/**
 * struct nfac_flowbits - bits of a connection that its rules set and test
 * @set: those that are set
 * @unsure: those that a rule changed of which not all conditions were checked: what tests them is
 *	inexact
 */
struct nfac_flowbits {
	u64 set;
	u64 unsure;
};

enum nfac_outcome {
	NFAC_RULE_FAILS,
	NFAC_RULE_HOLDS,
	NFAC_RULE_LATER,	/* bytes that have not come yet can make it hold */
	NFAC_RULE_UNCHECKED,	/* all that can be checked here holds: inexact */
	NFAC_RULE_BUDGET,	/* the packet's budget was used up first */
	NFAC_RULE_CUT,		/* a buffer of the rule begins before the window */
};

/**
 * struct nfac_user_match - a condition that user space checks, NFAC_CONDITION_USER
 * @program: word offset of the program
 * @index: the condition's argument
 * @text: the buffer
 * @length: of @text
 * @base: the text begins here: 0, or where the last match ended
 * @from: search from here on, @base or more
 * @start: set to where it matched
 * @end: set to the end of the match
 */
struct nfac_user_match {
	u32 program;
	u32 index;
	const u8 *text;
	u32 length;
	u32 base;
	u32 from;
	u32 start;
	u32 end;
};

/* Return: it matches. */
typedef bool (*nfac_user_fn)(void *context, struct nfac_user_match *match);

/*
 * Unpack a compressed body. @out: set to memory that is valid until the next call. Return: bytes
 * there; 0: it cannot be unpacked.
 */
typedef u32 (*nfac_unpack_fn)(void *context, const u8 *bytes, u32 length, const u8 **out);

/**
 * struct nfac_window - the bytes and header fields that programs are evaluated over
 *
 * Owned by the inspecting function; constant while programs run.
 *
 * @bytes: of the packet's payload, or of the stream in order
 * @length: bytes, at most 65,535
 * @origin: stream offset of @bytes[0]; 0: the direction's first byte, or a packet
 * @message: offset of the first byte of the first message (HTTP); those before it have ended
 * @stream: @bytes are a stream's; else one packet's payload
 * @slid: the stream has bytes before @bytes: a place does not count from there
 * @cut: the beginning of its first message is among them
 * @whole: a packet; or the stream ended: no bytes will follow
 * @patient: what bytes to come can break is evaluated when the window is whole, not before
 * @packet: the packet's own payload, for no_stream conditions and dsize; may be NULL
 * @packet_length: its bytes
 * @protocol: IPPROTO_*, 0: unknown
 * @sport: host order, valid with @ports
 * @dport: host order, valid with @ports
 * @ports: the ports are known
 * @addresses: @saddr and @daddr are known
 * @saddr: network order; an IPv4 address is mapped (::ffff:a.b.c.d)
 * @daddr: as @saddr
 * @direction: enum nfac_direction, from the connection's first SYN
 * @established: 1: both ends have agreed to the connection; 0: not; -1: unknown
 * @fields: values of enum nfac_field that @known has a bit for
 * @known: bit mask of enum nfac_field
 * @app: enum nfac_app of the connection, found in an earlier window; NFAC_APP_ANY: look for it
 *	in @bytes
 * @tcp_flags: the flags byte, valid where @protocol is TCP
 * @bits: the connection's flowbits, or NULL: unknown
 * @user: checks conditions of user space; NULL: they are not checked, as in the kernel
 * @unpack: unpacks compressed bodies; NULL: they are not searched, as in the kernel
 * @context: of @user and @unpack
 */
struct nfac_window {
	const u8 *bytes;
	u32 length;
	u64 origin;
	u32 message;
	bool stream;
	bool slid;
	bool cut;
	bool whole;
	bool patient;
	const u8 *packet;
	u32 packet_length;
	u8 protocol;
	bool ports;
	u16 sport;
	u16 dport;
	bool addresses;
	u8 saddr[16];
	u8 daddr[16];
	u8 direction;
	u8 app;
	s8 established;
	u8 tcp_flags;
	u32 known;
	u32 fields[NFAC_FIELD_MAX];
	struct nfac_flowbits *bits;
	nfac_user_fn user;
	nfac_unpack_fn unpack;
	void *context;
};

/**
 * struct nfac_pending - programs whose anchors matched
 *
 * Owned by the scan's caller, which calls nfac_pending_key() once and nfac_pending_init() for each
 * packet.
 *
 * @factor: of the hash, odd and secret
 * @count: of @program
 * @overflow: an anchor found no room: its rule was not evaluated, which the caller counts
 * @program: word offsets of programs, each once
 * @at: offset in the payload of the anchor's first byte; negative: before it
 * @length: of the anchor
 * @slot: hash table of indices + 1 into @program
 */
struct nfac_pending {
	u64 factor;
	u16 count;
	bool overflow;
	u32 program[NFAC_PENDING_MAX];
	s32 at[NFAC_PENDING_MAX];
	u16 length[NFAC_PENDING_MAX];
	u16 slot[2 * NFAC_PENDING_MAX];
};

/* @secret: random, so that no sender can choose programs that share a slot. */
void nfac_pending_key(struct nfac_pending *pending, u64 secret);

/* Forget all programs. */
void nfac_pending_init(struct nfac_pending *pending);

/* Add a program; one that is there already, or finds no room, changes nothing but @overflow. */
void nfac_pending_add(struct nfac_pending *pending, u32 program, s32 at, u16 length);

/*
 * A window's rules are evaluated in turns, as Suricata orders them: those that set flowbits before
 * those that test them.
 */
#define NFAC_RULES_TURNS	3u

/* The turn of a program: 0, 1: it tests bits, too, 2. */
static inline u32 nfac_rules_turn(const __le32 *programs, u32 program)
{
	const struct nfac_program *head = (const struct nfac_program *)(programs + program);
	const u32 flags = le32_to_cpu(head->flags);

	if (!(flags & NFAC_PROGRAM_SETS_FLOWBITS))
		return 2;
	return !!(flags & NFAC_PROGRAM_TESTS_FLOWBITS);
}

/**
 * struct nfac_rules_scratch - memory that evaluation works in
 *
 * Owned by the caller: per CPU in the kernel, with softirqs disabled; else one for each thread.
 * Contents are meaningless between calls of nfac_rules_begin(). Its layout is private to rules/.
 */
struct nfac_rules_scratch;

size_t nfac_rules_scratch_bytes(void);

/* The scratch memory's window, cleared, for a caller that has a small stack. */
struct nfac_window *nfac_rules_window(struct nfac_rules_scratch *scratch);

/* The scratch memory's part for the matcher. */
struct nfac_match_memory *nfac_rules_match_memory(struct nfac_rules_scratch *scratch);

struct nfac_scan;

/* The scratch memory's scan, of decoded buffers; not initialised. */
struct nfac_scan *nfac_rules_scan(struct nfac_rules_scratch *scratch);

/**
 * nfac_rules_begin() - prepare for the programs of one window
 * @scratch: nfac_rules_scratch_bytes() bytes, 8-byte aligned
 * @window: to evaluate over
 * @budget: bytes that all programs of this window may examine
 *
 * Context: any.
 */
void nfac_rules_begin(struct nfac_rules_scratch *scratch, const struct nfac_window *window,
		      u64 budget);

/**
 * nfac_rules_evaluate() - does a rule hold over the window?
 * @scratch: prepared by nfac_rules_begin()
 * @programs: the set's programs, verified
 * @program: word offset of the program
 * @failed: set to the word, from the program's first, of the condition that failed in the attempt
 *	that came farthest; 0: protocol, direction or state of the connection; NULL: not wanted
 *
 * Buffers are parsed at their first use and kept for the window's other programs.
 *
 * Context: any.
 */
enum nfac_outcome nfac_rules_evaluate(struct nfac_rules_scratch *scratch, const __le32 *programs,
				      u32 program, u32 *failed);

/* Called for each buffer; @begin: offset in the window of its message. */
typedef void (*nfac_decoded_fn)(void *context, const u8 *bytes, u32 length, u32 begin);

/**
 * nfac_rules_decoded() - pass on the buffers that have other bytes than the window
 * @scratch: prepared by nfac_rules_begin()
 *
 * A URI with percent-encoding, joined headers, chunks: an anchor in them is not in the window.
 * Cost: parses the window's messages, out of the budget.
 */
void nfac_rules_decoded(struct nfac_rules_scratch *scratch, nfac_decoded_fn fn, void *context);

/**
 * nfac_rules_buffer() - a buffer of the window's first message
 * @scratch: prepared by nfac_rules_begin()
 * @buffer: enum nfac_buffer
 * @length: set to its bytes
 *
 * For `nfac scan --eve`, which prints them.
 *
 * Context: any.
 * Return: its first byte, valid until the next call for @scratch; NULL: the message has none, or it
 *	is empty or not whole.
 */
const u8 *nfac_rules_buffer(struct nfac_rules_scratch *scratch, u32 buffer, u32 *length);

/* First bytes of a payload that show whether it may be HTTP: the longest method and a space. */
#define NFAC_RULES_FIRST	33u

/* May a payload that begins with these bytes have decoded buffers with other bytes than its own? */
bool nfac_rules_may_decode(const u8 *bytes, u32 length, u8 protocol);

/*
 * Offset of the first byte of the message that has not ended; the window's length when all have.
 * Where a protocol's messages do not follow each other (all but HTTP's): 0.
 */
u32 nfac_rules_message(struct nfac_rules_scratch *scratch);

/* The application protocol of the window's bytes, NFAC_APP_ANY where they do not show it. */
enum nfac_app nfac_rules_app(const struct nfac_window *window);

/* Bytes examined since nfac_rules_begin(). */
u64 nfac_rules_cost(const struct nfac_rules_scratch *scratch);

#endif /* _NFAC_RULES_H */
