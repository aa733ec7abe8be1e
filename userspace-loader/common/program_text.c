// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions of rules in words, each type by a function of its own.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/engine/rules/conditions.h"
#include "pattern_text.h"
#include "program_text.h"

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static const char *const buffers[NFAC_BUFFER_MAX] = {
	[NFAC_BUFFER_PAYLOAD] = "payload",
	[NFAC_BUFFER_HTTP_METHOD] = "http.method",
	[NFAC_BUFFER_HTTP_URI] = "http.uri",
	[NFAC_BUFFER_HTTP_URI_RAW] = "http.uri.raw",
	[NFAC_BUFFER_HTTP_PROTOCOL] = "http.protocol",
	[NFAC_BUFFER_HTTP_REQUEST_LINE] = "http.request_line",
	[NFAC_BUFFER_HTTP_HEADER] = "http.header",
	[NFAC_BUFFER_HTTP_HEADER_RAW] = "http.header.raw",
	[NFAC_BUFFER_HTTP_HEADER_NAMES] = "http.header_names",
	[NFAC_BUFFER_HTTP_HOST] = "http.host",
	[NFAC_BUFFER_HTTP_HOST_RAW] = "http.host.raw",
	[NFAC_BUFFER_HTTP_USER_AGENT] = "http.user_agent",
	[NFAC_BUFFER_HTTP_COOKIE] = "http.cookie",
	[NFAC_BUFFER_HTTP_REFERER] = "http.referer",
	[NFAC_BUFFER_HTTP_CONTENT_TYPE] = "http.content_type",
	[NFAC_BUFFER_HTTP_CONTENT_LEN] = "http.content_len",
	[NFAC_BUFFER_HTTP_ACCEPT] = "http.accept",
	[NFAC_BUFFER_HTTP_ACCEPT_ENC] = "http.accept_enc",
	[NFAC_BUFFER_HTTP_ACCEPT_LANG] = "http.accept_lang",
	[NFAC_BUFFER_HTTP_CONNECTION] = "http.connection",
	[NFAC_BUFFER_HTTP_LOCATION] = "http.location",
	[NFAC_BUFFER_HTTP_SERVER] = "http.server",
	[NFAC_BUFFER_HTTP_START] = "http.start",
	[NFAC_BUFFER_HTTP_REQUEST_BODY] = "http.request_body",
	[NFAC_BUFFER_HTTP_RESPONSE_BODY] = "http.response_body",
	[NFAC_BUFFER_HTTP_RESPONSE_LINE] = "http.response_line",
	[NFAC_BUFFER_HTTP_STAT_CODE] = "http.stat_code",
	[NFAC_BUFFER_HTTP_STAT_MSG] = "http.stat_msg",
	[NFAC_BUFFER_FILE_DATA] = "file.data",
	[NFAC_BUFFER_DNS_QUERY] = "dns.query",
	[NFAC_BUFFER_TLS_SNI] = "tls.sni",
	[NFAC_BUFFER_TLS_CERT_SUBJECT] = "tls.cert_subject",
	[NFAC_BUFFER_TLS_CERT_ISSUER] = "tls.cert_issuer",
	[NFAC_BUFFER_TLS_CERT_SERIAL] = "tls.cert_serial",
	[NFAC_BUFFER_SSH_PROTO] = "ssh.proto",
	[NFAC_BUFFER_SSH_SOFTWARE] = "ssh.software",
	[NFAC_BUFFER_TLS_CERTS] = "tls.certs",
	[NFAC_BUFFER_HOSTNAME] = "name in DNS, TLS or HTTP",
};

const char *buffer_text(unsigned int buffer)
{
	return buffer < NFAC_BUFFER_MAX && buffers[buffer] ? buffers[buffer] : "?";
}

static void print_transforms(FILE *to, uint32_t transforms)
{
	static const char *const names[] = {
		"dotprefix", "to_lowercase", "strip_whitespace", "compress_whitespace",
		"url_decode", "header_lowercase",
	};
	size_t i;

	for (i = 0; i < COUNT(names); i++)
		if (transforms >> i & 1)
			fprintf(to, " %s", names[i]);
}

/* A place: a number, or the variable that has it. */
static void print_place(FILE *to, const char *name, uint32_t value, bool variable)
{
	if (variable)
		fprintf(to, ", %s variable %u", name, value);
	else
		fprintf(to, ", %s %d", name, (int32_t)value);
}

static void print_content(FILE *to, const struct nfac_condition *c)
{
	const uint32_t flags = le32_to_cpu(c->flags);
	const uint8_t *bytes = (const uint8_t *)((const __le32 *)(c + 1) + 3);
	bool relative = flags & NFAC_CONDITION_RELATIVE;
	char *text = pattern_escape(bytes, nfac_condition_word(c, 0));

	fprintf(to, "%s \"%s\"", flags & NFAC_CONDITION_NEGATED ? "does not contain" : "contains",
		text ? text : "?");
	free(text);
	if (flags & NFAC_CONDITION_NOCASE)
		fputs(" in either case", to);
	if (flags & NFAC_CONDITION_HAS_OFFSET)
		print_place(to, relative ? "distance" : "offset", nfac_condition_word(c, 1),
			    flags & NFAC_CONDITION_OFFSET_VARIABLE);
	if (flags & NFAC_CONDITION_HAS_DEPTH)
		print_place(to, relative ? "within" : "depth", nfac_condition_word(c, 2),
			    flags & NFAC_CONDITION_DEPTH_VARIABLE);
	if (relative && !(flags & (NFAC_CONDITION_HAS_OFFSET | NFAC_CONDITION_HAS_DEPTH)))
		fputs(", behind the last match", to);
	if (flags & NFAC_CONDITION_ENDSWITH)
		fputs(", at the end", to);
	if (flags & NFAC_CONDITION_ANCHOR)
		fputs(" (anchor)", to);
}

static void print_range(FILE *to, uint32_t low, uint32_t high, bool negated)
{
	fputs(negated ? " not" : "", to);
	if (low == high)
		fprintf(to, " %u", low);
	else if (high == UINT32_MAX)
		fprintf(to, " %u or more", low);
	else
		fprintf(to, " %u to %u", low, high);
}

static void print_byte(FILE *to, const struct nfac_condition *c)
{
	static const char *const names[] = {
		"byte_test", "byte_jump", "byte_extract", "byte_math",
	};
	static const char *const compared[] = { "<", ">", "=", "<=", ">=", "&", "^" };
	static const char *const computed[] = { "+", "-", "*", "/", "<<", ">>" };
	const uint32_t form = nfac_condition_word(c, 0), type = nfac_condition_type(c);
	const uint32_t operator = form >> 24;

	fprintf(to, "%s%s of %u bytes at %s%d", names[type - NFAC_CONDITION_BYTE_TEST],
		le32_to_cpu(c->flags) & NFAC_CONDITION_NEGATED ? " not" : "", form >> 16 & 0xff,
		le32_to_cpu(c->flags) & NFAC_CONDITION_RELATIVE ? "the last match + " : "",
		(int32_t)nfac_condition_word(c, 1));
	if (form & NFAC_BYTE_STRING)
		fprintf(to, ", digits of base %u", form >> 8 & 0xff);
	if (form & NFAC_BYTE_LITTLE)
		fputs(", little endian", to);
	if (nfac_condition_word(c, 4))
		fprintf(to, ", mask 0x%x", nfac_condition_word(c, 4));
	if (nfac_condition_word(c, 3) > 1)
		fprintf(to, ", times %u", nfac_condition_word(c, 3));
	if (type == NFAC_CONDITION_BYTE_TEST || type == NFAC_CONDITION_BYTE_MATH)
		fprintf(to, ": %s %s%u", type == NFAC_CONDITION_BYTE_TEST ?
			operator < COUNT(compared) ? compared[operator] : "?" :
			operator < COUNT(computed) ? computed[operator] : "?",
			form & NFAC_BYTE_VALUE_VARIABLE ? "variable " : "",
			nfac_condition_word(c, 2));
	if (type == NFAC_CONDITION_BYTE_EXTRACT || type == NFAC_CONDITION_BYTE_MATH)
		fprintf(to, ", to variable %u", nfac_condition_word(c, 5));
	if (type == NFAC_CONDITION_BYTE_JUMP)
		fprintf(to, ", jump there%s%s%s", form & NFAC_BYTE_ALIGN ? ", to a multiple of 4" : "",
			form & NFAC_BYTE_FROM_BEGINNING ? " from the beginning" : "",
			form & NFAC_BYTE_FROM_END ? " from the end" : "");
}

static void print_ports(FILE *to, const struct nfac_condition *c, const char *name)
{
	uint32_t i, count = nfac_condition_words(c) - 2;

	fprintf(to, "%s", name);
	for (i = 0; i < count; i++) {
		uint32_t word = nfac_condition_word(c, i), low = word & 0xffff, high = word >> 16;

		fprintf(to, low == high ? "%s %u" : "%s %u:%u", i ? "," : "", low, high);
	}
}

static void print_addresses(FILE *to, const struct nfac_condition *c, const char *name)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint32_t i, count = (nfac_condition_words(c) - 2) / 5;
	char text[INET6_ADDRSTRLEN];

	fprintf(to, "%s%s", name, le32_to_cpu(c->flags) & NFAC_CONDITION_NEGATED ? " none of" : "");
	for (i = 0; i < count; i++) {
		const uint8_t *bytes = (const uint8_t *)((const __le32 *)(c + 1) + 5 * i);
		uint32_t bits = nfac_condition_word(c, 5 * i + 4);
		bool four = bits >= 96 && !memcmp(bytes, mapped, sizeof(mapped));

		inet_ntop(four ? AF_INET : AF_INET6, four ? bytes + 12 : bytes, text, sizeof(text));
		fprintf(to, "%s %s/%u", i ? "," : "", text, four ? bits - 96 : bits);
	}
}

static void print_field(FILE *to, const struct nfac_condition *c)
{
	static const char *const fields[] = {
		"ttl", "id", "ip_proto", "window", "seq", "ack", "itype", "icode", "icmp_id",
		"icmp_seq", "fragment",
	};
	uint32_t field = nfac_condition_word(c, 0);

	fputs(field < COUNT(fields) ? fields[field] : "?", to);
	print_range(to, nfac_condition_word(c, 1), nfac_condition_word(c, 2),
		    le32_to_cpu(c->flags) & NFAC_CONDITION_NEGATED);
}

static void print_flags(FILE *to, const struct nfac_condition *c)
{
	static const char letters[] = "FSRPAUEC";
	static const char *const modes[] = { "exactly", "all of", "one of", "none of" };
	uint32_t mode = nfac_condition_word(c, 2), i;

	fprintf(to, "TCP flags %s ", modes[mode & 3]);
	for (i = 0; i < 8; i++)
		if (nfac_condition_word(c, 0) >> i & 1)
			fputc(letters[i], to);
	if (!nfac_condition_word(c, 0))
		fputc('0', to);
}

static void print_flowbits(FILE *to, const struct nfac_condition *c)
{
	static const char *const actions[] = { "isset", "isnotset", "set", "unset", "toggle" };
	uint64_t mask = nfac_condition_word(c, 1) | (uint64_t)nfac_condition_word(c, 2) << 32;
	uint32_t action = nfac_condition_word(c, 0);

	fprintf(to, "flowbits %s 0x%" PRIx64, action < COUNT(actions) ? actions[action] : "?",
		mask);
}

void condition_print(FILE *to, const struct nfac_condition *c)
{
	const uint32_t flags = le32_to_cpu(c->flags);

	if (nfac_condition_is_grouped(c)) {
		fputs(buffer_text(nfac_condition_buffer(c)), to);
		print_transforms(to, nfac_condition_transforms(c));
		fputs(": ", to);
	}
	switch (nfac_condition_type(c)) {
	case NFAC_CONDITION_CONTENT:
		print_content(to, c);
		break;
	case NFAC_CONDITION_ISDATAAT:
		fprintf(to, "%s %u bytes%s", flags & NFAC_CONDITION_NEGATED ? "has not" : "has",
			nfac_condition_word(c, 0),
			flags & NFAC_CONDITION_RELATIVE ? " behind the last match" : "");
		break;
	case NFAC_CONDITION_SIZE:
		fputs("bytes", to);
		print_range(to, nfac_condition_word(c, 0), nfac_condition_word(c, 1),
			    flags & NFAC_CONDITION_NEGATED);
		break;
	case NFAC_CONDITION_BYTE_TEST:
	case NFAC_CONDITION_BYTE_JUMP:
	case NFAC_CONDITION_BYTE_EXTRACT:
	case NFAC_CONDITION_BYTE_MATH:
		print_byte(to, c);
		break;
	case NFAC_CONDITION_SPORT:
		print_ports(to, c, "source port");
		break;
	case NFAC_CONDITION_DPORT:
		print_ports(to, c, "destination port");
		break;
	case NFAC_CONDITION_SADDR:
		print_addresses(to, c, "source");
		break;
	case NFAC_CONDITION_DADDR:
		print_addresses(to, c, "destination");
		break;
	case NFAC_CONDITION_FIELD:
		print_field(to, c);
		break;
	case NFAC_CONDITION_TCP_FLAGS:
		print_flags(to, c);
		break;
	case NFAC_CONDITION_USER:
		fprintf(to, "%s pcre %u%s", flags & NFAC_CONDITION_NEGATED ? "does not match" :
			"matches", nfac_condition_word(c, 0) + 1,
			flags & NFAC_CONDITION_RELATIVE ? " behind the last match" : "");
		break;
	case NFAC_CONDITION_FLOWBITS:
		print_flowbits(to, c);
		break;
	default:
		fprintf(to, "condition of type %u", nfac_condition_type(c));
		break;
	}
}

void program_print(FILE *to, const struct nfac_program *program)
{
	static const char *const apps[NFAC_APP_MAX] = {
		"any", "HTTP", "DNS", "TLS", "SSH", "SMTP", "FTP", "SMB",
	};
	static const struct {
		uint32_t flag;
		const char *text;
	} flags[] = {
		{ NFAC_PROGRAM_TO_SERVER, "sent to the server" },
		{ NFAC_PROGRAM_TO_CLIENT, "sent to the client" },
		{ NFAC_PROGRAM_ESTABLISHED, "the connection is established" },
		{ NFAC_PROGRAM_STREAM, "over the stream alone" },
		{ NFAC_PROGRAM_PACKET, "over one packet" },
		{ NFAC_PROGRAM_BIDIRECTIONAL, "addresses and ports either way round" },
		{ NFAC_PROGRAM_NOALERT, "reports nothing: sets flowbits" },
		{ NFAC_PROGRAM_CONFIRM, "pcre: checked with --confirm alone" },
		{ NFAC_PROGRAM_INEXACT, "inexact: the rule has conditions that are not checked" },
	};
	const __le32 *words = (const __le32 *)program;
	uint32_t app = le32_to_cpu(program->app), at = sizeof(*program) / 4;
	size_t i;

	if ((app >> 8 & 0xff) == NFAC_PROTOCOL_ICMP)
		fputs("  protocol ICMP or ICMPv6\n", to);
	else if (app >> 8 & 0xff)
		fprintf(to, "  protocol %u\n", app >> 8 & 0xff);
	if ((app & 0xff) && (app & 0xff) < NFAC_APP_MAX)
		fprintf(to, "  application protocol %s\n", apps[app & 0xff]);
	for (i = 0; i < COUNT(flags); i++)
		if (le32_to_cpu(program->flags) & flags[i].flag)
			fprintf(to, "  %s\n", flags[i].text);
	while (at < le32_to_cpu(program->words)) {
		const struct nfac_condition *c = (const struct nfac_condition *)(words + at);

		fputs("  ", to);
		condition_print(to, c);
		fputc('\n', to);
		at += nfac_condition_words(c);
	}
}
