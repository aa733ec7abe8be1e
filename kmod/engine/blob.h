/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nfac: the format of a compiled set. The compiler writes it, the verifier proves its rules, the
 * matcher reads it as it is.
 *
 * Documentation
 * =============
 *
 * A blob is a header, the tiles, the tables and the names. Each section begins at a multiple of
 * 64 bytes and is padded with zeros. Words are little-endian, in a file as in memory.
 *
 * The tiles form one array of 32-bit words, cut every NFAC_TILE_WORDS words because the kernel
 * keeps each tile as one slab object. A reference is an index into that array. The tables are one
 * piece of memory: maps of the prefilter, maps of the short patterns, three hash tables, outputs,
 * extras and programs.
 *
 * The automaton is a trie of the patterns of NFAC_GRAM bytes and more, with compressed paths and
 * failure links. States of depth NFAC_GRAM are found by hashing the last NFAC_GRAM bytes of text
 * into @entries; less deep states are not stored. A failure link is stored only if it leads to a
 * state of depth NFAC_GRAM or more that has a transition which its origin does not have (Knuth,
 * Morris, Pratt 1977). Every other failure means: look up the last bytes in @entries again.
 * Patterns of less than NFAC_GRAM bytes are hashed whole, into @short_patterns; byte patterns are
 * looked up in a list. The output list of a longer pattern has the short patterns that end there.
 *
 * Nodes. A record begins at a state. Its first word has, from the lowest byte on: NFAC_NODE_*, a
 * count n of labels, and the first two of the bytes that follow. The bytes are padded with zeros to
 * a word:
 *
 *	PAD	nothing; the next record is the next tile's first
 *	STOP	a state without transitions. The first word's upper 24 bits are its output
 *	TAIL	n labels, then the last state of a path: the word after them is its
 *		output
 *	FORK	n labels, then the keys of the k children, rising, k - 1 in the upper
 *		three bits of the first byte, 1 .. NFAC_FORK_MAX; then k references
 *	TABLE	n is 0; at byte 2 the lowest key, at byte 3 the highest; a byte for
 *		each between them: 0, or the number, from 1, of its reference among the
 *		k that follow at the next word
 *	WIDE	n is 0; a 16-bit map of upper nibbles at byte 2; then a reference
 *		to a NIBBLE record for each bit set
 *	NIBBLE	n is 0; a 16-bit map of lower nibbles at byte 2; then a reference
 *		for each bit set. Part of a WIDE record, not a state
 *
 * Failures and outputs follow if the first byte has these flags. NFAC_NODE_FAIL: a failure
 * reference of the record's last state. Its upper six bits are the label position in the record
 * that it leads to: the number of labels that count as read. If other states of the record fail to
 * a state, too, a map comes first, with NFAC_POSITION_MAP in the upper six bits and a bit for the
 * label position of each such state, and then their references in order. NFAC_NODE_OUT: a word with
 * the output of the one state that has one, and above it that state's label position. If several
 * states have one, a map comes first, NFAC_STATE_MAP and a bit for each of them, and then their
 * outputs in order. The outputs that STOP and TAIL always have are not among them. All
 * NFAC_NODE_READ(n) bytes of a record with labels are in its tile. A child is behind its parent.
 *
 * A reference to a child, or of an entry, has a tag in its upper six bits, NFAC_TAG_*: the type of
 * the record, so that the matcher can load text before the record has arrived. The tags of FORK and
 * TAIL with less than NFAC_TAG_LABELS labels have the count, all others the type.
 *
 * After a failure without a reference the matcher resumes 0 .. NFAC_GRAM - 1 bytes back in the
 * text. This distance is above the count n, with STOP in bits 5 and 6 of the first byte. It is the
 * greatest distance of the record's states that fail so.
 *
 * A set with NFAC_SET_DARRAY has a double array instead of records (Aoe, IEEE TSE 15/9, 1989). A
 * state is a base. Its transition by byte c is in slot base ^ c, and exists if that slot's label is
 * c. The slot's word is the next state: its base from bit NFAC_DARRAY_SHIFT on, and
 * NFAC_DARRAY_MATCH if a pattern matches there; @matches has the output of that base. All
 * transitions to states deeper than NFAC_GRAM are stored, also those through failures: without one,
 * the last NFAC_GRAM bytes alone decide. So each byte takes the same two lookups, without a branch.
 * The labels of all slots come first, a byte each, then their words, 16 bits each: @node_words is
 * three fourths of the slots, whose number is a multiple of NFAC_DARRAY_BLOCK. The bases 0 and 1
 * and the first of each block belong to no state. A free slot has word 0, and a label that makes it
 * a transition of one of these bases: its number's low byte, in the first block with bit 0 flipped.
 * Values of @entries are words like those of the slots.
 *
 * With NFAC_SET_DARRAY32 a slot has 32 bits, so one load is enough, and @node_words is the number
 * of slots: the label is lowest, then NFAC_DARRAY32_MATCH, and the base from NFAC_DARRAY32_SHIFT
 * on; a free slot has its label alone. The label is part of the state's word, also in @entries: it
 * is the last byte of every way to the state.
 *
 * Outputs are two words for each distinct pattern: {id or extra, length | flags}. The second word's
 * upper bits are the distance back to the next output of the list, which matches too: a suffix of
 * this one; 0: none. NFAC_OUT_EXTRA: the first word is an index into the extras instead, and the
 * upper bits are flags:
 *
 *	next output + 1, or 0	of the same text, or of a suffix of it; with
 *				NFAC_OUT_SAME its case bits are those of this one's end
 *	number of ids		with NFAC_OUT_MANY; else there is one
 *	case bits		with NFAC_OUT_CASE: one for each byte of the
 *				pattern, its bit 5; the lowest bit comes first
 *	the ids			with NFAC_OUT_LIMITS each is followed by struct
 *				nfac_blob_limits
 */
#ifndef _NFAC_BLOB_H
#define _NFAC_BLOB_H

#include "freestanding.h"

#define NFAC_BLOB_MAGIC		0x4341464e	/* "NFAC" */
#define NFAC_BLOB_VERSION	23
#define NFAC_BLOB_ALIGN		64

#define NFAC_TILE_SHIFT		5		/* in words */
#define NFAC_TILE_WORDS		BIT(NFAC_TILE_SHIFT)
#define NFAC_TILE_BYTES		(NFAC_TILE_WORDS * 4)

#define NFAC_PATTERN_MAX	65535		/* bytes in a pattern */
#define NFAC_PATTERNS_MAX	BIT(24)	/* patterns in a set */
#define NFAC_BLOB_MAX		BIT_ULL(32)	/* bytes in a blob */

#define NFAC_GRAM		4	/* bytes of a q-gram, the key of an entry */
#define NFAC_NONE		0xffffffffu	/* no reference */

/* Flags of a set. */
#define NFAC_SET_FOLD		BIT(0)	/* the automaton reads a-z for A-Z */
#define NFAC_SET_LETTER_CASE		BIT(1)	/* some outputs have case bits */
#define NFAC_SET_DARRAY		BIT(2)	/* a double array instead of nodes */
#define NFAC_SET_DARRAY32		BIT(3)	/* with slots of 32 bits */
#define NFAC_SET_DECODE_URL	BIT(4)	/* also search the decoded view (decoded_view.h) */
#define NFAC_SET_FLAGS		(NFAC_SET_FOLD | NFAC_SET_LETTER_CASE | NFAC_SET_DARRAY | \
				 NFAC_SET_DARRAY32 | NFAC_SET_DECODE_URL)

/*
 * With NFAC_SET_DECODE_URL, behind the programs: the pairs of bytes between which some pattern has
 * a space, a bit for each nfac_space_pair(); all pairs of one byte, where a pattern begins or ends
 * with a space. The decoded view passes over a "+" between other bytes. Not verified: a wrong bit
 * can only lose the set's own matches.
 */
#define NFAC_SPACE_BYTES	8192

/* A double array. */
#define NFAC_DARRAY_BLOCK		256	/* slots that one state's transitions can be in */
#define NFAC_DARRAY_SLOTS_MAX	32768	/* base and match bit take 16 bits */
#define NFAC_DARRAY_WORDS(slots)	((slots) * 3 / 4)	/* words of nodes */
#define NFAC_DARRAY_MATCH		1u
#define NFAC_DARRAY_SHIFT		1	/* of a base */
#define NFAC_DARRAY32_SLOTS_MAX	BIT(20)	/* the verifier's scratch memory for them is 10 MB */
#define NFAC_DARRAY32_MATCH	BIT(8)
#define NFAC_DARRAY32_SHIFT	9

/* First byte of a node. */
#define NFAC_NODE_PAD		0
#define NFAC_NODE_STOP		1
#define NFAC_NODE_TAIL		2
#define NFAC_NODE_FORK		3
#define NFAC_NODE_TABLE		4
#define NFAC_NODE_WIDE		5
#define NFAC_NODE_NIBBLE	6
#define NFAC_NODE_TYPE		0x07
#define NFAC_NODE_OUT		0x08
#define NFAC_NODE_FAIL		0x10
#define NFAC_NODE_UPPER		5	/* shift of the upper bits */

#define NFAC_LABELS_MASK	63	/* the cursor has six bits for the label position */
#define NFAC_LABELS_MAX		62
#define NFAC_POSITION_SHIFT	26	/* in a failure reference */
#define NFAC_POSITION_MAP		63	/* a map of failures instead of one */
#define NFAC_STATE_SHIFT	24	/* label position, above an output */
#define NFAC_STATE_MAP		BIT(31)	/* a map of outputs instead of one */
#define NFAC_MAP_LABELS_MAX	25	/* in a record that has a map */
#define NFAC_TAG_SHIFT		26	/* in any other */
#define NFAC_NODE_WORDS_MAX	BIT(NFAC_POSITION_SHIFT)
#define NFAC_BACK_SHIFT		6	/* in the second byte, above the labels */
#define NFAC_FORK_MAX		8	/* keys that one 64-bit word compares */

/* Tags. */
#define NFAC_TAG_FORK		0	/* and the number of labels */
#define NFAC_TAG_TAIL		8	/* and the number of labels */
#define NFAC_TAG_OTHER		16	/* and NFAC_NODE_* */
#define NFAC_TAG_LABELS		8	/* so that one 64-bit word compares the labels and a key */

/* Bytes from a record's beginning that a reader of @n labels reads at most. */
#define NFAC_NODE_READ(n)	(2 + (n) + 8)

/* Second word of an output: the length in the lower 16 bits, and: */
#define NFAC_OUT_EXTRA		BIT(16)
#define NFAC_OUT_CASE		BIT(17)
#define NFAC_OUT_LIMITS		BIT(18)
#define NFAC_OUT_MANY		BIT(19)
#define NFAC_OUT_FLAGS		(NFAC_OUT_EXTRA | NFAC_OUT_CASE | NFAC_OUT_LIMITS | NFAC_OUT_MANY)
#define NFAC_OUT_BACK_SHIFT	17	/* without NFAC_OUT_EXTRA */
#define NFAC_OUT_BACK_MAX	0x7fff
#define NFAC_OUT_SAME		BIT(31)	/* in an extra's first word */

/*
 * Cost of rejecting a whole output list at most: one for each eight bytes of case bits, one for
 * each id with limits. Rejected outputs do not count against the cap on matches, so they have a
 * bound of their own.
 */
#define NFAC_OUTPUT_COMPARES_MAX		1024
#define NFAC_CASE_COMPARES(length)	(((length) + 7) / 8)

/**
 * struct nfac_blob_limits - where a match counts
 * @offset: lowest offset of the match's first byte
 * @end: highest offset of the byte past its last; 0: any. With any protocol, these two hold in
 *	packets of TCP and UDP, and where the protocol is not known
 * @protocol: IPPROTO_* in the lower 8 bits, 0: any; NFAC_LIMIT_SOURCE
 * @ports: lowest port, and the highest << 16; 0: any
 * @program: word offset + 1 of the rule's program (rules/program.h); 0: the rule is its pattern
 *	alone
 */
struct nfac_blob_limits {
	__le32 offset;
	__le32 end;
	__le32 protocol;
	__le32 ports;
	__le32 program;
};

/* words of the limits behind an id */
#define NFAC_LIMITS_WORDS	5
#define NFAC_LIMIT_PROGRAM	4	/* index of @program */

#define NFAC_LIMIT_SOURCE	BIT(8)	/* ports are source ports */

/**
 * struct nfac_blob_entry - a slot of the entries of a set with records
 * @gram: the q-gram
 * @reference: of the state's record, tagged; NFAC_NONE: the slot is empty
 * @mask: lookahead mask: the bits of the next NFAC_GRAM bytes on which all patterns that begin with
 *	@gram agree
 * @lookahead: those bits, the first byte's lowest; the others are 0
 */
struct nfac_blob_entry {
	__le32 gram;
	__le32 reference;
	__le32 mask;
	__le32 lookahead;
};

#define NFAC_TABLE_PAIR		8	/* bytes of a slot */
#define NFAC_TABLE_OUTPUT	2	/* bytes of a slot of @matches */

static inline u32 nfac_space_pair(u8 before, u8 behind)
{
	return (u32)before << 8 | behind;
}

/**
 * struct nfac_blob_table - a perfect hash table, in the tables section
 * @slots_at: byte offset in the section of the slots, two words each: {key, value}; an empty slot
 *	has NFAC_NONE and a key that does not hash to it. Slots of @matches have 16 bits
 * @slots: number of slots
 * @pilots_at: byte offset of the pilots, 16 bits each: displacement of a bucket
 * @buckets: number of pilots, a power of two from 2 on
 * @seed: selects the hash's factor
 */
struct nfac_blob_table {
	__le32 slots_at;
	__le32 slots;
	__le32 pilots_at;
	__le32 buckets;
	__le32 seed;
};

/**
 * struct nfac_blob_filter - filter configuration; the maps are in the tables section
 * @stride: bytes from one probe to the next, 1 .. NFAC_GRAM; 0: no prefilter
 * @bloom: log2 of the bits in the Bloom filter of the patterns' first bytes, which comes first: two
 *	bits in one 64-bit word for each key
 * @grams: log2 of the bits in the q-gram map, which follows. A q-gram's first three bytes select
 *	the word, the lower six bits of the fourth the bit, in a map of five bytes together with the
 *	lower three of the fifth. Where a pattern has only three bytes left, all bits of the word
 *	are set; where it has four, all bits that a fifth byte could select
 * @bloom_bytes: bytes that the Bloom filter uses: NFAC_GRAM or one more
 * @nibble_masks: 1: nibble masks (NFAC_NIBBLE_MASKS_BYTES) follow, of all patterns of NFAC_GRAM
 *	bytes or more, for processors that look up 32 nibbles at once; else 0
 * @fold: or-ed to each byte before hashing
 * @gram_bytes: bytes that the q-gram map uses: NFAC_GRAM or, without nibble masks and with a stride
 *	above 1, one more; 0: there is no such map
 * @suffixes: log2 of the bits in the suffix map, which dense text is searched with; 0: no suffix
 *	filter. A pattern's last NFAC_GRAM bytes select a byte of it, and these with
 *	NFAC_SUFFIX_BYTES - NFAC_GRAM more before them one of its lower seven bits; a shorter
 *	pattern has the upper bit. The map of lengths follows, of the same size: a pattern's last
 *	NFAC_SUFFIX_BYTES or NFAC_GRAM bytes select two words of 64 bits, in which bit
 *	NFAC_SUFFIX_REACH - l means length l. Of a longer pattern the first NFAC_SUFFIX_REACH bytes
 *	are entered
 * @before: 1: for each pattern of NFAC_GRAM bytes the q-gram map also has the q-gram that begins
 *	one byte before it, with any first byte. A probe then covers one candidate more than
 *	@stride, which is NFAC_BEFORE_STRIDE; else 0
 */
struct nfac_blob_filter {
	__le32 stride;
	__le32 bloom;
	__le32 grams;
	__le32 bloom_bytes;
	__le32 nibble_masks;
	__le32 fold;
	__le32 gram_bytes;
	__le32 suffixes;
	__le32 before;
};

/* Number of offsets, from -1 on, at which a pattern of NFAC_GRAM bytes has three bytes left. */
#define NFAC_BEFORE_STRIDE	(NFAC_GRAM - 1)

#define NFAC_MAP_MIN		9	/* log2 of the bits in a map */
#define NFAC_MAP_MAX		26

/* the suffix filter */
#define NFAC_SUFFIX_BYTES		8	/* bytes that select a bit */
#define NFAC_SUFFIX_REACH	64	/* bytes of a pattern: a word has a bit for each length */

/*
 * Masks for each of NFAC_GRAM bytes: 16 by the lower nibble and 16 by the upper. Where the masks of
 * upper nibbles are all ones, the matcher compares lower nibbles only.
 */
#define NFAC_NIBBLE_MASK_BYTES		32
#define NFAC_NIBBLE_MASKS_BYTES		(NFAC_GRAM * NFAC_NIBBLE_MASK_BYTES)

/**
 * struct nfac_blob - header of a compiled set
 * @magic: NFAC_BLOB_MAGIC
 * @version: NFAC_BLOB_VERSION
 * @bytes: size of the whole blob
 * @checksum: nfac_checksum() of the whole, this field taken as 0
 * @flags: NFAC_SET_*
 * @patterns: number of patterns, duplicates counted
 * @states: nodes of the patterns' trie with its root
 * @node_bytes: the automaton's nodes
 * @total_bytes: kernel memory of the set: tiles, directory, tables
 * @tiles_at: byte offset of the tiles
 * @tables_at: byte offset of the tables
 * @tables_bytes: of the tables
 * @names_at: byte offset of the names, which only user space reads
 * @names_bytes: of the names
 * @tiles: number of tiles
 * @node_words: words of nodes
 * @entries: states of depth NFAC_GRAM: struct nfac_blob_entry or, with NFAC_SET_DARRAY, {gram,
 *	state's word}
 * @short_patterns: patterns of 2 .. NFAC_GRAM - 1 bytes: {bytes | length << 24, output}, in
 *	each spelling, so their lists have no case bits
 * @outputs_at: byte offset of the outputs in the tables section
 * @outputs: number of outputs
 * @extras_at: byte offset of the extras
 * @extra_words: words of extras
 * @short_lengths: bit l: there are patterns of l bytes, 1 .. 3
 * @short_at: byte offset in the tables section of the short patterns' maps
 *	(NFAC_SHORT_BYTES), when @short_lengths is not 0; behind them, when @byte_patterns is not 0,
 *	for each byte its number among the byte patterns, or 0, and their outputs
 * @longest: length of the longest pattern
 * @filter: filter configuration
 * @matches: with NFAC_SET_DARRAY the states that match: a slot has 16 bits, the output of its
 *	base; it has no key, because only these bases are looked up
 * @byte_patterns: patterns of one byte, in each spelling, 0 .. 256
 * @programs_at: byte offset in the tables section of the rules' programs, behind the extras
 * @program_words: words of programs; 0: no rule has conditions beside its pattern
 * @reserved: 0
 */
struct nfac_blob {
	__le32 magic;
	__le32 version;
	__le64 bytes;
	__le64 checksum;
	__le32 flags;
	__le32 patterns;
	__le64 states;
	__le64 node_bytes;
	__le64 total_bytes;
	__le64 tiles_at;
	__le64 tables_at;
	__le64 tables_bytes;
	__le64 names_at;
	__le64 names_bytes;
	__le32 tiles;
	__le32 node_words;
	struct nfac_blob_table entries;
	struct nfac_blob_table short_patterns;
	__le32 outputs_at;
	__le32 outputs;
	__le32 extras_at;
	__le32 extra_words;
	__le32 short_lengths;
	__le32 short_at;
	__le32 longest;
	struct nfac_blob_filter filter;
	struct nfac_blob_table matches;
	__le32 byte_patterns;
	__le32 programs_at;
	__le32 program_words;
	__le32 reserved[4];
};

/*
 * Maps of the short patterns. First, for the last, the last but one and the last but two byte of a
 * pattern, 256 bytes each with a bit for each of 8 buckets. Then the same by nibbles, 16 bytes for
 * the lower and 16 for the upper nibble, without byte patterns. Then six sets of bytes: the byte of
 * byte patterns; the last and the first of patterns of two; the last, the middle and the first of
 * patterns of three. A set has, indexed by the lower nibble, 16 bytes with a bit for each upper
 * nibble below 8, and 16 bytes for the others.
 */
#define NFAC_SHORT_BUCKETS	(3 * 256)
#define NFAC_SHORT_NIBBLES	(3 * 32)
#define NFAC_SHORT_SETS		(6 * 32)
#define NFAC_SHORT_BYTES	(NFAC_SHORT_BUCKETS + NFAC_SHORT_NIBBLES + NFAC_SHORT_SETS)

/* Buckets of the patterns of one, two and three bytes. */
#define NFAC_SHORT_OF(length)	(0xf00e01u >> 8 * ((length) - 1) & 0xff)

#define NFAC_BYTE_PATTERNS		256	/* a number for each byte */

/* Bytes of the byte patterns' table: numbers and @n outputs, aligned for the next table. */
static inline u64 nfac_byte_patterns_bytes(u32 n)
{
	return n ? (NFAC_BYTE_PATTERNS + 4ull * n + 7) & ~7ull : 0;
}

/**
 * struct nfac_blob_name - a pattern, in the names section, in input order
 * @id: what a match reports
 * @length: bytes of the pattern, which follow
 * @label_length: bytes of the label with its NUL, and of the details with theirs where a rule has
 *	some, which follow the pattern; 0: none
 * @flags: bit 0: nocase
 *
 * Padded to a multiple of 4 bytes.
 */
struct nfac_blob_name {
	__le32 id;
	__le32 length;
	__le32 label_length;
	__le32 flags;
};

#endif /* _NFAC_BLOB_H */
