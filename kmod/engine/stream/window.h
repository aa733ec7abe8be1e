/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows: the last bytes of a direction, so that a rule holds wherever segments split the
 * bytes that it matches.
 *
 * The flow table has a window for each slot, where a set with rules is attached. Freestanding:
 * the bucket's lock guards it, and its memory is the table's.
 */
#ifndef _NFAC_FLOW_WINDOW_H
#define _NFAC_FLOW_WINDOW_H

#include "../scan.h"

struct nfac_segment;

/* Bytes that are kept of a direction: Suricata inspects raw streams in pieces of 2,560 bytes. */
#define NFAC_WINDOW_DEFAULT	2560u
#define NFAC_WINDOW_LIMIT	16384u

/* Rules of one direction that are evaluated again when more bytes come, or that have held. */
#define NFAC_WINDOW_RULES	32u

/**
 * struct nfac_window_rule - a rule whose anchor is in the window
 * @program: word offset of its program
 * @seq: sequence number of the anchor's first byte
 * @until: it stays while the byte of this sequence number is in the window, because it may have an
 *	anchor there, too
 * @length: of the anchor
 * @held: it is reported; else it may hold with bytes to come
 */
struct nfac_window_rule {
	u32 program;
	u32 seq;
	u32 until;
	u16 length;
	bool held;
};

/**
 * struct nfac_flow_window - the last bytes of a direction, in order
 *
 * Owned by a slot of the flow table; valid while @end is the direction's position. @bits are valid
 * whatever @end is.
 *
 * @bits: the connection's flowbits; the other direction has a copy
 * @bits_load: generation of the load whose rules they belong to
 * @end: sequence number behind the last byte
 * @generation: of the load that @rule and @app belong to
 * @length: bytes, at most @room
 * @room: bytes that are kept
 * @plain: bytes before @end that are known to have no escape, at most @room; used with
 *	NFAC_SET_DECODE_URL
 * @message: offset of the first byte of the message that has not ended
 * @slid: bytes of the direction before the first one were dropped, or not seen
 * @cut: the beginning of the message that has not ended is among them
 * @app: enum nfac_app of the direction; NFAC_APP_MAX: none that the rules know
 * @rules: of @rule
 * @rule: see struct nfac_window_rule
 * @bytes: @room bytes
 */
struct nfac_flow_window {
	struct nfac_flowbits bits;
	u32 bits_load;
	u32 end;
	u32 generation;
	u16 length;
	u16 room;
	u16 plain;
	u16 message;
	bool slid;
	bool cut;
	u8 app;
	u8 rules;
	struct nfac_window_rule rule[NFAC_WINDOW_RULES];
	u8 bytes[];
};

/**
 * struct nfac_confirm - what the evaluation of rules needs
 *
 * Owned by the inspecting function, which embeds it in what @fields needs.
 *
 * @scratch: nfac_rules_scratch_bytes() bytes
 * @copy: NFAC_CONFIRM_BYTES bytes, aligned as struct nfac_decoded
 * @held: rules that the budget left unevaluated count as holding
 * @segment: the segment that is followed, whose flow knows direction and state of the connection
 *	where @fields does not; NULL: the packet is by itself
 * @fields: fills in a window's header fields, addresses, direction and state; it is zeroed before
 */
struct nfac_confirm {
	struct nfac_rules_scratch *scratch;
	u8 *copy;
	bool held;
	const struct nfac_segment *segment;
	void (*fields)(const struct nfac_confirm *confirm, struct nfac_window *window);
};

/* Bytes that rules are evaluated over at once: the largest window that nfac_rules_begin() takes. */
#define NFAC_CONFIRM_BYTES	65535u

/**
 * nfac_source_bytes() - the bytes of a packet's payload, in one piece
 * @source: the payload
 * @from: offset of the first byte
 * @to: one past the last byte
 * @copy: @to - @from bytes, for a payload that is in pieces
 *
 * Implemented by each side.
 *
 * Return: the bytes, in place or in @copy; NULL: they cannot be read.
 */
const u8 *nfac_source_bytes(const struct nfac_source *source, u32 from, u32 to, u8 *copy);

/**
 * nfac_confirm_packet() - evaluate the pending rules over a payload by itself
 * @confirm: how
 * @scan: of the payload; rules that hold become its matches
 * @source: the payload
 * @from: offset of the first byte that rules see
 * @to: one past the last one
 * @bits: the connection's flowbits, or NULL: not known
 *
 * Context: any; the caller holds the automaton.
 */
void nfac_confirm_packet(const struct nfac_confirm *confirm, struct nfac_scan *scan,
			 const struct nfac_source *source, u32 from, u32 to,
			 struct nfac_flowbits *bits);

/**
 * nfac_confirm_decoded() - search the decoded view of a payload by itself
 * @confirm: lends memory
 * @scan: of the payload; what the view has become its matches
 * @source: the payload
 * @from: offset of the first byte
 * @to: one past the last one
 *
 * Does nothing unless the scan has seen an escape, @scan->escapes.
 *
 * Context: any; the caller holds the automaton.
 */
void nfac_confirm_decoded(const struct nfac_confirm *confirm, struct nfac_scan *scan,
			  const struct nfac_source *source, u32 from, u32 to);

/**
 * nfac_confirm_segment() - evaluate the pending rules over a direction's window, and search the
 * decoded view
 * @own: the direction's window; one that has none needs nfac_confirm_late()
 * @seg: the segment, whose bytes from @old on are the next ones in order
 * @scan: of those bytes, with a set that has rules or a decoded view; rules that hold become its
 *	matches
 * @old: offset in the payload
 * @first: they are the direction's first bytes
 *
 * The window keeps their end. Notes in @seg which of the connection's flowbits its rules changed.
 *
 * Context: any; under the bucket's lock.
 */
void nfac_confirm_segment(struct nfac_flow_window *own, struct nfac_segment *seg,
			  struct nfac_scan *scan, u32 old, bool first);

/**
 * nfac_confirm_late() - evaluate the pending rules over a segment beside its stream's position
 * @own: the direction's window, which keeps its bytes; NULL: it has none
 * @seg: the segment
 * @scan: of its bytes from @old on
 * @old: offset in the payload
 *
 * As nfac_confirm_segment(), by itself but for the connection's flowbits.
 *
 * Context: any; under the bucket's lock where there is a window.
 */
void nfac_confirm_late(struct nfac_flow_window *own, struct nfac_segment *seg,
		       struct nfac_scan *scan, u32 old);

/**
 * nfac_confirm_rest() - search the decoded view of a segment that is scanned without the lock
 * @seg: with @deferred
 * @scan: of its new bytes
 *
 * Except for its first piece where the direction has a window; nfac_confirm_segment() does that.
 *
 * Context: any; no lock is needed.
 */
void nfac_confirm_rest(const struct nfac_segment *seg, struct nfac_scan *scan);

/* The direction begins: its connection's flowbits are those that @seg has. */
void nfac_window_begin(struct nfac_flow_window *own, const struct nfac_segment *seg);

#endif /* _NFAC_FLOW_WINDOW_H */
