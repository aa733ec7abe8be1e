/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs: a rule's conditions as data in the blob.
 *
 * The compiler writes one program for each rule. The verifier checks it once, at load
 * (verify_programs.c). The interpreter (interpret.c) runs it over a packet or a stream's window
 * when the rule's anchor matched, and never repeats the verifier's checks.
 *
 * All words are little-endian, 32 bits. Programs follow each other without gaps in the tables
 * section, from nfac_blob.programs_at on. A pattern names its program by the word offset + 1
 * in nfac_blob_limits.program.
 *
 * The semantics of each condition are those of Suricata's keyword of that name.
 */
#ifndef _NFAC_RULES_PROGRAM_H
#define _NFAC_RULES_PROGRAM_H

#include "../freestanding.h"

/* of one program: 16 KB; the longest ET rule takes 300 */
#define NFAC_PROGRAM_WORDS_MAX		4096u
#define NFAC_PROGRAM_CONDITIONS_MAX	128u	/* one bit each in the interpreter's state */
#define NFAC_PROGRAM_VARIABLES		8u	/* byte_extract and byte_math results */

/* Flags of a program. */
#define NFAC_PROGRAM_INEXACT	BIT(0)	/* some condition of the rule is not in the program */
#define NFAC_PROGRAM_TO_SERVER	BIT(1)	/* flow:to_server */
#define NFAC_PROGRAM_TO_CLIENT	BIT(2)	/* flow:to_client */
#define NFAC_PROGRAM_ESTABLISHED BIT(3)	/* flow:established */
#define NFAC_PROGRAM_STATELESS	BIT(4)	/* flow:stateless or not_established */
#define NFAC_PROGRAM_STREAM	BIT(5)	/* only_stream: holds over the reassembled bytes alone */
#define NFAC_PROGRAM_PACKET	BIT(6)	/* no_stream, or packet keywords: one packet alone */
/* has conditions of user space alone (pcre): queue --confirm */
#define NFAC_PROGRAM_CONFIRM	BIT(7)
#define NFAC_PROGRAM_NOALERT	BIT(8)	/* flowbits:noalert: sets bits, is no match itself */
#define NFAC_PROGRAM_BIDIRECTIONAL BIT(9)	/* <>: addresses and ports hold either way round */
/* has conditions that set, unset or toggle flowbits; that test them */
#define NFAC_PROGRAM_SETS_FLOWBITS BIT(10)
#define NFAC_PROGRAM_TESTS_FLOWBITS BIT(11)
#define NFAC_PROGRAM_FLAGS	0xfffu

/* Protocol of a program: ICMP or ICMPv6. IANA has reserved the number. */
#define NFAC_PROTOCOL_ICMP	255u

/* Application protocols, recognised in the traffic and not by the port. */
enum nfac_app {
	NFAC_APP_ANY,		/* the rule names none */
	NFAC_APP_HTTP,
	NFAC_APP_DNS,
	NFAC_APP_TLS,
	NFAC_APP_SSH,
	NFAC_APP_SMTP,
	NFAC_APP_FTP,
	NFAC_APP_SMB,
	NFAC_APP_MAX,
};

/* Buffers, in the order in which the interpreter visits them. */
enum nfac_buffer {
	NFAC_BUFFER_PAYLOAD,		/* the packet's, or the stream's bytes */
	NFAC_BUFFER_HTTP_METHOD,
	NFAC_BUFFER_HTTP_URI,		/* normalised */
	NFAC_BUFFER_HTTP_URI_RAW,
	NFAC_BUFFER_HTTP_PROTOCOL,
	NFAC_BUFFER_HTTP_REQUEST_LINE,
	NFAC_BUFFER_HTTP_HEADER,	/* the block without cookies, "name: value\r\n" */
	NFAC_BUFFER_HTTP_HEADER_RAW,
	NFAC_BUFFER_HTTP_HEADER_NAMES,	/* "\r\nHost\r\n...\r\n\r\n" */
	NFAC_BUFFER_HTTP_HOST,		/* lower case, without port */
	NFAC_BUFFER_HTTP_HOST_RAW,
	NFAC_BUFFER_HTTP_USER_AGENT,
	NFAC_BUFFER_HTTP_COOKIE,
	NFAC_BUFFER_HTTP_REFERER,
	NFAC_BUFFER_HTTP_CONTENT_TYPE,
	NFAC_BUFFER_HTTP_CONTENT_LEN,
	NFAC_BUFFER_HTTP_ACCEPT,
	NFAC_BUFFER_HTTP_ACCEPT_ENC,
	NFAC_BUFFER_HTTP_ACCEPT_LANG,
	NFAC_BUFFER_HTTP_CONNECTION,
	NFAC_BUFFER_HTTP_LOCATION,
	NFAC_BUFFER_HTTP_SERVER,
	NFAC_BUFFER_HTTP_START,
	NFAC_BUFFER_HTTP_REQUEST_BODY,
	NFAC_BUFFER_HTTP_RESPONSE_BODY,
	NFAC_BUFFER_HTTP_RESPONSE_LINE,
	NFAC_BUFFER_HTTP_STAT_CODE,
	NFAC_BUFFER_HTTP_STAT_MSG,
	NFAC_BUFFER_FILE_DATA,		/* a body, in the clear */
	NFAC_BUFFER_DNS_QUERY,		/* dotted, lower case; once for each query */
	NFAC_BUFFER_TLS_SNI,
	NFAC_BUFFER_TLS_CERT_SUBJECT,
	NFAC_BUFFER_TLS_CERT_ISSUER,
	NFAC_BUFFER_TLS_CERT_SERIAL,
	NFAC_BUFFER_SSH_PROTO,
	NFAC_BUFFER_SSH_SOFTWARE,
	NFAC_BUFFER_TLS_CERTS,		/* a certificate in DER; once for each */
	/* the host name of a request: dns.query, tls.sni or http.host */
	NFAC_BUFFER_HOSTNAME,
	NFAC_BUFFER_MAX,
};

/* Transforms, applied to a buffer in this order; a content's word 2 has a bit for each. */
#define NFAC_TRANSFORM_DOTPREFIX		BIT(0)
#define NFAC_TRANSFORM_LOWERCASE		BIT(1)
#define NFAC_TRANSFORM_STRIP_WHITESPACE		BIT(2)
#define NFAC_TRANSFORM_COMPRESS_WHITESPACE	BIT(3)
#define NFAC_TRANSFORM_URL_DECODE		BIT(4)
#define NFAC_TRANSFORM_HEADER_LOWERCASE		BIT(5)
#define NFAC_TRANSFORMS				0x3fu

/*
 * Conditions. Those of one buffer follow each other and are evaluated together, with
 * backtracking.
 */
enum nfac_condition_type {
	/* struct nfac_condition_content, then the bytes, padded to a word */
	NFAC_CONDITION_CONTENT,
	NFAC_CONDITION_ISDATAAT,	/* argument 0: bytes; NEGATED, RELATIVE */
	/* of the buffer: bsize, urilen, dsize: lowest, highest; NEGATED */
	NFAC_CONDITION_SIZE,
	NFAC_CONDITION_BYTE_TEST,	/* struct nfac_condition_byte */
	NFAC_CONDITION_BYTE_JUMP,
	NFAC_CONDITION_BYTE_EXTRACT,
	NFAC_CONDITION_BYTE_MATH,
	/* ranges: low | high << 16, each a word; none may hold with NEGATED */
	NFAC_CONDITION_SPORT,
	NFAC_CONDITION_DPORT,
	/* prefixes: 4 words address (IPv4 mapped), 1 word length; NEGATED */
	NFAC_CONDITION_SADDR,
	NFAC_CONDITION_DADDR,
	NFAC_CONDITION_FIELD,		/* enum nfac_field, lowest, highest; NEGATED */
	/* value, mask, mode: 0 exactly, 1 all (+), 2 any (*), 3 none (!) */
	NFAC_CONDITION_TCP_FLAGS,
	NFAC_CONDITION_FLOWBITS,	/* enum nfac_flowbits_action, mask low, mask high */
	/* a pcre of the rule's details in the names section, by its number; of a buffer */
	NFAC_CONDITION_USER,
	NFAC_CONDITION_MAX,
};

enum nfac_flowbits_action {
	NFAC_FLOWBITS_ISSET,	/* one of the mask's bits is set */
	NFAC_FLOWBITS_ISNOTSET,	/* one of them is not */
	NFAC_FLOWBITS_SET,
	NFAC_FLOWBITS_UNSET,
	NFAC_FLOWBITS_TOGGLE,
	NFAC_FLOWBITS_MAX,
};

enum nfac_field {
	NFAC_FIELD_TTL,
	NFAC_FIELD_IP_ID,
	NFAC_FIELD_IP_PROTO,
	NFAC_FIELD_TCP_WINDOW,
	NFAC_FIELD_TCP_SEQ,
	NFAC_FIELD_TCP_ACK,
	NFAC_FIELD_ICMP_TYPE,
	NFAC_FIELD_ICMP_CODE,
	NFAC_FIELD_ICMP_ID,
	NFAC_FIELD_ICMP_SEQ,
	NFAC_FIELD_FRAGMENT,
	NFAC_FIELD_MAX,
};

/* Flags of a condition, in its head. */
#define NFAC_CONDITION_NEGATED		BIT(0)
#define NFAC_CONDITION_NOCASE		BIT(1)
#define NFAC_CONDITION_RELATIVE		BIT(2)	/* offset and depth are distance and within */
#define NFAC_CONDITION_ENDSWITH		BIT(3)
#define NFAC_CONDITION_HAS_OFFSET	BIT(4)	/* offset or distance was given */
#define NFAC_CONDITION_HAS_DEPTH	BIT(5)	/* depth or within was given */
#define NFAC_CONDITION_OFFSET_VARIABLE	BIT(6)	/* offset is the index of a variable */
#define NFAC_CONDITION_DEPTH_VARIABLE	BIT(7)
/* the pattern in the automaton is this content, or part of it */
#define NFAC_CONDITION_ANCHOR		BIT(8)
#define NFAC_CONDITION_FLAGS		0x1ffu

/**
 * struct nfac_program - the head of a program; its conditions follow
 * @words: of the whole program, head included, 6 .. NFAC_PROGRAM_WORDS_MAX
 * @id: what a match reports (sid)
 * @flags: NFAC_PROGRAM_*
 * @app: enum nfac_app in the lower 8 bits, IPPROTO_* above (0: any; NFAC_PROTOCOL_ICMP),
 *	conditions << 16
 * @reserved: 0
 */
struct nfac_program {
	__le32 words;
	__le32 id;
	__le32 flags;
	__le32 app;
	__le32 reserved[2];
};

/**
 * struct nfac_condition - the head of each condition; its arguments follow
 * @head: enum nfac_condition_type in bits 0-7, words of the whole condition in bits 8-23
 *	(head included), enum nfac_buffer in bits 24-31
 * @flags: NFAC_CONDITION_* in the lower 16 bits, NFAC_TRANSFORM_* above
 */
struct nfac_condition {
	__le32 head;
	__le32 flags;
};

/**
 * struct nfac_condition_content - a content, behind struct nfac_condition
 * @length: bytes of the content, 1 .. 255 * 4
 * @offset: s32, -65535 .. 65535: where the search begins, or the distance
 * @depth: s32: 0 .. 65535, bytes from the offset on within which the content ends, or within
 *
 * The bytes follow, padded with zeros to a word. With NOCASE they are lower case.
 */
struct nfac_condition_content {
	__le32 length;
	__le32 offset;
	__le32 depth;
};

/* Of byte_test, byte_jump, byte_extract, byte_math: base and form of the number. */
#define NFAC_BYTE_LITTLE	BIT(0)
#define NFAC_BYTE_STRING	BIT(1)	/* digits, in the base of bits 8-15 (8, 10, 16) */
#define NFAC_BYTE_ALIGN		BIT(2)	/* byte_jump */
#define NFAC_BYTE_FROM_BEGINNING BIT(3)
#define NFAC_BYTE_FROM_END	BIT(4)
#define NFAC_BYTE_VALUE_VARIABLE BIT(5)	/* @value is the index of a variable */
#define NFAC_BYTE_FORMS		0xff3fu

/**
 * struct nfac_condition_byte - byte_test, byte_jump, byte_extract, byte_math
 * @form: NFAC_BYTE_*, base << 8, number of bytes << 16 (1 .. 23), operator << 24: of byte_test
 *	0 <, 1 >, 2 =, 3 <=, 4 >=, 5 &, 6 ^; of byte_math 0 +, 1 -, 2 *, 3 /, 4 <<, 5 >>
 * @offset: s32
 * @value: compared, added or multiplied; byte_jump: post_offset
 * @multiplier: byte_jump and byte_extract: 1 .. 65535
 * @mask: and-ed to the number, in byte_math to the result, then shifted right by its trailing
 *	zeros; 0: none
 * @result: variable that is set, 0 .. NFAC_PROGRAM_VARIABLES - 1 (byte_extract, byte_math)
 */
struct nfac_condition_byte {
	__le32 form;
	__le32 offset;
	__le32 value;
	__le32 multiplier;
	__le32 mask;
	__le32 result;
};

/* Bytes of the bit map that nfac_programs_verify() fills: a bit for each word. */
static inline size_t nfac_program_starts_bytes(u32 words)
{
	return ((size_t)words + 7) / 8;
}

/**
 * nfac_programs_verify() - verify a set's programs
 * @words: the programs, one behind the other
 * @count: words of all of them
 * @starts: nfac_program_starts_bytes() bytes, zeroed; bit n is set where a program begins at word n
 * @at: on failure, index of the faulty word
 *
 * Context: process in the kernel; may sleep.
 * Return: NULL, or what is wrong (static storage).
 */
const char *nfac_programs_verify(const __le32 *words, u32 count, u8 *starts, u32 *at);

#endif /* _NFAC_RULES_PROGRAM_H */
